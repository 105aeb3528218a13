//! The command line of `tutor grade`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use serde::Deserialize;

use super::alike::without_names;
use super::report::{self, Graded};
use super::submissions::{Submission, Submissions};
use super::worker::{self, Found, Limits};
use crate::cli::exercises::Course;
use crate::cli::options::LessonsArgument;
use crate::cli::output::{Output, Stop};
use crate::cli::value;
use crate::device::DEFAULT_GPU;
use crate::source::SourceFile;

const HELP: &str = "\
FOLDER has a folder for each student with files as `tutor practice` makes them, such as ada/guard.cu. With --exercise it
may also have a file for each student, such as ada.cu. Answers run on the simulated GPU only, each in a process with
limits of time and memory, and are checked as `tutor practice` checks them. Answers that differ in comments, blanks and names
of variables alone are shown together; short exercises have few other answers, so that says little by itself.

Examples:
  tutor grade handed-in
  tutor grade handed-in --exercise guard --csv > guard.csv
  tutor grade handed-in --lessons my-course --json";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct GradeArguments {
    /// The folder with what was handed in.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Grade answers to this exercise alone.
    #[arg(long, value_name = "ID")]
    pub exercise: Option<String>,
    /// Print CSV, a row for each answer.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub limits: Limits,
    /// Which GPU is simulated; if left out, h200.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    #[command(flatten)]
    pub lessons: LessonsArgument,
}

/// Checks every answer; true if each could be judged, whatever it is worth.
pub(crate) fn grade(arguments: &GradeArguments, output: &Output) -> Result<bool, Stop> {
    let course = Course::load(arguments.lessons.lessons()?, output)?;
    let only = arguments.exercise.as_deref();
    let only = only.map(|id| course.find(id)).transpose()?;
    let found = Submissions::find(&arguments.folder, &course, only)?;
    for left in &found.left {
        output.message(&format!("not graded: {left}"));
    }
    if found.all.is_empty() {
        let folder = arguments.folder.display();
        let message =
            format!("{folder} has no answers: files such as STUDENT/guard.cu are expected");
        return Err(Stop::Usage(message));
    }
    let alike = alike(&found.all);
    // Beside each other: each is a process with one thread.
    let answers = found.all.par_iter().zip(alike);
    let graded: Vec<Graded> = answers
        .map(|(submission, alike)| graded(arguments, &course, submission, alike))
        .collect();
    match (arguments.csv, arguments.json) {
        (true, _) => output.print(&report::csv(&graded)?)?,
        (_, true) => output.print_json(&report::json(&graded, &found.left))?,
        _ => output.print(&report::plain(&graded))?,
    }
    Ok(graded.iter().all(|graded| graded.found.is_ok()))
}

fn graded<'a>(
    arguments: &GradeArguments,
    course: &Course,
    submission: &'a Submission<'a>,
    alike: Vec<String>,
) -> Graded<'a> {
    let lesson = course.lesson_argument(submission.exercise);
    let gpu = arguments.gpu.as_deref().unwrap_or(DEFAULT_GPU);
    let json = worker::check(submission, &lesson, gpu, &arguments.limits);
    let found = json.as_ref().map_err(Clone::clone).and_then(|json| {
        let found = Found::deserialize(json);
        found.map_err(|error| format!("the check said something else: {error}"))
    });
    Graded {
        submission,
        found,
        json: json.ok(),
        alike,
    }
}

/// For each answer, who else has the same but for names.
fn alike(all: &[Submission]) -> Vec<Vec<String>> {
    let said: Vec<String> = all
        .iter()
        .map(|of| {
            let text = of.text.as_deref().unwrap_or_default();
            without_names(&SourceFile::new(&of.exercise.cell.file_name(), text))
        })
        .collect();
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    let key = |at: usize| (all[at].exercise.id(), said[at].as_str());
    for (at, of) in all.iter().enumerate() {
        groups.entry(key(at)).or_default().push(&of.student);
    }
    let others = all.iter().enumerate().map(|(at, of)| {
        let same = groups[&key(at)]
            .iter()
            .filter(|student| **student != of.student);
        same.map(|student| (*student).to_owned()).collect()
    });
    others.collect()
}
