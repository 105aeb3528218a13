//! Lines of PTX: which one is looked at, and the source line it comes from.

use crate::app::state::{Model, Movement};
use crate::app::update::scrolling::show_source_line;
use crate::launch::PtxLine;

/// Arrows, pages, home and end in the PTX: `lines` down, or to another source line's.
pub(crate) fn navigate_ptx(model: &mut Model, lines: isize, movement: Movement) {
    let found = model.run_cell().and_then(|(_, state)| state.ptx());
    let Some((ptx, at)) = found else { return };
    let is_first = |index: &usize| *index == 0 || ptx[*index].line != ptx[*index - 1].line;
    let to = match movement {
        Movement::Left => (0..at).rev().find(is_first).unwrap_or(0),
        Movement::Right => (at + 1..ptx.len()).find(is_first).unwrap_or(at),
        _ => at.saturating_add_signed(lines).min(ptx.len() - 1),
    };
    look_at(model, to, &ptx);
}

/// Goes to the first PTX of the source's line `line`, from 1.
pub(crate) fn show_ptx_of(model: &mut Model, line: u32) {
    let found = model.run_cell().and_then(|(_, state)| state.ptx());
    let Some((ptx, _)) = found else { return };
    match ptx.iter().position(|of| of.line == Some(line)) {
        Some(at) => look_at(model, at, &ptx),
        None => model.notice = Some(format!("no PTX comes from line {line}")),
    }
}

pub(crate) fn look_at(model: &mut Model, at: usize, ptx: &[PtxLine]) {
    if let Some(state) = model.run_state() {
        state.scroll.ptx = at;
    }
    show_source_line(model, ptx[at].line);
}
