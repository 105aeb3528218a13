//! The kinds of cells that fenced blocks hold.
//!
//! Run cells are read first, wherever they stand: the others speak of them.

use std::ops::Range;
use std::sync::Arc;

use super::pieces::Fence;
use crate::lesson::cells::{
    KernelFiles, RunCell, Scope, filled, read_calculator, read_figure_cell, read_kernel_cell,
    read_prediction, read_run_cell, read_table_cell,
};
use crate::lesson::formula::NamedValue;
use crate::lesson::outline::Cell;
use crate::lesson::reader::{Findings, Table, TomlText, one_of};
use crate::lesson::sizes::Size;
use crate::source::{Diagnostic, Span};

/// Every kind of cell, and what messages call one.
const KINDS: [(&str, &str); 6] = [
    ("run", "a run cell"),
    ("prediction", "a prediction"),
    ("table", "a table"),
    ("calculator", "a calculator"),
    ("kernel", "a kernel cell"),
    ("figure", "a figure"),
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
    /// Where mistakes go.
    pub findings: &'a Findings,
}

/// The cells in `fences`, each with its first byte in the file; what the cells of `prose` quote of them is
/// read.
pub(super) fn read_cells(
    fences: &[Fence],
    prose: &mut [(usize, Cell)],
    lesson: &LessonText,
) -> Vec<(usize, Cell)> {
    let mut ids: Vec<(String, Span)> = Vec::new();
    for fence in fences {
        check_id(fence, lesson, &mut ids);
    }
    let (runs, others): (Vec<&Fence>, Vec<&Fence>) =
        fences.iter().partition(|fence| fence.kind == "run");
    let without_runs = Scope {
        sizes: lesson.sizes,
        values: lesson.values,
        kernels: lesson.kernels,
        run_ids: Vec::new(),
        runs: &[],
        findings: lesson.findings,
    };
    let read = runs.iter().filter_map(|fence| {
        let cell = read_run_cell(&fence.id, lesson.table(fence)?, &without_runs)?;
        Some((fence.block.start, cell))
    });
    let (places, cells): (Vec<usize>, Vec<RunCell>) = read.unzip();
    let scope = Scope {
        run_ids: runs.iter().map(|fence| fence.id.as_str()).collect(),
        runs: &cells,
        ..without_runs
    };
    // Only now: what prose quotes are formulas of run cells.
    fill_quotes(prose, &scope);
    let others = others.into_iter().filter_map(|fence| {
        let cell = read_other(fence, lesson, &scope)?;
        Some((fence.block.start, cell))
    });
    let others: Vec<(usize, Cell)> = others.collect();
    let runs = cells.into_iter().map(|run| Cell::Run(Box::new(run)));
    places.into_iter().zip(runs).chain(others).collect()
}

/// Reads every quote in the prose.
fn fill_quotes(cells: &mut [(usize, Cell)], scope: &Scope) {
    for (base, cell) in cells {
        if let Cell::Prose(prose) = cell {
            let place = |at: Range<usize>| Span::new(*base + at.start, *base + at.end);
            prose.markdown = filled(&prose.markdown.written(), place, scope);
        }
    }
}

fn read_other(fence: &Fence, lesson: &LessonText, scope: &Scope) -> Option<Cell> {
    let (id, table) = (&fence.id, lesson.table(fence)?);
    match fence.kind.as_str() {
        "prediction" => {
            let cell = read_prediction(id, table, scope)?;
            Some(Cell::Prediction(Box::new(cell)))
        }
        "kernel" => {
            let cell = read_kernel_cell(id, table, scope)?;
            Some(Cell::Kernel(Box::new(cell)))
        }
        "figure" => {
            let cell = read_figure_cell(id, table, scope)?;
            Some(Cell::Figure(Box::new(cell)))
        }
        "table" => read_table_cell(id, table, scope).map(Cell::Table),
        _ => read_calculator(id, table, scope).map(Cell::Calculator),
    }
}

impl<'a> LessonText<'a> {
    /// The TOML in `fence`, if there is such a kind of cell.
    fn table(&self, fence: &Fence) -> Option<Table<'a>> {
        let head = fence.head(self.text);
        let Some((_, what)) = KINDS.iter().find(|(kind, _)| *kind == fence.kind) else {
            let message = format!("there is no cell of the kind `{}`", fence.kind);
            let kinds = KINDS.iter().map(|(kind, _)| *kind);
            let help = format!(
                "{}; the info string of code in the prose is one word",
                one_of(&fence.kind, kinds)
            );
            self.findings
                .add(Diagnostic::error(head, message).help(help));
            return None;
        };
        let text = TomlText {
            file: self.text,
            base: fence.body.start,
            values: self.values,
            findings: self.findings,
        };
        let mut table = Table::parse(&self.text[fence.body.clone()], text, what)?;
        // What is missing is reported where the cell begins.
        table.span = head;
        Some(table)
    }
}

fn check_id(fence: &Fence, lesson: &LessonText, ids: &mut Vec<(String, Span)>) {
    let head = fence.head(lesson.text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !fence.id.chars().all(is_name) {
        let message = format!("`{}` is not a name for a cell", fence.id);
        let help = "use letters, digits, `-` and `_` after the kind";
        lesson
            .findings
            .add(Diagnostic::error(head, message).help(help));
    }
    match ids.iter().find(|(id, _)| *id == fence.id) {
        Some((_, first)) => lesson.findings.add(
            Diagnostic::error(head, format!("there is another cell `{}`", fence.id))
                .also(*first, "the first one"),
        ),
        None => ids.push((fence.id.clone(), head)),
    }
}
