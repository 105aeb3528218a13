//! Questions the notebook asks: where to go, which block, what size.

use crate::app::state::cells::{calculator, sizes};
use crate::app::state::{Margin, Model};
use crate::device::grouped;
use crate::launch::Dim3;
use crate::lesson::{Guess, Input, Inputs};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A value for a size of the lesson, by index.
    Size(usize),
    /// The number of a cell.
    Cell,
    /// The number of a line of the source.
    Line,
    /// Row and column, or index, of an element.
    Element,
    /// The number of a step.
    Step,
    /// The number of a line to run to.
    RunTo,
    /// The index of a block.
    Block,
    /// The answer to the prediction on screen.
    Prediction,
    /// A value for an input of the calculator on screen.
    Input(Input),
    /// Whether to start the lesson over; nothing is typed.
    Restart,
    /// The file that the lesson and its results go to.
    File,
    /// What the margin counts.
    Margin,
    /// Which GPU is simulated.
    Gpu,
    /// The cell to compare with.
    Versus,
    /// What to look for in an edited text.
    Find,
    /// Whether to drop what was changed in a kernel.
    Reset,
}

impl PromptKind {
    /// Whether its answers stand in a list.
    fn is_list(self) -> bool {
        matches!(self, Self::Margin | Self::Gpu | Self::Versus)
    }

    /// Whether its answers have letters.
    fn takes_letters(self) -> bool {
        self.is_list() || matches!(self, Self::Find | Self::Reset)
    }
}

/// A question and what is typed so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked.
    pub kind: PromptKind,
    /// What is typed.
    pub input: String,
    /// The answer pointed at, among those of a list that fit what is typed.
    pub chosen: usize,
    /// Why the last answer was refused.
    pub error: Option<String>,
}

/// Longest answer, and longest name of a file.
const INPUT_LIMIT: usize = 48;
const FILE_LIMIT: usize = 200;

impl Prompt {
    /// The question, with nothing typed.
    pub fn new(kind: PromptKind) -> Self {
        Prompt {
            kind,
            input: String::new(),
            chosen: 0,
            error: None,
        }
    }

    /// A question with a list, at the answer that holds now.
    pub(crate) fn listing(kind: PromptKind, model: &Model) -> Self {
        let mut prompt = Prompt::new(kind);
        let choices = prompt.choices(model).unwrap_or_default();
        let current = choices.iter().position(|choice| choice.is_current);
        prompt.chosen = current.unwrap_or(0);
        prompt
    }

    /// Takes a typed character: digits and what separates them; for a list whatever narrows it, for a
    /// file whatever its name may have.
    pub fn push(&mut self, character: char) {
        let fits = match self.kind {
            PromptKind::Restart => false,
            PromptKind::Input(_) => character.is_ascii_digit() || matches!(character, ',' | '.'),
            PromptKind::Prediction | PromptKind::File => !character.is_control(),
            kind if kind.takes_letters() => !character.is_control(),
            _ => character.is_ascii_digit() || matches!(character, ',' | ' ' | '_'),
        };
        let limit = match self.kind {
            PromptKind::File => FILE_LIMIT,
            _ => INPUT_LIMIT,
        };
        if fits && self.input.len() < limit {
            self.input.push(character);
            self.chosen = 0;
            self.error = None;
        }
    }

    /// What is asked, in words with the answers that are taken.
    pub fn question(&self, model: &Model) -> String {
        let to = |what: &str, first: usize, last: usize| {
            format!("{what} ({first} to {})", grouped(last as u64))
        };
        match self.kind {
            PromptKind::Size(index) => {
                let size = model.lesson.sizes.get(index);
                size.map_or_else(String::new, |size| {
                    format!("{} ({})", size.name, size.range())
                })
            }
            PromptKind::Cell => to("go to cell", 1, model.cells.len()),
            PromptKind::Line => to("go to line", 1, lines(model)),
            PromptKind::RunTo => to("run to line", 1, lines(model)),
            PromptKind::Element => match element_limits(model) {
                Some((rows, columns, false)) => format!(
                    "go to row, column (up to {}, {})",
                    grouped(rows as u64 - 1),
                    grouped(columns as u64 - 1)
                ),
                Some((length, _, true)) => to("go to element", 0, length.saturating_sub(1)),
                None => "go to element".to_owned(),
            },
            PromptKind::Step => to("go to step", 1, steps(model)),
            PromptKind::Block => match grid(model) {
                Some([x, 1, 1]) => to("block", 0, x.saturating_sub(1) as usize),
                Some([x, y, z]) => format!("block x,y,z (grid is {x} x {y} x {z})"),
                None => "block".to_owned(),
            },
            PromptKind::Find if model.edits.sought.is_empty() => "find".to_owned(),
            PromptKind::Find => format!("find (nothing: `{}` again)", model.edits.sought),
            PromptKind::Reset => "drop what you changed in this kernel? y or n".to_owned(),
            PromptKind::Prediction => "your answer: a number such as 7.1M, or a formula".to_owned(),
            PromptKind::Input(input) => calculator::question(model, input),
            PromptKind::Restart => {
                "enter starts over and forgets every result and answer".to_owned()
            }
            PromptKind::File => "write it to (.html or .md)".to_owned(),
            PromptKind::Margin => "the margin counts".to_owned(),
            PromptKind::Gpu => "simulate".to_owned(),
            PromptKind::Versus => "compare with".to_owned(),
        }
    }
}

/// Rows and columns of the buffer looked at; of a folded one its length and true.
fn element_limits(model: &Model) -> Option<(usize, usize, bool)> {
    let (cell, state) = model.run_cell()?;
    let matrix = state.held(cell)?.matrix;
    if matrix.length == 0 {
        return None;
    }
    Some(match matrix.folded {
        true => (matrix.length, 1, true),
        false => (matrix.rows, matrix.columns, false),
    })
}

fn lines(model: &Model) -> usize {
    let cell = model.run_cell();
    cell.map_or(0, |(cell, _)| cell.source.line_count() as usize)
}

fn steps(model: &Model) -> usize {
    let walk = model.run_cell().and_then(|(_, state)| state.walk());
    walk.map_or(0, |(_, walk)| walk.steps())
}

fn grid(model: &Model) -> Option<Dim3> {
    Some(model.run_cell()?.1.watched_launch()?.0)
}

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
    Margin(Margin),
    Gpu(usize),
    Versus(usize),
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
                &model.sizes,
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
        | PromptKind::Margin
        | PromptKind::Gpu
        | PromptKind::Versus
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
fn picked(kind: PromptKind, index: usize) -> Option<Answer> {
    match kind {
        PromptKind::Margin => Margin::all().nth(index).map(Answer::Margin),
        PromptKind::Gpu => Some(Answer::Gpu(index)),
        PromptKind::Versus => Some(Answer::Versus(index)),
        _ => None,
    }
}

/// The question that "go to" means where the learner is.
pub(crate) fn go_to(model: &Model) -> PromptKind {
    use crate::app::state::Context;
    match model.context() {
        Context::Buffer => PromptKind::Element,
        Context::Warp => PromptKind::Step,
        Context::Source | Context::Editor | Context::Ptx => PromptKind::Line,
        _ => PromptKind::Cell,
    }
}

fn file_name(input: &str) -> Result<Answer, String> {
    let name = input.trim();
    let is_name = name.ends_with(".html") || name.ends_with(".md");
    let named = is_name.then(|| Answer::File(name.to_owned()));
    named.ok_or_else(|| "expected a name that ends in .html or .md".to_owned())
}
