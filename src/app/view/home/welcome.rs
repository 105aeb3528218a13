//! The loads of two warps side by side: sectors as they light up, waste in red, and one number each.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use crate::app::keys::key_of;
use crate::app::state::{Action, Context, MovedSector, WarpLoad, Welcome};
use crate::app::view::widgets::{Canvas, below, inset, top};
use crate::document::Role;
use crate::launch::WARP_LANES;

/// Words of a sector.
const WORDS: usize = 8;
/// Sectors in a row of the picture.
const ACROSS: usize = 4;
/// Columns of the two pictures together from which a word takes two.
const WIDE: u16 = 154;
/// Columns that more than the widest picture leaves empty.
const WIDEST: u16 = 168;
/// Rows from which there is air between the parts.
const AIRY: u16 = 30;

/// Draws `welcome` over the whole frame.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, welcome: &Welcome) {
    let width = area.width.min(if area.width >= WIDE { WIDEST } else { 84 });
    let area = Rect {
        x: area.x + (area.width - width) / 2,
        width,
        ..area
    };
    let air = u16::from(area.height >= AIRY);
    // The picture of a whole warp that reads far apart has eight rows; words of twice the width have two rows each.
    let scale = if area.width >= WIDE { 2 } else { 1 };
    let rows = 12 + 8 * scale + 2 * air;
    let spare = area.height.saturating_sub(rows);
    let mut body = inset(below(area, spare.div_ceil(3)), 2);
    let title = Line::from(vec![
        canvas.span("One warp, 32 lanes. ", Role::Strong),
        canvas.span("Each lane copies one float.", Role::Text),
    ]);
    canvas.line(top(body, 1), title);
    let text = "Memory moves in sectors of 32 bytes, eight floats each. What nobody asked for moves as well.";
    let lines = canvas.paragraph(text, Role::Muted, body.width.into(), 0);
    let height = lines.len() as u16;
    canvas.lines(below(body, 1), lines);
    body = below(body, 2 + height + air);
    let halves = [Constraint::Fill(1), Constraint::Fill(1)];
    let panes: [Rect; 2] = Split::horizontal(halves).spacing(3).areas(body);
    if welcome.loads.is_empty() {
        let text = canvas.text(
            "Running both copies on the simulated GPU \u{2026}",
            Role::Muted,
        );
        canvas.line(top(body, 1), text);
        return;
    }
    for ((load, name), pane) in welcome.loads.iter().zip(NAMES).zip(panes) {
        draw_load(canvas, pane, name, load, welcome.lanes);
    }
    let prompt = below(body, 7 + 8 * scale + air);
    if prompt.height > 0 && !welcome.is_playing() {
        draw_prompt(canvas, prompt);
    }
}

/// What each load is called.
const NAMES: [&str; 2] = [
    "Neighbours read neighbours",
    "Neighbours read eight floats apart",
];

fn draw_prompt(canvas: &mut Canvas, area: Rect) {
    let key = |action: Action| key_of(&action, Context::Welcome, canvas.theme());
    let (enter, esc) = (key(Action::Enter), key(Action::Back));
    let line = Line::from(vec![
        canvas.span("press ", Role::Text),
        canvas.span(enter, Role::Key),
        canvas.span(" to break it yourself", Role::Strong),
        canvas.span(",  ", Role::Muted),
        canvas.span(esc, Role::Key),
        canvas.span(" for all lessons", Role::Muted),
    ]);
    let row = top(area, 1);
    canvas.click(row, Action::Enter);
    canvas.line(row, line);
}

/// The line of code, the sectors that moved so far, and how much of them was wanted.
fn draw_load(canvas: &mut Canvas, area: Rect, name: &str, load: &WarpLoad, lanes: usize) {
    canvas.line(top(area, 1), canvas.text(name, Role::Strong));
    canvas.line(top(below(area, 1), 1), canvas.text(&load.line, Role::Code));
    let sectors = load.sectors(lanes);
    let (used, moved) = load.used_bytes(lanes);
    let share = used as f64 / moved.max(1) as f64;
    let words = if usize::from(area.width) >= 2 * (WORDS + 1) * ACROSS {
        2
    } else {
        1
    };
    let mut picture = below(area, 3);
    for row in sectors.chunks(ACROSS) {
        for _ in 0..words {
            let line = row
                .iter()
                .flat_map(|sector| sector_cells(canvas, *sector, words));
            let line = Line::from(line.collect::<Vec<_>>());
            canvas.line(top(picture, 1), line);
            picture = below(picture, 1);
        }
    }
    // Below the picture of a warp in which every lane needs a sector of its own, so that both numbers stand in one row.
    let most = WARP_LANES / ACROSS * words;
    let numbers = below(area, 4 + most as u16);
    let role = if share < 0.5 { Role::Bad } else { Role::Good };
    let percent = crate::device::percent(share);
    let line = Line::from(vec![
        canvas.span(percent, role),
        canvas.span(" of what moved was wanted", Role::Text),
    ]);
    canvas.line(top(numbers, 1), line);
    let moved = format!("{} sectors of 32 bytes for {lanes} lanes", sectors.len());
    canvas.line(top(below(numbers, 1), 1), canvas.text(moved, Role::Muted));
}

/// The words of a sector: wanted, or moved for nothing.
fn sector_cells(canvas: &Canvas, sector: MovedSector, width: usize) -> Vec<Span<'static>> {
    let theme = canvas.theme();
    let mut cells: Vec<Span> = (0..WORDS)
        .map(|word| match sector.used_words >> word & 1 {
            1 => canvas.span(theme.glyph("\u{2588}", "#").repeat(width), Role::Good),
            _ => canvas.span(theme.glyph("\u{2591}", "x").repeat(width), Role::Bad),
        })
        .collect();
    cells.push(Span::raw(" "));
    cells
}
