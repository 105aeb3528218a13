//! The kinds of cells that fenced blocks hold.
//!
//! Run cells are read first, wherever they stand: the others speak of them.

use std::sync::Arc;

use super::{Fence, KernelFiles};
use crate::lesson::cells::read_calculator;
use crate::lesson::cells::read_kernel_cell;
use crate::lesson::cells::read_prediction;
use crate::lesson::cells::read_run_cell;
use crate::lesson::cells::read_table_cell;
use crate::lesson::cells::{fill_quotes, one_of};
use crate::lesson::figure::read_figure_cell;
use crate::lesson::reader::{Context, Findings, Table};
use crate::lesson::sizes::listed_defaults;
use crate::lesson::{Cell, NamedValue, RunCell, Size, Subjects};
use crate::source::{Diagnostic, Span};

/// Every kind of cell.
const KINDS: [&str; 6] = [
    "run",
    "prediction",
    "table",
    "calculator",
    "kernel",
    "figure",
];

/// What the cells of a lesson are read from.
pub(super) struct LessonText<'a> {
    /// The whole file.
    pub text: &'a str,
    /// The lesson's sizes.
    pub sizes: &'a [Size],
    /// Its named values.
    pub values: &'a [Arc<NamedValue>],
    /// The kernels it may name.
    pub kernels: &'a KernelFiles<'a>,
}

impl<'a> LessonText<'a> {
    /// Names that formulas may use: of sizes and values.
    fn names(&self) -> Vec<&'a str> {
        let sizes = self.sizes.iter().map(|size| size.name.as_str());
        let values = self.values.iter().map(|value| value.name.as_str());
        sizes.chain(values).collect()
    }
}

/// The cells in `fences`, each with its first byte in the file; what the cells of `prose` quote of them is
/// read.
pub(super) fn read_cells(
    fences: &[Fence],
    prose: &mut [(usize, Cell)],
    lesson: &LessonText,
    findings: &mut Findings,
) -> Vec<(usize, Cell)> {
    let mut ids: Vec<(String, Span)> = Vec::new();
    for fence in fences {
        check_id(fence, lesson.text, &mut ids, findings);
    }
    let (runs, others): (Vec<&Fence>, Vec<&Fence>) =
        fences.iter().partition(|fence| fence.kind == "run");
    let read: Vec<(usize, RunCell)> = runs
        .iter()
        .filter_map(|fence| {
            let table = fence.table("a run cell", lesson, findings)?;
            let (head, sizes) = (fence.head(lesson.text), lesson.sizes);
            let cell = read_run_cell(&fence.id, head, table, sizes, lesson.kernels, findings)?;
            Some((fence.block.start, cell))
        })
        .collect();
    let cells: Vec<RunCell> = read.iter().map(|(_, run)| run.clone()).collect();
    let subjects = Subjects {
        sizes: lesson.names(),
        values: lesson.values,
        defaults: listed_defaults(lesson.sizes),
        run_ids: runs.iter().map(|fence| fence.id.as_str()).collect(),
        runs: &cells,
    };
    fill_quotes(prose, &subjects, findings);
    let others = others.into_iter().filter_map(|fence| {
        let cell = read_other(fence, lesson, &subjects, findings)?;
        Some((fence.block.start, cell))
    });
    let others: Vec<(usize, Cell)> = others.collect();
    let runs = read
        .into_iter()
        .map(|(at, run)| (at, Cell::Run(Box::new(run))));
    runs.chain(others).collect()
}

fn read_other(
    fence: &Fence,
    lesson: &LessonText,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Option<Cell> {
    let (id, head) = (&fence.id, fence.head(lesson.text));
    match fence.kind.as_str() {
        "prediction" => {
            let table = fence.table("a prediction", lesson, findings)?;
            let cell = read_prediction(id, head, table, subjects, findings)?;
            Some(Cell::Prediction(Box::new(cell)))
        }
        "table" => {
            let table = fence.table("a table", lesson, findings)?;
            read_table_cell(id, head, table, subjects, findings).map(Cell::Table)
        }
        "calculator" => {
            let table = fence.table("a calculator", lesson, findings)?;
            read_calculator(id, head, table, subjects, findings).map(Cell::Calculator)
        }
        "kernel" => {
            let table = fence.table("a kernel cell", lesson, findings)?;
            let cell = read_kernel_cell(id, head, table, lesson.kernels, findings)?;
            Some(Cell::Kernel(Box::new(cell)))
        }
        "figure" => {
            let table = fence.table("a figure", lesson, findings)?;
            let cell = read_figure_cell(id, head, table, lesson.sizes, findings)?;
            Some(Cell::Figure(Box::new(cell)))
        }
        kind => {
            let message = format!("there is no cell of the kind `{kind}`");
            let help = format!(
                "{}; the info string of code in the prose is one word",
                one_of(kind, &KINDS)
            );
            findings.add(Diagnostic::error(head, message).help(help));
            None
        }
    }
}

impl Fence {
    /// The TOML in it.
    fn table<'a>(
        &self,
        what: &'static str,
        lesson: &LessonText<'a>,
        findings: &mut Findings,
    ) -> Option<Table<'a>> {
        let context = Context {
            file: lesson.text,
            base: self.body.start,
            values: lesson.values,
        };
        Table::parse(&lesson.text[self.body.clone()], context, what, findings)
    }
}

fn check_id(fence: &Fence, text: &str, ids: &mut Vec<(String, Span)>, findings: &mut Findings) {
    let head = fence.head(text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !fence.id.chars().all(is_name) {
        let message = format!("`{}` is not a name for a cell", fence.id);
        findings.add(
            Diagnostic::error(head, message)
                .help("use letters, digits, `-` and `_` after the kind"),
        );
    }
    match ids.iter().find(|(id, _)| *id == fence.id) {
        Some((_, first)) => findings.add(
            Diagnostic::error(head, format!("there is another cell `{}`", fence.id))
                .also(*first, "the first one"),
        ),
        None => ids.push((fence.id.clone(), head)),
    }
}
