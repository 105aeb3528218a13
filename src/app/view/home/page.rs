//! The home screen as a whole: what is done of all lessons, the list, and the chosen one.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::progress::lanes;
use super::{detail, list, welcome};
use crate::app::state::{Context, Home};
use crate::app::view::header;
use crate::app::view::popups::help;
use crate::app::view::widgets::{Canvas, below, body, inset, top};
use crate::device::{counted, grouped};
use crate::document::{Role, spread};

/// Columns from which the chosen lesson stands beside the list, and rows between title and keys from which it stands under it.
const BESIDE: u16 = 110;
const UNDER: u16 = 20;
/// Columns of the chosen lesson beside the list.
const DETAIL_WIDTH: (u16, u16) = (44, 70);
/// Rows of the chosen lesson under the list.
const DETAIL_HEIGHT: u16 = 6;
/// Columns from which lines have room for all their words.
const ROOMY: u16 = 72;
/// Rows from which there is air above and below what is done.
const AIRY: u16 = 40;

/// Draws `home` over the whole frame.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, home: &Home) {
    title(canvas, top(area, 1), home);
    let body = body(area);
    match &home.welcome {
        Some(welcome) => welcome::draw(canvas, body, welcome),
        None => draw_lessons(canvas, body, home),
    }
    let status = below(area, area.height - 1);
    header::keys_bar(canvas, status, home.context(), home.notice.as_deref(), &[]);
    if home.help {
        help::draw(canvas, body, Context::Home, false);
    }
}

/// What is done, the list, and the chosen lesson.
fn draw_lessons(canvas: &mut Canvas, area: Rect, home: &Home) {
    let air = u16::from(area.height >= AIRY);
    done(canvas, top(below(area, air), 1), home);
    let [list, detail] = list_and_detail(area, 2 * air + 1);
    list::draw(canvas, list, home);
    if detail.height > 0 {
        detail::draw(canvas, detail, home);
    }
}

/// Where the list and the chosen lesson are: beside each other, or one above the other; on low screens the list alone.
fn list_and_detail(page: Rect, above: u16) -> [Rect; 2] {
    let area = below(page, above);
    if area.width >= BESIDE {
        let width = (area.width * 2 / 5).clamp(DETAIL_WIDTH.0, DETAIL_WIDTH.1);
        return Split::horizontal([Constraint::Min(0), Constraint::Length(width)]).areas(area);
    }
    let height = match page.height {
        UNDER.. => DETAIL_HEIGHT,
        _ => 0,
    };
    Split::vertical([Constraint::Min(0), Constraint::Length(height)]).areas(area)
}

fn title(canvas: &mut Canvas, area: Rect, home: &Home) {
    let left = Line::from(vec![
        canvas.span("tutor", Role::Accent),
        Span::raw("  "),
        canvas.span("GPU kernels, learned by running them", Role::Strong),
    ]);
    let (lessons, done) = home.total(&home.lessons).lessons;
    let words = match (lessons, done) {
        (0, _) => "no lessons".to_owned(),
        (_, 0) => counted(lessons as u64, "lesson"),
        _ if area.width < ROOMY => format!("{done} of {lessons} done"),
        _ => format!("{done} of {} done", counted(lessons as u64, "lesson")),
    };
    let right = canvas.text(words, Role::Muted);
    let row = inset(area, 1);
    let theme = canvas.theme();
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

/// What is done of all pages, as the lanes of a warp, and in words.
fn done(canvas: &mut Canvas, area: Rect, home: &Home) {
    let total = home.total(&home.lessons);
    let (pages, done) = total.pages;
    if pages == 0 {
        return;
    }
    let row = inset(area, 2);
    let mut left = lanes(canvas, done, pages, row.width);
    left.push_span(Span::raw("  "));
    let words = format!(
        "{} of {} pages",
        grouped(done as u64),
        grouped(pages as u64)
    );
    left.push_span(canvas.span(words, Role::Strong));
    let right = match total.minutes_left {
        _ if area.width < ROOMY => String::new(),
        0 => "all done".to_owned(),
        minutes => format!("about {} left", duration(minutes)),
    };
    let right = canvas.text(right, Role::Muted);
    let theme = canvas.theme();
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

/// `95` minutes as `1 h 35 min`.
fn duration(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
