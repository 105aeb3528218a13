//! The command palette: a window with what can be asked for, the letters that were typed lit.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::keys::bindings;
use crate::app::state::{
    Action, Extent, Model, PaletteEntry, PaletteSearch, PaletteTarget, PopupAction,
};
use crate::app::view::widgets::{Canvas, Pane, below, centred, inset, lit_text, top};
use crate::document::{Role, spread};

/// Widest window, and the most entries in it.
const WIDTH: u16 = 76;
const ENTRIES: usize = 18;

/// Draws the palette over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, search: &PaletteSearch, model: &Model) {
    let entries = model.palette_entries();
    let width = area.width.saturating_sub(4).min(WIDTH);
    let most = usize::from(area.height).saturating_sub(5).min(ENTRIES);
    let extent = Extent {
        content: entries.len(),
        visible: entries.len().clamp(1, most.max(1)),
    };
    let height = extent.visible as u16 + 3;
    let window = Rect {
        y: area.y + 1,
        ..centred(area, width, height)
    };
    canvas.window(window, Action::Back);
    let chosen = search.chosen.min(entries.len().saturating_sub(1));
    // As little scrolling as keeps the chosen entry on screen.
    let scroll = (chosen + 1).saturating_sub(extent.visible);
    let pane = Pane {
        title: canvas.text(" Commands and cells ", Role::Strong),
        note: canvas.text(" enter does it, esc closes ", Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: true,
    };
    let inner = inset(canvas.pane(window, pane), 1);
    let typed = Line::from(vec![
        canvas.span("> ", Role::Accent),
        canvas.span(format!("{}_", search.input), Role::Strong),
    ]);
    canvas.line(top(inner, 1), typed);
    let list = below(inner, 1);
    if entries.is_empty() {
        let none = canvas.text("nothing has these letters in this order", Role::Muted);
        canvas.line(list, none);
    }
    for (row, (index, entry)) in list.rows().zip(entries.iter().enumerate().skip(scroll)) {
        let line = line(canvas, model, entry, index == chosen, row.width.into());
        let pick = Action::Popup(PopupAction::PickEntry(index));
        canvas.list_row(row, line, index == chosen, pick);
    }
}

fn line(
    canvas: &Canvas,
    model: &Model,
    entry: &PaletteEntry,
    is_chosen: bool,
    width: usize,
) -> Line<'static> {
    let theme = canvas.theme();
    let pointer = match is_chosen {
        true => theme.glyph("\u{25b8} ", "> "),
        false => "  ",
    };
    let role = if entry.holds { Role::Text } else { Role::Muted };
    let mut left = canvas.text(pointer, Role::Accent);
    left.spans
        .extend(lit_text(canvas, &entry.words, &entry.letters, role));
    let right = match entry.target {
        PaletteTarget::Cell(index) => canvas.span(format!("cell {}", index + 1), Role::Muted),
        PaletteTarget::Command(index) => keys(canvas, model, index),
    };
    spread(left, Line::from(right), width, theme)
}

/// The keys of command `index`.
fn keys(canvas: &Canvas, model: &Model, index: usize) -> Span<'static> {
    let command = model.popups.palette.commands.get(index);
    let row = command.and_then(|command| bindings().nth(command.row));
    let names = row.map(|row| row.key_names(canvas.theme()));
    canvas.span(names.unwrap_or_default().join(" "), Role::Key)
}
