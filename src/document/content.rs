//! What a cell has to show, with what is known of it now: the one list of the kinds of cells, which becomes blocks or
//! JSON.
//!
//! Whoever has a lesson before it (the notebook, a command) says what it knows as a [`Content`]. Nothing is run here.

use std::borrow::Cow;

use serde_json::Value;

use super::block::Block;
use super::{cells, json};
use crate::device::Gpu;
use crate::lesson::{
    BlockOrder, CalculatorCell, CellResult, FigureCell, Guess, Inputs, KernelCell, Plot,
    PredictionCell, ProseCell, RunCell, Sizes, TableCell, TableContents, Truth,
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
}

/// How much of an answer is said.
pub enum AnswerState<'a> {
    /// The question cannot be asked, and why.
    Unasked(String),
    /// It is asked.
    Asked,
    /// What was guessed, if anything was, and what is right.
    Answered(Option<&'a Guess>, Truth),
}

/// The data of a figure.
pub enum FigureData<'a> {
    /// Plots, side by side.
    Plots(Vec<Plot>),
    /// Blocks over a matrix.
    Order(Cow<'a, BlockOrder>),
    /// It cannot be shown, and why.
    Missing(String),
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
                AnswerState::Answered(guess, truth) => [
                    cells::question(cell, sizes, gpu),
                    cells::answer(cell, *guess, truth),
                ]
                .concat(),
            },
            Content::Table(cell, grid) => cells::grid(cell, grid),
            Content::Calculator(cell, inputs) => cells::calculator(cell, inputs),
            Content::Kernel(cell) => cells::kernel_cell(cell),
            Content::Figure(cell, drawn) => match drawn {
                FigureData::Plots(plots) => cells::plots(cell, plots),
                FigureData::Order(order) => cells::order(cell, order),
                FigureData::Missing(why) => cells::missing(cell, why),
            },
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
                FigureData::Missing(why) => json::figure(cell, Some(why)),
            },
        })
    }
}
