//! Files written at once or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Puts `text` in the place of the file `path`, whose folder is made.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    write_file(path, text, true)
}

/// Writes `text` to the file `path`, all of it or nothing: to a file beside it, which then gets its name.
///
/// # Errors
/// `AlreadyExists` if there is such a file, unless it may be replaced; and those of the machine.
pub fn write_file(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    let written = match replace {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    };
    written.map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

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
