//! What can be timed: figures of lessons that have a name for it.

use crate::cli::output::{Output, Stop};
use crate::cli::run::load_lessons;
use crate::lesson::{FigureCell, Lesson, Lessons};
use crate::source::nearest;

/// A figure whose points are timed.
pub(super) struct Operation {
    /// What it is called on the command line.
    pub name: String,
    /// Its lesson.
    pub lesson: Lesson,
    /// The figure.
    pub figure: FigureCell,
}

/// Everything that can be timed, in order of the lessons.
pub(super) fn operations(output: &Output) -> Result<Vec<Operation>, Stop> {
    let mut all = Vec::new();
    for lesson in load_lessons(&Lessons::default(), output)? {
        for figure in lesson.figures() {
            if let Some(name) = figure.bench() {
                all.push(Operation {
                    name: name.to_owned(),
                    lesson: lesson.clone(),
                    figure: figure.clone(),
                });
            }
        }
    }
    Ok(all)
}

/// The one called `name`.
pub(super) fn named(name: &str, output: &Output) -> Result<Operation, Stop> {
    let all = operations(output)?;
    let names: Vec<String> = all.iter().map(|of| of.name.clone()).collect();
    let mut all = all.into_iter();
    all.find(|of| of.name == name).ok_or_else(|| {
        let guesses = nearest(name, names.iter().map(String::as_str));
        let help = match guesses.first() {
            Some(guess) => format!("perhaps `{guess}` is meant"),
            None => format!("there are {}", names.join(", ")),
        };
        Stop::Usage(format!("nothing is timed by the name `{name}`\n  {help}"))
    })
}
