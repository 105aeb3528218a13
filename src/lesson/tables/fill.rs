//! A table cell filled with what is known now: of GPUs by their table, of run cells by their runs, else by their
//! formulas.

use super::contents::{TableColumn, TableContents, TableField, TableRow};
use super::published;
use crate::device::{Figure, FigureValue, Gpu, gpu, gpu_or_usual, gpu_title};
use crate::launch::Measure;
use crate::launch::{Ending, Evidence};
use crate::lesson::cells::{RunCell, TableCell, TableOf};
use crate::lesson::outline::Lesson;
use crate::lesson::run::CellResult;
use crate::lesson::sizes::{Sizes, equations};

/// What a table needs to know of everything else.
pub struct TableContext<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// The sizes chosen.
    pub sizes: &'a Sizes,
    /// The GPU that is simulated: an id of the GPU table.
    pub simulated: &'a str,
    /// The GPU in this machine, if there is one in the table.
    pub found: Option<&'a str>,
    /// What a run cell gave, if it has run.
    pub result: &'a dyn Fn(&str) -> Option<&'a CellResult>,
}

impl TableCell {
    /// The table as it stands now.
    pub fn contents(&self, context: &TableContext) -> TableContents {
        match &self.of {
            TableOf::Gpus { rows, columns } => gpu_grid(rows, columns, context),
            TableOf::Published(rows) => published::grid(rows),
            TableOf::Cells { rows, columns } => cell_grid(rows, columns, context),
        }
    }
}

fn gpu_grid(ids: &[String], columns: &[&'static str], context: &TableContext) -> TableContents {
    let columns = columns.iter().filter_map(|key| Figure::from_key(key));
    let figures: Vec<&Figure> = columns.collect();
    let column = |figure: &&Figure| TableColumn {
        name: figure.name.to_owned(),
        unit: figure.unit,
    };
    let gpus = ids.iter().filter_map(|id| gpu(id).ok());
    let rows = gpus.map(|of| {
        // A GPU goes by several ids: `h200` and `h200-sxm` are one row.
        let is = |id: &str| gpu(id).is_ok_and(|row| row.id == of.id);
        let is_found = context.found.is_some_and(is);
        let marks = [
            (is(context.simulated), "simulated"),
            (is_found, "found here"),
        ];
        let marks = marks.into_iter().filter(|(holds, _)| *holds);
        TableRow {
            id: of.id.clone(),
            name: of.name.clone(),
            marks: marks.map(|(_, mark)| mark).collect(),
            whose: String::new(),
            note: String::new(),
            fields: figures
                .iter()
                .map(|figure| figure_field(figure, of))
                .collect(),
        }
    });
    TableContents {
        of: "GPU",
        rows: rows.collect(),
        columns: figures.iter().map(column).collect(),
    }
}

/// What `gpu` has in a column, with how that came to be.
pub(crate) fn figure_field(figure: &Figure, gpu: &Gpu) -> TableField {
    let value = figure.of(gpu);
    let (evidence, source) = match value {
        Some(_) => source(figure, gpu),
        None => (Evidence::Specified, UNKNOWN.to_owned()),
    };
    TableField {
        value,
        evidence,
        source,
    }
}

/// Where a figure comes from, and whether somebody specified, measured or computed it.
fn source(figure: &Figure, gpu: &Gpu) -> (Evidence, String) {
    let source = figure.source(gpu);
    // What a source says it is: not every figure of a data sheet's page was on it.
    let is_computed = ["derived", "computed"]
        .iter()
        .any(|word| source.starts_with(word));
    match figure.key {
        _ if is_computed => (Evidence::Computed, source),
        key if key.contains("_measured_") => (Evidence::Recorded, format!("measured: {source}")),
        _ => (Evidence::Specified, format!("specified: {source}")),
    }
}

const UNKNOWN: &str = "not known, or does not exist on it";

fn cell_grid(rows: &[String], columns: &[Measure], context: &TableContext) -> TableContents {
    let rows = rows
        .iter()
        .filter_map(|id| context.lesson.run_cell(id).ok());
    let rows = rows.map(|cell| {
        let result = counted(cell, context);
        let count = |&measure: &Measure| count(cell, measure, result, context);
        TableRow {
            id: cell.id.clone(),
            name: cell.id.clone(),
            marks: Vec::new(),
            note: String::new(),
            whose: match result {
                Some(result) => {
                    let simulated = gpu_title(&result.outcome.simulated);
                    let sizes = cell.own_sizes(&result.sizes);
                    format!("at {}, on a simulated {simulated}", equations(&sizes))
                }
                None => format!(
                    "at {}; not run yet",
                    equations(&cell.own_sizes(context.sizes))
                ),
            },
            fields: columns.iter().map(count).collect(),
        }
    });
    let column = |measure: &Measure| TableColumn {
        name: measure.name().to_owned(),
        unit: "",
    };
    TableContents {
        of: "cell",
        columns: columns.iter().map(column).collect(),
        rows: rows.collect(),
    }
}

/// What `cell` gave, if it ran to its end.
fn counted<'a>(cell: &RunCell, context: &TableContext<'a>) -> Option<&'a CellResult> {
    // A run that failed has counted only the part before.
    (context.result)(&cell.id).filter(|result| {
        let outcome = &result.outcome;
        outcome.ending == Ending::Finished && outcome.is_counted()
    })
}

/// What `cell` counts: of its run, else by its formula.
fn count(
    cell: &RunCell,
    measure: Measure,
    result: Option<&CellResult>,
    context: &TableContext,
) -> TableField {
    let check = cell.formulas.iter().find(|check| check.measure == measure);
    let formula = check.map(|check| &check.formula);
    let (value, evidence) = match result {
        Some(result) => (measure.of(&result.outcome.counts()), measure.evidence()),
        None => {
            let (sizes, gpu) = (
                cell.complete(context.sizes),
                gpu_or_usual(context.simulated),
            );
            let value = formula.and_then(|formula| formula.evaluate(&sizes, gpu).ok());
            (value, Evidence::Computed)
        }
    };
    let source = match formula {
        Some(formula) => format!("{}, {}", evidence.word(), formula.textbook()),
        None if value.is_some() => evidence.word().to_owned(),
        None => "no formula says it before it runs".to_owned(),
    };
    TableField {
        value: value.map(|value| FigureValue::Number(value as f64)),
        evidence,
        source,
    }
}
