//! How far movements scroll, and which lines of the source are on screen.

use crate::app::state::{CellState, Extent, Model, Movement};
use crate::launch::{Amount, LineCounts};
use crate::lesson::ShownCode;

pub(crate) fn page(visible: usize) -> isize {
    visible.saturating_sub(2).max(1) as isize
}

pub(crate) fn scrolled(scroll: usize, by: isize, max: usize) -> usize {
    scroll.min(max).saturating_add_signed(by).min(max)
}

/// Lines that `movement` moves by in a pane of which `visible` lines are on screen.
pub(crate) fn lines_of(movement: Movement, visible: usize) -> isize {
    match movement {
        Movement::Up => -1,
        Movement::Down => 1,
        Movement::PageUp => -page(visible),
        Movement::PageDown => page(visible),
        Movement::Home => -(isize::MAX / 2),
        Movement::End => isize::MAX / 2,
        _ => 0,
    }
}

/// Moves `at`, the first line on screen of `extent`, as `movement` says.
pub(crate) fn scroll_by(at: &mut usize, movement: Movement, extent: Extent) {
    let by = lines_of(movement, extent.visible);
    *at = scrolled(*at, by, extent.max_scroll());
}

/// Scrolls the source so that the line of the step is on screen.
pub(crate) fn show_step_line(model: &mut Model) {
    show_source_line(model, step_line(model));
}

/// The same for a step that nobody chose.
pub(crate) fn put_step_line(model: &mut Model) {
    put_source_line(model, step_line(model));
}

fn step_line(model: &Model) -> Option<u32> {
    let (_, state) = model.run_cell()?;
    let (_, walk) = state.steps_shown()?;
    walk.line(state.step()?)
}

/// Scrolls the source so that a line of it, from 1, is on screen.
pub(crate) fn show_source_line(model: &mut Model, line: Option<u32>) {
    if let (Some(first), Some(state)) = (first_line_for(model, line), model.run_state()) {
        state.scroll.source = first;
    }
}

/// The same for a line that nobody chose.
fn put_source_line(model: &mut Model, line: Option<u32>) {
    if let (Some(first), Some(state)) = (first_line_for(model, line), model.run_state()) {
        state.scroll.put_source(first);
    }
}

/// Where the source has to begin for a line of it, from 1, to be on screen, if that is not so already.
fn first_line_for(model: &Model, line: Option<u32>) -> Option<usize> {
    let seen = model.look.seen.source;
    let line = line?.saturating_sub(1) as usize;
    let (_, state) = model.run_cell()?;
    let on_screen = state.scroll.source..state.scroll.source + seen.visible;
    let is_hidden = seen.visible > 0 && !on_screen.contains(&line);
    is_hidden.then(|| line.saturating_sub(seen.visible / 3).min(seen.last))
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

/// Puts the first kernel of the code on the page at the top, below what is said of it, unless somebody scrolled.
pub(crate) fn show_kernel(model: &mut Model) {
    let Some(ShownCode::Run(at, cell)) = model.shown_code() else {
        return;
    };
    let text = cell.source.text().to_owned();
    if let Some(CellState::Run(state)) = model.cells.get_mut(at)
        && state.scroll.source == 0
        && let Ok(plan) = &state.plan
        && let Some(launch) = plan.launches.first()
    {
        let kernel = kernel_line(&text, &launch.kernel).unwrap_or(0);
        let before: Vec<&str> = text.lines().take(kernel).collect();
        let comment = before
            .iter()
            .rev()
            .take_while(|line| line.starts_with("//"));
        state.scroll.put_source(kernel - comment.count());
    }
}

/// Scrolls the source so that the line with the most of what the margin shows is on screen; of a share the one with the
/// least.
pub(crate) fn show_hot_line(model: &mut Model) {
    let margin = model.look.metric;
    let heat = |line: &LineCounts| {
        let amounts = margin.of(&line.counts).into_iter().flatten();
        let heats = amounts.map(|amount| match amount {
            Amount::Count(count) => count as f64,
            Amount::Share(share) => 1.0 - share,
        });
        heats.fold(0.0, f64::max)
    };
    let line = model.run_cell().and_then(|(_, state)| {
        let lines = state.lines(0);
        let hottest = lines.iter().max_by(|a, b| heat(a).total_cmp(&heat(b)))?;
        (heat(hottest) > 0.0).then_some(hottest.line)
    });
    put_source_line(model, line);
}
