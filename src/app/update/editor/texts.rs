//! The texts of edited kernels: begun, kept from last time, and put into the cells that show them.

use std::sync::Arc;

use crate::app::state::cells::run::state;
use crate::app::state::{Edit, Model, SavedEdit, Text};
use crate::lesson::RunCell;

impl Model {
    /// Puts edits that were kept in the place of the lesson's texts.
    pub fn restore(&mut self, saved: Vec<SavedEdit>) {
        for saved in saved {
            let found = self
                .lesson
                .runs()
                .find(|cell| cell.source.name() == saved.file);
            let Some(original) = found.map(|cell| cell.source.clone()) else {
                continue;
            };
            self.edits.all.push(Edit {
                text: Text::new(&saved.text),
                of_older: saved.of_older,
                ..Edit::new(original)
            });
            self.put_text(&saved.file);
            if saved.of_older {
                let file = saved.file;
                self.notice = Some(format!(
                    "{file} has changed since you edited it; your version stays, ctrl-d shows both"
                ));
            }
        }
    }

    pub(crate) fn edit_of(&mut self, file: &str) -> Option<&mut Edit> {
        let mut edits = self.edits.all.iter_mut();
        edits.find(|edit| edit.original.name() == file)
    }

    /// The edit of the file of the cell on screen, begun if there is none.
    pub(crate) fn begin_edit(&mut self) -> Option<&mut Edit> {
        let (cell, state) = self.run_cell()?;
        let source = cell.source.clone();
        if self.edit().is_none() {
            let mut edit = Edit::new(source.clone());
            // What the run of this text found stands under its lines from the first moment; of an exercise, what its
            // check did.
            match (self.exercise_findings(), &state.ran) {
                (Some(found), _) => edit.take_diagnostics(found),
                (None, Some(ran)) => edit.take_findings(&ran.result.outcome.reports),
                (None, None) => {}
            }
            self.edits.all.push(edit);
        }
        self.edit_of(source.name())
    }

    /// Puts the edited text of `file` into every cell that has this file.
    pub(crate) fn put_text(&mut self, file: &str) {
        let Some(edit) = self.edit_of(file) else {
            return;
        };
        let text = edit.text.as_str().to_owned();
        let gpu = self.gpu_in_use();
        let lesson = Arc::make_mut(&mut self.lesson);
        for (cell, state) in lesson.cells.iter_mut().zip(&mut self.cells) {
            let is_of_file = |cell: &RunCell| cell.source.name() == file;
            if !cell.as_run().is_some_and(is_of_file) {
                continue;
            }
            cell.put_text(&text);
            if let (Some(cell), Some(state)) = (cell.as_run(), state.as_run_mut()) {
                state.plan = state::plan(cell, &self.settings.sizes, gpu);
            }
        }
    }
}
