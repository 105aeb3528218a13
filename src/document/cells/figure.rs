//! Figures: a drawing in ASCII, and the points as a table.

use crate::document::block::{Block, Figure, Fold, Table};
use crate::document::drawing::{order_text, picture_text, plot_rows, plot_text};
use crate::lesson::{BlockOrder, FigureCell, Picture, Plot, Series, Shape};

/// Columns and rows of a plot.
const PLOT: (usize, usize) = (78, 22);
/// Columns and rows of the matrices of an order.
const MATRICES: (usize, usize) = (78, 26);

/// A figure of plots.
pub fn plots(cell: &FigureCell, plots: &[Plot]) -> Vec<Block> {
    let mut blocks = vec![Block::heading(&cell.title, &cell.id)];
    let (empty, plots): (Vec<&Plot>, Vec<&Plot>) =
        plots.iter().partition(|plot| plot.series.is_empty());
    // A plot without series says why in its notes, such as that nothing is recorded.
    let why = empty.iter().flat_map(|plot| plot.notes.iter().cloned());
    blocks.extend(why.map(Block::Prose));
    for &plot in &plots {
        let title = match plots.len() {
            // The figure's heading says it already.
            1 => String::new(),
            _ => plot.title.clone(),
        };
        blocks.push(Block::Drawing {
            title,
            lines: plot_text(plot, PLOT.0, PLOT.1),
            figure: Box::new(Figure::Plot(plot.clone())),
        });
        let points = points(plot).into_iter().collect();
        blocks.extend(Block::folded(Fold::Numbers, points));
    }
    let notes = plots.first().map_or(&[][..], |plot| plot.notes.as_slice());
    if !notes.is_empty() {
        let notes = notes.iter().map(|note| format!("({note})"));
        blocks.push(Block::lines("", notes.collect()));
    }
    blocks
}

/// The points as a table; of a plot that is nothing but curves none.
fn points(plot: &Plot) -> Option<Block> {
    let is_marked = |series: &Series| series.shape != Shape::Curve;
    let mut rows = plot_rows(plot).into_iter();
    let header = rows.next().filter(|_| plot.series.iter().any(is_marked))?;
    let header = header.each_ref().map(String::as_str);
    let rows = rows.map(Vec::from).collect();
    Some(Block::Table(Table::new("", &header, 1, rows)))
}

/// A figure of blocks over a matrix: after a first row of tiles, and in the end.
pub fn order(cell: &FigureCell, order: &BlockOrder) -> Vec<Block> {
    let blocks = order.moments();
    if let Some(block) = order.block {
        // In the middle, where some tiles were read and others wait.
        let step = blocks.div_ceil(2);
        let title = format!(
            "Block {block} of {} after step {step} of {blocks}",
            order.kernel
        );
        let lines = order_text(order, step, MATRICES.0, MATRICES.1);
        return vec![
            Block::heading(&cell.title, &cell.id),
            Block::picture(title, lines),
        ];
    }
    // As many blocks as a row of the output has tiles; of fewer blocks, all.
    let first = (order.output.tiles[1] as usize).min(blocks);
    let mut moments = vec![first, blocks];
    // One row of tiles is the whole output.
    moments.dedup();
    let drawings = moments.into_iter().map(|visits| Block::Drawing {
        title: format!("After {visits} of {blocks} blocks of {}", order.kernel),
        lines: order_text(order, visits, MATRICES.0, MATRICES.1),
        figure: Box::new(Figure::Order(order.clone(), visits)),
    });
    std::iter::once(Block::heading(&cell.title, &cell.id))
        .chain(drawings)
        .collect()
}

/// A picture, at its last moment.
pub fn picture(cell: &FigureCell, picture: &Picture) -> Vec<Block> {
    let last = picture.moments().saturating_sub(1);
    let lines = picture_text(picture, last, MATRICES.0, MATRICES.1);
    vec![
        Block::heading(&cell.title, &cell.id),
        Block::Drawing {
            title: String::new(),
            lines,
            figure: Box::new(Figure::Picture(picture.clone(), last)),
        },
    ]
}

/// A figure that cannot be shown, and why.
pub fn missing(cell: &FigureCell, why: &str) -> Vec<Block> {
    vec![
        Block::heading(&cell.title, &cell.id),
        Block::Note(why.to_owned()),
    ]
}
