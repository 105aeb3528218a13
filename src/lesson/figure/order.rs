//! The order in which blocks visit the tiles of a matrix, and what L2 holds meanwhile.
//!
//! Who writes and reads which tile is taken from a run on the simulated GPU; what L2 holds is a model
//! ([`super::replay`]).

use std::ops::Range;

use thiserror::Error;

use super::replay::{BlockOrder, TileGrid, VisitedTiles};
use crate::device::{Gpu, UnknownGpu, gpu};
use crate::engine::{Control, Options, StepperError, Watched, block_visits};
use crate::launch::{BlockVisit, Launch, Plan, Tiling, volume};
use crate::lesson::cells::{OrderFigure, RunCell};
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
    ) -> Result<BlockOrder, OrderError> {
        let gpu = gpu(id)?;
        let sizes = &lesson.complete(sizes);
        let cell = lesson.run_cell(&self.cell);
        let cell = cell.map_err(|_| unfit(format!("there is no cell `{}`", self.cell)))?;
        let plan = cell.plan(sizes, gpu)?;
        let launch = plan.launches.get(self.launch);
        let launch = launch.ok_or_else(|| unfit(format!("there is no launch {}", self.launch)))?;
        // Before the run, which takes long where there are so many blocks.
        check_blocks(launch)?;
        let matrices = Matrices { cell, sizes, gpu };
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|input| matrices.tiling(&input.buffer, &input.tile));
        let inputs: Vec<Tiling> = inputs.collect::<Result<_, _>>()?;
        let visits = self.visits(&plan, &matrices, &inputs, control)?;
        let output = match &self.tile {
            Some(tile) => matrices.tiling(&self.output, tile)?,
            None => matrices.written_tiles(&self.output, &visits)?,
        };
        let visits = visits.into_iter();
        let blocks: Vec<VisitedTiles> = visits.map(|visit| of_block(visit, &output)).collect();
        Ok(BlockOrder {
            kernel: launch.kernel.clone(),
            sizes: sizes.clone(),
            output: grid(&plan, &output),
            inputs: inputs.iter().map(|tiling| grid(&plan, tiling)).collect(),
            l2_bytes: match inputs.is_empty() || self.block.is_some() {
                true => 0,
                false => self.l2_bytes(sizes, gpu)?,
            },
            block: self.followed(sizes, gpu, blocks.len())?,
            blocks,
        })
    }

    /// The block that is followed, if the figure names one.
    fn followed(
        &self,
        sizes: &Sizes,
        gpu: &Gpu,
        blocks: usize,
    ) -> Result<Option<usize>, OrderError> {
        let Some(formula) = &self.block else {
            return Ok(None);
        };
        let block = formula.evaluate(sizes, gpu);
        let block = block.map_err(|error| unfit(format!("`block` has no value: {error}")))?;
        match block < blocks as u64 {
            true => Ok(Some(block as usize)),
            false => Err(unfit(format!(
                "there is no block {block}: the launch has {blocks}"
            ))),
        }
    }

    /// What each block of the launch loads and stores.
    fn visits(
        &self,
        plan: &Plan,
        matrices: &Matrices,
        inputs: &[Tiling],
        control: &Control,
    ) -> Result<Vec<BlockVisit>, OrderError> {
        // Before anything runs: an output that is empty has no order.
        matrices.extents(&self.output)?;
        let watched = Watched {
            loads: inputs,
            output: matrices.position(&self.output)?,
        };
        let options = Options {
            gpu: matrices.gpu.id.clone(),
            ..Options::default()
        };
        let visits = block_visits(plan, self.launch, watched, &options, control)?;
        Ok(visits)
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
    let blocks = volume(launch.grid);
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

/// The buffers of a run as matrices.
struct Matrices<'a> {
    cell: &'a RunCell,
    sizes: &'a Sizes,
    gpu: &'a Gpu,
}

impl Matrices<'_> {
    fn position(&self, buffer: &str) -> Result<usize, OrderError> {
        let found = self.cell.buffers.iter().position(|of| of.name == buffer);
        found.ok_or_else(|| unfit(format!("there is no buffer `{buffer}`")))
    }

    /// Rows and columns of a buffer; one of one dimension is a row.
    fn extents(&self, buffer: &str) -> Result<[u64; 2], OrderError> {
        let template = &self.cell.buffers[self.position(buffer)?];
        let extents = template.extents(self.sizes, self.gpu)?;
        let columns = extents.last().copied().unwrap_or(1);
        // More than two dimensions: all but the last are rows, as they lie in memory.
        let rows = extents.iter().rev().skip(1).product();
        match rows * columns {
            0 => Err(unfit(format!("`{buffer}` is empty"))),
            _ => Ok([rows, columns]),
        }
    }

    /// A buffer cut into tiles of the extents that formulas give.
    fn tiling(&self, buffer: &str, tile: &[Formula; 2]) -> Result<Tiling, OrderError> {
        let extent = |formula: &Formula| {
            let extent = formula.evaluate(self.sizes, self.gpu).ok();
            let extent = extent.filter(|&extent| extent > 0);
            extent.ok_or_else(|| unfit(format!("a tile of `{buffer}` has no extent")))
        };
        few_tiles(Tiling {
            buffer: self.position(buffer)?,
            matrix: self.extents(buffer)?,
            tile: [extent(&tile[0])?, extent(&tile[1])?],
        })
    }

    /// The tiles of the output: each as large as what the first block that writes spans.
    fn written_tiles(&self, buffer: &str, visits: &[BlockVisit]) -> Result<Tiling, OrderError> {
        let first = visits.iter().find(|visit| !visit.stored.is_empty());
        let first = first.ok_or_else(|| unfit("no block writes to the output".to_owned()))?;
        let matrix = self.extents(buffer)?;
        few_tiles(Tiling {
            buffer: self.position(buffer)?,
            matrix,
            tile: spanned(&first.stored, matrix[1]),
        })
    }
}

/// Rows and columns of the smallest tile around elements of a matrix of so many columns: of elements 0..2 and 8..10
/// in rows of 8, 2 rows and 2 columns.
fn spanned(elements: &[Range<u64>], columns: u64) -> [u64; 2] {
    // What crosses the end of a row takes all columns.
    let crosses = |elements: &Range<u64>| elements.start / columns != (elements.end - 1) / columns;
    let first_column = |elements: &Range<u64>| match crosses(elements) {
        true => 0,
        false => elements.start % columns,
    };
    let last_column = |elements: &Range<u64>| match crosses(elements) {
        true => columns - 1,
        false => (elements.end - 1) % columns,
    };
    let all = || elements.iter();
    let extent = |first: Option<u64>, last: Option<u64>| {
        last.zip(first).map_or(1, |(last, first)| last - first + 1)
    };
    [
        extent(
            all().map(|elements| elements.start / columns).min(),
            all().map(|elements| (elements.end - 1) / columns).max(),
        ),
        extent(all().map(first_column).min(), all().map(last_column).max()),
    ]
}

fn few_tiles(tiling: Tiling) -> Result<Tiling, OrderError> {
    let tiles: u64 = tiling.tiles().iter().product();
    match tiles <= MOST_TILES {
        true => Ok(tiling),
        false => Err(unfit(format!(
            "{tiles} tiles are too many to draw; choose smaller sizes"
        ))),
    }
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

fn of_block(visit: BlockVisit, output: &Tiling) -> VisitedTiles {
    let mut writes: Vec<u64> = visit
        .stored
        .into_iter()
        .flat_map(|elements| output.tiles_of(elements).collect::<Vec<_>>())
        .collect();
    // Ranges of elements come in order, tiles along the rows do not: two rows of a tile lie apart in memory.
    writes.sort_unstable();
    writes.dedup();
    VisitedTiles {
        writes,
        reads: visit.loaded,
    }
}
