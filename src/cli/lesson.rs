//! `tutor run lesson`.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::{EngineChoice, LessonArguments, RunArguments};
use super::engine::Runner;
use super::figure::Figures;
use super::output::{Output, Stop};
use super::{json, json_cells, plain, prose};
use crate::launch::Engine;
use crate::lesson::{
    CatalogError, Cell, CellResult, Grid, Guess, Known, Lesson, PredictionCell, RunCell, Sizes,
    TableCell, Truth, load, load_file,
};
use crate::runtime::{self, Setup, Start};
use crate::session::{Opening, Place};
use crate::source::nearest;

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
            whole: &whole,
            figures: Figures::new(&whole, &sizes, runner.simulated()),
            sizes: &sizes,
            ptx: arguments.run.ptx,
            output,
            results: BTreeMap::new(),
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
        let is_path = arguments.id.ends_with(".md") && arguments.cell.is_none();
        setup.file = is_path.then(|| arguments.id.clone().into());
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
    let all: Vec<&str> = lesson.cells.iter().filter_map(Cell::id).collect();
    if all.contains(&id) {
        return Ok(());
    }
    let guess = match nearest(id, all.iter().copied()).first() {
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
    /// The lesson with all its cells.
    whole: &'a Lesson,
    /// What figures are made of.
    figures: Figures<'a>,
    sizes: &'a Sizes,
    /// Whether PTX is shown.
    ptx: bool,
    output: &'a Output,
    /// What cells gave, by id: each runs once, whoever asks first.
    results: BTreeMap<String, Rc<CellResult>>,
}

impl Cells<'_> {
    /// What `cell` gives; it runs unless it has.
    fn run(&mut self, cell: &RunCell) -> Result<Rc<CellResult>, Stop> {
        if let Some(result) = self.results.get(&cell.id) {
            return Ok(result.clone());
        }
        let plan = cell
            .plan(self.sizes)
            .map_err(|error| Stop::Failed(format!("cell `{}`: {error}", cell.id)))?;
        let options = self.runner.options();
        let outcome = self.runner.run(&plan, &options, self.output)?;
        let result = cell.judge(self.sizes, outcome);
        let result = cell.recall(&self.whole.id, result);
        self.runner.check_watch(&result.outcome)?;
        self.figures.take(cell, &result);
        let result = Rc::new(result);
        self.results.insert(cell.id.clone(), result.clone());
        Ok(result)
    }

    /// The right answer to `asked`; what has to run for it runs.
    fn truth(&mut self, asked: &PredictionCell) -> Result<Truth, Stop> {
        let run = asked.runs().and_then(|id| self.whole.run_cell(id).ok());
        let result = run.map(|cell| self.run(cell)).transpose()?;
        let truth = asked.truth(self.sizes, result.as_deref());
        truth.map_err(|why| Stop::Failed(format!("prediction `{}`: {why}", asked.id)))
    }

    /// The table `cell`, of all that has run so far.
    fn grid(&self, cell: &TableCell) -> Grid {
        cell.grid(&Known {
            lesson: self.whole,
            sizes: self.sizes,
            simulated: self.runner.simulated(),
            found: None,
            result: &|id| self.results.get(id).map(AsRef::as_ref),
        })
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
    for cell in &lesson.cells {
        cells.extend(match cell {
            Cell::Prediction(cell) => Some(json_cells::prediction(cell, &run.truth(cell)?)),
            Cell::Table(cell) => Some(json_cells::table(cell, &run.grid(cell))),
            Cell::Calculator(cell) => Some(json_cells::calculator(cell)),
            Cell::Kernel(cell) => Some(json_cells::kernel_cell(cell)),
            Cell::Figure(cell) => {
                let (shown, drawn) = run.figures.json(cell)?;
                ok &= drawn;
                Some(shown)
            }
            Cell::Prose(_) | Cell::Run(_) => None,
        });
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
            Cell::Prediction(cell) => predict(cell, run)?,
            Cell::Table(cell) => {
                let text = plain::table(cell, &run.grid(cell));
                output.print(&format!("\n{text}"))?;
            }
            Cell::Calculator(cell) => output.print(&format!("\n{}", plain::calculator(cell)))?,
            Cell::Kernel(cell) => output.print(&format!("\n{}", plain::kernel_cell(cell)))?,
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

/// Asks, where somebody is there to answer, and says what is right.
fn predict(cell: &PredictionCell, run: &mut Cells) -> Result<(), Stop> {
    let output = run.output;
    output.print(&format!("\n{}", plain::question(cell, run.sizes)))?;
    let guess = match output.interactive {
        true => ask(cell, run)?,
        false => None,
    };
    let truth = run.truth(cell)?;
    output.print(&plain::answer(cell, guess.as_ref(), &truth))?;
    Ok(())
}

/// Reads an answer until it reads, or nothing where the line is empty.
fn ask(cell: &PredictionCell, run: &Cells) -> Result<Option<Guess>, Stop> {
    loop {
        let Some(line) = run.output.ask(&plain::prompt(cell))? else {
            return Ok(None);
        };
        match plain::read_guess(cell, &line, run.whole, run.sizes) {
            Ok(guess) => return Ok(Some(guess)),
            Err(wrong) => run.output.print(&format!("  {wrong}\n"))?,
        }
    }
}
