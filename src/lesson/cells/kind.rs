//! The one list of the kinds of cells: what messages and lessons call them, and who reads them.

use sha2::{Digest as _, Sha256};
use simulator::named;

use super::calculator::{CalculatorCell, read_calculator};
use super::exercise::{ExerciseCell, read_exercise};
use super::figure::{FigureCell, read_figure_cell};
use super::kernel::{KernelCell, read_kernel_cell};
use super::prediction::{PredictionCell, read_prediction};
use super::run::RunCell;
use super::scope::Scope;
use super::table::{TableCell, read_table_cell};
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::Table;
use crate::source::SourceFile;

/// A part of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Prose(ProseCell),
    /// Kernels to run.
    Run(Box<RunCell>),
    /// A question about what a run will count.
    Prediction(Box<PredictionCell>),
    /// Rows and columns of known figures, or of counts.
    Table(TableCell),
    /// How full an SM is.
    Calculator(CalculatorCell),
    /// A kernel to be read.
    Kernel(Box<KernelCell>),
    /// A picture of what runs gave.
    Figure(Box<FigureCell>),
    /// A kernel for the learner to complete, mend or make cheaper.
    Exercise(Box<ExerciseCell>),
}

named! {
    /// A kind of cell that has a block of its own: all but text.
    pub enum CellKind {
        /// [`Cell::Run`].
        Run = "run",
        /// [`Cell::Prediction`].
        Prediction = "prediction",
        /// [`Cell::Table`].
        Table = "table",
        /// [`Cell::Calculator`].
        Calculator = "calculator",
        /// [`Cell::Kernel`].
        Kernel = "kernel",
        /// [`Cell::Figure`].
        Figure = "figure",
        /// [`Cell::Exercise`].
        Exercise = "exercise",
    }
}

/// Text of a lesson: at most one heading and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProseCell {
    /// What it says.
    pub markdown: Markdown,
}

impl CellKind {
    /// What messages call a cell of this kind.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            CellKind::Run => "a run cell",
            CellKind::Prediction => "a prediction",
            CellKind::Table => "a table",
            CellKind::Calculator => "a calculator",
            CellKind::Kernel => "a kernel cell",
            CellKind::Figure => "a figure",
            CellKind::Exercise => "an exercise",
        }
    }

    /// Reads the cell called `id`; not one that runs, since `scope` has to know all of these.
    pub(crate) fn read(self, id: &str, table: Table, scope: &Scope) -> Option<Cell> {
        Some(match self {
            CellKind::Run => return None,
            CellKind::Prediction => Cell::Prediction(Box::new(read_prediction(id, table, scope)?)),
            CellKind::Table => Cell::Table(read_table_cell(id, table, scope)?),
            CellKind::Calculator => Cell::Calculator(read_calculator(id, table, scope)?),
            CellKind::Kernel => Cell::Kernel(Box::new(read_kernel_cell(id, table, scope)?)),
            CellKind::Figure => Cell::Figure(Box::new(read_figure_cell(id, table, scope)?)),
            CellKind::Exercise => Cell::Exercise(Box::new(read_exercise(id, table, scope)?)),
        })
    }
}

/// What every cell has but text.
struct CellHead<'a> {
    kind: CellKind,
    id: &'a String,
    title: &'a String,
}

/// Hexadecimal digits of a digest: enough to tell versions of a cell apart.
const DIGEST_LENGTH: usize = 16;

impl ProseCell {
    /// Its heading, or its first line if it has none, without marks.
    pub fn heading(&self) -> String {
        let text = self.markdown.written();
        let mut lines = text.lines();
        let first = lines.find(|line| !line.trim().is_empty());
        let text = first.unwrap_or("").trim_start_matches('#').trim();
        // `## The *fused* kernel` is called `The fused kernel`.
        text.replace(['*', '`'], "")
    }
}

impl Cell {
    /// What the contents call it: its title, or of text its heading.
    pub fn title(&self) -> String {
        match self {
            Cell::Prose(prose) => prose.heading(),
            cell => cell
                .head()
                .map_or_else(String::new, |head| head.title.clone()),
        }
    }

    /// What its author called it; text has no such name.
    pub fn id(&self) -> Option<&str> {
        self.head().map(|head| head.id.as_str())
    }

    /// Its kind; text has none.
    pub fn kind(&self) -> Option<CellKind> {
        self.head().map(|head| head.kind)
    }

    fn head(&self) -> Option<CellHead<'_>> {
        let (kind, id, title) = match self {
            Cell::Prose(_) => return None,
            Cell::Run(cell) => (CellKind::Run, &cell.id, &cell.title),
            Cell::Prediction(cell) => (CellKind::Prediction, &cell.id, &cell.title),
            Cell::Table(cell) => (CellKind::Table, &cell.id, &cell.title),
            Cell::Calculator(cell) => (CellKind::Calculator, &cell.id, &cell.title),
            Cell::Kernel(cell) => (CellKind::Kernel, &cell.id, &cell.title),
            Cell::Figure(cell) => (CellKind::Figure, &cell.id, &cell.title),
            Cell::Exercise(cell) => (CellKind::Exercise, &cell.run.id, &cell.run.title),
        };
        Some(CellHead { kind, id, title })
    }

    /// What it runs, if it runs something: a run cell, or an exercise with the learner's text.
    pub fn as_run(&self) -> Option<&RunCell> {
        match self {
            Cell::Run(cell) => Some(cell),
            Cell::Exercise(cell) => Some(&cell.run),
            _ => None,
        }
    }

    /// Puts an edited text in the place of the kernels that it runs.
    pub fn put_text(&mut self, text: &str) {
        match self {
            Cell::Run(cell) => cell.source = cell.source.with_text(text),
            Cell::Exercise(cell) => cell.put_text(text),
            _ => {}
        }
    }

    /// The kernels that it shows or runs.
    pub fn source(&self) -> Option<&SourceFile> {
        match self {
            Cell::Run(cell) => Some(&cell.source),
            Cell::Kernel(cell) => Some(&cell.source),
            Cell::Exercise(cell) => Some(&cell.run.source),
            _ => None,
        }
    }

    /// What changes when the cell as written in `body` does, or the kernels that it runs.
    pub(crate) fn digest(&self, body: &str) -> String {
        let kernels = self.source().map_or("", SourceFile::text);
        let mut hasher = Sha256::new();
        hasher.update(body);
        // Text moved from the cell's end to its kernel's beginning is a change too.
        hasher.update([0]);
        hasher.update(kernels);
        let mut digest = format!("{:x}", hasher.finalize());
        digest.truncate(DIGEST_LENGTH);
        digest
    }
}
