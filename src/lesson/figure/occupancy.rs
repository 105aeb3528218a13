//! Active warps of an SM over what a block takes: three curves, as NVIDIA's calculator draws them.

use super::plot::{Axis, Plot, Point, Series, Shape};
use super::sources::Sources;
use crate::device::{ComputeCapability, Limit, Occupancy, grouped, occupancy};
use crate::launch::{CompileReport, Evidence, Launch};
use crate::lesson::cells::{FigureCell, OccupancyFigure, Scale};
use crate::lesson::run::Sample;
use crate::lesson::sizes::Sizes;

/// Registers of a thread where no compiler has said how many it takes.
const ASSUMED_REGISTERS: u32 = 32;
/// Threads of a block where nobody has said.
const ASSUMED_THREADS: u32 = 256;

/// What a block takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    threads: u32,
    registers: u32,
    shared_bytes: u32,
}

/// What one of the plots goes over.
struct Over {
    label: &'static str,
    unit: &'static str,
    /// Its least value.
    first: u32,
    /// Its largest.
    last: u32,
    /// How many values in a row take the same.
    step: u32,
    /// What one of them is in the unit.
    scale: f64,
    /// The block with another value in place of its own.
    with: fn(Block, u32) -> Block,
    /// The block's own value.
    own: fn(Block) -> u32,
    /// What it can be short of.
    limit: Limit,
}

/// The figure's plots: over threads, registers and shared memory.
pub(super) fn plots(cell: &FigureCell, figure: &OccupancyFigure, sources: &Sources) -> Vec<Plot> {
    let (block, notes) = block(figure, sources);
    let cc = sources.gpu.limits();
    let limits = occupancy(cc, block.threads, block.registers, block.shared_bytes).limiting_factors;
    let plots = overs(cc);
    let plots = plots.iter().map(|over| Plot {
        // What keeps another block from the SM is what one wants to change.
        is_first_look: limits.contains(&over.limit),
        title: format!("{}: {}", cell.title, over.label),
        notes: notes.clone(),
        ..over.plot(block, cc)
    });
    plots.collect()
}

/// What the plots go over.
fn overs(cc: &ComputeCapability) -> [Over; 3] {
    [
        Over {
            label: "threads per block",
            unit: "",
            first: 1,
            last: cc.max_threads_per_block,
            step: 1,
            scale: 1.0,
            with: |block, threads| Block { threads, ..block },
            own: |block| block.threads,
            limit: Limit::Warps,
        },
        Over {
            label: "registers per thread",
            unit: "",
            first: 1,
            last: cc.max_registers_per_thread,
            step: 1,
            scale: 1.0,
            with: |block, registers| Block { registers, ..block },
            own: |block| block.registers,
            limit: Limit::Registers,
        },
        Over {
            label: "shared memory per block",
            unit: "KiB",
            first: 0,
            last: cc.shared_per_block_optin_bytes,
            step: cc.shared_allocation_unit_bytes,
            scale: 1.0 / 1024.0,
            with: |block, shared_bytes| Block {
                shared_bytes,
                ..block
            },
            own: |block| block.shared_bytes,
            limit: Limit::Shared,
        },
    ]
}

impl Over {
    fn plot(&self, block: Block, cc: &ComputeCapability) -> Plot {
        let point = |value: u32| {
            let block = (self.with)(block, value);
            let found = occupancy(cc, block.threads, block.registers, block.shared_bytes);
            Point {
                x: f64::from(value) * self.scale,
                y: f64::from(found.warps),
                evidence: Evidence::Computed,
                sizes: Sizes::new(),
                label: String::new(),
                says: in_words(&found),
            }
        };
        let series = |name: &str, shape, points| Series {
            name: name.to_owned(),
            shape,
            points,
        };
        let own = (self.own)(block);
        let curve = self.staircase(own, point);
        let most = |label, unit, to: f64| Axis {
            to,
            ..Axis::new(label, unit, Scale::Linear)
        };
        let highest = curve.iter().map(|point| point.y as u32).max().unwrap_or(0);
        // 12 of 64 warps would fill a fifth of the picture.
        let height = highest.next_power_of_two().min(cc.max_warps_per_sm);
        Plot {
            title: String::new(),
            x: most(self.label, self.unit, f64::from(self.last) * self.scale),
            y: most("active warps per SM", "", f64::from(height)),
            series: vec![
                series("this kernel", Shape::Marks, vec![point(own)]),
                series("active warps", Shape::Curve, curve),
            ],
            notes: Vec::new(),
            is_first_look: false,
        }
    }

    /// Points at both sides of each step, at the ends, and at `own`: between two of them all is as at both.
    fn staircase(&self, own: u32, point: impl Fn(u32) -> Point) -> Vec<Point> {
        let steps = (self.first..=self.last).step_by(self.step.max(1) as usize);
        let mut values: Vec<u32> = steps.chain([own, self.last]).collect();
        values.sort_unstable();
        values.dedup();
        let points: Vec<Point> = values.iter().map(|&value| point(value)).collect();
        let is_corner = |at: usize| {
            // Also where only the reason changes: a mark has to tell the right one.
            let is_other =
                |beside: &Point| beside.y != points[at].y || beside.says != points[at].says;
            let is_end = at == 0 || at + 1 == points.len();
            is_end || values[at] == own || points[at - 1..=at + 1].iter().any(is_other)
        };
        let corners = (0..points.len()).filter(|&at| is_corner(at));
        corners.map(|at| points[at].clone()).collect()
    }
}

/// Blocks, warps, and what keeps more from it.
fn in_words(found: &Occupancy) -> String {
    let limits: Vec<&str> = found
        .limiting_factors
        .iter()
        .map(|limit: &Limit| limit.in_words())
        .collect();
    let limits = limits.join(" and ");
    match found.blocks {
        0 => format!("the launch is refused: {limits}"),
        1 => format!("1 block, limited by {limits}"),
        blocks => format!("{blocks} blocks, limited by {limits}"),
    }
}

/// What the figure says of the block, else the cell's launch, else what is usual; and notes on that.
fn block(figure: &OccupancyFigure, sources: &Sources) -> (Block, Vec<String>) {
    let report = latest_report(figure, sources);
    let launch = planned_launch(figure, sources);
    let threads = launch.as_ref().map(|launch| launch.block.iter().product());
    let dynamic_shared = launch.map_or(0, |launch| launch.shared_bytes);
    let (registers, static_shared) = match &report {
        Some((_, report)) => (report.registers, report.static_shared_bytes),
        None => (ASSUMED_REGISTERS, figure.static_shared_bytes),
    };
    let shared_bytes = dynamic_shared.saturating_add(static_shared);
    let block = Block {
        threads: figure.threads.or(threads).unwrap_or(ASSUMED_THREADS),
        registers: figure.registers.unwrap_or(registers),
        shared_bytes: figure.shared_bytes.unwrap_or(shared_bytes),
    };
    let says = match &report {
        Some((kernel, report)) => {
            format!("registers of {kernel} as {} gives them", report.compiled_by)
        }
        None if figure.registers.is_none() => {
            format!("no compiler report: {registers} registers are assumed")
        }
        None => "registers as the lesson gives them".to_owned(),
    };
    let taken = format!(
        "{} threads, {} registers, {} bytes of shared memory; compute capability {}",
        grouped(block.threads.into()),
        block.registers,
        grouped(block.shared_bytes.into()),
        sources.gpu.compute_capability
    );
    (block, vec![taken, says])
}

/// What a compiler for a real GPU made of the figure's launch, in its latest run, behind the kernel's name.
fn latest_report(figure: &OccupancyFigure, sources: &Sources) -> Option<(String, CompileReport)> {
    // From the latest run back to the first that was compiled for a real GPU.
    let samples = sources.samples.iter().rev();
    let mut of_cell = samples.filter(|sample| Some(&sample.cell) == figure.cell.as_ref());
    of_cell.find_map(|sample: &Sample| {
        let launch = sample.launches.get(figure.launch)?;
        Some((launch.kernel.clone(), launch.compiled.clone()?))
    })
}

/// The figure's launch at the sizes chosen.
fn planned_launch(figure: &OccupancyFigure, sources: &Sources) -> Option<Launch> {
    let cell = sources.lesson.run_cell(figure.cell.as_ref()?).ok()?;
    let plan = cell.plan(sources.sizes, sources.gpu).ok()?;
    plan.launches.into_iter().nth(figure.launch)
}

#[cfg(test)]
mod tests {
    use crate::device::gpu;
    use crate::lesson::load;

    use super::*;

    #[test]
    fn active_warps_fall_in_steps_between_which_nothing_changes() {
        let lesson = load("occupancy").expect("reads");
        let figure = lesson.figures().find(|figure| figure.id == "what-if");
        let plots = figure.expect("is there").plots(&Sources {
            lesson: &lesson,
            sizes: &lesson.complete(&Sizes::new()),
            gpu: gpu("h200").expect("is known"),
            samples: &[],
            tiles: &[],
        });
        let steps = [1.0, 1.0, 1.0 / 8.0];
        for (plot, step) in plots.iter().zip(steps) {
            for pair in plot.series[1].points.windows(2) {
                let is_flat = pair[0].y == pair[1].y;
                assert!(
                    is_flat || pair[1].x - pair[0].x <= step,
                    "{}: {pair:?}",
                    plot.title
                );
            }
        }
        // A fourth block fits where a thread has 128 registers at most, a third up to 168.
        let registers = plots[1].series[1]
            .points
            .iter()
            .map(|point| (point.x, point.y));
        let from_152: Vec<_> = registers
            .filter(|&(x, _)| (152.0..=176.0).contains(&x))
            .collect();
        assert_eq!(from_152, [(160.0, 12.0), (168.0, 12.0), (169.0, 8.0)]);
        // 12 warps are no fifth of a picture that ends at 64.
        assert_eq!((plots[0].y.to, plots[1].y.to), (16.0, 64.0));
        assert_eq!(plots[1].y.ticks(6).last(), Some(&64.0));
    }
}
