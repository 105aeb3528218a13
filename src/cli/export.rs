//! `tutor export`.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::{EngineArguments, LessonsArgument};
use super::output::{Output, Stop};
use super::run::{Cells, Runner, load_lesson};
use super::value;
use crate::document::{self, Extent, Form};
use crate::lesson::lesson_picture;
use crate::runtime::write_file;

const EXAMPLES: &str = "\
Examples:
  tutor export softmax > softmax.md
  tutor export softmax --out softmax.html --size M=64 --engine sim
  tutor export softmax --out handout.html --short";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExportArguments {
    /// The lesson's name (`tutor list` shows them), or the path of a lesson's .md file.
    pub id: String,
    /// The format; if left out, the ending of --out's FILE decides, else it is Markdown.
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Choose a size, such as M=4096; may be given several times.
    #[arg(long = "size", value_name = "NAME=VALUE", value_parser = value::size)]
    pub sizes: Vec<(String, u64)>,
    /// Show the answers to questions; otherwise a page of HTML folds them until somebody clicks.
    #[arg(long)]
    pub answers: bool,
    /// Only questions, code and pictures, without the evidence behind the numbers.
    #[arg(long)]
    pub short: bool,
    #[command(flatten)]
    pub lessons: LessonsArgument,
    #[command(flatten)]
    pub on: EngineArguments,
}

/// A form of an exported lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Markdown, as forges show it.
    Md,
    /// One page that needs no other file and no network.
    Html,
}

impl From<Format> for Form {
    fn from(format: Format) -> Self {
        match format {
            Format::Md => Form::Markdown,
            Format::Html => Form::Html,
        }
    }
}

/// Runs every cell, and writes the lesson down with what they gave.
pub(super) fn export(arguments: &ExportArguments, output: &Output) -> Result<bool, Stop> {
    let form = form(arguments)?;
    let lessons = arguments.lessons.lessons()?;
    let lesson = load_lesson(&lessons, &arguments.id, output)?;
    let sizes = lesson
        .sizes_with(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let mut runner = Runner::new(&arguments.on, output)?;
    let mut run = Cells::new(&lesson, &sizes, &mut runner, output);
    let mut cells = Vec::new();
    let mut all_right = true;
    for cell in &lesson.cells {
        // A wrong result is written as well, and says so: the exit code tells scripts.
        let mut shown = run.show(cell, |content| content.blocks())?;
        if let Some((of, result)) = &shown.ran {
            shown.content.extend(document::diagnostics(of, result));
        }
        all_right &= shown.failed.is_none();
        cells.push(shown.content);
    }
    let blocks = document::document(&lesson, &sizes, run.gpu(), cells);
    // A lesson that comes with the program has no pictures.
    let file = lessons.file(&arguments.id);
    let picture = |name: &str| lesson_picture(file.as_deref()?, name);
    let extent = Extent {
        answers: arguments.answers,
        short: arguments.short,
    };
    write(arguments, &form.render(&blocks, extent, &picture), output)?;
    if !all_right {
        output.message("not everything is right; the document says what is wrong");
    }
    Ok(all_right)
}

/// The form that is asked for, by name or by the end of the file's.
fn form(arguments: &ExportArguments) -> Result<Form, Stop> {
    match (arguments.format, &arguments.out) {
        (Some(format), _) => Ok(format.into()),
        (None, Some(file)) => Form::of_file(&file.to_string_lossy())
            .map_err(|error| Stop::Usage(format!("{error}, or give --format"))),
        // What a pipe takes best.
        (None, None) => Ok(Format::Md.into()),
    }
}

fn write(arguments: &ExportArguments, text: &str, output: &Output) -> Result<(), Stop> {
    let Some(file) = &arguments.out else {
        return Ok(output.print(text)?);
    };
    let name = file.display();
    // All of it or nothing, and never over a file without being told to: it may be somebody's notes.
    write_file(file, text.as_bytes(), arguments.force).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Stop::Usage(format!("{name} exists already: --force replaces it"))
        }
        _ => Stop::Failed(format!("{name}: {error}")),
    })?;
    let bytes = document::thousands(text.len() as u64);
    output.message(&format!("{name}: {bytes} bytes"));
    Ok(())
}
