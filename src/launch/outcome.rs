//! What came back from a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    AccessCounts, Agreement, BaselineOutcome, BufferValues, CountedBoth, Counts, Dim3,
    HARDWARE_COUNTERS, HardwareCounter, Launch, LineCounts, Plan, TileProgram, Timing, Trace,
    TraceComparison, Work,
};
use crate::source::{Diagnostic, Severity};

/// Who ran it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The simulated GPU.
    Sim,
    /// A real one.
    Gpu,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every launch ran to its end.
    Finished,
    /// An error, which [`Outcome::reports`] tells.
    Failed,
    /// A launch took more instructions than the simulated GPU grants one; a report says where it was.
    /// A real GPU may have run it to its end all the same: see [`Outcome::is_counted`].
    Exhausted,
    /// It uses what the simulated GPU does not have, which a report tells. A real GPU may have run it: nothing is counted.
    HardwareOnly,
    /// Somebody asked it to stop.
    Cancelled,
}

/// What a kernel became when it was compiled for a real GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompileReport {
    /// What compiled it, as in `NVRTC 13.0`.
    pub compiled_by: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block that the source declares with its size.
    pub static_shared_bytes: u32,
    /// Local memory of a thread: arrays that are indexed at run time, and registers that were spilled.
    pub local_bytes: u32,
    /// Constant memory.
    pub constant_bytes: u32,
    /// Most threads of a block that it can be launched with.
    pub max_threads: u32,
    /// Blocks of this launch that an SM holds at a time.
    pub blocks_per_sm: u32,
    /// Warps of an SM that these blocks fill, of those it can hold, between 0 and 1; nothing where the
    /// GPU's compute capability is not in the table.
    pub occupancy: Option<f64>,
    /// What keeps more blocks from it: `warps`, `registers`, `shared` or `blocks`.
    pub limited_by: Vec<String>,
    /// Its PTX; in a recording it stands apart, once for all launches.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ptx: String,
}

/// A diagnostic and the file it points into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Index into [`super::Plan::sources`].
    pub source: usize,
    /// What is to be said.
    pub diagnostic: Diagnostic,
}

/// Distinct elements of one buffer that one launch touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFootprint {
    /// Index into [`super::Plan::buffers`].
    pub buffer: usize,
    /// Elements loaded at least once.
    pub loaded: u64,
    /// Elements stored at least once.
    pub stored: u64,
    /// Elements up to the last one touched.
    pub end: u64,
}

/// What is known of a launch on a real GPU; of the parts that nobody asked for, nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealLaunch {
    /// Its times.
    pub timing: Option<Timing>,
    /// What a real GPU's compiler made of the kernel.
    pub compiled: Option<CompileReport>,
    /// What the hardware counted, in order of [`super::HARDWARE_COUNTERS`]; empty where nobody asked.
    pub hardware: Vec<Option<u64>>,
    /// The same of Triton's own code for the launch; empty where nobody asked.
    pub triton: Vec<Option<u64>>,
    /// Counts of the same launch with empty caches, which a profiler gives the hardware; where its
    /// counters were read.
    pub flushed: Option<Counts>,
    /// Accesses that a real GPU and the simulated one counted, where somebody asked.
    pub counted: Option<CountedBoth>,
    /// Values of the watched warp on a real GPU beside the simulated one, where somebody asked.
    pub compared: Option<TraceComparison>,
}

/// What one launch did.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchOutcome {
    /// Name of the kernel.
    pub kernel: String,
    /// Index into [`super::Plan::sources`].
    pub source: usize,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Counts in total; distinct elements are summed over the buffers.
    pub counts: Counts,
    /// Counts by line, in order of lines; lines that did nothing are left out.
    pub lines: Vec<LineCounts>,
    /// Counts of each load and store of the source, in order of its text; those that did nothing
    /// are left out.
    pub accesses: Vec<AccessCounts>,
    /// Distinct elements by buffer; buffers that were not touched are left out.
    pub footprints: Vec<BufferFootprint>,
    /// Values of the watched warp, where one was asked for and exists.
    pub trace: Option<Trace>,
    /// Lines that the kernel printed, in order of blocks.
    pub printed: Vec<String>,
    /// What is known of it on a real GPU.
    pub real: RealLaunch,
    /// Of a kernel of tiles, what one thread does.
    pub tiles: Option<Arc<TileProgram>>,
}

impl LaunchOutcome {
    /// The hardware's counters, where they were read: each with its value and ours, both with empty caches.
    /// What either of them lacks is nothing: where nobody ran the launch with empty caches, ours of them.
    pub fn hardware_and_ours(
        &self,
    ) -> impl Iterator<Item = (&'static HardwareCounter, Option<u64>, Option<u64>)> {
        let pairs = HARDWARE_COUNTERS.iter().zip(&self.real.hardware);
        pairs.map(|(counter, &hardware)| {
            let ours = match &self.real.flushed {
                Some(counts) => counter.measure.of(counts),
                // Ours with warm caches would differ for a reason that is no error of the model.
                None if counter.depends_on_caches() => None,
                None => counter.measure.of(&self.counts),
            };
            (counter, hardware, ours)
        })
    }

    /// Bytes of the plan's buffers that it cannot avoid moving, and its operations.
    pub fn work(&self, plan: &Plan) -> Work {
        let bytes = |footprint: &BufferFootprint| {
            let buffer = plan.buffers.get(footprint.buffer);
            // Footprints count elements, whatever their type; traffic is held against bytes.
            let size = buffer.map_or(0, |buffer| buffer.element.size_bytes() as u64);
            (footprint.loaded + footprint.stored) * size
        };
        let distinct = self.footprints.iter().map(bytes).sum();
        Work::new(distinct, &self.counts)
    }

    /// A launch of which nothing is known.
    pub fn blank(launch: &Launch) -> Self {
        LaunchOutcome {
            kernel: launch.kernel.clone(),
            source: launch.source,
            grid: launch.grid,
            block: launch.block,
            counts: Counts::default(),
            lines: Vec::new(),
            accesses: Vec::new(),
            footprints: Vec::new(),
            trace: None,
            printed: Vec::new(),
            real: RealLaunch::default(),
            tiles: None,
        }
    }
}

/// What a whole plan did.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Who ran it.
    pub engine: Engine,
    /// Which GPU was simulated, or ran it: an id of the GPU table, or its name if it is not there.
    pub gpu: String,
    /// Which GPU was simulated: an id of the GPU table. Beside a real one it gives the counts.
    pub simulated: String,
    /// How it ended.
    pub ending: Ending,
    /// The launches that ran, in order; the last one may have been cut short.
    pub launches: Vec<LaunchOutcome>,
    /// All buffers as they are in the end; empty where nothing ran.
    pub buffers: Vec<BufferValues>,
    /// Errors and warnings.
    pub reports: Vec<Report>,
    /// Times of all launches together, on a real GPU.
    pub timing: Option<Timing>,
    /// How far the buffers of a real GPU are from those of the simulated one, buffer by buffer; nothing
    /// where only one of them ran.
    pub agreement: Vec<Agreement>,
    /// What came of each of the plan's baselines; empty where nothing was timed.
    pub baselines: Vec<BaselineOutcome>,
}

impl Outcome {
    /// Of nothing that ran, where the GPU called `gpu` is simulated.
    pub fn blank(gpu: &str) -> Self {
        Outcome {
            engine: Engine::Sim,
            gpu: gpu.to_owned(),
            simulated: gpu.to_owned(),
            ending: Ending::Finished,
            launches: Vec::new(),
            buffers: Vec::new(),
            reports: Vec::new(),
            timing: None,
            agreement: Vec::new(),
            baselines: Vec::new(),
        }
    }

    /// Lines that all launches printed, in order.
    pub fn printed(&self) -> impl Iterator<Item = &str> {
        let launches = self.launches.iter();
        launches.flat_map(|launch| launch.printed.iter().map(String::as_str))
    }

    /// Whether the counts, if any, are the simulated GPU's; not of what only a real one ran to its end, or can run.
    pub fn is_counted(&self) -> bool {
        match self.ending {
            Ending::HardwareOnly => false,
            // A real GPU went on where the simulated one gave up: its counts are of a part only.
            Ending::Exhausted => self.engine == Engine::Sim,
            Ending::Finished | Ending::Failed | Ending::Cancelled => true,
        }
    }

    /// Whether something is wrong, or may be: a remark is said of what is right.
    pub fn has_warnings(&self) -> bool {
        let mut reports = self.reports.iter();
        reports.any(|report| report.diagnostic.severity < Severity::Remark)
    }

    /// Counts of all launches together.
    pub fn counts(&self) -> Counts {
        self.launches
            .iter()
            .fold(Counts::default(), |sum, launch| sum + launch.counts)
    }
}

impl Outcome {
    /// Counts of each load and store of one source, over all launches, in order of its text.
    pub fn accesses(&self, source: usize) -> Vec<AccessCounts> {
        let mut by_place = BTreeMap::new();
        let launches = self
            .launches
            .iter()
            .filter(|launch| launch.source == source);
        for access in launches.flat_map(|launch| &launch.accesses) {
            by_place
                .entry((access.span.start, access.span.end, access.kind))
                // Distinct elements do not add up over launches, and accesses have none.
                .and_modify(|sum: &mut AccessCounts| {
                    sum.global += access.global;
                    sum.shared += access.shared;
                })
                .or_insert(*access);
        }
        by_place.into_values().collect()
    }
}

/// How far a run is. Sent some sixty times a second while it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Index of the launch that is running.
    pub launch: usize,
    /// Blocks that have ended.
    pub blocks_done: u64,
    /// Blocks in the grid.
    pub blocks: u64,
    /// Counts of this launch so far.
    pub counts: Counts,
    /// The same by line.
    pub lines: Vec<LineCounts>,
}
