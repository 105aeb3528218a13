//! What is recorded of a lesson: the sizes it is recorded at, and recordings beside what ran.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::result::CellResult;
use crate::device::{Gpu, gpu_or_usual};
use crate::engine::recorded_lesson;
use crate::launch::{
    Captured, Engine, Evidence, KernelSource, Launch, Outcome, ROUNDING_ULPS, Recorded,
    RecordedCell, RecordedLaunch, RecordedRun, Recording, compare, recorded_counters,
};
use crate::lesson::cells::{FigureKind, LineFigure, Quantity, RunCell};
use crate::lesson::outline::{Lesson, RecordedSizes};
use crate::lesson::sizes::{Sizes, defaults};

impl Lesson {
    /// The sizes to record `cell` at, the defaults first: of those of the lesson that are the same for the cell, the
    /// first.
    pub fn recordings_of(&self, cell: &RunCell) -> Vec<RecordedSizes> {
        let is_of_cell = |of: &&RecordedSizes| of.cells.is_empty() || of.cells.contains(&cell.id);
        let mut all = vec![RecordedSizes {
            sizes: defaults(&self.sizes),
            cells: Vec::new(),
            is_counted: true,
        }];
        all.extend(self.recordings.iter().filter(is_of_cell).cloned());
        let mut seen = BTreeSet::new();
        // Sizes that differ only in what the cell does not use are the same run: it is timed once.
        all.retain(|of| seen.insert(cell.own_sizes(&of.sizes)));
        all
    }

    /// The same sizes alone.
    pub fn recorded_sizes_of(&self, cell: &RunCell) -> Vec<Sizes> {
        let all = self.recordings_of(cell).into_iter();
        all.map(|of| of.sizes).collect()
    }

    /// Whether a figure plots something of `cell` that the hardware has counters for.
    pub fn plots_hardware(&self, cell: &RunCell) -> bool {
        self.figures().any(|figure| match &figure.kind {
            FigureKind::Lines(LineFigure {
                y: Quantity::Count(measure),
                ..
            }) => measure.is_on_hardware() && figure.cells().contains(&cell.id.as_str()),
            _ => false,
        })
    }
}

impl RunCell {
    /// Puts what is recorded of this cell of a lesson on the GPU that was simulated beside `result`, and into
    /// it what is recorded at its sizes. What a real GPU gave stays alone.
    pub fn with_recorded(&self, lesson: &str, result: CellResult) -> CellResult {
        if result.outcome.engine == Engine::Gpu {
            return result;
        }
        match recorded_lesson(&result.outcome.simulated, lesson) {
            Some(recording) => self.with_recording(recording, result),
            None => result,
        }
    }

    /// The same from one recording. Of its sizes those stand in the result that the cell uses: only they
    /// decide which run is at the same ones.
    pub fn with_recording(&self, recording: Recording, mut result: CellResult) -> CellResult {
        let mut cells = recording.cells.into_iter();
        let Some(mut cell) = cells.find(|cell| cell.id == self.id) else {
            return result;
        };
        let is_stale = self.is_stale(&cell, gpu_or_usual(&recording.provenance.gpu));
        for run in &mut cell.runs {
            run.sizes = self.own_sizes(&run.sizes);
        }
        let sizes = self.own_sizes(&result.sizes);
        let recorded = Recorded {
            is_stale,
            run: cell.runs.iter().position(|run| run.sizes == sizes),
            provenance: Arc::new(recording.provenance),
            cell: Arc::new(cell),
        };
        fill(&recorded, &mut result.outcome);
        result.recorded = Some(recorded);
        result
    }

    /// A recording of this cell that has nothing in it yet.
    pub fn empty_recording(&self) -> RecordedCell {
        RecordedCell {
            id: self.id.clone(),
            source: self.source.name().to_owned(),
            sha256: self.source_sha256(),
            runs: Vec::new(),
            values: Vec::new(),
            notes: Vec::new(),
            ptx: Vec::new(),
        }
    }

    fn source_sha256(&self) -> String {
        let source = KernelSource::new(self.source.clone(), Vec::new());
        source.sha256()
    }

    /// Whether `cell`, recorded on `gpu`, was of other kernels or launches than this cell's.
    pub fn is_stale(&self, cell: &RecordedCell, gpu: &Gpu) -> bool {
        let is_same = |(launch, recorded): (&Launch, &RecordedLaunch)| {
            recorded.is_of(&launch.kernel, launch.grid, launch.block)
        };
        let has_launches = |run: &RecordedRun| {
            let plan = self.plan(&run.sizes, gpu);
            // The text is not all: a grid that a formula now gives otherwise is another launch.
            plan.is_ok_and(|plan| {
                let mut pairs = plan.launches.iter().zip(&run.launches);
                plan.launches.len() == run.launches.len() && pairs.all(is_same)
            })
        };
        cell.sha256 != self.source_sha256() || !cell.runs.iter().all(has_launches)
    }
}

/// Puts what is recorded at these sizes into an outcome of the simulated GPU: times, and what no longer
/// means anything once the kernel has changed only where it has not.
fn fill(recorded: &Recorded, outcome: &mut Outcome) {
    let Some(run) = recorded.this_run() else {
        return;
    };
    outcome.timing.clone_from(&run.timing);
    outcome.baselines.clone_from(&run.baselines);
    let is_counted = outcome.is_counted();
    if let Some(first) = outcome.launches.first_mut().filter(|_| is_counted) {
        // Nothing ran before it: its caches were as empty as a profiler makes them.
        first.real.flushed = Some(first.counts);
    }
    let pairs = outcome.launches.iter_mut().zip(&run.launches);
    for (launch, of) in pairs.filter(|(launch, of)| launch.kernel == of.kernel) {
        launch.real.timing.clone_from(&of.timing);
        if !recorded.is_stale {
            launch.real.compiled = recorded.cell.compiled(of);
            launch.real.hardware = recorded_counters(&of.hardware);
            launch.real.triton = recorded_counters(&of.triton);
        }
    }
    if recorded.is_stale {
        return;
    }
    outcome.agreement.clone_from(&run.agreement);
    // Values are captured in the first run alone, the one at the lesson's own sizes.
    if recorded.run == Some(0) {
        compare_values(recorded, outcome);
    }
}

/// Holds the traces of an outcome against the recorded values of the same warps.
fn compare_values(recorded: &Recorded, outcome: &mut Outcome) {
    for (launch, real) in outcome.launches.iter_mut().zip(&recorded.cell.values) {
        if let (Some(simulated), Some(real)) = (&launch.trace, real)
            && simulated.watch == real.trace.watch
        {
            let captured = Captured {
                trace: &real.trace,
                sites: &real.sites,
                device: &recorded.provenance.device,
                evidence: Evidence::Recorded,
            };
            launch.real.compared = Some(compare(simulated, captured, ROUNDING_ULPS));
        }
    }
}
