//! The edit of the kernel on screen.

use crate::app::state::{Edit, Model, SourceView};
use crate::lesson::Cell;

impl Model {
    /// The edit of the kernel file of the cell on screen, if it was ever edited.
    pub fn edit(&self) -> Option<&Edit> {
        let name = self.run_cell()?.0.source.name();
        self.edits
            .all
            .iter()
            .find(|edit| edit.original.name() == name)
    }

    /// What stands in the place of the source of the cell on screen.
    pub fn source_view(&self) -> Option<SourceView> {
        self.edits.view.filter(|_| self.edit().is_some())
    }

    /// Whether cell `index` runs an edited text.
    pub fn is_edited(&self, index: usize) -> bool {
        let Some(cell) = self.lesson.cells.get(index).and_then(Cell::as_run) else {
            return false;
        };
        let mut edits = self.edits.all.iter().filter(|edit| edit.is_changed());
        edits.any(|edit| edit.original.name() == cell.source.name())
    }
}
