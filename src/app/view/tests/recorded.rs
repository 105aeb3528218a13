//! Frames with what a real GPU gave earlier.

use super::{COLOUR, Notebook, PLAIN};
use crate::app::Msg;
use crate::app::state::{FinishedRun, Model};
use crate::app::testing::{sample_lesson, sample_ran, sample_recording};
use crate::source::SourceFile;

impl Notebook {
    /// Ends the latest run, with what is recorded of the cell; its source may have another text since.
    pub(crate) fn finish_recorded(&mut self, is_stale: bool) {
        let ran = self.recorded(is_stale);
        self.finish_with(ran);
    }

    fn finish_with(&mut self, ran: FinishedRun) {
        let job = ran.job;
        let result = Ok(std::sync::Arc::new(ran));
        self.send(Msg::Finished { job, result });
    }

    fn recorded(&self, is_stale: bool) -> FinishedRun {
        let job = *self.jobs.last().expect("a run was asked for");
        let own = Model::new(sample_lesson(), None).settings.sizes;
        let recording = sample_recording(&sample_ran(job, &own, Default::default()).result);
        let mut ran = (*sample_ran(job, &self.model.settings.sizes, Default::default())).clone();
        let (cell, _) = self.model.run_cell().expect("is on a run cell");
        let mut cell = cell.clone();
        if is_stale {
            cell.source = SourceFile::new("double.cu", "");
        }
        ran.result = cell.with_recording(recording, ran.result);
        ran
    }
}

#[test]
fn recorded_times_say_where_they_come_from() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish_recorded(false);
    notebook.press("<Counts>i");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn recorded_times_beside_an_edit_are_those_of_the_text_before_it() {
    let mut notebook = Notebook::new(120, 40, PLAIN);
    notebook.press("n<enter>");
    let mut ran = notebook.recorded(false);
    ran.edited = true;
    notebook.finish_with(ran);
    let text = notebook.text();
    assert!(text.contains("recorded on an H200, before the"), "{text}");
}

#[test]
fn recorded_times_of_a_kernel_that_has_changed_are_stale() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    notebook.finish_recorded(true);
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn sizes_that_are_recorded_are_listed_at_others() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>+");
    notebook.finish_recorded(false);
    notebook.press("<Counts>i");
    insta::assert_snapshot!(notebook.frame());
    let mut notebook = Notebook::new(80, 30, PLAIN);
    notebook.press("n<enter>+");
    notebook.finish_recorded(true);
    notebook.press("<Counts>i");
    let text = notebook.text();
    assert!(text.is_ascii() && text.contains("stale: the kernel has changed"));
}
