//! The order in which blocks visit the tiles of a matrix, and what L2 holds meanwhile.
//!
//! Who writes and reads which tile is taken from a run on the simulated GPU; what L2 holds is a model
//! ([`super::replay`]).

use thiserror::Error;

use super::replay::{Order, TileGrid, Visit};
use crate::device::{Gpu, UnknownGpu, gpu};
use crate::engine::{Control, Options, StepperError, block_visits};
use crate::launch::{BlockVisit, Launch, Plan, Tiling};
use crate::lesson::cells::{OrderFigure, OrderInput, RunCell};
use crate::lesson::formula::Formula;
use crate::lesson::outline::Lesson;
use crate::lesson::run::PlanError;
use crate::lesson::sizes::Sizes;

/// Most blocks of a figure: whoever looks at more sees nothing.
const MOST_BLOCKS: u64 = 1 << 16;
/// Most tiles of a matrix.
const MOST_TILES: u64 = 1 << 20;
/// Bytes of a mebibyte.
const MIB: f64 = 1024.0 * 1024.0;

/// Why there is no order to show.
#[derive(Debug, Error)]
pub enum OrderError {
    /// The cell has no plan at these sizes.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no such GPU.
    #[error(transparent)]
    Gpu(#[from] UnknownGpu),
    /// The launch does not run.
    #[error("the cell does not run to this launch's end; run it to see why")]
    Run(#[from] StepperError),
    /// Something in the figure does not fit the run.
    #[error("{0}")]
    Unfit(String),
}

impl OrderFigure {
    /// The order of the blocks of a run at `sizes`, over the L2 of the GPU called `id`. Takes as long as
    /// the run.
    pub fn order(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        id: &str,
        control: &Control,
    ) -> Result<Order, OrderError> {
        let gpu = gpu(id)?;
        let sizes = &lesson.complete(sizes);
        let cell = lesson.run_cell(&self.cell);
        let cell = cell.map_err(|_| unfit(format!("there is no cell `{}`", self.cell)))?;
        let plan = cell.plan(sizes, gpu)?;
        let launch = plan.launches.get(self.launch);
        let launch = launch.ok_or_else(|| unfit(format!("there is no launch {}", self.launch)))?;
        check_blocks(launch)?;
        let inputs = self.inputs(cell, sizes, gpu)?;
        let matrix = matrix(cell, &self.output, sizes, gpu)?;
        let output = position(cell, &self.output)?;
        let options = Options {
            gpu: gpu.id.clone(),
            ..Options::default()
        };
        let visits = block_visits(&plan, self.launch, (&inputs, output), &options, control)?;
        let tiling = match &self.tile {
            Some(tile) => tiling(cell, (&self.output, tile), sizes, gpu)?,
            None => written_tiles(output, matrix, &visits)?,
        };
        Ok(Order {
            kernel: launch.kernel.clone(),
            sizes: sizes.clone(),
            output: grid(&plan, &tiling),
            inputs: inputs.iter().map(|tiling| grid(&plan, tiling)).collect(),
            l2_bytes: match inputs.is_empty() {
                true => 0,
                false => self.l2_bytes(sizes, gpu)?,
            },
            blocks: visits
                .into_iter()
                .map(|visit| of_block(visit, &tiling))
                .collect(),
        })
    }

    fn inputs(&self, cell: &RunCell, sizes: &Sizes, gpu: &Gpu) -> Result<Vec<Tiling>, OrderError> {
        let tiling = |input: &OrderInput| {
            let shape = (input.buffer.as_str(), &input.tile);
            tiling(cell, shape, sizes, gpu)
        };
        self.inputs.iter().map(tiling).collect()
    }

    fn l2_bytes(&self, sizes: &Sizes, gpu: &Gpu) -> Result<u64, OrderError> {
        match &self.l2_bytes {
            Some(formula) => formula
                .evaluate(sizes, gpu)
                .map_err(|error| unfit(format!("`l2` has no value: {error}"))),
            None => gpu
                .l2_mib
                .map(|mib| (mib * MIB) as u64)
                .ok_or_else(|| unfit(format!("the L2 of {} is not known", gpu.name))),
        }
    }
}

fn check_blocks(launch: &Launch) -> Result<(), OrderError> {
    let blocks: u64 = launch
        .grid
        .iter()
        .map(|&blocks| u64::from(blocks))
        .product();
    match blocks > MOST_BLOCKS {
        true => Err(unfit(format!(
            "{blocks} blocks are too many to draw; choose smaller sizes"
        ))),
        false => Ok(()),
    }
}

fn unfit(message: String) -> OrderError {
    OrderError::Unfit(message)
}

fn position(cell: &RunCell, buffer: &str) -> Result<usize, OrderError> {
    let found = cell.buffers.iter().position(|of| of.name == buffer);
    found.ok_or_else(|| unfit(format!("there is no buffer `{buffer}`")))
}

/// Rows and columns of a buffer; one of one dimension is a row.
fn matrix(cell: &RunCell, buffer: &str, sizes: &Sizes, gpu: &Gpu) -> Result<[u64; 2], OrderError> {
    let extents = cell.buffers[position(cell, buffer)?].extents(sizes, gpu)?;
    let columns = extents.last().copied().unwrap_or(1);
    let rows = extents.iter().rev().skip(1).product();
    match rows * columns {
        0 => Err(unfit(format!("`{buffer}` is empty"))),
        _ => Ok([rows, columns]),
    }
}

/// A buffer cut into tiles of the extents that formulas give.
fn tiling(
    cell: &RunCell,
    (buffer, tile): (&str, &[Formula; 2]),
    sizes: &Sizes,
    gpu: &Gpu,
) -> Result<Tiling, OrderError> {
    let extent = |formula: &Formula| {
        let extent = formula
            .evaluate(sizes, gpu)
            .ok()
            .filter(|&extent| extent > 0);
        extent.ok_or_else(|| unfit(format!("a tile of `{buffer}` has no extent")))
    };
    let tiling = Tiling {
        buffer: position(cell, buffer)?,
        matrix: matrix(cell, buffer, sizes, gpu)?,
        tile: [extent(&tile[0])?, extent(&tile[1])?],
    };
    few_tiles(&tiling)?;
    Ok(tiling)
}

fn few_tiles(tiling: &Tiling) -> Result<(), OrderError> {
    let tiles: u64 = tiling.tiles().iter().product();
    match tiles <= MOST_TILES {
        true => Ok(()),
        false => Err(unfit(format!(
            "{tiles} tiles are too many to draw; choose smaller sizes"
        ))),
    }
}

/// The tiles of the output: each as large as what the first block that writes spans.
fn written_tiles(
    buffer: usize,
    matrix: [u64; 2],
    visits: &[BlockVisit],
) -> Result<Tiling, OrderError> {
    let first = visits.iter().find(|visit| !visit.stored.is_empty());
    let first = first.ok_or_else(|| unfit("no block writes to the output".to_owned()))?;
    let columns = matrix[1];
    let mut tile = [1, 1];
    let (mut rows, mut within) = ((u64::MAX, 0), (u64::MAX, 0));
    for elements in &first.stored {
        let (from, to) = (elements.start, elements.end - 1);
        rows = (rows.0.min(from / columns), rows.1.max(to / columns));
        let crosses = from / columns != to / columns;
        let (low, high) = match crosses {
            true => (0, columns - 1),
            false => (from % columns, to % columns),
        };
        within = (within.0.min(low), within.1.max(high));
    }
    tile[0] = rows.1 - rows.0 + 1;
    tile[1] = within.1 - within.0 + 1;
    let tiling = Tiling {
        buffer,
        matrix,
        tile,
    };
    few_tiles(&tiling)?;
    Ok(tiling)
}

fn grid(plan: &Plan, tiling: &Tiling) -> TileGrid {
    let buffer = &plan.buffers[tiling.buffer];
    TileGrid {
        name: buffer.name.clone(),
        matrix: tiling.matrix,
        tile: tiling.tile,
        tiles: tiling.tiles(),
        element_bytes: buffer.element.size_bytes() as u64,
    }
}

fn of_block(visit: BlockVisit, output: &Tiling) -> Visit {
    let mut writes: Vec<u64> = visit
        .stored
        .into_iter()
        .flat_map(|elements| output.tiles_of(elements).collect::<Vec<_>>())
        .collect();
    writes.sort_unstable();
    writes.dedup();
    Visit {
        writes,
        reads: visit.loaded,
    }
}
