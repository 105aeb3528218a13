//! `tutor run lesson`.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::{EngineChoice, LessonArguments, RunArguments};
use super::engine::Runner;
use super::figure::Figures;
use super::output::{Output, Stop};
use super::{json, plain, prose};
use crate::launch::Engine;
use crate::lesson::{CatalogError, Cell, CellResult, Lesson, RunCell, Sizes, load, load_file};
use crate::runtime::{self, Setup, Start};
use crate::session::{Opening, Place};

/// Opens the lesson, or runs it and prints.
pub(super) fn run_lesson(arguments: &LessonArguments, output: &Output) -> Result<bool, Stop> {
    let (id, place) = link(&arguments.id)?;
    let mut lesson = load_lesson(id, output)?;
    let sizes = lesson
        .sizes_with(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let whole = lesson.clone();
    if let Some(id) = &arguments.cell {
        check_cell(&lesson, id)?;
        lesson.cells.retain(|cell| cell.id() == Some(id.as_str()));
    }
    let opening = match place {
        None => Opening::Start,
        Some(place) => {
            let cell = place.find(&lesson).map_err(Stop::Usage)?;
            Opening::Place(place, cell)
        }
    };
    if arguments.run.json || arguments.run.plain || !output.interactive {
        let runner = Runner::new(&arguments.run, output)?;
        if let Opening::Place(place, cell) = &opening {
            keep_only(&mut lesson, place, *cell)?;
        }
        let mut cells = Cells {
            lesson: &lesson.id,
            figures: Figures::new(&whole, &sizes, runner.simulated()),
            sizes: &sizes,
            ptx: arguments.run.ptx,
            output,
            runner,
        };
        if arguments.run.json {
            run_json(&lesson, &mut cells)
        } else {
            run_plain(&lesson, &mut cells, arguments.cell.is_none())
        }
    } else {
        // A figure is made of the cells that it shows.
        let figure = whole
            .figures()
            .find(|figure| Some(&figure.id) == arguments.cell.as_ref());
        if let Some(figure) = figure {
            let shown = figure.cells();
            lesson = whole.clone();
            let is_wanted = |id: &str| id == figure.id || shown.contains(&id);
            lesson.cells.retain(|cell| cell.id().is_some_and(is_wanted));
        }
        for size in &mut lesson.sizes {
            size.default = sizes.get(&size.name).copied().unwrap_or(size.default);
        }
        let mut setup = setup(&arguments.run)?;
        let is_path = id.ends_with(".md") && arguments.cell.is_none();
        setup.file = is_path.then(|| id.into());
        open(Start::Lesson(Arc::new(lesson), opening), setup)
    }
}

/// The lesson that `link` names, by id or file, and the place in it.
fn link(link: &str) -> Result<(&str, Option<Place>), Stop> {
    if link.ends_with(".md") {
        return Ok((link, None));
    }
    Place::parse(link).map_err(Stop::Usage)
}

/// Leaves only the cell that a link names, for what is printed.
fn keep_only(lesson: &mut Lesson, place: &Place, cell: usize) -> Result<(), Stop> {
    if place.is_inside() {
        let message =
            "a place inside a cell opens in the notebook only; `#` and a cell can be printed";
        return Err(Stop::Usage(message.to_owned()));
    }
    let mut index = 0;
    lesson.cells.retain(|_| {
        index += 1;
        index - 1 == cell
    });
    Ok(())
}

/// What a command line says of the notebook's runs.
fn setup(arguments: &RunArguments) -> Result<Setup, Stop> {
    if arguments.verify_counts {
        let message = "--verify-counts prints what it found: add --plain or --json";
        return Err(Stop::Usage(message.to_owned()));
    }
    Ok(Setup {
        gpu: arguments.gpu.clone(),
        engine: match arguments.engine {
            EngineChoice::Sim => Some(Engine::Sim),
            EngineChoice::Gpu => Some(Engine::Gpu),
            EngineChoice::Auto => None,
        },
        timing: arguments.l2.into(),
        counters: arguments.counters,
        time_limit: arguments.time_limit,
        watch: arguments.watch,
        file: None,
    })
}

/// Opens the program on a terminal.
pub(super) fn open(start: Start, setup: Setup) -> Result<bool, Stop> {
    match runtime::open(start, setup) {
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
    loaded.map_err(|error| not_loaded(id, error, output))
}

/// Why the lesson `id` cannot be shown; diagnostics of its file are printed.
pub(super) fn not_loaded(id: &str, error: CatalogError, output: &Output) -> Stop {
    match error {
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
    }
}

fn check_cell(lesson: &Lesson, id: &str) -> Result<(), Stop> {
    let Err(nearest) = lesson.run_cell(id) else {
        return Ok(());
    };
    if lesson.figures().any(|figure| figure.id == id) {
        return Ok(());
    }
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

/// What runs a lesson's cells.
struct Cells<'a> {
    runner: Runner,
    lesson: &'a str,
    /// What figures are made of.
    figures: Figures<'a>,
    sizes: &'a Sizes,
    /// Whether PTX is shown.
    ptx: bool,
    output: &'a Output,
}

impl Cells<'_> {
    fn run(&mut self, cell: &RunCell) -> Result<CellResult, Stop> {
        let plan = cell
            .plan(self.sizes)
            .map_err(|error| Stop::Failed(format!("cell `{}`: {error}", cell.id)))?;
        let options = self.runner.options();
        let outcome = self.runner.run(&plan, &options, self.output)?;
        let result = cell.judge(self.sizes, outcome);
        let result = cell.recall(self.lesson, result);
        self.runner.check_watch(&result.outcome)?;
        self.figures.take(cell, &result);
        Ok(result)
    }
}

fn run_json(lesson: &Lesson, run: &mut Cells) -> Result<bool, Stop> {
    let mut cells: Vec<Value> = Vec::new();
    let mut ok = true;
    for cell in lesson.run_cells() {
        let result = run.run(cell)?;
        ok &= result.ok;
        let mut shown = json::cell(cell, &result);
        if run.ptx {
            json::add_ptx(&mut shown, &result.outcome);
        }
        cells.push(shown);
    }
    // Behind those that ran, which tools find by their place.
    for cell in lesson.figures() {
        let (shown, drawn) = run.figures.json(cell)?;
        ok &= drawn;
        cells.push(shown);
    }
    let lesson = json!({
        "lesson": lesson.id,
        "engine": run.runner.engine(),
        "gpu": run.runner.simulated(),
        "ok": ok,
        "cells": cells,
    });
    run.output.print(&format!("{lesson:#}\n"))?;
    Ok(ok)
}

fn run_plain(lesson: &Lesson, run: &mut Cells, with_prose: bool) -> Result<bool, Stop> {
    let output = run.output;
    if with_prose {
        output.print(&plain::title(lesson, run.sizes))?;
    }
    let mut failed: Vec<&str> = Vec::new();
    for cell in &lesson.cells {
        match cell {
            Cell::Prose(cell) => output.print(&format!("\n{}", prose::render(&cell.markdown)))?,
            Cell::Run(cell) => {
                let result = run.run(cell)?;
                output.print(&format!("\n{}", plain::cell(cell, &result)))?;
                if run.ptx {
                    output.print(&plain::ptx(&result.outcome, &[&cell.source]))?;
                }
                let reports = result.outcome.reports.iter();
                output.diagnostics(&cell.source, reports.map(|report| &report.diagnostic));
                if !result.ok {
                    failed.push(&cell.id);
                }
            }
            Cell::Figure(cell) => {
                let (text, drawn) = run.figures.plain(cell)?;
                output.print(&format!("\n{text}"))?;
                if !drawn {
                    failed.push(&cell.id);
                }
            }
        }
    }
    output.print(&plain::verdict(&failed))?;
    Ok(failed.is_empty())
}
