//! One lesson: each cell at each set of sizes, each prediction, each kernel.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::checked::Checked;
use super::exercise::exercises;
use super::prose;
use crate::app::overflows;
use crate::cli::output::{Output, Stop};
use crate::cli::run::{Cells, Runner, load_lesson};
use crate::compile::{Compiled, Fidelity, compile, compile_kernels};
use crate::device::Gpu;
use crate::document::thousands;
use crate::engine::Checks;
use crate::ir::Kernel;
use crate::launch::Ending;
use crate::lesson::{
    Cell, ExerciseCell, GuessDistance, Lesson, Lessons, PredictionCell, RightAnswer, RunCell,
    Sizes, lesson_text, sizes_named, taps,
};
use crate::source::{Diagnostic, SourceFile, is_python, nearest};

/// Checks the lesson called `id`, or in that file. Diagnostics are printed.
pub(super) fn check(id: &str, runner: &mut Runner, output: &Output) -> Result<Checked, Stop> {
    let lesson = match load_lesson(&Lessons::default(), id, output) {
        Ok(lesson) => lesson,
        // One broken file must not hide what is wrong with the others.
        Err(Stop::Reported) => return Ok(Checked::unread(id)),
        Err(stop) => return Err(stop),
    };
    // The defaults first, then the least sizes, then such as no block and no warp divides.
    let trials = lesson.test_sizes();
    let mut checked = Checked {
        lesson: lesson.id.clone(),
        cells: lesson.run_cells().count(),
        trials: trials.len(),
        ..Checked::default()
    };
    for (at, sizes) in trials.iter().enumerate() {
        let is_default = at == 0;
        // The defaults run as a learner runs them; elsewhere every access is looked at.
        runner.simulation.checks = if is_default {
            Checks::NONE
        } else {
            Checks::ALL
        };
        let mut cells = Cells::new(&lesson, sizes, runner, output);
        trial(&lesson, &mut cells, is_default, &mut checked)?;
        if is_default {
            shown(&lesson, &mut cells, &mut checked)?;
        }
    }
    exercises(&lesson, runner, output, &mut checked)?;
    kernels(&lesson, &mut checked);
    comparisons(id, &lesson, runner.gpu(), output, &mut checked);
    let overflows = overflows(&Arc::new(lesson));
    checked
        .warnings
        .extend(overflows.iter().map(ToString::to_string));
    Ok(checked)
}

/// Holds what the prose says of two runs against their recorded times and their counts at the lesson's own sizes, and
/// points out what it only claims.
fn comparisons(id: &str, lesson: &Lesson, gpu: &Gpu, output: &Output, checked: &mut Checked) {
    let Some(file) = lesson_text(id) else {
        return;
    };
    let sizes = lesson.complete(&Sizes::new());
    let (unheld, claims) = (prose::unheld(lesson, &sizes, gpu), prose::claims(&file));
    let said = |found: &Diagnostic| {
        let line = file.line(found.span().start);
        format!("line {line}: {}", found.message)
    };
    checked.problems.extend(unheld.iter().map(said));
    checked.warnings.extend(claims.iter().map(said));
    output.diagnostics(&file, unheld.iter().chain(&claims));
}

/// Every table, figure and answer can be shown.
fn shown(lesson: &Lesson, cells: &mut Cells, checked: &mut Checked) -> Result<(), Stop> {
    for cell in &lesson.cells {
        let failed = cells.show(cell, |content| content.blocks())?.failed;
        // What a run cell gave is judged in each trial already.
        if let (Some(failed), false) = (failed, matches!(cell, Cell::Run(_))) {
            checked.wrong(failed, "it cannot be shown");
        }
    }
    Ok(())
}

/// Runs every cell and asks every question.
fn trial(
    lesson: &Lesson,
    cells: &mut Cells,
    is_default: bool,
    checked: &mut Checked,
) -> Result<(), Stop> {
    let sizes = cells.sizes;
    for cell in lesson.run_cells() {
        let Some(result) = checked.tried(&cell.id, sizes, cells.run(cell))? else {
            continue;
        };
        checked.take(cell, sizes, &result);
        if !result.ok {
            let reports = result.outcome.reports.iter();
            let reports = reports.map(|report| &report.diagnostic);
            cells.output.diagnostics(&cell.source, reports);
        }
    }
    for cell in &lesson.cells {
        if let Cell::Prediction(asked) = cell {
            question(lesson, asked, cells, is_default, checked)?;
        }
    }
    Ok(())
}

/// Asks one, unless its cell did not run to its end.
fn question(
    lesson: &Lesson,
    asked: &PredictionCell,
    cells: &mut Cells,
    is_default: bool,
    checked: &mut Checked,
) -> Result<(), Stop> {
    let sizes = cells.sizes;
    if let Some(run) = asked.runs().and_then(|id| lesson.run_cell(id).ok()) {
        // What is wrong with it was said when it ran.
        match cells.run(run) {
            Ok(result) if result.outcome.ending == Ending::Finished => {}
            Ok(_) | Err(Stop::Failed(_)) => return Ok(()),
            Err(stop) => return Err(stop),
        }
    }
    // A time that is neither measured here nor recorded is not asked for.
    let truth = checked.tried(&asked.id, sizes, cells.truth(asked))?;
    let Some(Ok(truth)) = truth else {
        return Ok(());
    };
    checked.answers += 1;
    if let Some(fault) = choices(asked, &truth, cells, is_default) {
        checked.wrong(&asked.id, format!("at {}: {fault}", sizes_named(sizes)));
    }
    Ok(())
}

/// What is wrong with the choices: at the defaults one is right, elsewhere one at least, since
/// different formulas may meet there.
fn choices(
    asked: &PredictionCell,
    truth: &RightAnswer,
    cells: &Cells,
    is_default: bool,
) -> Option<String> {
    let (sizes, gpu) = (cells.sizes, cells.gpu());
    let guesses = (0..asked.choices.len()).filter_map(|index| asked.choose(index, sizes, gpu));
    let right = guesses
        .filter(|guess| GuessDistance::new(guess, truth).is_right)
        .count();
    let value = thousands(truth.value);
    match right {
        _ if asked.choices.is_empty() => None,
        0 => Some(format!(
            "none of the choices is right: the answer is {value}"
        )),
        1 => None,
        _ if is_default => Some(format!(
            "{right} of the choices are right, not one: the answer is {value}"
        )),
        _ => None,
    }
}

/// Looks into the kernels: what a cell says to look at is there, and every kernel of a file is launched.
fn kernels(lesson: &Lesson, checked: &mut Checked) {
    let mut defined: BTreeSet<String> = BTreeSet::new();
    let mut define = |source: &SourceFile, compiled: &Compiled| {
        let kernels = compiled.defined.iter();
        defined.extend(kernels.map(|kernel| named(source, kernel)));
    };
    let solutions: Vec<RunCell> = lesson.exercises().map(ExerciseCell::solution).collect();
    for cell in lesson.run_cells().chain(&solutions) {
        let names = launched_names(cell);
        checked.files.insert(short(&cell.source).to_owned());
        if is_python(cell.source.name()) {
            // What it is compiled to depends on its launch, and each launch has run.
            let launches = names.iter().map(|name| named(&cell.source, name));
            checked.kernels.extend(launches);
            continue;
        }
        let compiled =
            compile_kernels(&cell.source, &[], &names, Fidelity::AsCompiled).for_hardware();
        define(&cell.source, &compiled);
        let launched = names.iter().filter_map(|name| compiled.kernel(name).ok());
        let launched: Vec<&Kernel> = launched.collect();
        let launches = launched.iter();
        let launches = launches.map(|kernel| named(&cell.source, &kernel.name));
        checked.kernels.extend(launches);
        for tap in unknown_taps(cell, &launched) {
            checked.wrong(&cell.id, tap);
        }
    }
    let shown = lesson.cells.iter().filter_map(Cell::source);
    for source in shown.filter(|source| !is_python(source.name())) {
        if checked.files.insert(short(source).to_owned()) {
            define(source, &compile(source, &[]).for_hardware());
        }
    }
    // A kernel that nothing launches is never verified: it may be wrong for years.
    let idle: Vec<String> = defined.difference(&checked.kernels).cloned().collect();
    for kernel in idle {
        checked.wrong(&kernel, "no cell launches this kernel");
    }
}

/// The kernels that a cell launches: each once, however many launches it has.
fn launched_names(cell: &RunCell) -> Vec<&str> {
    let launches = cell.launches.iter();
    let names: BTreeSet<&str> = launches.map(|launch| launch.kernel.as_str()).collect();
    names.into_iter().collect()
}

/// Names among the taps that are neither buffers nor variables of a kernel, each in a sentence.
fn unknown_taps(cell: &RunCell, kernels: &[&Kernel]) -> Vec<String> {
    let variables = kernels.iter().flat_map(|kernel| &kernel.variables);
    let mut names: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
    let shared = kernels.iter().flat_map(|kernel| &kernel.memory.allocations);
    names.extend(shared.map(|allocation| allocation.name.as_str()));
    names.extend(cell.buffers.iter().map(|buffer| buffer.name.as_str()));
    let unknown = cell
        .taps
        .iter()
        .filter(|tap| !names.iter().any(|name| taps(tap, name)));
    let unknown = unknown.map(|tap| {
        let near = nearest(tap, names.iter().copied());
        let guess = near.first().map(|name| format!("; perhaps `{name}`"));
        let guess = guess.unwrap_or_default();
        format!("`{tap}` among its taps is neither a buffer nor a variable{guess}")
    });
    unknown.collect()
}

/// A kernel, behind its file.
fn named(source: &SourceFile, kernel: &str) -> String {
    format!("{}: {kernel}", short(source))
}

/// The file's name below `kernels`.
fn short(source: &SourceFile) -> &str {
    let name = source.name();
    name.strip_prefix("kernels/").unwrap_or(name)
}
