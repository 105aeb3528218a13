//! What was measured on a real GPU at another time: one lesson on one GPU, with its provenance.
//!
//! A recording is a JSON file that a person can compare line by line with the one before it. Kernels'
//! PTX stands once in a cell; values that were captured stand in a short form
//! ([`RecordedTrace`]). Nothing here reads files or knows lessons.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    Agreement, BaselineOutcome, CompileReport, Dim3, Evidence, HARDWARE_COUNTERS, LaunchOutcome,
    Outcome, RecordedTrace, Timing,
};

/// The number of the format that is read and written. A field that may be missing needs no new one.
pub const RECORDING_FORMAT: u32 = 1;

/// A lesson, recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// [`RECORDING_FORMAT`].
    pub format: u32,
    /// The lesson's id.
    pub lesson: String,
    /// Where and when.
    pub provenance: Provenance,
    /// Its run cells, in order.
    pub cells: Vec<RecordedCell>,
}

/// Where and when something was measured. What could not be found out is nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Id of the GPU's row in the GPU table; its name in small letters where there is none.
    pub gpu: String,
    /// Its name, as the driver has it.
    pub device: String,
    /// Version of the driver, as in `580.95.05`.
    pub driver: Option<String>,
    /// The CUDA that the driver is for.
    pub cuda: String,
    /// Version of NVRTC.
    pub nvrtc: String,
    /// Its clocks.
    pub clocks_mhz: Clocks,
    /// The day, in UTC: `YYYY-MM-DD`.
    pub date: String,
    /// Version of this program.
    pub tutor: String,
    /// What was in the L2 cache when a timed run began: `flushed`, or `warm`.
    pub l2: String,
}

/// Clocks of a GPU, in MHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// The most that the SMs reach.
    pub sm_max: Option<u32>,
    /// The most that the memory reaches.
    pub memory_max: Option<u32>,
    /// Of the SMs while kernels were timed.
    pub sm: Option<u32>,
    /// Of the memory while kernels were timed.
    pub memory: Option<u32>,
}

/// A run cell, recorded at several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCell {
    /// The cell's id.
    pub id: String,
    /// Name of its kernels' file.
    pub source: String,
    /// Hash of it ([`super::KernelSource::sha256`]).
    pub sha256: String,
    /// Runs, those at the lesson's own sizes first.
    pub runs: Vec<RecordedRun>,
    /// What a warp of each launch did in the first run; nothing of launches without it.
    pub values: Vec<Option<RecordedTrace>>,
    /// What could not be recorded, and why.
    pub notes: Vec<String>,
    /// PTX texts, line by line.
    pub ptx: Vec<Vec<String>>,
}

/// A run of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// The sizes that were chosen, by name.
    pub sizes: BTreeMap<String, u64>,
    /// Times of all launches together.
    pub timing: Option<Timing>,
    /// Largest difference of an element of the output to its reference, where there is one.
    pub max_abs_error: Option<f64>,
    /// How far its buffers were from those of the simulated GPU.
    pub agreement: Vec<Agreement>,
    /// What NVIDIA's libraries took in the same run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<BaselineOutcome>,
    /// Its launches, in order.
    pub launches: Vec<RecordedLaunch>,
}

/// A launch of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedLaunch {
    /// Name of the kernel.
    pub kernel: String,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Its times.
    pub timing: Option<Timing>,
    /// What the compiler made of it; its PTX stands in the cell.
    pub compiled: Option<CompileReport>,
    /// Index into [`RecordedCell::ptx`].
    pub ptx: Option<usize>,
    /// What the hardware counted, by the names of [`HARDWARE_COUNTERS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hardware: BTreeMap<String, u64>,
    /// The same of Triton's own code for the launch.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub triton: BTreeMap<String, u64>,
}

/// What is recorded of a cell, beside a run of it on the simulated GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Where and when.
    pub provenance: Arc<Provenance>,
    /// The cell.
    pub cell: Arc<RecordedCell>,
    /// Whether its kernels or launches have changed since.
    pub is_stale: bool,
    /// The run at exactly these sizes: an index into [`RecordedCell::runs`].
    pub run: Option<usize>,
}

/// Why a text is no recording.
#[derive(Debug, Error)]
pub enum NoRecording {
    /// It is something else, or has been cut.
    #[error("it is no recording: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// Another version of the program wrote it.
    #[error("its format is {0}, and this program reads {RECORDING_FORMAT}")]
    Format(u32),
}

impl Recording {
    /// Reads what [`Self::text`] wrote.
    pub fn read(text: &[u8]) -> Result<Self, NoRecording> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        // First the number alone: a newer format need not have the fields that this one has.
        let head: Head = serde_json::from_slice(text)?;
        match head.format {
            RECORDING_FORMAT => Ok(serde_json::from_slice(text)?),
            other => Err(NoRecording::Format(other)),
        }
    }

    /// Its file's text.
    pub fn text(&self) -> Result<String, NoRecording> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

impl RecordedCell {
    /// Adds a run at `sizes` that a real GPU made and that was found to be right.
    pub fn add(
        &mut self,
        sizes: &BTreeMap<String, u64>,
        outcome: &Outcome,
        max_abs_error: Option<f64>,
    ) {
        let launches = outcome.launches.iter();
        let launches = launches.map(|launch| self.launch(launch)).collect();
        self.runs.push(RecordedRun {
            sizes: sizes.clone(),
            timing: recorded(outcome.timing.as_ref()),
            max_abs_error,
            agreement: outcome.agreement.clone(),
            baselines: outcome.baselines.iter().map(kept_baseline).collect(),
            launches,
        });
    }

    fn launch(&mut self, launch: &LaunchOutcome) -> RecordedLaunch {
        let mut compiled = launch.real.compiled.clone();
        let ptx = compiled.as_mut().map(|report| {
            let lines: Vec<String> = report.ptx.lines().map(str::to_owned).collect();
            report.ptx = String::new();
            // Launches of one kernel share their PTX, which is most of a recording.
            let known = self.ptx.iter().position(|text| *text == lines);
            known.unwrap_or_else(|| {
                self.ptx.push(lines);
                self.ptx.len() - 1
            })
        });
        RecordedLaunch {
            kernel: launch.kernel.clone(),
            grid: launch.grid,
            block: launch.block,
            timing: recorded(launch.real.timing.as_ref()),
            compiled,
            ptx,
            hardware: by_name(&launch.real.hardware),
            triton: by_name(&launch.real.triton),
        }
    }

    /// What the compiler made of a launch, with its PTX.
    pub fn compiled(&self, launch: &RecordedLaunch) -> Option<CompileReport> {
        let ptx = launch.ptx.and_then(|at| self.ptx.get(at));
        let mut report = launch.compiled.clone()?;
        report.ptx = ptx.map_or_else(String::new, |lines| lines.join("\n") + "\n");
        Some(report)
    }
}

/// Values of [`HARDWARE_COUNTERS`], in that order, as they are recorded.
fn by_name(counters: &[Option<u64>]) -> BTreeMap<String, u64> {
    let counters = HARDWARE_COUNTERS.iter().zip(counters);
    counters
        .filter_map(|(counter, value)| Some((counter.name.to_owned(), (*value)?)))
        .collect()
}

/// Recorded values in order of [`HARDWARE_COUNTERS`]; empty where nobody asked for any.
pub fn recorded_counters(by_name: &BTreeMap<String, u64>) -> Vec<Option<u64>> {
    let counters = HARDWARE_COUNTERS.iter().filter(|_| !by_name.is_empty());
    let values = counters.map(|counter| by_name.get(counter.name).copied());
    values.collect()
}

impl RecordedLaunch {
    /// Whether it launched the kernel of `launch`, in the same shape.
    pub fn is_of(&self, kernel: &str, grid: Dim3, block: Dim3) -> bool {
        (self.kernel.as_str(), self.grid, self.block) == (kernel, grid, block)
    }
}

impl Recorded {
    /// The run at exactly these sizes.
    pub fn this_run(&self) -> Option<&RecordedRun> {
        self.cell.runs.get(self.run?)
    }
}

fn kept_baseline(baseline: &BaselineOutcome) -> BaselineOutcome {
    BaselineOutcome {
        // A file of another machine says nothing here.
        library: None,
        timing: recorded(baseline.timing.as_ref()),
        ..baseline.clone()
    }
}

/// Times as they are kept: whoever reads them did not measure them.
fn recorded(timing: Option<&Timing>) -> Option<Timing> {
    timing.map(|timing| Timing {
        evidence: Evidence::Recorded,
        ..timing.clone()
    })
}
