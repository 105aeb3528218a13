//! Where lessons come from: the program, or a folder of somebody's own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::catalog::{self, CatalogError, is_lesson_file, load_file, sorted};
use super::outline::Lesson;
use crate::assets::are_embedded;
use crate::source::read_text;

/// Lessons that belong together.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The folder of their files; nothing for those that come with the program.
    folder: Option<PathBuf>,
}

/// Where the lessons of a folder lie: in it, or in the `lessons` in it, as in a checkout.
pub fn folder_of_lessons(path: &Path) -> PathBuf {
    let inside = path.join("lessons");
    match inside.is_dir() {
        true => inside,
        false => path.to_owned(),
    }
}

impl Lessons {
    /// Those in a folder, or in the `lessons` in it, as in a checkout.
    ///
    /// # Errors
    /// That the folder cannot be read, or has none.
    pub fn in_folder(path: &Path) -> io::Result<Self> {
        let lessons = Lessons {
            folder: Some(folder_of_lessons(path)),
        };
        match lessons.files()?.is_empty() {
            true => {
                let message =
                    "it has no lessons: files that end in .md and begin with `+++` are expected";
                Err(io::Error::new(io::ErrorKind::NotFound, message))
            }
            false => Ok(lessons),
        }
    }

    /// Whether they are part of the program, and so always the same.
    pub fn are_embedded(&self) -> bool {
        self.folder.is_none() && are_embedded()
    }

    /// The file of the lesson called `id`, which may be a path itself; nothing of one that comes with the program.
    pub fn file(&self, id: &str) -> Option<PathBuf> {
        if is_lesson_file(id) {
            return Some(PathBuf::from(id));
        }
        let file = self.folder.as_ref()?.join(format!("{id}.md"));
        file.is_file().then_some(file)
    }

    /// The lesson called `id`, or in the file of that name. Beside those of a folder all that come with the program
    /// are found.
    ///
    /// # Errors
    /// Why there is none.
    pub fn load(&self, id: &str) -> Result<Lesson, CatalogError> {
        match self.file(id) {
            Some(file) => load_file(&file),
            None => catalog::load(id),
        }
    }

    /// Every lesson by id, in the order in which they are best taken; those that do not read come last.
    pub fn load_all(&self) -> Vec<(String, Result<Lesson, CatalogError>)> {
        if self.folder.is_none() {
            return catalog::load_all();
        }
        // A folder that is gone since is one without lessons.
        let files = self.files().unwrap_or_default();
        let load = |file: &PathBuf| {
            let id = file.file_stem().unwrap_or_default();
            (id.to_string_lossy().into_owned(), load_file(file))
        };
        sorted(files.iter().map(load).collect())
    }

    /// The lessons' files, by name. Other Markdown, as a README, is none of them.
    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let Some(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let is_markdown = path.extension().is_some_and(|ending| ending == "md");
            if is_markdown && read_text(&path).is_ok_and(|text| text.starts_with("+++")) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_its_own_lessons_and_finds_those_of_the_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let lessons = folder.path().join("lessons");
        fs::create_dir(&lessons).expect("is made");
        assert!(Lessons::in_folder(folder.path()).is_err());
        let front = |id: &str, order: u32| {
            format!(
                "+++\nid = \"{id}\"\ntitle = \"T\"\nsummary = \"S\"\nminutes = 1\norder = {order}\n+++\nText.\n"
            )
        };
        let texts = [
            ("a.md", front("a", 2)),
            ("b.md", front("b", 1)),
            ("c.md", "+++\nid = 1".to_owned()),
            ("README.md", "# Lessons".to_owned()),
        ];
        for (name, text) in texts {
            fs::write(lessons.join(name), text).expect("is written");
        }
        let found = Lessons::in_folder(folder.path()).expect("has lessons");
        let all = found.load_all();
        let ids: Vec<_> = all
            .iter()
            .map(|(id, lesson)| (id.as_str(), lesson.is_ok()))
            .collect();
        assert_eq!(ids, [("b", true), ("a", true), ("c", false)]);
        assert_eq!(found.load("a").expect("reads").id, "a");
        assert_eq!(
            found.load("softmax").expect("comes with the program").id,
            "softmax"
        );
        assert!(found.file("softmax").is_none());
    }
}
