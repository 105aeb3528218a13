//! `tutor run lesson`.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::{EngineArguments, EngineChoice, LessonArguments, LookArguments};
use super::engine::Runner;
use super::figure::Figures;
use super::json;
use super::output::{Output, Stop};
use crate::launch::Engine;
use crate::lesson::{CatalogError, Cell, CellResult, Lesson, RunCell, Sizes, load, load_file};
use crate::report;
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
        if let Opening::Place(place, cell) = &opening {
            keep_only(&mut lesson, place, *cell)?;
        }
        let mut cells = Cells::new(&whole, &sizes, &arguments.run.on, output)?;
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
        let start = Start::Lesson(Arc::new(lesson), opening);
        open(start, setup(&arguments.run.on, arguments.look)?)
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
fn setup(arguments: &EngineArguments, look: LookArguments) -> Result<Setup, Stop> {
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
        scheme: look.theme,
        ascii: look.ascii,
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

/// What a cell shows.
pub(super) struct Shown<'a> {
    /// As a piece of a document.
    pub blocks: Vec<report::Block>,
    /// The cell's name, if it is not right.
    pub failed: Option<&'a str>,
    /// The cell and what it gave, if it is one that runs.
    pub ran: Option<(&'a RunCell, CellResult)>,
}

/// What runs a lesson's cells.
pub(super) struct Cells<'a> {
    runner: Runner,
    lesson: &'a str,
    /// What figures are made of.
    figures: Figures<'a>,
    sizes: &'a Sizes,
    /// Whether PTX is shown.
    ptx: bool,
    output: &'a Output,
}

impl<'a> Cells<'a> {
    /// Chooses the engine for cells of `lesson` at `sizes`.
    pub fn new(
        lesson: &'a Lesson,
        sizes: &'a Sizes,
        on: &EngineArguments,
        output: &'a Output,
    ) -> Result<Self, Stop> {
        let runner = Runner::new(on, output)?;
        Ok(Cells {
            figures: Figures::new(lesson, sizes, runner.simulated()),
            runner,
            lesson: &lesson.id,
            sizes,
            ptx: on.ptx,
            output,
        })
    }

    /// What `cell` shows once it has run.
    pub fn show<'c>(&mut self, cell: &'c Cell) -> Result<Shown<'c>, Stop> {
        let (blocks, failed, ran) = match cell {
            Cell::Prose(cell) => (report::prose(cell), None, None),
            Cell::Run(cell) => {
                let result = self.run(cell)?;
                let mut blocks = report::run(cell, Some(&result));
                if self.ptx {
                    blocks.extend(report::ptx(&result.outcome, &[&cell.source]));
                }
                let failed = (!result.ok).then_some(&*cell.id);
                (blocks, failed, Some((&**cell, result)))
            }
            Cell::Figure(cell) => {
                let (blocks, drawn) = self.figures.blocks(cell)?;
                (blocks, (!drawn).then_some(&*cell.id), None)
            }
        };
        Ok(Shown {
            blocks,
            failed,
            ran,
        })
    }

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
        output.print(&report::plain(&report::title(lesson, run.sizes)))?;
    }
    let mut failed: Vec<&str> = Vec::new();
    for cell in &lesson.cells {
        let shown = run.show(cell)?;
        output.print(&report::plain(&shown.blocks))?;
        if let Some((of, result)) = &shown.ran {
            let reports = result.outcome.reports.iter();
            output.diagnostics(&of.source, reports.map(|report| &report.diagnostic));
        }
        failed.extend(shown.failed);
    }
    output.print(&report::plain(&[report::verdict(&failed)]))?;
    Ok(failed.is_empty())
}
