//! What a run counted, held against formulas and reference; or why it did not run.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{accesses, memory_levels, original, real_gpu, verdicts};
use crate::app::state::{Extent, FinishedRun, Model, RunState};
use crate::app::view::widgets::{Canvas, diagnostic, inset};
use crate::device::{grouped, percent};
use crate::document::{Role, compact, fit, fold, pad};
use crate::launch::{Amount, Counts, Evidence, Measure};
use crate::lesson::RunCell;
use crate::source::Severity;

/// Width of the names in the table.
const NAMES: usize = 21;
/// Width of a number in the table.
const NUMBERS: usize = 12;
/// The same where there is no room for that.
const SHORT_NUMBERS: usize = 7;

/// Whose counts are on screen, for the frame's edge.
pub(crate) fn scope(canvas: &Canvas, model: &Model, state: &RunState) -> Line<'static> {
    if state.shown().is_some_and(|ran| model.is_stale(ran)) {
        return canvas.text(" stale ", Role::Warning);
    }
    let launches = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let text = match (state.launch, &state.plan) {
        (Some(launch), Ok(plan)) => plan
            .launches
            .get(launch)
            .map(|launch| launch.kernel.clone()),
        _ if launches > 1 => Some(format!("{launches} launches")),
        _ => None,
    };
    let so_far = if state.ticking().is_some() {
        ", so far"
    } else {
        ""
    };
    let text = text.map_or_else(String::new, |text| format!(" {text}{so_far} "));
    canvas.text(text, Role::Muted)
}

/// Draws counts and verdicts, or what went wrong.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let inner = inset(area, 1);
    let width = usize::from(inner.width);
    let is_right = state.ran.as_ref().is_none_or(|ran| ran.result.ok);
    let is_right = is_right && state.error.is_none() && state.plan.is_ok();
    // What went wrong is never folded away.
    let found = found(canvas, width, model, cell, state);
    let counted = match model.look.unfolded || !is_right {
        true => lines(canvas, width, cell, state),
        false => folded(canvas, width, state),
    };
    let lines = found.into_iter().chain(counted);
    let lines: Vec<Line<'static>> = lines.flat_map(|line| fold(line, width)).collect();
    let extent = Extent {
        content: lines.len(),
        visible: inner.height.into(),
    };
    // Known only once it is folded to this width: keys that scroll need the end.
    canvas.drawn.seen.counts = extent;
    let scroll = state.scroll.counts.min(extent.max_scroll());
    canvas.lines(inner, lines.into_iter().skip(scroll));
}

/// What stands under the headline while the rest is folded: what an edit changed, what moved where.
fn folded(canvas: &Canvas, width: usize, state: &RunState) -> Vec<Line<'static>> {
    let mut lines = original::lines(canvas, width, state);
    lines.push(Line::default());
    lines.extend(memory_levels::in_short(canvas, width, state));
    lines
}

fn lines(canvas: &Canvas, width: usize, cell: &RunCell, state: &RunState) -> Vec<Line<'static>> {
    let failed = state.error.as_ref().or(state.plan.as_ref().err());
    if let Some(error) = failed {
        let mut lines = vec![
            canvas.text("This cell cannot run", Role::Bad),
            Line::default(),
        ];
        lines.extend(canvas.paragraph(error, Role::Text, width, 0));
        return lines;
    }
    let ran = state.shown().map(|ran| &**ran);
    let mut lines = Vec::new();
    // Counts of a kernel that went wrong would be read as if they were right.
    if ran.is_some_and(has_errors) {
        return lines;
    }
    if let Some(ran) = ran {
        checks(canvas, cell, ran, width, &mut lines);
        lines.extend(original::lines(canvas, width, state));
    }
    lines.extend(memory_levels::lines(canvas, width, state));
    if let Some(ran) = ran {
        lines.extend(real_gpu::lines(canvas, state, ran));
    }
    match (state.counts(), ran) {
        (Some(counts), _) => table(canvas, width, &counts, &mut lines),
        (None, Some(_)) => return lines,
        (None, None) => lines.extend([
            canvas.text("Nothing is counted yet.", Role::Muted),
            Line::default(),
            canvas.keys(&[("enter", " runs this cell")]),
        ]),
    }
    if let Some(ran) = ran {
        lines.extend(accesses::lines(canvas, cell, state, ran));
    }
    lines
}

/// What the compiler and the checks of a run have to say.
fn found(
    canvas: &Canvas,
    width: usize,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) -> Vec<Line<'static>> {
    // Of an exercise the check says it, at the sizes where it shows first: twice it would look like two mistakes.
    let is_told = model
        .exercise_findings()
        .is_some_and(|found| !found.is_empty());
    let ran = state
        .shown()
        .filter(|_| !is_told && state.error.is_none() && state.plan.is_ok());
    let reports = ran.into_iter().flat_map(|ran| {
        let reports = ran.result.outcome.reports.iter();
        reports.flat_map(|report| {
            let file = ran.file(report.source, cell);
            diagnostic(canvas, file, &report.diagnostic, width)
        })
    });
    reports.collect()
}

fn has_errors(ran: &FinishedRun) -> bool {
    let mut reports = ran.result.outcome.reports.iter();
    reports.any(|report| report.diagnostic.severity == Severity::Error)
}

/// Formulas and the verification, each with its verdict.
fn checks(
    canvas: &Canvas,
    cell: &RunCell,
    ran: &FinishedRun,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let result = &ran.result;
    for (i, formula) in result.formulas.iter().enumerate() {
        // Formulas of a result are in the order of the cell's; its own text is as the lesson wrote it.
        let text = cell.formulas.get(i).map(|check| check.formula.textbook());
        let text = text.as_deref().unwrap_or(&formula.formula);
        lines.extend(verdicts::formula(canvas, width, formula, text, ran.edited));
    }
    if let Some(verified) = &result.verified {
        lines.extend(verdicts::verified(canvas, verified, width));
    }
    if result.is_clean() {
        lines.extend(verdicts::clean(canvas, width));
    }
    if !lines.is_empty() {
        lines.push(Line::default());
    }
}

/// Numbers under one heading.
struct Group {
    name: &'static str,
    columns: &'static [&'static str],
    /// Where the group is shown only if something was counted: by which measure.
    shown_for: Option<Measure>,
    /// A row's name, where its first measure's label is not it, and a measure for each column.
    rows: &'static [(Option<&'static str>, &'static [Measure])],
}

#[rustfmt::skip]
const GROUPS: [Group; 9] = [
    Group { name: "global memory", columns: &["loads", "stores"], shown_for: None, rows: &[
        (None, &[Measure::ElementsRead, Measure::ElementsWritten]),
        (None, &[Measure::DistinctElementsRead, Measure::DistinctElementsWritten]),
        (None, &[Measure::RequestsRead, Measure::RequestsWritten]),
        (None, &[Measure::SectorsRead, Measure::SectorsWritten]),
        (None, &[Measure::LinesRead, Measure::LinesWritten]),
        (None, &[Measure::ReadEfficiency, Measure::WriteEfficiency]),
    ] },
    Group { name: "shared memory", columns: &["loads", "stores"], shown_for: None, rows: &[
        (None, &[Measure::SharedReadRequests, Measure::SharedWriteRequests]),
        (None, &[Measure::SharedReadWavefronts, Measure::SharedWriteWavefronts]),
        (None, &[Measure::SharedReadConflicts, Measure::SharedWriteConflicts]),
    ] },
    Group { name: "global atomics", columns: &["atomics"], shown_for: Some(Measure::AtomicRequests), rows: &[
        (None, &[Measure::AtomicRequests]),
        (None, &[Measure::AtomicElements]),
        (None, &[Measure::AtomicSectors]),
    ] },
    Group { name: "shared atomics", columns: &["atomics"], shown_for: Some(Measure::SharedAtomicRequests), rows: &[
        (None, &[Measure::SharedAtomicRequests]),
        (None, &[Measure::SharedAtomicWavefronts]),
        (None, &[Measure::SharedAtomicConflicts]),
    ] },
    Group { name: "constant memory", columns: &["requests", "addresses"], shown_for: Some(Measure::ConstantRequests), rows: &[
        (Some("loads"), &[Measure::ConstantRequests, Measure::ConstantAddresses]),
    ] },
    Group { name: "caches, modelled", columns: &["read", "written"], shown_for: None, rows: &[
        (None, &[Measure::L1SectorsHit]),
        (None, &[Measure::L2SectorsRead, Measure::L2SectorsWritten]),
        (None, &[Measure::L2SectorsHit]),
        (None, &[Measure::DramBytesRead, Measure::DramBytesWritten]),
    ] },
    Group { name: "operations", columns: &["fp32"], shown_for: None, rows: &[
        (None, &[Measure::Fp32Additions]),
        (None, &[Measure::Fp32Multiplications]),
        (None, &[Measure::Fp32FusedMultiplyAdds]),
        (None, &[Measure::SpecialOperations]),
    ] },
    Group { name: "tensor cores", columns: &["instructions", "mul-adds"], shown_for: Some(Measure::TensorInstructions), rows: &[
        (Some("of warps"), &[Measure::TensorInstructions, Measure::TensorMultiplyAdds]),
    ] },
    Group { name: "branches", columns: &["executed", "divergent"], shown_for: None, rows: &[
        (Some("of warps"), &[Measure::Branches, Measure::DivergentBranches]),
    ] },
];

fn table(canvas: &Canvas, width: usize, counts: &Counts, lines: &mut Vec<Line<'static>>) {
    let columns = Columns::fitting(width);
    for (index, group) in GROUPS.iter().enumerate() {
        // What no model answered is not a zero: the whole group is left out.
        let evidence = group.rows[0].1[0].evidence();
        let is_modelled = counts.l1.0.is_some() && counts.l2.0.is_some() && counts.dram.0.is_some();
        let is_there = evidence != Evidence::Modelled || is_modelled;
        let is_counted = |measure: Measure| measure.of(counts) > Some(0);
        if !is_there || !group.shown_for.is_none_or(is_counted) {
            continue;
        }
        if index > 0 {
            lines.push(Line::default());
        }
        lines.push(titled(canvas, columns, evidence, group));
        for (name, measures) in group.rows {
            let amounts = measures
                .iter()
                .map(|measure| amount(canvas, columns, measure.amount(counts)));
            let name = name.unwrap_or(measures[0].label());
            lines.push(cells(canvas, columns, name, &amounts.collect::<Vec<_>>()));
        }
    }
}

/// Cells of names and of numbers; narrow numbers are rounded.
#[derive(Clone, Copy)]
struct Columns {
    names: usize,
    numbers: usize,
}

impl Columns {
    fn fitting(width: usize) -> Self {
        let is_wide = width >= NAMES + 2 * NUMBERS;
        let numbers = if is_wide { NUMBERS } else { SHORT_NUMBERS };
        Columns {
            names: NAMES.min(width.saturating_sub(2 * numbers)),
            numbers,
        }
    }
}

fn amount(canvas: &Canvas, columns: Columns, amount: Option<Amount>) -> String {
    match amount {
        Some(Amount::Count(count)) if columns.numbers < NUMBERS => compact(count),
        Some(Amount::Count(count)) => grouped(count),
        Some(Amount::Share(share)) => percent(share),
        None => canvas.theme().glyph("\u{2013}", "-").to_owned(),
    }
}

/// The head of a group of numbers that came to be in one way.
fn titled(canvas: &Canvas, columns: Columns, evidence: Evidence, group: &Group) -> Line<'static> {
    let theme = canvas.theme();
    let mut line = Line::from(vec![
        canvas.mark(evidence),
        Span::raw(" "),
        canvas.span(pad(group.name, columns.names - 2, theme), Role::Strong),
    ]);
    let width = columns.numbers;
    for column in group.columns {
        let name = fit(column, width - 1, theme);
        line.push_span(canvas.span(format!("{name:>width$}"), Role::Muted));
    }
    line
}

fn cells(canvas: &Canvas, columns: Columns, name: &str, values: &[String]) -> Line<'static> {
    let theme = canvas.theme();
    let width = columns.numbers;
    let mut line = canvas.text(pad(&format!("  {name}"), columns.names, theme), Role::Muted);
    for value in values {
        let role = if value == "0" {
            Role::Muted
        } else {
            Role::Text
        };
        line.push_span(canvas.span(format!("{value:>width$}"), role));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::GutterMetric;

    /// Counters that the screen says in another way: bytes as efficiency.
    const SAID_OTHERWISE: [Measure; 4] = [
        Measure::BytesRead,
        Measure::UsedBytesRead,
        Measure::BytesWritten,
        Measure::UsedBytesWritten,
    ];

    #[test]
    fn every_counter_has_a_place_on_the_screen() {
        let groups = GROUPS.iter().flat_map(|group| group.rows);
        let in_groups = groups.flat_map(|(_, measures)| measures.iter().copied());
        let in_gutter = GutterMetric::all().flat_map(GutterMetric::measures);
        let seen: Vec<Measure> = in_groups.chain(in_gutter).chain(SAID_OTHERWISE).collect();
        // What is no counter itself is made of those that are.
        let counters = Measure::ALL
            .iter()
            .filter(|measure| measure.json_path().is_some());
        let unseen: Vec<_> = counters.filter(|measure| !seen.contains(measure)).collect();
        assert!(unseen.is_empty(), "{unseen:?}");
    }
}
