//! How an exercise stands, as text and as JSON.

use serde_json::{Value, json};

use super::workbook::{Checked, Workbook};
use crate::app::SavedExercise;
use crate::cli::exercises::{Course, Exercise};
use crate::device::gpu_or_usual;
use crate::document::{Block, Content, Mark, feedback, feedback_json, hint, plain, solution, task};
use crate::lesson::Sizes;
use crate::runtime::seconds_since_1970;

/// What is asked, and where the file is.
pub(super) fn asked(course: &Course, exercise: Exercise, book: &Workbook) -> String {
    let sizes = sizes(exercise);
    let mut blocks = task(exercise.cell, &sizes, gpu_or_usual(&book.options.gpu));
    let builds_on = exercise.cell.help.builds_on.iter();
    let open = builds_on.filter(|id| !book.saved.exercise(id).is_solved());
    let open: Vec<&str> = open.map(String::as_str).collect();
    let all = course.exercises().count();
    let at = course
        .exercises()
        .position(|other| other.id() == exercise.id());
    blocks.push(Block::lines(
        "",
        vec![
            format!(
                "exercise {} of {all}, from the lesson `{}`: {}, {}",
                at.map_or(0, |at| at + 1),
                exercise.lesson.id,
                exercise.cell.kind.name(),
                exercise.cell.concept.name()
            ),
            format!(
                "to learn what it needs: tutor run lesson {}",
                exercise.lesson.id
            ),
            format!("file: {}", book.path(exercise).display()),
        ],
    ));
    if !open.is_empty() {
        let text = format!(
            "It builds on {}, which you have not solved.",
            open.join(", ")
        );
        blocks.push(Block::Note(text));
    }
    plain(&blocks)
}

/// The sizes that an exercise is told at.
fn sizes(exercise: Exercise) -> Sizes {
    exercise.cell.told_at(exercise.lesson)
}

/// What a check found.
pub(super) fn found(checked: &Checked) -> String {
    let mut blocks = feedback(&checked.feedback, &checked.answer);
    if let Some(real) = &checked.real {
        let is_right = real.faults.is_empty();
        let text = match is_right {
            true => format!("right on {} as well (measured)", real.gpu),
            false => format!("not right on {}: {}", real.gpu, real.faults.join("; ")),
        };
        blocks.push(Block::Verdict {
            title: String::new(),
            mark: Mark::of(is_right),
            text,
            detail: String::new(),
        });
    }
    plain(&blocks)
}

/// What to do next.
pub(super) fn next_step(
    course: &Course,
    exercise: Exercise,
    book: &Workbook,
    passed: bool,
) -> String {
    let kept = book.saved.exercise(exercise.id());
    if passed {
        return match course.next(&book.saved, seconds_since_1970()) {
            Some(next) => format!(
                "Next: `tutor practice {}` ({}).",
                next.id(),
                next.cell.run.title
            ),
            None => "That was the last one: all exercises are solved.".to_owned(),
        };
    }
    match kept.hints as usize {
        0 => {
            "Save the file, and run this again. Stuck? `--hint` tells what it is about.".to_owned()
        }
        hints if hints < exercise.cell.help.hints.len() => {
            "Save the file, and run this again. `--hint` tells more.".to_owned()
        }
        _ => {
            "Save the file, and run this again. Asked for twice, `--solution` shows it.".to_owned()
        }
    }
}

/// The hints up to number `level`, from 1.
pub(super) fn hints(exercise: Exercise, level: usize, book: &Workbook) -> String {
    let (sizes, gpu) = (sizes(exercise), gpu_or_usual(&book.options.gpu));
    let of = |at| hint(exercise.cell, at, &sizes, gpu);
    let blocks = (0..level).filter_map(|at| {
        let number = Block::Paragraph(format!(
            "Hint {} of {}",
            at + 1,
            exercise.cell.help.hints.len()
        ));
        Some([number, of(at)?])
    });
    plain(&blocks.flatten().collect::<Vec<_>>())
}

/// The solution with its reasons.
pub(super) fn solved(exercise: Exercise, book: &Workbook) -> String {
    let gpu = gpu_or_usual(&book.options.gpu);
    plain(&solution(exercise.cell, &sizes(exercise), gpu))
}

/// All of an exercise as JSON, with what a check found.
pub(super) fn json(
    course: &Course,
    exercise: Exercise,
    book: &Workbook,
    checked: &Checked,
) -> Value {
    let (sizes, gpu) = (sizes(exercise), gpu_or_usual(&book.options.gpu));
    let kept = book.saved.exercise(exercise.id());
    let hints = (0..kept.hints as usize).filter_map(|at| exercise.cell.help.hints.get(at));
    let hints: Vec<String> = hints
        .map(|hint| hint.at(&sizes, gpu).into_owned())
        .collect();
    let next = course.next(&book.saved, seconds_since_1970());
    json!({
        "exercise": Content::Exercise(exercise.cell, sizes.clone(), gpu).json(),
        "lesson": exercise.lesson.id,
        "file": book.path(exercise),
        "feedback": feedback_json(&checked.feedback, &checked.answer),
        "real": checked.real.as_ref().map(|real| json!({
            "gpu": real.gpu,
            "ok": real.faults.is_empty(),
            "faults": real.faults,
        })),
        "attempts": kept.attempts,
        "hints": hints,
        "solution": kept.may_see_solution().then(|| exercise.cell.start.solution.text()),
        "next": next.map(|next| next.id().to_owned()),
    })
}

/// How an exercise stands, in a word or two.
fn standing(kept: &SavedExercise) -> &'static str {
    match (
        kept.is_solved(),
        kept.is_due(seconds_since_1970()),
        kept.attempts,
    ) {
        (true, true, _) => "again",
        (true, false, _) => "solved",
        (false, _, 0) => "",
        (false, ..) => "begun",
    }
}

/// All exercises, lesson by lesson.
pub(super) fn list(course: &Course, book: &Workbook) -> String {
    let widest = course.exercises().map(|exercise| exercise.id().len()).max();
    let width = widest.unwrap_or(0);
    let mut text = String::new();
    let mut lesson = "";
    for exercise in course.exercises() {
        if lesson != exercise.lesson.id {
            lesson = &exercise.lesson.id;
            text += &format!("{lesson}\n");
        }
        let kept = book.saved.exercise(exercise.id());
        let cell = exercise.cell;
        text += &format!(
            "  {:6}  {:width$}  {} ({}, {})\n",
            standing(&kept),
            cell.id(),
            cell.run.title,
            cell.kind.name(),
            cell.concept.name()
        );
    }
    let all = course.exercises().count();
    let is_solved = |exercise: &Exercise| book.saved.exercise(exercise.id()).is_solved();
    let solved = course.exercises().filter(is_solved).count();
    text += &format!("{solved} of {all} solved. ");
    text + &match course.next(&book.saved, seconds_since_1970()) {
        Some(next) => format!("Next: `tutor practice {}`.\n", next.id()),
        None => "None is left.\n".to_owned(),
    }
}

/// The same as JSON.
pub(super) fn list_json(course: &Course, book: &Workbook) -> Value {
    let exercises = course.exercises().map(|exercise| {
        let kept = book.saved.exercise(exercise.id());
        json!({
            "id": exercise.id(),
            "lesson": exercise.lesson.id,
            "title": exercise.cell.run.title,
            "concept": exercise.cell.concept.name(),
            "task": exercise.cell.kind.name(),
            "solved": kept.is_solved(),
            "attempts": kept.attempts,
            "missed": kept.missed,
            "hints": kept.solved.iter().map(|solved| solved.hints).sum::<u32>() + kept.hints,
            "due_at": kept.due_at(),
            "due": kept.is_due(seconds_since_1970()),
        })
    });
    let next = course.next(&book.saved, seconds_since_1970());
    json!({
        "exercises": exercises.collect::<Vec<_>>(),
        "next": next.map(|next| next.id().to_owned()),
    })
}
