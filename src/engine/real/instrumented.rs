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
    AccessKind, Captured, CountedBoth, Counts, Ending, Evidence, GlobalCounts, LaunchOutcome,
    Outcome, Plan, ROUNDING_ULPS, RecordedTrace, SharedCounts, Trace, TraceComparison, WARP_LANES,
    Watch, compare,
};
use crate::source::Diagnostic;

/// Why nothing was seen inside a launch.
#[derive(Debug, thiserror::Error)]
pub enum InstrumentedError {
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

impl From<GpuError> for InstrumentedError {
    fn from(error: GpuError) -> Self {
        InstrumentedError::Gpu(match error {
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

/// What the simulated GPU counts of a launch but for the accesses that the device does not count, as those of
/// `wmma::load_matrix_sync`, whose text is a header's.
fn countable(launch: &LaunchOutcome, skipped: &[Diagnostic]) -> Counts {
    let of = |kind| {
        let accesses = launch
            .accesses
            .iter()
            .filter(move |access| access.kind == kind);
        let counted =
            accesses.filter(|access| !skipped.iter().any(|skipped| skipped.span() == access.span));
        counted.fold(
            (GlobalCounts::default(), SharedCounts::default()),
            |(global, shared), access| (global + access.global, shared + access.shared),
        )
    };
    let mut counts = launch.counts;
    let distinct = [counts.global_load, counts.global_store].map(|counts| counts.distinct_elements);
    (counts.global_load, counts.shared_load) = of(AccessKind::Load);
    (counts.global_store, counts.shared_store) = of(AccessKind::Store);
    // Elements that two accesses touch are one.
    counts.global_load.distinct_elements = distinct[0];
    counts.global_store.distinct_elements = distinct[1];
    counts
}

/// A plan whose launches run on a real GPU with instrumented texts.
pub struct InstrumentedRun<'a> {
    /// The plan, as it is written.
    pub plan: &'a Plan,
    /// Of the simulated GPU beside it, and how many steps of a warp are kept.
    pub options: &'a Options,
    /// How to stop it.
    pub control: &'a Control<'a>,
    /// The GPU.
    pub gpu: &'a mut Gpu,
}

impl InstrumentedRun<'_> {
    /// Accesses of each launch, counted on the device and by the simulated GPU, both of the text as it is
    /// written: before a compiler joins, moves or drops any.
    pub fn count_accesses(&mut self) -> Result<Vec<CountedBoth>, InstrumentedError> {
        let plan = self.plan;
        let as_written = Options {
            // The rewritten source makes every access that is written, joined by no compiler: so must the count
            // beside it.
            fidelity: Fidelity::AsWritten,
            ..self.options.plain()
        };
        let simulated = run(plan, &as_written, self.control)?;
        let mut all = Vec::new();
        for (index, launch) in plan.launches.iter().enumerate() {
            // A source for each launch: it counts one kernel, whatever else the file has.
            let source = instrument_accesses(&plan.sources[launch.source], &[&launch.kernel])?;
            let changed = source.plan(plan, index);
            let ran = self.run_untimed(&changed.plan)?;
            let counted = source.decode(&ran.buffers[changed.side_buffer], &plan.buffers);
            let simulated = simulated.launches.get(index);
            let countable = |launch| countable(launch, &source.skipped);
            all.push(CountedBoth {
                device: counted.counts,
                simulated: simulated.map_or_else(Counts::default, countable),
                uncounted: source.skipped.len(),
            });
        }
        Ok(all)
    }

    /// The values of one warp in each launch, on the device and on the simulated GPU, whose traces
    /// `outcome` has; nothing of launches without the warp.
    pub fn compare_values(
        &mut self,
        watch: Watch,
        outcome: &Outcome,
    ) -> Result<Vec<Option<TraceComparison>>, InstrumentedError> {
        let launches = 0..self.plan.launches.len();
        let compared = launches.map(|index| {
            let launched = outcome.launches.get(index);
            match launched.and_then(|launch| launch.trace.as_ref()) {
                Some(simulated) => self.compare_launch(index, watch, simulated),
                None => Ok(None),
            }
        });
        compared.collect()
    }

    /// The values of one warp in launch `index`, on the device and in its simulated trace; nothing where
    /// the device kept none.
    pub fn compare_launch(
        &mut self,
        index: usize,
        watch: Watch,
        simulated: &Trace,
    ) -> Result<Option<TraceComparison>, InstrumentedError> {
        let captured = self.capture(index, watch)?;
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

    /// The values of one warp in each launch on the device; nothing of launches without the warp.
    pub fn capture_values(
        &mut self,
        watch: Watch,
    ) -> Result<Vec<Option<RecordedTrace>>, InstrumentedError> {
        let launches = 0..self.plan.launches.len();
        let captured = launches.map(|index| {
            let captured = self.capture(index, watch)?;
            Ok(captured.map(|(trace, _)| trace))
        });
        captured.collect()
    }

    /// The values of one warp in launch `index`, and the name of the GPU.
    fn capture(
        &mut self,
        index: usize,
        watch: Watch,
    ) -> Result<Option<(RecordedTrace, String)>, InstrumentedError> {
        let plan = self.plan;
        let launch = &plan.launches[index];
        let blocks = watch.block.iter().zip(launch.grid);
        let threads: u32 = launch.block.iter().product();
        // A number from a link or a recording may be any.
        let first_thread = watch.warp.saturating_mul(WARP_LANES as u32);
        if blocks.into_iter().any(|(&at, blocks)| at >= blocks) || first_thread >= threads {
            return Ok(None);
        }
        let source = instrument_values(&plan.sources[launch.source], &[&launch.kernel])?;
        let changed = source.plan(plan, index, &[watch], self.options.trace_steps);
        let ran = self.run_untimed(&changed.plan)?;
        // An address on the device means nothing here: it is told by the buffer that it lies in.
        let addresses = ran.finished.addresses.iter().zip(&plan.buffers);
        let ranges = addresses.map(|(&address, buffer)| BufferRange {
            address,
            size_bytes: buffer.size_bytes() as u64,
        });
        let ranges: Vec<BufferRange> = ranges.collect();
        let traces = source.decode(&ran.buffers[changed.side_buffer], &ranges);
        Ok(traces.into_iter().next().map(|trace| {
            let sites = source.sites();
            (RecordedTrace { trace, sites }, ran.finished.gpu.name)
        }))
    }

    /// Runs an instrumented plan once: timed runs come several times, and their counts would add up.
    fn run_untimed(&mut self, plan: &Plan) -> Result<GpuRun, InstrumentedError> {
        let options = self.options.plain();
        let mut outcome = Outcome::blank(&options.gpu);
        let built = Built::new(plan, &options, self.control.cancel, &mut outcome);
        let ready = built.prepare(plan, &options, &mut outcome)?;
        if outcome.ending != Ending::Finished {
            let first = outcome.reports.first();
            let message = first.map_or("it was refused", |report| &report.diagnostic.message);
            return Err(InstrumentedError::Gpu(message.to_owned()));
        }
        let job = job(&ready, None);
        Ok(self.gpu.run(&job, self.control.cancel, &mut |_| {})?)
    }
}
