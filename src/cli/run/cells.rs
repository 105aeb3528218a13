//! A lesson's cells, run once each, and what they show.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::figures::Figures;
use super::runner::Runner;
use crate::cli::output::{Output, Stop};
use crate::device::Gpu;
use crate::document::{AnswerState, CellData, Content, FigureData};
use crate::engine::Checks;
use crate::launch::Engine;
use crate::lesson::{
    Answer, CalculatorCell, Cell, CellResult, FigureCell, Inputs, Lesson, PredictionCell,
    RightAnswer, RunCell, Sizes, TableCell, TableContents, TableContext,
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

/// What is known of a cell that has just run, if it is one that runs.
struct WithResult<'r, 'a, 'c> {
    result: Option<&'c CellResult>,
    cells: &'r mut Cells<'a>,
}

impl<'c, 'a: 'c> CellData<'c> for WithResult<'_, 'a, 'c> {
    type Error = Stop;

    fn lesson(&self) -> &'c Lesson {
        self.cells.whole
    }

    fn sizes(&self) -> &'c Sizes {
        self.cells.sizes
    }

    fn gpu(&self) -> &'c Gpu {
        self.cells.gpu()
    }

    fn result(&self, _: &RunCell) -> (Option<&'c CellResult>, bool) {
        (self.result, self.cells.runner.ptx)
    }

    fn answer(&mut self, cell: &PredictionCell) -> Result<AnswerState<'c>, Stop> {
        // Nobody guesses here.
        Ok(match self.cells.truth(cell)? {
            Ok(truth) => AnswerState::Answered(None, truth),
            Err(why) => AnswerState::Unasked(why),
        })
    }

    fn contents(&self, cell: &TableCell) -> TableContents {
        self.cells.grid(cell)
    }

    fn inputs(&self, cell: &CalculatorCell) -> Inputs {
        cell.inputs(self.cells.sizes, self.cells.gpu())
    }

    fn figure(&self, cell: &FigureCell) -> Result<FigureData<'c>, Stop> {
        self.cells.figures.drawn(cell)
    }
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
        let result = match cell {
            Cell::Run(cell) => Some((&**cell, self.run(cell)?)),
            _ => None,
        };
        let mut data = WithResult {
            result: result.as_ref().map(|(_, result)| &**result),
            cells: self,
        };
        let content = Content::of(cell, &mut data)?;
        let is_missing = matches!(content, Content::Figure(_, FigureData::Missing(_)));
        let is_wrong = result.as_ref().is_some_and(|(_, result)| !result.ok);
        Ok(Shown {
            content: render(&content),
            failed: cell.id().filter(|_| is_missing || is_wrong),
            ran: result,
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
        let options = self.runner.simulation.clone();
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
    pub fn truth(&mut self, asked: &PredictionCell) -> Result<Result<RightAnswer, String>, Stop> {
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
