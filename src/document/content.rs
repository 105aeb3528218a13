//! What a cell has to show, with what is known of it now: the one list of the kinds of cells, which becomes blocks or
//! JSON.
//!
//! Whoever has a lesson before it (the notebook, a command) says what it knows as a [`Content`]. Nothing is run here.

use std::borrow::Cow;

use serde_json::Value;

use super::block::{Block, Fold};
use super::{cells, json};
use crate::device::Gpu;
use crate::lesson::{
    BlockOrder, CalculatorCell, Cell, CellResult, ExerciseCell, FigureCell, Guess, Inputs,
    KernelCell, Lesson, Picture, Plot, PredictionCell, ProseCell, RightAnswer, RunCell, Sizes,
    TableCell, TableContents,
};

/// What a cell has to show.
pub enum Content<'a> {
    /// Text, with values at these sizes, which have one for each size of the lesson.
    Prose(&'a ProseCell, Sizes, &'a Gpu),
    /// Source, launches, counts, formulas and verification.
    Run {
        /// The cell.
        cell: &'a RunCell,
        /// What it gave, if it ran.
        result: Option<&'a CellResult>,
        /// Whether the PTX of its launches is shown.
        with_ptx: bool,
    },
    /// A question, and what is right once it may be said.
    Prediction {
        /// The cell.
        cell: &'a PredictionCell,
        /// The lesson's sizes.
        sizes: &'a Sizes,
        /// The GPU whose figures formulas use.
        gpu: &'a Gpu,
        /// What is known of the answer.
        answer: AnswerState<'a>,
    },
    /// Rows of figures.
    Table(&'a TableCell, TableContents),
    /// An SM's occupancy at inputs.
    Calculator(&'a CalculatorCell, Inputs),
    /// A kernel to be read.
    Kernel(&'a KernelCell),
    /// A figure.
    Figure(&'a FigureCell, FigureData<'a>),
    /// An exercise, with what is asked at these sizes.
    Exercise(&'a ExerciseCell, Sizes, &'a Gpu),
}

/// What is known of a lesson's cells by whoever shows them. Commands run what they are asked for, so they may fail.
pub trait CellData<'a> {
    /// Why something cannot be known.
    type Error;

    /// The lesson.
    fn lesson(&self) -> &'a Lesson;

    /// The sizes chosen.
    fn sizes(&self) -> &'a Sizes;

    /// The GPU whose figures formulas use.
    fn gpu(&self) -> &'a Gpu;

    /// What a run gave, if it ran, and whether the PTX of its launches is shown.
    fn result(&self, cell: &RunCell) -> (Option<&'a CellResult>, bool);

    /// What is said of the answer to a question.
    ///
    /// # Errors
    /// If a run that it needs fails.
    fn answer(&mut self, cell: &PredictionCell) -> Result<AnswerState<'a>, Self::Error>;

    /// The rows of a table.
    fn contents(&self, cell: &TableCell) -> TableContents;

    /// What a calculator calculates with.
    fn inputs(&self, cell: &CalculatorCell) -> Inputs;

    /// The data of a figure.
    ///
    /// # Errors
    /// If it cannot be made for the GPU that is asked for.
    fn figure(&self, cell: &FigureCell) -> Result<FigureData<'a>, Self::Error>;
}

/// How much of an answer is said.
pub enum AnswerState<'a> {
    /// The question cannot be asked, and why.
    Unasked(String),
    /// It is asked.
    Asked,
    /// What was guessed, if anything was, and what is right.
    Answered(Option<&'a Guess>, RightAnswer),
}

/// The data of a figure.
pub enum FigureData<'a> {
    /// Plots, side by side.
    Plots(Vec<Plot>),
    /// Blocks over a matrix.
    Order(Cow<'a, BlockOrder>),
    /// What needs no run.
    Picture(Picture),
    /// It cannot be shown, and why.
    Missing(String),
}

impl<'a> Content<'a> {
    /// What `cell` has to show, with what `data` knows of it.
    ///
    /// # Errors
    /// Those of `data`.
    pub fn of<D: CellData<'a>>(cell: &'a Cell, data: &mut D) -> Result<Self, D::Error> {
        Ok(match cell {
            Cell::Prose(cell) => {
                Content::Prose(cell, data.lesson().complete(data.sizes()), data.gpu())
            }
            Cell::Run(cell) => {
                let (result, with_ptx) = data.result(cell);
                Content::Run {
                    cell,
                    result,
                    with_ptx,
                }
            }
            Cell::Prediction(cell) => Content::Prediction {
                cell,
                sizes: data.sizes(),
                gpu: data.gpu(),
                answer: data.answer(cell)?,
            },
            Cell::Table(cell) => Content::Table(cell, data.contents(cell)),
            Cell::Calculator(cell) => Content::Calculator(cell, data.inputs(cell)),
            Cell::Kernel(cell) => Content::Kernel(cell),
            Cell::Figure(cell) => Content::Figure(cell, data.figure(cell)?),
            Cell::Exercise(cell) => {
                Content::Exercise(cell, data.lesson().complete(data.sizes()), data.gpu())
            }
        })
    }
}

impl Content<'_> {
    /// As a piece of a document.
    pub fn blocks(&self) -> Vec<Block> {
        match self {
            Content::Prose(cell, sizes, gpu) => cells::prose(cell, sizes, gpu),
            Content::Run {
                cell,
                result,
                with_ptx,
            } => {
                // PTX is long, and of the compiler: only where it was asked for.
                let outcome = result.filter(|_| *with_ptx).map(|result| &result.outcome);
                let ptx = outcome.map(|outcome| cells::ptx(outcome, &[&cell.source]));
                [cells::run(cell, *result), ptx.unwrap_or_default()].concat()
            }
            Content::Prediction {
                cell,
                sizes,
                gpu,
                answer,
            } => match answer {
                AnswerState::Unasked(why) => cells::unasked(cell, why),
                AnswerState::Asked => cells::question(cell, sizes, gpu),
                AnswerState::Answered(guess, truth) => {
                    let mut blocks = cells::question(cell, sizes, gpu);
                    let answer = cells::answer(cell, *guess, truth);
                    blocks.extend(Block::folded(Fold::Answer, answer));
                    blocks
                }
            },
            Content::Table(cell, grid) => cells::grid(cell, grid),
            Content::Calculator(cell, inputs) => cells::calculator(cell, inputs),
            Content::Kernel(cell) => cells::kernel_cell(cell),
            Content::Figure(cell, drawn) => match drawn {
                FigureData::Plots(plots) => cells::plots(cell, plots),
                FigureData::Order(order) => cells::order(cell, order),
                FigureData::Picture(picture) => cells::picture(cell, picture),
                FigureData::Missing(why) => cells::missing(cell, why),
            },
            Content::Exercise(cell, sizes, gpu) => cells::exercise(cell, sizes, gpu),
        }
    }

    /// As JSON; nothing of text, of what has not run, and of a question that still waits for an answer.
    pub fn json(&self) -> Option<Value> {
        Some(match self {
            Content::Prose(..) => return None,
            Content::Run {
                cell,
                result,
                with_ptx,
            } => json::run_cell(cell, (*result)?, *with_ptx),
            Content::Prediction { cell, answer, .. } => match answer {
                AnswerState::Unasked(why) => json::unasked(cell, why),
                AnswerState::Asked => return None,
                AnswerState::Answered(_, truth) => json::prediction(cell, truth),
            },
            Content::Table(cell, grid) => json::table(cell, grid),
            Content::Calculator(cell, inputs) => json::calculator(cell, inputs),
            Content::Kernel(cell) => json::kernel_cell(cell),
            Content::Figure(cell, drawn) => match drawn {
                FigureData::Plots(plots) => json::plots(cell, plots),
                FigureData::Order(order) => json::order(cell, order),
                FigureData::Picture(picture) => json::picture(cell, picture),
                FigureData::Missing(why) => json::figure(cell, Some(why)),
            },
            Content::Exercise(cell, sizes, gpu) => json::exercise(cell, sizes, gpu),
        })
    }
}
