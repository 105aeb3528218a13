//! An exercise: what is asked, what the learner begins with, and what a check of an answer found.

use crate::device::{Gpu, counted, grouped};
use crate::document::block::{Block, Fold, Listing, ListingLine, Mark};
use crate::lesson::{Cost, ExerciseCell, Feedback, FindingKind, Sizes};
use crate::source::{SourceFile, Style, render};

/// Most things that are told at once: what follows is mostly due to those before.
const MOST_FOUND: usize = 3;

/// What is asked, with what the learner begins with; the solution with its reasons is folded.
pub fn exercise(cell: &ExerciseCell, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    let mut blocks = task(cell, sizes, gpu);
    blocks.push(Block::Source(whole(&cell.start.source)));
    blocks.push(Block::Note(format!(
        "Solve it in your own editor with `tutor practice {}`.",
        cell.id()
    )));
    blocks.extend(Block::folded(Fold::Answer, solution(cell, sizes, gpu)));
    blocks
}

/// What is asked.
pub fn task(cell: &ExerciseCell, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    let sizes = &cell.run.complete(sizes);
    vec![
        Block::heading(&cell.run.title, cell.id()),
        Block::Prose(cell.question.at(sizes, gpu).into_owned()),
    ]
}

/// Hint number `level`, from 0; nothing beyond the last.
pub fn hint(cell: &ExerciseCell, level: usize, sizes: &Sizes, gpu: &Gpu) -> Option<Block> {
    let hint = cell.help.hints.get(level)?;
    Some(Block::Prose(hint.at(sizes, gpu).into_owned()))
}

/// The solution, and why it is as it is.
pub fn solution(cell: &ExerciseCell, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    let sizes = &cell.run.complete(sizes);
    let mut blocks = vec![Block::Source(whole(&cell.start.solution))];
    if !cell.start.causes.is_empty() {
        let causes = cell.start.causes.iter().map(|line| line.to_string());
        blocks.push(Block::Lines {
            title: "The line that causes it".to_owned(),
            lines: causes.collect(),
            is_code: true,
        });
    }
    let reasons = cell.help.reasons.at(sizes, gpu).into_owned();
    blocks.push(Block::Prose(reasons));
    blocks
}

fn whole(file: &SourceFile) -> Listing {
    Listing {
        name: file.name().to_owned(),
        first: 1,
        lines: file.text().lines().map(ListingLine::uncounted).collect(),
        is_counted: false,
    }
}

/// What a check of `answer`, the learner's text, found.
pub fn feedback(feedback: &Feedback, answer: &SourceFile) -> Vec<Block> {
    let mut blocks = match feedback.is_passed() {
        true => solved(feedback),
        false => missed(feedback, answer),
    };
    if !feedback.printed.is_empty() {
        blocks.push(Block::Lines {
            title: "Printed, the first lines".to_owned(),
            lines: feedback.printed.clone(),
            is_code: true,
        });
    }
    blocks
}

/// What is wrong with an answer.
fn missed(feedback: &Feedback, answer: &SourceFile) -> Vec<Block> {
    let case = feedback.case.as_ref();
    let case = case.map_or_else(String::new, |case| format!(", at {}", case.title));
    let detail = match (feedback.right, feedback.kind()) {
        (0, _) | (_, FindingKind::OverBound) => String::new(),
        (right, _) => format!("right in {} before it", counted(right as u64, "case")),
    };
    let found = feedback.diagnostics().into_iter().take(MOST_FOUND);
    let lines = found.flat_map(|found| {
        let text = render(&found, answer, Style::Plain);
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    vec![
        Block::Verdict {
            title: String::new(),
            mark: Mark::Wrong,
            text: format!("{}{case}", feedback.kind().name()),
            detail,
        },
        Block::Lines {
            title: String::new(),
            lines: lines.collect(),
            is_code: true,
        },
    ]
}

/// What is said of an answer that is right, and of what it costs.
fn solved(feedback: &Feedback) -> Vec<Block> {
    let cases = counted(feedback.right as u64, "case");
    let mut blocks = vec![Block::Verdict {
        title: String::new(),
        mark: Mark::Right,
        text: format!("solved: right in {cases} (counted)"),
        detail: String::new(),
    }];
    let lines: Vec<String> = feedback.costs.iter().map(Cost::beside_limit).collect();
    if !lines.is_empty() {
        blocks.push(Block::lines("", lines));
    }
    blocks.extend(feedback.costs.iter().filter_map(better));
    blocks
}

/// What is said of an answer that costs less than the solution.
fn better(cost: &Cost) -> Option<Block> {
    let solution = cost.solution.filter(|_| cost.is_better())?;
    Some(Block::Note(format!(
        "Our own solution has {} {}: yours is better.",
        grouped(solution),
        cost.name
    )))
}
