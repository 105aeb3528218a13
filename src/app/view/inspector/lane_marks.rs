//! Lanes as characters, for drawings of accesses.

use ratatui::text::{Line, Span};

use super::step::WarpStep;
use crate::app::view::widgets::Canvas;
use crate::document::Role;
use crate::launch::WARP_LANES;

/// A lane as one character: 0 to 9, a to v.
pub(crate) fn digit(lane: usize) -> char {
    char::from_digit(lane as u32, WARP_LANES as u32).unwrap_or('?')
}

/// A cell that `lanes` use: the lane, or a plus where there are several.
pub(crate) fn user(canvas: &Canvas, step: &WarpStep, lanes: u32, role: Role) -> Span<'static> {
    // Several lanes in one cell are a broadcast: they cost no more than one.
    let text = match lanes.count_ones() {
        1 => digit(lanes.trailing_zeros() as usize).to_string(),
        _ => "+".to_owned(),
    };
    let role = match lanes >> step.lane & 1 {
        1 => Role::Selection,
        _ => role,
    };
    canvas.span(text, role)
}

/// All 32 lanes in groups of eight, each as `cell` has it.
pub(crate) fn by_eights(
    canvas: &Canvas,
    label: &str,
    cell: impl Fn(usize) -> Span<'static>,
) -> Line<'static> {
    let mut line = canvas.text(label, Role::Muted);
    for at in 0..WARP_LANES {
        if at > 0 && at % 8 == 0 {
            line.push_span(Span::raw(" "));
        }
        line.push_span(cell(at));
    }
    line
}
