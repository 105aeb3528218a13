//! Figures: plots with axes, and blocks over matrices. The data comes ready from the model.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use crate::app::state::{Action, Extent, FigureAction, FigureState, FigureView, Model};
use crate::app::view::widgets::{Canvas, Pane, Tab, below, inset, tabs, top};
use crate::device::grouped;
use crate::document::{
    PointRow, Role, Room, order_page, pad, picture_lines, plot_details, plot_legend, plot_notes,
    plot_picture, point_header, point_rows,
};
use crate::lesson::{BlockOrder, FigureCell, Picture, Plot};

/// Width from which several plots stand side by side.
const SIDE_BY_SIDE: u16 = 130;
/// Width from which the points stand as a table beside their plot, and the table's least width.
const TABLE_FROM: u16 = 120;
const TABLE_WIDTH: u16 = 56;
/// Columns around the table: the line beside it, and a blank at each side.
const AROUND_TABLE: u16 = 3;
/// Most rows of a plot: a taller one is no easier to read.
const MOST_ROWS: u16 = 46;
/// Rows below which a plot's legend and its point are told in brief.
const LOW: usize = 16;
/// Fewest rows of a plot; notes make room for it.
const FEWEST_ROWS: usize = 9;

/// Draws the figure on screen.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &FigureCell,
    state: &FigureState,
) {
    if let Some(picture) = model.picture(cell) {
        return draw_picture(canvas, area, cell, &picture, state);
    }
    match (cell.kind.is_plots(), model.figure_view()) {
        (false, _) => draw_order(canvas, area, state),
        (true, Some(view)) => {
            if !draw_side_by_side(canvas, area, &view) {
                let title = canvas.text(format!(" {} ", cell.title), Role::Strong);
                let running = running(canvas, model);
                draw_chosen(canvas, area, &view, title, running);
            }
        }
        (true, None) => {
            let text = format!("There is no GPU `{}` in the table.", model.figure_gpu());
            let line = canvas.text(text, Role::Bad);
            canvas.line(inset(below(area, 1), 2), line);
        }
    }
}

/// The cell that runs, and how far it is.
fn running(canvas: &Canvas, model: &Model) -> Line<'static> {
    let runs = model.cells.iter().zip(&model.lesson.cells);
    let mut found = runs.filter_map(|(state, cell)| {
        let (done, blocks) = state.as_run()?.blocks_done()?;
        Some((cell.id()?, done as f64 / blocks.max(1) as f64))
    });
    let Some((id, share)) = found.next_back() else {
        return Line::default();
    };
    let [full, empty] = canvas.gauge(share, 16);
    Line::from(vec![
        canvas.span(format!("{} {id} runs ", canvas.theme().dot()), Role::Accent),
        full,
        empty,
    ])
}

/// Draws several plots side by side, if there is room for that; whether there was.
fn draw_side_by_side(canvas: &mut Canvas, area: Rect, view: &FigureView) -> bool {
    let count = view.plots.len();
    if count < 2 || area.width < SIDE_BY_SIDE {
        return false;
    }
    let columns = Split::horizontal(vec![Constraint::Fill(1); count]).split(area);
    for (index, (plot, &column)) in view.plots.iter().zip(columns.iter()).enumerate() {
        let chosen = index == view.plot;
        let title = canvas.text(
            format!(" {} ", plot.x.label),
            if chosen { Role::Selection } else { Role::Muted },
        );
        canvas.click(
            top(column, 1),
            Action::Figure(FigureAction::SelectPlot(index)),
        );
        // Plots that are not chosen show their first point, so that all have the same rows.
        let cursor = view.cursor.filter(|_| chosen).or(Some((0, 0)));
        draw_plot(canvas, column, plot, cursor, title, chosen);
    }
    true
}

/// Draws the chosen plot under the figure's title, or the names of all plots, and what runs for it.
fn draw_chosen(
    canvas: &mut Canvas,
    area: Rect,
    view: &FigureView,
    mut title: Line<'static>,
    running: Line<'static>,
) {
    let count = view.plots.len();
    let plot = &view.plots[view.plot];
    let mut left = area;
    if plot.series.is_empty() {
        let inner = plot_pane(canvas, area, title, true);
        return draw_nothing(canvas, inner, plot);
    }
    // With several plots the width belongs to them: their tabs already change what is on screen.
    if area.width >= TABLE_FROM && count == 1 {
        // As wide as its rows: the plot keeps two fifths of the area.
        let theme = canvas.theme();
        let (head, rows) = (point_header(plot, theme), point_rows(plot, theme));
        let wanted = Columns::natural(&head, &rows) as u16 + AROUND_TABLE;
        let table = wanted.clamp(TABLE_WIDTH, area.width * 3 / 5);
        let widths = [Constraint::Min(0), Constraint::Length(table)];
        let [picture, table] = Split::horizontal(widths).areas(area);
        draw_table(canvas, table, plot, view.cursor);
        left = picture;
    }
    if count > 1 {
        title = plot_tabs(canvas, left, view);
    }
    title.spans.extend(running.spans);
    draw_plot(canvas, left, plot, view.cursor, title, true);
}

/// A plot of what is not known: why, and nothing else.
fn draw_nothing(canvas: &mut Canvas, area: Rect, plot: &Plot) {
    let place = inset(below(area, 1), 2);
    let notes = plot_notes(plot, place.width.into(), canvas.theme());
    canvas.lines(place, notes);
}

/// The names of a figure's plots, where one of them is on screen.
fn plot_tabs(canvas: &mut Canvas, area: Rect, view: &FigureView) -> Line<'static> {
    let tab = |(index, plot): (usize, &Plot)| {
        let name = plot.x.label.split(" of ").next().unwrap_or_default();
        Tab {
            name: format!(" {name} "),
            is_shown: index == view.plot,
            action: Action::Figure(FigureAction::SelectPlot(index)),
        }
    };
    tabs(canvas, area, view.plots.iter().enumerate().map(tab))
}

/// One plot with its legend, the point under the cursor, and notes.
fn draw_plot(
    canvas: &mut Canvas,
    area: Rect,
    plot: &Plot,
    cursor: Option<(usize, usize)>,
    title: Line<'static>,
    focused: bool,
) {
    let inner = inset(plot_pane(canvas, area, title, focused), 1);
    let theme = canvas.theme();
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    let is_low = height < LOW;
    let (legend, places) = plot_legend(plot, width, is_low, cursor, theme);
    let mut details = plot_details(plot, cursor, width, theme);
    details.truncate(if is_low { 1 } else { usize::MAX });
    let mut notes = plot_notes(plot, width, theme);
    let fixed = legend.len() + details.len();
    // Notes give way first: a plot of fewer rows cannot be read.
    notes.truncate(height.saturating_sub(fixed + FEWEST_ROWS));
    let rows = height.saturating_sub(fixed + notes.len());
    let room = Room {
        width,
        height: rows.min(MOST_ROWS.into()),
    };
    let mut picture = plot_picture(plot, room, cursor, theme);
    if room.height + fixed + notes.len() + 2 < height {
        picture.lines.push(Line::default());
    }
    // The legend's places count from its own first row.
    let under = below(inner, picture.lines.len() as u16);
    let select = |series, point| Action::Figure(FigureAction::SelectPoint(series, point));
    for mark in &picture.marks {
        canvas.click_cells(inner, mark.at, select(mark.series, mark.point));
    }
    for entry in &places {
        canvas.click_cells(under, entry.at, select(entry.series, 0));
    }
    let below_picture = [legend, details, notes].into_iter().flatten();
    canvas.lines(inner, picture.lines.into_iter().chain(below_picture));
}

/// The frame around a plot, whose title names the others if there are any; answers with what is inside.
fn plot_pane(canvas: &mut Canvas, area: Rect, title: Line<'static>, focused: bool) -> Rect {
    let pane = Pane {
        title,
        focused,
        ..Pane::default()
    };
    canvas.region(area, pane)
}

/// The points as a table, that under the cursor marked and always in sight.
fn draw_table(canvas: &mut Canvas, area: Rect, plot: &Plot, cursor: Option<(usize, usize)>) {
    let theme = canvas.theme();
    let (head, rows) = (point_header(plot, theme), point_rows(plot, theme));
    let extent = Extent {
        content: rows.len(),
        // The frame and the head.
        visible: area.height.saturating_sub(3).into(),
    };
    let chosen = rows.iter().position(|row| cursor == Some(row.of));
    // In the middle: neighbours on both sides show where the point stands.
    let above = chosen.unwrap_or(0).saturating_sub(extent.visible / 2);
    let scroll = above.min(extent.max_scroll());
    let pane = Pane {
        title: canvas.text(" Points ", Role::Muted),
        note: canvas.position(scroll, extent),
        ..Pane::default()
    };
    let inner = inset(canvas.region(area, pane), 1);
    let columns = Columns::new(&head, &rows, inner.width.into());
    let first = columns.line(canvas, &head, Role::Muted);
    canvas.line(inner, first);
    for (place, row) in below(inner, 1).rows().zip(&rows[scroll..]) {
        let role = match cursor == Some(row.of) {
            true => Role::Selection,
            false => Role::Text,
        };
        let drawn = columns.line(canvas, &row.cells, role);
        canvas.line(place, drawn);
        canvas.click(
            place,
            Action::Figure(FigureAction::SelectPoint(row.of.0, row.of.1)),
        );
    }
}

/// Widths of the columns of a table of points: names take what the others leave.
struct Columns {
    names: usize,
    numbers: [usize; 3],
}

impl Columns {
    fn new(head: &[String; 4], rows: &[PointRow], width: usize) -> Self {
        let numbers = Self::numbers(head, rows);
        Columns {
            names: width.saturating_sub(numbers.iter().sum::<usize>() + Self::GAPS),
            numbers,
        }
    }

    /// Blanks between the columns.
    const GAPS: usize = 6;

    /// The width in which every name stands whole, without its formula.
    fn natural(head: &[String; 4], rows: &[PointRow]) -> usize {
        let names = rows
            .iter()
            .map(|row| short_name(&row.cells[0]).chars().count());
        let numbers: usize = Self::numbers(head, rows).iter().sum();
        names.max().unwrap_or(0) + numbers + Self::GAPS
    }

    fn numbers(head: &[String; 4], rows: &[PointRow]) -> [usize; 3] {
        let widest = |column: usize| {
            let cells = rows.iter().map(|row| &row.cells).chain([head]);
            let widths = cells.map(|cells| cells[column].chars().count());
            widths.max().unwrap_or(0)
        };
        [widest(1), widest(2), widest(3)]
    }

    fn line(
        &self,
        canvas: &Canvas,
        [name, x, y, evidence]: &[String; 4],
        role: Role,
    ) -> Line<'static> {
        let [xs, ys, words] = self.numbers;
        let name = match name.chars().count() <= self.names {
            true => name.as_str(),
            false => short_name(name),
        };
        Line::from(vec![
            canvas.span(pad(name, self.names, canvas.theme()), role),
            canvas.span(format!("  {x:>xs$}"), role),
            canvas.span(format!("  {y:>ys$}"), role),
            canvas.span(format!("  {evidence:words$}"), role),
        ])
    }
}

/// `by-run` of `by-run: 2·N`: where there is no room for the formula the legend has it.
fn short_name(name: &str) -> &str {
    name.split(": ").next().unwrap_or(name)
}

/// Draws what needs no run, at the moment that was gone to.
fn draw_picture(
    canvas: &mut Canvas,
    area: Rect,
    cell: &FigureCell,
    picture: &Result<Picture, String>,
    state: &FigureState,
) {
    let inner = replay_pane(canvas, area, &cell.title, state);
    let picture = match picture {
        Ok(picture) => picture,
        Err(why) => {
            let why = canvas.paragraph(why, Role::Bad, inner.width.into(), 0);
            return canvas.lines(inner, why);
        }
    };
    let room = Room {
        width: inner.width.into(),
        height: inner.height.into(),
    };
    let lines = picture_lines(picture, state.visits, room, canvas.theme());
    canvas.lines(inner, lines);
}

/// The part of the page of what can be played, under its name; answers with what is inside.
fn replay_pane(canvas: &mut Canvas, area: Rect, name: &str, state: &FigureState) -> Rect {
    let pane = Pane {
        title: canvas.text(format!(" {name} "), Role::Strong),
        note: canvas.text(if state.playing { " playing " } else { "" }, Role::Accent),
        focused: true,
        ..Pane::default()
    };
    inset(canvas.region(area, pane), 1)
}

/// Draws the order in which blocks or steps come, or why there is none.
fn draw_order(canvas: &mut Canvas, area: Rect, state: &FigureState) {
    let (text, role) = match &state.order {
        Some(Ok(order)) => return draw_replay(canvas, area, order, state),
        Some(Err(error)) => (error.as_str(), Role::Bad),
        None => (
            "The blocks run, to see which tiles they visit.",
            Role::Muted,
        ),
    };
    let line = canvas.text(text, role);
    canvas.lines(inset(below(area, 1), 2), [line]);
}

/// Draws an order as far as it is shown.
fn draw_replay(canvas: &mut Canvas, area: Rect, order: &BlockOrder, state: &FigureState) {
    let inner = replay_pane(canvas, area, &order.kernel, state);
    let what = match order.block {
        Some(_) => "steps",
        None => "blocks",
    };
    scrubber(canvas, top(inner, 1), order.moments(), state.visits, what);
    let body = below(inner, 1);
    let room = Room {
        width: body.width.into(),
        height: body.height.into(),
    };
    let (lines, tiles) = order_page(order, state.visits, room, canvas.theme());
    for tile in tiles {
        canvas.click_cells(
            body,
            tile.at,
            Action::Figure(FigureAction::SelectVisit(tile.block + 1)),
        );
    }
    canvas.lines(body, lines);
}

/// How far it is; a click goes there.
fn scrubber(canvas: &mut Canvas, row: Rect, blocks: usize, visits: usize, what: &str) {
    let text = format!(
        " {} of {} {what}",
        grouped(visits as u64),
        grouped(blocks as u64)
    );
    let width = usize::from(row.width).saturating_sub(text.len());
    let [full, empty] = canvas.gauge(visits as f64 / blocks.max(1) as f64, width);
    for at in 0..width {
        // `at + 1`: the last column is the end, and the first one is not "nothing yet".
        let to = Action::Figure(FigureAction::SelectVisit((at + 1) * blocks / width.max(1)));
        canvas.click_at_column(row, at, 1, to);
    }
    let line = Line::from(vec![full, empty, canvas.span(text, Role::Strong)]);
    canvas.line(row, line);
}
