//! What leaves the notebook: to the clipboard, or into a file.

use crate::app::state::{Model, Prompt, PromptKind};
use crate::app::update::message::{Copy, Effect, NotWritten, Written};
use crate::device::grouped;

/// Says what was copied, or why it was not.
pub(crate) fn take_copied(model: &mut Model, result: Result<Copy, String>) {
    model.notice = Some(match result {
        Ok(Copy { what, bytes }) => format!(
            "copied {what}: {} bytes, to the terminal's clipboard",
            grouped(bytes as u64)
        ),
        Err(why) => why,
    });
}

/// Asks for the file that the lesson and its results go to.
pub(crate) fn ask_for_file(model: &mut Model) {
    model.prompt = Some(Prompt {
        input: format!("{}.html", model.lesson.id),
        ..Prompt::new(PromptKind::File)
    });
}

/// Writes `file`; over one that is there only if that was said and confirmed.
pub(crate) fn write(model: &mut Model, file: String, effects: &mut Vec<Effect>) {
    let replace = model.replaces.take().is_some_and(|name| name == file);
    effects.push(Effect::Export { file, replace });
}

/// Says where the file is, or asks again.
pub(crate) fn take_written(model: &mut Model, written: Written) {
    let Written { file, result } = written;
    let error = match result {
        Ok((place, bytes)) => {
            let bytes = grouped(bytes as u64);
            model.notice = Some(format!(
                "the lesson and its results: {place}, {bytes} bytes"
            ));
            return;
        }
        Err(NotWritten::Exists) => {
            model.replaces = Some(file.clone());
            format!("{file} is there: enter replaces it, esc does not")
        }
        Err(NotWritten::Failed(why)) => why,
    };
    model.prompt = Some(Prompt {
        input: file,
        error: Some(error),
        ..Prompt::new(PromptKind::File)
    });
}
