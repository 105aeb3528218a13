//! `tutor list`, and `tutor` alone.

use clap::Args;
use serde_json::json;

use super::options::{LessonsArgument, LookArguments};
use super::output::{Output, Stop};
use super::run::{load_lessons, open};
use crate::lesson::{Lesson, Lessons, by_track, track_title};
use crate::runtime::{Setup, Start};
use crate::source::printable_line;

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub lessons: LessonsArgument,
}

/// Opens the home screen where there is a terminal; lists lessons otherwise.
pub(super) fn open_or_list(
    lessons: Lessons,
    look: LookArguments,
    output: &Output,
) -> Result<bool, Stop> {
    if output.interactive {
        let setup = Setup {
            scheme: look.theme,
            ascii: look.ascii,
            lessons,
            ..Setup::default()
        };
        open(Start::Home, setup)
    } else {
        list(&lessons, false, output)
    }
}

/// Prints the lessons.
pub(super) fn list(lessons: &Lessons, json: bool, output: &Output) -> Result<bool, Stop> {
    let lessons = load_lessons(lessons, output)?;
    if json {
        let lessons = lessons.iter().map(|lesson| {
            json!({
                "id": lesson.id,
                "title": lesson.title,
                "summary": lesson.summary,
                "minutes": lesson.minutes,
                "track": Some(&lesson.course.track).filter(|track| !track.is_empty()),
                "order": lesson.course.order,
                "requires": lesson.course.requires,
            })
        });
        output.print_json(&json!({ "lessons": lessons.collect::<Vec<_>>() }))?;
    } else {
        output.print(&plain(&lessons))?;
    }
    Ok(true)
}

fn plain(lessons: &[Lesson]) -> String {
    let widest = lessons.iter().map(|lesson| lesson.id.len()).max();
    let width = widest.unwrap_or(0);
    let mut text = String::new();
    for (track, lessons) in by_track(lessons, |lesson| &lesson.course.track) {
        text += &format!("{}\n", track_title(track));
        for lesson in lessons {
            let mut lines = vec![
                format!("{} ({} min)", printable_line(&lesson.title), lesson.minutes),
                printable_line(&lesson.summary).into_owned(),
            ];
            if !lesson.course.requires.is_empty() {
                lines.push(format!("after {}", lesson.course.requires.join(", ")));
            }
            // The id stands on the first line of its entry alone.
            let first = std::iter::once(lesson.id.as_str()).chain(std::iter::repeat(""));
            for (name, line) in first.zip(lines) {
                text += &format!("  {name:width$}  {line}\n");
            }
        }
        text.push('\n');
    }
    text + "Open one with `tutor run lesson ID`.\n"
}
