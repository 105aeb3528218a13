//! The speaker's second terminal: what to say, what comes next, and how the time goes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::header::clock;
use super::widgets::markdown;
use super::widgets::{Canvas, Painter, below, inset, top};
use crate::app::state::{FrameExtents, SpeakerState};
use crate::app::view::widgets::with_room;
use crate::document::{Role, Scheme, spread};

/// What the screen shows.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Where the presentation is; nothing if there is none.
    pub spoken: Option<SpeakerState>,
    /// Seconds since it began.
    pub seconds: u64,
    /// First line of the notes on screen.
    pub scroll: usize,
    /// The colours.
    pub scheme: Scheme,
}

/// Widest line of notes: they are read from a step away.
const WIDTH: u16 = 72;

/// Draws `notes`.
pub fn view_notes(notes: &mut Notes, frame: &mut Frame, painter: &Painter) {
    with_room(
        frame,
        painter,
        notes.scheme,
        FrameExtents::default(),
        |canvas, area| match notes.spoken.clone() {
            Some(spoken) => draw(canvas, area, notes, &spoken),
            None => waiting(canvas, area),
        },
    );
}

fn waiting(canvas: &mut Canvas, area: Rect) {
    let lines = [
        canvas.text("No presentation is under way here", Role::Strong),
        Line::default(),
        canvas.text(
            "`tutor present softmax` in another terminal begins one",
            Role::Muted,
        ),
    ];
    let start = area.height.saturating_sub(3) / 2;
    canvas.lines(below(area, start), lines.map(Line::centered));
    foot(canvas, area);
}

/// The lesson, the time, and the place in it.
fn head(canvas: &mut Canvas, area: Rect, notes: &Notes, spoken: &SpeakerState) {
    let (at, count) = spoken.at;
    let row = inset(area, 1);
    let over = notes.seconds > u64::from(spoken.minutes) * 60;
    let time = format!("{} of {}:00", clock(notes.seconds), spoken.minutes);
    let role = if over { Role::Warning } else { Role::Strong };
    let left = Line::from(vec![
        canvas.span("notes", Role::Accent),
        Span::raw("  "),
        canvas.span(&spoken.lesson, Role::Strong),
    ]);
    let right = Line::from(vec![
        canvas.span(time, role),
        canvas.span(format!("   {at}/{count}"), Role::Strong),
    ]);
    let line = spread(left, right, row.width.into(), canvas.theme());
    canvas.line(row, line);
}

fn draw(canvas: &mut Canvas, area: Rect, notes: &mut Notes, spoken: &SpeakerState) {
    head(canvas, area, notes, spoken);
    let spare = area.width.saturating_sub(WIDTH + 4);
    let page = inset(below(area, 2), 2 + spare / 2);
    canvas.line(top(page, 1), canvas.text(&spoken.title, Role::Heading));
    let body = Rect {
        height: page.height.saturating_sub(6),
        ..below(page, 2)
    };
    let highlighter = &canvas.painter.highlighter;
    let width = body.width.into();
    let render = |text: &str| markdown::render(text, width, canvas.theme(), highlighter);
    let mut lines = match spoken.notes.as_str() {
        "" => vec![canvas.text("The lesson has no notes here.", Role::Muted)],
        notes => render(notes),
    };
    if !spoken.answer.is_empty() {
        lines.push(Line::default());
        lines.extend(render(&spoken.answer));
    }
    let hidden = lines.len().saturating_sub(body.height.into());
    // Kept in the state of this screen: the next key up moves at once, however far beyond the end one had pressed.
    notes.scroll = notes.scroll.min(hidden);
    canvas.lines(body, lines.into_iter().skip(notes.scroll));
    ahead(canvas, below(page, page.height.saturating_sub(3)), spoken);
    foot(canvas, area);
}

/// What waits, and what comes next.
fn ahead(canvas: &mut Canvas, area: Rect, spoken: &SpeakerState) {
    if spoken.is_held {
        let text = "the answer is hidden: enter there shows it";
        canvas.line(top(area, 1), canvas.text(text, Role::Warning));
    }
    let next = spoken.next.as_deref().unwrap_or("this is the last");
    let line = Line::from(vec![
        canvas.span("next  ", Role::Muted),
        canvas.span(next, Role::Strong),
    ]);
    canvas.line(top(below(area, 1), 1), line);
}

fn foot(canvas: &mut Canvas, area: Rect) {
    let theme = canvas.theme();
    let down = theme.glyph("\u{2193}", "down");
    let keys = [(down, " scroll  "), ("T", " theme  "), ("q", " quit")];
    let line = canvas.keys(&keys);
    canvas.line(inset(below(area, area.height - 1), 1), line);
}
