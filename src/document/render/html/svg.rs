//! Figures as SVG: the data of the terminal's, in the page's colours. Every mark tells its point to a pointer that
//! rests on it; whoever cannot see has the table below.

use std::fmt::Write as _;

use super::page::escaped;
use super::pictures;
use super::style_sheet::{self, ORDER_STEPS};
use crate::device::grouped;
use crate::document::block::Figure;
use crate::document::drawing::{
    STATES, axis_title, drawing_order, exact, rows_and_columns, series_numbers, tick_labels,
};
use crate::document::style::Theme;
use crate::lesson::{
    Axis, BlockOrder, Plot, Point, Replay, Series, Shape, TileGrid, TileState, sizes_named,
};

/// The width and height of a plot, in units of the picture: small, so that a phone's screen leaves digits legible.
const PLOT: (f64, f64) = (520.0, 320.0);
/// Most values beside an axis.
const TICKS: usize = 6;
/// Most tiles that are drawn one by one.
const MOST_TILES: u64 = 1 << 12;

/// `figure` as elements of HTML, called `name`; nothing of one that has no picture.
pub(crate) fn figure(figure: &Figure, name: &str) -> Option<String> {
    match figure {
        Figure::Plot(plot) => (!plot.series.is_empty()).then(|| PlotDrawing::of(plot).draw(name)),
        Figure::Order(order, visits) => drawn_order(order, *visits),
        Figure::Picture(picture, moment) => Some(pictures::drawn(picture, *moment, name)),
        Figure::Characters => None,
    }
}

/// Width that an entry of a legend in a picture of its own has, and the height of a row of them.
const LEGEND: (f64, f64) = (260.0, 20.0);

/// `plot` as a picture of its own, light, with its title and legend in it; nothing of a plot without series.
pub fn file(plot: &Plot) -> Option<String> {
    if plot.series.is_empty() {
        return None;
    }
    let drawing = PlotDrawing::of(plot);
    let columns = (PLOT.0 / LEGEND.0) as usize;
    let rows = plot.series.len().div_ceil(columns);
    let height = PLOT.1 + TITLE + 8.0 + LEGEND.1 * rows as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\">\n<style>{}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--ground)\"/>\n\
         <text class=\"title\" x=\"4\" y=\"18\">{}</text>\n<g transform=\"translate(0 {TITLE})\">\n",
        PLOT.0,
        style_sheet::of_picture(),
        escaped(&plot.title)
    );
    let looks = drawing.looks();
    svg += &drawing.plotted(&looks);
    for (at, (series, look)) in looks.into_iter().enumerate() {
        let (x, y) = (
            LEGEND.0 * (at % columns) as f64 + 8.0,
            PLOT.1 + LEGEND.1 * (at / columns) as f64 + 4.0,
        );
        let _ = writeln!(
            svg,
            "<g transform=\"translate({x} {y})\">{}<text x=\"30\" y=\"12\">{}</text></g>",
            sign(look),
            escaped(&format!("{}, {}", series.name, evidence(series)))
        );
    }
    Some(svg + "</g>\n</svg>\n")
}

/// Height of a title above a picture of its own.
const TITLE: f64 = 26.0;

/// A plot and where its axes stand.
struct PlotDrawing<'a> {
    plot: &'a Plot,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl<'a> PlotDrawing<'a> {
    fn of(plot: &'a Plot) -> Self {
        let labels = tick_labels(&plot.y.ticks(TICKS));
        let labels = labels.iter().map(String::len);
        // A digit of 13 units of type is at most 8 wide.
        let left = 14.0 + 8.0 * labels.max().unwrap_or(1) as f64;
        PlotDrawing {
            plot,
            left,
            right: PLOT.0 - 22.0,
            top: 26.0,
            bottom: PLOT.1 - 44.0,
        }
    }

    fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// Where a point stands, if the axes show it.
    fn place(&self, point: &Point) -> Option<(f64, f64)> {
        let (x, y) = (self.plot.x.share(point.x)?, self.plot.y.share(point.y)?);
        Some((self.x(x), self.y(y)))
    }

    fn draw(&self, name: &str) -> String {
        let mut svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
            PLOT.0,
            PLOT.1,
            escaped(name)
        );
        let looks = self.looks();
        svg += &self.plotted(&looks);
        let legend: String = looks
            .into_iter()
            .map(|(series, look)| legend_entry(series, look))
            .collect();
        format!("{svg}</svg>\n<ul class=\"legend\">\n{legend}</ul>\n")
    }

    /// The axes with their ticks, and every series.
    fn plotted(&self, looks: &[(&Series, Look)]) -> String {
        let mut svg = self.ticks() + &self.axes();
        for at in drawing_order(self.plot, None) {
            let (series, look) = looks[at];
            svg += &self.series(series, look);
        }
        svg
    }

    /// Each series with what tells it apart.
    fn looks(&self) -> Vec<(&'a Series, Look)> {
        let numbered = self.plot.series.iter().zip(series_numbers(self.plot));
        numbered
            .map(|(series, number)| (series, Look::of(series, number)))
            .collect()
    }

    /// Lines across the plot with their values: those of the left axis, then those of the lower one.
    fn ticks(&self) -> String {
        let mut svg = String::new();
        let ticks = self.plot.y.ticks(TICKS);
        for (&value, label) in ticks.iter().zip(tick_labels(&ticks)) {
            let Some(y) = self.plot.y.share(value).map(|share| self.y(share)) else {
                continue;
            };
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{:.1} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                self.left,
                self.right,
                self.left - 6.0,
                y + 4.0,
                label
            );
        }
        let ticks = self.plot.x.ticks(TICKS);
        for (&value, label) in ticks.iter().zip(tick_labels(&ticks)) {
            let Some(x) = self.plot.x.share(value).map(|share| self.x(share)) else {
                continue;
            };
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {:.1}V{:.1}\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.top,
                self.bottom + 4.0,
                self.bottom + 18.0,
                label
            );
        }
        svg
    }

    /// The axes and their names.
    fn axes(&self) -> String {
        let [x, y] =
            [&self.plot.x, &self.plot.y].map(|axis| escaped(&axis_title(axis, Theme::paper())));
        format!(
            "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>\n<text x=\"4\" y=\"14\">{y}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text>\n",
            self.left,
            self.top,
            self.bottom,
            self.right,
            self.x(0.5),
            PLOT.1 - 6.0,
        )
    }

    /// The line through a series, and a mark at each of its points.
    fn series(&self, series: &Series, look: Look) -> String {
        let class = look.class();
        let mut svg = String::new();
        if series.shape != Shape::Marks {
            let mut path = String::new();
            let mut is_open = false;
            for place in series.points.iter().map(|point| self.place(point)) {
                // A point that the axes do not show breaks the line.
                if let Some((x, y)) = place {
                    let _ = write!(path, "{}{x:.1} {y:.1}", if is_open { "L" } else { "M" });
                }
                is_open = place.is_some();
            }
            let _ = writeln!(svg, "<path class=\"line {class}\" d=\"{path}\"/>");
        }
        for point in &series.points {
            if let (Look::Mark(shape), Some((x, y))) = (look, self.place(point)) {
                let _ = writeln!(
                    svg,
                    "<path class=\"{}\" d=\"{}\"><title>{}</title></path>",
                    mark_class(shape),
                    mark_path(shape, x, y),
                    escaped(&self.point_text(series, point))
                );
            }
        }
        svg
    }

    /// What is known of a point, as in `fused: 4,096, 3,210 GB/s, recorded`.
    fn point_text(&self, series: &Series, point: &Point) -> String {
        let value = |value: f64, axis: &Axis| {
            let text = format!("{} {}", exact(value), axis.unit);
            text.trim_end().to_owned()
        };
        let mut parts = vec![
            value(point.x, &self.plot.x),
            value(point.y, &self.plot.y),
            point.evidence.word().to_owned(),
            point.label.clone(),
            sizes_named(&point.sizes),
        ];
        parts.retain(|part| !part.is_empty());
        format!("{}: {}", series.name, parts.join(", "))
    }
}

/// How a series is told apart: by the dashes of its line, or by the shape and colour of its marks.
#[derive(Clone, Copy)]
enum Look {
    Dash(usize),
    Mark(usize),
}

impl Look {
    fn of(series: &Series, number: usize) -> Self {
        match series.shape {
            Shape::Curve => Look::Dash(number % 4),
            Shape::Points | Shape::Marks => Look::Mark(number),
        }
    }

    fn class(self) -> String {
        match self {
            Look::Dash(dash) => format!("dash-{dash}"),
            Look::Mark(shape) => format!("series-{}", shape % Theme::SERIES_COLOURS),
        }
    }
}

/// Shapes with a filled inside first, then the same as outlines.
fn mark_class(shape: usize) -> String {
    let kind = if shape % 8 < 4 { "mark" } else { "mark open" };
    format!("{kind} series-{}", shape % Theme::SERIES_COLOURS)
}

/// A disc, a diamond, a triangle or a square around a place.
fn mark_path(shape: usize, x: f64, y: f64) -> String {
    match shape % 4 {
        0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
        1 => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
        2 => format!("M{x:.1} {:.1}l5 9h-10z", y - 5.5),
        _ => format!("M{:.1} {:.1}h8v8h-8z", x - 4.0, y - 4.0),
    }
}

/// What a series looks like, in a box of 24 by 16.
fn sign(look: Look) -> String {
    match look {
        Look::Dash(_) => format!("<path class=\"line {}\" d=\"M1 8H23\"/>", look.class()),
        Look::Mark(shape) => format!(
            "<path class=\"{}\" d=\"{}\"/>",
            mark_class(shape),
            mark_path(shape, 12.0, 8.0)
        ),
    }
}

fn legend_entry(series: &Series, look: Look) -> String {
    signed(
        &sign(look),
        &format!(
            "{} <span class=\"muted\">{}</span>",
            escaped(&series.name),
            evidence(series)
        ),
    )
}

/// Where the points of a series come from, in words.
fn evidence(series: &Series) -> String {
    let words = series.evidence();
    let words: Vec<&str> = words.iter().map(|evidence| evidence.word()).collect();
    words.join(", ")
}

/// An entry of a legend: what is drawn, and what it means.
fn signed(sign: &str, meaning: &str) -> String {
    format!(
        "<li><svg class=\"sign\" viewBox=\"0 0 24 16\" aria-hidden=\"true\">{sign}</svg> {meaning}</li>\n"
    )
}

/// The matrices after `visits` blocks; nothing where they have more tiles than can be told apart.
fn drawn_order(order: &BlockOrder, visits: usize) -> Option<String> {
    let all = std::iter::once(&order.output).chain(&order.inputs);
    if all.map(TileGrid::count).any(|tiles| tiles > MOST_TILES) {
        return None;
    }
    let replay = order.replay(visits);
    let last = order.blocks.len().saturating_sub(1).max(1);
    let written = |tile: u64| match replay.writer(tile) {
        _ if replay.current.contains(&tile) => "now".to_owned(),
        // From light to dark in the order of the blocks.
        Some(at) => format!("order-{}", at * (ORDER_STEPS - 1) / last),
        None => "untouched".to_owned(),
    };
    let mut svg = matrix(&order.output, written, |tile| replay.writer(tile));
    for (grid, states) in order.inputs.iter().zip(&replay.inputs) {
        let state = |tile: u64| state_class(states[tile as usize]).to_owned();
        svg += &matrix(grid, state, |_| None);
    }
    let legend = order_legend(order, &replay);
    Some(format!(
        "<div class=\"matrices\">\n{svg}</div>\n<ul class=\"legend\">\n{legend}</ul>\n"
    ))
}

/// What the colours of tiles mean, and how many tiles were loaded where there are inputs.
fn order_legend(order: &BlockOrder, replay: &Replay) -> String {
    let colours = "The stronger the colour, the later a tile was written.";
    if order.inputs.is_empty() {
        return format!("<li>{colours}</li>\n");
    }
    let states = STATES.map(|(state, name)| {
        let class = state_class(state);
        signed(
            &format!("<path class=\"{class}\" d=\"M4 1h14v14h-14z\"/>"),
            name,
        )
    });
    format!(
        "{}<li>{colours} {} tiles loaded from memory so far, {} of them again (modelled).</li>\n",
        states.concat(),
        grouped(replay.counted.loads),
        grouped(replay.counted.loaded_again)
    )
}

fn state_class(state: TileState) -> &'static str {
    match state {
        TileState::Untouched => "untouched",
        TileState::Loaded => "loaded",
        TileState::Found => "found",
        TileState::Held => "held",
        TileState::Gone => "gone",
    }
}

/// Side of a tile and of the gap behind it.
const TILE: usize = 20;

/// A matrix of tiles, each of the class that `class` gives it, with the number that `number` gives it where it has room.
fn matrix(
    grid: &TileGrid,
    class: impl Fn(u64) -> String,
    number: impl Fn(u64) -> Option<usize>,
) -> String {
    let [rows, columns] = match grid.tiles.map(|tiles| tiles as usize) {
        // A single column stands upright where it is short.
        [rows, 1] if rows <= 16 => [rows, 1],
        _ => rows_and_columns(grid),
    };
    let tiles = rows * columns;
    // A long single row is folded.
    let across = if rows == 1 { columns.min(32) } else { columns };
    let (width, height) = (across * TILE, tiles.div_ceil(across) * TILE);
    let [of_rows, of_columns] = grid.tiles;
    let mut svg = format!(
        "<svg viewBox=\"0 -22 {} {}\" role=\"img\" aria-label=\"{name}: {of_rows} by {of_columns} tiles\">\n\
         <text x=\"0\" y=\"-7\">{name}, {of_rows} \u{d7} {of_columns} tiles</text>\n",
        width.max(260),
        height + 22,
        name = escaped(&grid.name)
    );
    for tile in 0..tiles {
        let (x, y) = (tile % across * TILE, tile / across * TILE);
        svg += &square(x, y, &class(tile as u64), number(tile as u64));
    }
    svg + "</svg>\n"
}

/// A tile with its upper left corner at `(x, y)`. A number of three digits would not fit.
fn square(x: usize, y: usize, class: &str, number: Option<usize>) -> String {
    let side = TILE - 2;
    let mut svg = format!("<path class=\"{class}\" d=\"M{x} {y}h{side}v{side}h-{side}z\"/>");
    if let Some(number) = number.filter(|number| *number < 100) {
        let _ = write!(
            svg,
            "<text class=\"digits\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{number}</text>",
            x + side / 2,
            y + 13
        );
    }
    svg
}
