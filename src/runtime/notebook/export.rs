//! Copies and files of what the notebook shows.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use super::copy_text::{cell_blocks, cell_markdown, link_text, pane_text};
use crate::app::{CopiedText, CopyTarget, ExportError, ExportedFile, Model, export_target};
use crate::document::{Form, document};
use crate::lesson::lesson_picture;
use crate::runtime::files::write_file;
use crate::runtime::terminal::{Multiplexer, copy_sequence};

/// Copies `what` of `model`: what to write to the terminal, and what to say of it.
pub(crate) fn copy(model: &Model, what: CopyTarget) -> Result<(String, CopiedText), String> {
    let (what, text) = match what {
        CopyTarget::Pane => pane_text(model)?,
        CopyTarget::Cell => cell_markdown(model)?,
        CopyTarget::Link => link_text(model),
    };
    let multiplexer = Multiplexer::detect(|name| std::env::var(name).ok());
    let sequence = copy_sequence(&what, &text, multiplexer)?;
    let bytes = text.len();
    Ok((sequence, CopiedText { what, bytes }))
}

/// Writes the lesson, which came from the file `source` if it is on disk, with the results it has.
pub(crate) fn export(
    model: &Model,
    source: Option<&Path>,
    file: String,
    replace: bool,
) -> ExportedFile {
    let cells = (0..model.cells.len()).map(|index| cell_blocks(model, index));
    let blocks = document(
        &model.lesson,
        &model.settings.sizes,
        model.gpu_in_use(),
        cells.collect(),
    );
    // The home screen may have opened another lesson since.
    let source = source.filter(|path| path.file_stem() == Some(OsStr::new(&model.lesson.id)));
    let picture = |name: &str| lesson_picture(source?, name);
    let target = export_target(&file);
    let text = target.and_then(|(name, extent)| {
        let form = Form::of_file(name)?;
        Ok((Path::new(name), form.render(&blocks, extent, &picture)))
    });
    let result = text.map_err(ExportError::Failed).and_then(|(path, text)| {
        write_file(path, text.as_bytes(), replace).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => ExportError::Exists,
            _ => ExportError::Failed(format!("{file}: {error}")),
        })?;
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok((place.display().to_string(), text.len()))
    });
    ExportedFile { file, result }
}
