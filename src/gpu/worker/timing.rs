//! Timed runs of a plan's launches, between events of the stream.

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, DriverError};

use super::device::{Device, DeviceMemory};
use crate::gpu::protocol::TimingChoice;

/// Runs before the first that counts.
// A GPU that waits lowers its clocks; the first runs raise them.
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
    /// Called after each run, with how many of them count.
    fn after_run(&mut self, runs: u32);
}

/// Times `timed` until the median is stable. Every run begins with the same buffers.
pub(crate) fn time(
    device: &Device,
    choice: TimingChoice,
    l2_bytes: u64,
    timed: &mut impl Timed,
) -> Result<Times, DriverError> {
    let flush = flush_memory(device, choice, l2_bytes)?;
    let events = (0..=timed.launches()).map(|_| event(device));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let mut times = Times {
        launch_ms: vec![Vec::new(); timed.launches()],
        plan_ms: Vec::new(),
    };
    let mut spent_ms = 0.0;
    for run in 0..WARM_UP_RUNS + RUNS.end() {
        let counted = (run + 1).saturating_sub(WARM_UP_RUNS);
        timed.restore()?;
        // Behind the restoring, which leaves the buffers in the L2.
        if let Some(flush) = &flush {
            flush.fill(0, device)?;
        }
        let launches_ms = run_once(device, &events, timed)?;
        timed.after_run(counted);
        if counted == 0 {
            continue;
        }
        for (all, ms) in times.launch_ms.iter_mut().zip(launches_ms) {
            all.push(ms);
        }
        // From event to event: the sum of the launches would leave out what is between them.
        let plan_ms = events[0].elapsed_ms(&events[timed.launches()])?;
        times.plan_ms.push(plan_ms);
        spent_ms += plan_ms;
        if counted >= *RUNS.start() && spent_ms >= MEASURED_MS {
            break;
        }
    }
    Ok(times)
}

/// What is overwritten before each run, so that it begins with nothing of the buffers in the L2.
fn flush_memory(
    device: &Device,
    choice: TimingChoice,
    l2_bytes: u64,
) -> Result<Option<DeviceMemory>, DriverError> {
    if choice == TimingChoice::Warm {
        return Ok(None);
    }
    let wanted = FLUSH_BYTES.max(4 * l2_bytes as usize);
    let size_bytes = wanted.min(device.free_bytes()? / 2);
    DeviceMemory::new(device, size_bytes).map(Some)
}

/// An event that takes the time: cudarc's own default does not.
fn event(device: &Device) -> Result<CudaEvent, DriverError> {
    let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
    device.context.new_event(flags)
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
    let from = DeviceMemory::new(device, COPY_BYTES)?;
    let to = DeviceMemory::new(device, COPY_BYTES)?;
    from.fill(0, device)?;
    let (begin, end) = (event(device)?, event(device)?);
    let mut best_ms = f32::INFINITY;
    for _ in 0..10 {
        begin.record(&device.stream)?;
        to.copy_from(&from, device)?;
        end.record(&device.stream)?;
        best_ms = best_ms.min(begin.elapsed_ms(&end)?);
    }
    // Each byte is read once and written once.
    Ok(Some(2.0 * COPY_BYTES as f64 / (f64::from(best_ms) / 1e3)))
}
