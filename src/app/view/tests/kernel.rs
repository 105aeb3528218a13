//! Frames of what is counted: the margin and its measures, bytes by level, two cells side by side, sliders,
//! and where numbers come from.

use std::sync::Arc;

use super::{COLOUR, Notebook, PLAIN};
use crate::app::Msg;
use crate::app::state::{Action, Model, RunAction};
use crate::app::testing::{sample_lesson_twice, sample_ran};
use crate::launch::{BufferFootprint, DramCounts, L1Counts, L2Counts, Modelled};

impl Notebook {
    /// A notebook on a lesson with two cells that run.
    fn twice(width: u16, height: u16, theme: crate::document::Theme) -> Self {
        let mut notebook = Notebook::new(width, height, theme);
        notebook.model = Model::new(sample_lesson_twice(), None);
        notebook.draw();
        notebook
    }

    /// Ends the latest run with a result of the cache model too; `more` times as much moved.
    fn finish_modelled(&mut self, more: u64) {
        let job = *self.jobs.last().expect("a run was asked for");
        let mut ran = (*sample_ran(job, &self.model.settings.sizes, Default::default())).clone();
        for launch in &mut ran.result.outcome.launches {
            let elements = launch.counts.global_load.elements;
            let caches = |counts: &mut crate::launch::Counts| {
                counts.global_load.sectors *= more;
                counts.l1 = Modelled(Some(L1Counts {
                    load_sectors_hit: 40,
                }));
                counts.l2 = Modelled(Some(L2Counts {
                    read_sectors: 90 * more,
                    write_sectors: 125,
                    read_sectors_hit: 30 * more,
                }));
                counts.dram = Modelled(Some(DramCounts {
                    read_bytes: 4096 * more,
                    write_bytes: 0,
                }));
            };
            caches(&mut launch.counts);
            launch
                .lines
                .iter_mut()
                .for_each(|line| caches(&mut line.counts));
            launch.footprints = vec![BufferFootprint {
                buffer: 0,
                loaded: elements,
                stored: elements / 2,
                end: elements,
            }];
        }
        let result = Ok(Arc::new(ran));
        self.send(Msg::Finished { job, result });
    }

    /// Runs both cells that stand side by side.
    fn run_side_by_side(&mut self) {
        self.press("nc<enter>");
        self.finish_modelled(2);
        self.finish_modelled(1);
    }

    /// What a click on the first character of `what` in row `row` asks for.
    fn click_in(&self, row: usize, what: &str) -> Option<Action> {
        let text = self.text();
        let line = text.lines().nth(row).expect("there is such a row");
        let at = line.find(what).expect("stands in the row");
        let column = line[..at].chars().count() as u16;
        self.drawn.click(column, row as u16)
    }
}

#[test]
fn the_measures_of_the_margin_are_picked_from_a_list() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish_modelled(1);
    notebook.press("<Code>:choose what the margin<enter><down><down>");
    insta::assert_snapshot!(notebook.frame());
    notebook.press("dram<enter>");
    let text = notebook.text();
    assert!(text.contains("DRAM bytes: read"), "{text}");
    assert!(text.contains(" 4,096\u{2588}"), "{text}");
}

#[test]
fn gpus_are_listed_with_what_decides_their_counts() {
    let mut notebook = Notebook::new(120, 40, PLAIN);
    notebook.press("nUh");
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.frame());
    notebook.press("zzz");
    assert!(notebook.text().contains("nothing fits `hzzz`"));
}

#[test]
fn bytes_by_level_stand_on_one_scale_beside_distinct_ones() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    notebook.finish_modelled(2);
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn what_a_model_still_owes_is_not_a_zero() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("mmmmmmmm");
    assert!(notebook.text().contains("too little is known of this GPU"));
    notebook.press("+");
    assert!(notebook.text().contains("not modelled yet"));
}

#[test]
fn totals_of_two_cells_fit_80_columns() {
    let mut notebook = Notebook::twice(80, 24, COLOUR);
    notebook.press("nc");
    assert!(notebook.text().contains("enter runs it"));
    notebook.press("<esc>p");
    notebook.run_side_by_side();
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn sources_of_two_cells_stand_in_halves_of_80_columns() {
    let mut notebook = Notebook::twice(80, 24, PLAIN);
    notebook.run_side_by_side();
    notebook.press("<tab>");
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn totals_stand_above_sources_from_120_columns() {
    let mut notebook = Notebook::twice(120, 40, COLOUR);
    notebook.run_side_by_side();
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn two_cells_side_by_side_fill_200_columns() {
    let mut notebook = Notebook::twice(200, 60, COLOUR);
    notebook.run_side_by_side();
    insta::assert_snapshot!(notebook.text());
}

#[test]
fn numbers_tell_where_they_come_from() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    notebook.finish_modelled(2);
    notebook.press(":come from<enter>");
    insta::assert_snapshot!(notebook.frame());
    notebook.press("<esc>");
    assert!(!notebook.text().contains("Where these numbers come from"));
}

#[test]
fn what_is_told_of_recorded_numbers_has_their_provenance() {
    let mut notebook = Notebook::new(80, 60, PLAIN);
    notebook.press("n<enter>");
    notebook.finish_recorded(false);
    notebook.press("<Counts>:come from<enter>");
    let text = notebook.text();
    assert!(text.is_ascii());
    for part in ["driver 580.95.05, CUDA 13.0", "SHA-256", "2*40*25 = 2,000"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_click_on_a_slider_sets_the_size_there() {
    let mut notebook = Notebook::new(200, 60, COLOUR);
    notebook.press("n");
    let row = 1;
    let first = notebook.click_in(row, "\u{2501}");
    assert_eq!(first, Some(Action::Run(RunAction::SetSize(0, 1))));
    assert_eq!(
        notebook.click_in(row, "GPU"),
        Some(Action::Run(RunAction::PickGpu))
    );
    let action = first.expect("is one");
    notebook.send(Msg::Action(action));
    assert!(notebook.text().contains("M \u{25cf}"));
    assert_eq!(notebook.model.settings.sizes["M"], 1);
}

#[test]
fn every_size_of_terminal_can_show_lists_and_two_cells() {
    for keys in [
        ":choose what the margin<enter>",
        "U",
        ":come from<enter>",
        "c",
        "c<tab>",
        "c:come from<enter>",
    ] {
        let mut notebook = Notebook::twice(100, 30, PLAIN);
        notebook.press("n<enter>");
        notebook.finish_modelled(1);
        notebook.press(keys);
        for (width, height) in [(60, 16), (79, 20), (120, 16), (250, 90)] {
            notebook.terminal.backend_mut().resize(width, height);
            notebook.draw();
        }
    }
}

#[test]
fn a_formula_wider_than_its_pane_stands_whole_below_its_numbers() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut notebook = Notebook::new(width, height, COLOUR);
        notebook.press("n<enter>");
        let job = *notebook.jobs.last().expect("a run was asked for");
        let mut ran =
            (*sample_ran(job, &notebook.model.settings.sizes, Default::default())).clone();
        let mut long = ran.result.formulas[0].clone();
        let terms: Vec<String> = (1..=12).map(|term| format!("size_{term}*M")).collect();
        long.formula = terms.join(" + ");
        ran.result.formulas.push(long);
        let result = Ok(Arc::new(ran));
        notebook.send(Msg::Finished { job, result });
        notebook.press("<Counts>i");
        let text = notebook.text();
        assert!(text.contains("\u{192} 2,000  counted 2,000"), "{text}");
        let whole = terms.iter().all(|term| text.contains(term.as_str()));
        assert!(whole, "{text}");
    }
}
