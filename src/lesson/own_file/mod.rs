//! A file of one's own as a lesson: a page for each kernel that can be launched.
//!
//! With a `main`, `program` runs it, and each place that launches a kernel is a page over what its buffers held there.
//! Without one, or where it does not run:
//!
//! 1. `written_launches` finds `kernel<<<grid, block>>>` in the text, and what its numbers are.
//! 2. `guess` makes of a compiled kernel what a lesson needs to launch it.
//! 3. `pages` writes that down as a lesson.
//! 4. `trial` runs it once, small: buffers grow until the kernel stays inside them, and what it only writes
//!    begins with zeros.
//!
//! What is guessed, the page says; the learner can change it.

mod written_launches;

mod guess;

mod guess_triton;

mod program;

mod pages;

mod trial;

mod guessed_launch;

use std::path::Path;

use crate::compile::{Compiled, compile_kernels};
use crate::lesson::cells::RunCell;
use crate::lesson::outline::{Cell, Lesson};
use crate::source::{Diagnostic, Severity, SourceFile, is_python};
use crate::triton::kernels;

pub use guessed_launch::{GuessedLaunch, guess_launch};

use guess::KernelGuess;
use program::RanProgram;
use written_launches::WrittenLaunches;

/// Whether a lesson's name is the path of a file of kernels.
pub fn is_kernel_file(name: &str) -> bool {
    name.ends_with(".cu") || is_python(name)
}

/// The lesson that the file `path`, whose text is `file`, makes.
///
/// # Errors
/// Why none of its kernels can be launched: what does not compile, or what nothing can be guessed for.
pub(crate) fn lesson_of_kernels(path: &Path, file: &SourceFile) -> Result<Lesson, Vec<Diagnostic>> {
    let is_python = is_python(file.name());
    let program = match is_python {
        true => None,
        false => RanProgram::run(path, file),
    };
    let kernels = match &program {
        _ if is_python => triton_guesses(path, file)?,
        Some(program) if !program.places.is_empty() => Vec::new(),
        _ => guesses(path, file)?,
    };
    let text = pages::lesson(path, &kernels, program.as_ref());
    let (lesson, diagnostics) = pages::read(path, file, &text);
    let mut lesson = lesson.ok_or(diagnostics)?;
    let places = program.iter().flat_map(|program| &program.places);
    for (place, cell) in places.zip(run_cells(&mut lesson)) {
        program::relaunch(cell, &place.inputs);
    }
    Ok(lesson)
}

fn run_cells(lesson: &mut Lesson) -> impl Iterator<Item = &mut RunCell> {
    lesson.cells.iter_mut().filter_map(|cell| match cell {
        Cell::Run(cell) => Some(&mut **cell),
        _ => None,
    })
}

/// What each Triton kernel of a file is launched with, but for what others call.
fn triton_guesses(path: &Path, file: &SourceFile) -> Result<Vec<KernelGuess>, Vec<Diagnostic>> {
    let one_diagnostic = |error: Box<Diagnostic>| vec![*error];
    let source = trial::Source {
        path,
        file,
        defines: &[],
    };
    let names = kernels(file).map_err(one_diagnostic)?;
    let guesses = names.iter().map(|name| guess_triton::guess(file, name));
    let guesses: Vec<KernelGuess> = guesses.collect::<Result<_, _>>().map_err(one_diagnostic)?;
    // Without a pointer a function is a part of other kernels.
    let launched = guesses
        .into_iter()
        .filter(|guess| !guess.buffers.is_empty());
    let settled: Vec<KernelGuess> = launched
        .map(|guess| trial::settled(&source, guess))
        .collect();
    if settled.is_empty() {
        let error = Diagnostic::error(Default::default(), "the file has no kernel to launch");
        return Err(vec![error.help(
            "put `@triton.jit` before a function that takes pointers, such as `x_ptr`",
        )]);
    }
    Ok(settled)
}

/// What each kernel of a file is launched with, in order of the text.
fn guesses(path: &Path, file: &SourceFile) -> Result<Vec<KernelGuess>, Vec<Diagnostic>> {
    let written = WrittenLaunches::find(file.text());
    let source = trial::Source {
        path,
        file,
        defines: &[],
    };
    let compiled = compile_kernels(file, &[], &[], Default::default());
    // A template has no code of its own: only what the file launches says with which types.
    let templates = written.names().filter(|name| name.contains('<'));
    let mut names: Vec<String> = compiled.defined.clone();
    names.extend(templates.map(str::to_owned));
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    let compiled = match asked.is_empty() {
        true => compiled,
        false => compile_kernels(file, &[], &asked, Default::default()),
    };
    if compiled.has_failed() {
        return Err(compiled.diagnostics);
    }
    let mut refused = Vec::new();
    let mut kernels = Vec::new();
    for name in &names {
        match guessed(file, &compiled, name, &written) {
            Ok(guess) => kernels.push(trial::settled(&source, guess)),
            Err(why) => refused.push(*why),
        }
    }
    if kernels.is_empty() {
        return Err(match refused.is_empty() {
            true => vec![no_kernel(&compiled)],
            false => refused,
        });
    }
    Ok(kernels)
}

fn guessed(
    file: &SourceFile,
    compiled: &Compiled,
    name: &str,
    written: &WrittenLaunches,
) -> Result<KernelGuess, Box<Diagnostic>> {
    let kernel = compiled.kernel(name)?;
    KernelGuess::new(file, name, kernel, written.of(name))
}

fn no_kernel(compiled: &Compiled) -> Diagnostic {
    let mut found = compiled.diagnostics.iter();
    let error = found.find(|found| found.severity == Severity::Error);
    error.cloned().unwrap_or_else(|| {
        let error = Diagnostic::error(Default::default(), "the file has no kernel to launch");
        error.help("define one with `__global__ void`; a template is launched as `kernel<float><<<…>>>` in the file")
    })
}

#[cfg(test)]
mod tests;
