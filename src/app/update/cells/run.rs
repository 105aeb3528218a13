//! What runs when somebody asks, and which launch of a run is looked at.

use crate::app::state::cells::sizes;
use crate::app::state::queries::figure::shown_cells;
use crate::app::state::{Model, Prompt, PromptKind, RunAction};
use crate::app::update::cells::settings::{change_size, set_size, switch_engine};
use crate::app::update::cells::{comparison, table};
use crate::app::update::message::Effect;
use crate::app::update::runs::{Reason, run_cells, start, start_as};
use crate::app::update::scrolling::kernel_line;
use crate::lesson::Cell;

/// Starts the cell on screen, stopping its old run.
pub(crate) fn run_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(open) = model.look.comparison {
        return comparison::run_both(model, &open, effects);
    }
    if model.table().is_some() {
        return table::run_rows(model, effects);
    }
    let shown = shown_cells(model);
    if !shown.is_empty() {
        return run_cells(model, shown, effects);
    }
    if model.run_cell().is_none() {
        model.notice = Some("nothing runs on this page; n goes on".to_owned());
        return;
    }
    model.runs.queue.clear();
    start(model, model.at, effects);
}

pub(crate) fn run_all(model: &mut Model, effects: &mut Vec<Effect>) {
    let cells = model.lesson.cells.iter().enumerate();
    let runs = cells.filter(|(_, cell)| matches!(cell, Cell::Run(_)));
    let runs = runs.map(|(i, _)| i).collect();
    run_cells(model, runs, effects);
}

/// Runs the cell on screen with checks.
pub(crate) fn check_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.run_cell().is_some() {
        model.runs.queue.clear();
        start_as(model, model.at, Reason::Checked, effects);
    }
}

pub(crate) fn select_launch(model: &mut Model, launch: Option<usize>) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let plan = state.plan.as_ref().ok();
    let kernel = launch.and_then(|launch| plan?.launches.get(launch));
    let line = kernel.and_then(|launch| kernel_line(cell.source.text(), &launch.kernel));
    let limit = model.look.seen.source.last;
    let Some(state) = model.run_state() else {
        return;
    };
    state.launch = launch;
    state.scroll.ptx = 0;
    state.inspector.step = 0;
    state.inspector.variable = None;
    if let Some(line) = line {
        state.scroll.put_source(line.saturating_sub(2).min(limit));
    }
}

/// The next launch: all together, the first, the second, …
pub(crate) fn step_launch(model: &mut Model, forward: bool) {
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let count = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    // No launch stands for their sum, which lies before the first and behind the last.
    let launch = match (state.launch, forward) {
        (None, true) => Some(0),
        (None, false) => count.checked_sub(1),
        (Some(launch), true) => Some(launch + 1).filter(|&next| next < count),
        (Some(launch), false) => launch.checked_sub(1),
    };
    select_launch(model, launch);
}

/// Does what is asked of runs, and of what they are made for.
pub(crate) fn act(model: &mut Model, action: RunAction, effects: &mut Vec<Effect>) {
    match action {
        RunAction::Run => run_this(model, effects),
        RunAction::RunChecked => check_this(model, effects),
        RunAction::RunAll => run_all(model, effects),
        RunAction::SwitchEngine => switch_engine(model, effects),
        RunAction::PickGpu => {
            model.popups.prompt = Some(Prompt::listing(PromptKind::Gpu, model));
        }
        RunAction::Increase => change_size(model, sizes::up, effects),
        RunAction::Decrease => change_size(model, sizes::down, effects),
        RunAction::Double => change_size(model, |value| value.saturating_mul(2), effects),
        RunAction::Halve => change_size(model, |value| value / 2, effects),
        RunAction::NextSize => model.choose_next_size(),
        RunAction::SelectSize(index) => select_size(model, index),
        RunAction::SetSize(index, value) => {
            select_size(model, index);
            set_size(model, index, value, effects);
        }
        RunAction::NextLaunch => step_launch(model, true),
        RunAction::PreviousLaunch => step_launch(model, false),
        RunAction::SelectLaunch(launch) => select_launch(model, launch),
    }
}

/// Keys change size `index` from now on.
fn select_size(model: &mut Model, index: usize) {
    model.look.size = index;
}
