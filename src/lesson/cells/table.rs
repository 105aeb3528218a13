//! Table cells: rows of the GPU table, or run cells with what they count.

use super::quote::one_of;
use crate::device::{FIGURES, Figure, FigureValue, Gpu, gpu, gpu_ids, gpu_or_usual};
use crate::launch::{Ending, Evidence};
use crate::lesson::reader::{Findings, Placed, Table};
use crate::lesson::tables::published;
use crate::lesson::tables::{Column, Field, Grid, Row};
use crate::lesson::{CellResult, Lesson, Measure, RunCell, Sizes, Subjects, equations};
use crate::source::{Diagnostic, Span};

/// A table in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct TableCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it shows.
    pub of: TableOf,
}

/// What a table shows.
#[derive(Clone, Debug, PartialEq)]
pub enum TableOf {
    /// GPUs by id, and columns of the GPU table by key.
    Gpus {
        /// Ids of the GPU table, in order.
        rows: Vec<String>,
        /// Keys of its columns, in order.
        columns: Vec<&'static str>,
    },
    /// What is published of GPUs beside what is right: the names of its rows, in order.
    Published(Vec<&'static str>),
    /// Run cells by id, and what is counted of each.
    Cells {
        /// Ids of run cells, in order.
        rows: Vec<String>,
        /// What is counted.
        columns: Vec<Measure>,
    },
}

/// What a table needs to know of everything else.
pub struct Known<'a> {
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
    pub fn grid(&self, known: &Known) -> Grid {
        match &self.of {
            TableOf::Gpus { rows, columns } => gpu_grid(rows, columns, known),
            TableOf::Published(rows) => published::grid(rows),
            TableOf::Cells { rows, columns } => cell_grid(rows, columns, known),
        }
    }

    /// The run cells in it.
    pub fn runs(&self) -> &[String] {
        match &self.of {
            TableOf::Gpus { .. } | TableOf::Published(_) => &[],
            TableOf::Cells { rows, .. } => rows,
        }
    }
}

fn gpu_grid(rows: &[String], columns: &[&'static str], known: &Known) -> Grid {
    let figures: Vec<&Figure> = columns
        .iter()
        .filter_map(|key| Figure::from_key(key))
        .collect();
    let column = |figure: &&Figure| Column {
        name: figure.name.to_owned(),
        unit: figure.unit,
    };
    let is = |id: &str, other: &str| gpu(other).is_ok_and(|row| row.id == id);
    let rows = rows.iter().filter_map(|id| gpu(id).ok()).map(|gpu| Row {
        name: gpu.id.clone(),
        marks: [
            (is(&gpu.id, known.simulated), "simulated"),
            (
                known.found.is_some_and(|found| is(&gpu.id, found)),
                "found here",
            ),
        ]
        .into_iter()
        .filter_map(|(holds, mark)| holds.then_some(mark))
        .collect(),
        whose: String::new(),
        note: String::new(),
        fields: figures
            .iter()
            .map(|figure| {
                let value = figure.of(gpu);
                let (evidence, source) = match value {
                    Some(_) => source(figure, gpu),
                    None => (Evidence::Specified, UNKNOWN.to_owned()),
                };
                Field {
                    value,
                    evidence,
                    source,
                }
            })
            .collect(),
    });
    Grid {
        of: "GPU",
        columns: figures.iter().map(column).collect(),
        rows: rows.collect(),
    }
}

/// Where a figure comes from, and whether somebody specified, measured or computed it.
fn source(figure: &Figure, gpu: &Gpu) -> (Evidence, String) {
    let source = figure.source(gpu);
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

fn cell_grid(rows: &[String], columns: &[Measure], known: &Known) -> Grid {
    let rows = rows.iter().filter_map(|id| known.lesson.run_cell(id).ok());
    let rows = rows.map(|cell| {
        let result = counted(cell, known);
        let count = |&measure: &Measure| count(cell, measure, result, known);
        Row {
            name: cell.id.clone(),
            marks: Vec::new(),
            note: String::new(),
            whose: match result {
                Some(result) => {
                    let simulated = result.outcome.simulated.to_uppercase();
                    let sizes = cell.own_sizes(&result.sizes);
                    format!("at {}, on a simulated {simulated}", equations(&sizes))
                }
                None => format!(
                    "at {}; not run yet",
                    equations(&cell.own_sizes(known.sizes))
                ),
            },
            fields: columns.iter().map(count).collect(),
        }
    });
    let column = |measure: &Measure| Column {
        name: measure.name().to_owned(),
        unit: "",
    };
    Grid {
        of: "cell",
        columns: columns.iter().map(column).collect(),
        rows: rows.collect(),
    }
}

/// What `cell` gave, if it ran to its end.
fn counted<'a>(cell: &RunCell, known: &Known<'a>) -> Option<&'a CellResult> {
    (known.result)(&cell.id).filter(|result| {
        let outcome = &result.outcome;
        outcome.ending == Ending::Finished && outcome.is_counted()
    })
}

/// What `cell` counts: of its run, else by its formula.
fn count(cell: &RunCell, measure: Measure, result: Option<&CellResult>, known: &Known) -> Field {
    let check = cell.formulas.iter().find(|check| check.measure == measure);
    let formula = check.map(|check| &check.formula);
    let (value, evidence) = match result {
        Some(result) => (measure.of(&result.outcome.counts()), measure.evidence()),
        None => {
            let (sizes, gpu) = (cell.complete(known.sizes), gpu_or_usual(known.simulated));
            let value = formula.and_then(|formula| formula.evaluate(&sizes, gpu).ok());
            (value, Evidence::Computed)
        }
    };
    let source = match formula {
        Some(formula) => format!("{}, {}", evidence.word(), formula.textbook()),
        None if value.is_some() => evidence.word().to_owned(),
        None => "no formula says it before it runs".to_owned(),
    };
    Field {
        value: value.map(|value| FigureValue::Number(value as f64)),
        evidence,
        source,
    }
}

/// The cell, if what it needs is there; what is wrong goes to `findings`.
pub(crate) fn read_table_cell(
    id: &str,
    head: Span,
    mut table: Table,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Option<TableCell> {
    table.span = head;
    let title = table.string("title", findings);
    let of = table.string("of", findings);
    let rows = table.optional_strings("rows", findings);
    let is_published = of.as_ref().is_some_and(|of| of.value == "published");
    let columns = match is_published {
        true => Some(Vec::new()),
        false => table.strings("columns", findings),
    };
    table.finish(findings);
    Some(TableCell {
        id: id.to_owned(),
        of: read_of(&of?, rows, &columns?, subjects, findings)?,
        title: title?.value,
    })
}

fn read_of(
    of: &Placed<String>,
    rows: Vec<Placed<String>>,
    columns: &[Placed<String>],
    subjects: &Subjects,
    findings: &mut Findings,
) -> Option<TableOf> {
    Some(match of.value.as_str() {
        "gpus" => TableOf::Gpus {
            rows: gpu_rows(rows, findings),
            columns: each(columns, figure_key, findings),
        },
        "cells" => TableOf::Cells {
            rows: cell_rows(rows, subjects, findings),
            columns: each(columns, Subjects::measure, findings),
        },
        "published" => TableOf::Published(published::read_rows(rows, findings)),
        other => {
            let message =
                format!("a table is of gpus, of cells or of what is published, not of `{other}`");
            let help = one_of(other, &["gpus", "cells", "published"]);
            findings.add(Diagnostic::error(of.span, message).help(help));
            return None;
        }
    })
}

fn each<T>(
    names: &[Placed<String>],
    read: impl Fn(&Placed<String>, &mut Findings) -> Option<T>,
    findings: &mut Findings,
) -> Vec<T> {
    names
        .iter()
        .filter_map(|name| read(name, findings))
        .collect()
}

fn figure_key(name: &Placed<String>, findings: &mut Findings) -> Option<&'static str> {
    let figure = Figure::from_key(&name.value);
    if figure.is_none() {
        let keys: Vec<&str> = FIGURES.iter().map(|figure| figure.key).collect();
        let message = format!("the GPU table has no column `{}`", name.value);
        findings.add(Diagnostic::error(name.span, message).help(one_of(&name.value, &keys)));
    }
    figure.map(|figure| figure.key)
}

/// The GPUs named; all of them if none is.
fn gpu_rows(names: Vec<Placed<String>>, findings: &mut Findings) -> Vec<String> {
    if names.is_empty() {
        return gpu_ids().map(str::to_owned).collect();
    }
    let known = |name: &Placed<String>, findings: &mut Findings| match gpu(&name.value) {
        Ok(gpu) => Some(gpu.id.clone()),
        Err(unknown) => {
            findings.add(Diagnostic::error(name.span, unknown.to_string()));
            None
        }
    };
    each(&names, known, findings)
}

/// The run cells named; all of them if none is.
fn cell_rows(
    names: Vec<Placed<String>>,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Vec<String> {
    if names.is_empty() {
        return subjects.run_ids.iter().map(|id| (*id).to_owned()).collect();
    }
    let known = |name: &Placed<String>, findings: &mut Findings| {
        subjects.run(name, findings).map(|run| run.id.clone())
    };
    each(&names, known, findings)
}
