//! The kinds of cells that fenced blocks hold.
//!
//! Run cells are read first, wherever they stand: the others speak of them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::pieces::Fence;
use crate::lesson::cells::{Cell, CellKind, KernelFiles, RunCell, Scope, filled, read_run_cell};
use crate::lesson::formula::NamedValue;
use crate::lesson::reader::{Findings, Table, TomlText, one_of};
use crate::lesson::sizes::Size;
use crate::source::{Diagnostic, Span};

/// What the cells of a lesson are read from.
pub(super) struct LessonText<'a> {
    /// The lesson's id.
    pub id: &'a str,
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
    let mut ids = HashMap::new();
    for fence in fences {
        check_id(fence, lesson, &mut ids);
    }
    let (runs, others): (Vec<&Fence>, Vec<&Fence>) = fences
        .iter()
        .partition(|fence| fence.kind == CellKind::Run.name());
    let without_runs = lesson.scope();
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
        let cell = lesson
            .kind(fence)?
            .read(&fence.id, lesson.table(fence)?, &scope)?;
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

impl<'a> LessonText<'a> {
    /// What names mean before any run is read.
    fn scope(&self) -> Scope<'a> {
        Scope {
            lesson: self.id,
            sizes: self.sizes,
            values: self.values,
            kernels: self.kernels,
            run_ids: Vec::new(),
            runs: &[],
            findings: self.findings,
        }
    }

    /// What `fence` holds, if there is such a kind of cell.
    fn kind(&self, fence: &Fence) -> Option<CellKind> {
        let found = CellKind::from_name(&fence.kind);
        if found.is_none() {
            let message = format!("there is no cell of the kind `{}`", fence.kind);
            let kinds = CellKind::names();
            let help = format!(
                "{}; the info string of code in the prose is one word",
                one_of(&fence.kind, kinds)
            );
            let error = Diagnostic::error(fence.head(self.text), message);
            self.findings.add(error.help(help));
        }
        found
    }

    /// The TOML in `fence`.
    fn table(&self, fence: &Fence) -> Option<Table<'a>> {
        let what = CellKind::from_name(&fence.kind)?.noun();
        let text = TomlText {
            file: self.text,
            base: fence.body.start,
            values: self.values,
            findings: self.findings,
        };
        let mut table = Table::parse(&self.text[fence.body.clone()], text, what)?;
        // What is missing is reported where the cell begins.
        table.span = fence.head(self.text);
        Some(table)
    }
}

/// `ids` has the first cell of each id so far.
fn check_id<'a>(fence: &'a Fence, lesson: &LessonText, ids: &mut HashMap<&'a str, Span>) {
    let head = fence.head(lesson.text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !fence.id.chars().all(is_name) {
        let message = format!("`{}` is not a name for a cell", fence.id);
        let help = "use letters, digits, `-` and `_` after the kind";
        lesson
            .findings
            .add(Diagnostic::error(head, message).help(help));
    }
    match ids.get(fence.id.as_str()) {
        Some(first) => lesson.findings.add(
            Diagnostic::error(head, format!("there is another cell `{}`", fence.id))
                .also(*first, "the first one"),
        ),
        None => {
            ids.insert(&fence.id, head);
        }
    }
}
