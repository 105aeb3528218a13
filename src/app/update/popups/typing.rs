//! What is typed into whatever is open, and what it asks for once it is accepted.

use crate::app::state::{Action, Context, Model, PopupAction, Prompt, PromptKind};
use crate::app::update::cells::ptx::show_ptx_of;
use crate::app::update::cells::settings::{set_gpu, set_size};
use crate::app::update::cells::{calculator, comparison, prediction, restart};
use crate::app::update::editor::commands::{find, go_to_line, reset};
use crate::app::update::inspector::jump::{go_to_step, run_to_line};
use crate::app::update::inspector::selection::{place_cursor, watch};
use crate::app::update::message::Effect;
use crate::app::update::popups::answers::Answer;
use crate::app::update::popups::{answers, export, palette};
use crate::app::update::selection::go_to_cell;
use crate::launch::{Dim3, Watch};

/// Takes any key as the answer to a question that one key answers, if that is asked: `y`, and all others for a no.
/// Whether it was; to quit is no answer.
pub(crate) fn confirms(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) -> bool {
    if matches!(action, Action::Quit | Action::Suspend) {
        return false;
    }
    // Only a question that one key answers: others are typed, with `y` as a letter like any other.
    let is_asked = |prompt: &mut Prompt| prompt.kind.is_confirmation();
    let Some(asked) = model.popups.prompt.take_if(is_asked) else {
        return false;
    };
    if matches!(action, Action::Popup(PopupAction::Type('y' | 'Y'))) {
        take_answer(model, asked, effects);
    }
    true
}

/// A character typed: into what is open, or as the start of a new value in the field that is marked.
pub(crate) fn type_character(model: &mut Model, character: char) {
    if let Some(search) = &mut model.popups.palette.open {
        search.input.push(character);
        search.chosen = 0;
    } else if let Some(prompt) = &mut model.popups.prompt {
        prompt.push(character);
    // From here on nothing is open: the page decides what a digit begins.
    } else if model.is_answer_typed() {
        prediction::type_answer(model, character);
    } else if model.calculator().is_some() {
        calculator::type_input(model, character);
    } else if model.shown_uses().is_some()
        && character.is_ascii_digit()
        && model.chosen_size() < model.lesson.sizes.len()
    {
        let mut prompt = Prompt::new(PromptKind::Size(model.chosen_size()));
        prompt.push(character);
        model.popups.prompt = Some(prompt);
    }
}

/// Takes the last character back.
pub(crate) fn erase(model: &mut Model) {
    if let Some(search) = &mut model.popups.palette.open {
        search.input.pop();
        search.chosen = 0;
    } else if let Some(prompt) = &mut model.popups.prompt {
        prompt.input.pop();
        prompt.chosen = 0;
        prompt.error = None;
    }
}

/// Enter in what is open: the marked entry, whose action comes back to be done, or the answer to the
/// question.
pub(crate) fn confirm(model: &mut Model, effects: &mut Vec<Effect>) -> Option<Action> {
    if let Some(search) = &model.popups.palette.open {
        return palette::pick(model, search.chosen);
    }
    if let Some(asked) = model.popups.prompt.take() {
        take_answer(model, asked, effects);
    } else if let Some(map) = model.popups.block_map.take() {
        watch(model, map.at, effects);
    }
    None
}

/// Does what the answer typed into `asked` means; a refused one stays open with the reason.
fn take_answer(model: &mut Model, asked: Prompt, effects: &mut Vec<Effect>) {
    let answer = match answers::answer(&asked, model) {
        Ok(answer) => answer,
        Err(error) => {
            // What was typed stays, to be mended rather than typed again.
            let error = Some(error);
            model.popups.prompt = Some(Prompt { error, ..asked });
            return;
        }
    };
    match answer {
        Answer::Guess(guess) => prediction::give(model, Some(guess), effects),
        Answer::Inputs(inputs) => calculator::set(model, inputs),
        Answer::Restart => restart::restart(model, effects),
        Answer::Size(index, value) => set_size(model, index, value, effects),
        Answer::File(file) => export::write(model, file, effects),
        Answer::GutterMetric(margin) => model.look.metric = margin,
        Answer::Gpu(index) => set_gpu(model, index, effects),
        Answer::Comparison(cell) => comparison::open(model, cell),
        Answer::Cell(cell) => go_to_cell(model, cell),
        Answer::Line(line) => show_line(model, line),
        Answer::Find(wanted) => find(model, wanted),
        Answer::Reset => reset(model, effects),
        Answer::Element(row, column) => place_cursor(model, row, column),
        Answer::Step(step) => go_to_step(model, step),
        Answer::RunTo(line) => run_to_line(model, line),
        Answer::Block(block) => watch_block(model, block, effects),
    }
}

/// Goes to a line of the source, in whatever shows the source.
fn show_line(model: &mut Model, line: usize) {
    let last = model.look.seen.source.last;
    match model.context() {
        // PTX names source lines as compilers count them, from 1.
        Context::Ptx => show_ptx_of(model, line as u32 + 1),
        Context::Editor => go_to_line(model, line),
        _ => {
            if let Some(state) = model.run_state() {
                state.scroll.choose_source(line.min(last));
            }
        }
    }
}

/// Looks into another block, at the warp chosen on the map if that is open, else at the same one.
fn watch_block(model: &mut Model, block: Dim3, effects: &mut Vec<Effect>) {
    let warp = match (model.popups.block_map.take(), model.run_cell()) {
        (Some(map), _) => map.at.warp,
        (None, Some((_, state))) => state.inspector.watch.warp,
        (None, None) => return,
    };
    watch(model, Watch { block, warp }, effects);
}
