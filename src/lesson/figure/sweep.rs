//! What is timed for a figure of lines: each of its cells at each of the sizes that it is recorded at there.

use super::fixed::Fixed;
use super::sources::Sources;
use crate::device::Gpu;
use crate::lesson::cells::{FigureCell, FigureKind, RunCell};
use crate::lesson::outline::Lesson;
use crate::lesson::sizes::{Sizes, defaults};

/// A point to time.
pub struct SweepPoint<'a> {
    /// What runs.
    pub cell: &'a RunCell,
    /// At which sizes: a value for every size of the lesson.
    pub sizes: Sizes,
}

impl FigureCell {
    /// What `tutor bench` calls it, if its points are to be timed.
    pub fn bench(&self) -> Option<&str> {
        match &self.kind {
            FigureKind::Lines(figure) => figure.bench.as_deref(),
            _ => None,
        }
    }

    /// Its points, along the first axis.
    pub fn sweep<'a>(&self, lesson: &'a Lesson, gpu: &Gpu) -> Vec<SweepPoint<'a>> {
        let FigureKind::Lines(figure) = &self.kind else {
            return Vec::new();
        };
        let sources = Sources {
            lesson,
            sizes: &defaults(&lesson.sizes),
            gpu,
            samples: &[],
            tiles: &[],
        };
        let fixed = Fixed::new(&sources, &figure.at, Some(&figure.x));
        let cells = figure.cells.iter();
        let cells = cells.filter_map(|part| lesson.run_cell(&part.cell).ok());
        let points = cells.flat_map(|cell| {
            let sizes = lesson.recorded_sizes_of(cell).into_iter();
            let sizes = sizes.filter(|sizes| fixed.holds(&cell.own_sizes(sizes)));
            sizes.map(move |sizes| SweepPoint { cell, sizes })
        });
        let mut points: Vec<SweepPoint> = points.collect();
        // Stable: at each size the cells stand in the order of the legend.
        points.sort_by_key(|point| point.sizes.get(&figure.x).copied());
        points
    }
}

#[cfg(test)]
mod tests {
    use crate::device::gpu_or_usual;
    use crate::lesson::load;

    #[test]
    fn a_sweep_has_the_cells_of_its_figure_at_the_sizes_that_it_shows() {
        let lesson = load("vector-add").expect("reads");
        let figure = lesson.figures().find(|of| of.bench() == Some("add"));
        let figure = figure.expect("is there");
        let points = figure.sweep(&lesson, gpu_or_usual("h200"));
        let shown = figure.cells();
        assert!(
            points
                .iter()
                .all(|point| shown.contains(&point.cell.id.as_str()))
        );
        let elements: Vec<u64> = points.iter().map(|point| point.sizes["N"]).collect();
        assert!(elements.is_sorted());
        let of_last = elements.iter().filter(|&&n| n == 1 << 28).count();
        assert_eq!(of_last, shown.len());
    }
}
