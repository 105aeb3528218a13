//! Predictions: an answer is given, then the run shows what is right.
//!
//! Invariants: nothing of the right answer is known to the views before [`Stage::Revealed`]; an answer
//! that was given stays, whatever runs later.

use crate::app::state::{CellState, Effect, Model, Prompt, PromptKind, Ran};
use crate::app::update::start;
use crate::device::Gpu;
use crate::launch::Engine;
use crate::lesson::{Cell, CellResult, Guess, PredictionCell, Sizes, Truth};

/// A prediction as the notebook holds it.
#[derive(Clone, Debug, Default)]
pub struct PredictionState {
    /// The choice pointed at; nothing until the learner points at one.
    pub choice: Option<usize>,
    /// What the learner answered; nothing where the question was skipped, or is open.
    pub given: Option<Guess>,
    /// The sizes and the GPU that it was asked of; nothing where that was in an earlier session.
    asked: Option<(Sizes, &'static Gpu)>,
    /// How far it is.
    pub stage: Stage,
    /// First line on screen.
    pub scroll: usize,
}

/// How far a prediction is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// No answer yet.
    #[default]
    Open,
    /// Answered, and held until somebody asks to see.
    Held,
    /// What is right may be seen.
    Revealed,
}

/// What is known of the right answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Reveal {
    /// Its cell runs: blocks done, of all.
    Running(u64, u64),
    /// There is none, and why.
    Missing(String),
    /// It is known.
    Known(Truth),
}

impl Model {
    /// The prediction on screen and its state, if it is one.
    pub fn prediction(&self) -> Option<(&PredictionCell, &PredictionState)> {
        match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
            (Cell::Prediction(cell), CellState::Prediction(state)) => Some((cell, state)),
            _ => None,
        }
    }

    fn prediction_state(&mut self) -> Option<&mut PredictionState> {
        match self.cells.get_mut(self.at)? {
            CellState::Prediction(state) => Some(state),
            _ => None,
        }
    }

    /// The index of the run cell called `id`.
    fn run_index(&self, id: &str) -> Option<usize> {
        let is = |cell: &Cell| matches!(cell, Cell::Run(run) if run.id == id);
        self.lesson.cells.iter().position(is)
    }

    /// The last run of the cell called `id`.
    fn ran_of(&self, id: &str) -> Option<&Ran> {
        match self.cells.get(self.run_index(id)?)? {
            CellState::Run(state) => state.ran.as_deref(),
            _ => None,
        }
    }

    /// The last result of the run cell called `id`.
    pub fn result_of(&self, id: &str) -> Option<&CellResult> {
        Some(&self.ran_of(id)?.result)
    }

    /// Whether the prediction on screen shows what is right: from there on it is text to be read.
    pub(crate) fn is_told(&self) -> bool {
        self.prediction().is_some_and(|(cell, state)| {
            state.stage == Stage::Revealed && matches!(self.reveal(cell), Reveal::Known(_))
        })
    }

    /// Whether `cell` can be asked.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn is_asked(&self, cell: &PredictionCell) -> Result<(), String> {
        let (real, samples) = (self.engine == Engine::Gpu, self.samples.all());
        cell.is_asked(&self.lesson, &self.sizes, real, samples)
    }

    /// The question on screen and its state, while an answer to it can be given.
    fn open_question(&self) -> Option<(&PredictionCell, &PredictionState)> {
        let open = self.prediction()?;
        (open.1.stage == Stage::Open && self.is_asked(open.0).is_ok()).then_some(open)
    }

    /// The sizes and the GPU that `cell` was asked of: an answer that was given is not held against others.
    fn asked_of(&self, cell: &PredictionCell) -> (&Sizes, &'static Gpu) {
        let at = |of: &Cell| matches!(of, Cell::Prediction(other) if other.id == cell.id);
        let at = self.lesson.cells.iter().position(at);
        match at.and_then(|at| self.cells.get(at)) {
            Some(CellState::Prediction(PredictionState {
                asked: Some((sizes, gpu)),
                ..
            })) => (sizes, gpu),
            _ => (&self.sizes, self.gpu_in_use()),
        }
    }

    /// What is known of the right answer to `cell`.
    pub fn reveal(&self, cell: &PredictionCell) -> Reveal {
        let run = cell.runs().and_then(|id| self.run_index(id));
        if let Some(CellState::Run(state)) = run.and_then(|at| self.cells.get(at)) {
            if let Some((done, blocks)) = state.blocks_done() {
                return Reveal::Running(done, blocks);
            }
            if let Some(error) = &state.error {
                return Reveal::Missing(error.clone());
            }
            if let Err(error) = &state.plan {
                return Reveal::Missing(error.clone());
            }
        }
        let result = cell.runs().and_then(|id| self.result_of(id));
        let (sizes, gpu) = self.asked_of(cell);
        match cell.truth(sizes, gpu, result) {
            Ok(truth) => Reveal::Known(truth),
            Err(why) => Reveal::Missing(why),
        }
    }
}

/// Enter: answers; shows what is held; runs again what could not be shown; else goes on.
pub(crate) fn answer(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.prediction() else {
        return;
    };
    match state.stage {
        Stage::Open if model.is_asked(cell).is_err() => {
            crate::app::update::selection::go_to_cell(model, model.at + 1);
        }
        Stage::Open if cell.choices.is_empty() => {
            model.prompt = Some(Prompt::new(PromptKind::Prediction));
        }
        Stage::Open => take_choice(model, effects),
        Stage::Held => show(model, effects),
        Stage::Revealed => match model.reveal(cell) {
            Reveal::Known(_) => crate::app::update::selection::go_to_cell(model, model.at + 1),
            Reveal::Running(..) => {}
            Reveal::Missing(_) => show(model, effects),
        },
    }
}

/// Answers with the choice pointed at. Where somebody presents, a room may have chosen without a key.
fn take_choice(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.open_question() else {
        return;
    };
    let choose = |choice| cell.choose(choice, &model.sizes, model.gpu_in_use());
    match (state.choice, state.choice.and_then(choose)) {
        (_, Some(guess)) => give(model, Some(guess), effects),
        (None, _) if model.presentation.is_some() => give(model, None, effects),
        (None, _) => {
            let first = "choose with \u{2191} \u{2193} or a digit first; s shows what is right";
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
    let asked = (model.sizes.clone(), model.gpu_in_use());
    if let Some(state) = model.prediction_state() {
        state.given = guess;
        state.asked = Some(asked);
        state.stage = Stage::Held;
    }
    if !presenting {
        show(model, effects);
    }
}

/// Lets the right answer be seen; its cell runs if it did not as is chosen now.
fn show(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(state) = model.prediction_state() {
        state.stage = Stage::Revealed;
    }
    let Some(id) = model.prediction().and_then(|(cell, _)| cell.runs()) else {
        return;
    };
    let is_of_now = |ran: &Ran| !model.is_stale(ran) && ran.result.outcome.engine == model.engine;
    let ran = model.ran_of(id).is_some_and(is_of_now);
    if let (false, Some(at)) = (ran, model.run_index(id)) {
        model.queue.clear();
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

fn point_at(model: &mut Model, choice: usize) {
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

/// A character typed on a question: the number of a choice, or the beginning of an answer.
pub(crate) fn type_answer(model: &mut Model, character: char) {
    let Some((cell, _)) = model.open_question() else {
        return;
    };
    if cell.choices.is_empty() {
        let mut prompt = Prompt::new(PromptKind::Prediction);
        prompt.push(character);
        model.prompt = Some(prompt);
        return;
    }
    let number = character.to_digit(10).map(|digit| digit as usize);
    let count = cell.choices.len();
    if let Some(number) = number.filter(|number| (1..=count).contains(number)) {
        point_at(model, number - 1);
    }
}
