//! The line above a run: its title, and how the run stands.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::original;
use crate::app::state::{FinishedRun, Model, RunState};
use crate::app::view::widgets::{Canvas, inset};
use crate::document::{Role, spread};
use crate::launch::Ending;
use crate::lesson::{RunCell, sizes_named};
use crate::source::Severity;

/// The cell's title, and how its run stands.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    model: &Model,
) {
    let left = canvas.text(&cell.title, Role::Heading);
    let right = status(canvas, state, model);
    let row = inset(area, 1);
    let theme = canvas.theme();
    canvas.line(row, spread(left, right, row.width.into(), theme));
}

fn status(canvas: &Canvas, state: &RunState, model: &Model) -> Line<'static> {
    let job = state.ticking();
    let old = state.shown().filter(|ran| model.is_stale(ran));
    if let (Some(ran), Some(_)) = (old, &state.job) {
        return stale_while_running(canvas, state, ran);
    }
    if job.is_some_and(|job| job.launches.iter().all(Option::is_none)) {
        return canvas.text("running: fills the buffers", Role::Accent);
    }
    // Counts come before the caches: the result of this very job is shown while its model still runs.
    let of = state.job.as_ref().map(|job| job.id);
    if of.is_some() && state.shown().map(|ran| ran.job) == of {
        return canvas.text("counted; the caches are being modelled", Role::Accent);
    }
    if let Some((done, blocks)) = state.blocks_done() {
        let share = done as f64 / blocks.max(1) as f64;
        let [full, empty] = canvas.gauge(share, 16);
        return Line::from(vec![
            canvas.span("running ", Role::Accent),
            full,
            empty,
            // Rounded down: nothing says 100 % before it is done.
            canvas.span(format!(" {:>3.0} %", (share * 100.0).floor()), Role::Strong),
        ]);
    }
    if state.error.is_some() || state.plan.is_err() {
        let text = format!("{} cannot run", canvas.theme().cross());
        return canvas.text(text, Role::Bad);
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

/// The old counts stay on screen until the new ones come, and say whose they are.
fn stale_while_running(canvas: &Canvas, state: &RunState, ran: &FinishedRun) -> Line<'static> {
    let (done, blocks) = state.blocks_done().unwrap_or_default();
    let [full, empty] = canvas.gauge(done as f64 / blocks.max(1) as f64, 8);
    let text = canvas.span(format!("counts of {}  ", whose(ran)), Role::Warning);
    Line::from(vec![text, full, empty])
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
fn stale(canvas: &Canvas, ran: &FinishedRun) -> Line<'static> {
    Line::from(vec![
        canvas.span(format!("counts of {}  ", whose(ran)), Role::Warning),
        canvas.span("enter", Role::Key),
        canvas.span(" runs again", Role::Muted),
    ])
}

/// The sizes of a result, and the GPU that was simulated.
pub(crate) fn whose(ran: &FinishedRun) -> String {
    let gpu = ran.result.outcome.simulated.to_uppercase();
    match sizes_named(&ran.result.sizes).as_str() {
        "" => gpu,
        sizes => format!("{sizes}, {gpu}"),
    }
}

fn verdict(canvas: &Canvas, state: &RunState, ran: &FinishedRun) -> Line<'static> {
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
    canvas.text(format!("{mark} {text}"), role)
}

/// How an edited kernel's result is, and what the edit changed in the counts.
fn edited_verdict(canvas: &Canvas, state: &RunState, ran: &FinishedRun) -> Option<Line<'static>> {
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
    let mut line = canvas.text(format!("{} {text}", theme.check()), Role::Good);
    if let Some(changed) = original::summary(theme, state) {
        line.push_span(canvas.span(format!("  {changed}"), Role::Strong));
    }
    Some(line)
}
