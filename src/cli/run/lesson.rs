//! `tutor run lesson`.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::cells::Cells;
use super::load::{link, load_lesson, opening};
use super::notebook::{open, setup};
use super::runner::Runner;
use crate::app::{LessonLink, Opening};
use crate::cli::options::{LessonsArgument, LookArguments, RunArguments};
use crate::cli::output::{Output, Stop};
use crate::cli::value;
use crate::document;
use crate::engine::Checks;
use crate::lesson::{
    Answer, Cell, FigureCell, Guess, Lesson, Lessons, PredictionCell, is_kernel_file,
};
use crate::runtime::{Setup, Start};
use crate::source::nearest;

const EXAMPLES: &str = "\
Examples:
  tutor run lesson softmax
  tutor run lesson softmax#fused@step=41
  tutor run lesson softmax --plain --size M=64 --size N=1000
  tutor run lesson softmax --cell fused --json
  tutor run lesson softmax --plain --check";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LessonArguments {
    /// The lesson's name (`tutor list` shows them), or the path of a lesson's .md file. After the name may come a
    /// position: `#` and a cell's name or number, and then `@step=41`, `@line=12`, `@launch=2`, `@block=3` or
    /// `@warp=0`.
    #[arg(value_name = "LESSON[#CELL[@PLACE]]")]
    pub id: String,
    /// Run only this cell, without the prose.
    #[arg(long, value_name = "CELL")]
    pub cell: Option<String>,
    /// Choose a size, such as M=4096, or a constant of a Triton kernel; may be given several times.
    #[arg(long = "size", visible_alias = "meta", value_name = "NAME=VALUE", value_parser = value::size)]
    pub sizes: Vec<(String, u64)>,
    /// Look for races, values that were never set, and addresses of variables that have ended, in every run.
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub lessons: LessonsArgument,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub look: LookArguments,
}

/// Opens the lesson, or runs it and prints.
pub(crate) fn run_lesson(arguments: &LessonArguments, output: &Output) -> Result<bool, Stop> {
    let (id, place) = link(&arguments.id)?;
    let lessons = arguments.lessons.lessons()?;
    let whole = load_lesson(&lessons, id, output)?;
    let sizes = whole
        .sizes_with(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let mut lesson = whole.clone();
    if let Some(id) = &arguments.cell {
        check_cell(&lesson, id)?;
        lesson.cells.retain(|cell| cell.id() == Some(id.as_str()));
    }
    let opening = opening(&lesson, place)?;
    if !arguments.run.json && !arguments.run.plain && output.interactive {
        return open_lesson(arguments, lessons, whole, lesson, opening);
    }
    if let Opening::Place(place, cell) = &opening {
        keep_only(&mut lesson, place, *cell)?;
    }
    let mut runner = Runner::new(&arguments.run.on, output)?;
    if arguments.check {
        runner.simulation.checks = Checks::ALL;
    }
    let mut cells = Cells::new(&whole, &sizes, &mut runner, output);
    match arguments.run.json {
        true => run_json(&lesson, &mut cells),
        false => run_plain(&lesson, &mut cells, arguments.cell.is_none()),
    }
}

/// Opens the notebook on `lesson`, which is `whole`, one of `lessons`, or the one cell of it that was asked for.
fn open_lesson(
    arguments: &LessonArguments,
    lessons: Lessons,
    whole: Lesson,
    mut lesson: Lesson,
    opening: Opening,
) -> Result<bool, Stop> {
    let asked = |figure: &&FigureCell| Some(&figure.id) == arguments.cell.as_ref();
    if let Some(figure) = whole.figures().find(asked) {
        // A figure is made of the cells that it shows: alone it would stay empty.
        let shown = figure.cells();
        let is_wanted = |id: &str| id == figure.id || shown.contains(&id);
        lesson = whole.clone();
        lesson.cells.retain(|cell| cell.id().is_some_and(is_wanted));
    }
    lesson
        .begin_at(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    // The notebook follows changes of this file, and would show all of its cells again.
    let is_whole = arguments.cell.is_none();
    let setup = Setup {
        // Who brings a kernel may not know yet what is wrong with it.
        check: arguments.check || is_kernel_file(&arguments.id),
        file: lessons.file(&arguments.id).filter(|_| is_whole),
        lessons: if is_whole {
            lessons
        } else {
            Lessons::default()
        },
        ..setup(&arguments.run.on, arguments.look)?
    };
    open(Start::Lesson(Arc::new(lesson), opening), setup)
}

/// Leaves only the cell that a link names, for what is printed.
fn keep_only(lesson: &mut Lesson, place: &LessonLink, cell: usize) -> Result<(), Stop> {
    if place.is_inside() {
        let message =
            "a position inside a cell opens only in the notebook; `#` and a cell can be printed";
        return Err(Stop::Usage(message.to_owned()));
    }
    // Cells of prose have no id to keep one by.
    let mut index = 0;
    lesson.cells.retain(|_| {
        index += 1;
        index - 1 == cell
    });
    Ok(())
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

fn run_json(lesson: &Lesson, run: &mut Cells) -> Result<bool, Stop> {
    let mut cells: Vec<Value> = Vec::new();
    let mut ok = true;
    // Those that run stand first: tools find them by their place.
    let is_run = |cell: &&Cell| matches!(cell, Cell::Run(_));
    let (runs, others): (Vec<&Cell>, Vec<&Cell>) = lesson.cells.iter().partition(is_run);
    for cell in runs.into_iter().chain(others) {
        let shown = run.show(cell, |content| content.json())?;
        ok &= shown.failed.is_none();
        cells.extend(shown.content);
    }
    let (engine, gpu) = run.engine();
    let lesson = json!({
        "lesson": lesson.id,
        "engine": engine,
        "gpu": gpu,
        "ok": ok,
        "cells": cells,
    });
    run.output.print_json(&lesson)?;
    Ok(ok)
}

fn run_plain(lesson: &Lesson, run: &mut Cells, with_prose: bool) -> Result<bool, Stop> {
    let output = run.output;
    if with_prose {
        output.print(&document::plain(&document::title(
            lesson,
            run.sizes,
            run.gpu(),
        )))?;
    }
    // All cells are printed before the verdict: a failure early on must not hide those after it.
    let mut failed: Vec<&str> = Vec::new();
    for cell in &lesson.cells {
        // Without a person the answer is printed at once.
        if let (Cell::Prediction(cell), true) = (cell, output.interactive) {
            predict(cell, run)?;
            continue;
        }
        let shown = run.show(cell, |content| content.blocks())?;
        output.print(&document::plain(&shown.content))?;
        if let Some((of, result)) = &shown.ran {
            let reports = result.outcome.reports.iter();
            output.diagnostics(&of.source, reports.map(|report| &report.diagnostic));
        }
        failed.extend(shown.failed);
    }
    output.print(&document::plain(&[document::verdict(&failed)]))?;
    Ok(failed.is_empty())
}

/// Asks somebody who is there to answer, and says what is right.
fn predict(cell: &PredictionCell, run: &mut Cells) -> Result<(), Stop> {
    let output = run.output;
    if let (Answer::Timed(_), Err(why)) = (&cell.answer, run.truth(cell)?) {
        output.print(&document::plain(&document::unasked(cell, &why)))?;
        return Ok(());
    }
    output.print(&document::plain(&document::question(
        cell,
        run.sizes,
        run.gpu(),
    )))?;
    let guess = ask(cell, run)?;
    let Ok(truth) = run.truth(cell)? else {
        return Ok(());
    };
    output.print(&document::plain(&document::answer(
        cell,
        guess.as_ref(),
        &truth,
    )))?;
    Ok(())
}

/// Reads an answer until it reads, or nothing where the line is empty.
fn ask(cell: &PredictionCell, run: &Cells) -> Result<Option<Guess>, Stop> {
    loop {
        let Some(line) = run.output.ask(&document::prompt(cell))? else {
            return Ok(None);
        };
        match document::read_guess(cell, &line, run.whole, run.sizes, run.gpu()) {
            Ok(guess) => return Ok(Some(guess)),
            Err(wrong) => run.output.print(&format!("  {wrong}\n"))?,
        }
    }
}
