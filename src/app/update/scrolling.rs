//! How far movements scroll, and the source line that a step is on.

use crate::app::state::{Extent, Model, Movement};

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
    let line = model.run_state().and_then(|state| {
        let (_, walk) = state.steps_shown()?;
        walk.line(state.step()?)
    });
    show_source_line(model, line);
}

/// Scrolls the source so that a line of it, from 1, is on screen.
pub(crate) fn show_source_line(model: &mut Model, line: Option<u32>) {
    let seen = model.look.seen.source;
    if let (Some(line), Some(state)) = (line, model.run_state()) {
        let line = line.saturating_sub(1) as usize;
        let on_screen = state.scroll.source..state.scroll.source + seen.visible;
        if seen.visible > 0 && !on_screen.contains(&line) {
            state.scroll.source = line.saturating_sub(seen.visible / 3).min(seen.last);
        }
    }
}
