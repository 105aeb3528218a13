//! What can be pressed here: a small list over the lower right corner, which any key closes.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::keys::keys_here;
use crate::app::state::{Action, Context};
use crate::app::view::widgets::{Canvas, Pane, inset};
use crate::document::{Role, pad};
use crate::launch::Evidence;

/// Most keys in the list; what else there is, the palette has.
const ROWS: usize = 20;

/// Draws the list over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, here: Context, has_exercise: bool) {
    let theme = canvas.theme();
    let rows = keys_here(theme, here, has_exercise);
    let keys = rows.iter().map(|(keys, _)| keys.chars().count()).max();
    let keys = keys.unwrap_or(0) + 2;
    let most = usize::from(area.height.saturating_sub(2)).min(ROWS);
    let lines = rows.into_iter().take(most).map(|(names, words)| {
        let words = words.split(';').next().unwrap_or(words);
        Line::from(vec![
            canvas.span(pad(&names, keys, theme), Role::Key),
            Span::raw(words.to_owned()).style(theme.style(Role::Text)),
        ])
    });
    let lines: Vec<Line<'static>> = lines.collect();
    let widest = lines.iter().map(Line::width).max().unwrap_or(0) as u16;
    let (width, height) = (widest + 4, lines.len() as u16 + 2);
    let width = width.min(area.width);
    let window = Rect {
        x: area.right() - width,
        y: area.bottom().saturating_sub(height).max(area.y),
        width,
        height: height.min(area.height),
    };
    canvas.window(window, Action::Back);
    let pane = Pane {
        title: canvas.text(" Keys here ", Role::Strong),
        note: canvas.text(" : has all else ", Role::Muted),
        focused: true,
        ..Pane::default()
    };
    let inner = inset(canvas.pane(window, pane), 1);
    canvas.lines(inner, lines);
}

/// What the marks beside numbers mean.
pub(crate) fn evidence_key(canvas: &Canvas) -> Vec<Line<'static>> {
    let heading = "Marks beside numbers: where each number comes from";
    let mut lines = vec![canvas.text(heading, Role::Heading)];
    lines.extend(Evidence::ALL.map(|evidence| {
        Line::from(vec![
            canvas.span("  ", Role::Text),
            canvas.mark(evidence),
            canvas.span(format!(" {:<16} ", evidence.word()), Role::Strong),
            canvas.span(evidence.meaning(), Role::Text),
        ])
    }));
    lines
}
