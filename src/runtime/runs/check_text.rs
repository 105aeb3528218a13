//! A learner's text checked against its exercise.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::{AnswerCheck, CheckedText, Msg};
use crate::engine::{Control, Options};
use crate::lesson::{Cell, CheckError, check_answer};
use crate::runtime::clock::seconds_since_1970;

/// Checks it; nothing once it is cancelled.
pub(crate) fn check_text(asked: AnswerCheck, cancel: &AtomicBool) -> Option<Msg> {
    let Some(Cell::Exercise(exercise)) = asked.lesson.cells.get(asked.cell) else {
        return None;
    };
    let options = Options {
        gpu: asked.gpu,
        ..Options::default()
    };
    let control = Control {
        cancel,
        ..Control::default()
    };
    let found = check_answer(&asked.lesson, exercise, &asked.text, &options, &control);
    if let Err(CheckError::Cancelled) = found {
        return None;
    }
    Some(Msg::AnswerChecked(CheckedText {
        id: exercise.id().to_owned(),
        text: asked.text,
        found: found.map(Arc::new).map_err(|error| error.to_string()),
        at: seconds_since_1970(),
    }))
}
