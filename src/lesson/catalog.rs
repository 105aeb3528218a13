//! The lessons and kernels that come with the program. A debug build reads them from the disk at
//! each look, so that an edit shows without a build.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::cells::{Cell, KernelFiles};
use super::course::OtherLessons;
use super::outline::Lesson;
use super::own_file::{is_kernel_file, lesson_of_kernels};
use super::parse::required_by;
use super::reader::CellKey;
use super::root::LessonRoot;
use crate::assets::Folder;
use crate::cuda::read_source;
use crate::source::{Diagnostic, SourceFile, nearest, read_text};

/// Why there is no lesson to show.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// No lesson has this name.
    #[error("there is no lesson `{id}`")]
    Unknown {
        /// The name asked for.
        id: String,
        /// Names near it.
        nearest: Vec<String>,
    },
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The file is not a lesson.
    #[error("{} has {} mistakes", .file.name(), .diagnostics.len())]
    Broken {
        /// The lesson's file.
        file: SourceFile,
        /// What is wrong in it.
        diagnostics: Vec<Diagnostic>,
    },
}

/// Names of all lessons, in alphabetical order.
pub fn lesson_ids() -> Vec<String> {
    let files = Folder::Lessons.paths().into_iter();
    let ids = files.filter_map(|name| name.strip_suffix(".md").map(str::to_owned));
    ids.collect()
}

/// Kernel files that come with the program, by their paths below `kernels`.
pub fn kernel_files() -> impl Iterator<Item = String> {
    Folder::Kernels.paths().into_iter().map(Cow::into_owned)
}

/// Whether `source` is the text of a kernel that comes with the program, and not one of a stranger, or changed.
pub fn comes_with_program(source: &SourceFile) -> bool {
    let name = source.name().strip_prefix("kernels/");
    // By its text: a file of that name beside a lesson may be another kernel.
    name.and_then(embedded_kernel).as_deref() == Some(source.text())
}

/// Whether a lesson's name is the path of a file: of a lesson, or of kernels.
pub fn is_lesson_file(name: &str) -> bool {
    name.ends_with(".md") || is_kernel_file(name)
}

/// The lesson called `id`.
pub fn load(id: &str) -> Result<Lesson, CatalogError> {
    let Some(text) = embedded_lesson(id) else {
        let ids = lesson_ids();
        let nearest = nearest(id, ids.iter().map(String::as_str));
        return Err(CatalogError::Unknown {
            id: id.to_owned(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
        });
    };
    with_program(|kernels, others| parse(&format!("lessons/{id}.md"), &text, kernels, others))
}

/// Calls `read` with the kernels and lessons that come with the program.
fn with_program<T>(read: impl FnOnce(&KernelFiles, &OtherLessons) -> T) -> T {
    let others = OtherLessons {
        ids: lesson_ids(),
        requires: &embedded_requirements,
    };
    let kernels = KernelFiles {
        folder: "kernels/",
        names: kernel_files().collect(),
        read: &|name| Ok(embedded_kernel(name)),
        data: &|_| Err("a lesson that comes with the program has no files of data".to_owned()),
    };
    read(&kernels, &others)
}

/// Every key that lessons may have: those that are looked for when the lessons that come with the program are read,
/// which have a cell of every kind.
pub fn cell_keys() -> Vec<CellKey> {
    let keys_of = |id: String| {
        let text = embedded_lesson(&id).unwrap_or_default();
        let file = SourceFile::new(&format!("lessons/{id}.md"), &text);
        with_program(|kernels, others| Lesson::keys_looked_for(&file, kernels, others))
    };
    let lessons: Vec<Vec<CellKey>> = lesson_ids().into_par_iter().map(keys_of).collect();
    let mut keys: Vec<CellKey> = Vec::new();
    for key in lessons.into_iter().flatten() {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The text of the lesson called `id`, or in the file of that name; nothing if it cannot be read.
pub fn lesson_text(id: &str) -> Option<SourceFile> {
    if is_lesson_file(id) {
        return Some(SourceFile::new(id, &read_text(Path::new(id)).ok()?));
    }
    let text = embedded_lesson(id)?;
    Some(SourceFile::new(&format!("lessons/{id}.md"), &text))
}

/// Every lesson by id, in the order in which they are best taken; those that do not read come last.
pub fn load_all() -> Vec<(String, Result<Lesson, CatalogError>)> {
    let lessons = lesson_ids()
        // Each lesson compiles its kernels to be checked: most of the start's time.
        .into_par_iter()
        .map(|id| (id.clone(), load(&id)))
        .collect();
    sorted(lessons)
}

/// Lessons in the order in which they are best taken, those without a place in the order that they have; those that do
/// not read come last.
pub(super) fn sorted(
    mut lessons: Vec<(String, Result<Lesson, CatalogError>)>,
) -> Vec<(String, Result<Lesson, CatalogError>)> {
    lessons.sort_by_key(|(_, lesson)| match lesson {
        Ok(lesson) => (false, lesson.course.order.unwrap_or(u32::MAX)),
        Err(_) => (true, 0),
    });
    lessons
}

/// The lesson in the file `path`, or one that runs the kernels of that file. A lesson's kernels are looked for in
/// `../kernels` beside the file's folder, in the folder itself, then among those that come with the program.
pub fn load_file(path: &Path) -> Result<Lesson, CatalogError> {
    let unreadable = |reason| CatalogError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let name = path.display().to_string();
    if is_kernel_file(&name) {
        let file = read_source(path, &[]).map_err(unreadable)?;
        let lesson = lesson_of_kernels(path, &file);
        return lesson.map_err(|diagnostics| CatalogError::Broken { file, diagnostics });
    }
    let text = read_text(path).map_err(unreadable)?;
    let root = LessonRoot::of(path);
    let kernels = KernelFiles {
        folder: "kernels/",
        names: kernel_files().collect(),
        // A lesson of one's own may run kernels that come with the program.
        read: &|name| Ok(root.kernel(name)?.or_else(|| embedded_kernel(name))),
        data: &|name| {
            let missing = || format!("there is no file `{name}` beside the lesson");
            root.file(name)?.ok_or_else(missing)
        },
    };
    let beside = lessons_beside(path);
    let requires = |id: &str| match beside.iter().any(|other| other == id) {
        true => {
            let file = root.file(&format!("{id}.md")).ok().flatten();
            let text = file.and_then(|file| read_text(&file).ok());
            text.map_or_else(Vec::new, |text| required_by(&text))
        }
        false => embedded_requirements(id),
    };
    let others = OtherLessons {
        ids: with_those(&beside),
        requires: &requires,
    };
    parse(&name, &text, &kernels, &others)
}

/// The ids of the lessons that come with the program and of those `beside` a file, each once.
fn with_those(beside: &[String]) -> Vec<String> {
    let mut ids = lesson_ids();
    ids.extend(beside.iter().cloned());
    ids.sort();
    ids.dedup();
    ids
}

/// Names of the lessons in the folder of the file `path`, itself among them.
fn lessons_beside(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".md")?.to_owned()))
        .collect()
}

/// What a lesson that comes with the program requires.
fn embedded_requirements(id: &str) -> Vec<String> {
    embedded_lesson(id).map_or_else(Vec::new, |text| required_by(&text))
}

/// The text of a lesson that comes with the program.
fn embedded_lesson(id: &str) -> Option<String> {
    Folder::Lessons.read_text(&format!("{id}.md"))
}

/// The bytes of a picture that the lesson in the file `path` shows; nothing if there is none in its folder.
pub fn lesson_picture(path: &Path, name: &str) -> Option<Vec<u8>> {
    LessonRoot::of(path).picture(name)
}

/// The files that `lesson` was read from when it came from the file `path`: it and the kernels beside it.
pub fn lesson_files(path: &Path, lesson: &Lesson) -> Vec<PathBuf> {
    if is_kernel_file(&path.to_string_lossy()) {
        return vec![path.to_owned()];
    }
    let sources = lesson.cells.iter().filter_map(Cell::source);
    let names: BTreeSet<&str> = sources
        .filter_map(|source| source.name().strip_prefix("kernels/"))
        .collect();
    let root = LessonRoot::of(path);
    let mut files: Vec<PathBuf> = names
        .into_iter()
        .filter_map(|name| root.kernel_file(name).ok().flatten())
        .collect();
    files.push(path.to_owned());
    files
}

fn embedded_kernel(name: &str) -> Option<String> {
    Folder::Kernels.read_text(name)
}

fn parse(
    name: &str,
    text: &str,
    kernels: &KernelFiles,
    others: &OtherLessons,
) -> Result<Lesson, CatalogError> {
    let file = SourceFile::new(name, text);
    match Lesson::parse(&file, kernels, others) {
        (Some(lesson), _) => Ok(lesson),
        (None, diagnostics) => Err(CatalogError::Broken { file, diagnostics }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_reads_and_is_called_as_its_file() {
        let ids = lesson_ids();
        assert!(ids.contains(&"softmax".to_owned()), "{ids:?}");
        for id in ids {
            let lesson = load(&id).unwrap_or_else(|error| panic!("{id}: {error:?}"));
            assert_eq!(lesson.id, id);
            assert!(lesson.run_cells().count() > 0, "{id} runs nothing");
        }
    }

    #[test]
    fn a_lesson_on_disk_may_require_one_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, requires: &str| {
            let front = format!(
                "+++\nid = \"{name}\"\ntitle = \"T\"\nsummary = \"S\"\nminutes = 1\n\
                 requires = [{requires}]\n+++\nText.\n"
            );
            let path = folder.path().join(format!("{name}.md"));
            std::fs::write(&path, front).expect("is written");
            path
        };
        write("first", "\"softmax\"");
        let second = write("second", "\"first\", \"softmax\"");
        let lesson = load_file(&second).expect("reads");
        assert_eq!(lesson.course.requires, ["first", "softmax"]);
        write("first", "\"second\"");
        let Err(CatalogError::Broken { diagnostics, .. }) = load_file(&second) else {
            panic!("they require each other");
        };
        assert!(diagnostics[0].message.contains("itself requires `second`"));
    }

    #[test]
    fn an_unknown_lesson_names_those_near_it() {
        let Err(CatalogError::Unknown { nearest, .. }) = load("sofmax") else {
            panic!("there is no such lesson");
        };
        assert_eq!(nearest[0], "softmax");
    }
}
