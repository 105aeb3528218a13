//! The files that come with the program: lessons, kernels, recordings and PTX.
//!
//! A release build holds them compressed (`build.rs` makes the table) and inflates one when it is asked for. A build
//! without optimisation reads them from the source tree at each call, so that a lesson can be edited while it is shown.

use std::borrow::Cow;
use std::path::{Component, Path};

use crate::source::read_file;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Most bytes of a file that is read from the source tree.
const MAX_BYTES: u64 = 256 << 20;

/// A folder of files that come with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// `lessons/`: one Markdown file a lesson.
    Lessons,
    /// `kernels/`: the CUDA sources that lessons run.
    Kernels,
    /// `assets/recordings/`: what real GPUs gave for the lessons.
    Recordings,
    /// `assets/ptx/`: what NVRTC made of the kernels.
    Ptx,
}

/// Whether the program holds its files, as a release build does.
pub fn are_embedded() -> bool {
    !FILES.is_empty()
}

impl Folder {
    /// Its path from the root of the source tree, with `/` at its end.
    fn prefix(self) -> &'static str {
        match self {
            Folder::Lessons => "lessons/",
            Folder::Kernels => "kernels/",
            Folder::Recordings => "assets/recordings/",
            Folder::Ptx => "assets/ptx/",
        }
    }

    /// Paths of its files below it, with `/` between their parts, in order.
    pub fn paths(self) -> Vec<Cow<'static, str>> {
        if !are_embedded() {
            let root = source_root().join(self.prefix());
            let mut found = Vec::new();
            collect(&root, &root, &mut found);
            found.sort();
            return found.into_iter().map(Cow::Owned).collect();
        }
        let paths = FILES.iter();
        let paths = paths.filter_map(|(path, _)| path.strip_prefix(self.prefix()));
        paths.map(Cow::Borrowed).collect()
    }

    /// The bytes of the file at `path` below it; nothing where there is no such file.
    pub fn read(self, path: &str) -> Option<Vec<u8>> {
        let path = format!("{}{path}", self.prefix());
        if !are_embedded() {
            // As in the table, nothing outside the folder can be named.
            let is_below = Path::new(&path)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            let path = source_root().join(path);
            return is_below.then(|| read_file(&path, MAX_BYTES).ok())?;
        }
        let (_, deflated) = FILES.iter().find(|(name, _)| *name == path)?;
        let inflated = miniz_oxide::inflate::decompress_to_vec(deflated);
        Some(inflated.expect("the build script deflated it"))
    }

    /// The text of the file at `path` below it.
    pub fn read_text(self, path: &str) -> Option<String> {
        let bytes = self.read(path)?;
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    }
}

/// The tree that this was built from.
fn source_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the files under `folder` to `found`, by their paths below `root`.
fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(root, &path, found);
        } else if let Ok(below) = path.strip_prefix(root) {
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            found.push(parts.join("/"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_has_files_and_each_can_be_read() {
        for folder in [
            Folder::Lessons,
            Folder::Kernels,
            Folder::Recordings,
            Folder::Ptx,
        ] {
            let paths = folder.paths();
            assert!(paths.len() >= 15, "{folder:?}");
            assert!(paths.is_sorted(), "{folder:?}");
            assert!(paths.iter().all(|path| folder.read(path).is_some()));
        }
        assert!(Folder::Lessons.read_text("softmax.md").is_some());
        assert_eq!(Folder::Lessons.read("nothing.md"), None);
        assert_eq!(Folder::Lessons.read("../Cargo.toml"), None);
    }
}
