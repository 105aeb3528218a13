//! `tutor run lesson`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::arguments::LessonArguments;
use super::output::{Output, Stop};
use super::{json, plain, prose};
use crate::engine::{Control, Options, run};
use crate::lesson::{CatalogError, Cell, CellResult, Lesson, RunCell, Sizes, load, load_file};
use crate::runtime;

/// Opens the lesson, or runs it and prints.
pub(super) fn run_lesson(arguments: &LessonArguments, output: &Output) -> Result<bool, Stop> {
    let mut lesson = load_lesson(&arguments.id, output)?;
    let sizes = lesson
        .sizes_with(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    if let Some(id) = &arguments.cell {
        check_cell(&lesson, id)?;
        let wanted = |cell: &Cell| matches!(cell, Cell::Run(run) if run.id == *id);
        lesson.cells.retain(wanted);
    }
    let gpu = &arguments.run.gpu;
    if arguments.run.json {
        run_json(&lesson, &sizes, gpu, output)
    } else if arguments.run.plain || !output.interactive {
        run_plain(&lesson, &sizes, gpu, arguments.cell.is_none(), output)
    } else {
        for size in &mut lesson.sizes {
            size.default = sizes.get(&size.name).copied().unwrap_or(size.default);
        }
        open(lesson, gpu)
    }
}

/// Opens the notebook, simulating `gpu`.
pub(super) fn open(lesson: Lesson, gpu: &str) -> Result<bool, Stop> {
    match runtime::open(lesson, gpu) {
        Ok(()) => Ok(true),
        Err(error) => Err(Stop::Failed(format!("{error:#}"))),
    }
}

/// The lesson with this name, or in this file. Diagnostics of its file are printed.
pub(super) fn load_lesson(id: &str, output: &Output) -> Result<Lesson, Stop> {
    let loaded = if id.ends_with(".md") {
        load_file(Path::new(id))
    } else {
        load(id)
    };
    loaded.map_err(|error| match error {
        CatalogError::Unknown { nearest, .. } => {
            let guess = match nearest.as_slice() {
                [] => String::new(),
                names => format!("\n  perhaps: {}", names.join(", ")),
            };
            Stop::Usage(format!(
                "there is no lesson `{id}`{guess}\n  `tutor list` shows all lessons"
            ))
        }
        CatalogError::Unreadable { .. } => Stop::Usage(error.to_string()),
        CatalogError::Broken { file, diagnostics } => {
            output.diagnostics(&file, &diagnostics);
            Stop::Reported
        }
    })
}

fn check_cell(lesson: &Lesson, id: &str) -> Result<(), Stop> {
    let Err(nearest) = lesson.run_cell(id) else {
        return Ok(());
    };
    let all: Vec<&str> = lesson.run_cells().map(|cell| cell.id.as_str()).collect();
    let guess = match nearest.first() {
        Some(name) => format!("; perhaps `{name}`"),
        None => String::new(),
    };
    Err(Stop::Usage(format!(
        "the lesson `{}` has no cell `{id}`{guess}\n  it has {}",
        lesson.id,
        all.join(", ")
    )))
}

/// Runs one cell on the simulated GPU.
fn run_cell(cell: &RunCell, sizes: &Sizes, gpu: &str) -> Result<CellResult, Stop> {
    let failed = |reason: String| Stop::Failed(format!("cell `{}`: {reason}", cell.id));
    let plan = cell
        .plan(sizes)
        .map_err(|error| failed(error.to_string()))?;
    let outcome = run(
        &plan,
        &options(gpu),
        &Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
        },
    );
    let outcome = outcome.map_err(|error| failed(error.to_string()))?;
    Ok(cell.judge(sizes, outcome))
}

/// How commands run plans: nobody watches a warp.
pub(super) fn options(gpu: &str) -> Options {
    Options {
        gpu: gpu.to_owned(),
        watch: None,
        trace_steps: 0,
        ..Options::default()
    }
}

fn run_json(lesson: &Lesson, sizes: &Sizes, gpu: &str, output: &Output) -> Result<bool, Stop> {
    let mut cells: Vec<Value> = Vec::new();
    let mut ok = true;
    for cell in lesson.run_cells() {
        let result = run_cell(cell, sizes, gpu)?;
        ok &= result.ok;
        cells.push(json::cell(cell, &result));
    }
    let lesson = json!({
        "lesson": lesson.id,
        "engine": "sim",
        "gpu": gpu,
        "ok": ok,
        "cells": cells,
    });
    output.print(&format!("{lesson:#}\n"))?;
    Ok(ok)
}

fn run_plain(
    lesson: &Lesson,
    sizes: &Sizes,
    gpu: &str,
    with_prose: bool,
    output: &Output,
) -> Result<bool, Stop> {
    if with_prose {
        output.print(&plain::title(lesson, sizes))?;
    }
    let mut failed: Vec<&str> = Vec::new();
    for cell in &lesson.cells {
        match cell {
            Cell::Prose(cell) => output.print(&format!("\n{}", prose::render(&cell.markdown)))?,
            Cell::Run(cell) => {
                let result = run_cell(cell, sizes, gpu)?;
                output.print(&format!("\n{}", plain::cell(cell, &result)))?;
                let reports = result.outcome.reports.iter();
                output.diagnostics(&cell.source, reports.map(|report| &report.diagnostic));
                if !result.ok {
                    failed.push(&cell.id);
                }
            }
        }
    }
    output.print(&plain::verdict(&failed))?;
    Ok(failed.is_empty())
}
