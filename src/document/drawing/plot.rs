//! A plot as lines of text: axes with ticks, series with marks that differ in shape, a legend, and what is
//! known of the point under the cursor.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::area::{CellSpan, PlotPlace, Room};
use super::numbers::{exact, tick_labels};
use super::raster::{Dash, Raster};
use crate::document::style::{Role, Theme, fold, texts, wrap};
use crate::launch::Evidence;
use crate::lesson::{Axis, Plot, Point, Series, Shape, sizes_named};

/// Marks of series, in order: told apart by shape alone.
// Eight shapes, and as many letters that look unlike each other: more series than that nobody tells apart.
const MARKS: [(&str, &str); 8] = [
    ("\u{25cf}", "o"),
    ("\u{25c6}", "x"),
    ("\u{25b2}", "A"),
    ("\u{25a0}", "H"),
    ("\u{25cb}", "0"),
    ("\u{25c7}", "+"),
    ("\u{25b3}", "v"),
    ("\u{25a1}", "%"),
];
/// Dashes of lines without marks, in order, with what the legend shows of each.
const DASHES: [(Dash, &str, &str); 4] = [
    (dash(1, 0, '.'), "\u{2500}\u{2500}", ".."),
    (dash(5, 4, '-'), "\u{254c}\u{254c}", "--"),
    (dash(1, 2, ':'), "\u{2508}\u{2508}", "::"),
    (dash(9, 3, '='), "\u{2501}\u{2501}", "=="),
];
/// Cells between two ticks of the lower axis, at least.
const TICK_WIDTH: usize = 11;
/// Cells between two entries of the legend.
const LEGEND_GAP: usize = 3;
/// Rows below which a plot names both axes in one.
const LOW: usize = 10;
/// Rows that series have at least before a limit above them is left out.
const LEAST_ROWS: f64 = 5.0;
/// Rows between two ticks of the left axis, at least.
const TICK_ROWS: usize = 3;

const fn dash(on: usize, off: usize, ascii: char) -> Dash {
    Dash { on, off, ascii }
}

/// A plot, drawn.
#[derive(Default)]
pub(crate) struct Picture {
    /// The axes and what is between them.
    pub lines: Vec<Line<'static>>,
    /// The mark of each point.
    pub marks: Vec<PointMark>,
}

/// A point's mark in a picture.
pub(crate) struct PointMark {
    /// Its cell.
    pub at: CellSpan,
    /// Which series.
    pub series: usize,
    /// Which point of it.
    pub point: usize,
}

/// How a series is told apart.
pub(crate) struct SeriesStyle {
    /// The glyph of its marks, or a piece of its line.
    pub glyph: &'static str,
    mark: Option<&'static str>,
    dash: Dash,
    style: ratatui::style::Style,
}

/// The number of each series among those that are told apart in the same way, from 0: curves by their dashes, others by
/// their marks. They are counted apart, so that a roof does not take a shape from a kernel.
pub(crate) fn series_numbers(plot: &Plot) -> Vec<usize> {
    let (mut curves, mut marked) = (0.., 0..);
    let number = |series: &Series| match series.shape {
        Shape::Curve => curves.next(),
        Shape::Points | Shape::Marks => marked.next(),
    };
    plot.series.iter().filter_map(number).collect()
}

/// How each series of a plot is told apart.
pub(crate) fn series_styles(plot: &Plot, theme: Theme) -> Vec<SeriesStyle> {
    let look = |(series, number): (&Series, usize)| match series.shape {
        Shape::Curve => {
            let (dash, unicode, ascii) = DASHES[number % DASHES.len()];
            SeriesStyle {
                glyph: theme.glyph(unicode, ascii),
                mark: None,
                dash,
                style: theme.style(Role::Muted),
            }
        }
        Shape::Points | Shape::Marks => {
            let (unicode, ascii) = MARKS[number % MARKS.len()];
            let glyph = theme.glyph(unicode, ascii);
            SeriesStyle {
                glyph,
                mark: Some(glyph),
                dash: DASHES[0].0,
                style: theme.series(number),
            }
        }
    };
    let series = plot.series.iter().zip(series_numbers(plot));
    series.map(look).collect()
}

/// A plot drawn in ASCII, `width` columns wide, with its legend: for whoever has no notebook. Nothing of one
/// that is empty.
pub fn plot_text(plot: &Plot, width: usize, height: usize) -> Vec<String> {
    let paper = Theme::paper();
    let mut lines = plot_picture(plot, Room { width, height }, None, paper).lines;
    lines.extend(plot_legend(plot, width, false, None, paper).0);
    texts(&lines)
}

/// Draws axes and series in `width` times `height` cells; nothing where there is no series.
pub(crate) fn plot_picture(
    plot: &Plot,
    room: Room,
    cursor: Option<(usize, usize)>,
    theme: Theme,
) -> Picture {
    if plot.series.is_empty() {
        return Picture::default();
    }
    let plot = &Plot {
        y: left_axis(plot, raster_rows(room)),
        ..plot.clone()
    };
    axes_and_series(plot, room, cursor, theme)
}

/// Rows between what names the axes: two rows name them, or one where rows are few; two are the lower axis and its numbers.
fn raster_rows(room: Room) -> usize {
    let around = if room.height < LOW { 3 } else { 4 };
    room.height.saturating_sub(around).max(1)
}

fn axes_and_series(
    plot: &Plot,
    room: Room,
    cursor: Option<(usize, usize)>,
    theme: Theme,
) -> Picture {
    let is_low = room.height < LOW;
    let rows = raster_rows(room);
    // Labels come first: how wide they are says where the axis stands.
    let y_ticks = plot.y.ticks((rows / TICK_ROWS).max(1) + 1);
    let labels = tick_labels(&y_ticks);
    let left = labels.iter().map(String::len).max().unwrap_or(0);
    let columns = room.width.saturating_sub(left + 3).max(1);
    let mut raster = Raster::new(columns, rows, theme);
    let mut marks = draw_series(&mut raster, plot, cursor, theme);
    let row_of = |&value: &f64| raster.cell(at_shares(None, plot.y.share(value))).row;
    let ticks: Vec<(usize, String)> = y_ticks.iter().map(row_of).zip(labels).collect();
    let muted = |text: String| Span::styled(text, theme.style(Role::Muted));
    let mut lines = vec![Line::from(muted(head(plot, left, is_low, theme)))];
    lines.extend(raster.rows().enumerate().map(|(row, content)| {
        let label = ticks.iter().find(|(at, _)| *at == row);
        let edge = left_edge(label.map(|(_, label)| label.as_str()), left, theme);
        let mut line = Line::from(muted(edge));
        line.spans.extend(content.spans);
        line
    }));
    let below = below(plot, &raster, left, columns, theme).map(|line| Line::from(muted(line)));
    lines.extend(below.into_iter().take(if is_low { 2 } else { 3 }));
    // The raster stands right of the labels and the axis, below the line that names it.
    for mark in &mut marks {
        mark.at.column += left + 2;
        mark.at.row += 1;
    }
    Picture { lines, marks }
}

/// The left axis on so many rows. A limit far above all else is left out where it would leave the rest too few rows to
/// be told apart: the legend has its value.
fn left_axis(plot: &Plot, rows: usize) -> Axis {
    let others = plot.series.iter().filter(|series| limit(series).is_none());
    let heights: Vec<f64> = others
        .flat_map(|series| series.points.iter().map(|point| point.y))
        .collect();
    let without = plot.y.clone().around(heights.iter().copied());
    let share = plot.y.share(without.to).unwrap_or(1.0);
    match heights.is_empty() || share * rows as f64 >= LEAST_ROWS {
        true => plot.y.clone(),
        false => without,
    }
}

/// The value of a series that is a limit from a specification: the same everywhere.
fn limit(series: &Series) -> Option<f64> {
    let first = series.points.first()?;
    let is_level = series.points.iter().all(|point| point.y == first.y);
    let is_limit = series.shape == Shape::Curve && series.evidence() == [Evidence::Specified];
    (is_level && is_limit).then_some(first.y)
}

/// What stands above the raster: the name of the left axis, and of the lower one where rows are few.
fn head(plot: &Plot, left: usize, is_low: bool, theme: Theme) -> String {
    let mut head = format!("{:left$} {}", "", axis_title(&plot.y, theme));
    if is_low {
        head += &format!(", over {}", axis_title(&plot.x, theme));
    }
    head
}

/// What stands below the raster: the axis, its numbers, and its name.
fn below(plot: &Plot, raster: &Raster, left: usize, columns: usize, theme: Theme) -> [String; 3] {
    let (axis, ticks) = lower_axis(&plot.x, raster, columns, theme);
    let margin = " ".repeat(left + 1);
    let name = format!("{margin} {:^columns$}", axis_title(&plot.x, theme));
    [
        format!("{margin}{axis}"),
        format!("{margin} {ticks}"),
        name.trim_end().to_owned(),
    ]
}

/// The place at shares of both axes; a value that an axis cannot show, such as 0 on a logarithmic one, stands at its
/// beginning.
fn at_shares(x: Option<f64>, y: Option<f64>) -> PlotPlace {
    PlotPlace {
        x: x.unwrap_or(0.0),
        y: y.unwrap_or(0.0),
    }
}

/// What stands left of a row: the label of its tick, if it has one, in so many columns, and the axis.
fn left_edge(label: Option<&str>, columns: usize, theme: Theme) -> String {
    let axis = match label {
        Some(_) => theme.glyph("\u{2524}", "+"),
        None => theme.glyph("\u{2502}", "|"),
    };
    format!("{:>columns$} {axis}", label.unwrap_or_default())
}

/// What an axis is of, and its unit.
pub(crate) fn axis_title(axis: &Axis, theme: Theme) -> String {
    match axis.unit.as_str() {
        "" => theme.text(&axis.label).into_owned(),
        unit => theme.text(&format!("{}, {unit}", axis.label)).into_owned(),
    }
}

/// The axis, and the numbers under it.
fn lower_axis(axis: &Axis, raster: &Raster, columns: usize, theme: Theme) -> (String, String) {
    let mut line: Vec<&str> = vec![theme.glyph("\u{2500}", "-"); columns];
    let mut text = String::new();
    let ticks = axis.ticks((columns / TICK_WIDTH).max(1) + 1);
    for (&value, label) in ticks.iter().zip(tick_labels(&ticks)) {
        let column = raster.cell(at_shares(axis.share(value), None)).column;
        line[column.min(columns - 1)] = theme.glyph("\u{252c}", "+");
        let start = (column + 1).saturating_sub(label.len().div_ceil(2));
        let start = start.min(columns.saturating_sub(label.len()));
        // A number that would touch the one before it is left out; its tick stays.
        if start >= text.len() + usize::from(!text.is_empty()) {
            text += &" ".repeat(start - text.len());
            text += &label;
        }
    }
    (
        theme.glyph("\u{2514}", "+").to_owned() + &line.concat(),
        text,
    )
}

/// Draws the series: curves, then marks of what is computed, then runs, that of the cursor last; the cells of
/// their points.
fn draw_series(
    raster: &mut Raster,
    plot: &Plot,
    cursor: Option<(usize, usize)>,
    theme: Theme,
) -> Vec<PointMark> {
    let styles = series_styles(plot, theme);
    let order = drawing_order(plot, cursor);
    for &i in &order {
        draw_line(raster, plot, &plot.series[i], &styles[i]);
    }
    let mut marks = Vec::new();
    for &i in &order {
        for (j, point) in plot.series[i].points.iter().enumerate() {
            if let (Some(at), Some(glyph)) = (place(plot, point), styles[i].mark) {
                raster.mark(at, glyph, styles[i].style);
                marks.push(PointMark {
                    at: raster.cell(at),
                    series: i,
                    point: j,
                });
            }
        }
    }
    // Last, so that no other mark hides the cursor.
    let chosen = cursor.and_then(|(i, j)| Some((i, plot.series.get(i)?.points.get(j)?)));
    if let Some((i, point)) = chosen
        && let Some(at) = place(plot, point)
    {
        let glyph = styles[i].mark.unwrap_or(theme.glyph("\u{253c}", "+"));
        let style = styles[i].style.add_modifier(Modifier::REVERSED);
        raster.mark(at, glyph, style);
    }
    marks
}

/// Joins the points of a series.
fn draw_line(raster: &mut Raster, plot: &Plot, series: &Series, style: &SeriesStyle) {
    // Marks stand alone: between computed points nothing is claimed.
    if series.shape == Shape::Marks {
        return;
    }
    let places: Vec<_> = series
        .points
        .iter()
        .map(|point| place(plot, point))
        .collect();
    for pair in places.windows(2) {
        if let [Some(from), Some(to)] = *pair {
            raster.line(from, to, style.dash, style.style);
        }
    }
}

/// Where a point stands; nowhere if an axis cannot show it.
fn place(plot: &Plot, point: &Point) -> Option<PlotPlace> {
    Some(PlotPlace {
        x: plot.x.share(point.x)?,
        y: plot.y.share(point.y)?,
    })
}

/// Series by their places, those first that others may cover.
pub(crate) fn drawing_order(plot: &Plot, cursor: Option<(usize, usize)>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plot.series.len()).collect();
    order.sort_by_key(|&i| {
        // Roofs and formulas are background; what was measured is never covered by them.
        let above = match plot.series[i].shape {
            Shape::Curve => 0,
            Shape::Marks => 1,
            Shape::Points => 2,
        };
        (above, cursor.is_some_and(|(at, _)| at == i))
    });
    order
}

/// Where an entry of the legend stands.
pub(crate) struct LegendEntry {
    pub series: usize,
    pub at: CellSpan,
}

/// The entries of the legend in lines of at most `width` cells, and where each stands; in brief their names alone.
pub(crate) fn plot_legend(
    plot: &Plot,
    width: usize,
    is_brief: bool,
    cursor: Option<(usize, usize)>,
    theme: Theme,
) -> (Vec<Line<'static>>, Vec<LegendEntry>) {
    let mut lines = vec![Line::default()];
    let mut entries = Vec::new();
    let styles = series_styles(plot, theme);
    for (series, (of, style)) in plot.series.iter().zip(styles).enumerate() {
        let is_chosen = cursor.is_some_and(|(at, _)| at == series);
        let (name, words) = legend_text(plot, of, is_brief);
        let entry = legend_entry([name, &words], &style, width, is_chosen, theme);
        let cells = entry.iter().map(Line::width).max().unwrap_or(0);
        let mut row = lines.len() - 1;
        let used = lines[row].width();
        let mut column = if used == 0 { 0 } else { used + LEGEND_GAP };
        // An entry that needs several lines gets them for itself; short ones share.
        if entry.len() == 1 && column + cells <= width {
            let line = &mut lines[row];
            line.push_span(Span::raw(" ".repeat(column - used)));
            line.spans
                .extend(entry.into_iter().flat_map(|line| line.spans));
        } else {
            if used == 0 {
                lines.pop();
            }
            (row, column) = (lines.len(), 0);
            lines.extend(entry);
        }
        let at = CellSpan {
            column,
            row,
            width: cells,
        };
        entries.push(LegendEntry { series, at });
    }
    (lines, entries)
}

/// The name of a series, the value of one that is a limit, and how its points came to be; in brief without that, unless
/// another series has the same name.
fn legend_text<'a>(plot: &Plot, series: &'a Series, is_brief: bool) -> (&'a str, String) {
    let value = limit(series).map(|value| format!(" {}", exact(value)));
    let value = value.unwrap_or_default();
    if !is_brief {
        return (&series.name, value + &evidence_words(series));
    }
    let name = brief_name(series);
    let same = plot.series.iter().filter(|other| brief_name(other) == name);
    match same.count() {
        ..=1 => (name, value),
        _ => (name, value + &evidence_words(series)),
    }
}

/// `groups` of `groups: M(3N − 2048)`: the formula is the line's.
fn brief_name(series: &Series) -> &str {
    series.name.split(": ").next().unwrap_or_default()
}

/// How the points of a series came to be.
fn evidence_words(series: &Series) -> String {
    let words = series.evidence();
    let words: Vec<&str> = words.iter().map(|evidence| evidence.word()).collect();
    format!(" {}", words.join(", "))
}

/// A series in the legend: its mark, its name and how its points came to be.
fn legend_entry(
    [name, words]: [&str; 2],
    style: &SeriesStyle,
    width: usize,
    is_chosen: bool,
    theme: Theme,
) -> Vec<Line<'static>> {
    let role = match is_chosen {
        true => Role::Strong,
        false => Role::Text,
    };
    let pieces = [
        (theme.text(name).into_owned(), theme.style(role)),
        (words.to_owned(), theme.style(Role::Muted)),
    ];
    let mark = format!("{} ", style.glyph);
    let indent = Span::raw(" ".repeat(mark.chars().count()));
    wrap(
        &pieces,
        width,
        &[Span::styled(mark, style.style)],
        &[indent],
    )
}

/// What is known of the point under the cursor. A name that has no room beside the values stands below them.
pub(crate) fn plot_details(
    plot: &Plot,
    cursor: Option<(usize, usize)>,
    width: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let found = cursor.and_then(|(i, j)| {
        let series = plot.series.get(i)?;
        Some((i, series, series.points.get(j)?))
    });
    let Some((i, series, point)) = found else {
        return Vec::new();
    };
    let style = &series_styles(plot, theme)[i];
    let styled = |text: String, role| Span::styled(text, theme.style(role));
    let values = values_of(plot, point, theme);
    let mark = format!("{} ", style.glyph);
    let name = theme.text(&series.name).into_owned();
    let taken = mark.width() + values.iter().map(Span::width).sum::<usize>();
    let mut first = Line::from(Span::styled(mark, style.style));
    let mut lines = Vec::new();
    let mut below = Vec::new();
    if first.width() + name.width() <= width {
        // A name begins its line: under its numbers it would be taken for another one's.
        first.push_span(styled(name.clone(), Role::Strong));
        if taken + name.width() > width {
            lines.push(std::mem::take(&mut first));
        }
    } else {
        let indent = [Span::raw("  ")];
        let name = [(name, theme.style(Role::Strong))];
        below = wrap(&name, width, &indent, &indent);
    }
    first.extend(values);
    lines.push(first);
    lines.append(&mut below);
    let rest = format!("  {}", said_of(point, theme));
    lines.push(Line::from(styled(rest, Role::Muted)));
    lines.into_iter().flat_map(|row| fold(row, width)).collect()
}

/// Where a point lies, and how that is known.
fn values_of(plot: &Plot, point: &Point, theme: Theme) -> [Span<'static>; 3] {
    let styled = |text: String, role| Span::styled(text, theme.style(role));
    [
        Span::raw(format!("  {}  ", value_text(&plot.x, point.x, theme))),
        styled(value_text(&plot.y, point.y, theme), Role::Strong),
        styled(format!("  {}", point.evidence.word()), Role::Muted),
    ]
}

/// What else is known of a point, such as `N=4096 · from the run before last`.
fn said_of(point: &Point, theme: Theme) -> String {
    let says = theme.text(&point.says).into_owned();
    let mut parts = vec![point.label.clone(), sizes_named(&point.sizes), says];
    parts.retain(|part| !part.is_empty());
    parts.join(&format!(" {} ", theme.dot()))
}

/// A value on an axis: with its unit behind it, or with what it is of before it.
fn value_text(axis: &Axis, value: f64, theme: Theme) -> String {
    let name = axis.label.split(',').next().unwrap_or_default();
    let text = match axis.unit.as_str() {
        "" => format!("{name} {}", exact(value)),
        unit => format!("{} {unit}", exact(value)),
    };
    theme.text(&text).into_owned()
}

/// What is to be known of the plot besides.
pub(crate) fn plot_notes(plot: &Plot, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let notes = plot.notes.iter();
    notes
        .flat_map(|note| {
            let pieces = [(theme.text(note).into_owned(), theme.style(Role::Muted))];
            wrap(&pieces, width, &[], &[])
        })
        .collect()
}
