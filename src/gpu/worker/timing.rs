//! Timed runs of a plan, between events of the stream: as a whole, launch by launch, and as a CUDA graph.

use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaEvent, CudaGraph, DriverError};

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
    /// Of each run as a whole, between one pair of events.
    pub plan_ms: Vec<f32>,
    /// The same launches as one CUDA graph; empty where there is one launch, or they make no graph.
    pub graph_ms: Vec<f32>,
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
///
/// The plan is timed first, and its launches in a second pass: an event between two launches has the second
/// wait for it, which no program pays that only launches them.
pub(crate) fn time(
    device: &Device,
    choice: TimingChoice,
    l2_bytes: u64,
    timed: &mut impl Timed,
) -> Result<Times, DriverError> {
    let bench = Bench {
        device,
        flush: flush_memory(device, choice, l2_bytes)?,
    };
    let count = timed.launches();
    let plan_ms = bench.measure(timed, 1, |timed, _| launch_all(timed))?;
    let plan_ms = plan_ms.concat();
    if count < 2 {
        return Ok(Times {
            launch_ms: vec![plan_ms.clone(); count],
            plan_ms,
            graph_ms: Vec::new(),
        });
    }
    let launch_ms = bench.measure(timed, count, |timed, index| timed.launch(index))?;
    let graph_ms = match bench.graph(timed) {
        Some(graph) => bench.measure(timed, 1, |_, _| graph.launch())?.concat(),
        None => Vec::new(),
    };
    Ok(Times {
        launch_ms,
        plan_ms,
        graph_ms,
    })
}

fn launch_all(timed: &mut impl Timed) -> Result<(), DriverError> {
    (0..timed.launches()).try_for_each(|index| timed.launch(index))
}

/// Where runs are timed, and what is overwritten before each.
struct Bench<'a> {
    device: &'a Device,
    flush: Option<DeviceMemory>,
}

impl Bench<'_> {
    /// Milliseconds of each of `parts` that `run` does one after the other, with an event before the first and
    /// behind each: by part, of each run.
    fn measure<T: Timed>(
        &self,
        timed: &mut T,
        parts: usize,
        mut run: impl FnMut(&mut T, usize) -> Result<(), DriverError>,
    ) -> Result<Vec<Vec<f32>>, DriverError> {
        let events = (0..=parts).map(|_| event(self.device));
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let mut all_ms = vec![Vec::new(); parts];
        let mut spent_ms = 0.0;
        for number in 0..WARM_UP_RUNS + RUNS.end() {
            let counted = (number + 1).saturating_sub(WARM_UP_RUNS);
            timed.restore()?;
            // Behind the restoring, which leaves the buffers in the L2.
            if let Some(flush) = &self.flush {
                flush.fill(0, self.device)?;
            }
            events[0].record(&self.device.stream)?;
            for part in 0..parts {
                run(timed, part)?;
                events[part + 1].record(&self.device.stream)?;
            }
            // Waits for the last event.
            let total_ms = events[0].elapsed_ms(&events[parts])?;
            timed.after_run(counted);
            if counted == 0 {
                continue;
            }
            for (all, two) in all_ms.iter_mut().zip(events.windows(2)) {
                all.push(two[0].elapsed_ms(&two[1])?);
            }
            spent_ms += total_ms;
            if counted >= *RUNS.start() && spent_ms >= MEASURED_MS {
                break;
            }
        }
        Ok(all_ms)
    }

    /// The launches as one CUDA graph, which the driver hands to the GPU as a whole; nothing where it makes
    /// none of them.
    fn graph(&self, timed: &mut impl Timed) -> Option<CudaGraph> {
        let stream = &self.device.stream;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        stream.begin_capture(mode).ok()?;
        let launched = launch_all(timed);
        // Even where a launch was refused: a stream that goes on capturing runs nothing.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        let graph = launched.and(graph).ok()??;
        graph.upload().ok()?;
        Some(graph)
    }
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

/// Milliseconds of what `launch` asks of the device, once it is done.
pub(crate) fn once(
    device: &Device,
    launch: impl FnOnce() -> Result<(), DriverError>,
) -> Result<f32, DriverError> {
    let (begin, end) = (event(device)?, event(device)?);
    begin.record(&device.stream)?;
    launch()?;
    end.record(&device.stream)?;
    // A fault is told by the wait, not by the launch, which only queues the kernel.
    device.wait()?;
    begin.elapsed_ms(&end)
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
