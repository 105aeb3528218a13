//! Where keys go: what is open over the cell, else the pane of the cell.

use crate::app::state::{CellState, Context, Focus, Fold, Item, Layout, Model, SourceView, Tab};

impl Model {
    /// How much of cell `at` is folded away.
    pub fn fold(&self, at: usize) -> Fold {
        self.folds.get(at).copied().unwrap_or_default()
    }
}

impl Model {
    /// Where keys go now.
    pub fn context(&self) -> Context {
        match self.tour {
            Some(_) => Context::Tour,
            None => self.screen_context(),
        }
    }

    /// Where keys go, or will go once the tour is over.
    pub fn screen_context(&self) -> Context {
        if self.palette.open.is_some() {
            return Context::Palette;
        }
        if self.prompt.is_some() {
            return Context::Prompt;
        }
        if self.help.is_some() {
            return Context::Help;
        }
        if self.explained.is_some() {
            return Context::Explained;
        }
        self.context_below()
    }

    /// Where keys go once questions and help are closed.
    pub fn context_below(&self) -> Context {
        if self.picker.is_some() {
            return Context::Picker;
        }
        if self.look.versus.is_some() {
            return Context::Versus;
        }
        let Some((_, state)) = self.run_cell() else {
            return match self.cells.get(self.at) {
                _ if self.fold(self.at) == Fold::Whole => Context::Prose,
                Some(CellState::Prediction(_)) if !self.is_told() => Context::Prediction,
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
                Item::Warp => Context::Warp,
                Item::Buffer(_) | Item::Shared(_) => Context::Buffer,
            },
            (_, Tab::Ptx) => Context::Ptx,
            _ => Context::Counts,
        }
    }
}
