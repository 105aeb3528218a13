//! Variables × lanes, a page of lanes at a time: what fits where there is no height for a row a lane.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::active_mask;
use super::real_values::{change_mark, push_value, role_of};
use super::step::WarpStep;
use crate::app::state::{Action, InspectorAction};
use crate::app::view::widgets::{Canvas, below, top};
use crate::document::{Role, pad};
use crate::launch::WARP_LANES;

/// Most cells of a variable's name.
const NAME: usize = 14;
/// Least cells of a value, the gap before it included.
const VALUE: usize = 8;

/// The lanes that are on screen together.
struct Page {
    /// Cells of names, the marks before them included.
    names: usize,
    /// The first lane.
    first: usize,
    lanes: usize,
    /// Cells of a value.
    width: usize,
}

/// Draws the page with the chosen lane, and as many variables as fit, the chosen one among them.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    let names = step.order.iter().filter_map(|&at| step.walk.variable(at));
    let names = names.map(|variable| variable.name.chars().count()).max();
    let names = names.unwrap_or(0).min(NAME) + 3;
    let room = usize::from(area.width).saturating_sub(names);
    // A page is a power of two, so that pages are the same wherever one begins to read.
    let lanes = [32, 16, 8, 4, 2]
        .into_iter()
        .find(|lanes| lanes * VALUE <= room);
    let lanes = lanes.unwrap_or(1);
    let page = Page {
        names,
        first: step.lane / lanes * lanes,
        lanes,
        width: (room / lanes).min(12),
    };
    heading(canvas, area, step, &page);
    let visible = usize::from(area.height).saturating_sub(2);
    let skipped = (step.place() + 1).saturating_sub(visible);
    let variables: Vec<usize> = step.order.iter().skip(skipped).copied().collect();
    for (row, &variable) in below(area, 2).rows().zip(&variables) {
        let line = line(canvas, step, variable, &page);
        canvas.click(
            row,
            Action::Inspector(InspectorAction::SelectVariable(variable)),
        );
        canvas.line(row, line);
    }
    let hidden = variables.len().saturating_sub(visible);
    if hidden > 0 {
        let last = top(below(area, 0), 1);
        let more = canvas.span(format!("+{hidden} below "), Role::Muted);
        canvas.line(last, Line::from(more));
    }
}

/// The lanes' numbers, and below them which are active.
fn heading(canvas: &mut Canvas, area: Rect, step: &WarpStep, page: &Page) {
    let &Page {
        names,
        first,
        lanes,
        width,
    } = page;
    let mut numbers = Line::from(Span::raw(" ".repeat(names)));
    let mut marks = canvas.text(pad("lane", names, canvas.theme()), Role::Muted);
    for lane in first..first + lanes {
        let role = match lane == step.lane {
            true => Role::Selection,
            false => Role::Muted,
        };
        // The mark below the number can be clicked too.
        for row in top(area, 2).rows() {
            canvas.click_next(
                row,
                &numbers,
                width,
                Action::Inspector(InspectorAction::SelectLane(lane)),
            );
        }
        push_value(canvas, &mut numbers, &lane.to_string(), width, role);
        marks.push_span(Span::raw(" ".repeat(width - 1)));
        marks.push_span(active_mask::glyph(canvas, step, lane));
    }
    let last = first + lanes - 1;
    let more = WARP_LANES - lanes;
    canvas.line(area, numbers);
    if more > 0 && names > 10 {
        let text = pad(&format!("{first}-{last} of 32"), names, canvas.theme());
        marks.spans[0] = canvas.span(text, Role::Muted);
    }
    canvas.line(below(area, 1), marks);
}

fn line(canvas: &Canvas, step: &WarpStep, variable: usize, page: &Page) -> Line<'static> {
    let theme = canvas.theme();
    let width = page.width;
    let changed = step.changed(variable);
    let name = step.walk.variable(variable).map_or("", |of| of.name);
    let chosen = variable == step.variable;
    let role = match (chosen, step.is_alive(variable)) {
        (true, _) => Role::Strong,
        (false, true) => Role::Text,
        (false, false) => Role::Muted,
    };
    let mut line = Line::from(vec![
        canvas.pointer(chosen),
        change_mark(canvas, changed),
        canvas.span(pad(name, page.names - 2, theme), role),
    ]);
    let Some(values) = step.values(variable) else {
        line.push_span(canvas.span(" not set yet", Role::Muted));
        return line;
    };
    let lanes = values.iter().enumerate();
    for (lane, &bits) in lanes.skip(page.first).take(page.lanes) {
        let text = step.text(variable, bits, width - 1);
        // A number that is cut would be another number.
        let fits = text.chars().count() < width;
        let text = if fits { text } else { "#".repeat(width - 1) };
        let role = role_of(step, variable, changed, lane);
        push_value(canvas, &mut line, &text, width, role);
    }
    line
}
