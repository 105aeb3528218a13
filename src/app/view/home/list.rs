//! The list of lessons, track by track, or as a search found them.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::progress::{bar, legend, mark, words};
use crate::app::keys::key_of;
use crate::app::state::{
    Action, Context, Extent, Home, HomeAction, LessonRow, ListedLesson, PopupAction,
};
use crate::app::view::widgets::{Canvas, Pane, below, inset, lit_text, top};
use crate::device::counted;
use crate::document::{Role, fit_line, pad, spread};
use crate::lesson::{Lesson, track_title};

/// Columns of the list from which rows name what is better done before.
const BEFORE_FROM: usize = 100;
/// Least and most columns of a bar, and what stands beside a title and its bar: a mark, words and minutes.
const BAR: (usize, usize) = (4, 24);
const BESIDE_BAR: usize = 20;
/// Columns of the lower edge that are left to the place in the list.
const EDGE: usize = 18;

/// A line of the list.
enum Entry<'a> {
    /// A track, and its lessons.
    Track(&'a str, Vec<&'a ListedLesson>),
    /// A row to choose, by index.
    Row(usize, &'a LessonRow),
    /// A word to who is new here.
    Welcome,
    Blank,
}

/// Draws the list, with the chosen row on screen.
pub fn draw(canvas: &mut Canvas, area: Rect, home: &Home) {
    let searching = home.query.is_some();
    let pane = Pane {
        title: search_line(canvas, home),
        focused: searching,
        ..Pane::default()
    };
    let inner = canvas.pane(area, pane);
    canvas.click(top(area, 1), Action::Home(HomeAction::Search));
    let entries = entries(home);
    if home.rows.is_empty() {
        nothing(canvas, inner, home);
    }
    let is_chosen = |entry: &Entry| matches!(entry, Entry::Row(row, _) if *row == home.chosen);
    let at = entries.iter().position(is_chosen).unwrap_or(0);
    let extent = Extent {
        content: entries.len(),
        visible: inner.height.into(),
    };
    canvas.drawn.seen.lessons = extent;
    let first = at
        .saturating_sub(extent.visible / 2)
        .min(extent.max_scroll());
    for (area, entry) in inner.rows().zip(entries.iter().skip(first)) {
        draw_entry(canvas, area, home, entry);
    }
    draw_edge(canvas, area, home, first, extent);
}

/// On the lower edge: what the marks mean, where there is room, and which part of the list is on screen.
fn draw_edge(canvas: &mut Canvas, area: Rect, home: &Home, first: usize, extent: Extent) {
    let hidden = extent.content.saturating_sub(first + extent.visible);
    // All on screen, a position would only be noise.
    if hidden > 0 || first > 0 {
        let foot = canvas.position(first, extent);
        let end = below(area, area.height - 1);
        let foot_width = foot.width() as u16;
        let corner = Rect {
            x: end.right().saturating_sub(foot_width + 2),
            width: foot_width.min(end.width),
            ..end
        };
        canvas.line(corner, foot);
    }
    let edge = inset(below(area, area.height - 1), 2);
    let legend = legend(canvas);
    if !home.rows.is_empty() && legend.width() + EDGE <= usize::from(edge.width) {
        let width = legend.width() as u16;
        canvas.line(Rect { width, ..edge }, legend);
    }
}

/// What is searched for, or how to search.
fn search_line(canvas: &Canvas, home: &Home) -> Line<'static> {
    match &home.query {
        None => canvas.keys(&[(" /", " or type to search ")]),
        Some(query) => {
            let found = format!(" {} ", counted(home.rows.len() as u64, "lesson"));
            Line::from(vec![
                canvas.span(" / ", Role::Key),
                canvas.span(format!("{query}_ "), Role::Strong),
                canvas.span(found, Role::Muted),
            ])
        }
    }
}

fn entries(home: &Home) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let flat = home
        .query
        .as_deref()
        .is_some_and(|query| !query.trim().is_empty());
    let mut track = None;
    for (index, row) in home.rows.iter().enumerate() {
        let listed = &home.lessons[row.lesson];
        // A search sorts by how well lessons fit, so tracks would come again and again; the way back stands above
        // all.
        if !flat && !row.resume && track != Some(listed.track()) {
            if !entries.is_empty() {
                entries.push(Entry::Blank);
            } else if home.query.is_none() {
                entries.extend([Entry::Welcome, Entry::Blank]);
            }
            track = Some(listed.track());
            let lessons = home.lessons.iter();
            let lessons = lessons.filter(|other| other.track() == listed.track());
            entries.push(Entry::Track(listed.track(), lessons.collect()));
        }
        entries.push(Entry::Row(index, row));
    }
    entries
}

fn draw_entry(canvas: &mut Canvas, area: Rect, home: &Home, entry: &Entry) {
    let row = inset(area, 1);
    match entry {
        Entry::Blank => {}
        Entry::Welcome => {
            let line = welcome(canvas);
            canvas.line(row, line);
        }
        Entry::Track(track, lessons) => {
            let (all, done) = home.total(lessons.iter().copied()).lessons;
            let left = canvas.text(track_title(track), Role::Heading);
            let right = canvas.text(format!("{done} of {all} done"), Role::Muted);
            let theme = canvas.theme();
            canvas.line(row, spread(left, right, row.width.into(), theme));
        }
        Entry::Row(index, found) => {
            let listed = &home.lessons[found.lesson];
            let line = match found.resume {
                true => resume(canvas, home, listed, row.width),
                false => lesson(canvas, home, listed, &found.lit, row.width.into()),
            };
            let chosen = *index == home.chosen;
            let pointer = match chosen {
                true => canvas.theme().glyph("\u{25b8} ", "> "),
                false => "  ",
            };
            let mut whole = canvas.text(pointer, Role::Accent);
            whole.spans.extend(line.spans);
            canvas.line(row, whole);
            if chosen {
                canvas.restyle(area, Role::CurrentRow);
            }
            canvas.click(area, Action::Home(HomeAction::SelectLesson(*index)));
        }
    }
}

fn welcome(canvas: &Canvas) -> Line<'static> {
    let open = key_of(
        &Action::Popup(PopupAction::Confirm),
        Context::Home,
        canvas.theme(),
    );
    Line::from(vec![
        canvas.span("New here? ", Role::Strong),
        canvas.span(open, Role::Key),
        canvas.span(
            " opens the first lesson, and shows you around.",
            Role::Muted,
        ),
    ])
}

/// The way back to where the learner was.
fn resume(canvas: &Canvas, home: &Home, listed: &ListedLesson, width: u16) -> Line<'static> {
    let mut left = Line::from(vec![
        canvas.span("go on: ", Role::Accent),
        canvas.span(listed.title(), Role::Strong),
    ]);
    if let Ok(lesson) = &listed.lesson
        && let Some(place) = home.saved.progress(lesson).place
    {
        let page = lesson.page_of(place).map_or(1, |(number, _)| number + 1);
        let pages = lesson.pages().len();
        left.push_span(canvas.span(format!(", {page} of {pages}"), Role::Strong));
    }
    let open = key_of(
        &Action::Popup(PopupAction::Confirm),
        Context::Home,
        canvas.theme(),
    );
    let right = canvas.text(open, Role::Key);
    spread(left, right, usize::from(width) - 2, canvas.theme())
}

/// Mark, title, bar, words and minutes of a lesson.
fn lesson(
    canvas: &Canvas,
    home: &Home,
    listed: &ListedLesson,
    lit: &[usize],
    width: usize,
) -> Line<'static> {
    let theme = canvas.theme();
    let room = width - 2;
    let mut right = Line::default();
    match &listed.lesson {
        Err(why) => right.push_span(canvas.span(why, Role::Bad)),
        Ok(lesson) => {
            right.spans.extend(how_far(canvas, home, lesson, room));
        }
    }
    let (glyph, role) = mark(canvas, home, listed);
    let mut left = canvas.text(format!("{glyph} "), role);
    left.spans
        .extend(lit_text(canvas, listed.title(), lit, Role::Text));
    // What should come first is advice: on a narrow screen the title and its bar matter more.
    if width >= BEFORE_FROM
        && let Ok(lesson) = &listed.lesson
        && !home.saved.progress(lesson).is_done()
    {
        let spare = room.saturating_sub(left.width() + right.width() + 1);
        let before = before_text(&home.open_before(lesson), spare);
        left.push_span(canvas.span(before, Role::Muted));
    }
    // The title keeps half of the row before its bar and minutes are cut.
    let least = left.width().min(room / 2);
    let right = fit_line(right, room.saturating_sub(least + 1), theme);
    spread(left, right, room, theme)
}

/// The lessons that are better done before, as many as `room` cells name.
fn before_text(open: &[&str], room: usize) -> String {
    let text = |named: usize| match open.len() - named {
        0 => format!("   after {}", open.join(", ")),
        more => format!("   after {} and {more} more", open[..named].join(", ")),
    };
    let mut texts = (1..=open.len()).rev().map(text);
    texts
        .find(|text| text.chars().count() <= room)
        .unwrap_or_default()
}

/// Cells of the bars, which are all as wide: what the longest title leaves of `room`.
fn bar_columns(home: &Home, room: usize) -> Option<usize> {
    let titles = home
        .lessons
        .iter()
        .map(|listed| listed.title().chars().count());
    let longest = titles.max().unwrap_or(0);
    let columns = room
        .checked_sub(longest + BESIDE_BAR)?
        .min(room / 6)
        .min(BAR.1);
    (columns >= BAR.0).then_some(columns)
}

/// Bar, words and minutes of a lesson, beside its title in `room` cells.
fn how_far(canvas: &Canvas, home: &Home, lesson: &Lesson, room: usize) -> Vec<Span<'static>> {
    let standing = home.saved.progress(lesson);
    let mut spans = Vec::new();
    if let Some(columns) = bar_columns(home, room) {
        spans.extend(bar(canvas, standing, columns));
    }
    let role = if standing.is_done() {
        Role::Good
    } else {
        Role::Text
    };
    spans.push(canvas.span(format!("  {:<8}", words(standing)), role));
    spans.push(canvas.span(format!("{:>3} min", lesson.minutes), Role::Muted));
    spans
}

/// What stands where no lesson does.
fn nothing(canvas: &mut Canvas, area: Rect, home: &Home) {
    let middle = below(area, area.height.saturating_sub(2) / 2);
    let theme = canvas.theme();
    let lines = match &home.query {
        Some(query) => {
            // What was typed may be longer than the window.
            let query = pad(query, query.chars().count().min(30), theme);
            vec![
                canvas.text(format!("No lesson matches `{query}`."), Role::Strong),
                Line::from(vec![
                    canvas.span("backspace", Role::Key),
                    canvas.span(" erases a letter, ", Role::Muted),
                    canvas.span("esc", Role::Key),
                    canvas.span(" shows all lessons", Role::Muted),
                ]),
            ]
        }
        None => vec![
            canvas.text("There are no lessons here.", Role::Strong),
            canvas.text(
                "`tutor run lesson FILE.md` opens one of your own",
                Role::Muted,
            ),
        ],
    };
    canvas.lines(middle, lines.into_iter().map(Line::centered));
}
