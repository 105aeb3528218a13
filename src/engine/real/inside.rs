//! What a real GPU does inside a launch: texts that count their accesses or keep their values run on
//! it, and what they say is held against the simulated GPU.

use super::jobs::job;
use crate::compile::Fidelity;
use crate::engine::build::Built;
use crate::engine::options::{Control, Options, RunError};
use crate::engine::simulated::run;
use crate::gpu::{
    BufferRange, Gpu, GpuError, GpuRun, InstrumentError, instrument_accesses, instrument_values,
};
use crate::launch::{
    Captured, Comparison, CountedBoth, Counts, Ending, Evidence, Outcome, Plan, ROUNDING_ULPS,
    RecordedTrace, Trace, WARP_LANES, Watch, compare,
};

/// Why nothing was seen inside a launch.
#[derive(Debug, thiserror::Error)]
pub enum InsideError {
    /// The machine got something wrong.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The text cannot be instrumented.
    #[error(transparent)]
    Instrument(#[from] InstrumentError),
    /// The instrumented text did not run.
    #[error("the instrumented kernel did not run: {0}")]
    Gpu(String),
}

impl From<GpuError> for InsideError {
    fn from(error: GpuError) -> Self {
        InsideError::Gpu(match error {
            GpuError::Unavailable(why) => why.to_string(),
            GpuError::Failed(failure) => {
                let notes = failure.notes.join("; ");
                let help = failure.help.map(|help| format!("\n  {help}"));
                format!("{} ({notes}){}", failure.message, help.unwrap_or_default())
            }
            GpuError::Cancelled => "it was cancelled".to_owned(),
        })
    }
}

/// Accesses of each launch of `plan`, counted on the device and by the simulated GPU, both of the text
/// as it is written: before a compiler joins, moves or drops any.
pub fn count_on_gpu(
    plan: &Plan,
    options: &Options,
    control: &Control,
    gpu: &mut Gpu,
) -> Result<Vec<CountedBoth>, InsideError> {
    let as_written = Options {
        fidelity: Fidelity::AsWritten,
        ..options.plain()
    };
    let simulated = run(plan, &as_written, control)?;
    let mut all = Vec::new();
    for (index, launch) in plan.launches.iter().enumerate() {
        let source = instrument_accesses(&plan.sources[launch.source], &[&launch.kernel])?;
        let changed = source.plan(plan, index);
        let ran = run_untimed(&changed.plan, options, control, gpu)?;
        let counted = source.decode(&ran.buffers[changed.side_buffer], &plan.buffers);
        let simulated = simulated.launches.get(index);
        all.push(CountedBoth {
            device: counted.counts,
            simulated: simulated.map_or_else(Counts::default, |launch| launch.counts),
            uncounted: source.skipped.len(),
        });
    }
    Ok(all)
}

/// The values of one warp in each launch of `plan`, on the device and on the simulated GPU, whose
/// traces `outcome` has; nothing of launches without the warp.
pub fn compare_values(
    plan: &Plan,
    watch: Watch,
    outcome: &Outcome,
    (options, control): (&Options, &Control),
    gpu: &mut Gpu,
) -> Result<Vec<Option<Comparison>>, InsideError> {
    let launches = 0..plan.launches.len();
    let compared = launches.map(|index| {
        let launched = outcome.launches.get(index);
        let Some(simulated) = launched.and_then(|launch| launch.trace.as_ref()) else {
            return Ok(None);
        };
        let of = (plan, index);
        compare_launch(of, watch, simulated, (options, control), gpu)
    });
    compared.collect()
}

/// The values of one warp in launch `index` of `plan`, on the device and in its simulated trace; nothing
/// where the device kept none.
pub fn compare_launch(
    (plan, index): (&Plan, usize),
    watch: Watch,
    simulated: &Trace,
    (options, control): (&Options, &Control),
    gpu: &mut Gpu,
) -> Result<Option<Comparison>, InsideError> {
    let captured = capture(plan, (index, watch), (options, control), gpu)?;
    Ok(captured.map(|(real, device)| {
        let captured = Captured {
            trace: &real.trace,
            sites: &real.sites,
            device: &device,
            evidence: Evidence::Measured,
        };
        compare(simulated, captured, ROUNDING_ULPS)
    }))
}

/// The values of one warp in each launch of `plan` on the device; nothing of launches without the warp.
pub fn capture_values(
    plan: &Plan,
    watch: Watch,
    (options, control): (&Options, &Control),
    gpu: &mut Gpu,
) -> Result<Vec<Option<RecordedTrace>>, InsideError> {
    let launches = 0..plan.launches.len();
    launches
        .map(|index| {
            let captured = capture(plan, (index, watch), (options, control), gpu)?;
            Ok(captured.map(|(trace, _)| trace))
        })
        .collect()
}

/// The values of one warp in launch `index` of `plan`, and the name of the GPU.
fn capture(
    plan: &Plan,
    (index, watch): (usize, Watch),
    (options, control): (&Options, &Control),
    gpu: &mut Gpu,
) -> Result<Option<(RecordedTrace, String)>, InsideError> {
    let launch = &plan.launches[index];
    let blocks = watch.block.iter().zip(launch.grid);
    let threads: u32 = launch.block.iter().product();
    let first_thread = watch.warp.saturating_mul(WARP_LANES as u32);
    if blocks.into_iter().any(|(&at, blocks)| at >= blocks) || first_thread >= threads {
        return Ok(None);
    }
    let source = instrument_values(&plan.sources[launch.source], &[&launch.kernel])?;
    let changed = source.plan(plan, index, &[watch], options.trace_steps);
    let ran = run_untimed(&changed.plan, options, control, gpu)?;
    let sizes = plan.buffers.iter().map(|buffer| buffer.size_bytes() as u64);
    let ranges = ran.finished.addresses.iter().zip(sizes);
    let ranges: Vec<BufferRange> = ranges
        .map(|(&address, size_bytes)| BufferRange {
            address,
            size_bytes,
        })
        .collect();
    let mut traces = source
        .decode(&ran.buffers[changed.side_buffer], &ranges)
        .into_iter();
    Ok(traces.next().map(|trace| {
        let sites = source.sites();
        (RecordedTrace { trace, sites }, ran.finished.gpu.name)
    }))
}

/// Runs an instrumented plan once: its counts would add up.
fn run_untimed(
    plan: &Plan,
    options: &Options,
    control: &Control,
    gpu: &mut Gpu,
) -> Result<GpuRun, InsideError> {
    let options = options.plain();
    let mut outcome = Outcome::blank(&options.gpu);
    let built = Built::new(plan, &options, &mut outcome);
    let prepared = built.prepare(plan, &options, &mut outcome)?;
    if outcome.ending == Ending::Failed {
        let first = outcome.reports.first();
        let message = first.map_or("it was refused", |report| &report.diagnostic.message);
        return Err(InsideError::Gpu(message.to_owned()));
    }
    let job = job(plan, &built, &prepared, None);
    Ok(gpu.run(&job, control.cancel, &mut |_| {})?)
}
