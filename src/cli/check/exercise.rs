//! Exercises of a lesson: what one begins with fails as intended, and the solution passes.

use super::checked::Checked;
use crate::cli::output::{Output, Stop};
use crate::cli::run::{Runner, failed};
use crate::engine::Control;
use crate::lesson::{ExerciseCell, Feedback, Lesson, check_answer, load};
use crate::source::SourceFile;

/// Checks every exercise of `lesson`.
pub(super) fn exercises(
    lesson: &Lesson,
    runner: &mut Runner,
    output: &Output,
    checked: &mut Checked,
) -> Result<(), Stop> {
    for exercise in lesson.exercises() {
        checked.exercises += 1;
        let options = runner.simulation.clone();
        let check = |text: &SourceFile| {
            let control = Control::default();
            check_answer(lesson, exercise, text, &options, &control).map_err(failed)
        };
        let (start, solution) = (&exercise.start.source, exercise.solved());
        let begins = check(start)?;
        if begins.kind() != exercise.fails {
            checked.wrong(
                exercise.id(),
                format!(
                    "its starting point should get `{}`, and gets `{}`",
                    exercise.fails.name(),
                    begins.kind().name()
                ),
            );
            output.diagnostics(start, &begins.diagnostics());
        }
        counts(lesson, exercise, runner, output, checked)?;
        for id in unreached(lesson, exercise) {
            let message = format!("it builds on `{id}`, which no page before it has");
            checked.wrong(exercise.id(), message);
        }
        let solved = check(&solution)?;
        if !solved.is_passed() {
            let (kind, case) = (solved.kind().name(), at(&solved));
            checked.wrong(exercise.id(), format!("its solution gets `{kind}`{case}"));
            output.diagnostics(&solution, &solved.diagnostics());
        }
    }
    Ok(())
}

/// The formulas that hints quote equal what the solution counts, in every case.
fn counts(
    lesson: &Lesson,
    exercise: &ExerciseCell,
    runner: &mut Runner,
    output: &Output,
    checked: &mut Checked,
) -> Result<(), Stop> {
    for case in exercise.cases(lesson) {
        // Costs other than those that were asked for are not looked at elsewhere.
        if exercise.formulas.is_empty() {
            break;
        }
        let (run, options) = (case.of(&exercise.solution()), runner.simulation.clone());
        let plan = run.plan(&case.sizes, runner.gpu()).map_err(failed)?;
        let outcome = runner.run(&plan, &options, output)?;
        checked.take(&run, &case.sizes, &run.check_outcome(&case.sizes, outcome));
    }
    Ok(())
}

/// Exercises that it builds on, and that come neither before it nor in a lesson that its own requires.
fn unreached<'a>(lesson: &Lesson, exercise: &'a ExerciseCell) -> Vec<&'a str> {
    let before = lesson.exercises().map(ExerciseCell::id);
    let before = before.take_while(|id| *id != exercise.id());
    let mut reached: Vec<String> = before.map(str::to_owned).collect();
    let mut required = lesson.course.requires.clone();
    let mut at = 0;
    while let Some(id) = required.get(at) {
        // One that does not read is reported as itself.
        if let Ok(earlier) = load(id) {
            reached.extend(earlier.exercises().map(|other| other.id().to_owned()));
            let new = earlier.course.requires.into_iter();
            let new: Vec<String> = new.filter(|id| !required.contains(id)).collect();
            required.extend(new);
        }
        at += 1;
    }
    let builds_on = exercise.help.builds_on.iter().map(String::as_str);
    builds_on
        .filter(|id| !reached.iter().any(|known| known == id))
        .collect()
}

fn at(feedback: &Feedback) -> String {
    let case = feedback.case.as_ref();
    case.map_or_else(String::new, |case| format!(", at {}", case.title))
}
