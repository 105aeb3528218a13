//! Runs: which start, which stop, and the sizes they are made for.

use super::{CellState, Effect, Job, Model, grid, run};
use crate::device::grouped;
use crate::launch::Engine;
use crate::lesson::Cell;

/// Starts the cell on screen, stopping its old run.
pub(super) fn run_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.table().is_some() {
        return grid::run_rows(model, effects);
    }
    if model.run_cell().is_none() {
        model.notice = Some("this cell is text; n goes on, R runs every cell".to_owned());
        return;
    }
    model.queue.clear();
    start(model, model.at, effects);
}

pub(super) fn run_all(model: &mut Model, effects: &mut Vec<Effect>) {
    let cells = model.lesson.cells.iter().enumerate();
    let runs = cells.filter(|(_, cell)| matches!(cell, Cell::Run(_)));
    let runs = runs.map(|(i, _)| i).collect();
    run_cells(model, runs, effects);
}

/// Runs `cells` one after the other.
pub(super) fn run_cells(model: &mut Model, cells: Vec<usize>, effects: &mut Vec<Effect>) {
    model.queue = cells.into();
    if let Some(first) = model.queue.pop_front() {
        start(model, first, effects);
    }
}

/// Starts cell `index`; whatever runs is stopped first, for results that nobody waits for cost
/// time of those that somebody does.
pub(super) fn start(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    stop(model, effects);
    let (sizes, engine) = (model.sizes.clone(), model.engine);
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
    });
    effects.push(Effect::Run {
        job: model.last_job,
        cell: index,
        plan: plan.clone(),
        sizes,
        watch: state.inspector.watch,
        engine,
    });
}

/// Stops every run and capture; says what it stopped.
pub(super) fn stop(model: &mut Model, effects: &mut Vec<Effect>) -> Option<&'static str> {
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
pub(super) fn switch_engine(model: &mut Model, effects: &mut Vec<Effect>) {
    model.engine = match model.engine {
        Engine::Sim => Engine::Gpu,
        Engine::Gpu => Engine::Sim,
    };
    follow(model, effects);
}

/// Runs the cell on screen again if it ran before: its numbers follow what was changed.
pub(super) fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    let ran = model
        .run_cell()
        .is_some_and(|(_, state)| state.ran.is_some() || state.job.is_some());
    if ran {
        model.queue.clear();
        start(model, model.at, effects);
    }
}

pub(super) fn change_size(
    model: &mut Model,
    change: impl Fn(u64) -> u64,
    effects: &mut Vec<Effect>,
) {
    let Some(size) = model.lesson.sizes.get(model.look.size) else {
        return;
    };
    let (index, min, max) = (model.look.size, size.min, size.max);
    let old = model.sizes.get(&size.name).copied().unwrap_or(size.default);
    let new = change(old).clamp(min, max);
    if new == old {
        let (end, limit) = if old == max {
            ("most", max)
        } else {
            ("least", min)
        };
        let limit = grouped(limit);
        model.notice = Some(format!("{} is at its {end}, {limit}", size.name));
        return;
    }
    set_size(model, index, new, effects);
}

pub(super) fn set_size(model: &mut Model, index: usize, value: u64, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let Some(size) = lesson.sizes.get(index) else {
        return;
    };
    model.sizes.insert(size.name.clone(), value);
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        if let (Cell::Run(cell), CellState::Run(state)) = (cell, state) {
            state.plan = run::plan(cell, &model.sizes);
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
    follow(model, effects);
}
