//! The lines above and below the cell: title bar, the cell's title and sizes, status bar.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::widgets::{Canvas, inset};
use crate::app::keys;
use crate::app::state::queries::figure::shown_cells;
use crate::app::state::{Context, Model};
use crate::device::gpu_title;
use crate::document::{Role, fold, spread};
use crate::launch::Engine;

/// Width from which the title bar has room for a gauge.
const GAUGE_WIDTH: u16 = 100;

/// Lesson, place in it, and whose numbers are on screen.
pub(crate) fn title_bar(canvas: &mut Canvas, area: Rect, model: &Model) {
    let theme = canvas.theme();
    let left = Line::from(vec![
        canvas.span("tutor", Role::Accent),
        Span::raw("  "),
        canvas.span(&model.lesson.title, Role::Strong),
    ]);
    let at = model.page().map_or(0, |(number, _)| number + 1);
    let count = model.lesson.pages().len();
    let share = at as f64 / count.max(1) as f64;
    let [full, empty] = canvas.gauge(share, 8);
    let (gpu, dot) = (gpu_title(model.simulated()), theme.dot());
    let whose = match model.settings.engine {
        Engine::Sim => format!("simulated {gpu} {dot} counted"),
        Engine::Gpu => format!("real GPU {dot} simulated {gpu}"),
    };
    let row = inset(area, 1);
    let place = format!("  {at}/{count}");
    // The lesson's title is whole: whose numbers these are is said where there is room for both.
    let time = model.presentation.as_ref();
    let time = time.map(|presentation| format!("   {}", clock(presentation.seconds)));
    let time = time.unwrap_or_default();
    let taken = left.width() + whose.chars().count() + time.len() + place.len() + 1;
    let whose = match taken <= row.width.into() {
        true => whose,
        false => String::new(),
    };
    let mut right = canvas.text(whose, Role::Muted);
    if area.width >= GAUGE_WIDTH {
        right.push_span(Span::raw("   "));
        right.push_span(full);
        right.push_span(empty);
    }
    right.push_span(canvas.span(time, Role::Accent));
    right.push_span(canvas.span(place, Role::Strong));
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

/// A question, a message, or the keys that mean something here.
pub(crate) fn status_bar(canvas: &mut Canvas, area: Rect, model: &Model) {
    let row = inset(area, 1);
    let width = usize::from(row.width);
    let theme = canvas.theme();
    let context = model.screen_context();
    if let Some(prompt) = &model.popups.prompt {
        let question = format!("{}: ", theme.text(&prompt.question(model)));
        let left = match &prompt.error {
            Some(error) => {
                let text = format!("{} {error}", theme.cross());
                canvas.text(text, Role::Bad)
            }
            None => Line::from(vec![
                canvas.span(question, Role::Strong),
                canvas.span(format!("{}_", prompt.input), Role::Accent),
            ]),
        };
        // The question and what is typed are whole; hints have what is left, but no more than 40 cells.
        let room = match prompt.kind.is_confirmation() {
            // The question names its key.
            true => 0,
            false => width.saturating_sub(left.width() + 1).min(40),
        };
        let right = hint_line(canvas, Context::Prompt, room, &[]);
        if left.width() > width {
            return message_row(canvas, row, left);
        }
        return canvas.line(row, spread(left, right, width, theme));
    }
    // A room reads no keys.
    let silent = model.presentation.is_some() && !context.is_over_the_page();
    let notice = model.notice.as_deref().or(silent.then_some(""));
    keys_bar(canvas, area, context, notice, &idle_keys(model));
}

/// What the keys are for that do nothing on this page.
fn idle_keys(model: &Model) -> Vec<&'static str> {
    // Figures of GPUs are known: nothing of their table runs. Nor does a curve that is computed.
    let runs = model
        .table()
        .is_none_or(|(cell, _)| !cell.runs().is_empty())
        && (model.figure().is_none() || !shown_cells(model).is_empty());
    let idle = [(runs, "run"), (model.can_advance(), "next")];
    idle.into_iter()
        .filter(|(does, _)| !does)
        .map(|(_, what)| what)
        .collect()
}

/// A message, or the keys that mean something in `context`, without those in `hidden`.
pub(crate) fn keys_bar(
    canvas: &mut Canvas,
    area: Rect,
    context: Context,
    notice: Option<&str>,
    hidden: &[&str],
) {
    // These two stand at the right end.
    let hidden = [hidden, &["help", "quit"]].concat();
    let row = inset(area, 1);
    let width = usize::from(row.width);
    let theme = canvas.theme();
    let right = last_keys(canvas, context, notice);
    let left = match notice {
        Some(notice) if notice.chars().count() + right.width() >= width => {
            return message_row(canvas, row, canvas.text(notice, Role::Strong));
        }
        Some(notice) => canvas.text(notice, Role::Strong),
        None => hint_line(
            canvas,
            context,
            width.saturating_sub(right.width() + 2),
            &hidden,
        ),
    };
    canvas.line(row, spread(left, right, width, theme));
}

/// The keys at the right end: help, and quitting.
fn last_keys(canvas: &Canvas, context: Context, notice: Option<&str>) -> Line<'static> {
    // Where letters are typed `?` and `q` are text: they must not be offered as keys.
    let is_typed = context.takes_text() && context != Context::Home;
    if notice == Some("") {
        // A room reads no keys.
        Line::default()
    } else if context == Context::Welcome {
        canvas.keys(&[("q", " quit")])
    } else if is_typed || context == Context::Evidence {
        Line::default()
    } else {
        let text = match context {
            Context::Editor => [("f1", " help  "), ("ctrl-q", " quit")],
            _ => [("?", " help  "), ("q", " quit")],
        };
        canvas.keys(&text)
    }
}

/// A message that leaves no room for keys: it grows upwards over the page until it is whole.
fn message_row(canvas: &mut Canvas, row: Rect, message: Line<'static>) {
    let lines = fold(message, row.width.into());
    let height = (lines.len() as u16).min(row.y + 1);
    let area = Rect {
        y: row.y + 1 - height,
        height,
        ..row
    };
    canvas.clear(area);
    canvas.lines(area, lines);
}

/// As many whole hints as fit in `width`, without those in `skip`.
fn hint_line(canvas: &Canvas, context: Context, width: usize, skip: &[&str]) -> Line<'static> {
    let mut line = Line::default();
    for (key, what) in keys::hints(context, canvas.theme()) {
        let gap = if line.width() > 0 { 2 } else { 0 };
        let fits = line.width() + gap + key.chars().count() + 1 + what.len() <= width;
        // A hint that is too long is left out whole, and a shorter one behind it may still fit.
        if skip.contains(&what) || !fits {
            continue;
        }
        line.push_span(Span::raw(" ".repeat(gap)));
        line.push_span(canvas.span(key, Role::Key));
        line.push_span(canvas.span(format!(" {what}"), Role::Muted));
    }
    line
}

/// Minutes and seconds.
pub(crate) fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
