//! Folding cells away, and starting the lesson over.

use crate::app::state::{CellState, Focus, Fold, Model, Prompt, PromptKind};
use crate::app::update::message::Effect;
use crate::app::update::runs::stop;

/// Folds more of the cell on screen: the output of a run, then the whole cell; then opens it.
pub(crate) fn fold(model: &mut Model) {
    let is_run = model.run_cell().is_some();
    let (fold, said) = match model.fold(model.at) {
        Fold::Open if is_run => (Fold::Output, "output folded; o folds the whole cell"),
        Fold::Open | Fold::Output => (Fold::Whole, "cell folded; Z opens it"),
        Fold::Whole => (Fold::Open, "cell opened"),
    };
    model.set_fold(fold);
    model.notice = Some(said.to_owned());
    if is_run && fold == Fold::Output {
        model.look.focus = Focus::Source;
    }
}

/// Asks whether to start the lesson over.
pub(crate) fn ask_restart(model: &mut Model) {
    model.popups.prompt = Some(Prompt::new(PromptKind::Restart));
}

/// Forgets every result, answer and size; the place, the watched warps and the GPU stay.
pub(crate) fn restart(model: &mut Model, effects: &mut Vec<Effect>) {
    stop(model, effects);
    model.runs.queue.clear();
    let lesson = model.lesson.clone();
    model.settings.sizes = lesson.first_sizes();
    let gpu = model.gpu_in_use();
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        let mut fresh = CellState::fresh(cell, &model.settings.sizes, gpu);
        if let (CellState::Run(old), CellState::Run(new)) = (&*state, &mut fresh) {
            new.inspector.watch = old.inspector.watch;
        }
        *state = fresh;
    }
    model.look.folds.clear();
    model.notice = Some("started over: nothing has run".to_owned());
}
