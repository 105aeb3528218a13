//! `tutor new lesson`: a lesson that runs, to be changed into one's own.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::output::{Output, Stop};
use crate::lesson::lesson_ids;
use crate::runtime::write_file;

/// What stands for the lesson's name in the templates.
const PLACEHOLDER: &str = "LESSON";

/// What the files are called behind the lesson's name, and their texts.
const TEMPLATES: [(&str, &str); 3] = [
    (".cu", include_str!("../../assets/templates/kernel.cu")),
    (
        "-by-four.cu",
        include_str!("../../assets/templates/exercise.cu"),
    ),
    (".md", include_str!("../../assets/templates/lesson.md")),
];

#[derive(Debug, Subcommand)]
pub(super) enum NewCommand {
    /// Write a small lesson with a run, a prediction and an exercise, which passes `tutor check`.
    Lesson(NewLessonArguments),
}

#[derive(Debug, Args)]
pub(super) struct NewLessonArguments {
    /// The lesson's name: small letters, digits and hyphens. It becomes the name of its files.
    #[arg(value_name = "ID", value_parser = id)]
    pub id: String,
    /// The folder of your lessons.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
}

/// A name that links and files can have.
fn id(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    match is_name {
        true if lesson_ids().iter().any(|known| known == text) => {
            Err("a lesson that comes with the program is called so".to_owned())
        }
        true => Ok(text.to_owned()),
        false => {
            Err("a name has small letters, digits and hyphens, and begins with a letter".to_owned())
        }
    }
}

/// Writes the files, unless one of them is there.
pub(super) fn create(command: &NewCommand, output: &Output) -> Result<bool, Stop> {
    let NewCommand::Lesson(arguments) = command;
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error| Stop::Failed(format!("{path}: {error}"))
    };
    // As the author would write the paths: without a dot that says nothing.
    let folder = match arguments.folder == Path::new(".") {
        true => Path::new(""),
        false => &arguments.folder,
    };
    let path = |ending| folder.join(format!("{}{ending}", arguments.id));
    let files = TEMPLATES.map(|(ending, text)| (path(ending), text));
    // Before any is written: half a lesson is no use.
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        let path = path.display();
        let message = format!("{path} is there already; choose another name");
        return Err(Stop::Usage(message));
    }
    std::fs::create_dir_all(&arguments.folder).map_err(failed(folder))?;
    let mut written = String::new();
    for (path, text) in &files {
        let text = text.replace(PLACEHOLDER, &arguments.id);
        write_file(path, text.as_bytes(), false).map_err(failed(path))?;
        written += &format!("  {}\n", path.display());
    }
    let next = next_steps(&path(".md"), &arguments.folder);
    output.print(&format!("{written}\n{next}"))?;
    Ok(true)
}

/// What to do with the lesson in `file`.
fn next_steps(file: &Path, folder: &Path) -> String {
    let (file, folder) = (file.display(), folder.display());
    let steps = [
        (
            format!("tutor open {file}"),
            "shows it, and reads it again whenever you save it",
        ),
        (
            format!("tutor check {file}"),
            "proves its counts, outputs, answers and exercise",
        ),
        (
            format!("tutor --lessons {folder}"),
            "shows all lessons of the folder",
        ),
        ("tutor help authors".to_owned(), "how a lesson is written"),
        (
            "tutor help cells".to_owned(),
            "every key of a lesson, with its meaning",
        ),
    ];
    let widest = steps.iter().map(|(command, _)| command.len()).max();
    let width = widest.unwrap_or(0);
    let lines = steps.map(|(command, what)| format!("{command:width$}  {what}\n"));
    lines.concat()
}
