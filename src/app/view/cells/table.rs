//! A table: figures in rows and columns, the one looked at with its source, two rows compared.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::app::state::{Action, Extent, Model, TableAction, TableState};
use crate::app::view::widgets::{Canvas, Pane, below, inset, top};
use crate::document::{Role, Theme, fit, pad, wrap};
use crate::lesson::{TableCell, TableColumn, TableContents, TableRow, times};

/// Lines under the table, at least: an empty one, the figure looked at, and its source.
const FOOT: u16 = 4;
/// The same where rows are few.
const LOW_FOOT: u16 = 2;
/// Rows from which there is room for an empty line.
const ROOMY: u16 = 14;
/// Most lines of a heading.
const MOST_LINES: usize = 4;
/// A cell from each edge, and from the line beside it.
const MARGINS: u16 = 3;
/// Blanks between columns.
const GAP: usize = 2;

/// Where columns stand.
struct Columns {
    /// Width of the names of rows.
    names: usize,
    /// Each column on screen: its index, where it begins, its width.
    shown: Vec<(usize, usize, usize)>,
    /// Headings of all columns, in lines of their width.
    headings: Vec<Vec<String>>,
}

/// Draws `cell`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &TableCell,
    state: &TableState,
) {
    let grid = model.grid(cell);
    let order = state.order(&grid);
    let width = area.width.saturating_sub(MARGINS);
    let columns = Columns::new(&grid, state, width.into());
    let pane = Pane {
        title: canvas.text(format!(" {} ", cell.title), Role::Strong),
        note: canvas.text(note(&grid, state), Role::Muted),
        foot: canvas.text(columns.shown_columns(&grid), Role::Muted),
        focused: true,
    };
    let inner = inset(canvas.region(area, pane), 1);
    let compared = state.compared(&grid);
    let heading = columns.heading_height() as u16;
    let foot_lines = foot(&grid, state, inner.width.into(), canvas.theme());
    let foot_height = match inner.height {
        ROOMY.. => (foot_lines.len() as u16 + 1).clamp(FOOT, FOOT.max(inner.height / 2)),
        _ => (foot_lines.len() as u16 + 1).min(LOW_FOOT + 1),
    };
    let reserved = heading + 1 + foot_height + u16::from(compared.is_some());
    let visible = usize::from(inner.height.saturating_sub(reserved));
    // Keys that page need to know how much of the table is on screen.
    canvas.drawn.seen.table = (visible, columns.shown.len());
    draw_heading(canvas, inner, &columns, state);
    canvas.rule(below(inner, heading), Role::Border);
    let body = below(inner, heading + 1);
    let place = draw_rows(canvas, body, &grid, &columns, &order, state, visible);
    let content = order.len();
    draw_position(canvas, place, state, Extent { content, visible });
    // Right under its rows: where a figure is from is read beside the figure.
    let rows = place.y - inner.y + 1;
    let under = rows.min(inner.height.saturating_sub(foot_height - 1));
    canvas.lines(below(inner, under), foot_lines);
}

/// Which rows are on screen, where those are not all.
fn draw_position(canvas: &mut Canvas, place: Rect, state: &TableState, extent: Extent) {
    let position = canvas.position(state.scroll.0, extent).right_aligned();
    canvas.line(top(place, 1), position);
}

/// Columns that all of it takes at least, and rows, its rule included.
pub(crate) fn size(
    canvas: &Canvas,
    model: &Model,
    cell: &TableCell,
    state: &TableState,
) -> (u16, u16) {
    let grid = model.grid(cell);
    let width = canvas.area().width.saturating_sub(MARGINS);
    let columns = Columns::new(&grid, state, width.into());
    let compared = usize::from(state.compared(&grid).is_some());
    // Rules above it and below its heading, and where a figure is from.
    let rows = (columns.heading_height() + grid.rows.len() + compared) as u16 + 3 + LOW_FOOT;
    let least = (0..grid.columns.len()).map(|at| GAP + least_width(&grid, at));
    let wide = columns.names + least.sum::<usize>();
    (wide as u16 + MARGINS, rows)
}

/// Draws as many rows as are `visible`, and the factors between two of them; what is left below.
fn draw_rows(
    canvas: &mut Canvas,
    area: Rect,
    grid: &TableContents,
    columns: &Columns,
    order: &[usize],
    state: &TableState,
    visible: usize,
) -> Rect {
    let rows = order.iter().enumerate().skip(state.scroll.0).take(visible);
    let mut place = area;
    for (at, &row) in rows {
        draw_row(canvas, top(place, 1), grid, columns, at, row, state);
        place = below(place, 1);
    }
    if let Some((row, against)) = state.compared(grid) {
        draw_factors(canvas, top(place, 1), grid, columns, row, against);
        place = below(place, 1);
    }
    place
}

/// How rows are ordered.
fn note(grid: &TableContents, state: &TableState) -> String {
    let Some((column, descending)) = state.sort else {
        return String::new();
    };
    let name = grid.columns.get(column).map_or("", |column| &column.name);
    let first = if descending { "largest" } else { "smallest" };
    format!(" {name}, the {first} first ")
}

impl Columns {
    fn new(grid: &TableContents, state: &TableState, width: usize) -> Self {
        let row_name = |row: &TableRow| row_name(row).width() + 2;
        let names = grid.rows.iter().map(row_name).max().unwrap_or(0);
        let label = state
            .compared(grid)
            .map_or(0, |rows| factor_name(grid, rows.0, rows.1).width());
        let least: Vec<usize> = (0..grid.columns.len())
            .map(|at| least_width(grid, at))
            .collect();
        // Headings take as few lines as there is room for beside the names.
        let room = width.saturating_sub(names.max(label).max(6));
        let in_lines = |lines: usize| {
            let columns = grid.columns.iter().zip(&least);
            let widths = columns.map(|(column, &least)| width_in_lines(column, least, lines));
            widths.collect::<Vec<usize>>()
        };
        let fits =
            |widths: &Vec<usize>| widths.iter().map(|width| width + GAP).sum::<usize>() <= room;
        let mut forms = (1..=MOST_LINES).map(in_lines);
        // Else as narrow as they can be, and the rest is scrolled to.
        let widths = forms.find(fits).unwrap_or(least.clone());
        let headings = grid.columns.iter().zip(&widths);
        let headings = headings
            .map(|(column, &wide)| heading(column, wide))
            .collect();
        // Names are whole as long as a column has room beside them.
        let widest = widths.iter().copied().max().unwrap_or(0);
        let most = width.saturating_sub(GAP + widest).max(width / 2);
        let names = names.max(label).clamp(6, most.max(6));
        Columns {
            names,
            shown: shown(&widths, state.scroll.1, names, width),
            headings,
        }
    }

    /// Which columns are on screen where not all of them fit: arrows point to the others, and are the keys
    /// that bring them.
    fn shown_columns(&self, grid: &TableContents) -> String {
        let count = grid.columns.len();
        let first = self.shown.first().map_or(0, |column| column.0);
        let last = self.shown.last().map_or(0, |column| column.0 + 1);
        let (left, right) = (first > 0, last < count);
        if !left && !right {
            return String::new();
        }
        let left = if left { " \u{2190}" } else { "" };
        let right = if right { "\u{2192} " } else { "" };
        let shown = format!("columns {}\u{2013}{last} of {count}", first + 1);
        format!("{left} {shown} {right}")
    }

    fn heading_height(&self) -> usize {
        self.headings.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The columns from `first` on that fit behind names of `at` cells: their numbers, places and widths.
fn shown(
    widths: &[usize],
    first: usize,
    mut at: usize,
    width: usize,
) -> Vec<(usize, usize, usize)> {
    let mut shown = Vec::new();
    for (i, &wide) in widths.iter().enumerate().skip(first) {
        if at + GAP + wide > width {
            break;
        }
        shown.push((i, at + GAP, wide));
        at += GAP + wide;
    }
    shown
}

/// Cells of the longest word of a heading: it is wrapped at blanks, so a column is at least as wide.
fn longest_word(column: &TableColumn) -> usize {
    let words = column.name.split(' ').chain([column.unit]);
    // A heading breaks between words, never in one.
    words.map(UnicodeWidthStr::width).max().unwrap_or(1)
}

/// Cells that a column takes at least.
fn least_width(grid: &TableContents, at: usize) -> usize {
    let values = grid.rows.iter().filter_map(|row| row.fields.get(at));
    let widest = values.map(|field| field.text().width()).max().unwrap_or(1);
    widest.max(longest_word(&grid.columns[at])).max(6)
}

/// Cells that a column takes for the name in its heading to have so many lines, `least` at least.
fn width_in_lines(column: &TableColumn, least: usize, lines: usize) -> usize {
    let mut widths = least..=column.name.width().max(least);
    let fits = |&width: &usize| {
        let unit = usize::from(!column.unit.is_empty());
        heading(column, width).len() <= lines + unit
    };
    widths.find(fits).unwrap_or(least)
}

/// A heading in lines of `width` cells, its unit the last.
fn heading(column: &TableColumn, width: usize) -> Vec<String> {
    let name = (column.name.clone(), Default::default());
    let lines = wrap(&[name], width, &[], &[]);
    let unit = Some(column.unit).filter(|unit| !unit.is_empty());
    let lines = lines.iter().map(Line::to_string);
    lines.chain(unit.map(str::to_owned)).collect()
}

/// A row's name and what sets it apart.
fn row_name(row: &TableRow) -> String {
    match row.marks.as_slice() {
        [] => row.name.clone(),
        marks => format!("{} ({})", row.name, marks.join(", ")),
    }
}

/// `text` at the right end of `width` cells, behind the gap before a column.
fn right(text: &str, width: usize) -> String {
    let blanks = (GAP + width).saturating_sub(text.width());
    " ".repeat(blanks) + text
}

fn draw_heading(canvas: &mut Canvas, area: Rect, columns: &Columns, state: &TableState) {
    let height = columns.heading_height();
    let theme = canvas.theme();
    for at in 0..height {
        let mut line = Line::from(Span::raw(" ".repeat(columns.names)));
        for &(column, _, width) in &columns.shown {
            let lines = &columns.headings[column];
            let text = (at + lines.len())
                // Headings of fewer lines stand at the bottom, next to their column.
                .checked_sub(height)
                .and_then(|at| lines.get(at));
            let text = text.map_or("", String::as_str);
            let role = if column == state.cursor.1 {
                Role::Accent
            } else {
                Role::Muted
            };
            line.push_span(canvas.span(right(&theme.text(text), width), role));
        }
        canvas.line(below(area, at as u16), line);
    }
}

fn draw_row(
    canvas: &mut Canvas,
    area: Rect,
    grid: &TableContents,
    columns: &Columns,
    at: usize,
    row: usize,
    state: &TableState,
) {
    let theme = canvas.theme();
    let Some(shown) = grid.rows.get(row) else {
        return;
    };
    let here = at == state.cursor.0;
    let mark = match (here, state.against == Some(row)) {
        (true, _) => theme.glyph("\u{25b8} ", "> "),
        (false, true) => theme.glyph("\u{2022} ", "* "),
        _ => "  ",
    };
    let name = pad(&theme.text(&row_name(shown)), columns.names - 2, theme);
    let role = if here { Role::Strong } else { Role::Text };
    let mut line = Line::from(vec![
        canvas.span(mark, Role::Accent),
        canvas.span(name, role),
    ]);
    for &(column, start, width) in &columns.shown {
        let figure = shown.fields.get(column);
        let text = figure.map_or_else(String::new, |field| field.text());
        let text = fit(&theme.text(&text), width, theme);
        // Blanks of their own: the colour of a selection should cover the number alone.
        line.push_span(Span::raw(right("", width - text.width())));
        let is_chosen = here && column == state.cursor.1;
        let role = if is_chosen { Role::Selection } else { role };
        line.push_span(canvas.span(text, role));
        let select = Action::Table(TableAction::SelectFigure(at, column));
        canvas.click_at_column(area, start, width, select);
    }
    canvas.line(area, line);
}

/// Two rows of which one is divided by the other.
fn factor_name(grid: &TableContents, row: usize, against: usize) -> String {
    let name = |row: usize| grid.rows.get(row).map_or("", |row| row.name.as_str());
    format!("{} / {}", name(row), name(against))
}

/// How many times as much the first of two rows has, column by column.
fn draw_factors(
    canvas: &mut Canvas,
    area: Rect,
    grid: &TableContents,
    columns: &Columns,
    row: usize,
    against: usize,
) {
    let theme = canvas.theme();
    let name = pad(&factor_name(grid, row, against), columns.names, theme);
    let mut line = canvas.text(name, Role::Accent);
    for &(column, _, width) in &columns.shown {
        let factor = grid.factor(row, against, column).map(times);
        let factor = factor.unwrap_or_else(|| "-".to_owned());
        line.push_span(canvas.span(right(&theme.text(&factor), width), Role::Accent));
    }
    canvas.line(area, line);
}

/// The figure looked at, its unit, where it comes from, and what is to be said of its row.
fn foot(
    grid: &TableContents,
    state: &TableState,
    width: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let column = grid.columns.get(state.cursor.1);
    let row = state.row(grid).and_then(|row| grid.rows.get(row));
    let (Some(column), Some(row)) = (column, row) else {
        return Vec::new();
    };
    let Some(field) = row.fields.get(state.cursor.1) else {
        return Vec::new();
    };
    let styled = |text: String, role| Span::styled(text, theme.style(role));
    let what = format!("{}, {}: ", row.name, column.name);
    let value = format!("{} {}", theme.text(&field.text()), column.unit);
    let mut lines = vec![Line::from(vec![
        styled(what, Role::Muted),
        styled(value.trim_end().to_owned(), Role::Strong),
    ])];
    let source = format!("{} {}", field.source, row.whose);
    let said = [source.trim(), &row.note];
    for text in said.into_iter().filter(|text| !text.is_empty()) {
        let pieces = [(theme.text(text).into_owned(), theme.style(Role::Muted))];
        lines.extend(wrap(&pieces, width, &[], &[]));
    }
    lines
}
