//! What the text typed into a question means, or what was expected instead.

use crate::app::state::cells::sizes;
use crate::app::state::queries::prompt::{element_limits, grid, lines, steps};
use crate::app::state::{Context, GutterMetric, Model, Prompt, PromptKind};
use crate::app::update::cells::calculator;
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
    Nothing,
    File(String),
    GutterMetric(GutterMetric),
    Gpu(usize),
    Comparison(usize),
}

/// Reads the answer, or says what was expected.
pub(crate) fn answer(prompt: &Prompt, model: &Model) -> Result<Answer, String> {
    let wanted = || format!("expected: {}", prompt.question(model));
    if let PromptKind::Size(index) = prompt.kind {
        let size = model.lesson.sizes.get(index).ok_or_else(wanted)?;
        return sizes::parse(size, &prompt.input).map(|value| Answer::Size(index, value));
    }
    match (prompt.kind, prompt.input.trim()) {
        (PromptKind::Find, _) => return Ok(Answer::Find(prompt.input.clone())),
        (PromptKind::Reset, "y" | "Y" | "yes") => return Ok(Answer::Reset),
        (PromptKind::Reset, "n" | "N" | "no" | "") => return Ok(Answer::Nothing),
        (PromptKind::Reset, _) => return Err("expected: y or n".to_owned()),
        _ => {}
    }
    match prompt.kind {
        PromptKind::Prediction => {
            let guess = Guess::read(
                &prompt.input,
                &model.lesson.sizes,
                &model.settings.sizes,
                model.gpu_in_use(),
            );
            return guess.map(Answer::Guess);
        }
        PromptKind::Input(input) => {
            let inputs = calculator::read(model, input, &prompt.input);
            return inputs.map(Answer::Inputs).ok_or_else(wanted);
        }
        PromptKind::Restart => return Ok(Answer::Restart),
        PromptKind::File => return file_name(&prompt.input),
        _ => {}
    }
    if let Some(choices) = prompt.choices(model) {
        let nothing = || format!("nothing fits `{}`; backspace widens the list", prompt.input);
        let at = prompt.chosen.min(choices.len().saturating_sub(1));
        return picked(prompt.kind, choices.get(at).ok_or_else(nothing)?.index).ok_or_else(wanted);
    }
    let numbers = prompt
        .input
        .split([',', ' '])
        .filter(|part| !part.is_empty());
    let numbers: Result<Vec<usize>, _> =
        numbers.map(|part| part.replace('_', "").parse()).collect();
    let numbers = numbers.map_err(|_| wanted())?;
    let within = |from: usize, to: usize| match numbers[..] {
        [number] if (from..=to).contains(&number) => Ok(number),
        _ => Err(wanted()),
    };
    match prompt.kind {
        PromptKind::Size(_)
        | PromptKind::File
        | PromptKind::GutterMetric
        | PromptKind::Gpu
        | PromptKind::Comparison
        | PromptKind::Find
        | PromptKind::Reset
        | PromptKind::Prediction
        | PromptKind::Input(_)
        | PromptKind::Restart => Err(wanted()),
        PromptKind::Cell => within(1, model.cells.len()).map(|cell| Answer::Cell(cell - 1)),
        PromptKind::Line => within(1, lines(model)).map(|line| Answer::Line(line - 1)),
        PromptKind::RunTo => within(1, lines(model)).map(|line| Answer::RunTo(line as u32)),
        PromptKind::Step => within(1, steps(model)).map(|step| Answer::Step(step - 1)),
        PromptKind::Element => {
            let (rows, columns, folded) = element_limits(model).ok_or_else(wanted)?;
            match numbers[..] {
                [index] if folded && index < rows => Ok(Answer::Element(0, index)),
                [row] if !folded && row < rows => Ok(Answer::Element(row, 0)),
                [row, column] if !folded && row < rows && column < columns => {
                    Ok(Answer::Element(row, column))
                }
                _ => Err(wanted()),
            }
        }
        PromptKind::Block => {
            let grid = grid(model).ok_or_else(wanted)?;
            let at = |i: usize| numbers.get(i).copied().unwrap_or(0);
            let fits = (0..3).all(|i| at(i) < grid[i] as usize);
            if fits && (1..=3).contains(&numbers.len()) {
                Ok(Answer::Block([0, 1, 2].map(|i| at(i) as u32)))
            } else {
                Err(wanted())
            }
        }
    }
}

/// What picking the answer at `index` of a list means.
pub(crate) fn picked(kind: PromptKind, index: usize) -> Option<Answer> {
    match kind {
        PromptKind::GutterMetric => GutterMetric::all().nth(index).map(Answer::GutterMetric),
        PromptKind::Gpu => Some(Answer::Gpu(index)),
        PromptKind::Comparison => Some(Answer::Comparison(index)),
        _ => None,
    }
}

/// The question that "go to" means where the learner is.
pub(crate) fn go_to(model: &Model) -> PromptKind {
    match model.context() {
        Context::Buffer => PromptKind::Element,
        Context::Warp => PromptKind::Step,
        Context::Source | Context::Editor | Context::Ptx => PromptKind::Line,
        _ => PromptKind::Cell,
    }
}

pub(crate) fn file_name(input: &str) -> Result<Answer, String> {
    let name = input.trim();
    let is_name = name.ends_with(".html") || name.ends_with(".md");
    let named = is_name.then(|| Answer::File(name.to_owned()));
    named.ok_or_else(|| "expected a name that ends in .html or .md".to_owned())
}
