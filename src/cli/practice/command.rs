//! The command line of `tutor practice`.

use std::path::PathBuf;

use clap::Args;

use super::workbook::Workbook;
use super::{report, watch};
use crate::cli::exercises::{Course, Exercise};
use crate::cli::options::{EngineChoice, LessonsArgument};
use crate::cli::output::{Output, Stop};
use crate::cli::run::Runner;
use crate::cli::value;
use crate::device::DEFAULT_GPU;
use crate::engine::Options;
use crate::launch::Engine;
use crate::runtime::seconds_since_1970;

const EXAMPLES: &str = "\
The exercise's file is put into the folder, and checked whenever you save it in your editor: its results at many sizes,
what it counts, races, and values that were never set. Without a terminal, or with --plain or --json, it is checked once;
the exit code is 0 if it is solved.

Examples:
  tutor practice
  tutor practice guard
  tutor practice guard --hint
  tutor practice guard --plain
  tutor practice --list";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PracticeArguments {
    /// The exercise; the next one if left out.
    #[arg(value_name = "EXERCISE")]
    pub id: Option<String>,
    /// The folder for your files.
    #[arg(long, value_name = "FOLDER", default_value = "tutor-practice")]
    pub folder: PathBuf,
    /// Show a hint, one more each time.
    #[arg(long, conflicts_with_all = ["solution", "reset", "list"])]
    pub hint: bool,
    /// Show the solution, if you have solved the exercise or ask for the second time.
    #[arg(long, conflicts_with_all = ["reset", "list"])]
    pub solution: bool,
    /// Begin anew; your text is kept beside it.
    #[arg(long, conflicts_with = "list")]
    pub reset: bool,
    /// List all exercises, and how you stand with each.
    #[arg(long, conflicts_with = "id")]
    pub list: bool,
    /// Check once and print text; the default where standard output is not a terminal.
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Check once and print JSON.
    #[arg(long)]
    pub json: bool,
    /// Run an answer that is right on a real GPU as well: `gpu`, or `auto` if there is one.
    #[arg(long, value_enum, default_value_t = EngineChoice::Sim)]
    pub engine: EngineChoice,
    /// Which GPU is simulated; if left out, h200.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    #[command(flatten)]
    pub lessons: LessonsArgument,
}

/// Works on an exercise; true if it is solved, or what was asked for was shown.
pub(crate) fn practice(arguments: &PracticeArguments, output: &Output) -> Result<bool, Stop> {
    let course = Course::load(arguments.lessons.lessons()?, output)?;
    let mut book = workbook(arguments, output)?;
    if arguments.list {
        match arguments.json {
            true => output.print_json(&report::list_json(&course, &book))?,
            false => output.print(&report::list(&course, &book))?,
        }
        return Ok(true);
    }
    let exercise = match &arguments.id {
        Some(id) => Some(course.find(id)?),
        None => course.next(&book.saved, seconds_since_1970()),
    };
    let Some(exercise) = exercise else {
        output.print("All exercises are solved. `tutor practice --list` shows them.\n")?;
        return Ok(true);
    };
    match arguments {
        PracticeArguments { hint: true, .. } => watch::show_hint(exercise, &mut book),
        PracticeArguments { solution: true, .. } => watch::show_solution(exercise, &mut book),
        PracticeArguments { reset: true, .. } => watch::reset(exercise, &book),
        PracticeArguments { json: true, .. } => {
            watch::begin(exercise, &book)?;
            let checked = book.check(exercise)?;
            output.print_json(&report::json(&course, exercise, &book, &checked))?;
            Ok(checked.is_passed())
        }
        _ if output.interactive && !arguments.plain => watch::work(&course, exercise, &mut book),
        _ => once(&course, exercise, &mut book),
    }
}

/// The learner's folder, with what answers run on.
fn workbook<'a>(arguments: &PracticeArguments, output: &'a Output) -> Result<Workbook<'a>, Stop> {
    let gpu = arguments.gpu.clone();
    let options = Options {
        gpu: gpu.unwrap_or_else(|| DEFAULT_GPU.to_owned()),
        ..Options::default()
    };
    let real = match arguments.engine {
        EngineChoice::Sim => None,
        engine => {
            let runner = Runner::choose(engine, arguments.gpu.as_deref(), None, output)?;
            Some(runner).filter(|runner| runner.engine() == Engine::Gpu)
        }
    };
    let folder = arguments.folder.clone();
    Ok(Workbook::open(folder, options, real, output))
}

/// Checks the file once, and says what was found and what to do next; whether it is solved.
fn once(course: &Course, exercise: Exercise, book: &mut Workbook) -> Result<bool, Stop> {
    watch::begin(exercise, book)?;
    let checked = book.check(exercise)?;
    let passed = checked.is_passed();
    let next = report::next_step(course, exercise, book, passed);
    let asked = report::asked(course, exercise, book);
    let found = report::found(&checked);
    book.output.print(&format!("{asked}{found}\n{next}\n"))?;
    Ok(passed)
}
