//! Two cells side by side: which, run together, and what keys scroll.

use crate::app::state::{CellComparison, Model, Prompt, PromptKind, Tab};
use crate::app::update::message::Effect;
use crate::app::update::runs::start;

/// Puts the cell on screen beside another: the only other one, or the one that is picked.
pub(crate) fn compare(model: &mut Model) {
    if model.look.comparison.take().is_some() {
        return;
    }
    if model.run_cell().is_none() {
        model.notice = Some("nothing runs here; c compares cells that run".to_owned());
        return;
    }
    let prompt = Prompt::new(PromptKind::Comparison);
    match prompt.choices(model).as_deref() {
        Some([only]) => open(model, only.index),
        Some([_, ..]) => model.popups.prompt = Some(prompt),
        _ => model.notice = Some("no other cell of this lesson runs kernels".to_owned()),
    }
}

/// Puts the cell on screen beside cell `other`.
pub(crate) fn open(model: &mut Model, other: usize) {
    let mut cells = [model.at, other];
    // In the lesson's order, the naive way on the left, from whichever side one compares.
    cells.sort_unstable();
    model.look.comparison = Some(CellComparison {
        cells,
        sources: false,
        scroll: [0; 2],
    });
}

/// Runs both, one after the other.
pub(crate) fn run_both(model: &mut Model, comparison: &CellComparison, effects: &mut Vec<Effect>) {
    let [first, second] = comparison.cells;
    model.runs.queue = [second].into();
    start(model, first, effects);
}

/// Scrolls what keys go to by so many lines as `by` says where some are visible.
pub(crate) fn navigate(model: &mut Model, by: impl Fn(usize) -> isize) {
    let seen = model.look.seen.comparison;
    if let Some(comparison) = &mut model.look.comparison {
        let part = usize::from(comparison.sources);
        let most = seen[part].max_scroll();
        // The screen may have become larger since.
        let at = comparison.scroll[part].min(most);
        let by = by(seen[part].visible);
        comparison.scroll[part] = at.saturating_add_signed(by).min(most);
    }
}

/// Keys go to the part that shows `tab`, the sources or the totals; without one to the other part.
pub(crate) fn turn(model: &mut Model, tab: Option<Tab>) {
    if let Some(comparison) = &mut model.look.comparison {
        comparison.sources = tab.map_or(!comparison.sources, |tab| tab == Tab::Code);
    }
}
