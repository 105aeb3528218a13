//! How far the learner is, as marks, bars and words.

use ratatui::text::{Line, Span};

use crate::app::state::{Home, LessonProgress, ListedLesson, PageProgress};
use crate::app::view::widgets::Canvas;
use crate::device::counted;
use crate::document::Role;

/// Lanes of a warp: what is done of everything is shown as so many.
const LANES: usize = crate::launch::WARP_LANES;

/// `done` of `all` as the lanes of a warp, those active filled; apart where there is room.
pub fn lanes(canvas: &Canvas, done: usize, all: usize, width: u16) -> Line<'static> {
    let theme = canvas.theme();
    // One cell done lights a lane, whatever its share: it must be seen to count.
    let active = (done * LANES / all.max(1)).max(usize::from(done > 0));
    let gap = if usize::from(width) >= 3 * LANES {
        " "
    } else {
        ""
    };
    let (on, off) = (theme.glyph("\u{25a0}", "#"), theme.glyph("\u{25a1}", "."));
    let lane = |glyph: &str| format!("{glyph}{gap}");
    Line::from(vec![
        canvas.span(lane(on).repeat(active), Role::Accent),
        canvas.span(lane(off).repeat(LANES - active), Role::Muted),
    ])
}

/// A bar of `width` cells: what is done, what was only seen, and the rest.
pub fn bar(canvas: &Canvas, standing: LessonProgress, width: usize) -> Vec<Span<'static>> {
    let theme = canvas.theme();
    let share = |count: usize| {
        let pages = standing.pages.max(1);
        // Something begun shows, and nothing looks done before it is.
        let least = usize::from(count > 0);
        (count * width / pages).max(least).min(width)
    };
    let done = share(standing.done);
    let seen = share(standing.seen.max(standing.done)) - done;
    vec![
        canvas.span(theme.glyph("\u{2588}", "#").repeat(done), Role::Good),
        canvas.span(theme.glyph("\u{2592}", "=").repeat(seen), Role::Accent),
        canvas.span(
            theme.glyph("\u{2591}", ".").repeat(width - done - seen),
            Role::Muted,
        ),
    ]
}

/// `done`, `new`, or how many of its pages.
pub fn words(standing: LessonProgress) -> String {
    if standing.is_done() {
        "done".to_owned()
    } else if standing.is_new() {
        "new".to_owned()
    } else {
        format!("{} of {}", standing.done, standing.pages)
    }
}

/// One glyph for how a lesson stands.
pub fn mark(canvas: &Canvas, home: &Home, listed: &ListedLesson) -> (&'static str, Role) {
    let theme = canvas.theme();
    let Ok(lesson) = &listed.lesson else {
        return (theme.glyph("\u{2717}", "X"), Role::Bad);
    };
    let standing = home.saved.progress(lesson);
    if standing.is_done() {
        (theme.glyph("\u{2713}", "+"), Role::Good)
    } else if !standing.is_new() {
        (theme.glyph("\u{25d0}", "~"), Role::Accent)
    } else if !home.open_before(lesson).is_empty() {
        (theme.glyph("\u{25cc}", ":"), Role::Muted)
    } else {
        (theme.glyph("\u{25cb}", "o"), Role::Text)
    }
}

/// What the marks of lessons mean.
pub fn legend(canvas: &Canvas) -> Line<'static> {
    let theme = canvas.theme();
    let marks = [
        (theme.glyph("\u{25cb}", "o"), Role::Text, "new"),
        (theme.glyph("\u{25cc}", ":"), Role::Muted, "others first"),
        (theme.glyph("\u{25d0}", "~"), Role::Accent, "begun"),
        (theme.glyph("\u{2713}", "+"), Role::Good, "done"),
    ];
    let spans = marks.into_iter().flat_map(|(glyph, role, words)| {
        [
            canvas.span(format!(" {glyph}"), role),
            canvas.span(format!(" {words} "), Role::Muted),
        ]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// One glyph for how a cell stands.
pub fn page_mark(canvas: &Canvas, standing: PageProgress) -> (&'static str, Role) {
    let theme = canvas.theme();
    match standing {
        PageProgress::Done => (theme.glyph("\u{2713}", "+"), Role::Good),
        PageProgress::Seen => (theme.glyph("\u{25d0}", "~"), Role::Accent),
        PageProgress::Stale => (theme.glyph("\u{21bb}", "!"), Role::Warning),
        PageProgress::New => (theme.dot(), Role::Muted),
    }
}

/// What ran of what a lesson runs, and what has changed since; nothing if it runs nothing.
pub fn runs(standing: LessonProgress) -> Vec<String> {
    let mut words = Vec::new();
    if standing.runs > 0 {
        words.push(format!("{} of {} run", standing.ran, standing.runs));
    }
    if standing.stale > 0 {
        let cells = counted(standing.stale as u64, "cell");
        words.push(format!("{cells} changed since you ran it"));
    }
    words
}
