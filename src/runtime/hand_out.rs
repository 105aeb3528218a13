//! Copies and files of what the notebook shows.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::clipboard::{Between, sequence};
use crate::report::{Form, at_hand, cell_at_hand, document, link_at_hand, shown};
use crate::session::{Copied, Copy, Model, NotWritten, Written};

/// Copies `what` of `model`: what to write to the terminal, and what to say of it.
pub(super) fn copy(model: &Model, what: Copied) -> Result<(String, Copy), String> {
    let (what, text) = match what {
        Copied::Pane => at_hand(model)?,
        Copied::Cell => cell_at_hand(model)?,
        Copied::Link => link_at_hand(model),
    };
    let between = Between::detect(|name| std::env::var(name).ok());
    let sequence = sequence(&what, &text, between)?;
    let bytes = text.len();
    Ok((sequence, Copy { what, bytes }))
}

/// Writes the lesson with the results it has.
pub(super) fn export(model: &Model, file: String, replace: bool) -> Written {
    let cells = (0..model.cells.len()).map(|index| shown(model, index));
    let blocks = document(
        &model.lesson,
        &model.sizes,
        model.gpu_in_use(),
        cells.collect(),
    );
    let text = Form::of_file(&file).map(|form| form.render(&blocks));
    let result = text.map_err(NotWritten::Failed).and_then(|text| {
        let path = Path::new(&file);
        write_file(path, &text, replace).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => NotWritten::Exists,
            _ => NotWritten::Failed(format!("{file}: {error}")),
        })?;
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok((place.display().to_string(), text.len()))
    });
    Written { file, result }
}

/// Writes `text` to the file `path`, all of it or nothing.
///
/// # Errors
/// `AlreadyExists` if there is such a file, unless it may be replaced; and those of the machine.
pub fn write_file(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    let kept = match replace {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    };
    kept.map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_where_that_was_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lesson.md");
        write_file(&path, "one", false).expect("is new");
        let error = write_file(&path, "two", false).expect_err("is there");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let read = || std::fs::read_to_string(&path).expect("is there");
        assert_eq!(read(), "one");
        write_file(&path, "two", true).expect("may be replaced");
        assert_eq!(read(), "two");
        let left = std::fs::read_dir(folder.path())
            .expect("is a folder")
            .count();
        assert_eq!(left, 1, "nothing else is left behind");
    }
}
