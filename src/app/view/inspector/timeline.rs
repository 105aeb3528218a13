//! The steps of a warp as a bar: where it stands, how many lanes were active, and what happened.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::step::WarpStep;
use crate::app::state::{Action, InspectorAction, StepMark};
use crate::app::view::widgets::{Canvas, below, top};
use crate::device::grouped;
use crate::document::Role;
use crate::launch::WARP_LANES;

/// What stands before the bar.
const LABEL: usize = 6;
/// Most cells of a step.
const WIDEST: usize = 3;

/// The steps that one column stands for, taken together.
#[derive(Clone, Copy, Default)]
struct Column {
    /// The first of them.
    step: usize,
    /// Mean share of active lanes.
    active: f64,
    /// What any of them did.
    mark: StepMark,
    /// Whether a value differs on the real GPU behind one of them.
    differs: bool,
}

/// Draws one or two rows at the top of `area`: with two, the active lanes over the bar.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, warp_step: &WarpStep, rows: u16) {
    let cut = match warp_step.walk.is_truncated() {
        true => "+",
        false => "",
    };
    let at = grouped(warp_step.index as u64 + 1);
    let steps = grouped(warp_step.walk.steps() as u64) + cut;
    let label = format!(" {at} of {steps}");
    let widest = format!(" {steps} of {steps}").len() - cut.len();
    let room = usize::from(area.width)
        .saturating_sub(widest + LABEL)
        // Even where there is no room a step can be told from what is before and behind it.
        .max(3);
    let columns = columns(warp_step, room);
    // A few steps are drawn apart, so that a mouse finds them.
    let wide = (room / columns.len().max(1)).clamp(1, WIDEST);
    let mut bar = area;
    if rows > 1 {
        let profile = profile(canvas, &columns, wide);
        canvas.line(area, profile);
        bar = below(area, 1);
    }
    let mut line = draw_bar(canvas, top(area, rows), &columns, warp_step.index, wide);
    line.push_span(canvas.span(label, Role::Strong));
    canvas.line(top(bar, 1), line);
}

/// The columns in `wide` cells each, that of step `at` marked; a click in `area` goes to a column's first step.
fn draw_bar(
    canvas: &mut Canvas,
    area: Rect,
    columns: &[Column],
    at: usize,
    wide: usize,
) -> Line<'static> {
    let mut line = canvas.text("step  ", Role::Muted);
    let rule = canvas.theme().glyph("\u{2500}", "-").repeat(wide - 1);
    // Columns are sorted by their first step: the current one is the last that does not begin later.
    let current = columns.partition_point(|column| column.step <= at);
    let current = current.saturating_sub(1);
    for (place, column) in columns.iter().enumerate() {
        let (glyph, role) = match place == current {
            true => (canvas.theme().glyph("\u{25cf}", "O"), Role::Accent),
            false => glyph(canvas, column, place < current),
        };
        line.push_span(canvas.span(glyph, role));
        let behind = if place < current {
            Role::Accent
        } else {
            Role::Muted
        };
        line.push_span(canvas.span(&rule, behind));
        let scrub = Action::Inspector(InspectorAction::Scrub(column.step));
        for row in area.rows() {
            canvas.click_at_column(row, LABEL + place * wide, wide, scrub.clone());
        }
    }
    line
}

/// What the marks mean, those of them that this warp has.
pub(crate) fn legend(canvas: &Canvas, warp_step: &WarpStep, width: usize) -> Line<'static> {
    let theme = canvas.theme();
    let marks = warp_step
        .walk
        .block_history()
        .map_or(&[][..], |block| &block.marks);
    let any = |has: fn(&StepMark) -> bool| marks.iter().any(has);
    let rows = [
        (any(|mark| mark.barrier), barrier(canvas), "barrier"),
        (
            any(|mark| mark.global),
            theme.glyph("\u{25b4}", "^"),
            "global memory",
        ),
        (
            any(|mark| mark.shared),
            theme.glyph("\u{25b5}", "'"),
            "shared",
        ),
        (
            !differing(warp_step).is_empty(),
            differs(canvas),
            "differs on the real GPU",
        ),
    ];
    let mut line = Line::from(Span::raw(" ".repeat(LABEL)));
    for (_, glyph, meaning) in rows.into_iter().filter(|row| row.0) {
        // What has no room is left out whole.
        if line.width() + glyph.chars().count() + meaning.len() < width {
            line.push_span(canvas.span(glyph, Role::Text));
            line.push_span(canvas.span(format!(" {meaning}  "), Role::Muted));
        }
    }
    // The blanks behind the last are no reason to cut it.
    if let Some(last) = line.spans.last_mut() {
        last.content = last.content.trim_end().to_owned().into();
    }
    line
}

fn barrier(canvas: &Canvas) -> &'static str {
    canvas.theme().glyph("\u{2503}", "|")
}

fn differs(canvas: &Canvas) -> &'static str {
    canvas.theme().glyph("\u{2260}", "!")
}

/// The mark of what matters most in a column.
fn glyph(canvas: &Canvas, column: &Column, is_past: bool) -> (&'static str, Role) {
    let theme = canvas.theme();
    let role = if is_past { Role::Accent } else { Role::Muted };
    match column.mark {
        _ if column.differs => (differs(canvas), Role::Bad),
        StepMark { barrier: true, .. } => (barrier(canvas), role),
        StepMark { global: true, .. } => (theme.glyph("\u{25b4}", "^"), role),
        StepMark { shared: true, .. } => (theme.glyph("\u{25b5}", "'"), role),
        _ => (theme.glyph("\u{2500}", "-"), role),
    }
}

/// The share of active lanes, column by column.
fn profile(canvas: &Canvas, columns: &[Column], wide: usize) -> Line<'static> {
    let mut line = canvas.text("lanes ", Role::Muted);
    for column in columns {
        let role = match column.active {
            // All lanes active is as it should be; what stands out is divergence.
            1.0.. => Role::Muted,
            _ => Role::Warning,
        };
        let bar = canvas.theme().bar(column.active).repeat(wide);
        line.push_span(canvas.span(bar, role));
    }
    line
}

/// Steps behind which a value differs on the real GPU, in order.
fn differing(warp_step: &WarpStep) -> Vec<usize> {
    let visits = warp_step
        .compared
        .into_iter()
        .flat_map(|compared| &compared.visits);
    let steps = visits.flat_map(|visit| {
        let lanes = visit.classes.iter().zip(&visit.steps);
        lanes.filter_map(|(class, step)| class.as_ref()?.differs().then_some((*step)? as usize))
    });
    let mut steps: Vec<usize> = steps.collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The steps in `room` columns; fewer where there are fewer steps.
fn columns(warp_step: &WarpStep, room: usize) -> Vec<Column> {
    let steps = warp_step.walk.steps();
    let count = room.min(steps);
    let differing = differing(warp_step);
    let marks = warp_step.walk.block_history().map(|block| &block.marks);
    let of_step = |step: usize| match marks {
        Some(marks) => marks.get(step).copied().unwrap_or_default(),
        None => StepMark {
            active: warp_step.walk.active(step).count_ones() as u8,
            ..StepMark::default()
        },
    };
    let column = |place: usize| {
        // Integer bounds that meet: each step is in one column, and no column is empty since count <= steps.
        let (from, to) = (place * steps / count, (place + 1) * steps / count);
        let mut column = Column {
            step: from,
            differs: {
                let after = differing.partition_point(|&step| step < from);
                differing.get(after).is_some_and(|&step| step < to)
            },
            ..Column::default()
        };
        let mut lanes = 0_u64;
        for mark in (from..to).map(of_step) {
            lanes += u64::from(mark.active);
            column.mark.barrier |= mark.barrier;
            column.mark.global |= mark.global;
            column.mark.shared |= mark.shared;
        }
        column.active = lanes as f64 / ((to - from).max(1) * WARP_LANES) as f64;
        column
    };
    (0..count).map(column).collect()
}
