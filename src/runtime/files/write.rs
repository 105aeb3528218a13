//! The one way out to files: written at once or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::source::what;

/// Puts `text` in the place of the file `path`, whose folder is made.
///
/// # Errors
/// Those of [`write_file`].
pub fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    write_file(path, text.as_bytes(), true)
}

/// The same with a lock on the file, for as long as what it answers with is there. Nobody finds the file without it;
/// but where the system knows no locks, there is none.
///
/// # Errors
/// Those of [`write_file`].
pub(crate) fn replace_locked(path: &Path, text: &str) -> io::Result<File> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let file = written_beside(path, text.as_bytes())?;
    let _ = file.as_file().try_lock();
    file.persist(path).map_err(|error| error.error)
}

/// Writes `bytes` to the file `path`, all of them or nothing: to a file beside it, which then gets its name.
///
/// # Errors
/// `AlreadyExists` if there is such a file, unless it may be replaced; that what there is, is no regular file, which
/// is never replaced; and those of the machine.
pub fn write_file(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    let file = written_beside(path, bytes)?;
    let written = match replace {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    };
    written.map(|_| ()).map_err(|error| error.error)
}

/// A file with `bytes` beside the file `path`, which may take its place.
fn written_beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    check_target(path)?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut temporary = tempfile::Builder::new();
    let mut file = readable(&mut temporary).tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Refuses what a rename would put a file in the place of: a link, whose file would stay as it is, or a device.
fn check_target(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            let what = what(found.file_type());
            let message = format!("this is {what}, and only regular files are replaced");
            Err(io::Error::new(ErrorKind::InvalidInput, message))
        }
        // A folder that cannot be read is told of by what comes next.
        _ => Ok(()),
    }
}

/// As any program makes a file: whoever the user's mask lets read it may.
fn readable<'a, 'b, 'c>(
    temporary: &'a mut tempfile::Builder<'b, 'c>,
) -> &'a mut tempfile::Builder<'b, 'c> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        temporary.permissions(Permissions::from_mode(0o666));
    }
    temporary
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_file_is_replaced_only_where_that_was_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lesson.md");
        write_file(&path, b"one", false).expect("is new");
        let error = write_file(&path, b"two", false).expect_err("is there");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let read = || std::fs::read_to_string(&path).expect("is there");
        assert_eq!(read(), "one");
        write_file(&path, b"two", true).expect("may be replaced");
        assert_eq!(read(), "two");
        let left = std::fs::read_dir(folder.path())
            .expect("is a folder")
            .count();
        assert_eq!(left, 1, "nothing else is left behind");
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        write_file(&at("file"), b"one", false).expect("is new");
        std::os::unix::fs::symlink(at("file"), at("link")).expect("is made");
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).expect("is made");
        let pipe = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(pipe.expect("starts").success());
        for (path, says) in [
            (at("link"), "a symbolic link"),
            (at("dangling"), "a symbolic link"),
            (at("pipe"), "a pipe"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/null".into(), "a device"),
        ] {
            for replace in [false, true] {
                let why = write_file(&path, b"two", replace).expect_err("is refused");
                assert!(why.to_string().contains(says), "{}: {why}", path.display());
            }
        }
        assert_eq!(std::fs::read(at("file")).expect("is there"), b"one");
    }

    #[test]
    fn a_file_has_the_mode_that_the_mask_leaves_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| {
            let found = std::fs::metadata(at(name)).expect("is there");
            found.permissions().mode() & 0o777
        };
        std::fs::write(at("as programs do"), "").expect("is written");
        write_file(&at("ours"), b"", false).expect("is written");
        assert_eq!(mode("ours"), mode("as programs do"));
        write_file(&at("ours"), b"again", true).expect("is replaced");
        assert_eq!(mode("ours"), mode("as programs do"));
    }
}
