//! Predictions: answers are given, held back where somebody presents, and revealed.

use crate::app::state::{FinishedRun, Model, PredictionAction, Prompt, PromptKind, Reveal, Stage};
use crate::app::update::first_look::show_answer;
use crate::app::update::message::Effect;
use crate::app::update::runs::start;
use crate::app::update::selection::advance;
use crate::lesson::Guess;

/// Enter: answers; shows what is held; runs again what could not be shown; else goes on.
pub(crate) fn answer(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.prediction() else {
        return;
    };
    match state.stage {
        Stage::Open if model.is_asked(cell).is_err() => {
            advance(model);
        }
        // A room says its answer: nobody types it there.
        Stage::Open if cell.choices.is_empty() && model.presentation.is_none() => {
            model.popups.prompt = Some(Prompt::new(PromptKind::Prediction));
            show_question(model);
        }
        Stage::Open => take_choice(model, effects),
        Stage::Held => show(model, effects),
        Stage::Revealed => match model.reveal(cell) {
            Reveal::Known(_) => advance(model),
            Reveal::Running(..) => {}
            Reveal::Missing(_) => show(model, effects),
        },
    }
}

/// Answers with the choice pointed at. Where somebody presents, a room may have chosen without a key.
pub(crate) fn take_choice(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.open_question() else {
        return;
    };
    let choose = |choice| cell.choose(choice, &model.settings.sizes, model.gpu_in_use());
    match (state.choice, state.choice.and_then(choose)) {
        (_, Some(guess)) => give(model, Some(guess), effects),
        (None, _) if model.presentation.is_some() => give(model, None, effects),
        (None, _) => {
            let first = "choose with \u{2191} \u{2193} first; = shows the answer";
            model.notice = Some(first.to_owned());
        }
        (Some(_), None) => {
            model.notice = Some("this choice has no value at these sizes".to_owned());
        }
    }
}

/// Shows what is right, with no answer given.
pub(crate) fn skip(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.open_question().is_some() {
        give(model, None, effects);
    }
}

/// Takes an answer; it is held back where somebody presents.
pub(crate) fn give(model: &mut Model, guess: Option<Guess>, effects: &mut Vec<Effect>) {
    let presenting = model.presentation.is_some();
    let asked = (model.settings.sizes.clone(), model.gpu_in_use());
    if let Some(state) = model.prediction_state() {
        state.given = guess;
        // The answer is judged at the sizes and GPU at which it was given.
        state.asked = Some(asked);
        state.stage = Stage::Held;
    }
    // Where somebody presents, the room answers first: a second key reveals.
    if !presenting {
        show(model, effects);
    }
}

/// Lets the right answer be seen; its cell runs if it did not as is chosen now.
pub(crate) fn show(model: &mut Model, effects: &mut Vec<Effect>) {
    model.look.text_scroll = 0;
    if let Some(state) = model.prediction_state() {
        state.stage = Stage::Revealed;
    }
    let Some(id) = model.prediction().and_then(|(cell, _)| cell.runs()) else {
        return;
    };
    let is_of_now = |ran: &FinishedRun| {
        !model.is_stale(ran) && ran.result.outcome.engine == model.settings.engine
    };
    let ran = model.ran_of(id).is_some_and(is_of_now);
    let at = model.run_index(id);
    show_answer(model);
    if let (false, Some(at)) = (ran, at) {
        // What waits would run first, and the answer come much later.
        model.runs.queue.clear();
        start(model, at, effects);
    }
}

/// Points at a choice; at the one pointed at already, it answers.
pub(crate) fn select_choice(model: &mut Model, choice: usize, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.open_question() else {
        return;
    };
    let (count, at) = (cell.choices.len(), state.choice);
    if choice >= count {
        return;
    }
    if at == Some(choice) {
        return answer(model, effects);
    }
    point_at(model, choice);
}

/// Scrolls past what leads to the question: where it is answered is at the end of the text.
fn show_question(model: &mut Model) {
    model.look.text_scroll = model.look.seen.prose.max_scroll();
}

pub(crate) fn point_at(model: &mut Model, choice: usize) {
    show_question(model);
    if let Some(state) = model.prediction_state() {
        state.choice = Some(choice);
    }
}

/// Up and down among the choices of an open question, from before the first or after the last; whether
/// there were any.
pub(crate) fn step_choice(model: &mut Model, by: isize) -> bool {
    let Some((cell, state)) = model.prediction() else {
        return false;
    };
    let Some(last) = cell.choices.len().checked_sub(1) else {
        return false;
    };
    let is_open = state.stage == Stage::Open;
    let choice = match state.choice {
        Some(choice) => choice.saturating_add_signed(by).min(last),
        None if by < 0 => last,
        None => 0,
    };
    if is_open {
        point_at(model, choice);
    }
    is_open
}

/// A character typed as the beginning of an answer.
pub(crate) fn type_answer(model: &mut Model, character: char) {
    let mut prompt = Prompt::new(PromptKind::Prediction);
    prompt.push(character);
    model.popups.prompt = Some(prompt);
    show_question(model);
}

/// Does what is asked of the prediction on screen.
pub(crate) fn act(model: &mut Model, action: PredictionAction, effects: &mut Vec<Effect>) {
    match action {
        PredictionAction::Answer => answer(model, effects),
        PredictionAction::Skip => skip(model, effects),
        PredictionAction::SelectChoice(choice) => select_choice(model, choice, effects),
    }
}
