//! Figures that are no plots of points and need nothing to run: the shape of a launch, the levels of memory, the waves
//! of a grid. Each is plain data; the document draws it.

mod launch;
mod memory;
mod waves;

use serde::Serialize;

use super::sources::Sources;
use crate::lesson::cells::{PictureFigure, WavesFigure};
use crate::lesson::formula::Formula;

pub use launch::LaunchShape;
pub use memory::{Amount, MemoryLevelFacts, MemoryLevels};
pub use waves::BlockWaves;

/// What such a figure shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// Grid, block, warp and lanes of a launch.
    Launch(LaunchShape),
    /// Registers, shared memory, L2 and device memory.
    Memory(MemoryLevels),
    /// Blocks on the SMs, wave by wave.
    Waves(BlockWaves),
}

impl Picture {
    /// Moments that it can be shown at, one after the other; none of a picture that stands still.
    pub fn moments(&self) -> usize {
        match self {
            Picture::Launch(_) | Picture::Memory(_) => 0,
            Picture::Waves(waves) => waves.waves() as usize,
        }
    }
}

impl PictureFigure {
    /// What it shows at the sizes and on the GPU of `sources`, or why it shows nothing.
    pub(super) fn picture(&self, sources: &Sources) -> Result<Picture, String> {
        Ok(match self {
            PictureFigure::Launch { cell, launch } => {
                let run = sources.lesson.run_cell(cell);
                let run = run.map_err(|_| format!("there is no cell `{cell}`"))?;
                let plan = run.plan(sources.sizes, sources.gpu);
                let plan = plan.map_err(|error| error.to_string())?;
                let launch = plan.launches.get(*launch);
                let launch =
                    launch.ok_or_else(|| format!("`{cell}` has no such launch at these sizes"))?;
                Picture::Launch(LaunchShape::of(launch))
            }
            PictureFigure::Memory => Picture::Memory(MemoryLevels::of(sources.gpu)),
            PictureFigure::Waves(figure) => Picture::Waves(waves_of(figure, sources)?),
        })
    }
}

fn waves_of(figure: &WavesFigure, sources: &Sources) -> Result<BlockWaves, String> {
    let sizes = sources.lesson.complete(sources.sizes);
    let value = |formula: &Formula| {
        let value = formula.evaluate(&sizes, sources.gpu);
        let value = value.map_err(|error| format!("`{}`: {error}", formula.text()))?;
        let small = u32::try_from(value).ok().filter(|&value| value > 0);
        small.ok_or_else(|| format!("`{}` is {value}, which no GPU has", formula.text()))
    };
    Ok(BlockWaves {
        blocks: value(&figure.blocks)?,
        sms: value(&figure.sms)?,
        per_sm: value(&figure.per_sm)?,
    })
}
