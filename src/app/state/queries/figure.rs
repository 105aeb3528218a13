//! The figure on screen, and its plots from all that ran and is recorded.

use crate::app::state::{CellState, Context, FigureState, FigureView, Model};
use crate::device::{DEFAULT_GPU, gpu};
use crate::lesson::{
    BlockOrder, Cell, FigureCell, FigureKind, FirstView, Picture, Plot, Point, RunCell, Shape,
    Sources,
};

impl Model {
    /// The figure with the order of the blocks of run `cell`, as an index.
    fn order_figure(&self, cell: &RunCell) -> Option<usize> {
        let is_its = |of: &Cell| match of {
            Cell::Figure(figure) => match &figure.kind {
                FigureKind::Order(order) => order.cell == cell.id && order.block.is_none(),
                _ => false,
            },
            _ => false,
        };
        self.lesson.cells.iter().position(is_its)
    }

    /// The figure that what is on screen needs: itself, or that of a run whose order of blocks is seen first.
    pub(crate) fn needed_figure(&self) -> Option<usize> {
        if self.figure().is_some() {
            return Some(self.at);
        }
        let (cell, _) = self.run_cell()?;
        let is_seen = cell.first_look.view == Some(FirstView::Order);
        self.order_figure(cell).filter(|_| is_seen)
    }

    /// The order of the blocks of the run on screen, where it is seen first and the kernels are the lesson's.
    pub fn run_order(&self) -> Option<&BlockOrder> {
        let (_, state) = self.run_cell()?;
        let is_edited = state.ran.as_ref().is_none_or(|ran| ran.edited);
        match self.cells.get(self.needed_figure()?)? {
            CellState::Figure(state) if !is_edited => state.order.as_ref()?.as_deref().ok(),
            _ => None,
        }
    }

    /// Where keys go on a figure; nothing if none is on screen.
    pub(crate) fn figure_context(&self) -> Option<Context> {
        let (cell, _) = self.figure()?;
        match &cell.kind {
            kind if kind.is_plots() => Some(Context::Figure),
            // It is a page to read.
            FigureKind::Picture(picture) if picture.stands_still() => None,
            _ => Some(Context::Blocks),
        }
    }

    /// Whether the blocks of the figure on screen are there to be gone through.
    pub fn is_figure_complete(&self) -> bool {
        self.figure_steps() > 0
    }

    /// Whether something on screen goes on by itself.
    pub fn is_playing(&self) -> bool {
        self.figure().is_some_and(|(_, state)| state.playing)
    }

    /// The GPU whose peaks, limits and recordings figures show: an id of the GPU table.
    pub fn figure_gpu(&self) -> &str {
        self.settings.gpu.as_deref().unwrap_or(DEFAULT_GPU)
    }

    /// The picture that `cell` is, or why there is none; nothing of a figure that is none.
    pub fn picture(&self, cell: &FigureCell) -> Option<Result<Picture, String>> {
        cell.picture(&Sources {
            lesson: &self.lesson,
            sizes: &self.settings.sizes,
            gpu: gpu(self.figure_gpu()).ok()?,
            samples: &[],
            tiles: &[],
        })
    }

    /// How many steps the figure on screen has: blocks of an order, from one moment of a picture to the next.
    pub fn figure_steps(&self) -> usize {
        let Some((cell, state)) = self.figure() else {
            return 0;
        };
        match (self.picture(cell), &state.order) {
            (Some(Ok(picture)), _) => picture.moments().saturating_sub(1),
            (_, Some(Ok(order))) => order.moments(),
            _ => 0,
        }
    }

    /// The plots of `cell`, from all that ran and is recorded, and from what was found for `state`.
    pub fn plots(&self, cell: &FigureCell, state: &FigureState) -> Option<Vec<Plot>> {
        let tiles = state.tiles.as_ref();
        let mut plots = cell.plots(&Sources {
            lesson: &self.lesson,
            sizes: &self.settings.sizes,
            gpu: gpu(self.figure_gpu()).ok()?,
            samples: self.runs.samples.all(),
            tiles: tiles
                .and_then(|tiles| tiles.as_deref().ok())
                .unwrap_or_default(),
        });
        if let (Some(Err(why)), Some(plot)) = (tiles, plots.first_mut()) {
            // Where the points would be, so that an empty plot says why it is empty.
            plot.notes = vec![why.clone()];
        }
        Some(plots)
    }

    /// The plots of the figure on screen; nothing if it is no figure of plots.
    pub fn figure_view(&self) -> Option<FigureView> {
        let (cell, state) = self.figure()?;
        let plots = self.plots(cell, state)?;
        // A plot may have gone since: what is drawn depends on the sizes.
        let first_look = || plots.iter().position(|plot| plot.is_first_look);
        let plot = state.plot.or_else(first_look).unwrap_or(0);
        let plot = plot.min(plots.len().checked_sub(1)?);
        let cursor = self.cursor(&plots[plot], state.cursor);
        Some(FigureView {
            plots,
            plot,
            cursor,
        })
    }

    /// The point that was chosen, else the first at the chosen sizes, else the first of the first series
    /// that has marks.
    pub(crate) fn cursor(
        &self,
        plot: &Plot,
        chosen: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        let series = plot.series.iter().enumerate();
        let marked =
            // A curve is a formula; what somebody reads off are the points that were counted or measured.
            series.filter(|(_, series)| series.shape != Shape::Curve && !series.points.is_empty());
        let all = self.lesson.complete(&self.settings.sizes);
        let is_here = |point: &Point| {
            let mut sizes = point.sizes.iter();
            !point.sizes.is_empty() && sizes.all(|(name, value)| all.get(name) == Some(value))
        };
        // The point of the sizes that are chosen is what the learner has just run.
        let here = marked.clone().find_map(|(i, series)| {
            let point = series.points.iter().position(is_here);
            Some((i, point?))
        });
        let chosen = chosen.and_then(|(i, point)| {
            let points = plot.series.get(i)?.points.len();
            Some((i, point.min(points.checked_sub(1)?)))
        });
        chosen
            .or(here)
            .or(marked.clone().next().map(|(i, _)| (i, 0)))
    }
}

/// The run cells that the figure on screen shows; none if it is no figure.
pub(crate) fn shown_cells(model: &Model) -> Vec<usize> {
    let Some((figure, _)) = model.figure() else {
        return Vec::new();
    };
    let ids = figure.cells();
    let cells = model.lesson.cells.iter().enumerate();
    let shown = cells.filter(|(_, cell)| match cell {
        Cell::Run(run) => ids.contains(&run.id.as_str()),
        _ => false,
    });
    shown.map(|(i, _)| i).collect()
}
