//! Times the points of a figure one after the other, but for those that are in the table.

use std::time::{Duration, Instant};

use super::operations::Operation;
use super::table::{Row, RunTable};
use crate::cli::output::{Output, Stop};
use crate::cli::run::{failed, refusal};
use crate::device::{self, DEFAULT_GPU, gpu_or_usual};
use crate::document::faults;
use crate::engine::{Control, OnGpu, Options, run_on_gpu};
use crate::gpu::{FoundGpu, Gpu, TimingChoice};
use crate::launch::KernelSource;
use crate::lesson::{CellResult, Sample, SweepPoint, sizes_named};

/// A sweep on a GPU.
pub(super) struct Sweep<'a> {
    pub gpu: Gpu,
    pub found: FoundGpu,
    pub table: RunTable,
    pub output: &'a Output,
}

impl Sweep<'_> {
    /// Times all points; what came of them, and whether each was right.
    pub fn run(&mut self, operation: &Operation) -> Result<(Vec<Sample>, bool), Stop> {
        let points = operation.figure.sweep(&operation.lesson, self.row());
        let mut samples = Vec::new();
        let mut is_right = true;
        let mut left = TimeLeft::new(points.iter().filter(|point| !self.is_known(point)).count());
        self.output.progress.begin();
        for point in &points {
            let mut row = self.blank(point);
            if let Some(known) = self.table.find(&row) {
                samples.push(sample(point, known));
                continue;
            }
            self.output
                .progress
                .text(&left.line(&operation.name, point));
            let begun = Instant::now();
            let result = self.time(point)?;
            left.one_took(begun.elapsed());
            let faults = faults(&result);
            match &result.outcome.timing {
                Some(timing) if faults.is_empty() => {
                    row.set(timing);
                    samples.push(sample(point, &row));
                    self.table.add(row).map_err(failed)?;
                }
                _ => {
                    is_right = false;
                    self.output.progress.clear();
                    let (cell, sizes) = (&point.cell.id, sizes_named(&point.sizes));
                    let why = faults.join("; ");
                    self.output
                        .message(&format!("error: {cell} at {sizes}: {why}"));
                }
            }
        }
        self.output.progress.clear();
        Ok((samples, is_right))
    }

    /// The GPU's row of the table; of one that is not there, that of the usual one.
    fn row(&self) -> &'static device::Gpu {
        let row = self.found.row();
        row.unwrap_or_else(|| gpu_or_usual(DEFAULT_GPU))
    }

    fn is_known(&self, point: &SweepPoint) -> bool {
        self.table.find(&self.blank(point)).is_some()
    }

    /// The row of a point, without times.
    fn blank(&self, point: &SweepPoint) -> Row {
        let own = point.cell.own_sizes(&point.sizes);
        let sizes = own.iter().map(|(name, value)| format!("{name}={value}"));
        let source = KernelSource::new(point.cell.source.clone(), Vec::new());
        Row {
            device: self.found.name.clone(),
            cell: point.cell.id.clone(),
            kernels: source.sha256(),
            sizes: sizes.collect::<Vec<_>>().join(" "),
            median_ms: 0.0,
            p20_ms: 0.0,
            p80_ms: 0.0,
            runs: 0,
        }
    }

    /// Runs a point: its output is held against the reference, and nothing is counted.
    fn time(&mut self, point: &SweepPoint) -> Result<CellResult, Stop> {
        let gpu = self.row();
        let mut plan = point.cell.plan(&point.sizes, gpu).map_err(failed)?;
        // What others take is recorded: a sweep of theirs would take several times as long.
        plan.baselines.clear();
        let options = Options {
            gpu: gpu.id.clone(),
            ..Options::default()
        };
        let on = OnGpu {
            gpu: &mut self.gpu,
            timing: Some(TimingChoice::Flushed),
            counters: false,
            runs_python: false,
            or_simulate: false,
            is_counted: false,
            stage: &mut |_| {},
        };
        let ran = run_on_gpu(&plan, &options, &Control::default(), on).map_err(failed)?;
        let outcome = ran.map_err(|why| refusal(&why))?;
        Ok(point.cell.check_outcome(&point.sizes, outcome))
    }
}

fn sample(point: &SweepPoint, row: &Row) -> Sample {
    Sample::timed(point.cell, &point.sizes, row.timing())
}

/// How long a sweep will still take, by what its runs took so far.
struct TimeLeft {
    all: usize,
    done: usize,
    spent: Duration,
}

impl TimeLeft {
    fn new(all: usize) -> Self {
        TimeLeft {
            all,
            done: 0,
            spent: Duration::ZERO,
        }
    }

    fn one_took(&mut self, time: Duration) {
        self.done += 1;
        self.spent += time;
    }

    /// `softmax: fused at M = 4,096, N = 256 (3 of 99), about 40 s left`.
    fn line(&self, operation: &str, point: &SweepPoint) -> String {
        let (cell, sizes) = (&point.cell.id, sizes_named(&point.sizes));
        let (now, all) = (self.done + 1, self.all);
        let line = format!("{operation}: {cell} at {sizes} ({now} of {all})");
        match self.seconds() {
            Some(seconds) => format!("{line}, about {seconds} s left"),
            None => line,
        }
    }

    /// Nothing is known before the first run.
    fn seconds(&self) -> Option<u64> {
        let of_one = self.spent.checked_div(u32::try_from(self.done).ok()?)?;
        let left = of_one * u32::try_from(self.all - self.done).ok()?;
        Some(left.as_secs_f64().ceil() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_runs_so_far() {
        let mut left = TimeLeft::new(4);
        assert_eq!(left.seconds(), None);
        left.one_took(Duration::from_secs(2));
        assert_eq!(left.seconds(), Some(6));
        left.one_took(Duration::from_secs(4));
        assert_eq!(left.seconds(), Some(6));
    }
}
