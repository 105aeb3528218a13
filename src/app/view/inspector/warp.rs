//! Inside the kernel: the variables of one warp, all 32 lanes, at one statement.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::items::nothing;
use super::real_values;
use super::real_values::{change_mark, push_value, role_of};
use super::step::WarpStep;
use super::{access, active_mask, lane_steps, lanes, timeline};
use crate::app::state::{Action, InspectorAction, RunState, SourceVariable, Tab};
use crate::app::view::widgets::{Canvas, below, block_index, inset, top};
use crate::document::{Role, pad, spread};
use crate::launch::{ComparedLanes, Engine, LaneValues, WARP_LANES};
use crate::lesson::RunCell;

/// Rows that the lanes need as rows of one table, with its heading.
const TABLE_ROWS: u16 = WARP_LANES as u16 + 1;
/// Least rows of variables under what the lanes did, with a blank above.
const LIST_ROWS: u16 = 4;
/// Height from which the timeline shows the active lanes too, and from which it explains its marks.
const PROFILE_HEIGHT: u16 = 16;
const LEGEND_HEIGHT: u16 = 26;
/// Height from which a row says how a recorded warp compares: below it the lanes need that row.
const COMPARED_HEIGHT: u16 = 12;

/// Columns in which the steps can stand behind the place, and between the two.
const LEAST_TIMELINE: u16 = 26;
const GAP: u16 = 3;

/// Draws the watched warp of the last result: its lanes, or its access where `tab` is that.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, tab: Tab, cell: &RunCell, state: &RunState) {
    let rest = inset(area, 1);
    if state.ran.is_none() {
        return nothing(canvas, rest, state);
    }
    let Some(step) = WarpStep::new(state) else {
        return no_trace(canvas, rest, state);
    };
    let body = draw_place(canvas, rest, state, &step, tab);
    if tab == Tab::Access {
        return access::draw_alone(canvas, body, cell, state, &step);
    }
    match (state.inspector.as_numbers, body.height >= TABLE_ROWS) {
        (false, _) => draw_strip(canvas, body, &step),
        (true, true) => lanes::draw(canvas, body, &step),
        (true, false) => draw_list_and_grid(canvas, body, &step),
    }
}

/// What each lane did over time, and under it the variables as far as there is room.
fn draw_strip(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    // The list of variables needs its rows first: a strip without values tells nothing.
    let room = area.height.saturating_sub(LIST_ROWS);
    let rows = lane_steps::rows(canvas, step, area.width.into(), room);
    let rows = rows.min(area.height);
    lane_steps::draw(canvas, top(area, rows), step);
    let rest = below(area, rows);
    match rest.height {
        0 => {}
        LIST_ROWS.. => draw_list(canvas, below(rest, 1), step),
        // Few variables, and no blank above them, rather than none.
        _ => draw_list(canvas, rest, step),
    }
}

fn no_trace(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let watch = state.inspector.watch;
    let grid = state.watched_launch().map_or([1; 3], |launch| launch.0);
    let block = block_index(watch.block, grid);
    let first = match (&state.history.error, state.is_looking()) {
        (Some(error), _) => error.clone(),
        (None, true) => format!("Steps through block {block}\u{2026}"),
        (None, false) => format!(
            "Block {block}, warp {} did not run in this launch.",
            watch.warp
        ),
    };
    let second = "b chooses a block and warp, [ and ] a launch.".to_owned();
    let lines = [first, second].map(|line| canvas.text(line, Role::Muted));
    canvas.lines(area, lines);
}

/// Whose step it is, where it stands in the run, its line, and its lanes; what is left of `area` below.
fn draw_place(
    canvas: &mut Canvas,
    area: Rect,
    state: &RunState,
    step: &WarpStep,
    tab: Tab,
) -> Rect {
    let height = area.height;
    let rest = draw_steps(canvas, area, state, step, tab);
    if tab == Tab::Access {
        return rest;
    }
    active_mask::draw(canvas, top(rest, 1), step);
    let mut rest = below(rest, 1);
    // On a real GPU a row is kept for its values from the start, so that nothing moves when they come.
    let is_real = step.ran.result.outcome.engine == Engine::Gpu;
    let is_compared = step.compared.is_some() || state.capturing.is_some();
    if is_real || is_compared && height >= COMPARED_HEIGHT {
        let summary = real_values::summary(canvas, area.width.into(), state, step);
        canvas.line(rest, summary);
        rest = below(rest, 1);
    }
    below(rest, u16::from(height >= PROFILE_HEIGHT + 2))
}

/// Kernel, block and warp, and where the step stands in the run; what is left of `area` below.
fn draw_steps(
    canvas: &mut Canvas,
    area: Rect,
    state: &RunState,
    step: &WarpStep,
    tab: Tab,
) -> Rect {
    let is_low = area.height < PROFILE_HEIGHT;
    // With few rows the steps stand behind the place, which leaves them room.
    let beside = if is_low { LEAST_TIMELINE + GAP } else { 0 };
    let room = area.width.saturating_sub(beside);
    let place = place(canvas, room.into(), state, step);
    let place_width = place.width() as u16;
    let is_beside = is_low && place_width + beside <= area.width;
    canvas.line(area, place);
    let pick = Rect {
        width: if is_beside { place_width } else { area.width },
        ..top(area, 1)
    };
    canvas.click(pick, Action::Inspector(InspectorAction::PickBlock));
    // The picture of an access has to have the rows; where in the block one is, one row says.
    let is_brief = is_low || tab == Tab::Access;
    let rows = if is_brief { 1 } else { 2 };
    let mut rest = below(area, 1);
    if is_beside {
        let row = top(area, 1);
        let x = row.x + place_width + GAP;
        let width = row.right() - x;
        timeline::draw(canvas, Rect { x, width, ..row }, step, 1);
    } else {
        timeline::draw(canvas, top(rest, rows), step, rows);
        rest = below(rest, rows);
    }
    if area.height >= LEGEND_HEIGHT && !is_brief {
        let legend = timeline::legend(canvas, step, rest.width.into());
        canvas.line(rest, legend);
        rest = below(rest, 1);
    }
    rest
}

/// Kernel, block and warp.
fn place(canvas: &Canvas, width: usize, state: &RunState, step: &WarpStep) -> Line<'static> {
    let watch = step.walk.watch();
    let grid = state.watched_launch().map_or([1; 3], |launch| launch.0);
    let kernel = step.ran.result.outcome.launches.get(step.launch);
    let kernel = kernel.map_or("", |launch| launch.kernel.as_str());
    let mut place = Line::from(vec![
        canvas.span(kernel, Role::Strong),
        canvas.span("  block ", Role::Muted),
        canvas.span(block_index(watch.block, grid), Role::Text),
        canvas.span("  warp ", Role::Muted),
        canvas.span(watch.warp.to_string(), Role::Text),
    ]);
    // The old warp stays on screen until the new one was stepped through.
    let wanted = state.inspector.watch;
    if let Some(error) = &state.history.error {
        place.push_span(canvas.span(format!("  {error}"), Role::Bad));
    } else if wanted != watch {
        let (block, warp) = (block_index(wanted.block, grid), wanted.warp);
        let text = format!("  (block {block} warp {warp} comes)");
        place.push_span(canvas.span(text, Role::Warning));
    } else {
        let key = canvas.keys(&[("b", " another")]);
        if place.width() + 2 + key.width() <= width {
            place.push_span(Span::raw("  "));
            place.spans.extend(key.spans);
        }
    }
    place
}

/// Variables in a list, and the chosen one's lanes in a grid below.
fn draw_list_and_grid(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    // Powers of two, so that lane 8 or 16 begins a row: strides of kernels show as columns.
    let columns = if area.width >= 72 { 8 } else { 4 };
    let compared = step.compared_lanes(step.variable);
    let rows = (0..WARP_LANES).step_by(columns).map(|first| {
        let lanes = first..first + columns;
        match &compared {
            Some(compared) if real_values::has_real_lane(compared, lanes) => 2,
            _ => 1,
        }
    });
    let grid_rows = rows.sum::<u16>() + 1;
    let (list, gap) = match area.height.saturating_sub(grid_rows) {
        free @ 0..=2 => (free.max(1), 0),
        free => (free - 1, 1),
    };
    let variables = (step.order.len() as u16).max(1);
    let list = list.min(variables);
    draw_list(canvas, top(area, list), step);
    let compared = compared.as_ref();
    draw_grid(canvas, below(area, list + gap), step, compared, columns);
}

fn draw_list(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    let visible = usize::from(area.height).max(1);
    // The variable that is looked at stays in sight, at the bottom if need be.
    let first = (step.place() + 1).saturating_sub(visible);
    let named: Vec<_> = step
        .order
        .iter()
        .filter_map(|&at| step.walk.variable(at))
        .collect();
    let widest = |of: fn(&SourceVariable) -> usize, most: usize| {
        named.iter().map(of).max().unwrap_or(0).min(most)
    };
    let width = usize::from(area.width);
    let names = widest(|named| own_name(named.name).len(), width / 2);
    let types = widest(|named| named.type_name.len(), usize::MAX);
    let columns = ListColumns {
        names,
        // A type that has no room beside names and values is left out whole.
        types: Some(types).filter(|types| names + types + 6 + LEAST_VALUE <= width),
    };
    // How many there are below, in the last row, unless that has a mark to show.
    let hidden = step.order.len().saturating_sub(first + visible);
    for (row, &variable) in area.rows().zip(step.order.iter().skip(first)) {
        canvas.click(
            row,
            Action::Inspector(InspectorAction::SelectVariable(variable)),
        );
        let below = if row.y + 1 == area.bottom() {
            hidden
        } else {
            0
        };
        let line = list_row(canvas, step, variable, &columns, width, below);
        canvas.line(row, line);
    }
}

/// A variable in the list, and how it compares with the real GPU's or, where it does not, that so many follow `below`.
fn list_row(
    canvas: &Canvas,
    step: &WarpStep,
    variable: usize,
    columns: &ListColumns,
    width: usize,
    below: usize,
) -> Line<'static> {
    let (mark, role) = real_values::mark(canvas, step, variable);
    let more = match (mark.is_empty(), below) {
        (true, 1..) => format!("+{below}"),
        _ => String::new(),
    };
    // A value has as many digits as leave room for the glyph of its mark, or for what stands in its place.
    let taken = if mark.is_empty() { more.len() } else { 1 };
    let room = width.saturating_sub(if taken == 0 { 0 } else { taken + 1 });
    let left = in_list(canvas, step, variable, columns, room);
    let right = match more.is_empty() {
        true => canvas.text(shortened(mark, &left, width), role),
        false => canvas.text(more, Role::Muted),
    };
    spread(left, right, width, canvas.theme())
}

/// A mark beside a value on `width` cells: its glyph alone where the value is whole only then.
fn shortened(mark: String, value: &Line, width: usize) -> String {
    let is_cut = value.width() + 2 > width;
    match is_cut || value.width() + mark.chars().count() < width {
        true => mark,
        false => mark.chars().take(1).collect(),
    }
}

/// Cells of the names and types in the list of variables.
struct ListColumns {
    names: usize,
    types: Option<usize>,
}

/// Cells that a value in words has at least: a range with the fewest digits of its ends, and what stands after it.
const LEAST_VALUE: usize = 18;

/// A variable's name without that of the function it belongs to, which was inlined: `held` of `softmax_row<1>::held`.
fn own_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// A variable with its type, and its values in short, on `width` cells.
fn in_list(
    canvas: &Canvas,
    step: &WarpStep,
    variable: usize,
    columns: &ListColumns,
    width: usize,
) -> Line<'static> {
    let theme = canvas.theme();
    let Some(named) = step.walk.variable(variable) else {
        return Line::default();
    };
    let chosen = variable == step.variable;
    let lanes_changed = step.changed(variable);
    let changed = lanes_changed != 0;
    let is_alive = step.is_alive(variable);
    let name_role = match (chosen, changed, is_alive) {
        (true, ..) => Role::Strong,
        (false, true, _) => Role::Warning,
        (false, false, true) => Role::Text,
        (false, false, false) => Role::Muted,
    };
    let value_role = match (changed, is_alive) {
        (true, _) => Role::Changed,
        (false, true) => Role::Text,
        (false, false) => Role::Muted,
    };
    let mut line = Line::from(vec![
        canvas.pointer(chosen),
        change_mark(canvas, lanes_changed),
        canvas.span(pad(own_name(named.name), columns.names, theme), name_role),
        Span::raw("  "),
    ]);
    if let Some(types) = columns.types {
        line.push_span(canvas.span(pad(named.type_name, types, theme), Role::Muted));
        line.push_span(Span::raw("  "));
    }
    let room = width.saturating_sub(line.width());
    line.push_span(canvas.span(step.in_words(variable, room), value_role));
    line
}

fn draw_grid(
    canvas: &mut Canvas,
    area: Rect,
    step: &WarpStep,
    compared: Option<&ComparedLanes>,
    columns: usize,
) {
    let Some(variable) = step.walk.variable(step.variable) else {
        return;
    };
    let cell = usize::from(area.width).saturating_sub(4) / columns;
    let mut head = Line::from(vec![
        canvas.span(variable.name, Role::Strong),
        canvas.span(" in the 32 lanes", Role::Muted),
    ]);
    let Some(values) = step.values(step.variable) else {
        head.push_span(canvas.span(": not set yet", Role::Muted));
        return canvas.line(area, head);
    };
    if step.compared.is_some() {
        head.push_span(canvas.span(real_values::heading(compared), Role::Muted));
    }
    canvas.line(area, head);
    let mut rows = below(area, 1).rows();
    for first in (0..WARP_LANES).step_by(columns) {
        let lanes = first..first + columns;
        let Some(row) = rows.next() else { return };
        let line = simulated_lanes(canvas, step, &values, lanes.clone(), cell);
        canvas.line(row, line);
        if let Some(compared) = compared
            && real_values::has_real_lane(compared, lanes.clone())
            && let Some(row) = rows.next()
        {
            let line = real_lanes(canvas, step, compared, lanes, cell);
            canvas.line(row, line);
        }
    }
}

/// What the real GPU holds in some lanes, each in `width` cells.
fn real_lanes(
    canvas: &Canvas,
    step: &WarpStep,
    compared: &ComparedLanes,
    lanes: Range<usize>,
    width: usize,
) -> Line<'static> {
    let mut line = canvas.text("real", Role::Muted);
    for lane in lanes {
        let (text, role) = real_values::lane(canvas, step, compared, lane, width - 1);
        push_value(canvas, &mut line, &text, width, role);
    }
    line
}

/// The chosen variable's values in some lanes, behind the number of the first, each in `width` cells.
fn simulated_lanes(
    canvas: &Canvas,
    step: &WarpStep,
    values: &LaneValues,
    lanes: Range<usize>,
    width: usize,
) -> Line<'static> {
    let changed = step.changed(step.variable);
    let mut line = canvas.text(format!("{:>3} ", lanes.start), Role::Muted);
    for lane in lanes {
        let text = step.text(step.variable, values[lane], width.saturating_sub(1).min(12));
        let role = match lane == step.lane {
            true => Role::Selection,
            false => role_of(step, step.variable, changed, lane),
        };
        push_value(canvas, &mut line, &text, width, role);
    }
    line
}
