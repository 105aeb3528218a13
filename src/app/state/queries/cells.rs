//! What a table, a calculator, an exercise or a pair of run cells on screen shows.

use std::ops::RangeInclusive;

use crate::app::state::{CellComparison, CellState, Model, RunState};
use crate::device::{compute_capabilities, grouped};
use crate::lesson::{Cell, Input, RunCell, TableCell, TableContents, TableContext};
use crate::source::Diagnostic;

impl Model {
    /// What the last check found in the exercise's text as it is now.
    pub(crate) fn exercise_findings(&self) -> Option<Vec<Diagnostic>> {
        let (cell, state) = self.exercise()?;
        let checked = state.checked.as_ref()?;
        let is_current = checked.text == cell.run.source;
        let feedback = checked.found.as_ref().ok().filter(|_| is_current)?;
        Some(feedback.diagnostics())
    }

    /// The lines of the exercise on screen that are the learner's to change, from 1, as the text is now.
    pub fn own_lines(&self) -> Option<RangeInclusive<u32>> {
        let (cell, _) = self.exercise()?;
        let (first, last) = (cell.start.holes.first()?, cell.start.holes.last()?);
        let behind = cell.start.source.line_count().saturating_sub(*last.end());
        // What stands before and behind them stays: the lines between are as many as the learner makes of them.
        Some(*first.start()..=cell.run.source.line_count().saturating_sub(behind))
    }
}

/// What is asked of `input`, with the answers that are taken.
pub(crate) fn question(model: &Model, input: Input) -> String {
    let inputs = model.calculator().map(|(_, state)| &state.inputs);
    match inputs.and_then(|inputs| inputs.range(input)) {
        Some(range) => {
            format!(
                "{} ({} to {})",
                input.name(),
                grouped(range.min.into()),
                grouped(range.max.into())
            )
        }
        None => {
            // The GPU of a calculator is chosen by its compute capability, which is no whole number to step through.
            let all: Vec<&str> = compute_capabilities().map(|row| row.cc.as_str()).collect();
            let ends = (all.first(), all.last());
            match ends {
                (Some(first), Some(last)) => format!("{} ({first} to {last})", input.name()),
                _ => input.name().to_owned(),
            }
        }
    }
}

impl Model {
    /// The two cells that are side by side.
    pub fn sides(&self, comparison: &CellComparison) -> Option<[Side<'_>; 2]> {
        let side = |index: usize| match (self.lesson.cells.get(index)?, self.cells.get(index)?) {
            (Cell::Run(cell), CellState::Run(state)) => Some((&**cell, &**state)),
            _ => None,
        };
        Some([side(comparison.cells[0])?, side(comparison.cells[1])?])
    }
}

/// A run cell and its state.
pub type Side<'a> = (&'a RunCell, &'a RunState);

impl Model {
    /// The figures of `cell` as they stand now.
    pub fn grid(&self, cell: &TableCell) -> TableContents {
        cell.contents(&TableContext {
            lesson: &self.lesson,
            sizes: &self.settings.sizes,
            simulated: self.simulated(),
            found: self.settings.found_gpu.as_deref(),
            result: &|id| self.result_of(id),
        })
    }
}
