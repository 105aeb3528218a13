//! Timed runs of a plan's launches, between events of the stream.

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, DriverError};

use super::device::{Device, Memory};
use crate::gpu::protocol::TimingChoice;

/// Runs before the first that counts.
const WARM_UP_RUNS: u32 = 3;
/// Fewest and most runs that count.
const RUNS: std::ops::RangeInclusive<u32> = 20..=200;
/// Runs go on for so long, within those bounds.
const MEASURED_MS: f32 = 200.0;
/// Bytes that are written between runs, so that nothing of the buffers is left in L2: at least this
/// many, and several times what the L2 holds.
const FLUSH_BYTES: usize = 256 << 20;
/// Bytes of the copy that tells what bandwidth the memory gives.
const COPY_BYTES: usize = 512 << 20;

/// Milliseconds of the timed runs.
#[derive(Debug, Default)]
pub(crate) struct Times {
    /// By launch, of each run.
    pub launch_ms: Vec<Vec<f32>>,
    /// Of each run as a whole.
    pub plan_ms: Vec<f32>,
}

/// What is timed: putting the buffers back as they were, and launching one of the launches.
pub(crate) trait Timed {
    fn restore(&self) -> Result<(), DriverError>;
    fn launch(&mut self, index: usize) -> Result<(), DriverError>;
    fn launches(&self) -> usize;
    /// Called after each run.
    fn told(&mut self, runs: u32);
}

/// Times `timed` until the median is stable. Every run begins with the same buffers.
pub(crate) fn time(
    device: &Device,
    choice: TimingChoice,
    l2_bytes: u64,
    timed: &mut impl Timed,
) -> Result<Times, DriverError> {
    let flush_bytes = FLUSH_BYTES.max(4 * l2_bytes as usize);
    let flush_bytes = flush_bytes.min(device.free_bytes()? / 2);
    let flush = match choice {
        TimingChoice::Flushed => Some(Memory::new(device, flush_bytes)?),
        TimingChoice::Warm => None,
    };
    let mut events = Vec::new();
    for _ in 0..=timed.launches() {
        let flags = CUevent_flags::CU_EVENT_DEFAULT;
        events.push(device.context.new_event(Some(flags))?);
    }
    let mut times = Times {
        launch_ms: vec![Vec::new(); timed.launches()],
        plan_ms: Vec::new(),
    };
    let mut spent_ms = 0.0;
    for run in 0..WARM_UP_RUNS + RUNS.end() {
        let counted = (run + 1).saturating_sub(WARM_UP_RUNS);
        timed.restore()?;
        if let Some(flush) = &flush {
            flush.fill(0, device)?;
        }
        let ms = run_once(device, &events, timed)?;
        timed.told(counted);
        if counted == 0 {
            continue;
        }
        for (all, &ms) in times.launch_ms.iter_mut().zip(&ms) {
            all.push(ms);
        }
        let whole = events[0].elapsed_ms(&events[timed.launches()])?;
        times.plan_ms.push(whole);
        spent_ms += whole;
        if counted >= *RUNS.start() && spent_ms >= MEASURED_MS {
            break;
        }
    }
    Ok(times)
}

fn run_once(
    device: &Device,
    events: &[CudaEvent],
    timed: &mut impl Timed,
) -> Result<Vec<f32>, DriverError> {
    events[0].record(&device.stream)?;
    for launch in 0..timed.launches() {
        timed.launch(launch)?;
        events[launch + 1].record(&device.stream)?;
    }
    let between = events.windows(2);
    between.map(|two| two[0].elapsed_ms(&two[1])).collect()
}

/// Bytes a second that a copy within the device's memory reads and writes together; nothing where
/// there is no room for it.
pub(crate) fn copy_bytes_per_s(device: &Device) -> Result<Option<f64>, DriverError> {
    if device.free_bytes()? < 3 * COPY_BYTES {
        return Ok(None);
    }
    let (from, to) = (
        Memory::new(device, COPY_BYTES)?,
        Memory::new(device, COPY_BYTES)?,
    );
    from.fill(0, device)?;
    let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let (begin, end) = (
        device.context.new_event(flags)?,
        device.context.new_event(flags)?,
    );
    let mut best_ms = f32::INFINITY;
    for _ in 0..10 {
        begin.record(&device.stream)?;
        to.copy_from(&from, device)?;
        end.record(&device.stream)?;
        best_ms = best_ms.min(begin.elapsed_ms(&end)?);
    }
    Ok(Some(2.0 * COPY_BYTES as f64 / (f64::from(best_ms) / 1e3)))
}
