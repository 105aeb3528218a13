//! A prediction as text: asked where somebody can answer, and answered by what ran.

use super::super::prose;
use super::super::table::{columns, thousands};
use super::{heading, mark};
use crate::lesson::{Gap, Guess, Lesson, PredictionCell, Sizes, Truth, times};

/// Cells of the bars that compare an answer with what is right.
const BAR_WIDTH: f64 = 40.0;

/// The question with its choices.
pub(in crate::cli) fn question(cell: &PredictionCell, sizes: &Sizes) -> String {
    let mut text = heading(&format!("{} [{}]", cell.title, cell.id));
    text += &format!("\n{}", prose::render(&cell.question));
    let choices = cell.choices.iter().enumerate();
    let rows: Vec<Vec<String>> = choices
        .map(|(i, choice)| {
            let value = choice.evaluate(&cell.complete(sizes));
            let value = value.map_or_else(|_| "no value here".to_owned(), thousands);
            vec![
                format!("{}.", i + 1),
                choice.textbook(),
                format!("= {value}"),
            ]
        })
        .collect();
    if !rows.is_empty() {
        text += &format!("\n{}", columns(&rows, 3));
    }
    text
}

/// What is asked on a terminal.
pub(in crate::cli) fn prompt(cell: &PredictionCell) -> String {
    match cell.choices.len() {
        0 => "\nYour answer, a number such as 7.1M or a formula (empty skips): ".to_owned(),
        count => format!("\nYour answer, 1 to {count} (empty skips): "),
    }
}

/// What a person typed as an answer, or what was expected.
pub(in crate::cli) fn read_guess(
    cell: &PredictionCell,
    line: &str,
    lesson: &Lesson,
    sizes: &Sizes,
) -> Result<Guess, String> {
    if cell.choices.is_empty() {
        return Guess::read(line, &lesson.sizes, sizes);
    }
    let number = line.trim_end_matches('.').parse::<usize>().ok();
    let index = number.and_then(|number| number.checked_sub(1));
    let guess = index.and_then(|index| cell.choose(index, sizes));
    guess.ok_or_else(|| format!("expected a number from 1 to {}", cell.choices.len()))
}

/// What is right, how far the answer is from it, and why.
pub(in crate::cli) fn answer(
    cell: &PredictionCell,
    guess: Option<&Guess>,
    truth: &Truth,
) -> String {
    let mut text = String::from("\n");
    let gap = guess.map(|guess| Gap::new(guess, truth));
    let largest = gap.map_or(0, |gap| gap.guess).max(truth.value).max(1);
    let row = |name: &str, value: u64, formula: Option<String>| {
        let bar = (value as f64 / largest as f64 * BAR_WIDTH).round() as usize;
        let formula = formula.map(|formula| format!("= {formula}"));
        vec![
            name.to_owned(),
            thousands(value),
            formula.unwrap_or_default(),
            if gap.is_some() {
                "#".repeat(bar)
            } else {
                String::new()
            },
        ]
    };
    let formula = truth.formula.as_ref().map(|formula| formula.textbook());
    let mut rows = Vec::new();
    if let (Some(gap), Some(guess)) = (gap, guess) {
        let formula = guess.formula.as_ref().map(|formula| formula.textbook());
        rows.push(row("Your answer", gap.guess, formula));
    }
    rows.push(row("Right answer", truth.value, formula));
    text += &columns(&rows, 4);
    text += &format!("  {}: {}\n", truth.evidence.word(), cell.subject());
    if let Some(gap) = gap {
        let (mark, _) = mark(gap.is_none(), "", "");
        text += &format!("  {mark} {}\n", gap_text(gap));
    }
    if !cell.explain.trim().is_empty() {
        text += &format!("\n{}", prose::render(&cell.explain));
    }
    text
}

fn gap_text(gap: Gap) -> String {
    if gap.is_none() {
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
