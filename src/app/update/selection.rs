//! What is on screen: the cell, the pane, the launch, the values.

use super::runs::follow;
use crate::app::state::cells::comparison;
use crate::app::state::unfold;
use crate::app::state::{Action, Effect, Focus, Item, Layout, Model, Tab};
use crate::launch::{Engine, WARP_LANES, Watch};

pub(crate) fn go_to_cell(model: &mut Model, cell: usize) {
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
    model.edits.view = None;
    model.explained = None;
    model.look.versus = None;
    model.look.focus = Focus::Source;
    if matches!(model.look.tab, Tab::Values | Tab::Ptx) || model.look.seen.layout == Layout::One {
        model.look.tab = Tab::Source;
    }
}

/// Panes in the order of tab: source, output, sizes; one pane and the sizes where one fits.
pub(crate) fn move_focus(model: &mut Model, forward: bool) {
    if model.look.versus.is_some() {
        return comparison::turn(model, &Action::NextFocus);
    }
    if model.prediction().is_some() {
        let by = |at: usize, last| match forward {
            true => (at + 1) % (last + 1),
            false => at.checked_sub(1).unwrap_or(last),
        };
        return model.choose_size(by);
    }
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

pub(crate) fn show(model: &mut Model, tab: Tab) {
    if model.look.versus.is_some() {
        return comparison::turn(model, &Action::Show(tab));
    }
    unfold(model);
    let again = model.look.tab == tab;
    model.look.tab = tab;
    model.look.focus = match tab {
        Tab::Source => Focus::Source,
        Tab::Counts | Tab::Values | Tab::Ptx => Focus::Output,
    };
    if again && tab == Tab::Values {
        step_item(model, 1);
    }
}

pub(crate) fn select_launch(model: &mut Model, launch: Option<usize>) {
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
    state.ptx_at = 0;
    state.inspector.step = 0;
    state.inspector.variable = None;
    if let Some(line) = line {
        state.source_scroll = line.saturating_sub(2).min(limit);
    }
}

/// The line (from 0) on which the text names `kernel` before a parenthesis.
pub(crate) fn kernel_line(text: &str, kernel: &str) -> Option<usize> {
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
pub(crate) fn step_launch(model: &mut Model, forward: bool) {
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

pub(crate) fn step_item(model: &mut Model, by: isize) {
    if let Some(state) = model.run_state() {
        let count = state.inspector.items.len() as isize;
        let next = (state.inspector.chosen as isize + by).rem_euclid(count.max(1));
        state.inspector.choose(next as usize);
    }
}

pub(crate) fn step_warp(model: &mut Model, by: i64, effects: &mut Vec<Effect>) {
    let Some(state) = model.run_state() else {
        return;
    };
    let Some((_, block)) = state.watched_launch() else {
        return;
    };
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    let warps = threads.div_ceil(WARP_LANES as u64).max(1) as i64;
    let warp = (i64::from(state.inspector.watch.warp) + by).rem_euclid(warps) as u32;
    let chosen = Watch {
        warp,
        ..state.inspector.watch
    };
    if chosen != state.inspector.watch {
        watch(model, chosen, effects);
    } else {
        model.notice = Some("the block has one warp".to_owned());
    }
}

/// Looks into another block or warp. Values of a real GPU are captured in a run, so that such a run
/// starts again.
pub(crate) fn watch(model: &mut Model, chosen: Watch, effects: &mut Vec<Effect>) {
    let Some(state) = model.run_state() else {
        return;
    };
    let has_changed = state.inspector.watch != chosen;
    state.inspector.watch = chosen;
    let ran = state.ran.as_ref();
    let is_real = ran.is_some_and(|ran| ran.result.outcome.engine == Engine::Gpu);
    if has_changed && (is_real || state.job.is_some()) {
        follow(model, effects);
    }
}

/// The warp's next view; of memory numbers or a picture, the cursor on the same element.
pub(crate) fn next_facet(model: &mut Model) {
    let seen = model.look.seen;
    let matrix = |model: &Model| {
        let (cell, state) = model.run_cell()?;
        Some(state.held(cell)?.matrix)
    };
    let before = matrix(model);
    let Some(state) = model.run_state() else {
        return;
    };
    let inspector = &mut state.inspector;
    if inspector.item() == Item::Warp {
        inspector.facet = inspector.facet.next();
        return;
    }
    inspector.picture = !inspector.picture;
    if let (Some(before), Some(after), Some(state)) = (before, matrix(model), model.run_state()) {
        let (row, column) = state.inspector.cursor;
        let index = row * before.columns + column;
        let (row, column) = (index / after.columns, index % after.columns);
        state.inspector.place_cursor(&after, row, column, &seen);
    }
}

/// Buffers behind the step that is looked at, or behind the run.
pub(crate) fn switch_moment(model: &mut Model) {
    let Some(state) = model.run_state() else {
        return;
    };
    state.inspector.after_run = !state.inspector.after_run;
    let text = match state.inspector.after_run {
        true => "buffers as the run left them",
        false => "buffers as the block sees them at this step",
    };
    model.notice = Some(text.to_owned());
}

pub(crate) fn place_cursor(model: &mut Model, row: usize, column: usize) {
    let seen = model.look.seen;
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let matrix = state.held(cell).map(|held| held.matrix);
    if let (Some(matrix), Some(state)) = (matrix, model.run_state()) {
        state.inspector.place_cursor(&matrix, row, column, &seen);
    }
}

/// Asks for the summary of the buffer on screen, once.
pub(crate) fn ask_for_summary(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.shows_values() {
        return;
    }
    let matrix = model
        .run_cell()
        .and_then(|(cell, state)| match state.inspector.item() {
            Item::Buffer(buffer) => state.matrix(cell, buffer),
            Item::Warp | Item::Shared(_) => None,
        });
    let (Some(matrix), Some(state)) = (matrix, model.run_state()) else {
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
        effects.push(Effect::Summarise {
            ran,
            buffer,
            columns: matrix.columns,
        });
    }
}
