//! Messages in, a new state and effects out.

use crate::app::state::{
    Action, Context, FigureAction, FrameExtents, LessonAction, Model, PopupAction,
    PredictionAction, RunAction,
};
use crate::app::update::cells::figure::ask_for_figure;
use crate::app::update::cells::{calculator, exercise, figure, prediction, restart, run, table};
use crate::app::update::editor::commands::{close, replace_text};
use crate::app::update::editor::runs::{keep, rested, take_tallies};
use crate::app::update::finished::{
    take_captured, take_counted, take_finished, take_history, take_summary,
};
use crate::app::update::inspector::block_history::ask_for_history;
use crate::app::update::inspector::selection::{ask_for_summary, inspect};
use crate::app::update::message::{Effect, Msg};
use crate::app::update::popups::{export, tour, typing};
use crate::app::update::presentation::turn_page;
use crate::app::update::reload::reload;
use crate::app::update::runs::{replan, run_on_arrival, stop};
use crate::app::update::scrolling::shown_run;
use crate::app::update::selection::{advance, go_on, go_to_cell, retreat};
use crate::app::update::{editor, inspector, navigation, panes, popups};
use crate::engine::Preparing;
use crate::launch::{Engine, Progress};

/// Takes `msg` into `model`; what is to be done outside comes back.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    take(model, msg, &mut effects);
    // After any message: a page may be reached by a key, a link, a reload or a run that ended.
    run_on_arrival(model, &mut effects);
    // What the screen lacks now is asked for, whatever brought it there.
    ask_for_summary(model, &mut effects);
    ask_for_history(model, &mut effects);
    ask_for_figure(model, &mut effects);
    model.resume_link();
    model.save_place(&mut effects);
    model.send_to_speaker(&mut effects);
    effects
}

/// One line a message; what takes more is with its area.
fn take(model: &mut Model, msg: Msg, effects: &mut Vec<Effect>) {
    match msg {
        Msg::Action(action) => take_action(model, action, effects),
        Msg::Drawn(seen) => take_drawn(model, seen),
        // The program takes these.
        Msg::Lessons(_) | Msg::WelcomeLoaded(_) | Msg::About { .. } => {}
        Msg::Engine { engine, why, found } => take_engine(model, engine, found, why, effects),
        Msg::Notice(notice) => model.notice = Some(notice),
        Msg::Preparing { job, preparing } => take_preparing(model, job, preparing),
        Msg::Progress { job, progress } => take_progress(model, job, *progress),
        Msg::Counted { job, ran } => take_counted(model, job, ran),
        Msg::Finished { job, result } => take_finished(model, job, result, effects),
        Msg::EditsFound(edits) => model.restore(edits),
        Msg::Rested { revision } => rested(model, revision, effects),
        Msg::EditCompared {
            job,
            original,
            edited,
        } => take_tallies(model, job, &original, &edited),
        Msg::AnswerChecked(checked) => exercise::take_checked(model, checked, effects),
        Msg::Reloaded(lesson) if lesson.id == model.lesson.id => reload(model, *lesson, effects),
        Msg::Reloaded(_) => {}
        Msg::Broken(broken) => model.lesson_errors = Some(broken),
        Msg::FileChanged { file, text } => replace_text(model, &file, &text, effects),
        Msg::Captured { job, values } => take_captured(model, job, values, effects),
        Msg::Copied(result) => export::take_copied(model, result),
        Msg::Written(written) => export::take_written(model, written),
        Msg::RecordingsLoaded { samples } => model.runs.samples.take_recorded(samples),
        Msg::HistoryLoaded { of, result } => take_history(model, of, &result),
        Msg::Replayed { request, replayed } => figure::take_replayed(model, request, replayed),
        Msg::Tick => figure::tick(model),
        Msg::Clock(seconds) => take_clock(model, seconds),
        Msg::Summarised {
            job,
            buffer,
            summary,
        } => take_summary(model, job, buffer, &summary),
    }
}

fn take_action(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    // A line about the last action would seem to be about this one.
    model.notice = None;
    act(model, action, effects);
}

/// It is on screen: how much of everything fits there is known.
fn take_drawn(model: &mut Model, seen: FrameExtents) {
    model.look.seen = seen;
    if let (Some(first), Some(state)) = (seen.source.first, shown_run(model)) {
        state.scroll.take_first(first);
    }
    inspect(model, |inspector| inspector.take_fold(seen.matrix.fold));
}

fn take_preparing(model: &mut Model, job: u64, preparing: Preparing) {
    let Some((_, state)) = model.running(job) else {
        return;
    };
    if let Some(job) = &mut state.job {
        job.preparing = Some(preparing);
    }
    if let Preparing::Memory { .. } = preparing {
        model.notice = Some(preparing.to_string());
    }
}

fn take_progress(model: &mut Model, job: u64, progress: Progress) {
    if let Some((_, state)) = model.running(job) {
        state.take_progress(progress);
    }
}

fn take_clock(model: &mut Model, seconds: u64) {
    if let Some(presentation) = &mut model.presentation {
        presentation.seconds = seconds;
    }
}

/// It was found out what there is to run cells on: that is taken, unless cells ran already.
fn take_engine(
    model: &mut Model,
    engine: Engine,
    found: Option<String>,
    why: String,
    effects: &mut Vec<Effect>,
) {
    model.settings.found_gpu = found;
    // Whoever runs cells already has seen on what.
    if !model.runs.asked {
        model.settings.engine = engine;
        model.notice = Some(why);
        replan(model);
        // What runs by itself is made for what was just found.
        if stop(model, effects).is_some() {
            model.runs.arrived = None;
        }
    }
}

/// Whether the presentation or what lies over the page takes `action` for itself.
fn is_taken(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) -> bool {
    if turn_page(model, action) || typing::confirms(model, action, effects) {
        return true;
    }
    // The map of blocks has keys of its own for what means sizes and warps elsewhere.
    if model.context() == Context::BlockMap
        && let Some(map) = &mut model.popups.block_map
        && map.take(action)
    {
        return true;
    }
    // Whatever is pressed closes the list of keys; what the key means, it does.
    if std::mem::take(&mut model.popups.help)
        && matches!(action, Action::Back | Action::Popup(PopupAction::Help))
    {
        return true;
    }
    model.popups.tour.is_some() && tour::take(model, action, effects)
}

/// Does what the learner asks for: each area does its own.
fn act(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    if is_taken(model, &action, effects) {
        return;
    }
    match action {
        Action::Enter => act(model, enter(model), effects),
        Action::Quit => {
            keep(model, effects);
            effects.push(Effect::Quit);
        }
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Back => back(model, effects),
        Action::Copy(what) => effects.push(Effect::Copy(what)),
        Action::Export => export::ask_for_file(model),
        Action::Move(movement) => navigation::navigate(model, movement),
        Action::Lesson(action) => act_on_lesson(model, action),
        Action::View(action) => panes::act(model, action, effects),
        Action::Popup(action) => {
            if let Some(action) = popups::act(model, action, effects) {
                act(model, action, effects);
            }
        }
        Action::Run(action) => run::act(model, action, effects),
        Action::Inspector(action) => inspector::act(model, action, effects),
        Action::Prediction(PredictionAction::Skip) if model.exercise().is_some() => {
            exercise::show_solution(model, effects);
        }
        Action::Prediction(action) => prediction::act(model, action, effects),
        Action::Hint => exercise::show_hint(model, effects),
        Action::Table(action) => table::act(model, action),
        Action::Calculator(action) => calculator::act(model, action),
        Action::Figure(action) => figure::act(model, action),
        Action::Editor(action) => editor::act(model, action, effects),
        // The program does these.
        Action::GoHome | Action::Home(_) => {}
    }
}

/// What the page offers, where keys go now.
fn enter(model: &Model) -> Action {
    match model.context() {
        Context::Prompt | Context::Palette | Context::BlockMap => {
            Action::Popup(PopupAction::Confirm)
        }
        Context::Prediction => Action::Prediction(PredictionAction::Answer),
        Context::Blocks if model.is_figure_complete() => Action::Figure(FigureAction::Play),
        Context::Prose | Context::Calculator => Action::Lesson(LessonAction::Advance),
        Context::Evidence => Action::Back,
        _ => Action::Run(RunAction::Run),
    }
}

fn act_on_lesson(model: &mut Model, action: LessonAction) {
    match action {
        LessonAction::Advance => advance(model),
        LessonAction::Retreat => retreat(model),
        LessonAction::GoToCell(cell) => go_to_cell(model, cell),
        LessonAction::GoOn => go_on(model),
        LessonAction::Restart => restart::ask_restart(model),
    }
}

/// Closes what is open, the nearest first; else stops the runs.
fn back(model: &mut Model, effects: &mut Vec<Effect>) {
    let closed = model.popups.palette.open.take().is_some()
        || model.popups.prompt.take().is_some()
        || std::mem::take(&mut model.popups.help)
        || model.popups.evidence.take().is_some()
        || model.popups.block_map.take().is_some()
        || model.look.comparison.take().is_some()
        || model.lesson_errors.take().is_some();
    if closed {
        return;
    }
    if model.source_view().is_some() {
        return close(model);
    }
    model.runs.queue.clear();
    if let Some(stopped) = stop(model, effects) {
        model.notice = Some(stopped.to_owned());
    }
}
