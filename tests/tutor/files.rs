//! Files that tests read: those of the project, and the fixtures among them.

use std::path::{Path, PathBuf};

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file or folder of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    root().join("tests/tutor/fixtures").join(name)
}

/// Its path as text.
pub fn fixture_path(name: &str) -> String {
    fixture(name).display().to_string()
}

/// Every kernel in a folder of the fixtures, in order of their names.
pub fn kernels_in(folder: &str) -> Vec<PathBuf> {
    let mut kernels = files_under(&fixture(folder));
    kernels.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    assert!(!kernels.is_empty(), "no fixtures in {folder}");
    kernels
}

/// Every file under `folder`, deeper ones too, in order of their paths.
pub fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("is a folder");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("is readable").path();
        match path.is_dir() {
            true => found.extend(files_under(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}
