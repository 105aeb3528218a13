//! The points of a plot as rows of a table.

use super::numbers::exact;
use super::plot::{SeriesStyle, series_styles};
use crate::document::style::Theme;
use crate::lesson::{Axis, Plot, Point, Series, Shape, Sizes, sizes_named};

/// A point as a row of a table: series, both values, how it came to be.
pub(crate) struct PointRow {
    /// Series and point.
    pub of: (usize, usize),
    /// What stands in the columns.
    pub cells: [String; 4],
}

/// The head of a table of points: the units of both values.
pub(crate) fn point_header(plot: &Plot, theme: Theme) -> [String; 4] {
    let unit = |axis: &Axis| match axis.unit.as_str() {
        "" => axis.label.split(',').next().unwrap_or_default().to_owned(),
        unit => theme.text(unit).into_owned(),
    };
    [String::new(), unit(&plot.x), unit(&plot.y), String::new()]
}

/// The marked points of a plot: series, both values with units, how each came to be; a header first.
pub fn plot_rows(plot: &Plot) -> Vec<[String; 4]> {
    let paper = Theme::paper();
    let rows = point_rows(plot, paper).into_iter().map(|row| row.cells);
    [point_header(plot, paper)]
        .into_iter()
        .chain(rows)
        .collect()
}

/// Every point that has a mark.
pub(crate) fn point_rows(plot: &Plot, theme: Theme) -> Vec<PointRow> {
    let all = plot
        .series
        .iter()
        .zip(series_styles(plot, theme))
        .enumerate();
    let marked = all.filter(|(_, (series, _))| series.shape != Shape::Curve);
    let of_series = |(i, (series, look)): (usize, (&Series, SeriesStyle))| {
        let row = |(j, point): (usize, &Point)| {
            // An axis without a unit is a size: then its value names the point already. Else the sizes are told.
            let name = match (point.label.as_str(), plot.x.unit.as_str()) {
                ("", "") => series.name.clone(),
                ("", _) => format!("{} {}", series.name, sizes_named(&telling(plot, point))),
                (label, _) => label.to_owned(),
            };
            PointRow {
                of: (i, j),
                cells: [
                    format!("{} {}", look.glyph, theme.text(&name)),
                    exact(point.x),
                    exact(point.y),
                    point.evidence.word().to_owned(),
                ],
            }
        };
        series
            .points
            .iter()
            .enumerate()
            .map(row)
            .collect::<Vec<_>>()
    };
    marked.flat_map(of_series).collect()
}

/// The sizes of a point without those that are the same for all points that have them: these tell no point from another.
fn telling(plot: &Plot, point: &Point) -> Sizes {
    let others = || plot.series.iter().flat_map(|series| &series.points);
    let tells = |name: &str, value| {
        let mut values = others().filter_map(|other| other.sizes.get(name));
        values.any(|&other| other != value)
    };
    let sizes = point.sizes.iter();
    let sizes = sizes.filter(|&(name, &value)| tells(name, value));
    sizes.map(|(name, &value)| (name.clone(), value)).collect()
}
