//! Messages in, a new state and effects out.

use super::prompt::{self, Answer};
use super::{
    Action, CellState, Effect, Focus, Item, Job, Layout, Model, Msg, Prompt, PromptKind, RunState,
    Seen, Tab, run, sizes,
};
use crate::launch::WARP_LANES;
use crate::lesson::Cell;

/// Steps of a trace that a page is.
const STEP_PAGE: usize = 10;
/// Columns that the source moves by, and the most.
const COLUMN_STEP: usize = 8;
const COLUMN_LIMIT: usize = 160;

/// Takes `msg` into `model`; what is to be done outside comes back.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    match msg {
        Msg::Action(action) => {
            model.notice = None;
            act(model, action, &mut effects);
        }
        Msg::Seen(seen) => model.look.seen = seen,
        Msg::Progress { job, progress } => {
            if let Some((_, state)) = model.running(job) {
                state.take_progress(*progress);
            }
        }
        Msg::Finished { job, result } => {
            if let Some((_, state)) = model.running(job) {
                state.take_result(result);
                if let Some(next) = model.queue.pop_front() {
                    start(model, next, &mut effects);
                }
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
                    *slot = Some(summary);
                }
            }
        }
    }
    ask_for_summary(model, &mut effects);
    effects
}

impl Model {
    /// The cell whose run has number `job`, unless that run is out of date.
    fn running(&mut self, job: u64) -> Option<(usize, &mut RunState)> {
        let cells = self.cells.iter_mut().enumerate();
        let mut runs = cells.filter_map(|(i, cell)| match cell {
            CellState::Run(state) => Some((i, &mut **state)),
            CellState::Prose { .. } => None,
        });
        runs.find(|(_, state)| state.job.as_ref().is_some_and(|running| running.id == job))
    }
}

fn act(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    use Action::*;
    match action {
        Quit => effects.push(Effect::Quit),
        Suspend => effects.push(Effect::Suspend),
        Help => model.help = if model.help.is_some() { None } else { Some(0) },
        Back => back(model, effects),
        NextCell => go_to_cell(model, model.at + 1),
        PreviousCell => go_to_cell(model, model.at.saturating_sub(1)),
        GoToCell(cell) => go_to_cell(model, cell),
        NextFocus => move_focus(model, true),
        PreviousFocus => move_focus(model, false),
        Run => run_this(model, effects),
        RunAll => run_all(model, effects),
        Show(tab) => show(model, tab),
        NextMargin => {
            model.look.margin = model.look.margin.next();
            model.notice = Some(format!("margin: {}", model.look.margin.name()));
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
        PickBlock => model.prompt = Some(Prompt::new(PromptKind::Block)),
        GoTo => model.prompt = Some(Prompt::new(prompt::go_to(model))),
        Zoom => model.look.zoom = !model.look.zoom,
        Type(character) => type_character(model, character),
        Erase => {
            if let Some(prompt) = &mut model.prompt {
                prompt.input.pop();
                prompt.error = None;
            }
        }
        Confirm => confirm(model, effects),
    }
}

/// Closes what is open, the nearest first; else stops the runs.
fn back(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.prompt.take().is_some() || model.help.take().is_some() {
        return;
    }
    model.queue.clear();
    let mut stopped = false;
    for cell in &mut model.cells {
        if let CellState::Run(state) = cell
            && let Some(job) = state.job.take()
        {
            effects.push(Effect::Cancel { job: job.id });
            stopped = true;
        }
    }
    if stopped {
        model.notice = Some("run cancelled; enter starts it again".to_owned());
    } else if model.look.zoom {
        model.look.zoom = false;
    }
}

fn go_to_cell(model: &mut Model, cell: usize) {
    let cell = cell.min(model.cells.len().saturating_sub(1));
    if cell == model.at {
        let last = cell + 1 == model.cells.len();
        model.notice = Some(
            if last {
                "this is the last cell"
            } else {
                "this is the first cell"
            }
            .to_owned(),
        );
        return;
    }
    model.at = cell;
    model.help = None;
    model.look.focus = Focus::Source;
    if model.look.tab == Tab::Values || model.look.seen.layout == Layout::One {
        model.look.tab = Tab::Source;
    }
}

/// Panes in the order of tab: source, output, sizes; one pane and the sizes where one fits.
fn move_focus(model: &mut Model, forward: bool) {
    if model.run_cell().is_none() {
        return;
    }
    let panes: &[Focus] = match (model.look.seen.layout, model.look.zoom) {
        (Layout::One, _) => &[Focus::Source, Focus::Sizes],
        (_, true) => &[Focus::Output, Focus::Sizes],
        (_, false) => &[Focus::Source, Focus::Output, Focus::Sizes],
    };
    let at = panes.iter().position(|&pane| pane == model.look.focus);
    let (at, count) = (at.unwrap_or(0), panes.len());
    let next = if forward { at + 1 } else { at + count - 1 };
    model.look.focus = panes[next % count];
}

fn show(model: &mut Model, tab: Tab) {
    let again = model.look.tab == tab;
    model.look.tab = tab;
    model.look.focus = match tab {
        Tab::Source => Focus::Source,
        Tab::Counts | Tab::Values => Focus::Output,
    };
    if again && tab == Tab::Values {
        step_item(model, 1);
    }
}

/// Starts the cell on screen, stopping its old run.
fn run_this(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.run_cell().is_none() {
        model.notice = Some("this cell is text; n goes on, R runs every cell".to_owned());
        return;
    }
    model.queue.clear();
    start(model, model.at, effects);
}

fn run_all(model: &mut Model, effects: &mut Vec<Effect>) {
    let cells = model.lesson.cells.iter().enumerate();
    let runs = cells.filter(|(_, cell)| matches!(cell, Cell::Run(_)));
    model.queue = runs.map(|(i, _)| i).collect();
    if let Some(first) = model.queue.pop_front() {
        start(model, first, effects);
    }
}

/// Starts cell `index`; whatever runs is stopped first, for results that nobody waits for cost
/// time of those that somebody does.
fn start(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    for cell in &mut model.cells {
        if let CellState::Run(state) = cell
            && let Some(job) = state.job.take()
        {
            effects.push(Effect::Cancel { job: job.id });
        }
    }
    let sizes = model.sizes.clone();
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
    });
}

/// Runs the cell on screen again if it ran before: its numbers follow what was changed.
fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    let ran = model
        .run_cell()
        .is_some_and(|(_, state)| state.ran.is_some() || state.job.is_some());
    if ran {
        model.queue.clear();
        start(model, model.at, effects);
    }
}

fn change_size(model: &mut Model, change: impl Fn(u64) -> u64, effects: &mut Vec<Effect>) {
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
        let limit = sizes::grouped(limit);
        model.notice = Some(format!("{} is at its {end}, {limit}", size.name));
        return;
    }
    set_size(model, index, new, effects);
}

fn set_size(model: &mut Model, index: usize, value: u64, effects: &mut Vec<Effect>) {
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

fn select_launch(model: &mut Model, launch: Option<usize>) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let plan = state.plan.as_ref().ok();
    let kernel = launch.and_then(|launch| plan?.launches.get(launch));
    let line = kernel.and_then(|launch| kernel_line(cell.source.text(), &launch.kernel));
    let limit = model.look.seen.source.max_scroll();
    let Some(state) = model.run_state() else {
        return;
    };
    state.launch = launch;
    state.inspector.step = 0;
    state.inspector.variable = None;
    if let Some(line) = line {
        state.source_scroll = line.saturating_sub(2).min(limit);
    }
}

/// The line (from 0) on which the text names `kernel` before a parenthesis.
fn kernel_line(text: &str, kernel: &str) -> Option<usize> {
    text.lines().position(|line| {
        let code = line.split("//").next().unwrap_or("");
        code.match_indices(kernel).any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let before = code[..at].chars().next_back();
            let after = code[at + kernel.len()..].trim_start();
            !before.is_some_and(word) && after.starts_with('(')
        })
    })
}

/// The next launch: all together, the first, the second, …
fn step_launch(model: &mut Model, forward: bool) {
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let count = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let launch = match (state.launch, forward) {
        (None, true) => Some(0),
        (None, false) => count.checked_sub(1),
        (Some(launch), true) => Some(launch + 1).filter(|&next| next < count),
        (Some(launch), false) => launch.checked_sub(1),
    };
    select_launch(model, launch);
}

fn step_item(model: &mut Model, by: isize) {
    if let Some(state) = model.run_state() {
        let count = state.inspector.items.len() as isize;
        let next = (state.inspector.chosen as isize + by).rem_euclid(count.max(1));
        state.inspector.choose(next as usize);
    }
}

fn step_warp(model: &mut Model, by: i64, effects: &mut Vec<Effect>) {
    let Some(state) = model.run_state() else {
        return;
    };
    let Some((_, block)) = state.watched_launch() else {
        return;
    };
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    let warps = threads.div_ceil(WARP_LANES as u64).max(1) as i64;
    let warp = (i64::from(state.inspector.watch.warp) + by).rem_euclid(warps) as u32;
    if warp != state.inspector.watch.warp {
        state.inspector.watch.warp = warp;
        follow(model, effects);
    } else {
        model.notice = Some("the block has one warp".to_owned());
    }
}

/// A character typed: into the open question, or as the start of a new size.
fn type_character(model: &mut Model, character: char) {
    if let Some(prompt) = &mut model.prompt {
        prompt.push(character);
    } else if model.run_cell().is_some() && model.look.size < model.lesson.sizes.len() {
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
        Answer::Cell(cell) => go_to_cell(model, cell),
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

fn place_cursor(model: &mut Model, row: usize, column: usize) {
    let seen = model.look.seen;
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Item::Buffer(buffer) = state.inspector.item() else {
        return;
    };
    let matrix = state.matrix(cell, buffer);
    if let (Some(matrix), Some(state)) = (matrix, model.run_state()) {
        state.inspector.place_cursor(&matrix, row, column, &seen);
    }
}

/// Space: a page further, and the next cell after the last page.
fn advance(model: &mut Model) {
    let seen = model.look.seen;
    match model.cells.get_mut(model.at) {
        Some(CellState::Prose { scroll }) if *scroll < seen.prose.max_scroll() => {
            *scroll = scrolled(*scroll, page(seen.prose.visible), seen.prose.max_scroll());
        }
        _ => go_to_cell(model, model.at + 1),
    }
}

fn page(visible: usize) -> isize {
    visible.saturating_sub(2).max(1) as isize
}

fn scrolled(scroll: usize, by: isize, max: usize) -> usize {
    scroll.min(max).saturating_add_signed(by).min(max)
}

/// Lines that `action` moves by in a pane of which `visible` lines are on screen.
fn lines_of(action: &Action, visible: usize) -> isize {
    match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::PageUp => -page(visible),
        Action::PageDown => page(visible),
        Action::Home => -(isize::MAX / 2),
        Action::End => isize::MAX / 2,
        _ => 0,
    }
}

/// Arrows, pages, home and end, where the learner is.
fn travel(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) {
    use super::Context;
    let seen = model.look.seen;
    let scroll = |at: &mut usize, extent: super::Extent| {
        let by = lines_of(action, extent.visible);
        *at = scrolled(*at, by, extent.max_scroll());
    };
    match model.context() {
        Context::Help => {
            if let Some(at) = &mut model.help {
                scroll(at, seen.help);
            }
        }
        Context::Prose => {
            if let Some(CellState::Prose { scroll: at }) = model.cells.get_mut(model.at) {
                scroll(at, seen.prose);
            }
        }
        Context::Sizes => travel_sizes(model, action, effects),
        Context::Source => {
            if let Some(state) = model.run_state() {
                scroll(&mut state.source_scroll, seen.source);
                let column = &mut state.source_column;
                match action {
                    Action::Left => *column = column.saturating_sub(COLUMN_STEP),
                    Action::Right => *column = (*column + COLUMN_STEP).min(COLUMN_LIMIT),
                    _ => {}
                }
            }
        }
        Context::Counts => {
            if let Some(state) = model.run_state() {
                scroll(&mut state.counts_scroll, seen.counts);
            }
        }
        Context::Buffer => travel_buffer(model, action, &seen),
        Context::Warp => travel_warp(model, action),
        Context::Prompt => {}
    }
}

fn travel_sizes(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) {
    let last = model.lesson.sizes.len().saturating_sub(1);
    let size = &mut model.look.size;
    match action {
        Action::Left => *size = size.saturating_sub(1),
        Action::Right => *size = (*size + 1).min(last),
        Action::Home => *size = 0,
        Action::End => *size = last,
        Action::Up => change_size(model, sizes::up, effects),
        Action::Down => change_size(model, sizes::down, effects),
        Action::PageUp => change_size(model, |value| value.saturating_mul(2), effects),
        Action::PageDown => change_size(model, |value| value / 2, effects),
        _ => {}
    }
}

fn travel_buffer(model: &mut Model, action: &Action, seen: &Seen) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Item::Buffer(buffer) = state.inspector.item() else {
        return;
    };
    let Some(matrix) = state.matrix(cell, buffer) else {
        return;
    };
    let columns = match action {
        Action::Left => -1,
        Action::Right => 1,
        _ => 0,
    };
    let rows = lines_of(action, seen.rows.visible);
    if let Some(state) = model.run_state() {
        state.inspector.move_cursor(&matrix, rows, columns, seen);
    }
}

fn travel_warp(model: &mut Model, action: &Action) {
    let Some(state) = model.run_state() else {
        return;
    };
    let (Some(step), Some((_, trace))) = (state.step(), state.trace()) else {
        return;
    };
    let variable = state.inspector.variable(trace);
    let last = trace.steps.len() - 1;
    let variables = trace.variables.len();
    let inspector = &mut state.inspector;
    match action {
        Action::Left => inspector.step = step.saturating_sub(1),
        Action::Right => inspector.step = (step + 1).min(last),
        Action::PageUp => inspector.step = step.saturating_sub(STEP_PAGE),
        Action::PageDown => inspector.step = (step + STEP_PAGE).min(last),
        Action::Home => inspector.step = 0,
        Action::End => inspector.step = last,
        Action::Up => inspector.variable = Some(variable.saturating_sub(1)),
        Action::Down => inspector.variable = Some((variable + 1).min(variables.saturating_sub(1))),
        _ => {}
    }
    show_step_line(model);
}

/// Scrolls the source so that the line of the step is on screen.
fn show_step_line(model: &mut Model) {
    let seen = model.look.seen.source;
    let Some(state) = model.run_state() else {
        return;
    };
    let line = state.step().and_then(|step| {
        let (_, trace) = state.trace()?;
        Some(trace.steps.get(step)?.line as usize - 1)
    });
    if let Some(line) = line {
        let on_screen = state.source_scroll..state.source_scroll + seen.visible;
        if seen.visible > 0 && !on_screen.contains(&line) {
            state.source_scroll = line.saturating_sub(seen.visible / 3).min(seen.max_scroll());
        }
    }
}

/// Asks for the summary of the buffer on screen, once.
fn ask_for_summary(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.shows_values() {
        return;
    }
    let Some(state) = model.run_state() else {
        return;
    };
    let (Item::Buffer(buffer), Some(ran)) = (state.inspector.item(), &state.ran) else {
        return;
    };
    let wanted = ran.result.outcome.buffers.get(buffer);
    if wanted.is_none() || state.asked == Some((ran.job, buffer)) {
        return;
    }
    if state.summaries.get(buffer).is_some_and(Option::is_none) {
        state.asked = Some((ran.job, buffer));
        let ran = ran.clone();
        effects.push(Effect::Summarise { ran, buffer });
    }
}
