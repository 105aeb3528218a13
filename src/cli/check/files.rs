//! The files that are checked: lessons, and the kernels beside them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::checked::Checked;
use crate::cli::output::Stop;
use crate::lesson::{folder_of_lessons, kernel_files, lesson_ids};

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
        let folder = folder_of_lessons(path);
        let lessons = files(&folder, "md", false)?;
        if lessons.is_empty() {
            let folder = folder.display();
            let message = format!("{folder} has no lessons: files that end in .md are expected");
            return Err(Stop::Usage(message));
        }
        // As in the repository: `lessons` and `kernels` are neighbours.
        let beside = folder.join("../kernels");
        let kernels = match beside.is_dir() {
            true => files(&beside, "cu", true)?,
            false => Vec::new(),
        };
        // As lessons name their sources: `softmax/fused.cu`.
        let name = |file: &PathBuf| {
            let name = file.strip_prefix(&beside).unwrap_or(file);
            name.display().to_string()
        };
        let lessons = lessons.iter().map(|file| file.display().to_string());
        Ok(Files {
            lessons: lessons.collect(),
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
fn files(folder: &Path, ending: &str, deep: bool) -> Result<Vec<PathBuf>, Stop> {
    let walked = folder.canonicalize().and_then(|root| {
        let mut walk = Walk {
            root,
            ending,
            deep,
            found: Vec::new(),
        };
        walk.collect(folder)?;
        Ok(walk.found)
    });
    let mut found =
        walked.map_err(|error| Stop::Usage(format!("{}: {error}", folder.display())))?;
    found.sort();
    Ok(found)
}

/// A search through a folder, which may be anybody's.
struct Walk<'a> {
    /// The folder, without links.
    root: PathBuf,
    ending: &'a str,
    deep: bool,
    found: Vec<PathBuf>,
}

impl Walk<'_> {
    fn collect(&mut self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // Links to folders are not followed: they may lead round in a circle.
            if kind.is_dir() {
                // Kernels stand in folders by lesson; lessons stand side by side.
                if self.deep {
                    self.collect(&path)?;
                }
            } else if path.extension().is_some_and(|own| own == self.ending) {
                if kind.is_symlink() && !path.canonicalize()?.starts_with(&self.root) {
                    let message = format!("the link {} leads out of it", path.display());
                    return Err(io::Error::other(message));
                }
                self.found.push(path);
            }
        }
        Ok(())
    }
}
