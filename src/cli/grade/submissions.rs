//! The answers in a folder: whose they are, and to which exercise.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::exercises::{Course, Exercise};
use crate::cli::output::Stop;
use crate::source::{is_python, read_text};

/// A file that somebody handed in.
pub(super) struct Submission<'a> {
    /// Whose it is: the name of the folder it lies in, or of the file where files lie side by side.
    pub student: String,
    pub exercise: Exercise<'a>,
    pub file: PathBuf,
    /// What stands in the file, or why it cannot be read.
    pub text: Result<String, String>,
}

/// What a folder holds.
pub(super) struct Submissions<'a> {
    /// By student, then in the order of the exercises.
    pub all: Vec<Submission<'a>>,
    /// What is left aside, with why.
    pub left: Vec<String>,
}

impl<'a> Submissions<'a> {
    /// Those in `folder`: a folder of files for each student, as `tutor practice` has them; or, where all answer the
    /// exercise `only`, a file for each student.
    pub fn find(
        folder: &Path,
        course: &'a Course,
        only: Option<Exercise<'a>>,
    ) -> Result<Self, Stop> {
        let mut found = Submissions {
            all: Vec::new(),
            left: Vec::new(),
        };
        let read = found.read(folder, course, only);
        read.map_err(|error| Stop::Usage(format!("{}: {error}", folder.display())))?;
        let order = |of: &Submission| {
            course
                .exercises()
                .position(|other| other.id() == of.exercise.id())
        };
        found.all.sort_by_key(|of| (of.student.clone(), order(of)));
        Ok(found)
    }

    fn read(
        &mut self,
        folder: &Path,
        course: &'a Course,
        only: Option<Exercise<'a>>,
    ) -> io::Result<()> {
        for entry in entries(folder)? {
            let kind = entry.file_type()?;
            let path = entry.path();
            if kind.is_dir() {
                let student = name(&path);
                for file in entries(&path)? {
                    self.add(&student, &file, course, only)?;
                }
            } else if only.is_some() {
                self.add(&stem(&path), &entry, course, only)?;
            } else {
                // The folder is a single student's own.
                self.add(&name(&folder.canonicalize()?), &entry, course, None)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        student: &str,
        entry: &DirEntry,
        course: &'a Course,
        only: Option<Exercise<'a>>,
    ) -> io::Result<()> {
        let file = entry.path();
        let ending = file.extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("cu" | "py")) {
            return Ok(());
        }
        // A link may lead to what is nobody's answer, and the lines of it would be printed.
        let found = match entry.file_type()?.is_file() {
            true => answered(&name(&file), course, only),
            false => Err("it is not a file of its own".to_owned()),
        };
        match found {
            Ok(Some(exercise)) => self.all.push(Submission {
                student: student.to_owned(),
                exercise,
                text: read_text(&file).map_err(|error| error.to_string()),
                file,
            }),
            Ok(None) => {}
            Err(why) => self.left.push(format!("{}: {why}", file.display())),
        }
        Ok(())
    }
}

/// The exercise that the file called `name` answers, where `only` that one is graded, if there is one; nothing if it is
/// another.
fn answered<'a>(
    name: &str,
    course: &'a Course,
    only: Option<Exercise<'a>>,
) -> Result<Option<Exercise<'a>>, String> {
    let mut exercises = course.exercises();
    let of_name = exercises.find(|exercise| exercise.cell.file_name() == name);
    match (of_name, only) {
        (Some(named), Some(only)) => Ok(Some(named).filter(|named| named.id() == only.id())),
        (Some(named), None) => Ok(Some(named)),
        (None, Some(only)) if is_python(only.cell.file_name()) == is_python(name) => Ok(Some(only)),
        (None, Some(only)) => {
            let (id, file) = (only.id(), only.cell.file_name());
            Err(format!("`{id}` is answered in a file such as {file}"))
        }
        (None, None) => Err("no exercise has this name".to_owned()),
    }
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut all: Vec<DirEntry> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    all.sort_by_key(DirEntry::file_name);
    Ok(all)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
