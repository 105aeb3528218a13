//! How a run stands, in a line.

use ratatui::text::Line;

use super::feedback::{self, summary};
use super::original;
use crate::app::keys::key_of;
use crate::app::state::editor::edits::explained;
use crate::app::state::{Action, FinishedRun, Model, RunAction, RunState, SourceView, Tab};
use crate::app::view::widgets::Canvas;
use crate::device::gpu_title;
use crate::document::{Role, fold};
use crate::engine::Preparing;
use crate::lesson::{CLEAN, CellResult, Verdict, sizes_named};
use crate::source::{Diagnostic, Severity};

/// How the run stands, unless it is only right, and what is wrong with it, whichever view is open; in at most half of
/// `height` rows: what it is about has the other half.
pub(crate) fn lines(
    canvas: &Canvas,
    width: usize,
    height: usize,
    model: &Model,
    state: &RunState,
) -> Vec<Line<'static>> {
    let mut lines = feedback::lines(canvas, model, width);
    if model.exercise().is_some() {
        // What a check says of an answer is more than what a run of it does.
        lines.extend(running(canvas, state, model));
        return lines
            .into_iter()
            .flat_map(|line| fold(line, width))
            .collect();
    }
    // That a run is right is said with its evidence.
    if !stands_right(model, state) {
        lines.push(status(canvas, state, model));
    }
    let mut lines = folded(&lines, width);
    let notes = notes(canvas, state, model);
    let is_wrong = notes.iter().any(Note::is_wrong);
    // Where nothing is wrong the picture comes first.
    let most = if is_wrong { height / 2 } else { height / 3 };
    let room = most.saturating_sub(lines.len());
    lines.extend(fitting(canvas, notes, width, room));
    lines.truncate((height / 2).max(1));
    lines
}

/// Something to be said under how the run stands.
struct Note {
    lines: Vec<Line<'static>>,
    /// Of something that was found: first what it is, then why. Others may be left out.
    severity: Option<Severity>,
}

impl Note {
    fn finding(of: &Diagnostic, lines: Vec<Line<'static>>) -> Self {
        Note {
            lines,
            severity: Some(of.severity),
        }
    }

    fn aside(line: Line<'static>) -> Self {
        Note {
            lines: vec![line],
            severity: None,
        }
    }

    fn is_finding(&self) -> bool {
        self.severity.is_some()
    }

    /// Whether something is wrong, or may be.
    fn is_wrong(&self) -> bool {
        self.severity.is_some_and(|of| of < Severity::Remark)
    }
}

/// The notes that `room` rows hold, none cut in the middle: of what is left out the last row says where it is.
fn fitting(canvas: &Canvas, notes: Vec<Note>, width: usize, room: usize) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let mut left = notes.iter().filter(|note| note.is_finding()).count();
    for note in notes {
        left -= usize::from(note.is_finding());
        let whole = folded(&note.lines, width);
        if rows.len() + whole.len() + left.min(1) <= room {
            rows.extend(whole);
        } else if note.is_finding() {
            let room = room.saturating_sub(rows.len());
            let head = folded(&note.lines[..1], width);
            // What was found is worth more than half of why.
            let head = Some(head).filter(|head| rows.is_empty() || head.len() < room);
            let text = more_in_counts(head.is_some(), left);
            rows.extend(head.into_iter().flatten());
            rows.push(canvas.text(format!("  {text}"), Role::Muted));
            break;
        }
    }
    rows
}

/// Where the rest of a finding is, if the finding itself stands above, and so many behind it.
fn more_in_counts(is_told: bool, behind: usize) -> String {
    match (is_told, behind) {
        (true, 0) => "why, and what to try: see Counts".to_owned(),
        (true, more) => format!("why, and {more} more: see Counts"),
        (false, more) => format!("and {} more: see Counts", more + 1),
    }
}

fn folded(lines: &[Line<'static>], width: usize) -> Vec<Line<'static>> {
    let lines = lines.iter().cloned();
    lines.flat_map(|line| fold(line, width)).collect()
}

/// Whether there is nothing to say of how the run stands but that it is right.
fn stands_right(model: &Model, state: &RunState) -> bool {
    let of_now = |ran: &FinishedRun| {
        ran.result.verdict(ran.edited) == Verdict::Right
            && !ran.edited
            && !model.is_stale(ran)
            && !state.is_of_older_text()
    };
    state.job.is_none() && state.error.is_none() && state.ran.as_deref().is_some_and(of_now)
}

/// What the compiler and the checks found, where no other part of the page tells it; and what would find more.
fn notes(canvas: &Canvas, state: &RunState, model: &Model) -> Vec<Note> {
    if model.source_view() == Some(SourceView::Editor) {
        return Vec::new();
    }
    let edit = model.edit().filter(|edit| !edit.findings.is_empty());
    let ran = state.shown().filter(|_| !state.is_of_older_text());
    let is_told = model.look.tab == Tab::Counts && ran.is_some();
    let mut notes = Vec::new();
    match (edit, ran) {
        _ if is_told => {}
        (Some(edit), _) => {
            let found = errors_first(&edit.findings);
            notes.extend(found.into_iter().map(|(index, finding)| {
                let line = edit.finding_line(index) + 1;
                Note::finding(finding, summary(canvas, line, finding, edit.detail(index)))
            }));
        }
        (None, Some(ran)) => {
            for report in &ran.result.outcome.reports {
                let source = ran.plan.sources.get(report.source);
                let finding = &report.diagnostic;
                let line = source.map_or(1, |source| source.file.line(finding.span().start));
                let lines = summary(canvas, line as usize, finding, explained(finding));
                notes.push(Note::finding(finding, lines));
            }
            if ran.result.is_clean() {
                let text = format!("{} {CLEAN}", canvas.theme().check());
                notes.push(Note::aside(canvas.text(text, Role::Good)));
            }
        }
        (None, None) => {}
    }
    if ran.is_some_and(|ran| wants_checks(ran)) {
        let checks = Action::Run(RunAction::RunChecked);
        let key = key_of(&checks, model.context_below(), canvas.theme());
        let keys = canvas.keys(&[(&key, " looks for races and for values never set")]);
        notes.push(Note::aside(keys));
    }
    notes
}

fn wants_checks(ran: &FinishedRun) -> bool {
    ran.result.verdict(ran.edited) == Verdict::Wrong && !ran.result.checked
}

/// Findings with their places in the list: what is wrong comes before what may be.
fn errors_first(findings: &[Diagnostic]) -> Vec<(usize, &Diagnostic)> {
    let mut found: Vec<_> = findings.iter().enumerate().collect();
    found.sort_by_key(|(_, finding)| finding.severity != Severity::Error);
    found
}

/// How the run stands.
pub(crate) fn status(canvas: &Canvas, state: &RunState, model: &Model) -> Line<'static> {
    if let Some(line) = running(canvas, state, model) {
        return line;
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

/// How far a run is; nothing where none goes on.
fn running(canvas: &Canvas, state: &RunState, model: &Model) -> Option<Line<'static>> {
    let job = state.job.as_ref()?;
    if let Some(ran) = state.shown().filter(|ran| model.is_stale(ran)) {
        return Some(stale_while_running(canvas, state, ran));
    }
    if let Some(job) = state
        .ticking()
        .filter(|job| job.launches.iter().all(Option::is_none))
    {
        let filling = job.preparing;
        let filling = filling.filter(|of| matches!(of, Preparing::Filling { .. }));
        let what = filling.map_or("fills the buffers".to_owned(), |of| of.to_string());
        return Some(canvas.text(format!("running: {what}"), Role::Accent));
    }
    // Counts come before the caches: the result of this very job is shown while its model still runs.
    if state.shown().is_some_and(|ran| ran.job == job.id) {
        return Some(canvas.text("counted; the caches are being modelled", Role::Accent));
    }
    let (done, blocks) = state.blocks_done()?;
    let share = done as f64 / blocks.max(1) as f64;
    let [full, empty] = canvas.gauge(share, 16);
    Some(Line::from(vec![
        canvas.span("running ", Role::Accent),
        full,
        empty,
        // Rounded down: nothing says 100 % before it is done.
        canvas.span(format!(" {:>3.0} %", (share * 100.0).floor()), Role::Strong),
    ]))
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
    let gpu = gpu_title(&ran.result.outcome.simulated);
    match sizes_named(&ran.result.sizes).as_str() {
        "" => gpu.to_owned(),
        sizes => format!("{sizes}, {gpu}"),
    }
}

/// What is wrong with a result, in a few words: the first error, the output, else the counts.
fn wrong(result: &CellResult) -> String {
    let output = result.verified.as_ref().filter(|verified| !verified.ok);
    match (result.errors().next(), output) {
        (Some(error), _) => {
            let (kind, _) = error
                .message
                .split_once(": ")
                .unwrap_or((&error.message, ""));
            kind.to_owned()
        }
        (None, Some(verified)) => {
            format!("wrong result: {} is not as it should be", verified.buffer)
        }
        (None, None) => "counts differ from the formulas".to_owned(),
    }
}

fn verdict(canvas: &Canvas, state: &RunState, ran: &FinishedRun) -> Line<'static> {
    let theme = canvas.theme();
    let result = &ran.result;
    let (mark, text, role) = match result.verdict(ran.edited) {
        Verdict::Right => (theme.check(), finished(ran), Role::Good),
        Verdict::Warned => {
            let text = "ran, with a warning".to_owned();
            (theme.warn(), text, Role::Warning)
        }
        Verdict::Wrong => (theme.cross(), wrong(result), Role::Bad),
        Verdict::Uncounted => {
            let text = "ran, but nothing is counted".to_owned();
            (theme.dot(), text, Role::Warning)
        }
        Verdict::NotRun => {
            let text = match result.recorded {
                Some(_) => "needs a real GPU; its times are recorded".to_owned(),
                None => "needs a real GPU, and none is here".to_owned(),
            };
            (theme.dot(), text, Role::Warning)
        }
        Verdict::Failed => (theme.cross(), "failed".to_owned(), Role::Bad),
        Verdict::Cancelled => (theme.dot(), "cancelled".to_owned(), Role::Warning),
    };
    let mut line = canvas.text(format!("{mark} {text}"), role);
    let is_finished = matches!(result.verdict(ran.edited), Verdict::Right | Verdict::Warned);
    // What the edit changed in the counts.
    if let (true, Some(changed)) = (ran.edited && is_finished, original::summary(theme, state)) {
        line.push_span(canvas.span(format!("  {changed}"), Role::Strong));
    }
    line
}

/// What is known of a run that is right. The formulas are the original's: of an edited kernel they say nothing.
fn finished(ran: &FinishedRun) -> String {
    let verified = ran.result.verified.is_some();
    let counted = !ran.result.formulas.is_empty();
    let text = match (ran.edited, verified, counted) {
        (true, true, _) => "edited, result verified",
        (true, false, _) => "edited, ran",
        (false, true, true) => "result and counts verified",
        (false, true, false) => "result verified",
        (false, false, true) => "counts verified",
        (false, false, false) => "ran",
    };
    text.to_owned()
}
