//! Messages in, a new state and effects out.

use crate::app::state::cells::sizes;
use crate::app::state::saved::SCHEME_KEY;
use crate::app::state::{
    Action, CellState, Context, Focus, HelpPage, Model, Picker, Prompt, PromptKind,
};
use crate::app::update::cells::figure::ask_for_figure;
use crate::app::update::cells::run::{check_this, run_all, run_this, select_launch, step_launch};
use crate::app::update::cells::settings::{change_size, set_size, switch_engine};
use crate::app::update::cells::{calculator, comparison, figure, prediction, restart, table};
use crate::app::update::editor::commands;
use crate::app::update::editor::commands::{
    ask_for_reset, open_editor, replace_text, show_changes, take_command,
};
use crate::app::update::editor::runs::{
    ask_for_tallies, findings_only, keep, rested, take_tallies,
};
use crate::app::update::inspector::inside::ask_for_inside;
use crate::app::update::inspector::jump::{go_to_step, jump, run_to_line};
use crate::app::update::inspector::selection::{
    ask_for_summary, inspect, next_facet, place_cursor, step_item, step_warp, switch_moment, watch,
};
use crate::app::update::message::{Effect, Msg};
use crate::app::update::panes::move_focus;
use crate::app::update::popups::typing::{confirm, erase, type_character};
use crate::app::update::popups::{answers, export, palette};
use crate::app::update::presentation::turn_page;
use crate::app::update::reload::reload;
use crate::app::update::runs::{replan, start_next, stop};
use crate::app::update::selection::{advance, go_on, go_to_cell};
use crate::app::update::{navigation, panes};
use crate::launch::WARP_LANES;

/// Takes `msg` into `model`; what is to be done outside comes back.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    match msg {
        Msg::Action(action) => {
            model.notice = None;
            act(model, action, &mut effects);
        }
        Msg::Drawn(seen) => model.look.seen = seen,
        // The program takes these.
        Msg::Lessons(_) | Msg::About { .. } => {}
        Msg::Engine { engine, why, found } => {
            model.settings.found_gpu = found;
            // Whoever runs cells already has seen on what.
            if model.runs.last_job == 0 {
                model.settings.engine = engine;
                model.notice = Some(why);
                replan(model);
            }
        }
        Msg::Notice(notice) => model.notice = Some(notice),
        Msg::Progress { job, progress } => {
            if let Some((_, state)) = model.running(job) {
                state.take_progress(*progress);
            }
        }
        Msg::Counted { job, ran } => {
            let has_counts = !findings_only(model, job, &ran);
            if let (true, Some((_, state))) = (has_counts, model.running(job)) {
                state.take_counted(ran);
            }
        }
        Msg::Finished { job, result } => {
            let only = result
                .as_ref()
                .is_ok_and(|ran| findings_only(model, job, ran));
            if let Some((cell, state)) = model.running(job) {
                let right = result
                    .as_ref()
                    .is_ok_and(|ran| ran.result.ok && !ran.edited);
                match only {
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
                    Some(ran) => effects.push(Effect::Capture { ran }),
                    None => start_next(model, &mut effects),
                }
                if right {
                    model.save_run(cell, &mut effects);
                }
            }
            ask_for_tallies(model, job, &mut effects);
        }
        Msg::EditsFound(edits) => model.restore(edits),
        Msg::Rested { revision } => rested(model, revision, &mut effects),
        Msg::EditCompared {
            job,
            original,
            edited,
        } => take_tallies(model, job, (original, edited)),
        Msg::Reloaded(lesson) if lesson.id == model.lesson.id => {
            reload(model, *lesson, &mut effects);
        }
        Msg::Reloaded(_) => {}
        Msg::Broken(broken) => model.broken = Some(broken),
        Msg::FileChanged { file, text } => replace_text(model, &file, &text, &mut effects),
        Msg::Captured { job, values } => {
            if let Some(state) = model.capturing(job) {
                state.take_captured(values);
                start_next(model, &mut effects);
            }
        }
        Msg::Copied(result) => export::take_copied(model, result),
        Msg::Written(written) => export::take_written(model, written),
        Msg::RecordingsLoaded { samples } => model.runs.samples.take_recorded(samples),
        Msg::HistoryLoaded { of, result } => {
            for cell in &mut model.cells {
                if let CellState::Run(state) = cell {
                    state.take_inside(of, result.clone());
                }
            }
        }
        Msg::Replayed {
            cell,
            sizes,
            gpu,
            replayed,
        } => figure::take_replayed(model, cell, (sizes, gpu), replayed),
        Msg::Tick => figure::tick(model),
        Msg::Clock(seconds) => {
            if let Some(presentation) = &mut model.presentation {
                presentation.seconds = seconds;
            }
        }
        Msg::Summarised {
            job,
            buffer,
            summary,
        } => {
            for cell in &mut model.cells {
                if let CellState::Run(state) = cell
                    && state.ran.as_ref().is_some_and(|ran| ran.job == job)
                    && let Some(slot) = state.summaries.get_mut(buffer)
                {
                    *slot = Some(summary.clone());
                }
            }
        }
    }
    ask_for_summary(model, &mut effects);
    ask_for_inside(model, &mut effects);
    ask_for_figure(model, &mut effects);
    model.resume_link();
    model.save_place(&mut effects);
    model.send_to_speaker(&mut effects);
    effects
}

pub(crate) fn act(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    use Action::*;
    if turn_page(model, &action) {
        return;
    }
    match action {
        Quit => {
            keep(model, effects);
            effects.push(Effect::Quit);
        }
        Suspend => effects.push(Effect::Suspend),
        Help => {
            model.popups.help = HelpPage::toggled(model.popups.help.take());
        }
        Palette => palette::toggle(model),
        PickEntry(entry) => {
            if let Some(action) = palette::pick(model, entry) {
                act(model, action, effects);
            }
        }
        NextScheme => {
            model.look.scheme = model.look.scheme.next();
            let name = model.look.scheme.name();
            model.save_value(SCHEME_KEY, Some(name.to_owned()), effects);
            model.notice = Some(format!("theme: {name}"));
        }
        Copy(what) => effects.push(Effect::Copy(what)),
        Export => export::ask_for_file(model),
        Explain => model.popups.explained = toggled(model.popups.explained.take()),
        Compare => comparison::compare(model),
        Back => back(model, effects),
        NextCell => go_to_cell(model, model.at + 1),
        PreviousCell => go_to_cell(model, model.at.saturating_sub(1)),
        GoToCell(cell) => go_to_cell(model, cell),
        NextFocus if model.figure().is_some() => figure::step_plot(model, 1),
        PreviousFocus if model.figure().is_some() => figure::step_plot(model, -1),
        NextFocus => move_focus(model, true),
        PreviousFocus => move_focus(model, false),
        Run => run_this(model, effects),
        RunChecked => check_this(model, effects),
        RunAll => run_all(model, effects),
        SwitchEngine => switch_engine(model, effects),
        Show(tab) => panes::show(model, tab),
        NextMetric => {
            model.look.metric = model.look.metric.next();
            model.notice = Some(format!("margin: {}", model.look.metric.name()));
        }
        PickMetric => model.popups.prompt = Some(Prompt::listing(PromptKind::GutterMetric, model)),
        PickGpu => model.popups.prompt = Some(Prompt::listing(PromptKind::Gpu, model)),
        Choose(at) => {
            if let Some(prompt) = &mut model.popups.prompt {
                prompt.chosen = at;
            }
            if let Some(action) = confirm(model, effects) {
                act(model, action, effects);
            }
        }
        Up | Down | Left | Right | PageUp | PageDown | Home | End => {
            navigation::travel(model, &action, effects);
        }
        NextWarp | PreviousWarp | Increase | Decrease if model.context() == Context::Picker => {
            navigation::travel(model, &action, effects);
        }
        Advance => advance(model),
        Increase => change_size(model, sizes::up, effects),
        Decrease => change_size(model, sizes::down, effects),
        Double => change_size(model, |value| value.saturating_mul(2), effects),
        Halve => change_size(model, |value| value / 2, effects),
        SelectSize(index) => {
            model.look.focus = Focus::Sizes;
            model.look.size = index;
        }
        SetSize(index, value) => {
            model.look.focus = Focus::Sizes;
            model.look.size = index;
            set_size(model, index, value, effects);
        }
        NextLaunch => step_launch(model, true),
        PreviousLaunch => step_launch(model, false),
        SelectLaunch(launch) => select_launch(model, launch),
        PreviousItem => step_item(model, -1),
        SelectItem(item) => inspect(model, |inspector| inspector.choose(item)),
        NextWarp => step_warp(model, 1, effects),
        PreviousWarp => step_warp(model, -1, effects),
        Answer => prediction::answer(model, effects),
        Skip => prediction::skip(model, effects),
        SelectChoice(choice) => prediction::select_choice(model, choice, effects),
        SelectFigure(row, column) => table::select_figure(model, row, column),
        Sort => table::sort(model),
        CompareRow => table::compare(model),
        SelectInput(input) => calculator::select_input(model, input),
        SetInput(input, value) => calculator::set_input(model, input, value),
        Original => calculator::original(model),
        Fold => restart::fold(model),
        Restart => restart::ask_restart(model),
        PickBlock => model.popups.picker = Picker::new(model),
        Action::Watch(chosen) => {
            model.popups.picker = None;
            watch(model, chosen, effects);
        }
        Jump(to, direction) => jump(model, to, direction),
        Scrub(step) => go_to_step(model, step),
        RunToLine(line) => run_to_line(model, line),
        AskLine => model.popups.prompt = Some(Prompt::new(PromptKind::RunTo)),
        NextLane => inspect(model, |inspector| inspector.step_lane(1)),
        PreviousLane => inspect(model, |inspector| inspector.step_lane(-1)),
        SelectLane(lane) => inspect(model, |inspector| inspector.lane = lane % WARP_LANES),
        SelectVariable(variable) => {
            inspect(model, |inspector| inspector.variable = Some(variable));
        }
        SelectElement(row, column) => place_cursor(model, row, column),
        NextFacet => next_facet(model),
        SwitchMoment => switch_moment(model),
        GoTo => model.popups.prompt = Some(Prompt::new(answers::go_to(model))),
        Play | SelectPoint(..) | SelectPlot(_) | SelectVisit(_) => figure::act(model, &action),
        Zoom => model.look.zoom = !model.look.zoom,
        GoHome | Search | SelectLesson(_) => {}
        GoOn => go_on(model),
        Tour => model.begin_tour(),
        NextOfTour => model.next_of_tour(effects),
        EndTour => model.end_tour(effects),
        Type(character) => type_character(model, character),
        Erase => erase(model),
        Confirm => {
            if let Some(action) = confirm(model, effects) {
                act(model, action, effects);
            }
        }
        EditKernel => commands::open(model),
        Edit(command) => take_command(model, command, effects),
        OpenEditor => open_editor(model, effects),
        ShowChanges => show_changes(model),
        ResetKernel => ask_for_reset(model),
    }
}

/// The first line of a text that is opened; nothing where it was open.
fn toggled(open: Option<usize>) -> Option<usize> {
    open.is_none().then_some(0)
}

/// Closes what is open, the nearest first; else stops the runs.
fn back(model: &mut Model, effects: &mut Vec<Effect>) {
    let closed = model.popups.palette.open.take().is_some()
        || model.popups.prompt.take().is_some()
        || model.popups.help.take().is_some()
        || model.popups.explained.take().is_some()
        || model.popups.picker.take().is_some()
        || model.look.comparison.take().is_some()
        || model.broken.take().is_some();
    if closed {
        return;
    }
    if model.source_view().is_some() {
        model.edits.view = None;
        return;
    }
    model.runs.queue.clear();
    if let Some(stopped) = stop(model, effects) {
        model.notice = Some(stopped.to_owned());
    } else if model.look.zoom {
        model.look.zoom = false;
    }
}
