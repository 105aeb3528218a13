//! Figures as the notebook holds them: the runs that they are made of, and where the learner looks.

use std::sync::Arc;

use crate::lesson::{BlockOrder, Plot, Sample, Series, Sizes};

/// Runs that figures are made of: recorded ones first, then those of this session.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    all: Vec<Sample>,
    recorded: usize,
    /// The GPU whose recordings were asked for last.
    pub(crate) asked: Option<String>,
}

impl Samples {
    /// All of them, the latest last.
    pub fn all(&self) -> &[Sample] {
        &self.all
    }

    /// Takes what is recorded, in place of what was before.
    pub(crate) fn take_recorded(&mut self, samples: Vec<Sample>) {
        let count = samples.len();
        self.all.splice(..self.recorded, samples);
        self.recorded = count;
    }

    /// Takes a run of this session, in place of one like it.
    pub(crate) fn keep(&mut self, sample: Sample) {
        let is_like = |known: &Sample| {
            let same_run = known.cell == sample.cell && known.sizes == sample.sizes;
            same_run && known.is_measured() == sample.is_measured()
        };
        let (recorded, live) = self.all.split_at(self.recorded);
        let live = live.iter().filter(|known| !is_like(known));
        self.all = recorded.iter().chain(live).cloned().collect();
        self.all.push(sample);
    }
}

/// Where the learner looks in a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureState {
    /// Which of its plots, once one was chosen.
    pub plot: Option<usize>,
    /// Series and point under the cursor, once it was moved.
    pub(crate) cursor: Option<(usize, usize)>,
    /// The order of the blocks, or why there is none; nothing before it was found.
    pub order: Option<Result<Arc<BlockOrder>, String>>,
    /// Tiles that orders of blocks load, or why they load none; nothing before it was found.
    pub tiles: Option<Result<Vec<Series>, String>>,
    /// How many of the blocks are shown.
    pub visits: usize,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// The sizes and the GPU that the order was asked for.
    pub(crate) asked: Option<(Sizes, String)>,
}

/// A figure of plots, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureView {
    /// Its plots.
    pub plots: Vec<Plot>,
    /// The plot that is looked at.
    pub plot: usize,
    /// Series and point under the cursor, if there is a point.
    pub cursor: Option<(usize, usize)>,
}
