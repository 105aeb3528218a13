//! What a run counted, held against formulas and reference; or why it did not run.

use ansi_to_tui::IntoText;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{accesses, contrast, formulas, levels, measured, verified};
use crate::app::state::{Extent, Model, Ran, RunState, grouped};
use crate::app::view::widgets::{Canvas, inset};
use crate::device::percent;
use crate::document::Role;
use crate::document::Theme;
use crate::document::pad;
use crate::document::{fold, wrap};
use crate::launch::{Counts, Evidence, GlobalCounts, SharedCounts};
use crate::lesson::RunCell;
use crate::source::{self, Diagnostic, Severity, SourceFile};

/// One of the counts of loads or stores.
type Of = fn(&GlobalCounts) -> u64;
/// The same of shared memory.
type OfShared = fn(&SharedCounts) -> u64;

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

fn table(canvas: &Canvas, counts: &Counts, lines: &mut Vec<Line<'static>>) {
    let (load, store) = (&counts.global_load, &counts.global_store);
    lines.push(head(canvas, "global memory", &["loads", "stores"]));
    let rows: [(&str, Of); 5] = [
        ("elements", |counts| counts.elements),
        ("distinct elements", |counts| counts.distinct_elements),
        ("requests", |counts| counts.requests),
        ("sectors", |counts| counts.sectors),
        ("lines", |counts| counts.lines),
    ];
    for (name, of) in rows {
        lines.push(numbers(canvas, name, &[of(load), of(store)]));
    }
    let efficiency = [load, store].map(|counts| {
        let none = || canvas.theme().glyph("\u{2013}", "-").to_owned();
        counts.efficiency().map_or_else(none, percent)
    });
    lines.push(cells(canvas, "efficiency", &efficiency));
    let (load, store) = (&counts.shared_load, &counts.shared_store);
    lines.push(Line::default());
    lines.push(head(canvas, "shared memory", &["loads", "stores"]));
    let rows: [(&str, OfShared); 3] = [
        ("requests", |counts| counts.requests),
        ("wavefronts", |counts| counts.wavefronts),
        ("bank conflicts", |counts| counts.bank_conflicts),
    ];
    for (name, of) in rows {
        lines.push(numbers(canvas, name, &[of(load), of(store)]));
    }
    if counts.global_atomic.requests > 0 {
        let atomic = &counts.global_atomic;
        lines.push(Line::default());
        lines.push(head(canvas, "atomics", &["requests", "elements"]));
        lines.push(numbers(
            canvas,
            "global",
            &[atomic.requests, atomic.elements],
        ));
    }
    if counts.constant_load.requests > 0 {
        let constant = &counts.constant_load;
        lines.push(Line::default());
        lines.push(head(canvas, "constant memory", &["requests", "addresses"]));
        let both = [constant.requests, constant.distinct_addresses];
        lines.push(numbers(canvas, "loads", &both));
    }
    caches(canvas, counts, lines);
    let (fp32, branches) = (&counts.fp32, &counts.branches);
    lines.push(Line::default());
    lines.push(head(canvas, "operations", &["fp32"]));
    lines.push(numbers(canvas, "add, subtract", &[fp32.add]));
    lines.push(numbers(canvas, "multiply", &[fp32.mul]));
    lines.push(numbers(canvas, "fused multiply-add", &[fp32.fma]));
    lines.push(numbers(canvas, "special functions", &[fp32.special]));
    if counts.tensor.mma > 0 {
        let both = [counts.tensor.mma, counts.tensor.multiply_adds];
        lines.push(Line::default());
        lines.push(head(canvas, "tensor cores", &["instructions", "mul-adds"]));
        lines.push(numbers(canvas, "of warps", &both));
    }
    lines.push(Line::default());
    lines.push(head(canvas, "branches", &["executed", "divergent"]));
    lines.push(numbers(
        canvas,
        "of warps",
        &[branches.executed, branches.divergent],
    ));
}

/// The memory levels behind the SMs, where their model ran.
fn caches(canvas: &Canvas, counts: &Counts, lines: &mut Vec<Line<'static>>) {
    let (Some(l1), Some(l2), Some(dram)) = (counts.l1.0, counts.l2.0, counts.dram.0) else {
        return;
    };
    lines.push(Line::default());
    let name = "caches, modelled";
    lines.push(titled(
        canvas,
        Evidence::Modelled,
        name,
        &["read", "written"],
    ));
    lines.push(numbers(canvas, "L1 sectors hit", &[l1.load_sectors_hit]));
    let l2_sectors = [l2.read_sectors, l2.write_sectors];
    lines.push(numbers(canvas, "L2 sectors", &l2_sectors));
    lines.push(numbers(canvas, "of them hit", &[l2.read_sectors_hit]));
    let memory_bytes = [dram.read_bytes, dram.write_bytes];
    lines.push(numbers(canvas, "memory bytes", &memory_bytes));
}

fn head(canvas: &Canvas, name: &str, columns: &[&str]) -> Line<'static> {
    titled(canvas, Evidence::Counted, name, columns)
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

fn numbers(canvas: &Canvas, name: &str, values: &[u64]) -> Line<'static> {
    let values: Vec<String> = values.iter().map(|&value| grouped(value)).collect();
    cells(canvas, name, &values)
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
