//! Frames with what a real GPU gave inside kernels.

use super::*;
use crate::app::testing::{compile, sample_values};

impl Notebook {
    /// Ends the latest run on a real GPU, with its compile report and captured values.
    fn finish_captured(&mut self) {
        let job = *self.jobs.last().expect("a run was asked for");
        let watch = crate::launch::Watch::default();
        let mut ran = (*sample_ran(job, &self.model.settings.sizes, watch)).clone();
        measure(&mut ran.result.outcome);
        compile(&mut ran.result.outcome);
        let values = sample_values(&ran.result.outcome);
        let result = Ok(std::sync::Arc::new(ran));
        self.send(Msg::Finished { job, result });
        self.send(Msg::Captured { job, values });
    }

    fn captured(width: u16, height: u16, theme: Theme) -> Self {
        let mut notebook = Notebook::new(width, height, theme);
        notebook.press("n:use a real GPU<enter><enter>");
        notebook.finish_captured();
        notebook
    }
}

#[test]
fn a_variable_that_differs_shows_both_values_in_80_columns() {
    let mut notebook = Notebook::captured(80, 24, COLOUR);
    notebook.press("<Lanes>Pd");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_variable_that_is_rounded_says_by_how_much_beside_the_source() {
    let mut notebook = Notebook::captured(120, 40, COLOUR);
    notebook.press("<Lanes>P<end><down><down>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_table_of_lanes_has_a_column_of_the_real_gpu() {
    let mut notebook = Notebook::captured(200, 60, COLOUR);
    notebook.press("<Lanes>P<end>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn without_colours_differences_are_still_told() {
    let mut notebook = Notebook::captured(80, 40, PLAIN);
    notebook.press("<Lanes>P<end>");
    let totals = "H200, measured: = 36 equal ~ 2 rounded ! 2 different";
    for (keys, parts) in [
        ("", [totals, "! 2 lanes", "!7", "!none"]),
        ("<down><down>", [totals, "~ 5 ulp", "~2 ulp", "GPU's below"]),
    ] {
        notebook.press(keys);
        let text = notebook.text();
        assert!(text.is_ascii());
        for part in parts {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}

#[test]
fn values_that_are_on_their_way_and_those_that_did_not_come_are_told() {
    let mut notebook = Notebook::new(80, 50, COLOUR);
    notebook.press("n:use a real GPU<enter><enter>");
    notebook.finish_measured();
    notebook.press("<Lanes>P");
    assert!(
        notebook
            .text()
            .contains("captures these values on the real GPU")
    );
    let job = *notebook.jobs.last().expect("a run was asked for");
    let values = vec![Err("the worker was lost".to_owned()), Ok(None)];
    notebook.send(Msg::Captured { job, values });
    assert!(notebook.text().contains("not captured on the real GPU"));
    notebook.press("<Counts>i");
    let text = notebook.text();
    assert!(
        text.contains("warning") && text.contains("the worker was lost"),
        "{text}"
    );
    assert!(text.contains("measured on NVIDIA H200"), "{text}");
}

#[test]
fn ptx_stands_under_its_source_lines_in_80_columns() {
    let mut notebook = Notebook::captured(80, 24, COLOUR);
    notebook.press("<PTX><right><right><down>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn ptx_stands_beside_the_source_from_120_columns() {
    let mut notebook = Notebook::captured(120, 40, COLOUR);
    notebook.press("<PTX>:go to a line<enter>5<enter>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn where_there_is_no_ptx_the_key_that_gives_it_is_told() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<PTX>");
    let text = notebook.text();
    assert!(
        text.contains("No PTX yet")
            && text.contains(": and \u{201c}real GPU\u{201d}: runs cells on one, too"),
        "{text}"
    );
}

#[test]
fn all_that_limits_blocks_on_an_sm_is_on_screen() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n:use a real GPU<enter><enter>");
    let job = *notebook.jobs.last().expect("a run was asked for");
    let mut ran = (*sample_ran(job, &notebook.model.settings.sizes, Default::default())).clone();
    measure(&mut ran.result.outcome);
    compile(&mut ran.result.outcome);
    let limits = ["registers", "shared", "warps"].map(str::to_owned);
    let launch = &mut ran.result.outcome.launches[0];
    launch
        .real
        .compiled
        .as_mut()
        .expect("was compiled")
        .limited_by = limits.to_vec();
    let result = Ok(std::sync::Arc::new(ran));
    notebook.send(Msg::Finished { job, result });
    notebook.press("]i");
    let text = notebook.text();
    assert!(
        text.contains("and shared and") && text.contains("  warps"),
        "{text}"
    );
}
