//! Runs: which start, which stop, and the sizes they are made for.

use crate::app::state::cells::run::state;
use crate::app::state::queries::figure::shown_cells;
use crate::app::state::{CellState, Job, Model, RunState};
use crate::app::update::message::{Effect, RunTask};
use crate::launch::Engine;
use crate::lesson::Cell;

/// Runs `cells` one after the other.
pub(crate) fn run_cells(model: &mut Model, cells: Vec<usize>, effects: &mut Vec<Effect>) {
    model.runs.queue = cells.into();
    if let Some(first) = model.runs.queue.pop_front() {
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
    /// Somebody came to it.
    Arrived,
}

/// The same as [`start`], for this reason.
pub(crate) fn start_as(model: &mut Model, index: usize, reason: Reason, effects: &mut Vec<Effect>) {
    let (follows, by_itself) = (reason == Reason::Follows, reason == Reason::Arrived);
    // One run at a time: each takes all cores, and two would both be late.
    stop(model, effects);
    model.runs.asked |= !by_itself;
    // A real GPU is for those who ask for it.
    let engine = match by_itself {
        true => Engine::Sim,
        false => model.settings.engine,
    };
    let edited = model.is_edited(index);
    let cell = model.cells.get_mut(index);
    let state = cell.and_then(CellState::as_run_mut);
    let Some(state) = state else { return };
    // Without a plan the cell says why there is none; nothing has to be said here.
    let Ok(plan) = &state.plan else { return };
    model.runs.last_job += 1;
    state.error = None;
    state.job = Some(Job {
        id: model.runs.last_job,
        launches: vec![None; plan.launches.len()],
        follows,
        by_itself,
        ..Job::default()
    });
    effects.push(Effect::Run(RunTask {
        job: model.runs.last_job,
        lesson: model.lesson.clone(),
        cell: index,
        plan: plan.clone(),
        sizes: model.settings.sizes.clone(),
        watch: state.inspector.watch,
        engine,
        edited,
        gpu: model.settings.gpu.clone(),
        // Whoever leafs through pages is past this one soon.
        settles: follows || by_itself,
        checks: reason == Reason::Checked,
    }));
}

/// Runs the cell that somebody has come to, if nothing is known of it yet; what ran because they were elsewhere is
/// cancelled.
pub(crate) fn run_on_arrival(model: &mut Model, effects: &mut Vec<Effect>) {
    let is_here = model.runs.arrived == Some(model.at);
    // Once per arrival: a run that was cancelled here is not begun again.
    if is_here || !model.settings.on_arrival || model.popups.tour.is_some() {
        return;
    }
    let mut runs = model.cells.iter().filter_map(CellState::as_run);
    let job = runs.find_map(|state| state.job.as_ref());
    match job {
        Some(job) if job.by_itself => {
            stop(model, effects);
        }
        // What somebody asked for goes on, and this cell waits for it.
        Some(_) => return,
        None => {}
    }
    // A table's cells run one after the other; they are not to be mixed with this one.
    if !model.runs.queue.is_empty() {
        return;
    }
    model.runs.arrived = Some(model.at);
    let is_new = |state: &RunState| state.ran.is_none() && state.error.is_none();
    if model.run_cell().is_some_and(|(_, state)| is_new(state)) {
        start_as(model, model.at, Reason::Arrived, effects);
    }
}

/// Stops every run and capture; says what it stopped.
pub(crate) fn stop(model: &mut Model, effects: &mut Vec<Effect>) -> Option<&'static str> {
    let mut stopped = None;
    for state in model.cells.iter_mut().filter_map(CellState::as_run_mut) {
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

/// Runs the cell on screen again if it ran before, or those that a figure shows: numbers follow what was
/// changed.
pub(crate) fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    let has_run = |&index: &usize| {
        let state = model.cells[index].as_run();
        state.is_some_and(|state| state.ran.is_some() || state.job.is_some())
    };
    // Only those that ran: changing a size on a figure must not start ten kernels that nobody has seen.
    let shown: Vec<usize> = shown_cells(model).into_iter().filter(has_run).collect();
    if !shown.is_empty() {
        return run_cells(model, shown, effects);
    }
    let ran = model
        .run_cell()
        .is_some_and(|(_, state)| state.ran.is_some() || state.job.is_some());
    if ran {
        model.runs.queue.clear();
        start_as(model, model.at, Reason::Follows, effects);
    }
}

/// Plans every run cell anew, at the sizes and for the GPU that are chosen.
pub(crate) fn replan(model: &mut Model) {
    let (lesson, gpu) = (model.lesson.clone(), model.gpu_in_use());
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        if let (Cell::Calculator(cell), CellState::Calculator(state)) = (cell, &mut *state) {
            state.follow(cell, &model.settings.sizes, gpu);
        }
        if let (Some(cell), Some(state)) = (cell.as_run(), state.as_run_mut()) {
            state.plan = state::plan(cell, &model.settings.sizes, gpu);
            let watch = &mut state.inspector.watch;
            if let Some(launch) = state
                .plan
                .as_ref()
                .ok()
                .and_then(|plan| plan.launches.first())
            {
                // The grid may be smaller now than the block that is watched.
                for (block, blocks) in watch.block.iter_mut().zip(launch.grid) {
                    *block = (*block).min(blocks.saturating_sub(1));
                }
            }
        }
    }
}

impl Model {
    /// The cell whose run has number `job`, unless that run is out of date.
    pub(crate) fn running(&mut self, job: u64) -> Option<(usize, &mut RunState)> {
        let cells = self.cells.iter_mut().enumerate();
        let mut runs = cells.filter_map(|(i, cell)| Some((i, cell.as_run_mut()?)));
        runs.find(|(_, state)| state.job.as_ref().is_some_and(|running| running.id == job))
    }
}

/// The next of the cells that wait to be run.
pub(crate) fn start_next(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(next) = model.runs.queue.pop_front() {
        start(model, next, effects);
    }
}

impl Model {
    /// The cell whose run has number `job` and is being captured.
    pub(crate) fn capturing(&mut self, job: u64) -> Option<&mut RunState> {
        let mut runs = self.cells.iter_mut().filter_map(CellState::as_run_mut);
        runs.find(|state| state.capturing == Some(job))
    }
}
