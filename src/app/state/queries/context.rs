//! Where keys go: what is open over the cell, else the pane of the cell.

use crate::app::state::{
    CellState, Context, Focus, InspectedItem, Model, RunState, SourceView, Tab,
};

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
        if self.popups.evidence.is_some() {
            return Context::Evidence;
        }
        self.context_below()
    }

    /// Where keys go once questions and help are closed.
    pub fn context_below(&self) -> Context {
        if self.popups.block_map.is_some() {
            return Context::BlockMap;
        }
        if self.look.comparison.is_some() {
            return Context::Comparison;
        }
        let Some(state) = self.cells.get(self.at) else {
            return Context::Prose;
        };
        match state {
            CellState::Run(state) => self.run_context(state),
            CellState::Prediction(_) if !self.is_answer_shown() => Context::Prediction,
            CellState::Prediction(_) | CellState::Page => Context::Prose,
            CellState::Table(_) => Context::Table,
            CellState::Calculator(_) => Context::Calculator,
            CellState::Figure(_) => self.figure_context().unwrap_or(Context::Prose),
        }
    }

    /// Where keys go on a run cell.
    fn run_context(&self, state: &RunState) -> Context {
        match (self.look.focus, self.look.tab) {
            (Focus::Sizes, _) => Context::Sizes,
            (Focus::Source, _) if self.source_view() == Some(SourceView::Editor) => Context::Editor,
            (Focus::Source, _) | (_, Tab::Source) => Context::Source,
            (_, Tab::Values) => match state.inspector.item() {
                InspectedItem::Warp => Context::Warp,
                InspectedItem::Buffer(_) | InspectedItem::Shared(_) => Context::Buffer,
            },
            (_, Tab::Ptx) => Context::Ptx,
            _ => Context::Counts,
        }
    }
}
