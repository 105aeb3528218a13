//! Values of a real GPU beside the simulated ones: marks and words for each class. What a colour says, a
//! glyph says too.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::step::WarpStep;
use crate::app::state::RunState;
use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::{Role, Theme};
use crate::launch::{ComparedLanes, Engine, Relation, TraceComparison};

/// The glyph of a class.
fn glyph(theme: Theme, class: Relation) -> &'static str {
    match class {
        Relation::Equal => "=",
        Relation::Rounding(_) => theme.glyph("\u{2248}", "~"),
        // Addresses differ between two machines, whatever the kernel does: they are not compared.
        Relation::Address => "-",
        Relation::Different | Relation::OnlySimulated | Relation::OnlyReal => {
            theme.glyph("\u{2260}", "!")
        }
    }
}

fn role(class: Relation) -> Role {
    match class {
        Relation::Equal => Role::Good,
        Relation::Rounding(_) => Role::Warning,
        Relation::Address => Role::Muted,
        Relation::Different | Relation::OnlySimulated | Relation::OnlyReal => Role::Bad,
    }
}

/// Whose values they are, and how many of the launch are of each class; or why there are none.
pub(crate) fn summary(
    canvas: &Canvas,
    width: usize,
    state: &RunState,
    step: &WarpStep,
) -> Line<'static> {
    let Some(compared) = step.compared else {
        let is_real = step.ran.result.outcome.engine == Engine::Gpu;
        let (text, role) = match state.capturing {
            Some(_) => ("captures these values on the real GPU", Role::Accent),
            // A run on a real GPU without captured values has a reason, such as a kernel that cannot be
            // instrumented.
            None if is_real => ("not captured on the real GPU; c says why", Role::Warning),
            None => ("", Role::Muted),
        };
        return canvas.text(text, role);
    };
    let whole = Some(counted(canvas, compared, true)).filter(|line| line.width() <= width);
    let mut line = whole.unwrap_or_else(|| counted(canvas, compared, false));
    let [_, rounding, different] = classes(compared);
    // A key that has no room is left out whole.
    let has_room = line.width() + "  d next".len() <= width;
    if has_room && rounding.1 + different.1 > 0 {
        line.push_span(canvas.span("  d", Role::Key));
        line.push_span(canvas.span(" next", Role::Muted));
    }
    line
}

/// Whose values they are, and how many are of each class, by its name or by its glyph alone.
fn counted(canvas: &Canvas, compared: &TraceComparison, has_names: bool) -> Line<'static> {
    let device = compared.device.trim_start_matches("NVIDIA ");
    let whose = format!("{device}, {}:", compared.evidence.word());
    let mut line = canvas.text(&whose, Role::Strong);
    // A class that no value is of says nothing.
    let held = classes(compared).into_iter().filter(|of| of.1 > 0);
    for (class, count, name) in held {
        let name = if has_names { name } else { "" };
        let text = format!(" {} {}{name}", glyph(canvas.theme(), class), grouped(count));
        line.push_span(canvas.span(text, role(class)));
    }
    line
}

/// How many values are of each class, and its name.
fn classes(compared: &TraceComparison) -> [(Relation, u64, &'static str); 3] {
    let mut counts = [0; 3];
    for variable in &compared.variables {
        counts[0] += variable.counts.equal;
        counts[1] += variable.counts.rounding;
        counts[2] += variable.counts.different + variable.counts.one_sided;
    }
    [
        (Relation::Equal, counts[0], " equal"),
        (Relation::Rounding(0), counts[1], " rounded"),
        (Relation::Different, counts[2], " different"),
    ]
}

/// How a variable compares at this step, in at most two words; nothing where it has no value, or no
/// real GPU's values are there.
pub(crate) fn mark(canvas: &Canvas, step: &WarpStep, variable: usize) -> (String, Role) {
    if step.compared.is_none() || step.values(variable).is_none() {
        return (String::new(), Role::Muted);
    }
    let compared = step.compared_lanes(variable);
    let worst = compared.and_then(|compared| compared.worst());
    let (Some(compared), Some(class)) = (compared, worst) else {
        return (String::new(), Role::Muted);
    };
    let glyph = glyph(canvas.theme(), class);
    let text = match class {
        Relation::Equal => glyph.to_owned(),
        Relation::Address => "address".to_owned(),
        Relation::Rounding(ulps) => format!("{glyph} {ulps} ulp"),
        _ => match compared.lanes(Relation::differs).count_ones() {
            1 => format!("{glyph} 1 lane"),
            lanes => format!("{glyph} {lanes} lanes"),
        },
    };
    (text, role(class))
}

/// What the heading of a variable's lanes says of the real GPU.
pub(crate) fn heading(compared: Option<&ComparedLanes>) -> &'static str {
    match compared.and_then(ComparedLanes::worst) {
        None | Some(Relation::Address) => ", not compared",
        Some(Relation::Equal) => ", the same on the real GPU",
        Some(_) => ", real GPU's below",
    }
}

/// Whether some of these lanes hold something else on the real GPU.
pub(crate) fn has_real_lane(compared: &ComparedLanes, lanes: Range<usize>) -> bool {
    let is_shown = |class: Relation| class.differs() || matches!(class, Relation::Rounding(_));
    let shown = compared.lanes(is_shown);
    lanes.into_iter().any(|lane| shown >> lane & 1 == 1)
}

/// What the real GPU holds in a lane, in at most `width` cells: its value where it differs, how far it is
/// where it is rounded.
pub(crate) fn lane(
    canvas: &Canvas,
    step: &WarpStep,
    compared: &ComparedLanes,
    lane: usize,
    width: usize,
) -> (String, Role) {
    let Some(class) = compared.classes[lane] else {
        return (String::new(), Role::Muted);
    };
    let glyph = glyph(canvas.theme(), class);
    let text = match (class, compared.real[lane]) {
        (Relation::Rounding(ulps), _) => format!("{glyph}{ulps} ulp"),
        (Relation::Different, Some(bits)) => {
            // The glyph takes a cell.
            let room = width.saturating_sub(1).min(12);
            format!("{glyph}{}", step.text(step.variable, bits, room))
        }
        (Relation::OnlySimulated, _) => format!("{glyph}none"),
        _ => glyph.to_owned(),
    };
    (text, role(class))
}

/// The style of a simulated value: of lanes that the step changed, and that executed it. A variable whose
/// scope is over is quiet.
pub(crate) fn role_of(step: &WarpStep, variable: usize, changed: u32, lane: usize) -> Role {
    if changed >> lane & 1 == 1 {
        Role::Changed
    } else if step.active() >> lane & 1 == 1 && step.is_alive(variable) {
        Role::Text
    } else {
        Role::Muted
    }
}

/// A value at the right of `width` cells; the blanks before it keep their plain style.
pub(crate) fn push_value(
    canvas: &Canvas,
    line: &mut Line<'static>,
    text: &str,
    width: usize,
    role: Role,
) {
    let blanks = width.saturating_sub(text.chars().count());
    line.push_span(Span::raw(" ".repeat(blanks)));
    line.push_span(canvas.span(text, role));
}

/// The mark of a variable that the step changed in some lane.
pub(crate) fn change_mark(canvas: &Canvas, changed: u32) -> Span<'static> {
    let glyph = match changed {
        0 => " ",
        _ => canvas.theme().glyph("\u{2022}", "*"),
    };
    canvas.span(glyph, Role::Warning)
}
