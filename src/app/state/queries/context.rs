//! Where keys go: what is open over the cell, else the pane of the cell.

use crate::app::state::{CellState, Context, Model, SourceView, Tab};

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
        // From what lies on top downwards: keys are for what hides the rest.
        if self.popups.palette.open.is_some() {
            return Context::Palette;
        }
        if self.popups.prompt.is_some() {
            return Context::Prompt;
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
            CellState::Run(_) | CellState::Exercise(_) => self.run_context(),
            CellState::Prediction(_) if !self.is_answer_shown() => Context::Prediction,
            CellState::Prediction(_) | CellState::Page => Context::Prose,
            CellState::Table(_) => Context::Table,
            CellState::Calculator(_) => Context::Calculator,
            CellState::Figure(_) => self.figure_context().unwrap_or(Context::Prose),
        }
    }

    /// Where keys go on a run cell.
    fn run_context(&self) -> Context {
        match self.look.tab {
            // Every letter is text there, whatever view is chosen.
            _ if self.source_view() == Some(SourceView::Editor) => Context::Editor,
            _ if self.source_view().is_some() => Context::Code,
            Tab::Code => Context::Code,
            Tab::Lanes => Context::Lanes,
            Tab::Access => Context::Access,
            Tab::Memory => Context::Memory,
            Tab::Counts => Context::Counts,
            Tab::Tiles => Context::Tiles,
            Tab::Ptx => Context::Ptx,
        }
    }
}
