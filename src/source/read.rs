//! The one way in for files that somebody names: only regular ones, and only up to a size.
//!
//! `a.cu` may be a pipe that nobody writes to, a device that never ends, or an archive of 10 GB. Opening the first
//! would wait for ever, reading the others would eat all memory: each is refused at once.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of a text: of a source, a lesson, an edit or a saved state. The longest public CUDA file that was
/// seen has a tenth of that.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// The bytes of the regular file `path`, if it has at most `most_bytes`.
///
/// # Errors
/// Those of the machine, and what `path` is instead of such a file.
pub fn read_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    read_open_file(path, most_bytes).map(|(bytes, _)| bytes)
}

/// The same with the file, which may have a lock.
///
/// # Errors
/// Those of [`read_file`].
pub fn read_open_file(path: &Path, most_bytes: u64) -> io::Result<(Vec<u8>, File)> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    let size_bytes = file.metadata()?.len();
    if size_bytes > most_bytes {
        return Err(too_long(size_bytes, most_bytes));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size_bytes).unwrap_or_default());
    // Files of `/proc` say that they have no bytes, and others may grow meanwhile.
    (&file)
        .take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most_bytes {
        true => Err(too_long(bytes.len() as u64, most_bytes)),
        false => Ok((bytes, file)),
    }
}

/// The text of the regular file `path`, of at most [`MAX_TEXT_BYTES`]. What is no UTF-8 is replaced: a comment in
/// Latin-1 is no reason not to run a kernel. The mark that some editors put before a text is left out.
///
/// # Errors
/// Those of [`read_file`].
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_file(path, MAX_TEXT_BYTES)?;
    let mut text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Opens the regular file `path` as `options` say, without waiting for anybody.
///
/// # Errors
/// Those of the machine, and what `path` is instead of a regular file.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Before it is opened: to open some devices is to use them, as a tape that rewinds.
    match fs::metadata(path) {
        Ok(found) => check_regular(found.file_type())?,
        // Whoever may create it does; for others the error below is the same.
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let file = without_waiting(options).open(path)?;
    // Another one may have taken its name since.
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;

    // Without the first, `open` of a pipe waits for somebody at its other end; without the second, a terminal may
    // become ours.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32)
}

#[cfg(not(unix))]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Refuses what is no regular file, by what it is.
pub fn check_regular(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = what(found);
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("this is {what}, and only regular files are read"),
    ))
}

/// What a file is that is no regular one.
pub fn what(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_char_device() || found.is_block_device() {
            return "a device";
        }
    }
    match (found.is_dir(), found.is_symlink()) {
        (true, _) => "a folder",
        (_, true) => "a symbolic link",
        _ => "no regular file",
    }
}

fn too_long(found: u64, most: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it has {found} bytes or more, and at most {most} are read"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.cu"), b"int \xe9;").expect("is written");
        assert_eq!(read_text(&at("a.cu")).expect("reads"), "int \u{fffd};");
        assert_eq!(read_file(&at("a.cu"), 6).expect("reads").len(), 6);
        // As long as it says, without a block on the disk.
        let sparse = File::create(at("sparse")).expect("is made");
        sparse.set_len(1 << 40).expect("is long");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), mode).expect("is made");
        std::os::unix::fs::symlink(at("pipe"), at("link")).expect("is made");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("is made");
        for (path, says) in [
            (at("a.cu"), "6 bytes or more, and at most 5"),
            (at("sparse"), "1099511627776 bytes"),
            (at("pipe"), "a pipe"),
            (at("link"), "a pipe"),
            (at("socket"), "a socket"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/tty".into(), "a device"),
            ("/proc/self/environ".into(), "at most 5"),
        ] {
            let why = read_file(&path, 5).expect_err("is refused").to_string();
            assert!(why.contains(says), "{}: {why}", path.display());
        }
        let missing = read_text(&at("missing")).expect_err("is not there");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_is_made_is_a_regular_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        open_regular(&lock, &mut options).expect("is made");
        open_regular(&lock, &mut options).expect("is there");
        let why = open_regular(folder.path(), &mut options).expect_err("is a folder");
        assert!(why.to_string().contains("a folder"), "{why}");
    }
}
