//! Where the files of a lesson on disk are: in its own folder and in the `kernels` beside that, and nowhere else.
//!
//! A lesson may be anybody's. `source = "/etc/passwd"`, `../../.ssh/id_rsa`, or a link under `kernels` that leads
//! there would be printed and exported with it, so links are resolved before a file is read.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::source::{read_file, read_text};

/// Most bytes of a picture: it stands in the page that is exported, a third larger.
const MAX_PICTURE_BYTES: u64 = 4 << 20;

/// The folders of the lesson in a file.
pub(crate) struct LessonRoot {
    folder: PathBuf,
    /// Those that its files may lie below, without links.
    below: Vec<PathBuf>,
}

impl LessonRoot {
    /// Those of the lesson in the file `path`.
    pub fn of(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let project = folder.join("..").canonicalize();
        // Not resolved itself: a `kernels` that is a link could lead anywhere.
        let kernels = project.map(|project| project.join("kernels"));
        LessonRoot {
            below: folder.canonicalize().into_iter().chain(kernels).collect(),
            folder,
        }
    }

    /// The text of the kernel called `name`; nothing if there is none.
    ///
    /// # Errors
    /// Why it is not read.
    pub fn kernel(&self, name: &str) -> Result<Option<String>, String> {
        let Some(file) = self.kernel_file(name)? else {
            return Ok(None);
        };
        read_text(&file)
            .map(Some)
            .map_err(|error| format!("the file `{name}` cannot be read: {error}"))
    }

    /// The file of the kernel called `name`; nothing if there is none.
    ///
    /// # Errors
    /// That it lies outside.
    pub fn kernel_file(&self, name: &str) -> Result<Option<PathBuf>, String> {
        match self.resolve(&Path::new("../kernels").join(name), name) {
            // Somebody who writes one lesson keeps its kernel beside it.
            Ok(None) => self.file(name),
            found => found,
        }
    }

    /// The file called `name` in the lesson's own folder; nothing if there is none.
    ///
    /// # Errors
    /// That it lies outside.
    pub fn file(&self, name: &str) -> Result<Option<PathBuf>, String> {
        self.resolve(Path::new(name), name)
    }

    /// The bytes of the picture called `name` in the lesson's own folder; nothing if it cannot be read, or is too large
    /// for a page.
    pub fn picture(&self, name: &str) -> Option<Vec<u8>> {
        read_file(&self.file(name).ok()??, MAX_PICTURE_BYTES).ok()
    }

    /// Where `path`, from the lesson's folder, leads.
    fn resolve(&self, path: &Path, name: &str) -> Result<Option<PathBuf>, String> {
        match self.folder.join(path).canonicalize() {
            Ok(found) if self.below.iter().any(|root| found.starts_with(root)) => Ok(Some(found)),
            Ok(_) => Err(format!("`{name}` leads out of the lesson's folder")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("the file `{name}` cannot be read: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_lesson_reads_its_own_folder_and_the_kernels_beside_it_and_nothing_else() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("secret.cu"), "secret").expect("is written");
        let project = tempfile::tempdir().expect("a folder");
        let at = |name: &str| project.path().join(name);
        for folder in ["lessons", "kernels/deep", "other"] {
            fs::create_dir_all(at(folder)).expect("is made");
        }
        for file in ["kernels/deep/a.cu", "lessons/b.cu", "other/c.cu"] {
            fs::write(at(file), file).expect("is written");
        }
        symlink(at("lessons/b.cu"), at("kernels/inside.cu")).expect("is made");
        symlink(outside.path().join("secret.cu"), at("kernels/link.cu")).expect("is made");
        symlink(outside.path(), at("kernels/folder")).expect("is made");
        symlink(at("kernels/round.cu"), at("kernels/round.cu")).expect("is made");
        let root = LessonRoot::of(&at("lessons/lesson.md"));
        for (name, text) in [
            ("deep/a.cu", Some("kernels/deep/a.cu")),
            ("deep/../deep/a.cu", Some("kernels/deep/a.cu")),
            ("inside.cu", Some("lessons/b.cu")),
            ("missing.cu", None),
        ] {
            assert_eq!(root.kernel(name).as_ref().map(Option::as_deref), Ok(text));
        }
        let secret = outside.path().join("secret.cu").display().to_string();
        for name in [
            "/etc/passwd",
            "../../../../../../../../../../etc/passwd",
            "../other/c.cu",
            "link.cu",
            "folder/secret.cu",
            &secret,
        ] {
            let why = root.kernel(name).expect_err(name);
            assert!(why.contains("leads out of the lesson's folder"), "{why}");
        }
        for name in ["round.cu", "deep", "a\0b"] {
            let why = root.kernel(name).expect_err(name);
            assert!(why.contains("cannot be read"), "{why}");
        }
    }

    #[test]
    fn a_folder_of_kernels_that_is_a_link_leads_nowhere() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("secret.cu"), "secret").expect("is written");
        let project = tempfile::tempdir().expect("a folder");
        fs::create_dir(project.path().join("lessons")).expect("is made");
        symlink(outside.path(), project.path().join("kernels")).expect("is made");
        let root = LessonRoot::of(&project.path().join("lessons/lesson.md"));
        assert!(root.kernel("secret.cu").is_err());
    }
}
