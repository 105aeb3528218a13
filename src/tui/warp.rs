//! Inside the kernel: the variables of one warp, all 32 lanes, at one statement.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::beside::{self, push_value, role_of};
use super::buffer::{draw_items, nothing};
use super::canvas::{Canvas, below, inset, top};
use super::lanes;
use super::launches::dims;
use super::moment::Moment;
use super::source;
use super::text::{pad, spread};
use crate::launch::{ComparedLanes, WARP_LANES};
use crate::lesson::RunCell;
use crate::session::{RunState, grouped};

/// Rows that the lanes need as rows of one table, with its heading.
const TABLE_ROWS: u16 = WARP_LANES as u16 + 1;
/// Rows above the variables: what to look at, whose step, timeline, source line, lanes, blanks.
const HEAD_ROWS: u16 = 7;

/// Draws the watched warp of the last result.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    let area = inset(area, 1);
    draw_items(canvas, area, cell, state);
    let rest = below(area, 2);
    let Some(ran) = state.ran.as_deref() else {
        return nothing(canvas, rest);
    };
    let moment = state
        .trace()
        .zip(state.step())
        .and_then(|((launch, trace), index)| {
            Some(Moment {
                ran,
                trace,
                launch,
                index,
                step: trace.steps.get(index)?,
                variable: state.inspector.variable(trace),
                order: state.inspector.order(trace),
                compared: state.compared(),
            })
        });
    let Some(moment) = moment else {
        return no_trace(canvas, rest, state);
    };
    draw_place(canvas, rest, cell, state, &moment);
    let summary = beside::summary(canvas, area.width.into(), state, &moment);
    canvas.line(below(rest, 4), summary);
    let body = below(area, HEAD_ROWS);
    if body.height >= TABLE_ROWS {
        lanes::draw(canvas, body, &moment);
    } else {
        draw_list_and_grid(canvas, body, &moment);
    }
}

fn no_trace(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let watch = state.inspector.watch;
    let block = dims(watch.block, ",");
    let lines = [
        format!(
            "Block {block}, warp {} did not run in this launch.",
            watch.warp
        ),
        "b chooses a block, w a warp, [ and ] a launch.".to_owned(),
    ];
    let lines = lines.map(|line| Line::from(canvas.span(line, Role::Muted)));
    canvas.lines(area, lines);
}

/// Whose step it is, where it stands in the run, its line, and its lanes.
fn draw_place(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState, moment: &Moment) {
    let theme = canvas.theme();
    let watch = moment.trace.watch;
    let kernel = moment.ran.result.outcome.launches.get(moment.launch);
    let kernel = kernel.map_or("", |launch| launch.kernel.as_str());
    let steps = moment.trace.steps.len();
    let mut place = Line::from(vec![
        canvas.span(kernel, Role::Strong),
        canvas.span("  block ", Role::Muted),
        canvas.span(dims(watch.block, ","), Role::Text),
        canvas.span("  warp ", Role::Muted),
        canvas.span(watch.warp.to_string(), Role::Text),
    ]);
    if state.inspector.watch != watch {
        place.push_span(canvas.span("  (as it ran)", Role::Warning));
    }
    canvas.line(area, place);
    let cut = if moment.trace.truncated { "+" } else { "" };
    let label = format!(
        " {} of {}{cut}",
        grouped(moment.index as u64 + 1),
        grouped(steps as u64)
    );
    let room = usize::from(area.width)
        .saturating_sub(label.len() + 5)
        .max(3);
    let at = moment.index * (room - 1) / steps.saturating_sub(1).max(1);
    let rule = theme.glyph("\u{2500}", "-");
    let knob = theme.glyph("\u{25cf}", "O");
    let timeline = Line::from(vec![
        canvas.span("step ", Role::Muted),
        canvas.span(rule.repeat(at), Role::Accent),
        canvas.span(knob, Role::Accent),
        canvas.span(rule.repeat(room - 1 - at), Role::Muted),
        canvas.span(label, Role::Strong),
    ]);
    canvas.line(below(area, 1), timeline);
    let source = source::line(canvas, cell, moment.step.line);
    canvas.line(below(area, 2), source);
    let lanes = lanes_line(canvas, moment.step.active);
    canvas.line(below(area, 3), lanes);
}

/// One mark a lane, in groups of eight: which executed the statement.
fn lanes_line(canvas: &Canvas, active: u32) -> Line<'static> {
    let theme = canvas.theme();
    let (on, off) = (theme.glyph("\u{25a0}", "#"), theme.glyph("\u{b7}", "."));
    let mut line = Line::from(canvas.span("lanes ", Role::Muted));
    for lane in 0..WARP_LANES {
        if lane > 0 && lane % 8 == 0 {
            line.push_span(Span::raw(" "));
        }
        let span = if active >> lane & 1 == 1 {
            canvas.span(on, Role::Good)
        } else {
            canvas.span(off, Role::Muted)
        };
        line.push_span(span);
    }
    let count = active.count_ones();
    line.push_span(canvas.span(format!("  {count} of 32 active"), Role::Muted));
    line
}

/// Variables in a list, and the chosen one's lanes in a grid below.
fn draw_list_and_grid(canvas: &mut Canvas, area: Rect, moment: &Moment) {
    let columns = if area.width >= 72 { 8 } else { 4 };
    let beside = moment.beside(moment.variable);
    let rows = (0..WARP_LANES).step_by(columns).map(|first| {
        let lanes = first..first + columns;
        match &beside {
            Some(beside) if beside::is_told(beside, lanes) => 2,
            _ => 1,
        }
    });
    let grid_rows = rows.sum::<u16>() + 1;
    let (list, gap) = match area.height.saturating_sub(grid_rows) {
        free @ 0..=2 => (free.max(1), 0),
        free => (free - 1, 1),
    };
    draw_list(canvas, top(area, list), moment);
    let beside = beside.as_ref();
    draw_grid(canvas, below(area, list + gap), moment, beside, columns);
}

fn draw_list(canvas: &mut Canvas, area: Rect, moment: &Moment) {
    let theme = canvas.theme();
    let variables = &moment.trace.variables;
    let visible = usize::from(area.height).max(1);
    let first = (moment.place() + 1).saturating_sub(visible);
    let widest = |of: fn(&crate::launch::TracedVariable) -> usize, most: usize| {
        variables.iter().map(of).max().unwrap_or(0).min(most)
    };
    let names = widest(|variable| variable.name.len(), 18);
    let types = widest(|variable| variable.type_name.len(), 14);
    let room = usize::from(area.width).saturating_sub(names + types + 6);
    for (row, &i) in area.rows().zip(moment.order.iter().skip(first)) {
        let variable = &variables[i];
        let chosen = i == moment.variable;
        let changed = moment.changed(i) != 0;
        let name_role = match (chosen, changed) {
            (true, _) => Role::Strong,
            (false, true) => Role::Warning,
            _ => Role::Text,
        };
        let glyph = if chosen {
            theme.glyph("\u{25b8}", ">")
        } else {
            " "
        };
        let dot = if changed {
            theme.glyph("\u{2022}", "*")
        } else {
            " "
        };
        let value_role = if changed { Role::Changed } else { Role::Text };
        let left = Line::from(vec![
            canvas.span(glyph, Role::Accent),
            canvas.span(dot, Role::Warning),
            canvas.span(pad(&variable.name, names, theme), name_role),
            Span::raw("  "),
            canvas.span(pad(&variable.type_name, types, theme), Role::Muted),
            Span::raw("  "),
            canvas.span(moment.in_words(i, room), value_role),
        ]);
        let (mark, mark_role) = beside::mark(canvas, moment, i);
        let right = Line::from(canvas.span(mark, mark_role));
        canvas.line(row, spread(left, right, area.width.into(), theme));
    }
}

fn draw_grid(
    canvas: &mut Canvas,
    area: Rect,
    moment: &Moment,
    beside: Option<&ComparedLanes>,
    columns: usize,
) {
    let Some(variable) = moment.trace.variables.get(moment.variable) else {
        return;
    };
    let cell = usize::from(area.width).saturating_sub(4) / columns;
    let mut head = Line::from(vec![
        canvas.span(&variable.name, Role::Strong),
        canvas.span(" in the 32 lanes", Role::Muted),
    ]);
    let Some(values) = moment.values(moment.variable) else {
        head.push_span(canvas.span(": not set yet", Role::Muted));
        return canvas.line(area, head);
    };
    if moment.compared.is_some() {
        head.push_span(canvas.span(beside::heading(beside), Role::Muted));
    }
    canvas.line(area, head);
    let changed = moment.changed(moment.variable);
    let mut rows = below(area, 1).rows();
    for lanes in (0..WARP_LANES).step_by(columns) {
        let mut line = Line::from(canvas.span(format!("{lanes:>3} "), Role::Muted));
        for (lane, &bits) in values.iter().enumerate().skip(lanes).take(columns) {
            let text = moment.text(moment.variable, bits, cell.saturating_sub(1).min(12));
            push_value(
                canvas,
                &mut line,
                &text,
                cell,
                role_of(moment, changed, lane),
            );
        }
        let Some(row) = rows.next() else { return };
        canvas.line(row, line);
        let told = beside.filter(|beside| beside::is_told(beside, lanes..lanes + columns));
        if let (Some(beside), Some(row)) = (told, told.and_then(|_| rows.next())) {
            let mut line = Line::from(canvas.span("real", Role::Muted));
            for lane in lanes..lanes + columns {
                let (text, role) = beside::lane(canvas, moment, beside, lane, cell - 1);
                push_value(canvas, &mut line, &text, cell, role);
            }
            canvas.line(row, line);
        }
    }
}
