//! `tutor list`, and `tutor` alone.

use serde_json::json;

use super::arguments::LookArguments;
use super::lesson::load_lesson;
use super::output::{Output, Stop};
use crate::lesson::{Lesson, lesson_ids};
use crate::runtime::Setup;

/// Opens the only lesson where there is a terminal; lists lessons otherwise.
pub(super) fn open_or_list(look: LookArguments, output: &Output) -> Result<bool, Stop> {
    let ids = lesson_ids();
    match ids.as_slice() {
        [only] if output.interactive => {
            let setup = Setup {
                scheme: look.theme,
                ascii: look.ascii,
                ..Setup::default()
            };
            super::lesson::open(load_lesson(only, output)?, setup)
        }
        _ => list(false, output),
    }
}

/// Prints the lessons.
pub(super) fn list(json: bool, output: &Output) -> Result<bool, Stop> {
    let lessons: Result<Vec<Lesson>, Stop> = lesson_ids()
        .iter()
        .map(|id| load_lesson(id, output))
        .collect();
    let lessons = lessons?;
    let text = if json {
        let lessons = lessons.iter().map(|lesson| {
            json!({
                "id": lesson.id,
                "title": lesson.title,
                "summary": lesson.summary,
                "minutes": lesson.minutes,
            })
        });
        format!("{:#}\n", json!({ "lessons": lessons.collect::<Vec<_>>() }))
    } else {
        plain(&lessons)
    };
    output.print(&text)?;
    Ok(true)
}

fn plain(lessons: &[Lesson]) -> String {
    let widest = lessons.iter().map(|lesson| lesson.id.len()).max();
    let width = widest.unwrap_or(0);
    let mut text = String::new();
    for lesson in lessons {
        text += &format!(
            "{:width$}  {} ({} min)\n{:width$}  {}\n",
            lesson.id, lesson.title, lesson.minutes, "", lesson.summary
        );
    }
    text + "\nOpen one with `tutor run lesson ID`.\n"
}
