//! The values of a run's warp, captured on the real GPU that ran it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::app::{FinishedRun, Msg};
use crate::engine::{Control, InstrumentedRun, Options};
use crate::gpu::Gpu;
use crate::launch::LaunchOutcome;

/// Steps of the watched warp that are kept of each launch.
pub(crate) const TRACE_STEPS: usize = 10_000;

/// Captures, launch by launch; nothing once it is cancelled.
pub(crate) fn capture_values(
    ran: Arc<FinishedRun>,
    gpu: &mut Gpu,
    cancel: &AtomicBool,
) -> Option<Msg> {
    let outcome = &ran.result.outcome;
    let options = Options {
        gpu: outcome.simulated.clone(),
        trace_steps: TRACE_STEPS,
        ..Options::default()
    };
    let control = Control {
        cancel,
        ..Control::default()
    };
    let mut run = InstrumentedRun {
        plan: &ran.plan,
        options: &options,
        control: &control,
        gpu,
    };
    let mut captured = |index: usize, launch: &LaunchOutcome| match &launch.trace {
        Some(simulated) if !cancel.load(Ordering::Relaxed) => run
            .compare_launch(index, ran.watch, simulated)
            .map_err(|error| error.to_string()),
        // A launch without the watched warp has no trace.
        _ => Ok(None),
    };
    let launches = outcome.launches.iter().enumerate();
    let values = launches.map(|(index, launch)| captured(index, launch));
    let values = values.collect();
    let job = ran.job;
    // The notebook puts the values into the run, which it need not copy once nobody else holds it.
    drop(ran);
    (!cancel.load(Ordering::Relaxed)).then_some(Msg::Captured { job, values })
}
