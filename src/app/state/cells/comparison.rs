//! Two cells side by side: their totals, and where their texts differ.

use crate::app::state::{Action, CellState, Effect, Margin, Model, Prompt, PromptKind, RunState};
use crate::app::update::start;
use crate::launch::{Amount, Counts, Evidence};
use crate::lesson::{Cell, RunCell};

/// Which cells are side by side, and how they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versus {
    /// The cells, in the lesson's order.
    pub cells: [usize; 2],
    /// Whether keys go to the sources; else to the totals.
    pub sources: bool,
    /// First row of the totals and of the sources on screen.
    pub scroll: [usize; 2],
}

/// One total of two cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// What it is.
    pub name: String,
    /// How it came to be.
    pub evidence: Evidence,
    /// Of each cell; nothing where it has none.
    pub values: [Option<Amount>; 2],
}

/// A run cell and its state.
pub type Side<'a> = (&'a RunCell, &'a RunState);

impl Model {
    /// The two cells that are side by side.
    pub fn sides(&self, versus: &Versus) -> Option<[Side<'_>; 2]> {
        let side = |index: usize| match (self.lesson.cells.get(index)?, self.cells.get(index)?) {
            (Cell::Run(cell), CellState::Run(state)) => Some((&**cell, &**state)),
            _ => None,
        };
        Some([side(versus.cells[0])?, side(versus.cells[1])?])
    }
}

/// Puts the cell on screen beside another: the only other one, or the one that is picked.
pub(crate) fn compare(model: &mut Model) {
    if model.look.versus.take().is_some() {
        return;
    }
    if model.run_cell().is_none() {
        model.notice = Some("this cell is text; C compares cells that run".to_owned());
        return;
    }
    let prompt = Prompt::new(PromptKind::Versus);
    match prompt.choices(model).as_deref() {
        Some([only]) => open(model, only.index),
        Some([_, ..]) => model.prompt = Some(prompt),
        _ => model.notice = Some("no other cell of this lesson runs kernels".to_owned()),
    }
}

/// Puts the cell on screen beside cell `other`.
pub(crate) fn open(model: &mut Model, other: usize) {
    let mut cells = [model.at, other];
    cells.sort_unstable();
    model.look.versus = Some(Versus {
        cells,
        sources: false,
        scroll: [0; 2],
    });
}

/// Runs both, one after the other.
pub(crate) fn run_both(model: &mut Model, versus: &Versus, effects: &mut Vec<Effect>) {
    let [first, second] = versus.cells;
    model.queue = [second].into();
    start(model, first, effects);
}

/// Scrolls what keys go to by so many lines as `by` says where some are visible.
pub(crate) fn travel(model: &mut Model, by: impl Fn(usize) -> isize) {
    let seen = model.look.seen.versus;
    if let Some(versus) = &mut model.look.versus {
        let part = usize::from(versus.sources);
        let most = seen[part].max_scroll();
        let at = versus.scroll[part].min(most);
        let by = by(seen[part].visible);
        versus.scroll[part] = at.saturating_add_signed(by).min(most);
    }
}

/// Keys go to the other part.
pub(crate) fn turn(model: &mut Model, to: &Action) {
    if let Some(versus) = &mut model.look.versus {
        versus.sources = match to {
            Action::Show(crate::app::state::Tab::Source) => true,
            Action::Show(_) => false,
            _ => !versus.sources,
        };
    }
}

/// Every total that one of the two has, by the measures of the margin.
pub fn totals(counts: [Option<Counts>; 2]) -> Vec<Total> {
    let measures = Margin::all().flat_map(|margin| {
        let of = counts.map(|counts| counts.map_or([None; 2], |counts| margin.of(&counts)));
        [0, 1].map(|column| Total {
            name: format!("{}, {}", margin.name(), margin.columns()[column]),
            evidence: margin.evidence(),
            values: [of[0][column], of[1][column]],
        })
    });
    let has_some = |total: &Total| {
        let some = |amount: &Option<Amount>| amount.is_some_and(|of| of != Amount::Count(0));
        total.values.iter().any(some)
    };
    measures.filter(has_some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_that_neither_has_are_left_out() {
        let mut counts = Counts::default();
        counts.fp32.add = 5;
        let names: Vec<String> = totals([Some(counts), None])
            .into_iter()
            .map(|total| total.name)
            .collect();
        assert_eq!(names, ["fp32 operations, FLOPs"]);
    }
}
