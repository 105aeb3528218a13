//! What a program that runs can reach: standard input and output, and files if it may.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::cli::progress::ProgressLine;
use crate::host::Io;
use crate::source::read_file;

/// Most bytes of a file that a program reads.
const MOST_FILE_BYTES: u64 = 1 << 30;

/// The way out of a program.
pub(super) struct ProgramIo<'a> {
    /// Where standard output is collected, in place of being passed on.
    pub collected: Option<Rc<RefCell<Vec<u8>>>>,
    /// Below which folder files may be read.
    pub files: Option<PathBuf>,
    /// The line that goes where the program writes.
    pub progress: &'a ProgressLine,
}

impl Io for ProgramIo<'_> {
    fn output(&mut self, bytes: &[u8]) {
        if let Some(collected) = &self.collected {
            collected.borrow_mut().extend_from_slice(bytes);
            return;
        }
        self.progress.clear();
        let mut stdout = io::stdout().lock();
        // Who reads may have left, as `head` does; the program goes on as it would with a full pipe of nobody.
        let _ = stdout.write_all(bytes);
        let _ = stdout.flush();
    }

    fn error(&mut self, bytes: &[u8]) {
        self.progress.clear();
        let _ = io::stderr().lock().write_all(bytes);
    }

    fn input(&mut self, bytes: &mut [u8]) -> usize {
        self.progress.clear();
        io::stdin().lock().read(bytes).unwrap_or(0)
    }

    fn file(&mut self, path: &str) -> Option<Vec<u8>> {
        let folder = self.files.as_ref()?.canonicalize().ok()?;
        let file = folder.join(Path::new(path)).canonicalize().ok()?;
        match file.starts_with(&folder) {
            true => read_file(&file, MOST_FILE_BYTES).ok(),
            false => None,
        }
    }
}
