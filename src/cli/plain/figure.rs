//! Figures as text: the points as a table, and a plot in ASCII.

use super::super::table::columns;
use super::{heading, section};
use crate::lesson::{FigureCell, Order, Plot, Shape};
use crate::tui::{order_text, plot_rows, plot_text};

/// Columns and rows of a plot.
const PLOT: (usize, usize) = (78, 22);
/// Columns and rows of the matrices of an order.
const MATRICES: (usize, usize) = (78, 26);

/// A figure of plots.
pub(in crate::cli) fn plots(cell: &FigureCell, plots: &[Plot]) -> String {
    let mut text = head(cell);
    for plot in plots {
        if plots.len() > 1 {
            text += &section(&plot.title);
        }
        text.push('\n');
        for line in plot_text(plot, PLOT.0, PLOT.1) {
            text += format!("  {line}").trim_end();
            text.push('\n');
        }
        text += &points(plot);
    }
    let notes = plots.first().map_or(&[][..], |plot| &plot.notes);
    for note in notes {
        text += &format!("  ({note})\n");
    }
    text
}

/// The points as a table; of a plot that is nothing but curves none.
fn points(plot: &Plot) -> String {
    let is_marked = |series: &&crate::lesson::Series| series.shape != Shape::Curve;
    if !plot.series.iter().any(|series| is_marked(&series)) {
        return String::new();
    }
    let rows: Vec<Vec<String>> = plot_rows(plot).into_iter().map(Vec::from).collect();
    format!("\n{}", columns(&rows, 1))
}

/// A figure of blocks over a matrix: after a first row of tiles, and in the end.
pub(in crate::cli) fn order(cell: &FigureCell, order: &Order) -> String {
    let mut text = head(cell);
    let blocks = order.blocks.len();
    let first = (order.output.tiles[1] as usize).min(blocks);
    let mut moments = vec![first, blocks];
    moments.dedup();
    for visits in moments {
        text += &section(&format!(
            "After {visits} of {blocks} blocks of {}",
            order.kernel
        ));
        for line in order_text(order, visits, MATRICES.0, MATRICES.1) {
            text += format!("  {line}").trim_end();
            text.push('\n');
        }
    }
    text
}

/// A figure that cannot be shown, and why.
pub(in crate::cli) fn missing(cell: &FigureCell, why: &str) -> String {
    format!("{}\n  {why}\n", head(cell))
}

fn head(cell: &FigureCell) -> String {
    heading(&format!("{} [{}]", cell.title, cell.id))
}
