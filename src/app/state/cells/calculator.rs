//! Calculators: the inputs as the learner has moved them.

use crate::app::state::{Action, CellState, Model, Prompt, PromptKind};
use crate::device::{Gpu, compute_capabilities, compute_capability, grouped};
use crate::lesson::{CalculatorCell, Cell, Input, Inputs, Sizes};

/// A calculator as the notebook holds it.
#[derive(Clone, Debug)]
pub struct CalculatorState {
    /// What goes in.
    pub inputs: Inputs,
    /// Which of [`Input::ALL`] keys move.
    pub chosen: usize,
    /// Whether the learner has moved one: from then on they do not follow the lesson's sizes.
    pub moved: bool,
}

impl CalculatorState {
    /// The calculator as the lesson has it, at `sizes` on `gpu`.
    pub fn new(cell: &CalculatorCell, sizes: &Sizes, gpu: &Gpu) -> Self {
        CalculatorState {
            inputs: cell.inputs(sizes, gpu),
            chosen: 0,
            moved: false,
        }
    }

    /// Takes other sizes, unless the learner has taken over.
    pub(crate) fn follow(&mut self, cell: &CalculatorCell, sizes: &Sizes, gpu: &Gpu) {
        if !self.moved {
            self.inputs = cell.inputs(sizes, gpu);
        }
    }

    fn set(&mut self, inputs: Inputs) {
        self.moved = true;
        self.inputs = inputs;
    }

    /// What keys move.
    pub fn input(&self) -> Input {
        Input::ALL
            .get(self.chosen)
            .copied()
            .unwrap_or(Input::Threads)
    }
}

/// Steps of a page key.
const PAGE: i64 = 8;

impl Model {
    /// The calculator on screen and its state, if it is one.
    pub fn calculator(&self) -> Option<(&CalculatorCell, &CalculatorState)> {
        match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
            (Cell::Calculator(cell), CellState::Calculator(state)) => Some((cell, state)),
            _ => None,
        }
    }

    fn calculator_state(&mut self) -> Option<&mut CalculatorState> {
        match self.cells.get_mut(self.at)? {
            CellState::Calculator(state) => Some(state),
            _ => None,
        }
    }
}

/// Up and down choose an input; left and right move it, pages by more, home and end to its ends.
pub(crate) fn travel_calculator(model: &mut Model, action: &Action) {
    let Some(state) = model.calculator_state() else {
        return;
    };
    let (input, inputs) = (state.input(), &state.inputs);
    let last = Input::ALL.len() - 1;
    let end = |most: bool| match inputs.range(input) {
        Some(range) => inputs.with(input, if most { range.max } else { range.min }),
        None => inputs.stepped(
            input,
            if most {
                i64::from(u8::MAX)
            } else {
                -i64::from(u8::MAX)
            },
        ),
    };
    match action {
        Action::Up => state.chosen = state.chosen.saturating_sub(1),
        Action::Down => state.chosen = (state.chosen + 1).min(last),
        Action::Left => state.set(inputs.stepped(input, -1)),
        Action::Right => state.set(inputs.stepped(input, 1)),
        Action::PageUp => state.set(inputs.stepped(input, PAGE)),
        Action::PageDown => state.set(inputs.stepped(input, -PAGE)),
        Action::Home => state.set(end(false)),
        Action::End => state.set(end(true)),
        _ => {}
    }
}

pub(crate) fn select_input(model: &mut Model, input: usize) {
    if let Some(state) = model.calculator_state() {
        state.chosen = input.min(Input::ALL.len() - 1);
    }
}

/// Gives an input a value, and chooses it.
pub(crate) fn set_input(model: &mut Model, input: usize, value: u32) {
    select_input(model, input);
    if let Some(state) = model.calculator_state() {
        state.set(state.inputs.with(state.input(), value));
    }
}

/// The inputs as the lesson has them.
pub(crate) fn original(model: &mut Model) {
    let Some((cell, state)) = model.calculator() else {
        return;
    };
    let fresh = CalculatorState {
        chosen: state.chosen,
        ..CalculatorState::new(cell, &model.sizes, model.gpu_in_use())
    };
    if let Some(state) = model.calculator_state() {
        *state = fresh;
    }
    model.notice = Some("the numbers of the lesson again".to_owned());
}

/// A digit typed on a calculator begins a new value of the chosen input.
pub(crate) fn type_input(model: &mut Model, character: char) {
    if let Some((_, state)) = model.calculator() {
        let mut prompt = Prompt::new(PromptKind::Input(state.input()));
        prompt.push(character);
        model.prompt = Some(prompt);
    }
}

/// What is asked of `input`, with the answers that are taken.
pub(crate) fn question(model: &Model, input: Input) -> String {
    let inputs = model.calculator().map(|(_, state)| &state.inputs);
    match inputs.and_then(|inputs| inputs.range(input)) {
        Some(range) => {
            format!(
                "{} ({} to {})",
                input.name(),
                grouped(range.min.into()),
                grouped(range.max.into())
            )
        }
        None => {
            let all: Vec<&str> = compute_capabilities().map(|row| row.cc.as_str()).collect();
            let ends = (all.first(), all.last());
            match ends {
                (Some(first), Some(last)) => format!("{} ({first} to {last})", input.name()),
                _ => input.name().to_owned(),
            }
        }
    }
}

/// The inputs with `text` as the value of `input`; nothing if it is none.
pub(crate) fn read(model: &Model, input: Input, text: &str) -> Option<Inputs> {
    let (_, state) = model.calculator()?;
    let Some(range) = state.inputs.range(input) else {
        return Some(state.inputs.on(compute_capability(text.trim())?));
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let value = digits.parse::<u32>().ok()?;
    (range.min..=range.max)
        .contains(&value)
        .then(|| state.inputs.with(input, value))
}

pub(crate) fn set(model: &mut Model, inputs: Inputs) {
    if let Some(state) = model.calculator_state() {
        state.set(inputs);
    }
}
