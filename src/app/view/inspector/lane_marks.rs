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

/// A row of 32 cells behind its name: in groups of eight where there is room, next to each other where there is not,
/// and without the name where the cells alone fit.
#[derive(Clone, Copy)]
pub(crate) struct Row32 {
    gaps: bool,
    names: bool,
}

impl Row32 {
    /// The form of rows in `width` cells whose names have `names`.
    pub(crate) fn fitting(width: usize, names: usize) -> Self {
        Row32 {
            gaps: names + WARP_LANES + 3 <= width,
            names: names + WARP_LANES <= width,
        }
    }

    /// The row with each cell as `cell` has it.
    pub(crate) fn line(
        self,
        canvas: &Canvas,
        name: &str,
        cell: impl Fn(usize) -> Span<'static>,
    ) -> Line<'static> {
        let mut line = canvas.text(if self.names { name } else { "" }, Role::Muted);
        for at in 0..WARP_LANES {
            if self.gaps && at > 0 && at % 8 == 0 {
                line.push_span(Span::raw(" "));
            }
            line.push_span(cell(at));
        }
        line
    }

    /// The numbers of every eighth cell, over them.
    pub(crate) fn numbers(self, canvas: &Canvas, name: &str) -> Line<'static> {
        let cells = if self.gaps { 9 } else { 8 };
        let numbers = (0..WARP_LANES).step_by(8).map(|at| format!("{at:<cells$}"));
        let name = if self.names { name } else { "" };
        let text = format!("{name}{}", numbers.collect::<String>());
        canvas.text(text.trim_end(), Role::Muted)
    }
}
