//! The 32 lanes of a warp: which of them executed a statement, and which did the one before.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::step::WarpStep;
use crate::app::state::{Action, InspectorAction};
use crate::app::view::widgets::Canvas;
use crate::document::Role;
use crate::launch::WARP_LANES;

/// Draws one mark a lane, in groups of eight, and how many there are.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    let mut line = canvas.text("now   ", Role::Muted);
    for lane in 0..WARP_LANES {
        // Eight at a time can be counted at a glance; 32 cannot.
        if lane > 0 && lane % 8 == 0 {
            line.push_span(Span::raw(" "));
        }
        canvas.click_next(
            area,
            &line,
            1,
            Action::Inspector(InspectorAction::SelectLane(lane)),
        );
        let mut span = glyph(canvas, step, lane);
        if lane == step.lane {
            span.style = span.style.patch(canvas.theme().style(Role::Selection));
        }
        line.push_span(span);
    }
    let (now, before) = (step.active(), before(step));
    let count = now.count_ones();
    let difference = match count as i32 - before.count_ones() as i32 {
        0 => String::new(),
        difference => format!(", {difference:+}"),
    };
    let text = format!("  {count} of 32 active");
    let room = usize::from(area.width).saturating_sub(line.width());
    if room >= text.len() + difference.len() {
        line.push_span(canvas.span(text, Role::Muted));
        line.push_span(canvas.span(difference, Role::Warning));
    } else if room > 2 {
        line.push_span(canvas.span(format!(" {count}"), Role::Muted));
    }
    canvas.line(area, line);
}

/// Lanes that executed the step before; of the first step, its own.
fn before(step: &WarpStep) -> u32 {
    let before = step.index.checked_sub(1);
    before.map_or_else(|| step.active(), |before| step.walk.active(before))
}

/// The mark of one lane: active or not, and whether that is new.
pub(crate) fn glyph(canvas: &Canvas, step: &WarpStep, lane: usize) -> Span<'static> {
    let theme = canvas.theme();
    let is = |lanes: u32| lanes >> lane & 1 == 1;
    let (text, role) = match (is(before(step)), is(step.active())) {
        (true, true) => (theme.glyph("\u{25a0}", "#"), Role::Good),
        (false, true) => (theme.glyph("\u{25a3}", "@"), Role::Good),
        (true, false) => (theme.glyph("\u{25a1}", "o"), Role::Warning),
        (false, false) => (theme.glyph("\u{b7}", "."), Role::Muted),
    };
    canvas.span(text, role)
}
