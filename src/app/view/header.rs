//! The lines above and below the cell: title bar, the cell's title and sizes, status bar.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::cells::run::contrast;
use super::speaker::clock;
use super::widgets::{Canvas, inset};
use crate::app::keys;
use crate::app::state::{Context, Model, Ran, RunState};
use crate::document::spread;
use crate::launch::{Ending, Engine};
use crate::lesson::{RunCell, sizes_named};
use crate::source::Severity;

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
    let (at, count) = (model.at + 1, model.cells.len());
    let share = at as f64 / count.max(1) as f64;
    let (full, empty) = theme.gauge(share, 8);
    let (gpu, dot) = (model.simulated().to_uppercase(), theme.dot());
    let whose = match model.engine {
        Engine::Sim => format!("simulated {gpu} {dot} counted"),
        Engine::Gpu => format!("real GPU {dot} simulated {gpu}"),
    };
    let mut right = Line::from(canvas.span(whose, Role::Muted));
    if area.width >= GAUGE_WIDTH {
        right.push_span(Span::raw("   "));
        right.push_span(canvas.span(full, Role::Accent));
        right.push_span(canvas.span(empty, Role::Muted));
    }
    if let Some(presentation) = &model.presentation {
        let time = format!("   {}", clock(presentation.seconds));
        right.push_span(canvas.span(time, Role::Accent));
    }
    right.push_span(canvas.span(format!("  {at}/{count}"), Role::Strong));
    let row = inset(area, 1);
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

/// The cell's title, and how its run stands.
pub(crate) fn cell_title(
    canvas: &mut Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    model: &Model,
) {
    let left = Line::from(canvas.span(&cell.title, Role::Heading));
    let right = status(canvas, state, model);
    let row = inset(area, 1);
    let theme = canvas.theme();
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

fn status(canvas: &Canvas, state: &RunState, model: &Model) -> Line<'static> {
    let old = state.shown().filter(|ran| model.is_stale(ran));
    let job = state.ticking();
    if let (Some(ran), Some(_)) = (old, &state.job) {
        let (done, blocks) = state.blocks_done().unwrap_or_default();
        let (full, empty) = canvas.theme().gauge(done as f64 / blocks.max(1) as f64, 8);
        return Line::from(vec![
            canvas.span(format!("counts of {}  ", whose(ran)), Role::Warning),
            canvas.span(full, Role::Accent),
            canvas.span(empty, Role::Muted),
        ]);
    }
    if job.is_some_and(|job| job.launches.iter().all(Option::is_none)) {
        return Line::from(canvas.span("running: fills the buffers", Role::Accent));
    }
    let of = state.job.as_ref().map(|job| job.id);
    if of.is_some() && state.shown().map(|ran| ran.job) == of {
        return Line::from(canvas.span("counted; the caches are being modelled", Role::Accent));
    }
    if let Some((done, blocks)) = state.blocks_done() {
        let share = done as f64 / blocks.max(1) as f64;
        let (full, empty) = canvas.theme().gauge(share, 16);
        return Line::from(vec![
            canvas.span("running ", Role::Accent),
            canvas.span(full, Role::Accent),
            canvas.span(empty, Role::Muted),
            canvas.span(format!(" {:>3.0} %", (share * 100.0).floor()), Role::Strong),
        ]);
    }
    if state.error.is_some() || state.plan.is_err() {
        let text = format!("{} cannot run", canvas.theme().cross());
        return Line::from(canvas.span(text, Role::Bad));
    }
    match &state.ran {
        None => Line::from(vec![
            canvas.span("not run yet ", Role::Muted),
            canvas.span("enter", Role::Key),
            canvas.span(" runs it", Role::Muted),
        ]),
        Some(_) if state.is_of_older_text() => of_older_text(canvas, model),
        Some(ran) if model.is_stale(ran) => stale(canvas, ran),
        Some(ran) => verdict(canvas, state, ran),
    }
}

/// Results of the text as it was before it was edited further.
fn of_older_text(canvas: &Canvas, model: &Model) -> Line<'static> {
    let findings = model.edit().map_or(&[][..], |edit| &edit.findings);
    let is_wrong = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let mut line = Line::default();
    if is_wrong {
        let text = format!("{} does not compile  ", canvas.theme().cross());
        line.push_span(canvas.span(text, Role::Bad));
    }
    line.push_span(canvas.span("counts of the text before", Role::Warning));
    line
}

/// Results of other sizes or of another GPU than those chosen.
fn stale(canvas: &Canvas, ran: &Ran) -> Line<'static> {
    Line::from(vec![
        canvas.span(format!("counts of {}  ", whose(ran)), Role::Warning),
        canvas.span("enter", Role::Key),
        canvas.span(" runs again", Role::Muted),
    ])
}

/// The sizes of a result, and the GPU that was simulated.
pub(crate) fn whose(ran: &Ran) -> String {
    let gpu = ran.result.outcome.simulated.to_uppercase();
    match sizes_named(&ran.result.sizes).as_str() {
        "" => gpu,
        sizes => format!("{sizes}, {gpu}"),
    }
}

fn verdict(canvas: &Canvas, state: &RunState, ran: &Ran) -> Line<'static> {
    let theme = canvas.theme();
    if let Some(text) = edited_verdict(canvas, state, ran) {
        return text;
    }
    let result = &ran.result;
    let (mark, text, role) = match result.outcome.ending {
        Ending::Finished if result.ok => {
            let verified = result.verified.is_some();
            let counted = !result.formulas.is_empty();
            let text = match (verified, counted) {
                (true, true) => "result and counts verified",
                (true, false) => "result verified",
                (false, true) => "counts verified",
                (false, false) => "ran",
            };
            (theme.check(), text, Role::Good)
        }
        Ending::Finished => (theme.cross(), "not as it should be", Role::Bad),
        Ending::Exhausted if !result.outcome.is_counted() => {
            (theme.dot(), "ran, but nothing is counted", Role::Warning)
        }
        Ending::Failed | Ending::Exhausted => (theme.cross(), "failed", Role::Bad),
        Ending::Cancelled => (theme.dot(), "cancelled", Role::Warning),
    };
    Line::from(canvas.span(format!("{mark} {text}"), role))
}

/// How an edited kernel's result is, and what the edit changed in the counts.
fn edited_verdict(canvas: &Canvas, state: &RunState, ran: &Ran) -> Option<Line<'static>> {
    let theme = canvas.theme();
    let result = &ran.result;
    let is_wrong = result
        .verified
        .as_ref()
        .is_some_and(|verified| !verified.ok);
    if !ran.edited || result.outcome.ending != Ending::Finished || is_wrong {
        return None;
    }
    let text = match result.verified {
        Some(_) => "edited, result verified",
        None => "edited, ran",
    };
    let mut line = Line::from(canvas.span(format!("{} {text}", theme.check()), Role::Good));
    if let Some(changed) = contrast::summary(theme, state) {
        line.push_span(canvas.span(format!("  {changed}"), Role::Strong));
    }
    Some(line)
}

/// A question, a message, or the keys that mean something here.
pub(crate) fn status_bar(canvas: &mut Canvas, area: Rect, model: &Model) {
    let row = inset(area, 1);
    let width = usize::from(row.width);
    let theme = canvas.theme();
    let context = model.screen_context();
    if let Some(prompt) = &model.prompt {
        let question = format!("{}: ", theme.text(&prompt.question(model)));
        let left = match &prompt.error {
            Some(error) => {
                let text = format!("{} {error}", theme.cross());
                Line::from(canvas.span(text, Role::Bad))
            }
            None => Line::from(vec![
                canvas.span(question, Role::Strong),
                canvas.span(format!("{}_", prompt.input), Role::Accent),
            ]),
        };
        let right = hint_line(canvas, Context::Prompt, 40, &[]);
        return canvas.line(row, spread(left, right, width, theme));
    }
    // A room reads no keys.
    let silent = model.presentation.is_some() && !context.is_over_the_page();
    let notice = model.notice.as_deref().or(silent.then_some(""));
    keys_bar(canvas, area, context, notice);
}

/// A message, or the keys that mean something in `context`.
pub(crate) fn keys_bar(canvas: &mut Canvas, area: Rect, context: Context, notice: Option<&str>) {
    const LAST: &[&str] = &["help", "quit"];
    let row = inset(area, 1);
    let width = usize::from(row.width);
    let theme = canvas.theme();
    let is_typed = context.takes_text() && context != Context::Home;
    let right = if is_typed || context == Context::Explained {
        Line::default()
    } else {
        let text = match context {
            Context::Editor => [("f1", " help  "), ("ctrl-q", " quit")],
            _ => [("?", " help  "), ("q", " quit")],
        };
        let spans = text
            .iter()
            .flat_map(|(key, what)| [canvas.span(key, Role::Key), canvas.span(what, Role::Muted)]);
        Line::from(spans.collect::<Vec<_>>())
    };
    let left = match notice {
        Some(notice) => Line::from(canvas.span(notice, Role::Strong)),
        None => hint_line(
            canvas,
            context,
            width.saturating_sub(right.width() + 2),
            LAST,
        ),
    };
    canvas.line(row, spread(left, right, width, theme));
}

/// As many whole hints as fit in `width`, without those in `skip`.
fn hint_line(canvas: &Canvas, context: Context, width: usize, skip: &[&str]) -> Line<'static> {
    let mut line = Line::default();
    for (key, what) in keys::hints(context, canvas.theme()) {
        let gap = if line.width() > 0 { 2 } else { 0 };
        let fits = line.width() + gap + key.chars().count() + 1 + what.len() <= width;
        if skip.contains(&what) || !fits {
            continue;
        }
        line.push_span(Span::raw(" ".repeat(gap)));
        line.push_span(canvas.span(key, Role::Key));
        line.push_span(canvas.span(format!(" {what}"), Role::Muted));
    }
    line
}
