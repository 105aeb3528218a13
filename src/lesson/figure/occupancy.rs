//! Active warps of an SM over what a block takes: three curves, as NVIDIA's calculator draws them.

use super::{
    Axis, FigureCell, OccupancyFigure, Plot, Point, Sample, Scale, Series, Shape, Sources,
};
use crate::device::{ComputeCapability, Limit, Occupancy, occupancy};
use crate::launch::Evidence;
use crate::lesson::Sizes;

/// Registers of a thread where no compiler has said how many it takes.
const ASSUMED_REGISTERS: u32 = 32;
/// Threads of a block where nobody has said.
const ASSUMED_THREADS: u32 = 256;
/// Steps of shared memory on its axis, in bytes.
const SHARED_STEP: usize = 1024;

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
    /// Its values: the first, the last, and the step between two.
    values: (u32, u32, usize),
    /// What one of them is in the unit.
    scale: f64,
    /// The block with another value in place of its own.
    with: fn(Block, u32) -> Block,
    /// The block's own value.
    own: fn(Block) -> u32,
}

/// The figure's plots: over threads, registers and shared memory.
pub(super) fn plots(cell: &FigureCell, figure: &OccupancyFigure, sources: &Sources) -> Vec<Plot> {
    let (block, notes) = block(figure, sources);
    let cc = sources.gpu.limits();
    let warp = cc.threads_per_warp;
    let all = [
        Over {
            label: "threads of a block",
            unit: "",
            values: (warp, cc.max_threads_per_block, warp as usize),
            scale: 1.0,
            with: |block, threads| Block { threads, ..block },
            own: |block| block.threads,
        },
        Over {
            label: "registers of a thread",
            unit: "",
            values: (1, cc.max_registers_per_thread, 1),
            scale: 1.0,
            with: |block, registers| Block { registers, ..block },
            own: |block| block.registers,
        },
        Over {
            label: "shared memory of a block",
            unit: "KiB",
            values: (0, cc.shared_per_block_optin_bytes, SHARED_STEP),
            scale: 1.0 / 1024.0,
            with: |block, shared_bytes| Block {
                shared_bytes,
                ..block
            },
            own: |block| block.shared_bytes,
        },
    ];
    let plots = all.iter().map(|over| Plot {
        title: format!("{}: {}", cell.title, over.label),
        notes: notes.clone(),
        ..over.plot(block, cc)
    });
    plots.collect()
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
        let (first, last, step) = self.values;
        let curve = (first..=last).step_by(step).map(point).collect();
        let most = |label, unit, to: f64| Axis {
            to,
            ..Axis::new(label, unit, Scale::Linear)
        };
        Plot {
            title: String::new(),
            x: most(self.label, self.unit, f64::from(last) * self.scale),
            y: most("active warps of an SM", "", f64::from(cc.max_warps_per_sm)),
            series: vec![
                series("this kernel", Shape::Marks, vec![point((self.own)(block))]),
                series("active warps", Shape::Curve, curve),
            ],
            notes: Vec::new(),
        }
    }
}

/// Blocks, warps, and what keeps more from it.
fn in_words(found: &Occupancy) -> String {
    let limits: Vec<&str> = found
        .limiting_factors
        .iter()
        .map(|limit: &Limit| limit.name())
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
    let samples = sources.samples.iter();
    let of_cell = samples.filter(|sample| Some(&sample.cell) == figure.cell.as_ref());
    let compiled = |sample: &Sample| {
        let launch = sample.launches.get(figure.launch)?;
        Some((launch.kernel.clone(), launch.compiled.clone()?))
    };
    let report = of_cell.rev().find_map(compiled);
    let cell = figure
        .cell
        .as_ref()
        .and_then(|id| sources.lesson.run_cell(id).ok());
    let plan = cell.and_then(|cell| cell.plan(sources.sizes, sources.gpu).ok());
    let launch = plan
        .as_ref()
        .and_then(|plan| plan.launches.get(figure.launch));
    let threads = launch.map(|launch| launch.block.iter().product::<u32>());
    let dynamic = launch.map_or(0, |launch| launch.shared_bytes);
    let (registers, fixed) = match &report {
        Some((_, report)) => (report.registers, report.static_shared_bytes),
        None => (ASSUMED_REGISTERS, 0),
    };
    let block = Block {
        threads: figure.threads.or(threads).unwrap_or(ASSUMED_THREADS),
        registers: figure.registers.unwrap_or(registers),
        shared_bytes: figure.shared_bytes.unwrap_or(dynamic.saturating_add(fixed)),
    };
    let says = match &report {
        Some((kernel, report)) => {
            format!("registers of {kernel} as {} gives them", report.compiled_by)
        }
        None if figure.registers.is_none() => {
            format!("no compile report is known: {registers} registers are assumed")
        }
        None => "registers as the lesson gives them".to_owned(),
    };
    let taken = format!(
        "{} threads, {} registers, {} bytes of shared memory; compute capability {}",
        block.threads, block.registers, block.shared_bytes, sources.gpu.compute_capability
    );
    (block, vec![taken, says])
}
