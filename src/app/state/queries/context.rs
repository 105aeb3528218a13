//! Where keys go: what is open over the cell, else the pane of the cell.

use crate::app::state::{
    CellState, Context, Focus, Fold, InspectedItem, Layout, Model, SourceView, Tab,
};

impl Model {
    /// How much of cell `at` is folded away.
    pub fn fold(&self, at: usize) -> Fold {
        self.look.folds.get(at).copied().unwrap_or_default()
    }
}

impl Model {
    /// Where keys go now.
    pub fn context(&self) -> Context {
        match self.popups.tour {
            Some(_) => Context::Tour,
            None => self.screen_context(),
        }
    }

    /// Where keys go, or will go once the tour is over.
    pub fn screen_context(&self) -> Context {
        if self.popups.palette.open.is_some() {
            return Context::Palette;
        }
        if self.popups.prompt.is_some() {
            return Context::Prompt;
        }
        if self.popups.help.is_some() {
            return Context::Help;
        }
        if self.popups.explained.is_some() {
            return Context::Explained;
        }
        self.context_below()
    }

    /// Where keys go once questions and help are closed.
    pub fn context_below(&self) -> Context {
        if self.popups.picker.is_some() {
            return Context::Picker;
        }
        if self.look.comparison.is_some() {
            return Context::Comparison;
        }
        let Some((_, state)) = self.run_cell() else {
            return match self.cells.get(self.at) {
                _ if self.fold(self.at) == Fold::Whole => Context::Prose,
                Some(CellState::Prediction(_)) if !self.is_answer_shown() => Context::Prediction,
                Some(CellState::Table(_)) => Context::Table,
                Some(CellState::Calculator(_)) => Context::Calculator,
                _ => self.figure_context().unwrap_or(Context::Prose),
            };
        };
        match self.fold(self.at) {
            Fold::Whole => return Context::Prose,
            Fold::Output if self.look.focus != Focus::Sizes => return Context::Source,
            _ => {}
        }
        let one = self.look.seen.layout == Layout::One;
        match (self.look.focus, self.look.tab) {
            (Focus::Sizes, _) => Context::Sizes,
            (Focus::Source, _) if self.source_view() == Some(SourceView::Editor) => Context::Editor,
            (Focus::Source, _) if !one => Context::Source,
            (_, Tab::Source) if one => Context::Source,
            (_, Tab::Values) => match state.inspector.item() {
                InspectedItem::Warp => Context::Warp,
                InspectedItem::Buffer(_) | InspectedItem::Shared(_) => Context::Buffer,
            },
            (_, Tab::Ptx) => Context::Ptx,
            _ => Context::Counts,
        }
    }
}
