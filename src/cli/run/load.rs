//! Lessons by the names that command lines give them: an id, a file, or a link to a place.

use crate::app::{LessonLink, Opening};
use crate::cli::output::{Output, Stop};
use crate::lesson::{CatalogError, Lesson, Lessons, is_kernel_file, is_lesson_file};

/// The lesson that `link` names, by id or file, and the place in it.
pub(crate) fn link(link: &str) -> Result<(&str, Option<LessonLink>), Stop> {
    // A path may contain `#` and `@`: nothing is cut from it.
    if is_lesson_file(link) {
        return Ok((link, None));
    }
    LessonLink::parse(link).map_err(Stop::Usage)
}

/// What the notebook begins with: the place that a link names, or the lesson's start.
pub(crate) fn opening(lesson: &Lesson, place: Option<LessonLink>) -> Result<Opening, Stop> {
    let Some(place) = place else {
        return Ok(Opening::Start);
    };
    let cell = place.find(lesson).map_err(Stop::Usage)?;
    Ok(Opening::Place(place, cell))
}

/// The one of `lessons` with this name, or in this file. Diagnostics of its file are printed.
pub(crate) fn load_lesson(lessons: &Lessons, id: &str, output: &Output) -> Result<Lesson, Stop> {
    let loaded = match is_kernel_file(id) {
        // A program runs, and kernels are tried, before there is a page to show.
        true => {
            let what = format!("running {id} once, to see what it launches");
            output.progress.while_waiting(&what, || lessons.load(id))
        }
        false => lessons.load(id),
    };
    loaded.map_err(|error| not_loaded(id, error, output))
}

/// All of `lessons`, in the order in which they are best taken. One that does not read stops it, and is not left out:
/// a list without it would hide it.
pub(crate) fn load_lessons(lessons: &Lessons, output: &Output) -> Result<Vec<Lesson>, Stop> {
    let all = lessons.load_all().into_iter();
    all.map(|(id, lesson)| lesson.map_err(|error| not_loaded(&id, error, output)))
        .collect()
}

/// Why the lesson `id` cannot be shown; diagnostics of its file are printed.
fn not_loaded(id: &str, error: CatalogError, output: &Output) -> Stop {
    match error {
        CatalogError::Unknown { nearest, .. } => {
            let guess = match nearest.as_slice() {
                [] => String::new(),
                names => format!("\n  perhaps: {}", names.join(", ")),
            };
            Stop::Usage(format!(
                "there is no lesson `{id}`{guess}\n  `tutor list` shows all lessons"
            ))
        }
        CatalogError::Unreadable { .. } => Stop::Usage(error.to_string()),
        CatalogError::Broken { file, diagnostics } => {
            output.diagnostics(&file, &diagnostics);
            Stop::Reported
        }
    }
}
