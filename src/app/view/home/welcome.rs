//! The loads of two warps side by side: sectors as they light up, waste in red, and one number each.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use crate::app::keys::key_of;
use crate::app::state::{Action, Context, MovedSector, STRIDES, WarpLoad, Welcome};
use crate::app::view::widgets::{Canvas, below, centred, inset, top};
use crate::device::{counted, percent};
use crate::document::Role;
use crate::launch::WARP_LANES;
use crate::lesson::POOR_EFFICIENCY;

/// Words of a sector.
const WORDS: usize = 8;
/// Sectors in a row of the picture.
const ACROSS: usize = 4;
/// Columns of the two pictures together from which a word takes two.
const WIDE: u16 = 154;
/// Columns that more than the widest picture, or the narrower, leaves empty.
const WIDEST: u16 = 168;
const NARROW: u16 = 84;
/// Rows of sectors of a warp in which every lane needs one of its own.
const PICTURE_ROWS: u16 = (WARP_LANES / ACROSS) as u16;
/// Rows from which there is air between the parts.
const AIRY: u16 = 30;

/// What each load is called, behind its stride.
const NAMES: [&str; 2] = ["side by side", "far apart"];

/// Draws `welcome` between title and keys.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, welcome: &Welcome) {
    // Words of twice the width have two rows each.
    let (widest, scale) = match area.width {
        WIDE.. => (WIDEST, 2),
        _ => (NARROW, 1),
    };
    let page = inset(centred(area, area.width.min(widest), area.height), 2);
    let air = u16::from(area.height >= AIRY);
    let picture_rows = PICTURE_ROWS * scale;
    let spare = area.height.saturating_sub(12 + picture_rows + 2 * air);
    let page = below(page, spare.div_ceil(3));
    let body = below(page, draw_text(canvas, page) + 1 + air);
    if welcome.loads.is_empty() {
        let text = "Running the copy on the simulated GPU \u{2026}";
        return canvas.line(body, canvas.text(text, Role::Muted));
    }
    let halves = [Constraint::Fill(1), Constraint::Fill(1)];
    let panes: [Rect; 2] = Split::horizontal(halves).spacing(3).areas(body);
    let named = STRIDES.iter().zip(NAMES);
    for ((load, (stride, name)), pane) in welcome.loads.iter().zip(named).zip(panes) {
        let name = format!("stride {stride}: {name}");
        draw_load(canvas, pane, &name, load, welcome.lanes, scale);
    }
    let prompt = below(body, 7 + picture_rows + air);
    if prompt.height > 0 && !welcome.is_playing() {
        draw_prompt(canvas, prompt);
    }
}

/// What the pictures are of; how many rows that took.
fn draw_text(canvas: &mut Canvas, area: Rect) -> u16 {
    let title = Line::from(vec![
        canvas.span("One warp: 32 threads of a GPU. ", Role::Strong),
        canvas.span("Each copies one float.", Role::Text),
    ]);
    canvas.line(area, title);
    let unwanted = canvas.theme().glyph("\u{2591}", "x");
    let text = format!(
        "Memory moves sectors of eight floats. What nobody wants ({unwanted}) moves as well."
    );
    let lines = canvas.paragraph(&text, Role::Muted, area.width.into(), 0);
    let rows = 1 + lines.len() as u16;
    canvas.lines(below(area, 1), lines);
    rows
}

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

/// The line of code, the sectors that moved so far, and how much of them was wanted; a word has `scale` columns and rows.
fn draw_load(
    canvas: &mut Canvas,
    area: Rect,
    name: &str,
    load: &WarpLoad,
    lanes: usize,
    scale: u16,
) {
    canvas.line(area, canvas.text(name, Role::Strong));
    canvas.line(below(area, 1), canvas.text(&load.line, Role::Code));
    let sectors = load.sectors(lanes);
    let mut rows = below(area, 3).rows();
    for shown in sectors.chunks(ACROSS) {
        let cells = shown
            .iter()
            .flat_map(|sector| sector_cells(canvas, *sector, scale.into()));
        let line: Line = cells.collect();
        for row in rows.by_ref().take(scale.into()) {
            canvas.line(row, line.clone());
        }
    }
    // Both numbers stand in one row, whatever has moved.
    let numbers = below(area, 4 + PICTURE_ROWS * scale);
    let (used, moved) = load.used_bytes(lanes);
    let share = used as f64 / moved.max(1) as f64;
    let role = match share < POOR_EFFICIENCY {
        true => Role::Bad,
        false => Role::Good,
    };
    let line = Line::from(vec![
        canvas.span(percent(share), role),
        canvas.span(" of what moved was wanted", Role::Text),
    ]);
    canvas.line(numbers, line);
    let moved = [(sectors.len(), "sector"), (lanes, "thread")]
        .map(|(count, noun)| counted(count as u64, noun))
        .join(" for ");
    canvas.line(below(numbers, 1), canvas.text(moved, Role::Muted));
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
