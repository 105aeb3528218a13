//! Active warps of an SM over what a block takes: three curves, as NVIDIA's calculator draws them.

use super::{
    Axis, FigureCell, OccupancyFigure, Plot, Point, Sample, Scale, Series, Shape, Sources,
};
use crate::device::{Limit, Occupancy, occupancy};
use crate::launch::Evidence;
use crate::lesson::Sizes;

/// Registers of a thread where no compiler has said how many it takes.
const ASSUMED_REGISTERS: u32 = 32;
/// Threads of a block where nobody has said.
const ASSUMED_THREADS: u32 = 256;
/// Steps of shared memory on its axis, in bytes.
const SHARED_STEP: u32 = 1024;

/// What a block takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    threads: u32,
    registers: u32,
    shared_bytes: u32,
}

/// The figure's plots: over threads, registers and shared memory.
pub(super) fn plots(cell: &FigureCell, figure: &OccupancyFigure, sources: &Sources) -> Vec<Plot> {
    let (block, notes) = block(figure, sources);
    let cc = sources.gpu.limits();
    let warp = cc.threads_per_warp;
    let axes = [
        (
            "threads of a block",
            "",
            warp,
            cc.max_threads_per_block,
            warp,
        ),
        (
            "registers of a thread",
            "",
            1,
            cc.max_registers_per_thread,
            1,
        ),
        (
            "shared memory of a block",
            "KiB",
            0,
            cc.shared_per_block_optin_bytes,
            SHARED_STEP,
        ),
    ];
    let at = |axis: usize, value: u32| match axis {
        0 => (value, block.registers, block.shared_bytes),
        1 => (block.threads, value, block.shared_bytes),
        _ => (block.threads, block.registers, value),
    };
    let plot = |(axis, (label, unit, first, last, step)): (usize, (&str, &str, u32, u32, u32))| {
        let scale = if axis == 2 { 1.0 / 1024.0 } else { 1.0 };
        let point = |value: u32| {
            let (threads, registers, shared_bytes) = at(axis, value);
            let found = occupancy(cc, threads, registers, shared_bytes);
            Point {
                x: f64::from(value) * scale,
                y: f64::from(found.warps),
                evidence: Evidence::Computed,
                sizes: Sizes::new(),
                label: String::new(),
                says: in_words(&found),
            }
        };
        let values = (first..=last).step_by(step as usize);
        let curve = values.map(point).collect();
        let own = [block.threads, block.registers, block.shared_bytes][axis];
        let series = |name: &str, shape, points| Series {
            name: name.to_owned(),
            shape,
            points,
        };
        Plot {
            title: format!("{}: {label}", cell.title),
            x: Axis::new(label, unit, Scale::Linear).around([f64::from(last) * scale].into_iter()),
            y: Axis::new("active warps of an SM", "", Scale::Linear)
                .around([f64::from(cc.max_warps_per_sm)].into_iter()),
            series: vec![
                series("this kernel", Shape::Marks, vec![point(own)]),
                series("active warps", Shape::Curve, curve),
            ],
            notes: notes.clone(),
        }
    };
    axes.into_iter().enumerate().map(plot).collect()
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
    let plan = cell.and_then(|cell| cell.plan(sources.sizes).ok());
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
