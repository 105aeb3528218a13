//! An answer run at all cases of its exercise.

use super::checker::{CheckError, Checker};
use super::explained::check_explained;
use super::finding::{Feedback, Finding};
use crate::compile::{Compiled, Fidelity, compile_kernels};
use crate::device::gpu_or_usual;
use crate::engine::{Checks, Control, Options};
use crate::ir::{Kernel, Parameter, ParameterType};
use crate::lesson::cells::{ExerciseCell, FindingKind, RunCell};
use crate::lesson::chosen_number::chosen_number;
use crate::lesson::outline::Lesson;
use crate::source::{Diagnostic, Severity, SourceFile, Span, is_python};

/// Runs `answer`, the learner's text, at all cases of the exercise, on the simulated GPU that `options` name. What comes
/// back is the first thing that is wrong: results before costs, and of those the exercise's own sizes first.
///
/// # Errors
/// That it could not be checked.
pub fn check_answer(
    lesson: &Lesson,
    exercise: &ExerciseCell,
    answer: &SourceFile,
    options: &Options,
    control: &Control,
) -> Result<Feedback, CheckError> {
    let run = match exercise.answered(answer) {
        Ok(run) => run,
        Err(number) => {
            let finding = Finding::Reported(FindingKind::Number, vec![number]);
            return Ok(Feedback::at_once(finding));
        }
    };
    if let Some(finding) = refused(exercise, &run) {
        return Ok(Feedback::at_once(finding));
    }
    let options = Options {
        checks: Checks::ALL,
        model_caches: false,
        ..options.clone()
    };
    let checker = Checker {
        exercise,
        run,
        gpu: gpu_or_usual(&options.gpu),
        options,
        control,
    };
    match &exercise.asked {
        Some(asked) => check_explained(lesson, &checker, asked),
        None => checker.check(&exercise.cases(lesson)),
    }
}

impl ExerciseCell {
    /// The learner's text as a run.
    ///
    /// # Errors
    /// That it lacks a number that the learner has to choose.
    pub fn answered(&self, answer: &SourceFile) -> Result<RunCell, Diagnostic> {
        let mut run = RunCell {
            source: answer.clone(),
            ..self.run.clone()
        };
        for number in &self.numbers {
            let (name, range) = (&number.name, number.range());
            let chosen = chosen_number(answer, name);
            let span = chosen.map_or_else(Span::default, |chosen| chosen.span);
            match chosen.and_then(|chosen| chosen.value) {
                Some(value) if number.takes(value) => {
                    run.choices.insert(name.clone(), value);
                }
                _ => {
                    let message = format!("`{name}`, {}, is {range}", number.label);
                    let help = "set it to a whole number, as the file that you began with does";
                    return Err(Diagnostic::error(span, message).help(help));
                }
            }
        }
        Ok(run)
    }
}

/// What is wrong with the text of `run` before it runs. Triton compiles at each launch, with its constants.
fn refused(exercise: &ExerciseCell, run: &RunCell) -> Option<Finding> {
    if is_python(run.source.name()) {
        return None;
    }
    let given = compiled(run);
    let errors = given.diagnostics.iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    let errors: Vec<Diagnostic> = errors.cloned().collect();
    match errors.is_empty() {
        true => other_parameters(&compiled(&exercise.solution()), &given),
        false => Some(Finding::Reported(FindingKind::Uncompiled, errors)),
    }
}

/// That a kernel does not take what the exercise passes to the solution's.
fn other_parameters(solution: &Compiled, given: &Compiled) -> Option<Finding> {
    let is_pointer = |parameter: &Parameter| parameter.parameter_type == ParameterType::Pointer;
    let pointers = |kernel: &Kernel| -> Vec<bool> {
        kernel.written_parameters().iter().map(is_pointer).collect()
    };
    let mut pairs = solution.kernels.iter().zip(&given.kernels);
    let (expected, given) =
        pairs.find(|(expected, given)| pointers(expected) != pointers(given))?;
    let (name, passed) = (&given.name, expected.signature());
    let message = format!("`{name}` has other parameters than what the exercise passes to it");
    let found = Diagnostic::error(given.span, message)
        .label(format!("takes ({})", given.signature()))
        .help(format!("write the parameters as they were: ({passed})"));
    Some(Finding::Reported(FindingKind::Fault, vec![found]))
}

fn compiled(run: &RunCell) -> Compiled {
    let names: Vec<&str> = run.launches.iter().map(|launch| &*launch.kernel).collect();
    compile_kernels(&run.source, &[], &names, Fidelity::AsCompiled)
}
