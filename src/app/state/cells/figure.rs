//! Figures as the notebook holds them: the runs that they are made of, and where the learner looks.

use std::sync::Arc;

use crate::app::state::{Action, CellState, Context, Effect, Model};
use crate::device::{DEFAULT_GPU, gpu};
use crate::lesson::{
    Answer, BlockOrder, Cell, FigureCell, FigureKind, Plot, Point, PredictionCell, Replayed,
    Sample, Series, Shape, Sizes, Sources,
};

/// Points, or blocks, that a page is.
const PAGE: usize = 10;
/// Steps in which a figure plays from one end to the other, where it has more blocks than that.
const PLAYED_STEPS: usize = 80;

/// Runs that figures are made of: recorded ones first, then those of this session.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    all: Vec<Sample>,
    recorded: usize,
    /// The GPU whose recordings were asked for last.
    asked: Option<String>,
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
    fn keep(&mut self, sample: Sample) {
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
    /// Which of its plots.
    pub plot: usize,
    /// Series and point under the cursor, once it was moved.
    cursor: Option<(usize, usize)>,
    /// The order of the blocks, or why there is none; nothing before it was found.
    pub order: Option<Result<Arc<BlockOrder>, String>>,
    /// Tiles that orders of blocks load, or why they load none; nothing before it was found.
    pub tiles: Option<Result<Vec<Series>, String>>,
    /// How many of the blocks are shown.
    pub visits: usize,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// The sizes and the GPU that the order was asked for.
    asked: Option<(Sizes, String)>,
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

impl Model {
    /// The figure on screen and its state, if it is one.
    pub fn figure(&self) -> Option<(&FigureCell, &FigureState)> {
        match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
            (Cell::Figure(cell), CellState::Figure(state)) => Some((cell, state)),
            _ => None,
        }
    }

    /// Where keys go on a figure; nothing if none is on screen.
    pub(crate) fn figure_context(&self) -> Option<Context> {
        let (cell, _) = self.figure()?;
        Some(match cell.kind {
            FigureKind::Order(_) => Context::Blocks,
            _ => Context::Figure,
        })
    }

    fn figure_state(&mut self) -> Option<&mut FigureState> {
        match self.cells.get_mut(self.at)? {
            CellState::Figure(state) => Some(state),
            _ => None,
        }
    }

    /// Whether something on screen goes on by itself.
    pub fn is_playing(&self) -> bool {
        self.figure().is_some_and(|(_, state)| state.playing)
    }

    /// The GPU whose peaks, limits and recordings figures show: an id of the GPU table.
    pub fn figure_gpu(&self) -> &str {
        self.gpu.as_deref().unwrap_or(DEFAULT_GPU)
    }

    /// The plots of `cell`, from all that ran and is recorded, and from what was found for `state`.
    pub fn plots(&self, cell: &FigureCell, state: &FigureState) -> Option<Vec<Plot>> {
        let tiles = state.tiles.as_ref();
        let mut plots = cell.plots(&Sources {
            lesson: &self.lesson,
            sizes: &self.sizes,
            gpu: gpu(self.figure_gpu()).ok()?,
            samples: self.samples.all(),
            tiles: tiles
                .and_then(|tiles| tiles.as_deref().ok())
                .unwrap_or_default(),
        });
        if let (Some(Err(why)), Some(plot)) = (tiles, plots.first_mut()) {
            plot.notes = vec![why.clone()];
        }
        Some(plots)
    }

    /// The plots of the figure on screen; nothing if it is no figure of plots.
    pub fn figure_view(&self) -> Option<FigureView> {
        let (cell, state) = self.figure()?;
        let plots = self.plots(cell, state)?;
        let plot = state.plot.min(plots.len().checked_sub(1)?);
        let cursor = self.cursor(&plots[plot], state.cursor);
        Some(FigureView {
            plots,
            plot,
            cursor,
        })
    }

    /// The point that was chosen, else the first at the chosen sizes, else the first of the first series
    /// that has marks.
    fn cursor(&self, plot: &Plot, chosen: Option<(usize, usize)>) -> Option<(usize, usize)> {
        let series = plot.series.iter().enumerate();
        let marked =
            series.filter(|(_, series)| series.shape != Shape::Curve && !series.points.is_empty());
        let all = self.lesson.complete(&self.sizes);
        let is_here = |point: &Point| {
            let mut sizes = point.sizes.iter();
            !point.sizes.is_empty() && sizes.all(|(name, value)| all.get(name) == Some(value))
        };
        let here = marked.clone().find_map(|(i, series)| {
            let point = series.points.iter().position(is_here);
            Some((i, point?))
        });
        let chosen = chosen.and_then(|(i, point)| {
            let points = plot.series.get(i)?.points.len();
            Some((i, point.min(points.checked_sub(1)?)))
        });
        chosen
            .or(here)
            .or(marked.clone().next().map(|(i, _)| (i, 0)))
    }
}

/// Keeps what the run of cell `index` gave, for figures.
pub(crate) fn keep_sample(model: &mut Model, index: usize) {
    let (Some(Cell::Run(cell)), Some(CellState::Run(state))) =
        (model.lesson.cells.get(index), model.cells.get(index))
    else {
        return;
    };
    let ran = state.ran.as_ref().filter(|_| state.error.is_none());
    if let Some(sample) = ran.and_then(|ran| Sample::of(cell, &ran.result)) {
        model.samples.keep(sample);
    }
}

/// Asks for what the figure on screen lacks, once.
pub(crate) fn ask_for_figure(model: &mut Model, effects: &mut Vec<Effect>) {
    let gpu = model.figure_gpu().to_owned();
    let (at, wanted) = (model.at, (model.sizes.clone(), gpu.clone()));
    let is_timed = |(cell, _): (&PredictionCell, _)| matches!(cell.answer, Answer::Timed(_));
    if model.prediction().is_some_and(is_timed) {
        return ask_for_recorded(model, effects);
    }
    let Some((cell, state)) = model.figure() else {
        return;
    };
    let is_replayed = cell.is_replayed();
    if is_replayed && state.asked.as_ref() != Some(&wanted) {
        if let Some(state) = model.figure_state() {
            // What was found at other sizes is no answer at these.
            (state.order, state.tiles) = (None, None);
            state.asked = Some(wanted.clone());
            state.playing = false;
        }
        let (sizes, gpu) = wanted;
        effects.push(Effect::Replay {
            lesson: model.lesson.clone(),
            cell: at,
            sizes,
            gpu,
        });
    } else if !is_replayed {
        ask_for_recorded(model, effects);
    }
}

/// Asks for what is recorded on the GPU that figures show, once for each.
fn ask_for_recorded(model: &mut Model, effects: &mut Vec<Effect>) {
    let gpu = model.figure_gpu().to_owned();
    if model.samples.asked.as_ref() != Some(&gpu) {
        model.samples.asked = Some(gpu.clone());
        effects.push(Effect::Recall {
            lesson: model.lesson.clone(),
            gpu,
        });
    }
}

/// Takes what came of a figure's blocks, unless other sizes or another GPU were chosen since. Of an order at
/// first as many blocks are shown as the output has tiles in a row, or one if those are all.
pub(crate) fn take_replayed(
    model: &mut Model,
    cell: usize,
    of: (Sizes, String),
    replayed: Result<Replayed, String>,
) {
    let Some(CellState::Figure(state)) = model.cells.get_mut(cell) else {
        return;
    };
    if state.asked != Some(of) {
        return;
    }
    match replayed {
        Ok(Replayed::Order(order)) => {
            let (row, all) = (order.output.tiles[1] as usize, order.blocks.len());
            state.visits = if row < all { row } else { all.min(1) };
            state.order = Some(Ok(Arc::new(order)));
        }
        Ok(Replayed::Tiles(tiles)) => state.tiles = Some(Ok(tiles)),
        Err(why) => (state.order, state.tiles) = (Some(Err(why.clone())), Some(Err(why))),
    }
}

/// The run cells that the figure on screen shows; none if it is no figure.
pub(crate) fn shown_cells(model: &Model) -> Vec<usize> {
    let Some((figure, _)) = model.figure() else {
        return Vec::new();
    };
    let ids = figure.cells();
    let cells = model.lesson.cells.iter().enumerate();
    let shown = cells.filter(|(_, cell)| match cell {
        Cell::Run(run) => ids.contains(&run.id.as_str()),
        _ => false,
    });
    shown.map(|(i, _)| i).collect()
}

/// Goes on a step, and stops at the end.
pub(crate) fn tick(model: &mut Model) {
    let Some(state) = model.figure_state().filter(|state| state.playing) else {
        return;
    };
    let blocks = state.blocks();
    state.visits = (state.visits + blocks.div_ceil(PLAYED_STEPS).max(1)).min(blocks);
    state.playing = state.visits < blocks;
}

impl FigureState {
    fn blocks(&self) -> usize {
        let order = self.order.as_ref().and_then(|order| order.as_ref().ok());
        order.map_or(0, |order| order.blocks.len())
    }
}

/// What only figures know.
pub(crate) fn act(model: &mut Model, action: &Action) {
    let Some(state) = model.figure_state() else {
        return;
    };
    match *action {
        Action::Play => {
            let blocks = state.blocks();
            if !state.playing && state.visits >= blocks {
                state.visits = 0;
            }
            state.playing = !state.playing && blocks > 0;
        }
        Action::SelectPoint(series, point) => state.cursor = Some((series, point)),
        Action::SelectPlot(plot) => (state.plot, state.cursor) = (plot, None),
        Action::SelectVisit(visits) => {
            state.playing = false;
            state.visits = visits.min(state.blocks());
        }
        _ => {}
    }
}

/// The next of a figure's plots, or the one before.
pub(crate) fn step_plot(model: &mut Model, by: isize) {
    let Some(view) = model.figure_view() else {
        return;
    };
    let count = view.plots.len() as isize;
    if let Some(state) = model.figure_state().filter(|_| count > 1) {
        let plot = (view.plot as isize + by).rem_euclid(count) as usize;
        (state.plot, state.cursor) = (plot, None);
    }
}

/// Arrows and pages in a figure.
pub(crate) fn travel_figure(model: &mut Model, action: &Action) {
    match model.figure_view() {
        Some(view) => {
            let cursor = moved(&view, action);
            if let (Some(state), Some(cursor)) = (model.figure_state(), cursor) {
                state.cursor = Some(cursor);
            }
        }
        None => travel_order(model, action),
    }
}

/// The cursor after `action`: left and right along a series, up and down to another one, to its point
/// that is nearest on the first axis.
fn moved(view: &FigureView, action: &Action) -> Option<(usize, usize)> {
    let (series, point) = view.cursor?;
    let all = &view.plots[view.plot].series;
    let last = all.get(series)?.points.len().checked_sub(1)?;
    let beside = |mut order: Box<dyn Iterator<Item = usize>>| {
        let next = order.find(|&i| !all[i].points.is_empty())?;
        Some((next, nearest(&all[next], all[series].points[point].x)))
    };
    let moved = match action {
        Action::Left => Some((series, point.saturating_sub(1))),
        Action::Right => Some((series, (point + 1).min(last))),
        Action::PageUp => Some((series, point.saturating_sub(PAGE))),
        Action::PageDown => Some((series, (point + PAGE).min(last))),
        Action::Home => Some((series, 0)),
        Action::End => Some((series, last)),
        Action::Up => beside(Box::new((0..series).rev())),
        Action::Down => beside(Box::new(series + 1..all.len())),
        _ => None,
    };
    moved.or(view.cursor)
}

fn nearest(series: &Series, x: f64) -> usize {
    let distances = series
        .points
        .iter()
        .map(|point| (point.x - x).abs())
        .enumerate();
    distances
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(i, _)| i)
}

fn travel_order(model: &mut Model, action: &Action) {
    let Some(state) = model.figure_state() else {
        return;
    };
    let (blocks, at) = (state.blocks(), state.visits);
    state.playing = false;
    state.visits = match action {
        Action::Left => at.saturating_sub(1),
        Action::Right => at + 1,
        Action::Up | Action::PageUp => at.saturating_sub(PAGE),
        Action::Down | Action::PageDown => at + PAGE,
        Action::Home => 0,
        Action::End => blocks,
        _ => at,
    }
    .min(blocks);
}
