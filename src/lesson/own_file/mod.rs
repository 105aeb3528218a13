//! A file of one's own as a lesson: a page for each kernel that can be launched.
//!
//! With a `main`, `program` runs it, and each place that launches a kernel is a page over what its buffers held there.
//! Without one, or where it does not run:
//!
//! 1. `text` finds `kernel<<<grid, block>>>` in the text, and what its numbers are.
//! 2. `guess` makes of a compiled kernel what a lesson needs to launch it.
//! 3. `pages` writes that down as a lesson, with the `question` that the counts of the first run ask.
//! 4. `trial` runs it, small and with room behind its buffers: each becomes as long as the kernel needs it, and what it
//!    only writes begins with zeros.
//!
//! What is guessed, the page says; the learner can change it.

mod text;

mod guess;

mod program;

mod question;

mod pages;

mod trial;

mod guessed_launch;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::compile::{Compiled, compile_kernels};
use crate::lesson::cells::{Cell, RunCell};
use crate::lesson::outline::Lesson;
use crate::source::{Diagnostic, Severity, SourceFile, is_python};
use crate::triton::launched_kernels;

use guessed_launch::guesses_of;
pub use guessed_launch::{
    GuessedLaunch, KnownLaunch, guess_launch, guess_triton_launch, template_instances,
};

use guess::{Guesses, Instances, KernelGuess};
use program::RanProgram;
use text::WrittenLaunches;

/// Whether a lesson's name is the path of a file of kernels.
pub fn is_kernel_file(name: &str) -> bool {
    name.ends_with(".cu") || is_python(name)
}

/// Whether a lesson is a file of kernels: such a one is called by the file's name.
pub fn is_of_file(lesson: &Lesson) -> bool {
    is_kernel_file(&lesson.title)
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
        compiled: None,
    };
    let names = launched_kernels(file).map_err(one_diagnostic)?;
    let guesses = names.iter().map(|name| guess::triton_guesses(file, name));
    let guesses: Vec<Guesses> = guesses.collect::<Result<_, _>>().map_err(one_diagnostic)?;
    // Without a pointer a function is a part of other kernels.
    let launched = guesses
        .into_iter()
        .filter(|guesses| !guesses.first.buffers.is_empty());
    let settled = launched.map(|guesses| trial::settled(&source, guesses));
    let settled: Vec<KernelGuess> = settled.collect();
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
    let launches = WrittenLaunches::find(file.text());
    let listed = compiled(file, &[]);
    let names = kernel_names(&listed, &launches);
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    let together = Arc::new(compiled(file, &asked));
    let (mut refused, mut kernels) = (Vec::new(), Vec::new());
    let mut shown = HashSet::new();
    for name in &names {
        // An error that one kernel reaches does not keep others from being shown.
        let (name, compiled) = match has_kernel(&together, name) {
            true => (name.clone(), together.clone()),
            false => compiled_alone(file, &listed, name, &launches),
        };
        if !shown.insert(name.clone()) {
            continue;
        }
        if compiled.has_failed() {
            refused.extend(compiled.diagnostics.iter().cloned());
            continue;
        }
        let source = trial::Source {
            path,
            file,
            defines: &[],
            compiled: Some(compiled.clone()),
        };
        match guesses_of(file, &compiled, &name, &launches) {
            Ok(guesses) => kernels.push(trial::settled(&source, guesses)),
            Err(why) => refused.push(*why),
        }
    }
    match (kernels.is_empty(), refused.is_empty()) {
        (false, _) => Ok(kernels),
        (true, false) => Err(refused),
        (true, true) => Err(vec![no_kernel(&listed)]),
    }
}

/// The kernels of a file, templates as it launches them, or with usual arguments where it does not.
fn kernel_names(listed: &Compiled, launches: &WrittenLaunches) -> Vec<String> {
    let mut names = listed.defined.clone();
    for template in listed.template_names() {
        let parameters = listed.template_parameters(template).unwrap_or_default();
        let instances = Instances::of(template, parameters, launches);
        match instances.written.is_empty() {
            true => names.extend(instances.usual.into_iter().next()),
            false => names.extend(instances.written),
        }
    }
    names
}

fn compiled(file: &SourceFile, names: &[&str]) -> Compiled {
    compile_kernels(file, &[], names, Default::default()).for_hardware()
}

fn has_kernel(compiled: &Compiled, name: &str) -> bool {
    !compiled.has_failed() && compiled.kernel(name).is_ok()
}

/// The kernel called `name` by itself, with the name that it has then: of `k<scalar_t, kDim>`, whose arguments macros of a
/// library define that is not here, usual arguments take the place.
fn compiled_alone(
    file: &SourceFile,
    listed: &Compiled,
    name: &str,
    launches: &WrittenLaunches,
) -> (String, Arc<Compiled>) {
    let by_itself = compiled(file, &[name]);
    let template = name.split_once('<').map_or(name, |(template, _)| template);
    if !has_kernel(&by_itself, name)
        && let Some(parameters) = listed.template_parameters(template)
        && let Some(usual) = Instances::of(template, parameters, launches).usual.first()
    {
        let with_usual = compiled(file, &[usual]);
        if has_kernel(&with_usual, usual) {
            return (usual.clone(), Arc::new(with_usual));
        }
    }
    (name.to_owned(), Arc::new(by_itself))
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
