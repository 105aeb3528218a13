//! Jumps through what a block did: to the next change, access, barrier or line, and back.

use crate::app::state::{Jump, Model, RunState, Tab};
use crate::app::update::inspector::real_values::go_to_difference;
use crate::app::update::scrolling::show_step_line;
use crate::lesson::RunCell;
use crate::simt::{Direction, Move};

/// Goes there from the step that is looked at.
pub(crate) fn jump(model: &mut Model, to: Jump, direction: Direction) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Some(step) = state.step() else {
        model.notice = Some("nothing to step through yet; enter runs the cell".to_owned());
        return;
    };
    if to == Jump::Difference {
        return go_to_difference(model, direction);
    }
    if to == Jump::Step {
        let last = state
            .steps_shown()
            .map_or(0, |(_, walk)| walk.steps().saturating_sub(1));
        let next = match direction {
            Direction::Forward => (step + 1).min(last),
            Direction::Back => step.saturating_sub(1),
        };
        return go_to_step(model, next);
    }
    // What is looked at decides what "change" means: a variable, or an element.
    let of_element = model.look.tab == Tab::Memory;
    let Some((way, what)) = state.way(cell, to, of_element) else {
        return;
    };
    go(model, &way, direction, &what);
}

/// Goes to the next step on a line, from 1; to one before if there is none behind.
pub(crate) fn run_to_line(model: &mut Model, line: u32) {
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let way = Move::Line(line);
    let find = |direction| {
        let (block, cursor) = state.cursor()?;
        block.history.go(cursor, direction, &way)
    };
    // Both ways: a line that ran before the current step is still worth going to.
    let (ahead, behind) = (find(Direction::Forward), find(Direction::Back));
    let is_there = state
        .cursor()
        .is_some_and(|(block, cursor)| block.history.statement(cursor).line == line);
    match (ahead, behind) {
        (None, Some(cursor)) if !is_there => {
            go_to_step(model, cursor.at());
            model.notice = Some(format!(
                "line {line} does not run again: back at the previous time"
            ));
        }
        (None, None) if is_there => {
            model.notice = Some(format!("this warp runs line {line} only once"));
        }
        _ => go(
            model,
            &way,
            Direction::Forward,
            &format!("step on line {line}"),
        ),
    }
}

fn go(model: &mut Model, way: &Move, direction: Direction, what: &str) {
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let Some((block, cursor)) = state.cursor() else {
        model.notice = Some(state.why_no_history());
        return;
    };
    match block.history.go(cursor, direction, way) {
        Some(cursor) => go_to_step(model, cursor.at()),
        None => {
            let order = match direction {
                Direction::Forward => "later",
                Direction::Back => "earlier",
            };
            model.notice = Some(format!("no {order} {what}"));
        }
    }
}

/// Looks at a step of the trace, from 0, and at its line.
pub(crate) fn go_to_step(model: &mut Model, step: usize) {
    if let Some(state) = model.run_state() {
        state.inspector.step = step;
    }
    show_step_line(model);
}

impl RunState {
    /// Why there is no history to jump in.
    fn why_no_history(&self) -> String {
        match &self.history.error {
            Some(error) => error.clone(),
            None if self.is_looking() => "the block is still being stepped through".to_owned(),
            None => "the block was not stepped through".to_owned(),
        }
    }

    /// Where a jump stops, and that in words.
    fn way(&self, cell: &RunCell, to: Jump, of_element: bool) -> Option<(Move, String)> {
        if of_element && let Jump::Change | Jump::Access = to {
            return self.way_to_element(cell, to);
        }
        let (_, walk) = self.steps_shown()?;
        Some(match to {
            Jump::Step | Jump::Difference => (Move::Into, "step".to_owned()),
            Jump::Barrier => (Move::Barrier, "barrier".to_owned()),
            Jump::Access => (Move::Access, "access".to_owned()),
            Jump::Change => {
                let variable = self.inspector.variable(walk);
                let name = walk.variable(variable).map_or("", |variable| variable.name);
                (Move::Change(variable), format!("change of {name}"))
            }
            Jump::SameLine => {
                let line = walk.line(self.step()?)?;
                (Move::Line(line), format!("step on line {line}"))
            }
            Jump::Idle => {
                let lane = self.inspector.lane;
                (Move::Idle(lane), format!("step without lane {lane}"))
            }
        })
    }

    /// The same for the element that is looked at.
    fn way_to_element(&self, cell: &RunCell, to: Jump) -> Option<(Move, String)> {
        let view = self.memory_view(cell)?;
        let (row, column) = self.inspector.buffer.cursor;
        let index = view.matrix.index(row, column)?;
        let (name, address) = (view.name, view.address(index));
        let size = view.element.size_bytes() as u64;
        Some(match to {
            Jump::Access => (
                Move::Touch(address..address + size),
                format!("access of {name}[{index}] by this warp"),
            ),
            _ => (
                Move::Written(address),
                format!("change of {name}[{index}] by this block"),
            ),
        })
    }
}
