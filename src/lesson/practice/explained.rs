//! Exercises that are explained: how much is counted, and which line causes it.
//!
//! The learner's file begins with lines for the answer: `// Answer: 4*N`, and the line that causes it ends in the
//! comment `// <--`.

use super::case::Case;
use super::checker::{CheckError, Checker};
use super::finding::{Feedback, Finding};
use crate::device::grouped;
use crate::lesson::cells::{Asked, FindingKind};
use crate::lesson::outline::Lesson;
use crate::lesson::predict::Guess;
use crate::lesson::starting_point::{ANSWER, CHOSEN};
use crate::source::{Diagnostic, SourceFile, Span, is_python};

/// What the learner's file says.
struct Said {
    /// The answer; empty if there is none yet.
    answer: String,
    /// Where it stands, or belongs.
    place: Span,
    /// Lines that were chosen: where each stands, and its code without blanks around it.
    chosen: Vec<(Span, String)>,
}

pub(super) fn check_explained(
    lesson: &Lesson,
    checker: &Checker,
    asked: &Asked,
) -> Result<Feedback, CheckError> {
    let said = read(&checker.run.source);
    let cases = checker.exercise.cases(lesson);
    let finding = match number_fault(lesson, checker, asked, &said, &cases)? {
        Some((kind, error)) => Some((kind, error)),
        None => line_fault(checker, &said).map(|error| (FindingKind::WrongLine, error)),
    };
    Ok(match finding {
        Some((kind, error)) => Feedback::at_once(Finding::Reported(kind, vec![error])),
        None => Feedback {
            right: cases.len(),
            ..Feedback::at_once(Finding::Passed)
        },
    })
}

fn read(file: &SourceFile) -> Said {
    let mut said = Said {
        answer: String::new(),
        place: Span::default(),
        chosen: Vec::new(),
    };
    let comment = if is_python(file.name()) { "#" } else { "//" };
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let text = line.trim_end();
        let span = Span::new(start, start + text.len());
        start += line.len();
        let Some((code, words)) = text.split_once(comment) else {
            continue;
        };
        if let Some(answer) = words.trim().strip_prefix(ANSWER) {
            said.answer = answer.trim().to_owned();
            said.place = span;
        } else if words.trim() == CHOSEN && !code.trim().is_empty() {
            said.chosen.push((span, code.trim().to_owned()));
        }
    }
    said
}

/// What is wrong with the number.
fn number_fault(
    lesson: &Lesson,
    checker: &Checker,
    asked: &Asked,
    said: &Said,
    cases: &[Case],
) -> Result<Option<(FindingKind, Diagnostic)>, CheckError> {
    if said.answer.is_empty() {
        let help = format!("write a number, or a formula of the sizes, after `{ANSWER}`");
        let error = Diagnostic::error(said.place, "the question has no answer yet").help(help);
        return Ok(Some((FindingKind::Unanswered, error)));
    }
    let wrong = |message| {
        (
            FindingKind::WrongAnswer,
            Diagnostic::error(said.place, message),
        )
    };
    let own = checker.exercise.told_at(lesson);
    let guess = match Guess::read(&said.answer, &lesson.sizes, &own, checker.gpu) {
        Ok(guess) => guess,
        Err(why) => return Ok(Some(wrong(why))),
    };
    // A number is right at the exercise's own sizes, which are the last case; a formula has to be right at all.
    let judged = if guess.formula.is_some() {
        cases.len()
    } else {
        1
    };
    for case in cases.iter().rev().take(judged) {
        let truth = truth(checker, asked, case)?;
        let value = guess.value(&case.sizes, checker.gpu);
        if value != truth {
            let than = if value > truth { "high" } else { "low" };
            let message = format!("{} is too {than}, at {}", grouped(value), case.title);
            return Ok(Some(wrong(message)));
        }
    }
    Ok(None)
}

/// The right answer in a case.
fn truth(checker: &Checker, asked: &Asked, case: &Case) -> Result<u64, CheckError> {
    Ok(match asked {
        Asked::Counted(measure) => {
            let outcome = checker.outcome(&checker.trial(case)?, None)?;
            measure.of(&outcome.counts()).unwrap_or_default()
        }
        Asked::Formula(formula) => {
            let sizes = checker.run.complete(&case.sizes);
            formula.evaluate(&sizes, checker.gpu).unwrap_or_default()
        }
    })
}

/// What is wrong with the chosen line.
fn line_fault(checker: &Checker, said: &Said) -> Option<Diagnostic> {
    let comment = if is_python(checker.run.source.name()) {
        "#"
    } else {
        "//"
    };
    let help = format!("end the line that causes it with `{comment} {CHOSEN}`");
    match &said.chosen[..] {
        [] => {
            let message = "the number is right; which line causes it?";
            Some(Diagnostic::error(said.place, message).help(help))
        }
        [(span, code)] => {
            let is_cause = checker.exercise.start.causes.contains(code);
            let message = "the number is right, and another line causes it";
            (!is_cause).then(|| Diagnostic::error(*span, message))
        }
        [_, (span, _), ..] => {
            let message = "the number is right, and more than one line is chosen";
            Some(Diagnostic::error(*span, message).help(help))
        }
    }
}
