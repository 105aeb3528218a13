//! What a check of an answer to the exercise on screen found.

use ratatui::text::Line;

use crate::app::state::editor::edits::explained;
use crate::app::state::{Model, SourceView, Tab};
use crate::app::view::widgets::{Canvas, diagnostic, severity_role};
use crate::device::counted;
use crate::document::Role;
use crate::lesson::{Feedback, FindingKind};
use crate::source::{Diagnostic, SourceFile};

/// Things that are told at once.
const MOST_FOUND: usize = 2;

/// What was found; nothing on other pages, and before the first check.
pub(crate) fn lines(canvas: &Canvas, model: &Model, width: usize) -> Vec<Line<'static>> {
    let Some((cell, state)) = model.exercise() else {
        return Vec::new();
    };
    let Some(checked) = &state.checked else {
        return Vec::new();
    };
    let mut lines = match &checked.found {
        Err(why) => vec![canvas.text(format!("{} {why}", canvas.theme().cross()), Role::Bad)],
        Ok(feedback) if feedback.is_passed() => solved(canvas, feedback),
        Ok(feedback) => {
            let mut lines = vec![verdict(canvas, feedback)];
            lines.extend(wrong(canvas, model, feedback, &checked.text, width));
            lines
        }
    };
    if checked.text != cell.run.source {
        lines.push(canvas.text("of the text before: this one is being checked", Role::Muted));
    }
    lines
}

/// What is said of an answer that is right.
fn solved(canvas: &Canvas, feedback: &Feedback) -> Vec<Line<'static>> {
    let cases = counted(feedback.right as u64, "case");
    let head = format!("{} solved: right in {cases}", canvas.theme().check());
    let mut lines = vec![canvas.text(head, Role::Good)];
    for cost in &feedback.costs {
        lines.push(canvas.text(format!("  {}", cost.beside_limit()), Role::Text));
        if cost.is_better() {
            let text = "  better than our own solution";
            lines.push(canvas.text(text, Role::Good));
        }
    }
    lines
}

/// What kind of thing is wrong, and where it shows first.
fn verdict(canvas: &Canvas, feedback: &Feedback) -> Line<'static> {
    let case = feedback.case.as_ref();
    let case = case.map_or_else(String::new, |case| format!(", at {}", case.title));
    let kind = feedback.kind();
    let role = match kind {
        FindingKind::OverBound | FindingKind::Unanswered => Role::Warning,
        _ => Role::Bad,
    };
    let cross = canvas.theme().cross();
    canvas.text(format!("{cross} {}{case}", kind.name()), role)
}

/// What is wrong, at its lines; the editor shows that under the lines themselves, and beside lanes there is room for the
/// message alone.
fn wrong(
    canvas: &Canvas,
    model: &Model,
    feedback: &Feedback,
    text: &SourceFile,
    width: usize,
) -> Vec<Line<'static>> {
    if model.source_view() == Some(SourceView::Editor) {
        return Vec::new();
    }
    let found = feedback.diagnostics().into_iter().take(MOST_FOUND);
    let lines = found.flat_map(|found| match model.look.tab {
        Tab::Counts => diagnostic(canvas, text, &found, width),
        _ => {
            let line = text.line(found.span().start);
            summary(canvas, line as usize, &found, explained(&found))
        }
    });
    lines.collect()
}

/// What was found in a line, and what explains it.
pub(crate) fn summary(
    canvas: &Canvas,
    line: usize,
    finding: &Diagnostic,
    detail: Option<String>,
) -> Vec<Line<'static>> {
    let name = finding.severity.word();
    let text = format!("line {line}: {name}: {}", finding.message);
    let summary = canvas.text(text, severity_role(finding.severity));
    let detail = detail.map(|detail| canvas.text(format!("  {detail}"), Role::Muted));
    std::iter::once(summary).chain(detail).collect()
}
