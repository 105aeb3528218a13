//! Calculators: keys move the inputs, until the lesson's are asked for again.

use crate::app::state::{CalculatorAction, CalculatorState, Model, Movement, Prompt, PromptKind};
use crate::device::compute_capability;
use crate::lesson::{Input, Inputs};

/// Steps of a page key.
pub(crate) const PAGE: i64 = 8;

/// Up and down choose an input; left and right move it, pages by more, home and end to its ends.
pub(crate) fn navigate_calculator(model: &mut Model, movement: Movement) {
    let Some(state) = model.calculator_state() else {
        return;
    };
    let (input, inputs) = (state.input(), &state.inputs);
    let last = Input::ALL.len() - 1;
    // The GPU has no numbers to range over: its ends are the first and the last that one comes to.
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
    match movement {
        Movement::Up => state.chosen = state.chosen.saturating_sub(1),
        Movement::Down => state.chosen = (state.chosen + 1).min(last),
        Movement::Left => state.set(inputs.stepped(input, -1)),
        Movement::Right => state.set(inputs.stepped(input, 1)),
        Movement::PageUp => state.set(inputs.stepped(input, PAGE)),
        Movement::PageDown => state.set(inputs.stepped(input, -PAGE)),
        Movement::Home => state.set(end(false)),
        Movement::End => state.set(end(true)),
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
        // The input that was being moved stays the one that keys move.
        chosen: state.chosen,
        ..CalculatorState::new(cell, &model.settings.sizes, model.gpu_in_use())
    };
    if let Some(state) = model.calculator_state() {
        *state = fresh;
    }
    model.notice = Some("back to the numbers of the lesson".to_owned());
}

/// A digit typed on a calculator begins a new value of the chosen input.
pub(crate) fn type_input(model: &mut Model, character: char) {
    if let Some((_, state)) = model.calculator() {
        let mut prompt = Prompt::new(PromptKind::Input(state.input()));
        prompt.push(character);
        model.popups.prompt = Some(prompt);
    }
}

/// The inputs with `text` as the value of `input`; nothing if it is none.
pub(crate) fn read(model: &Model, input: Input, text: &str) -> Option<Inputs> {
    let (_, state) = model.calculator()?;
    let Some(range) = state.inputs.range(input) else {
        return Some(state.inputs.on(compute_capability(text.trim())?));
    };
    // `48 KiB` and `49,152` are read by their digits, as the question shows its numbers.
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

/// Does what is asked of the calculator on screen.
pub(crate) fn act(model: &mut Model, action: CalculatorAction) {
    match action {
        CalculatorAction::SelectInput(input) => select_input(model, input),
        CalculatorAction::SetInput(input, value) => set_input(model, input, value),
        CalculatorAction::Original => original(model),
    }
}
