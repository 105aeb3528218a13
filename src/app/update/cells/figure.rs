//! Figures: asks for what they lack, takes what came, plays them, and moves the cursor.

use std::sync::Arc;

use crate::app::state::{CellState, FigureAction, FigureView, Model, Movement};
use crate::app::update::message::{Effect, ReplayRequest};
use crate::lesson::{Answer, Cell, PredictionCell, Replayed, Sample, Series};

/// Points, or blocks, that a page is.
pub(crate) const PAGE: usize = 10;

/// Steps in which a figure plays from one end to the other, where it has more blocks than that.
pub(crate) const PLAYED_STEPS: usize = 80;

/// Keeps what the run of cell `index` gave, for figures.
pub(crate) fn keep_sample(model: &mut Model, index: usize) {
    let (Some(Cell::Run(cell)), Some(CellState::Run(state))) =
        (model.lesson.cells.get(index), model.cells.get(index))
    else {
        return;
    };
    // A run that failed left counts of a part of the work: no point of a figure.
    let ran = state.ran.as_ref().filter(|_| state.error.is_none());
    if let Some(sample) = ran.and_then(|ran| Sample::of(cell, &ran.result)) {
        model.runs.samples.keep(sample);
    }
}

/// Asks for what the figure on screen lacks, once.
pub(crate) fn ask_for_figure(model: &mut Model, effects: &mut Vec<Effect>) {
    let gpu = model.figure_gpu().to_owned();
    let wanted = (model.settings.sizes.clone(), gpu.clone());
    let is_timed = |(cell, _): (&PredictionCell, _)| matches!(cell.answer, Answer::Timed(_));
    if model.prediction().is_some_and(is_timed) {
        return ask_for_recorded(model, effects);
    }
    let Some(at) = model.needed_figure() else {
        return;
    };
    let (Cell::Figure(cell), CellState::Figure(state)) =
        (&model.lesson.cells[at], &model.cells[at])
    else {
        return;
    };
    let is_replayed = cell.is_replayed();
    // Asked once for each choice: every update comes here, and would ask again.
    if is_replayed && state.asked.as_ref() != Some(&wanted) {
        if let Some(CellState::Figure(state)) = model.cells.get_mut(at) {
            // What was found at other sizes is no answer at these.
            (state.order, state.tiles) = (None, None);
            state.asked = Some(wanted.clone());
            state.playing = false;
        }
        let (sizes, gpu) = wanted;
        effects.push(Effect::ReplayBlocks {
            lesson: model.lesson.clone(),
            request: ReplayRequest {
                cell: at,
                sizes,
                gpu,
            },
        });
    } else if !is_replayed {
        ask_for_recorded(model, effects);
    }
}

/// Asks for what is recorded on the GPU that figures show, once for each.
pub(crate) fn ask_for_recorded(model: &mut Model, effects: &mut Vec<Effect>) {
    let gpu = model.figure_gpu().to_owned();
    if model.runs.samples.asked.as_ref() != Some(&gpu) {
        model.runs.samples.asked = Some(gpu.clone());
        effects.push(Effect::LoadRecordings {
            lesson: model.lesson.clone(),
            gpu,
        });
    }
}

/// Takes what came of a figure's blocks, unless other sizes or another GPU were chosen since. Of an order at
/// first as many blocks are shown as the output has tiles in a row, or one if those are all.
pub(crate) fn take_replayed(
    model: &mut Model,
    request: ReplayRequest,
    replayed: Result<Replayed, String>,
) {
    let Some(CellState::Figure(state)) = model.cells.get_mut(request.cell) else {
        return;
    };
    if state.asked != Some((request.sizes, request.gpu)) {
        return;
    }
    match replayed {
        Ok(Replayed::Order(order)) => {
            let (row, all) = (order.output.tiles[1] as usize, order.blocks.len());
            let is_whole = order.block.is_none() && row < all;
            // A full row shows the order at a glance; an empty picture would show nothing at all.
            state.visits = if is_whole { row } else { all.min(1) };
            state.order = Some(Ok(Arc::new(order)));
        }
        Ok(Replayed::Tiles(tiles)) => state.tiles = Some(Ok(tiles)),
        Err(why) => (state.order, state.tiles) = (Some(Err(why.clone())), Some(Err(why))),
    }
}

/// Goes on a step, and stops at the end.
pub(crate) fn tick(model: &mut Model) {
    let blocks = model.figure_steps();
    let Some(state) = model.figure_state().filter(|state| state.playing) else {
        return;
    };
    // Several blocks a step: a large grid would play for minutes.
    state.visits = (state.visits + blocks.div_ceil(PLAYED_STEPS).max(1)).min(blocks);
    state.playing = state.visits < blocks;
}

/// What only figures know.
pub(crate) fn act(model: &mut Model, action: FigureAction) {
    let blocks = model.figure_steps();
    let Some(state) = model.figure_state() else {
        return;
    };
    match action {
        FigureAction::Play => {
            // Else the key would do nothing at the end.
            if !state.playing && state.visits >= blocks {
                state.visits = 0;
            }
            state.playing = !state.playing && blocks > 0;
        }
        FigureAction::SelectPoint(series, point) => state.cursor = Some((series, point)),
        // Another plot has other series: the old cursor would point at nothing.
        FigureAction::SelectPlot(plot) => (state.plot, state.cursor) = (Some(plot), None),
        FigureAction::SelectVisit(visits) => {
            state.playing = false;
            state.visits = visits.min(blocks);
        }
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
        (state.plot, state.cursor) = (Some(plot), None);
    }
}

/// Arrows and pages in a figure.
pub(crate) fn navigate_figure(model: &mut Model, movement: Movement) {
    match model.figure_view() {
        Some(view) => {
            let cursor = moved(&view, movement);
            if let (Some(state), Some(cursor)) = (model.figure_state(), cursor) {
                state.cursor = Some(cursor);
            }
        }
        None => navigate_order(model, movement),
    }
}

/// The cursor after `action`: left and right along a series, up and down to another one, to its point
/// that is nearest on the first axis.
pub(crate) fn moved(view: &FigureView, movement: Movement) -> Option<(usize, usize)> {
    let (series, point) = view.cursor?;
    let all = &view.plots[view.plot].series;
    let last = all.get(series)?.points.len().checked_sub(1)?;
    let neighbour = |mut order: Box<dyn Iterator<Item = usize>>| {
        // A series without points on this GPU has no place for the cursor.
        let next = order.find(|&i| !all[i].points.is_empty())?;
        Some((next, nearest(&all[next], all[series].points[point].x)))
    };
    let moved = match movement {
        Movement::Left => Some((series, point.saturating_sub(1))),
        Movement::Right => Some((series, (point + 1).min(last))),
        Movement::PageUp => Some((series, point.saturating_sub(PAGE))),
        Movement::PageDown => Some((series, (point + PAGE).min(last))),
        Movement::Home => Some((series, 0)),
        Movement::End => Some((series, last)),
        Movement::Up => neighbour(Box::new((0..series).rev())),
        Movement::Down => neighbour(Box::new(series + 1..all.len())),
    };
    moved.or(view.cursor)
}

pub(crate) fn nearest(series: &Series, x: f64) -> usize {
    let distances = series
        .points
        .iter()
        .map(|point| (point.x - x).abs())
        .enumerate();
    distances
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(i, _)| i)
}

pub(crate) fn navigate_order(model: &mut Model, movement: Movement) {
    let blocks = model.figure_steps();
    let Some(state) = model.figure_state() else {
        return;
    };
    let at = state.visits;
    state.playing = false;
    state.visits = match movement {
        Movement::Left => at.saturating_sub(1),
        Movement::Right => at + 1,
        Movement::Up | Movement::PageUp => at.saturating_sub(PAGE),
        Movement::Down | Movement::PageDown => at + PAGE,
        Movement::Home => 0,
        Movement::End => blocks,
    }
    .min(blocks);
}
