//! Messages in, a new state and effects out.

use super::edit_actions::{
    ask_for_reset, find, go_to_line, open, open_editor, replace_text, reset, show_changes,
    take_stroke,
};
use super::edit_runs::{ask_for_tallies, findings_only, keep, rested, run_again, take_tallies};
use super::figure::{self, ask_for_figure};
use super::gpu::set_gpu;
use super::progress::go_on;
use super::prompt::{self, Answer};
use super::real::{next_difference, show_ptx_of};
use super::reload::reload;
use super::runs::{change_size, follow, run_all, run_this, set_size, start, stop, switch_engine};
use super::select::{
    ask_for_summary, go_to_cell, move_focus, place_cursor, select_launch, show, step_item,
    step_launch, step_warp,
};
use super::travel::{advance, travel};
use super::{
    Action, CellState, Context, Effect, Focus, Model, Msg, Prompt, PromptKind, RunState, sizes,
    versus,
};

/// Takes `msg` into `model`; what is to be done outside comes back.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    match msg {
        Msg::Action(action) => {
            model.notice = None;
            act(model, action, &mut effects);
        }
        Msg::Seen(seen) => model.look.seen = seen,
        // The home screen takes these.
        Msg::Lessons(_) => {}
        Msg::Engine { engine, why } => {
            // Whoever runs cells already has seen on what.
            if model.last_job == 0 {
                model.engine = engine;
                model.notice = Some(why);
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
                    model.keep_ran(cell, &mut effects);
                }
            }
            ask_for_tallies(model, job, &mut effects);
        }
        Msg::EditsFound(edits) => {
            model.restore(edits);
            run_again(model, &mut effects);
        }
        Msg::Rested { revision } => rested(model, revision, &mut effects),
        Msg::Contrasted {
            job,
            original,
            edited,
        } => take_tallies(model, job, (original, edited)),
        Msg::Reloaded(lesson) if lesson.id == model.lesson.id => {
            reload(model, *lesson, &mut effects);
        }
        // The learner is in another lesson.
        Msg::Reloaded(_) => {}
        Msg::Broken(broken) => model.broken = Some(broken),
        Msg::FileChanged { file, text } => replace_text(model, &file, &text, &mut effects),
        Msg::Captured { job, values } => {
            if let Some(state) = model.capturing(job) {
                state.take_captured(values);
                start_next(model, &mut effects);
            }
        }
        Msg::Recalled { lesson, samples } if lesson == model.lesson.id => {
            model.samples.take_recorded(samples);
        }
        Msg::Ordered {
            lesson,
            cell,
            sizes,
            order,
        } if lesson == model.lesson.id => figure::take_order(model, cell, &sizes, order),
        // Of a lesson that was left meanwhile.
        Msg::Recalled { .. } | Msg::Ordered { .. } => {}
        Msg::Tick => figure::tick(model),
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
                    *slot = Some(summary);
                }
            }
        }
    }
    ask_for_summary(model, &mut effects);
    ask_for_figure(model, &mut effects);
    model.land();
    model.keep_place(&mut effects);
    effects
}

impl Model {
    /// The cell whose run has number `job`, unless that run is out of date.
    pub(super) fn running(&mut self, job: u64) -> Option<(usize, &mut RunState)> {
        let cells = self.cells.iter_mut().enumerate();
        let mut runs = cells.filter_map(|(i, cell)| match cell {
            CellState::Run(state) => Some((i, &mut **state)),
            _ => None,
        });
        runs.find(|(_, state)| state.job.as_ref().is_some_and(|running| running.id == job))
    }
}

/// The next of the cells that wait to be run.
fn start_next(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(next) = model.queue.pop_front() {
        start(model, next, effects);
    }
}

fn act(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    use Action::*;
    match action {
        Quit => {
            keep(model, effects);
            effects.push(Effect::Quit);
        }
        Suspend => effects.push(Effect::Suspend),
        Help => model.help = toggled(model.help.take().or(model.explained.take())),
        Explain => model.explained = toggled(model.explained.take()),
        Compare => versus::compare(model),
        Back => back(model, effects),
        NextCell => go_to_cell(model, model.at + 1),
        PreviousCell => go_to_cell(model, model.at.saturating_sub(1)),
        GoToCell(cell) => go_to_cell(model, cell),
        NextFocus if model.figure().is_some() => figure::step_plot(model, 1),
        PreviousFocus if model.figure().is_some() => figure::step_plot(model, -1),
        NextFocus => move_focus(model, true),
        PreviousFocus => move_focus(model, false),
        Run => run_this(model, effects),
        RunAll => run_all(model, effects),
        SwitchEngine => switch_engine(model, effects),
        Show(tab) => show(model, tab),
        NextMargin => {
            model.look.margin = model.look.margin.next();
            model.notice = Some(format!("margin: {}", model.look.margin.name()));
        }
        PickMargin => model.prompt = Some(Prompt::listing(PromptKind::Margin, model)),
        PickGpu => model.prompt = Some(Prompt::listing(PromptKind::Gpu, model)),
        Choose(at) => {
            if let Some(prompt) = &mut model.prompt {
                prompt.chosen = at;
            }
            confirm(model, effects);
        }
        Up | Down | Left | Right | PageUp | PageDown | Home | End => {
            travel(model, &action, effects);
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
        NextItem => step_item(model, 1),
        PreviousItem => step_item(model, -1),
        SelectItem(item) => {
            if let Some(state) = model.run_state() {
                state.inspector.choose(item);
            }
        }
        NextWarp => step_warp(model, 1, effects),
        PreviousWarp => step_warp(model, -1, effects),
        NextDifference => next_difference(model),
        PickBlock => model.prompt = Some(Prompt::new(PromptKind::Block)),
        GoTo => model.prompt = Some(Prompt::new(prompt::go_to(model))),
        Play | SelectPoint(..) | SelectPlot(_) | SelectVisit(_) => figure::act(model, &action),
        Zoom => model.look.zoom = !model.look.zoom,
        GoHome | Search | SelectLesson(_) => {}
        GoOn => go_on(model),
        Tour => model.begin_tour(),
        NextOfTour => model.next_of_tour(effects),
        EndTour => model.end_tour(effects),
        Type(character) => type_character(model, character),
        Erase => {
            if let Some(prompt) = &mut model.prompt {
                prompt.input.pop();
                prompt.chosen = 0;
                prompt.error = None;
            }
        }
        Confirm => confirm(model, effects),
        EditKernel => open(model),
        Edit(stroke) => take_stroke(model, stroke, effects),
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
    let closed = model.prompt.take().is_some() || model.help.take().is_some();
    if closed || model.explained.take().is_some() || model.look.versus.take().is_some() {
        return;
    }
    if model.broken.take().is_some() {
        return;
    }
    if model.source_view().is_some() {
        model.edits.view = None;
        return;
    }
    model.queue.clear();
    if let Some(stopped) = stop(model, effects) {
        model.notice = Some(stopped.to_owned());
    } else if model.look.zoom {
        model.look.zoom = false;
    }
}

/// A character typed: into the open question, or as the start of a new size.
fn type_character(model: &mut Model, character: char) {
    if let Some(prompt) = &mut model.prompt {
        prompt.push(character);
    } else if (model.run_cell().is_some() || model.figure().is_some())
        && model.look.size < model.lesson.sizes.len()
    {
        let mut prompt = Prompt::new(PromptKind::Size(model.look.size));
        prompt.push(character);
        model.look.focus = Focus::Sizes;
        model.prompt = Some(prompt);
    }
}

fn confirm(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(asked) = model.prompt.take() else {
        return;
    };
    let answer = match prompt::answer(&asked, model) {
        Ok(answer) => answer,
        Err(error) => {
            let error = Some(error);
            model.prompt = Some(Prompt { error, ..asked });
            return;
        }
    };
    let seen = model.look.seen;
    match answer {
        Answer::Size(index, value) => set_size(model, index, value, effects),
        Answer::Margin(margin) => model.look.margin = margin,
        Answer::Gpu(index) => set_gpu(model, index, effects),
        Answer::Versus(cell) => versus::open(model, cell),
        Answer::Cell(cell) => go_to_cell(model, cell),
        Answer::Line(line) if model.context() == Context::Ptx => {
            show_ptx_of(model, line as u32 + 1)
        }
        Answer::Line(line) if model.context() == Context::Editor => {
            go_to_line(model, line);
        }
        Answer::Nothing => {}
        Answer::Find(wanted) => find(model, wanted),
        Answer::Reset => reset(model, effects),
        Answer::Line(line) => {
            if let Some(state) = model.run_state() {
                state.source_scroll = line.min(seen.source.max_scroll());
            }
        }
        Answer::Element(row, column) => place_cursor(model, row, column),
        Answer::Step(step) => {
            if let Some(state) = model.run_state() {
                state.inspector.step = step;
            }
        }
        Answer::Block(block) => {
            if let Some(state) = model.run_state() {
                state.inspector.watch.block = block;
                state.inspector.step = 0;
            }
            follow(model, effects);
        }
    }
}
