//! Figures of a lesson that is printed: made of what is recorded, and of the cells that ran before.

use serde_json::{Value, json};

use super::output::Stop;
use crate::device::gpu;
use crate::document;
use crate::document::Block;
use crate::lesson::{
    BlockOrder, CellResult, FigureCell, Lesson, Plot, Replayed, RunCell, Sample, Sizes, Sources,
};

/// What figures are made of, as cells run.
pub(super) struct Figures<'a> {
    lesson: &'a Lesson,
    sizes: &'a Sizes,
    gpu: String,
    samples: Vec<Sample>,
}

/// A figure's data.
enum Data {
    Plots(Vec<Plot>),
    Order(BlockOrder),
    Missing(String),
}

impl<'a> Figures<'a> {
    /// Of the GPU called `id`; what is recorded is read only where the lesson has figures.
    pub fn new(lesson: &'a Lesson, sizes: &'a Sizes, id: &str) -> Self {
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

    fn data(&self, cell: &FigureCell) -> Result<Data, Stop> {
        let tiles = match cell.replayed(self.lesson, self.sizes, &self.gpu) {
            Some(Ok(Replayed::Order(order))) => return Ok(Data::Order(order)),
            Some(Ok(Replayed::Tiles(tiles))) => tiles,
            Some(Err(error)) => return Ok(Data::Missing(error.to_string())),
            None => Vec::new(),
        };
        let gpu = gpu(&self.gpu).map_err(|error| Stop::Usage(error.to_string()))?;
        Ok(Data::Plots(cell.plots(&Sources {
            lesson: self.lesson,
            sizes: self.sizes,
            gpu,
            samples: &self.samples,
            tiles: &tiles,
        })))
    }

    /// What the figure shows; whether it can be shown.
    pub fn blocks(&self, cell: &FigureCell) -> Result<(Vec<Block>, bool), Stop> {
        Ok(match self.data(cell)? {
            Data::Plots(plots) => (document::plots(cell, &plots), true),
            Data::Order(order) => (document::order(cell, &order), true),
            Data::Missing(why) => (document::missing(cell, &why), false),
        })
    }

    /// The figure as JSON; whether it can be shown. Of an order, what was counted in the end.
    pub fn json(&self, cell: &FigureCell) -> Result<(Value, bool), Stop> {
        let mut shown = json!({
            "id": cell.id,
            "kind": "figure",
            "figure": cell.kind_name(),
            "title": cell.title,
            "ok": true,
        });
        match self.data(cell)? {
            Data::Plots(plots) => shown["plots"] = json!(plots),
            Data::Order(order) => {
                let all = order.replay(order.blocks.len());
                shown["order"] = json!(order);
                shown["counted"] = json!(all.counted);
                shown["evidence"] = json!({"blocks": "counted", "counted": "modelled"});
            }
            Data::Missing(why) => {
                shown["ok"] = json!(false);
                shown["error"] = json!(why);
            }
        }
        let ok = shown["ok"] == json!(true);
        Ok((shown, ok))
    }
}
