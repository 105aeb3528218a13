//! A lesson's cells, run once each, and what they show.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::figures::Figures;
use super::runner::Runner;
use crate::cli::output::{Output, Stop};
use crate::device::Gpu;
use crate::document::{AnswerState, Content, FigureData};
use crate::engine::Checks;
use crate::launch::Engine;
use crate::lesson::{
    Answer, Cell, CellResult, Lesson, PredictionCell, RunCell, Sizes, TableCell, TableContents,
    TableContext, Truth,
};

/// What a cell shows.
pub(crate) struct Shown<'a, T> {
    /// As blocks, or as JSON.
    pub content: T,
    /// The cell's name, if it is not right.
    pub failed: Option<&'a str>,
    /// The cell and what it gave, if it is one that runs.
    pub ran: Option<(&'a RunCell, Rc<CellResult>)>,
}

/// What runs a lesson's cells.
pub(crate) struct Cells<'a> {
    runner: &'a mut Runner,
    /// The lesson with all its cells.
    pub whole: &'a Lesson,
    /// What figures are made of.
    figures: Figures<'a>,
    pub sizes: &'a Sizes,
    pub output: &'a Output,
    /// What cells gave, by id: each runs once, whoever asks first.
    results: BTreeMap<String, Rc<CellResult>>,
}

impl<'a> Cells<'a> {
    /// For cells of `whole` at `sizes`.
    pub fn new(
        whole: &'a Lesson,
        sizes: &'a Sizes,
        runner: &'a mut Runner,
        output: &'a Output,
    ) -> Self {
        Cells {
            whole,
            figures: Figures::new(whole, sizes, runner.simulated()),
            sizes,
            output,
            results: BTreeMap::new(),
            runner,
        }
    }

    /// What `cell` shows once it has run, in the form that `render` gives it; of a prediction, what is right.
    pub fn show<'c, T>(
        &mut self,
        cell: &'c Cell,
        render: impl FnOnce(&Content) -> T,
    ) -> Result<Shown<'c, T>, Stop> {
        // Its result is shared with later figures and tables, so it outlives this content.
        if let Cell::Run(cell) = cell {
            let result = self.run(cell)?;
            let content = Content::Run {
                cell,
                result: Some(&result),
                with_ptx: self.runner.ptx,
            };
            return Ok(Shown {
                content: render(&content),
                failed: (!result.ok).then_some(&*cell.id),
                ran: Some((cell, result)),
            });
        }
        let content = self.content(cell)?;
        let is_missing = matches!(content, Content::Figure(_, FigureData::Missing(_)));
        Ok(Shown {
            content: render(&content),
            failed: cell.id().filter(|_| is_missing),
            ran: None,
        })
    }

    /// What a cell shows that does not run itself; what it speaks of runs.
    fn content<'c>(&'c mut self, cell: &'c Cell) -> Result<Content<'c>, Stop> {
        let gpu = self.gpu();
        Ok(match cell {
            Cell::Prose(cell) => Content::Prose(cell, self.whole.complete(self.sizes), gpu),
            Cell::Run(cell) => Content::Run {
                cell,
                result: None,
                with_ptx: false,
            },
            Cell::Prediction(cell) => Content::Prediction {
                cell,
                sizes: self.sizes,
                gpu,
                answer: match self.truth(cell)? {
                    Ok(truth) => AnswerState::Answered(None, truth),
                    Err(why) => AnswerState::Unasked(why),
                },
            },
            Cell::Table(cell) => Content::Table(cell, self.grid(cell)),
            Cell::Calculator(cell) => Content::Calculator(cell, cell.inputs(self.sizes, gpu)),
            Cell::Kernel(cell) => Content::Kernel(cell),
            Cell::Figure(cell) => Content::Figure(cell, self.figures.drawn(cell)?),
        })
    }

    /// The GPU whose figures formulas use.
    pub fn gpu(&self) -> &'static Gpu {
        self.runner.gpu()
    }

    /// The engine and the simulated GPU.
    pub fn engine(&self) -> (Engine, &str) {
        (self.runner.engine(), self.runner.simulated())
    }

    /// What `cell` gives; it runs unless it has.
    pub fn run(&mut self, cell: &RunCell) -> Result<Rc<CellResult>, Stop> {
        if let Some(result) = self.results.get(&cell.id) {
            return Ok(result.clone());
        }
        let plan = cell
            .plan(self.sizes, self.runner.gpu())
            .map_err(|error| Stop::Failed(format!("cell `{}`: {error}", cell.id)))?;
        let options = self.runner.options();
        let outcome = self.runner.run(&plan, &options, self.output)?;
        let mut result = cell.check_outcome(self.sizes, outcome);
        // "No races found" may be said only where they were looked for.
        result.checked = options.checks != Checks::NONE;
        // Where nothing was measured, what was recorded stands in, and says that it is.
        let result = cell.with_recorded(&self.whole.id, result);
        self.runner.check_watch(&result.outcome)?;
        self.figures.take(cell, &result);
        let result = Rc::new(result);
        self.results.insert(cell.id.clone(), result.clone());
        Ok(result)
    }

    /// The right answer to `asked`, or why it cannot be asked; what has to run for it runs.
    pub fn truth(&mut self, asked: &PredictionCell) -> Result<Result<Truth, String>, Stop> {
        let run = asked.runs().and_then(|id| self.whole.run_cell(id).ok());
        let result = run.map(|cell| self.run(cell)).transpose()?;
        let truth = asked.truth(self.sizes, self.gpu(), result.as_deref());
        match (truth, &asked.answer) {
            // No GPU and no recording is nothing that a lesson can help; any other missing answer is its mistake.
            (Err(why), Answer::Timed(_)) => Ok(Err(why)),
            (Err(why), _) => Err(Stop::Failed(format!("prediction `{}`: {why}", asked.id))),
            (Ok(truth), _) => Ok(Ok(truth)),
        }
    }

    /// The table `cell`, of all that has run so far.
    pub fn grid(&self, cell: &TableCell) -> TableContents {
        cell.contents(&TableContext {
            lesson: self.whole,
            sizes: self.sizes,
            simulated: self.runner.simulated(),
            found: None,
            result: &|id| self.results.get(id).map(AsRef::as_ref),
        })
    }
}
