//! What is wrong in a lesson's file that changed, over the last lesson that could be read.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::LessonErrors;
use crate::app::view::widgets::{Canvas, Pane, below, diagnostic, inset};
use crate::device::counted;
use crate::document::{Role, fold};

/// Most rows that it takes, with its frame.
const ROWS: u16 = 12;

/// Draws the first mistakes at the foot of `area`, as many as fit.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, errors: &LessonErrors) {
    let width = usize::from(area.width.saturating_sub(4));
    let lines = errors.diagnostics.iter();
    let lines = lines.flat_map(|found| diagnostic(canvas, &errors.file, found, width));
    let lines: Vec<Line> = lines.flat_map(|line| fold(line, width)).collect();
    // The lesson below stays readable: it is the last that could be read.
    let rows = (lines.len() as u16 + 2).min(ROWS).min(area.height);
    let window = below(area, area.height - rows);
    let mistakes = counted(errors.diagnostics.len() as u64, "mistake");
    canvas.clear(window);
    let pane = Pane {
        title: canvas.text(format!(" {}: {mistakes} ", errors.file.name()), Role::Bad),
        note: canvas.text(" the lesson as it was before is shown ", Role::Muted),
        foot: canvas.text(" esc hides this ", Role::Muted),
        focused: false,
    };
    let inner = canvas.pane(window, pane);
    canvas.lines(inset(inner, 1), lines);
}
