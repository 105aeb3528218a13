//! A prediction: what is asked, and what is right once it ran.

use crate::device::Gpu;
use crate::document::block::{Block, Mark, Table};
use crate::document::columns::thousands;
use crate::lesson::{Guess, GuessDistance, Lesson, PredictionCell, RightAnswer, Sizes, times};

/// Cells of the bars that compare an answer with what is right.
const BAR_WIDTH: f64 = 40.0;

/// The question with its choices.
pub fn question(cell: &PredictionCell, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    let sizes = &cell.complete(sizes);
    let question = cell.question.at(sizes, gpu).into_owned();
    let mut blocks = vec![
        Block::heading(&cell.title, &cell.id),
        Block::Prose(question),
    ];
    let at = cell.at(sizes);
    if !at.is_empty() {
        blocks.push(Block::lines("", vec![format!("at {at}")]));
    }
    let choices = cell.choices.iter().enumerate();
    let rows: Vec<Vec<String>> = choices
        .map(|(i, choice)| {
            let [text, value] = cell.choice_text(choice, sizes, gpu);
            vec![format!("{}.", i + 1), text, value]
        })
        .collect();
    if !rows.is_empty() {
        blocks.push(Block::Table(Table::new("", &[], 3, rows)));
    }
    blocks
}

/// What stands in place of a question that cannot be asked, and `why`.
pub fn unasked(cell: &PredictionCell, why: &str) -> Vec<Block> {
    vec![
        Block::heading(&cell.title, &cell.id),
        Block::Prose(format!("This question is not asked: {why}.")),
    ]
}

/// What is asked on a terminal.
pub fn prompt(cell: &PredictionCell) -> String {
    match cell.choices.len() {
        0 => "\nYour answer, a number such as 7.1M or a formula (an empty line skips it): "
            .to_owned(),
        count => format!("\nYour answer, 1 to {count} (an empty line skips it): "),
    }
}

/// What a person typed as an answer, or what was expected.
///
/// # Errors
/// What was expected instead.
pub fn read_guess(
    cell: &PredictionCell,
    line: &str,
    lesson: &Lesson,
    sizes: &Sizes,
    gpu: &Gpu,
) -> Result<Guess, String> {
    if cell.choices.is_empty() {
        return Guess::read(line, &lesson.sizes, sizes, gpu);
    }
    // `2.`, as the list writes it, is an answer, too.
    let number = line.trim_end_matches('.').parse::<usize>().ok();
    let index = number.and_then(|number| number.checked_sub(1));
    let guess = index.and_then(|index| cell.choose(index, sizes, gpu));
    guess.ok_or_else(|| format!("expected a number from 1 to {}", cell.choices.len()))
}

/// What is right, how far the answer is from it, and why.
pub fn answer(cell: &PredictionCell, guess: Option<&Guess>, truth: &RightAnswer) -> Vec<Block> {
    let gap = guess.map(|guess| GuessDistance::new(guess, truth));
    // Both bars have one scale; 1 where both are 0.
    let largest = gap.map_or(0, |gap| gap.guess).max(truth.value).max(1);
    let row = |name: &str, value: u64, formula: Option<String>| {
        // Of hashes, so that plain text shows it, too.
        let bar = (value as f64 / largest as f64 * BAR_WIDTH).round() as usize;
        let formula = formula.map(|formula| format!("= {formula}"));
        let bar = gap.map(|_| "#".repeat(bar));
        vec![
            name.to_owned(),
            thousands(value) + cell.unit(),
            formula.unwrap_or_default(),
            bar.unwrap_or_default(),
        ]
    };
    let formula = truth.formula.as_ref().map(|formula| formula.textbook());
    let mut rows = Vec::new();
    if let (Some(gap), Some(guess)) = (gap, guess) {
        let formula = guess.formula.as_ref().map(|formula| formula.textbook());
        rows.push(row("Your answer", gap.guess, formula));
    }
    rows.push(row("Right answer", truth.value, formula));
    let how = format!("{}: {}", truth.evidence.word(), cell.subject());
    let mut blocks = vec![
        Block::Table(Table::new("", &[], 4, rows)),
        Block::lines("", vec![how]),
    ];
    blocks.extend(gap.map(|gap| Block::Verdict {
        title: String::new(),
        mark: Mark::of(gap.is_right),
        text: gap_text(gap),
        detail: String::new(),
    }));
    let explain = cell.explain.at(&truth.sizes, truth.gpu);
    if !explain.trim().is_empty() {
        blocks.push(Block::Prose(explain.into_owned()));
    }
    blocks
}

fn gap_text(gap: GuessDistance) -> String {
    if gap.is_right {
        return gap.verdict().to_owned();
    }
    let difference = thousands(gap.guess.abs_diff(gap.truth));
    let factor = gap
        .factor()
        .map(|factor| format!(", a factor of {}", times(factor)));
    format!(
        "{} by {difference}{}",
        gap.verdict(),
        factor.unwrap_or_default()
    )
}
