//! Steps to where a real GPU's values differ from the simulated ones.

use crate::app::state::{Model, RunState};
use crate::app::update::scrolling::show_step_line;
use crate::launch::{DifferingVisit, Engine, Relation, TraceComparison};
use crate::simt::Direction;

/// Goes to the next step behind which a value of the real GPU differs, or back to the one before, and to
/// that variable.
pub(crate) fn go_to_difference(model: &mut Model, direction: Direction) {
    let found = model.run_cell().map(|(_, state)| (state, state.compared()));
    let Some((state, compared)) = found else {
        return;
    };
    let Some(compared) = compared else {
        let notice = match (state.capturing, model.settings.engine) {
            (Some(_), _) => "the values of the real GPU have not arrived yet",
            (None, Engine::Sim) => "there are no values of a real GPU; e runs the cell on one",
            (None, Engine::Gpu) => "there are no values of the real GPU; enter runs the cell on it",
        };
        model.notice = Some(notice.to_owned());
        return;
    };
    let step = state.step().unwrap_or(0);
    let found = match direction {
        Direction::Forward => compared.next_difference(step),
        Direction::Back => compared.previous_difference(step),
    };
    let Some(found) = found else {
        model.notice = Some(nowhere(compared));
        return;
    };
    let notice = described(state, &found);
    if let Some(state) = model.run_state() {
        state.inspector.step = found.step;
        state.inspector.variable = Some(found.variable);
    }
    model.notice = Some(notice);
    show_step_line(model);
}

/// `sum differs in 3 lanes`.
fn described(state: &RunState, found: &DifferingVisit) -> String {
    let name = state.steps_shown().and_then(|(_, walk)| {
        let variable = walk.variable(found.variable)?;
        Some(variable.name.to_owned())
    });
    let how = match found.class {
        Relation::Rounding(ulps) => format!("is rounded differently, {ulps} ulp at most,"),
        _ => "differs".to_owned(),
    };
    let lanes = match found.lanes.count_ones() {
        1 => format!("lane {}", found.lanes.trailing_zeros()),
        count => format!("{count} lanes"),
    };
    format!("{} {how} in {lanes}", name.unwrap_or_default())
}

/// What to say where no step of the simulated trace has another value.
pub(crate) fn nowhere(compared: &TraceComparison) -> String {
    let firsts = compared.variables.iter();
    let mut firsts = firsts.filter_map(|variable| variable.first_difference);
    match firsts.next() {
        Some(first) => format!(
            "only the real GPU executed line {} so often, in lane {}",
            first.line, first.lane
        ),
        None => "every value that was captured is the same on the real GPU".to_owned(),
    }
}
