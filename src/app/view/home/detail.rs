//! The chosen lesson: what it teaches, what comes before it, how far the learner is.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::progress::{bar, mark, page_mark, runs, words};
use crate::app::state::{Home, LessonProgress, ListedLesson};
use crate::app::view::widgets::{Canvas, Pane, inset};
use crate::document::Role;
use crate::lesson::{Lesson, track_title};

/// Rows from which the lesson is told in full: with its prerequisites and pages, each in a line.
const FULL: u16 = 12;
/// Columns of its bar.
const BAR: usize = 16;

/// Draws the chosen lesson in `area`.
pub fn draw(canvas: &mut Canvas, area: Rect, home: &Home) {
    let chosen = home.chosen();
    // In full, the title has lines of its own, and the track is what is above them.
    let is_full = area.height >= FULL + 2;
    let title = match chosen {
        Some(listed) if is_full => {
            canvas.span(format!(" {} ", track_title(listed.track())), Role::Muted)
        }
        Some(listed) => canvas.span(format!(" {} ", listed.title()), Role::Strong),
        None => canvas.span("", Role::Text),
    };
    let pane = Pane {
        title: Line::from(title),
        ..Pane::default()
    };
    let inner = inset(canvas.pane(area, pane), 1);
    let Some(listed) = chosen else { return };
    let width = usize::from(inner.width);
    let lines = match &listed.lesson {
        Err(why) => vec![
            canvas.text("This lesson cannot be read:", Role::Bad),
            canvas.text(why, Role::Text),
        ],
        Ok(lesson) if is_full => full(canvas, home, lesson, width),
        Ok(lesson) => short(canvas, home, lesson, width),
    };
    canvas.lines(inner, lines);
}

/// Summary, progress and prerequisites in four lines.
fn short(canvas: &Canvas, home: &Home, lesson: &Lesson, width: usize) -> Vec<Line<'static>> {
    let standing = home.saved.progress(lesson);
    let mut lines = canvas.paragraph(&lesson.summary, Role::Text, width, 0);
    lines.truncate(2);
    let mut line = progress(canvas, standing);
    let dot = format!(" {} ", canvas.theme().dot());
    let facts = facts(lesson, standing).join(&dot);
    line.push_span(canvas.span(format!("{dot}{facts}"), Role::Muted));
    lines.push(line);
    if !lesson.course.requires.is_empty() {
        let mut line = canvas.text("after ", Role::Muted);
        for (glyph, role, title) in required(canvas, home, lesson) {
            line.push_span(canvas.span(glyph, role));
            line.push_span(canvas.span(format!(" {title}   "), Role::Text));
        }
        lines.push(line);
    }
    lines
}

/// The bar, and beside it what is done of the pages.
fn progress(canvas: &Canvas, standing: LessonProgress) -> Line<'static> {
    let mut line = Line::from(bar(canvas, standing, BAR));
    let words = match standing {
        new if new.is_new() => format!("new, {} pages", new.pages),
        standing => format!("{} pages done", pages_words(standing)),
    };
    line.push_span(Span::raw("  "));
    line.push_span(canvas.span(words, Role::Text));
    line
}

/// Minutes, and what ran.
fn facts(lesson: &Lesson, standing: LessonProgress) -> Vec<String> {
    let minutes = format!("{} min", lesson.minutes);
    std::iter::once(minutes).chain(runs(standing)).collect()
}

fn pages_words(standing: LessonProgress) -> String {
    match standing.is_done() {
        true => format!("all {}", standing.pages),
        false => words(standing),
    }
}

/// Mark and title of each lesson that should be done before.
fn required(canvas: &Canvas, home: &Home, lesson: &Lesson) -> Vec<(&'static str, Role, String)> {
    let required = lesson.course.requires.iter().map(|id| {
        let listed = home.lessons.iter().find(|listed| listed.id == *id);
        let (glyph, role) = listed.map_or((canvas.theme().dot(), Role::Muted), |listed| {
            mark(canvas, home, listed)
        });
        let title = listed.map_or(id.as_str(), ListedLesson::title);
        (glyph, role, title.to_owned())
    });
    required.collect()
}

/// Everything, down to each page.
fn full(canvas: &Canvas, home: &Home, lesson: &Lesson, width: usize) -> Vec<Line<'static>> {
    let standing = home.saved.progress(lesson);
    let mut lines = canvas.paragraph(&lesson.title, Role::Strong, width, 0);
    lines.push(Line::default());
    lines.extend(canvas.paragraph(&lesson.summary, Role::Text, width, 0));
    lines.extend([Line::default(), progress(canvas, standing)]);
    let dot = format!(" {} ", canvas.theme().dot());
    let facts = facts(lesson, standing).join(&dot);
    lines.extend(canvas.paragraph(&facts, Role::Muted, width, 0));
    let required = required(canvas, home, lesson);
    if !required.is_empty() {
        lines.push(Line::default());
        lines.push(canvas.text("Better after", Role::Heading));
        lines.extend(required.into_iter().map(|(glyph, role, title)| {
            Line::from(vec![
                canvas.span(format!(" {glyph} "), role),
                canvas.span(title, Role::Text),
            ])
        }));
    }
    lines.push(Line::default());
    lines.push(canvas.text("Pages", Role::Heading));
    let pages = home.saved.pages_of(lesson).into_iter().zip(lesson.pages());
    for (index, (stands, page)) in pages.enumerate() {
        let (glyph, role) = page_mark(canvas, stands);
        let here = standing.place.is_some_and(|at| page.cells.contains(&at));
        let title = lesson.page_title(&page);
        let mut line = Line::from(vec![
            canvas.span(format!(" {glyph} "), role),
            canvas.span(format!("{:>2} ", index + 1), Role::Muted),
            canvas.span(title, if here { Role::Strong } else { Role::Text }),
        ]);
        if here {
            let arrow = canvas.theme().glyph("\u{25c2}", "<");
            line.push_span(canvas.span(format!("  {arrow} you were here"), Role::Accent));
        }
        lines.push(line);
    }
    lines
}
