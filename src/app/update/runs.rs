//! Runs: which start, which stop, and the sizes they are made for.

use crate::app::state::cells::{comparison, run, sizes, table};
use crate::app::state::shown_cells;
use crate::app::state::step_gpu;
use crate::app::state::{CellState, Effect, Job, Model, RunTask};
use crate::device::grouped;
use crate::launch::Engine;
use crate::lesson::Cell;

/// Starts the cell on screen, stopping its old run.
pub(crate) fn run_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(versus) = model.look.versus {
        return comparison::run_both(model, &versus, effects);
    }
    if model.table().is_some() {
        return table::run_rows(model, effects);
    }
    let shown = shown_cells(model);
    if !shown.is_empty() {
        return run_cells(model, shown, effects);
    }
    if model.run_cell().is_none() {
        model.notice = Some("this cell is text; n goes on, R runs every cell".to_owned());
        return;
    }
    model.queue.clear();
    start(model, model.at, effects);
}

pub(crate) fn run_all(model: &mut Model, effects: &mut Vec<Effect>) {
    let cells = model.lesson.cells.iter().enumerate();
    let runs = cells.filter(|(_, cell)| matches!(cell, Cell::Run(_)));
    let runs = runs.map(|(i, _)| i).collect();
    run_cells(model, runs, effects);
}

/// Runs `cells` one after the other.
pub(crate) fn run_cells(model: &mut Model, cells: Vec<usize>, effects: &mut Vec<Effect>) {
    model.queue = cells.into();
    if let Some(first) = model.queue.pop_front() {
        start(model, first, effects);
    }
}

/// Starts cell `index`; whatever runs is stopped first, for results that nobody waits for cost
/// time of those that somebody does.
pub(crate) fn start(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    start_as(model, index, Reason::Asked, effects);
}

/// Why a cell runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Somebody asked for it.
    Asked,
    /// Somebody asked whether it has races or reads what was never set.
    Checked,
    /// It follows a change of sizes, GPU or text: old results stay until its own come.
    Follows,
}

/// Runs the cell on screen with checks.
pub(crate) fn check_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.run_cell().is_some() {
        model.queue.clear();
        start_as(model, model.at, Reason::Checked, effects);
    }
}

/// The same as [`start`], for this reason.
pub(crate) fn start_as(model: &mut Model, index: usize, reason: Reason, effects: &mut Vec<Effect>) {
    let follows = reason == Reason::Follows;
    stop(model, effects);
    let (sizes, engine, gpu) = (model.sizes.clone(), model.engine, model.gpu.clone());
    let (lesson, edited) = (model.lesson.clone(), model.is_edited(index));
    let Some(CellState::Run(state)) = model.cells.get_mut(index) else {
        return;
    };
    let Ok(plan) = &state.plan else { return };
    model.last_job += 1;
    state.error = None;
    state.job = Some(Job {
        id: model.last_job,
        launches: vec![None; plan.launches.len()],
        current: 0,
        follows,
    });
    effects.push(Effect::Run(RunTask {
        job: model.last_job,
        lesson,
        cell: index,
        plan: plan.clone(),
        sizes,
        watch: state.inspector.watch,
        engine,
        edited,
        gpu,
        settles: follows,
        checks: reason == Reason::Checked,
    }));
}

/// Stops every run and capture; says what it stopped.
pub(crate) fn stop(model: &mut Model, effects: &mut Vec<Effect>) -> Option<&'static str> {
    let mut stopped = None;
    for cell in &mut model.cells {
        let CellState::Run(state) = cell else {
            continue;
        };
        if let Some(job) = state.capturing.take() {
            effects.push(Effect::Cancel { job });
            stopped = Some("values of the real GPU are not captured; enter runs again");
        }
        if let Some(job) = state.job.take() {
            effects.push(Effect::Cancel { job: job.id });
            stopped = Some("run cancelled; enter starts it again");
        }
    }
    stopped
}

/// Takes the other engine, and runs the cell again on it if it ran before.
pub(crate) fn switch_engine(model: &mut Model, effects: &mut Vec<Effect>) {
    model.engine = match model.engine {
        Engine::Sim => Engine::Gpu,
        Engine::Gpu => Engine::Sim,
    };
    replan(model);
    follow(model, effects);
}

/// Runs the cell on screen again if it ran before, or those that a figure shows: numbers follow what was
/// changed.
pub(crate) fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    let has_run = |&index: &usize| match &model.cells[index] {
        CellState::Run(state) => state.ran.is_some() || state.job.is_some(),
        _ => false,
    };
    let shown: Vec<usize> = shown_cells(model).into_iter().filter(has_run).collect();
    if !shown.is_empty() {
        return run_cells(model, shown, effects);
    }
    let ran = model
        .run_cell()
        .is_some_and(|(_, state)| state.ran.is_some() || state.job.is_some());
    if ran {
        model.queue.clear();
        start_as(model, model.at, Reason::Follows, effects);
    }
}

/// A number that every change makes larger or smaller.
const SAMPLE: u64 = 100;

/// Changes the chosen size, or the GPU, which stands behind the sizes.
pub(crate) fn change_size(
    model: &mut Model,
    change: impl Fn(u64) -> u64,
    effects: &mut Vec<Effect>,
) {
    let index = model.chosen_size();
    let Some(size) = model.lesson.sizes.get(index) else {
        let by = if change(SAMPLE) > SAMPLE { 1 } else { -1 };
        return step_gpu(model, by, effects);
    };
    let old = size.of(&model.sizes);
    let new = sizes::changed(size, old, change);
    if new == old {
        let (end, limit) = if old == size.max {
            ("most", size.max)
        } else {
            ("least", size.min)
        };
        let limit = grouped(limit);
        model.notice = Some(format!("{} is at its {end}, {limit}", size.name));
        return;
    }
    set_size(model, index, new, effects);
}

pub(crate) fn set_size(model: &mut Model, index: usize, value: u64, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let Some(size) = lesson.sizes.get(index) else {
        return;
    };
    if size.of(&model.sizes) == value {
        return;
    }
    size.set(&mut model.sizes, value);
    replan(model);
    follow(model, effects);
}

/// Plans every run cell anew, at the sizes and for the GPU that are chosen.
pub(crate) fn replan(model: &mut Model) {
    let (lesson, gpu) = (model.lesson.clone(), model.gpu_in_use());
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        if let (Cell::Calculator(cell), CellState::Calculator(state)) = (cell, &mut *state) {
            state.follow(cell, &model.sizes, gpu);
        }
        if let (Cell::Run(cell), CellState::Run(state)) = (cell, state) {
            state.plan = run::plan(cell, &model.sizes, gpu);
            let watch = &mut state.inspector.watch;
            if let Some(launch) = state
                .plan
                .as_ref()
                .ok()
                .and_then(|plan| plan.launches.first())
            {
                for (block, blocks) in watch.block.iter_mut().zip(launch.grid) {
                    *block = (*block).min(blocks.saturating_sub(1));
                }
            }
        }
    }
}
