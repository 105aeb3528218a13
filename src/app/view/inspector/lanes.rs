//! Lanes × variables, where there is height for a row of each lane.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::active_mask;
use super::real_values;
use super::real_values::{push_value, role_of};
use super::step::WarpStep;
use crate::app::state::{Action, InspectorAction};
use crate::app::view::widgets::{Canvas, below};
use crate::document::{Role, fit};
use crate::launch::{ComparedLanes, LaneValues, WARP_LANES};

/// Width of a column.
const CELL: usize = 12;

/// A column: a variable, or what the real GPU holds in the one before it.
enum Column<'a> {
    Simulated {
        variable: usize,
        values: Box<Option<LaneValues>>,
        changed: u32,
    },
    Real(&'a ComparedLanes),
}

/// Draws the table, as many variables of it as fit, the chosen one among them.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    let fitting = (usize::from(area.width).saturating_sub(6) / CELL).max(1);
    // With room for one column the variable itself comes first.
    let compared = step.compared_lanes(step.variable).filter(|_| fitting > 1);
    let visible = fitting - usize::from(compared.is_some());
    let first = (step.place() + 1).saturating_sub(visible);
    let shown = &step.order[first..step.order.len().min(first + visible)];
    let columns = columns(step, shown, compared.as_ref());
    let mut head = canvas.text("lane  ", Role::Muted);
    for column in &columns {
        push_name(canvas, &mut head, step, column);
    }
    let hidden = step.order.len() - first - shown.len();
    if hidden > 0 && usize::from(area.width) > head.width() + 4 {
        head.push_span(canvas.span(format!(" +{hidden}"), Role::Muted));
    }
    canvas.line(area, head);
    let mut rows = below(area, 1).rows();
    if step.compared.is_some()
        && usize::from(area.height) > WARP_LANES + 1
        && let Some(row) = rows.next()
    {
        let marks = comparison_marks(canvas, step, &columns);
        canvas.line(row, marks);
    }
    for (row, lane) in rows.zip(0..WARP_LANES) {
        let line = lane_line(canvas, step, &columns, lane);
        canvas.click(row, Action::Inspector(InspectorAction::SelectLane(lane)));
        canvas.line(row, line);
    }
}

/// A column for each of these variables, and the real GPU's behind the chosen one.
fn columns<'a>(
    step: &WarpStep,
    shown: &[usize],
    beside: Option<&'a ComparedLanes>,
) -> Vec<Column<'a>> {
    let mut columns = Vec::new();
    for &variable in shown {
        columns.push(Column::Simulated {
            variable,
            values: Box::new(step.values(variable)),
            changed: step.changed(variable),
        });
        if variable == step.variable {
            columns.extend(beside.map(Column::Real));
        }
    }
    columns
}

/// How each variable compares with the real GPU's.
fn comparison_marks(canvas: &Canvas, step: &WarpStep, columns: &[Column]) -> Line<'static> {
    let mut marks = canvas.text("real  ", Role::Muted);
    for column in columns {
        let (text, role) = match column {
            Column::Simulated { variable, .. } => real_values::mark(canvas, step, *variable),
            Column::Real(_) => (String::new(), Role::Muted),
        };
        push_value(canvas, &mut marks, &text, CELL, role);
    }
    marks
}

/// One lane: its number, whether it was active, and what it holds in each column.
fn lane_line(canvas: &Canvas, step: &WarpStep, columns: &[Column], lane: usize) -> Line<'static> {
    let number = match lane == step.lane {
        true => Role::Selection,
        false => Role::Muted,
    };
    let mut line = Line::from(vec![
        canvas.span(format!("{lane:>3}"), number),
        Span::raw(" "),
        active_mask::glyph(canvas, step, lane),
        Span::raw(" "),
    ]);
    for column in columns {
        let (text, role) = cell(canvas, step, column, lane);
        push_value(canvas, &mut line, &text, CELL, role);
    }
    line
}

fn push_name(canvas: &Canvas, head: &mut Line<'static>, step: &WarpStep, column: &Column) {
    let theme = canvas.theme();
    let (name, role) = match *column {
        Column::Real(_) => ("real".to_owned(), Role::Strong),
        Column::Simulated {
            variable, changed, ..
        } => {
            let mark = match changed {
                0 => "",
                _ => theme.glyph("\u{2022}", "*"),
            };
            let name = step.walk.variable(variable).map_or("", |of| of.name);
            let role = match variable == step.variable {
                true => Role::Selection,
                false => Role::Strong,
            };
            (fit(&format!("{mark}{name}"), CELL - 1, theme), role)
        }
    };
    let blanks = CELL.saturating_sub(name.chars().count());
    head.push_span(Span::raw(" ".repeat(blanks)));
    head.push_span(canvas.span(name, role));
}

fn cell(canvas: &Canvas, step: &WarpStep, column: &Column, lane: usize) -> (String, Role) {
    match column {
        Column::Real(compared) => real_values::lane(canvas, step, compared, lane, CELL - 1),
        Column::Simulated {
            variable,
            values,
            changed,
        } => match values.as_ref() {
            None => ("-".to_owned(), Role::Muted),
            Some(values) => {
                let text = step.text(*variable, values[lane], CELL - 2);
                (text, role_of(step, *variable, *changed, lane))
            }
        },
    }
}
