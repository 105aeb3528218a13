//! A run of a cell in a few numbers, recorded or of this session: what figures and questions are made of.

use super::result::CellResult;
use crate::device::gpu_or_usual;
use crate::engine::recorded_lesson;
use crate::launch::Measure;
use crate::launch::{
    BaselineOutcome, CompileReport, Counts, Dim3, Engine, Evidence, RecordedCell, Timing, Work,
    recorded_counters,
};
use crate::lesson::cells::RunCell;
use crate::lesson::outline::Lesson;
use crate::lesson::sizes::Sizes;

/// A run of a cell, as far as figures need it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The cell's id.
    pub cell: String,
    /// The sizes it ran at: those that the cell uses, each with its value ([`RunCell::own_sizes`]).
    pub sizes: Sizes,
    /// Times of all launches together; their evidence says whether they are measured or recorded.
    pub timing: Option<Timing>,
    /// What NVIDIA's libraries took beside it.
    pub baselines: Vec<BaselineOutcome>,
    /// What was counted; nothing of a recording.
    pub counts: Option<Counts>,
    /// Bytes that could not be avoided, and operations; nothing where nobody counted.
    pub work: Option<Work>,
    /// Its launches, in order.
    pub launches: Vec<SampledLaunch>,
}

/// A launch of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledLaunch {
    /// Name of the kernel.
    pub kernel: String,
    /// Threads in a block.
    pub block: Dim3,
    /// Its times.
    pub timing: Option<Timing>,
    /// What was counted; nothing of a recording.
    pub counts: Option<Counts>,
    /// The hardware's own counters, in order of [`crate::launch::HARDWARE_COUNTERS`]; empty where nobody read
    /// them.
    pub hardware: Vec<Option<u64>>,
    /// What the compiler made of it, without its PTX.
    pub compiled: Option<CompileReport>,
    /// The same as [`Sample::work`], of this launch.
    pub work: Option<Work>,
}

impl Sample {
    /// A run of `cell` that came to its end; nothing of one that did not.
    pub fn of(cell: &RunCell, result: &CellResult) -> Option<Self> {
        let outcome = &result.outcome;
        // A wrong kernel's time or count would stand in a figure beside right ones.
        if !result.ok {
            return None;
        }
        let plan = cell
            .plan(&result.sizes, gpu_or_usual(&outcome.simulated))
            .ok()?;
        let is_counted = outcome.is_counted();
        // What was recorded of another kernel says nothing of this one.
        let is_stale = result.recorded.as_ref().is_some_and(|of| of.is_stale);
        let launches: Vec<SampledLaunch> = outcome
            .launches
            .iter()
            .map(|launch| SampledLaunch {
                kernel: launch.kernel.clone(),
                block: launch.block,
                timing: launch.real.timing.clone().filter(|_| !is_stale),
                counts: is_counted.then_some(launch.counts),
                // What is recorded of it is a sample of its own.
                hardware: match outcome.engine {
                    Engine::Gpu => launch.real.hardware.clone(),
                    Engine::Sim => Vec::new(),
                },
                compiled: launch.real.compiled.as_ref().map(without_ptx),
                work: is_counted.then(|| launch.work(&plan)),
            })
            .collect();
        let work = launches.iter().filter_map(|launch| launch.work);
        Some(Sample {
            cell: cell.id.clone(),
            sizes: cell.own_sizes(&result.sizes),
            timing: outcome.timing.clone().filter(|_| !is_stale),
            baselines: outcome.baselines.clone(),
            counts: is_counted.then(|| outcome.counts()),
            work: work.reduce(|sum, work| sum + work),
            launches,
        })
    }

    /// The runs of a recorded cell, which is a recording of `own`.
    fn recorded(own: &RunCell, cell: &RecordedCell) -> Vec<Self> {
        let runs = cell.runs.iter().map(|run| Sample {
            cell: cell.id.clone(),
            sizes: own.own_sizes(&run.sizes),
            timing: run.timing.clone(),
            baselines: run.baselines.clone(),
            counts: None,
            work: None,
            launches: run
                .launches
                .iter()
                .map(|launch| SampledLaunch {
                    kernel: launch.kernel.clone(),
                    block: launch.block,
                    timing: launch.timing.clone(),
                    counts: None,
                    hardware: recorded_counters(&launch.hardware),
                    compiled: launch.compiled.as_ref().map(without_ptx),
                    work: None,
                })
                .collect(),
        });
        runs.collect()
    }

    /// Of a run of `cell` that was timed, and nothing else.
    pub fn timed(cell: &RunCell, sizes: &Sizes, timing: Timing) -> Self {
        Sample {
            cell: cell.id.clone(),
            sizes: cell.own_sizes(sizes),
            timing: Some(timing),
            baselines: Vec::new(),
            counts: None,
            work: None,
            launches: Vec::new(),
        }
    }

    /// Times of a launch, or of all together.
    pub(crate) fn timing_of(&self, launch: Option<usize>) -> Option<&Timing> {
        match launch {
            Some(launch) => self.launches.get(launch)?.timing.as_ref(),
            None => self.timing.as_ref(),
        }
    }

    /// What was counted of a launch, or of all together.
    pub(crate) fn counts_of(&self, launch: Option<usize>) -> Option<&Counts> {
        match launch {
            Some(launch) => self.launches.get(launch)?.counts.as_ref(),
            None => self.counts.as_ref(),
        }
    }

    /// What the hardware counted for `measure` in a launch, or in all; nothing where it did not count it in
    /// each of them.
    pub(crate) fn hardware_of(
        &self,
        measure: Measure,
        launch: Option<usize>,
    ) -> Option<(u64, Evidence)> {
        let launches = match launch {
            Some(launch) => self.launches.get(launch..=launch)?,
            None => &self.launches[..],
        };
        if launches.is_empty() {
            return None;
        }
        let counts = launches.iter().map(|of| measure.of_hardware(&of.hardware));
        let evidence = match self.counts {
            Some(_) => Evidence::Profiled,
            None => Evidence::Recorded,
        };
        // A sum that lacks one launch would look like a small one.
        Some((counts.sum::<Option<u64>>()?, evidence))
    }

    /// Whether its times were measured in this session.
    pub fn is_measured(&self) -> bool {
        let timing = self.timing.as_ref();
        timing.is_some_and(|timing| timing.evidence == Evidence::Measured)
    }
}

fn without_ptx(report: &CompileReport) -> CompileReport {
    CompileReport {
        // Hundreds of kB that no figure shows, in every sample.
        ptx: String::new(),
        compiled_by: report.compiled_by.clone(),
        limited_by: report.limited_by.clone(),
        ..*report
    }
}

impl Lesson {
    /// What is recorded of it on the GPU called `id`, leaving out cells whose kernels have changed since.
    pub fn recorded_samples(&self, id: &str) -> Vec<Sample> {
        let gpu = gpu_or_usual(id);
        let recording = recorded_lesson(id, &self.id);
        let cells = recording.iter().flat_map(|recording| &recording.cells);
        let samples = cells.filter_map(|cell| {
            let own = self.run_cells().find(|own| own.id == cell.id)?;
            // Times of kernels as they were say nothing beside those as they are.
            (!own.is_stale(cell, gpu)).then(|| Sample::recorded(own, cell))
        });
        samples.flatten().collect()
    }
}
