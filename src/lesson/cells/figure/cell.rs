//! What a lesson says of its figures.

use simulator::named;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::launch::Measure;
use crate::lesson::cells::run::RunCell;
use crate::lesson::formula::Formula;

/// A figure of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it shows.
    pub kind: FigureKind,
}

/// What a figure shows.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureKind {
    /// A quantity of run cells over a size.
    Lines(LineFigure),
    /// Run cells under the roof of the GPU.
    Roofline(RooflineFigure),
    /// Active warps over threads, registers and shared memory of a block.
    Occupancy(OccupancyFigure),
    /// The order in which blocks visit a matrix, and what is in L2 meanwhile.
    Order(OrderFigure),
    /// What needs no run: the shape of a launch, the levels of memory, the waves of a grid.
    Picture(PictureFigure),
}

named! {
    /// A kind of figure.
    pub enum FigureName {
        /// [`FigureKind::Lines`].
        Lines = "lines",
        /// [`FigureKind::Roofline`].
        Roofline = "roofline",
        /// [`FigureKind::Occupancy`].
        Occupancy = "occupancy",
        /// [`FigureKind::Order`].
        Order = "order",
        /// [`PictureFigure::Launch`].
        Launch = "launch",
        /// [`PictureFigure::Memory`].
        Memory = "memory",
        /// [`PictureFigure::Waves`].
        Waves = "waves",
    }
}

named! {
    /// How an axis is divided.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Scale {
        /// Equal steps are equal differences.
        Linear = "linear",
        /// Equal steps are equal ratios, with ticks at 1, 2 and 5 of each decade.
        Log = "log",
        /// The same, with ticks at powers of two.
        Log2 = "log2",
    }
}

/// A quantity over a size.
#[derive(Clone, Debug, PartialEq)]
pub struct LineFigure {
    /// Run cells or single launches of them, in the order of the legend.
    pub cells: Vec<LaunchReference>,
    /// The order figures whose tiles are loaded, where that is plotted.
    pub orders: Vec<String>,
    /// The size on the first axis.
    pub x: String,
    /// How that axis is divided.
    pub x_scale: Scale,
    /// What is on the second axis.
    pub y: Quantity,
    /// How that axis is divided.
    pub y_scale: Scale,
    /// The other sizes of recorded points and formulas.
    pub at: At,
    /// Bytes that every way to do it has to move, or operations that it takes, for rates that can be compared. Without
    /// it each cell's rate is of what it moves or computes itself, as far as that is counted.
    pub work: Option<Formula>,
    /// Whether times of the same launches as one CUDA graph stand beside those of the launches.
    pub with_graphs: bool,
    /// Which baselines of the cells stand beside them, by [`Operation::beside`](crate::launch::Operation::beside); all if
    /// nothing is said.
    pub baselines: Option<Vec<String>>,
    /// What `tutor bench` calls it, which times its points.
    pub bench: Option<String>,
}

/// Sizes that a figure fixes, or ties to others by a formula over them; those not named are as the learner
/// chose.
pub type At = BTreeMap<String, Formula>;

/// A run cell, or one launch of it: `twice`, or `twice@1` in lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchReference {
    /// The run cell.
    pub cell: String,
    /// Which of its launches, from 0; all together if nothing is said.
    pub launch: Option<usize>,
}

impl LaunchReference {
    /// Reads what a lesson writes; nothing if what is behind `@` is not a number.
    pub fn parse(text: &str) -> Option<Self> {
        let (cell, launch) = match text.split_once('@') {
            // `step@x` is no part at all, rather than a cell called so.
            Some((cell, launch)) => (cell, Some(launch.parse().ok()?)),
            None => (text, None),
        };
        Some(LaunchReference {
            cell: cell.to_owned(),
            launch,
        })
    }

    /// As a learner reads it: `twice`, or `twice, launch 2: copy` of its second launch in `run`.
    pub fn name(&self, run: &RunCell) -> String {
        let Some(at) = self.launch else {
            return self.cell.clone();
        };
        let kernel = run.launches.get(at).map(|launch| launch.kernel.as_str());
        let kernel = kernel.map_or_else(String::new, |kernel| format!(": {kernel}"));
        // On screen launches count from 1; in the lesson's file from 0, as arrays do.
        format!("{}, launch {}{kernel}", self.cell, at + 1)
    }
}

/// What can be plotted over a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes per second.
    Rate,
    /// Time of all launches together.
    Time,
    /// Floating-point operations a second; a fused multiply-add is two.
    Flops,
    /// Something that is counted.
    Count(Measure),
    /// Tiles that the model of an order figure loads from memory.
    TilesLoaded,
}

/// What `y` is where the tiles of an order figure are plotted.
pub(crate) const TILES_LOADED: &str = "tiles loaded";

/// What `y` is where operations per second are plotted.
pub(crate) const FLOPS: &str = "flops";

impl Quantity {
    /// The quantity called `name` in lessons.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "rate" => Some(Quantity::Rate),
            "time" => Some(Quantity::Time),
            FLOPS => Some(Quantity::Flops),
            TILES_LOADED => Some(Quantity::TilesLoaded),
            name => Measure::from_name(name).map(Quantity::Count),
        }
    }

    /// All names, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["rate", "time", FLOPS, TILES_LOADED]
            .into_iter()
            .chain(Measure::names())
    }
}

/// Operations per second over operations per byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RooflineFigure {
    /// Run cells, in the order of the legend.
    pub cells: Vec<String>,
    /// Sizes that recorded points have; of those not named each recorded value is a point.
    pub at: At,
    /// Whether the peak of the tensor cores is drawn too, where it is known.
    pub tensor: bool,
}

/// How full an SM is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccupancyFigure {
    /// The run cell whose launch is marked; what the figure does not say comes from it.
    pub cell: Option<String>,
    /// Which of its launches, from 0.
    pub launch: usize,
    /// Threads of a block.
    pub threads: Option<u32>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: Option<u32>,
    /// What the launch's kernel declares of it with its size, as the simulated GPU's compiler has it.
    pub static_shared_bytes: u32,
}

/// Blocks over a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderFigure {
    /// The run cell.
    pub cell: String,
    /// Which of its launches, from 0.
    pub launch: usize,
    /// The buffer that the blocks write.
    pub output: String,
    /// Rows and columns of a tile of it; as large as what the first block writes if nothing is said.
    pub tile: Option<[Formula; 2]>,
    /// Buffers that they read; the order alone is shown if there are none.
    pub inputs: Vec<OrderInput>,
    /// Bytes of L2 that there are for tiles; the GPU's L2 if nothing is said.
    pub l2_bytes: Option<Formula>,
    /// The block that is followed step by step, in place of the order of all.
    pub block: Option<Formula>,
}

/// A buffer that blocks read, in tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderInput {
    /// Its name.
    pub buffer: String,
    /// Rows and columns of a tile.
    pub tile: [Formula; 2],
}

/// A picture that needs no run.
#[derive(Clone, Debug, PartialEq)]
pub enum PictureFigure {
    /// Grid, block, warp and lanes of a launch.
    Launch {
        /// The run cell.
        cell: String,
        /// Which of its launches, from 0.
        launch: usize,
    },
    /// The levels of memory of the GPU.
    Memory,
    /// Blocks on SMs, wave by wave.
    Waves(WavesFigure),
}

/// Blocks on SMs.
#[derive(Clone, Debug, PartialEq)]
pub struct WavesFigure {
    /// Blocks of the grid.
    pub blocks: Formula,
    /// SMs of the GPU.
    pub sms: Formula,
    /// Blocks that an SM holds at once.
    pub per_sm: Formula,
}

impl FigureKind {
    /// Whether it is plots of points; else it is drawn in a way of its own.
    pub fn is_plots(&self) -> bool {
        match self {
            FigureKind::Lines(_) | FigureKind::Roofline(_) | FigureKind::Occupancy(_) => true,
            FigureKind::Order(_) | FigureKind::Picture(_) => false,
        }
    }
}

impl PictureFigure {
    /// Whether it has but one moment to show.
    pub fn stands_still(&self) -> bool {
        match self {
            PictureFigure::Launch { .. } | PictureFigure::Memory => true,
            PictureFigure::Waves(_) => false,
        }
    }
}

impl FigureCell {
    /// Whether it is a picture that has but one moment to show.
    pub fn stands_still(&self) -> bool {
        matches!(&self.kind, FigureKind::Picture(picture) if picture.stands_still())
    }

    /// The run cells that it shows.
    pub fn cells(&self) -> Vec<&str> {
        let cells = match &self.kind {
            FigureKind::Lines(figure) => {
                return figure.cells.iter().map(|part| part.cell.as_str()).collect();
            }
            FigureKind::Roofline(figure) => &figure.cells[..],
            FigureKind::Occupancy(figure) => figure.cell.as_slice(),
            FigureKind::Order(figure) => std::slice::from_ref(&figure.cell),
            FigureKind::Picture(PictureFigure::Launch { cell, .. }) => std::slice::from_ref(cell),
            FigureKind::Picture(PictureFigure::Memory | PictureFigure::Waves(_)) => &[],
        };
        cells.iter().map(String::as_str).collect()
    }

    /// The name of what it shows.
    pub fn kind_name(&self) -> FigureName {
        match &self.kind {
            FigureKind::Lines(_) => FigureName::Lines,
            FigureKind::Roofline(_) => FigureName::Roofline,
            FigureKind::Occupancy(_) => FigureName::Occupancy,
            FigureKind::Order(_) => FigureName::Order,
            FigureKind::Picture(PictureFigure::Launch { .. }) => FigureName::Launch,
            FigureKind::Picture(PictureFigure::Memory) => FigureName::Memory,
            FigureKind::Picture(PictureFigure::Waves(_)) => FigureName::Waves,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load;

    #[test]
    fn a_launch_is_told_by_its_number_from_one_and_its_kernel() {
        let lesson = load("timing").expect("reads");
        let run = lesson.run_cell("twice").expect("is there");
        let name = |text: &str| LaunchReference::parse(text).expect("is one").name(run);
        assert_eq!(name("twice"), "twice");
        assert_eq!(name("twice@1"), "twice, launch 2: copy");
    }
}
