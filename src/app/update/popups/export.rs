//! What leaves the notebook: to the clipboard, or into a file.

use crate::app::state::{Model, Prompt, PromptKind};
use crate::app::update::message::{CopiedText, Effect, ExportError, ExportedFile};
use crate::device::grouped;
use crate::document::Extent;

/// Says what was copied, or why it was not.
pub(crate) fn take_copied(model: &mut Model, result: Result<CopiedText, String>) {
    model.notice = Some(match result {
        Ok(CopiedText { what, bytes }) => format!(
            "copied {what}: {} bytes, to the terminal's clipboard",
            grouped(bytes as u64)
        ),
        Err(why) => why,
    });
}

/// The file's name and how much goes into it, of what was typed: a name, and behind it perhaps `--answers` and `--short`.
///
/// # Errors
/// What was expected.
pub(crate) fn export_target(typed: &str) -> Result<(&str, Extent), String> {
    let mut extent = Extent::default();
    let mut name = typed.trim();
    while let Some((before, option)) = name.rsplit_once(" --") {
        match option {
            "answers" => extent.answers = true,
            "short" => extent.short = true,
            other => return Err(format!("expected --answers or --short, not --{other}")),
        }
        name = before.trim_end();
    }
    match name.ends_with(".html") || name.ends_with(".md") {
        true => Ok((name, extent)),
        false => Err("expected a name that ends in .html or .md".to_owned()),
    }
}

/// Asks for the file that the lesson and its results go to.
pub(crate) fn ask_for_file(model: &mut Model) {
    model.popups.prompt = Some(Prompt {
        // Enter alone gives a sensible file; the end of the name says in which form.
        input: format!("{}.html", model.lesson.id),
        ..Prompt::new(PromptKind::File)
    });
}

/// Writes `file`, a name and options; over one that is there only if that was said and confirmed.
pub(crate) fn write(model: &mut Model, file: String, effects: &mut Vec<Effect>) {
    let replace = model
        .popups
        .overwrites
        .take()
        .is_some_and(|name| name == file);
    effects.push(Effect::Export { file, replace });
}

/// Says where the file is, or asks again.
pub(crate) fn take_written(model: &mut Model, written: ExportedFile) {
    let ExportedFile { file, result } = written;
    let error = match result {
        Ok((place, bytes)) => {
            let bytes = grouped(bytes as u64);
            model.notice = Some(format!(
                "the lesson and its results: {place}, {bytes} bytes"
            ));
            return;
        }
        Err(ExportError::Exists) => {
            model.popups.overwrites = Some(file.clone());
            format!("{file} exists already: enter replaces it, esc does not")
        }
        Err(ExportError::Failed(why)) => why,
    };
    model.popups.prompt = Some(Prompt {
        input: file,
        error: Some(error),
        ..Prompt::new(PromptKind::File)
    });
}
