//! Bytes moved at each level of memory, as bars of one scale, marked where distinct elements alone would end.

use ratatui::text::{Line, Span};

use crate::app::state::cells::run::levels::levels;
use crate::app::state::{MemoryLevel, RunState};
use crate::app::view::widgets::Canvas;
use crate::document::{Role, bytes};
use crate::lesson::times;

/// Cells of a row that are not its bar.
const BESIDE: usize = 34;
/// Cells of the factor among them.
const FACTOR: usize = 9;
/// Shortest and longest bar.
const BAR: (usize, usize) = (8, 48);

/// How a row is laid out.
#[derive(Clone, Copy)]
struct Form {
    /// Cells of the bar.
    bar: usize,
    /// Whether there is room for how often distinct elements would fit.
    has_factor: bool,
}

impl Form {
    fn fitting(width: usize) -> Self {
        let has_factor = width >= BESIDE + BAR.0;
        let beside = if has_factor { BESIDE } else { BESIDE - FACTOR };
        Form {
            bar: width.saturating_sub(beside).clamp(BAR.0, BAR.1),
            has_factor,
        }
    }
}

/// A heading, and a row for each level; none where nothing was counted.
pub(crate) fn lines(canvas: &Canvas, width: usize, state: &RunState) -> Vec<Line<'static>> {
    let levels = state.counts().map(|counts| levels(&counts));
    draw(canvas, width, state, &levels.unwrap_or_default())
}

/// What was requested, and what L2 and device memory moved of it; where they are not modelled, what L1 moved.
pub(crate) fn in_short(canvas: &Canvas, width: usize, state: &RunState) -> Vec<Line<'static>> {
    let levels = state.counts().map(|counts| levels(&counts));
    let mut levels = levels.unwrap_or_default();
    let is_modelled = levels.iter().any(|level| level.name == "L2");
    levels.retain(|level| match level.name {
        "L1" => !is_modelled,
        _ => level.is_global,
    });
    draw(canvas, width, state, &levels)
}

fn draw(
    canvas: &Canvas,
    width: usize,
    state: &RunState,
    levels: &[MemoryLevel],
) -> Vec<Line<'static>> {
    let most = levels.iter().map(|level| level.bytes).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    let distinct = state
        .shown()
        .and_then(|ran| ran.distinct_bytes(state.launch));
    let form = Form::fitting(width);
    let mut lines = vec![heading(canvas, width, distinct)];
    lines.extend(
        levels
            .iter()
            .map(|level| row(canvas, level, most, distinct, form)),
    );
    lines.push(Line::default());
    lines
}

fn heading(canvas: &Canvas, width: usize, distinct: Option<u64>) -> Line<'static> {
    let mut line = canvas.text("bytes moved, linear scale", Role::Strong);
    if let Some(distinct) = distinct {
        let mark = canvas.theme().glyph("\u{2503}", "|");
        let least = format!(" distinct {}", bytes(distinct));
        if line.width() + 3 + least.len() > width {
            line = canvas.text("bytes moved", Role::Strong);
        }
        line.push_span(canvas.span(format!("  {mark}"), Role::Good));
        line.push_span(canvas.span(least, Role::Muted));
    }
    line
}

fn row(
    canvas: &Canvas,
    level: &MemoryLevel,
    most: u64,
    distinct: Option<u64>,
    form: Form,
) -> Line<'static> {
    let share = |bytes: u64| bytes as f64 / most.max(1) as f64;
    // Shared memory holds no buffer of the launch: its bytes have no such least.
    let distinct = distinct.filter(|_| level.is_global);
    let mut line = Line::from(vec![
        canvas.span(format!("  {:<9} ", level.name), Role::Text),
        canvas.mark(level.evidence),
        Span::raw(" "),
    ]);
    line.spans.extend(bar(
        canvas,
        share(level.bytes),
        // The mark may lie beyond the bar: caches that still hold a buffer move less than its distinct elements.
        distinct.map(share).filter(|&at| at <= 1.0),
        form.bar,
    ));
    line.push_span(canvas.span(format!(" {:>9}", bytes(level.bytes)), Role::Text));
    if let Some(distinct) = distinct.filter(|_| form.has_factor) {
        let factor = times(level.bytes as f64 / distinct as f64);
        line.push_span(canvas.span(format!(" {factor:>8}"), Role::Muted));
    }
    line
}

/// A bar filled to `share`, with a mark at another.
fn bar(canvas: &Canvas, share: f64, mark: Option<f64>, width: usize) -> Vec<Span<'static>> {
    let theme = canvas.theme();
    let (full, empty) = theme.gauge(share, width);
    let filled = full.chars().count();
    let cells: Vec<char> = full.chars().chain(empty.chars()).collect();
    let marked = mark.map(|at| ((at * width as f64).round() as usize).min(width - 1));
    let style = theme.style(Role::Accent);
    let piece = |from: usize, to: usize| -> Vec<Span<'static>> {
        let cut = filled.clamp(from, to);
        let text = |range: std::ops::Range<usize>| cells[range].iter().collect::<String>();
        vec![
            Span::styled(text(from..cut), style),
            canvas.span(text(cut..to), Role::Muted),
        ]
    };
    let Some(at) = marked else {
        return piece(0, width);
    };
    let mut spans = piece(0, at);
    spans.push(canvas.span(theme.glyph("\u{2503}", "|"), Role::Good));
    spans.extend(piece(at + 1, width));
    spans
}
