//! Tiles that orders of blocks load from memory, over a size: the model of an order figure at each of its
//! values.

use super::curve;
use super::fixed::Fixed;
use super::order::OrderError;
use super::plot::{Point, Series, Shape};
use super::replay::BlockOrder;
use super::sources::Sources;
use crate::device::gpu;
use crate::engine::Control;
use crate::launch::Evidence;
use crate::lesson::cells::{FigureKind, LineFigure, OrderFigure};
use crate::lesson::outline::Lesson;
use crate::lesson::sizes::Sizes;

/// Most values of the size: at each of them the blocks run.
const MOST_RUNS: u64 = 16;

/// What comes of blocks that run for a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Replayed {
    /// Their order.
    Order(BlockOrder),
    /// How many tiles they load from memory over a size, a series for each order.
    Tiles(Vec<Series>),
}

/// The tiles that each of the figure's orders loads. Values at which its blocks cannot run are left out.
///
/// # Errors
/// That an order has none.
pub(super) fn loaded(
    figure: &LineFigure,
    lesson: &Lesson,
    sizes: &Sizes,
    id: &str,
    control: &Control,
) -> Result<Vec<Series>, OrderError> {
    let sources = Sources {
        lesson,
        sizes,
        gpu: gpu(id)?,
        samples: &[],
        tiles: &[],
    };
    let fixed = Fixed::new(&sources, &figure.at, Some(&figure.x));
    let Some(size) = fixed.size() else {
        return Ok(Vec::new());
    };
    let xs = curve::values(size, figure.x_scale, MOST_RUNS);
    let series = orders(figure, lesson).map(|(name, order)| {
        let run = |x| order.order(lesson, &fixed.sizes(Some(x)), id, control);
        Ok(Series {
            name: name.to_owned(),
            shape: Shape::Points,
            points: points(&xs, run)?,
        })
    });
    series.collect()
}

/// What each value gives; the last error, if all fail.
fn points(
    xs: &[u64],
    run: impl Fn(u64) -> Result<BlockOrder, OrderError>,
) -> Result<Vec<Point>, OrderError> {
    let mut points = Vec::new();
    let mut failed = None;
    for &x in xs {
        match run(x) {
            Ok(order) => points.push(point(x, &order)),
            Err(error) => failed = Some(error),
        }
    }
    // One size at which blocks cannot run leaves a gap; none at which they can is worth a message.
    match failed {
        Some(error) if points.is_empty() => Err(error),
        _ => Ok(points),
    }
}

/// The order figures that it plots, with their ids.
fn orders<'a>(
    figure: &'a LineFigure,
    lesson: &'a Lesson,
) -> impl Iterator<Item = (&'a str, &'a OrderFigure)> {
    let found = |id: &'a String| {
        let mut figures = lesson.figures();
        match &figures.find(|figure| figure.id == *id)?.kind {
            FigureKind::Order(order) => Some((id.as_str(), order)),
            _ => None,
        }
    };
    figure.orders.iter().filter_map(found)
}

fn point(x: u64, order: &BlockOrder) -> Point {
    let counted = order.replay(order.blocks.len()).counted;
    Point {
        x: x as f64,
        y: counted.loads as f64,
        evidence: Evidence::Modelled,
        sizes: Sizes::new(),
        label: String::new(),
        says: match counted.loaded_again {
            0 => "each of them once".to_owned(),
            again => format!("{again} of them again"),
        },
    }
}
