//! Table cells: rows of the GPU table, of what is published of GPUs, or of run cells with what they count.

use super::scope::Scope;
use crate::device::{FIGURES, Figure, gpu, gpu_ids, published};
use crate::launch::Measure;
use crate::lesson::reader::{Placed, Table};

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

impl TableCell {
    /// The run cells in it.
    pub fn runs(&self) -> &[String] {
        match &self.of {
            TableOf::Gpus { .. } | TableOf::Published(_) => &[],
            TableOf::Cells { rows, .. } => rows,
        }
    }
}

/// The cell, if what it needs is there.
pub(crate) fn read_table_cell(id: &str, mut table: Table, scope: &Scope) -> Option<TableCell> {
    let title = table.required("title");
    let of: Option<Placed<String>> = table.required("of");
    let rows: Vec<Placed<String>> = table.optional("rows").unwrap_or_default();
    // Its columns are those of what was published.
    let is_published = of.as_ref().is_some_and(|of| of.value == "published");
    let columns: Option<Vec<Placed<String>>> = match is_published {
        true => Some(Vec::new()),
        false => table.required("columns"),
    };
    table.finish();
    Some(TableCell {
        id: id.to_owned(),
        of: read_of(&of?, &rows, &columns?, scope)?,
        title: title?,
    })
}

fn read_of(
    of: &Placed<String>,
    rows: &[Placed<String>],
    columns: &[Placed<String>],
    scope: &Scope,
) -> Option<TableOf> {
    Some(match of.value.as_str() {
        "gpus" => TableOf::Gpus {
            rows: gpu_rows(rows, scope),
            columns: each(columns, |name| figure_key(name, scope)),
        },
        "cells" => TableOf::Cells {
            rows: cell_rows(rows, scope),
            columns: each(columns, |name| scope.measure(name)),
        },
        "published" => TableOf::Published(published_rows(rows, scope)),
        other => {
            let message = format!("`of` is `gpus`, `cells` or `published`, not `{other}`");
            return scope
                .findings
                .unknown(of, message, ["gpus", "cells", "published"]);
        }
    })
}

fn each<T>(names: &[Placed<String>], read: impl Fn(&Placed<String>) -> Option<T>) -> Vec<T> {
    names.iter().filter_map(read).collect()
}

fn figure_key(name: &Placed<String>, scope: &Scope) -> Option<&'static str> {
    let key = Figure::from_key(&name.value).map(|figure| figure.key);
    key.or_else(|| {
        let message = format!("the GPU table has no column `{}`", name.value);
        let keys = FIGURES.iter().map(|figure| figure.key);
        scope.findings.unknown(name, message, keys)
    })
}

/// The GPUs named; all of them if none is.
fn gpu_rows(names: &[Placed<String>], scope: &Scope) -> Vec<String> {
    if names.is_empty() {
        return gpu_ids().map(str::to_owned).collect();
    }
    each(names, |name| match gpu(&name.value) {
        Ok(gpu) => Some(gpu.id.clone()),
        Err(unknown) => {
            scope.findings.error(name.span, unknown.to_string());
            None
        }
    })
}

/// The run cells named; all of them if none is.
fn cell_rows(names: &[Placed<String>], scope: &Scope) -> Vec<String> {
    if names.is_empty() {
        return scope.run_ids.iter().map(|id| (*id).to_owned()).collect();
    }
    each(names, |name| scope.run(name).map(|run| run.id.clone()))
}

/// The published rows named; all of them if none is.
fn published_rows(names: &[Placed<String>], scope: &Scope) -> Vec<&'static str> {
    let all = || published().iter().map(|row| row.row.as_str());
    if names.is_empty() {
        return all().collect();
    }
    each(names, |name| {
        all().find(|row| *row == name.value).or_else(|| {
            let message = format!("what is published has no row `{}`", name.value);
            scope.findings.unknown(name, message, all())
        })
    })
}
