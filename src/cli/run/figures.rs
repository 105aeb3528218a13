//! Figures of a lesson that is printed: made of what is recorded, and of the cells that ran before.

use std::borrow::Cow;

use crate::cli::output::Stop;
use crate::device::gpu;
use crate::document::FigureData;
use crate::lesson::{CellResult, FigureCell, Lesson, Replayed, RunCell, Sample, Sizes, Sources};

/// What figures are made of, as cells run.
pub(crate) struct Figures<'a> {
    lesson: &'a Lesson,
    sizes: &'a Sizes,
    gpu: String,
    samples: Vec<Sample>,
}

impl<'a> Figures<'a> {
    /// Of the GPU called `id`; what is recorded is read only where the lesson has figures.
    pub fn new(lesson: &'a Lesson, sizes: &'a Sizes, id: &str) -> Self {
        // Recordings are read from files: not for a lesson that shows none of them.
        let samples = match lesson.figures().next() {
            Some(_) => lesson.recorded_samples(id),
            None => Vec::new(),
        };
        Figures {
            lesson,
            sizes,
            gpu: id.to_owned(),
            samples,
        }
    }

    /// Takes what a cell gave.
    pub fn take(&mut self, cell: &RunCell, result: &CellResult) {
        self.samples.extend(Sample::of(cell, result));
    }

    /// What the figure shows.
    pub fn drawn(&self, cell: &FigureCell) -> Result<FigureData<'static>, Stop> {
        let tiles = match cell.replayed(self.lesson, self.sizes, &self.gpu) {
            Some(Ok(Replayed::Order(order))) => return Ok(FigureData::Order(Cow::Owned(order))),
            Some(Ok(Replayed::Tiles(tiles))) => tiles,
            Some(Err(error)) => return Ok(FigureData::Missing(error.to_string())),
            None => Vec::new(),
        };
        let gpu = gpu(&self.gpu).map_err(|error| Stop::Usage(error.to_string()))?;
        let sources = Sources {
            lesson: self.lesson,
            sizes: self.sizes,
            gpu,
            samples: &self.samples,
            tiles: &tiles,
        };
        Ok(match cell.picture(&sources) {
            Some(Ok(picture)) => FigureData::Picture(picture),
            Some(Err(why)) => FigureData::Missing(why),
            None => FigureData::Plots(cell.plots(&sources)),
        })
    }
}
