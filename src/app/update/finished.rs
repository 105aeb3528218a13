//! What came of runs: counts, results, captured values, histories of blocks, summaries of buffers.
//!
//! Invariant: what belongs to a run that is no longer its cell's latest is dropped.

use std::sync::Arc;

use crate::app::state::{BlockHistory, FinishedRun, HistoryKey, Model, Summary};
use crate::app::update::cells::exercise::ask_for_check;
use crate::app::update::cells::figure;
use crate::app::update::editor::runs::{ask_for_tallies, findings_only};
use crate::app::update::first_look::{seek, show_answer, take_first_result};
use crate::app::update::message::Effect;
use crate::app::update::runs::start_next;
use crate::launch::TraceComparison;

/// Takes what run `job` counted, while a model of caches still works.
pub(crate) fn take_counted(model: &mut Model, job: u64, ran: Arc<FinishedRun>) {
    // A text that does not compile has counted nothing: the numbers of the one before stay.
    let has_counts = !findings_only(model, job, &ran);
    if let (true, Some((_, state))) = (has_counts, model.running(job)) {
        state.take_counted(ran);
    }
}

/// Takes the result of run `job`, and goes on: to the values of a real GPU, else to the next cell that waits.
pub(crate) fn take_finished(
    model: &mut Model,
    job: u64,
    result: Result<Arc<FinishedRun>, String>,
    effects: &mut Vec<Effect>,
) {
    let ran = result.as_ref().ok();
    let only_findings = ran.is_some_and(|ran| findings_only(model, job, ran));
    let is_right = ran.is_some_and(|ran| ran.result.ok && !ran.edited);
    if let Some((cell, state)) = model.running(job) {
        match only_findings {
            // Its errors are under its lines by now; results of the text before stay readable.
            true => state.job = None,
            false => state.take_result(result),
        }
        let capture = state.capture(job);
        // What the lesson shows in figures is of its own kernels.
        let is_edited = state.ran.as_ref().is_some_and(|ran| ran.edited);
        if !is_edited {
            figure::keep_sample(model, cell);
        }
        match capture {
            // A capture runs on the GPU, one at a time: the next cell waits for it.
            Some(ran) => effects.push(Effect::Capture { ran }),
            None => start_next(model, effects),
        }
        ask_for_check(model, cell, effects);
        if is_right {
            // Wrong or edited, the page is not done.
            model.save_run(cell, effects);
        }
        match cell == model.at {
            true => take_first_result(model),
            false => show_answer(model),
        }
    }
    ask_for_tallies(model, job, effects);
}

/// Takes the values of a warp that a real GPU captured in run `job`.
pub(crate) fn take_captured(
    model: &mut Model,
    job: u64,
    values: Vec<Result<Option<TraceComparison>, String>>,
    effects: &mut Vec<Effect>,
) {
    if let Some(state) = model.capturing(job) {
        state.take_captured(values);
        start_next(model, effects);
    }
}

/// Takes the history of a block, in the cell that asked for it: no two cells have runs of one number.
pub(crate) fn take_history(
    model: &mut Model,
    of: HistoryKey,
    result: &Result<Arc<BlockHistory>, String>,
) {
    for cell in &mut model.cells {
        if let Some(state) = cell.as_run_mut() {
            state.take_history(of, result.clone());
        }
    }
    // An access may have been asked for before its steps were there.
    seek(model);
}

/// Takes the summary of a buffer that run `job` left.
pub(crate) fn take_summary(model: &mut Model, job: u64, buffer: usize, summary: &Summary) {
    for cell in &mut model.cells {
        if let Some(state) = cell.as_run_mut()
            && state.ran.as_ref().is_some_and(|ran| ran.job == job)
            && let Some(slot) = state.summaries.get_mut(buffer)
        {
            *slot = Some(summary.clone());
        }
    }
}
