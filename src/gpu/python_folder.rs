//! A folder of its own for what Python reads and leaves.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;

/// A folder that goes away with this.
#[derive(Debug)]
pub(super) struct PythonFolder {
    folder: TempDir,
}

impl PythonFolder {
    pub fn new() -> io::Result<Self> {
        Ok(PythonFolder {
            folder: tempfile::tempdir()?,
        })
    }

    /// Where the file of this name stands, whether or not it is there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and says where it stands.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// A file for what a process writes.
    pub fn create(&self, name: &str) -> io::Result<File> {
        File::create(self.path(name))
    }

    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.path(name))
    }
}
