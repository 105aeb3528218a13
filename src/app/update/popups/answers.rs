//! What the text typed into a question means, or what was expected instead.

use crate::app::state::cells::sizes;
use crate::app::state::queries::prompt::{element_limits, grid, lines, steps};
use crate::app::state::{GutterMetric, Model, Prompt, PromptKind};
use crate::app::update::cells::calculator;
use crate::app::update::popups::export::export_target;
use crate::launch::Dim3;
use crate::lesson::{Guess, Inputs};

/// What the answer means.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Answer {
    Guess(Guess),
    Inputs(Inputs),
    Restart,
    Size(usize, u64),
    Cell(usize),
    Line(usize),
    Element(usize, usize),
    Step(usize),
    RunTo(u32),
    Block(Dim3),
    Find(String),
    Reset,
    File(String),
    GutterMetric(GutterMetric),
    Gpu(usize),
    Comparison(usize),
}

/// Reads the answer, or says what was expected.
pub(crate) fn answer(prompt: &Prompt, model: &Model) -> Result<Answer, String> {
    let wanted = || format!("expected: {}", prompt.question(model));
    let typed = prompt.input.as_str();
    match prompt.kind {
        PromptKind::Size(index) => {
            let size = model.lesson.sizes.get(index).ok_or_else(wanted)?;
            sizes::parse(size, typed).map(|value| Answer::Size(index, value))
        }
        PromptKind::Find => Ok(Answer::Find(typed.to_owned())),
        PromptKind::Reset => Ok(Answer::Reset),
        PromptKind::Prediction => {
            let (lesson, sizes) = (&model.lesson.sizes, &model.settings.sizes);
            Guess::read(typed, lesson, sizes, model.gpu_in_use()).map(Answer::Guess)
        }
        PromptKind::Input(input) => {
            let inputs = calculator::read(model, input, typed);
            inputs.map(Answer::Inputs).ok_or_else(wanted)
        }
        PromptKind::Restart => Ok(Answer::Restart),
        PromptKind::File => file_name(typed),
        PromptKind::Page | PromptKind::GutterMetric | PromptKind::Gpu | PromptKind::Comparison => {
            let choices = prompt.choices(model).unwrap_or_default();
            let nothing = || format!("nothing fits `{typed}`; backspace widens the list");
            // Typing narrows the list, and may leave fewer entries than the mark stands at.
            let at = prompt.chosen.min(choices.len().saturating_sub(1));
            let index = choices.get(at).ok_or_else(nothing)?.index;
            picked(prompt.kind, index).ok_or_else(wanted)
        }
        kind => numbers(typed)
            .and_then(|numbers| numbered(kind, &numbers, model))
            .ok_or_else(wanted),
    }
}

/// Numbers apart by commas or blanks, digits grouped by `_`: `1_823, 7` is 1823 and 7.
fn numbers(typed: &str) -> Option<Vec<usize>> {
    let parts = typed.split([',', ' ']).filter(|part| !part.is_empty());
    let numbers = parts.map(|part| part.replace('_', "").parse().ok());
    numbers.collect()
}

/// What `numbers` mean as an answer; nothing if they are too many, or lie outside of what there is.
fn numbered(kind: PromptKind, numbers: &[usize], model: &Model) -> Option<Answer> {
    // People count cells, lines and steps from 1.
    let within = |last: usize| match numbers {
        [number] if (1..=last).contains(number) => Some(number - 1),
        _ => None,
    };
    match kind {
        PromptKind::Line => within(lines(model)).map(Answer::Line),
        PromptKind::RunTo => within(lines(model)).map(|line| Answer::RunTo(line as u32 + 1)),
        PromptKind::Step => within(steps(model)).map(Answer::Step),
        PromptKind::Element => {
            let (rows, columns, folded) = element_limits(model)?;
            match *numbers {
                // A vector is folded into rows to fill the screen: its elements have one number each.
                [index] if folded && index < rows => Some(Answer::Element(0, index)),
                [row] if !folded && row < rows => Some(Answer::Element(row, 0)),
                [row, column] if !folded && row < rows && column < columns => {
                    Some(Answer::Element(row, column))
                }
                _ => None,
            }
        }
        PromptKind::Block => {
            let grid = grid(model)?;
            // `7` is block (7, 0, 0), as CUDA writes a grid of one dimension.
            let at = |i: usize| numbers.get(i).copied().unwrap_or(0);
            let fits = (0..3).all(|i| at(i) < grid[i] as usize);
            let block = [0, 1, 2].map(|i| at(i) as u32);
            (fits && (1..=3).contains(&numbers.len())).then_some(Answer::Block(block))
        }
        _ => None,
    }
}

/// What picking the answer at `index` of a list means.
pub(crate) fn picked(kind: PromptKind, index: usize) -> Option<Answer> {
    match kind {
        PromptKind::Page => Some(Answer::Cell(index)),
        PromptKind::GutterMetric => GutterMetric::all().nth(index).map(Answer::GutterMetric),
        PromptKind::Gpu => Some(Answer::Gpu(index)),
        PromptKind::Comparison => Some(Answer::Comparison(index)),
        _ => None,
    }
}

fn file_name(input: &str) -> Result<Answer, String> {
    export_target(input)?;
    Ok(Answer::File(input.trim().to_owned()))
}
