//! The files that are checked: lessons, and the kernels beside them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::lesson::Checked;
use crate::cli::output::Stop;
use crate::lesson::{kernel_files, lesson_ids};

/// What is checked.
pub(super) struct Files {
    /// Names of lessons, or paths of their files, as `tutor run lesson` takes them.
    pub lessons: Vec<String>,
    /// Kernel files that have to belong to one of them, as `softmax/fused.cu`.
    kernels: BTreeSet<String>,
}

impl Files {
    /// What comes with the program.
    pub fn built_in() -> Self {
        Files {
            lessons: lesson_ids(),
            kernels: kernel_files().collect(),
        }
    }

    /// A lesson's file alone, or the lessons of a folder (in itself or in its `lessons`) with all files
    /// of the `kernels` beside them.
    pub fn at(path: &Path) -> Result<Self, Stop> {
        if !path.is_dir() {
            return Ok(Files {
                lessons: vec![path.display().to_string()],
                kernels: BTreeSet::new(),
            });
        }
        let inside = path.join("lessons");
        let folder = if inside.is_dir() {
            inside
        } else {
            path.to_owned()
        };
        let all = |folder: &Path, ending: &str, deep| {
            let found = files(folder, ending, deep);
            found.map_err(|error| Stop::Usage(format!("{}: {error}", folder.display())))
        };
        let lessons = all(&folder, "md", false)?;
        if lessons.is_empty() {
            let folder = folder.display();
            let message = format!("{folder} has no lessons: files that end in .md are expected");
            return Err(Stop::Usage(message));
        }
        let beside = folder.join("../kernels");
        let kernels = if beside.is_dir() {
            all(&beside, "cu", true)?
        } else {
            Vec::new()
        };
        let name = |file: &PathBuf| {
            let name = file.strip_prefix(&beside).unwrap_or(file);
            name.display().to_string()
        };
        Ok(Files {
            lessons: lessons
                .iter()
                .map(|file| file.display().to_string())
                .collect(),
            kernels: kernels.iter().map(name).collect(),
        })
    }

    /// What of the kernels no lesson shows or runs, in words.
    pub fn orphans(&self, checked: &[Checked]) -> Vec<String> {
        let shown: BTreeSet<&String> = checked.iter().flat_map(|checked| &checked.files).collect();
        let orphans = self.kernels.iter().filter(|file| !shown.contains(file));
        orphans
            .map(|file| format!("kernels/{file}: no lesson shows or runs it"))
            .collect()
    }
}

/// Files in `folder` whose names end so, in order; those in folders below it too if `deep`.
fn files(folder: &Path, ending: &str, deep: bool) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if deep {
                found.extend(files(&path, ending, deep)?);
            }
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
