//! What a run counted, held against formulas and reference; or why it did not run.

use ansi_to_tui::IntoText;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{accesses, contrast, formulas, levels, measured, verified};
use crate::app::state::{Extent, Model, Ran, RunState};
use crate::app::view::widgets::{Canvas, inset};
use crate::device::grouped;
use crate::device::percent;
use crate::document::Role;
use crate::document::Theme;
use crate::document::pad;
use crate::document::{fold, wrap};
use crate::launch::{Amount, Counts, Evidence, Measure};
use crate::lesson::RunCell;
use crate::source::{self, Diagnostic, Severity, SourceFile};

/// Width of the names in the table.
const NAMES: usize = 21;
/// Width of a number in the table.
const NUMBERS: usize = 12;

/// Whose counts are on screen, for the frame's edge.
pub(crate) fn scope(canvas: &Canvas, model: &Model, state: &RunState) -> Line<'static> {
    if state.shown().is_some_and(|ran| model.is_stale(ran)) {
        return Line::from(canvas.span(" stale ", Role::Warning));
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
    Line::from(canvas.span(text, Role::Muted))
}

/// Draws counts and verdicts, or what went wrong.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    let inner = inset(area, 1);
    let lines = lines(canvas, usize::from(inner.width), cell, state);
    let extent = Extent {
        content: lines.len(),
        visible: inner.height.into(),
    };
    canvas.drawn.seen.counts = extent;
    let scroll = state.counts_scroll.min(extent.max_scroll());
    canvas.lines(inner, lines.into_iter().skip(scroll));
}

fn lines(canvas: &Canvas, width: usize, cell: &RunCell, state: &RunState) -> Vec<Line<'static>> {
    let failed = state.error.as_ref().or(state.plan.as_ref().err());
    if let Some(error) = failed {
        let pieces = [(
            canvas.theme().text(error).into_owned(),
            canvas.theme().style(Role::Text),
        )];
        let mut lines = vec![
            Line::from(canvas.span("This cell cannot run", Role::Bad)),
            Line::default(),
        ];
        lines.extend(wrap(&pieces, width, &[], &[]));
        return lines;
    }
    let ran = state.shown().map(|ran| &**ran);
    let reports = ran.map_or(&[][..], |ran| &ran.result.outcome.reports);
    let mut lines: Vec<Line<'static>> = reports
        .iter()
        .flat_map(|report| {
            let ran = ran.and_then(|ran| ran.plan.sources.get(report.source));
            let file = ran.map_or(&cell.source, |source| &source.file);
            diagnostic(canvas, file, &report.diagnostic)
        })
        .flat_map(|line| fold(line, width))
        .collect();
    let errors = reports
        .iter()
        .any(|report| report.diagnostic.severity == Severity::Error);
    if errors {
        return lines;
    }
    if let Some(ran) = ran {
        checks(canvas, cell, ran, width, &mut lines);
        lines.extend(contrast::lines(canvas, width, state));
    }
    lines.extend(levels::lines(canvas, width, state));
    if let Some(ran) = ran {
        let measured = measured::lines(canvas, state, ran);
        lines.extend(measured.into_iter().flat_map(|line| fold(line, width)));
    }
    let Some(counts) = state.counts() else {
        if ran.is_some() {
            return lines;
        }
        lines.push(Line::from(
            canvas.span("Nothing is counted yet.", Role::Muted),
        ));
        lines.push(Line::default());
        lines.push(Line::from(vec![
            canvas.span("enter", Role::Key),
            canvas.span(" runs this cell", Role::Muted),
        ]));
        return lines;
    };
    table(canvas, &counts, &mut lines);
    if let Some(ran) = ran {
        lines.extend(accesses::lines(canvas, cell, state, ran));
    }
    lines
}

/// A diagnostic as the compiler shows it.
pub(crate) fn diagnostic(
    canvas: &Canvas,
    file: &SourceFile,
    diagnostic: &Diagnostic,
) -> Vec<Line<'static>> {
    let text = source::render(diagnostic, file, source::Style::Ansi);
    let theme = canvas.theme();
    let parsed = text
        .into_text()
        .map_or_else(|_| Vec::new(), |text| text.lines);
    let mut lines: Vec<Line<'static>> = parsed
        .into_iter()
        .map(|line| {
            let spans = line.spans.into_iter().map(|span| {
                let style = in_theme(span.style, theme);
                Span::styled(theme.text(&span.content).into_owned(), style)
            });
            Line::from(spans.collect::<Vec<_>>())
        })
        .collect();
    lines.push(Line::default());
    lines
}

/// The same in the theme's colours. Resets come as colours; here they mean none.
fn in_theme(style: Style, theme: Theme) -> Style {
    Style {
        fg: style.fg.and_then(|colour| theme.named(colour)),
        bg: None,
        underline_color: None,
        ..style
    }
}

/// Formulas and the verification, each with its verdict.
fn checks(
    canvas: &Canvas,
    cell: &RunCell,
    ran: &Ran,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let result = &ran.result;
    for (i, formula) in result.formulas.iter().enumerate() {
        let text = cell.formulas.get(i).map(|check| check.formula.textbook());
        let text = text.as_deref().unwrap_or(&formula.formula);
        lines.extend(formulas::lines(canvas, width, (formula, text), ran.edited));
    }
    if let Some(verified) = &result.verified {
        lines.extend(verified::lines(canvas, verified, width));
    }
    if result.is_clean() {
        lines.extend(verified::clean(canvas, width));
    }
    if !lines.is_empty() {
        lines.push(Line::default());
    }
}

pub(crate) fn mark(canvas: &Canvas, ok: bool) -> Span<'static> {
    let theme = canvas.theme();
    let (mark, role) = if ok {
        (theme.glyph("\u{2713} ", "ok "), Role::Good)
    } else {
        (theme.glyph("\u{2717} ", "X  "), Role::Bad)
    };
    Span::styled(mark, theme.style(role))
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
const GROUPS: [Group; 8] = [
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
    Group { name: "atomics", columns: &["requests", "elements"], shown_for: Some(Measure::AtomicRequests), rows: &[
        (Some("global"), &[Measure::AtomicRequests, Measure::AtomicElements]),
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

fn table(canvas: &Canvas, counts: &Counts, lines: &mut Vec<Line<'static>>) {
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
        lines.push(titled(canvas, evidence, group.name, group.columns));
        for (name, measures) in group.rows {
            let amounts = measures
                .iter()
                .map(|measure| amount(canvas, measure.amount(counts)));
            let name = name.unwrap_or(measures[0].label());
            lines.push(cells(canvas, name, &amounts.collect::<Vec<_>>()));
        }
    }
}

fn amount(canvas: &Canvas, amount: Option<Amount>) -> String {
    match amount {
        Some(Amount::Count(count)) => grouped(count),
        Some(Amount::Share(share)) => percent(share),
        None => canvas.theme().glyph("\u{2013}", "-").to_owned(),
    }
}

/// The head of a group of numbers that came to be in one way.
fn titled(canvas: &Canvas, evidence: Evidence, name: &str, columns: &[&str]) -> Line<'static> {
    let theme = canvas.theme();
    let mut line = Line::from(vec![
        canvas.mark(evidence),
        Span::raw(" "),
        canvas.span(pad(name, NAMES - 2, theme), Role::Strong),
    ]);
    for column in columns {
        line.push_span(canvas.span(format!("{column:>NUMBERS$}"), Role::Muted));
    }
    line
}

fn cells(canvas: &Canvas, name: &str, values: &[String]) -> Line<'static> {
    let theme = canvas.theme();
    let mut line = Line::from(canvas.span(pad(&format!("  {name}"), NAMES, theme), Role::Muted));
    for value in values {
        let role = if value == "0" {
            Role::Muted
        } else {
            Role::Text
        };
        line.push_span(canvas.span(format!("{value:>NUMBERS$}"), role));
    }
    line
}
