//! The list of a question's answers, over the cell.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Action, Choice, Extent, Model, PopupAction};
use crate::app::view::widgets::{Canvas, Pane, centred};
use crate::document::{Role, pad};

/// Widest list.
const WIDTH: u16 = 92;
/// Widest name.
const NAMES: usize = 60;

/// Draws the answers to the open question, if it has a list.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let Some(prompt) = &model.popups.prompt else {
        return;
    };
    let Some(choices) = prompt.choices(model) else {
        return;
    };
    let width = area.width.saturating_sub(4).min(WIDTH);
    let height = (choices.len().max(1) as u16 + 2).min(area.height.saturating_sub(2));
    let window = centred(area, width, height);
    canvas.window(window, Action::Back);
    let visible = usize::from(height.saturating_sub(2)).max(1);
    let chosen = prompt.chosen.min(choices.len().saturating_sub(1));
    let scroll = (chosen + 1).saturating_sub(visible);
    let extent = Extent {
        content: choices.len(),
        visible,
    };
    let question = format!(" {} ", prompt.question(model));
    let pane = Pane {
        title: canvas.text(question, Role::Strong),
        note: canvas.text(" type to narrow it ", Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: true,
    };
    let inner = canvas.pane(window, pane);
    if choices.is_empty() {
        let text = format!(" nothing fits `{}`; backspace widens it", prompt.input);
        canvas.line(inner, canvas.text(text, Role::Warning));
    }
    let names = choices.iter().map(|choice| choice.name.chars().count());
    // One long name must not push every detail off the window.
    let names = names.max().unwrap_or(0).min(NAMES);
    let rows = choices.iter().enumerate().skip(scroll);
    for (row, (at, choice)) in inner.rows().zip(rows) {
        let line = line(canvas, choice, at == chosen, names);
        let choose = Action::Popup(PopupAction::Choose(at));
        canvas.list_row(row, line, at == chosen, choose);
    }
}

fn line(canvas: &Canvas, choice: &Choice, chosen: bool, names: usize) -> Line<'static> {
    let theme = canvas.theme();
    let current = if choice.is_current {
        theme.check()
    } else {
        " "
    };
    Line::from(vec![
        canvas.pointer(chosen),
        canvas.span(pad(current, 2, theme), Role::Good),
        Span::raw(" "),
        canvas.span(pad(&theme.text(&choice.name), names, theme), Role::Strong),
        canvas.span(format!("  {}", choice.detail), Role::Muted),
    ])
}
