//! Frames of the inside of a kernel, and the keys that lead through it.

use super::*;
use crate::app::testing::{tour_history, tour_lesson, tour_ran};

impl Notebook {
    /// A notebook on the values of the tour, which has run; its block's history has come.
    pub(super) fn inside(width: u16, height: u16, theme: Theme) -> Self {
        let mut notebook = Notebook::of(tour_lesson(), (width, height), theme);
        notebook.press("n<enter>");
        let job = *notebook.jobs.last().expect("a run was asked for");
        let result = Ok(tour_ran(job, &notebook.model));
        notebook.send(Msg::Finished { job, result });
        notebook.press("<Lanes><home>P");
        notebook.look();
        notebook
    }

    /// Gives the history that was asked for.
    fn look(&mut self) {
        let block = tour_history(&self.model);
        let of = block.key;
        let result = Ok(block);
        self.send(Msg::HistoryLoaded { of, result });
    }

    /// The line that the step is on, from 1.
    fn step_line(&self) -> u32 {
        let (_, state) = self.model.run_cell().expect("is on a run cell");
        let (_, walk) = state.steps_shown().expect("has steps");
        walk.line(state.step().expect("has steps"))
            .expect("is a step")
    }

    fn step(&self) -> usize {
        let (_, state) = self.model.run_cell().expect("is on a run cell");
        state.step().expect("has steps")
    }

    /// The lines that a key leads to, one after the other, until it leads nowhere.
    fn lines_by(&mut self, key: &str) -> Vec<u32> {
        let mut lines = Vec::new();
        loop {
            let before = self.step();
            self.press(key);
            if self.step() == before {
                return lines;
            }
            lines.push(self.step_line());
        }
    }

    fn click_on(&mut self, what: &str) {
        let text = self.text();
        let found = text.lines().enumerate().find_map(|(row, line)| {
            let at = line.find(what)?;
            Some((line[..at].chars().count() as u16, row as u16))
        });
        let (column, row) = found.unwrap_or_else(|| panic!("`{what}` is on screen:\n{text}"));
        let action = self.drawn.click(column, row);
        let action = action.unwrap_or_else(|| panic!("`{what}` can be clicked"));
        self.send(Msg::Action(action));
    }
}

#[test]
fn variables_and_the_lanes_of_one_stand_in_80_columns() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press("a<right>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_strided_load_shows_the_bytes_that_nobody_uses() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press("<Access><home>aa");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn bank_conflicts_stand_one_wavefront_below_the_other() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press("<Access>:run to a line<enter>7<enter>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn what_each_lane_did_step_by_step_is_a_strip_at_either_size() {
    for (width, height) in [(80, 24), (140, 60)] {
        let mut notebook = Notebook::inside(width, height, COLOUR);
        notebook.press("P:run to a line<enter>7<enter>");
        insta::assert_snapshot!(format!("lane_steps_{width}x{height}"), notebook.frame());
        let before = notebook.step();
        notebook.click_on("\u{2503}");
        assert_ne!(notebook.step(), before, "a click goes to the step");
    }
}

#[test]
fn a_vector_load_gives_each_lane_four_words() {
    let mut notebook = Notebook::inside(120, 40, COLOUR);
    notebook.press(":run to a line<enter>18<enter>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn lanes_variables_access_and_source_stand_together_in_200_columns() {
    let mut notebook = Notebook::inside(200, 60, COLOUR);
    notebook.press(":run to a line<enter>12<enter>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn without_colours_and_unicode_the_inside_is_told_as_well() {
    let mut notebook = Notebook::inside(80, 24, PLAIN);
    notebook.press(":run to a line<enter>12<enter><Access>");
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn shared_memory_is_a_matrix_at_this_moment() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press(":run to a line<enter>7<enter><Memory>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn shared_memory_is_a_picture_with_a_column_for_each_bank() {
    let mut notebook = Notebook::inside(80, 24, PLAIN);
    notebook.press(":run to a line<enter>9<enter><Memory>P.");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn the_grid_is_a_map_to_choose_from() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press("b<down><right>w");
    insta::assert_snapshot!(notebook.frame());
    notebook.press("<enter>");
    let text = notebook.text();
    assert!(text.contains("(block 21 warp 1 comes"), "{text}");
    notebook.look();
    let text = notebook.text();
    assert!(text.contains("block 21  warp 1"), "{text}");
}

#[test]
fn accesses_are_gone_to_and_back() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    let there = notebook.lines_by("a");
    // Only the branch of line 10 uses what line 9 loads, so that nvcc loads it there.
    assert_eq!(there, [5, 6, 7, 9, 10, 12, 18, 19]);
    assert!(notebook.text().contains("no later access"));
    let back = notebook.lines_by("A");
    assert_eq!(back, [18, 12, 10, 9, 7, 6, 5]);
}

#[test]
fn changes_of_the_chosen_variable_are_gone_to_and_back() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    let there = notebook.lines_by("}");
    assert_eq!(there, [5, 11, 15, 15, 15]);
    assert_eq!(notebook.lines_by("{"), [15, 15, 11, 5]);
}

#[test]
fn a_barrier_a_loop_and_a_lane_that_is_off_have_keys_of_their_own() {
    let mut notebook = Notebook::inside(80, 24, COLOUR);
    notebook.press("J");
    assert_eq!(notebook.step_line(), 8);
    for _ in 0..9 {
        notebook.press(")");
    }
    notebook.press(":statement in which the lane is inactive<enter>");
    assert_eq!(notebook.step_line(), 11);
    notebook.press(":run to a line<enter>15<enter>");
    let rounds = notebook.lines_by("f");
    assert_eq!(rounds, [15, 15]);
    assert_eq!(notebook.lines_by("F"), [15, 15]);
    notebook.press("K");
    assert_eq!(notebook.step_line(), 8);
}

#[test]
fn clicks_on_source_timeline_and_lanes_go_there() {
    let mut notebook = Notebook::inside(120, 40, COLOUR);
    notebook.click_on("float4 wide");
    assert_eq!(notebook.step_line(), 18);
    notebook.click_on("\u{2503}");
    assert_eq!(notebook.step_line(), 8);
    notebook.click_on("tile");
    let frame = notebook.text();
    notebook.click_on("t / 4");
    assert_eq!(notebook.step_line(), 7, "{frame}");
}

#[test]
fn an_element_says_who_wrote_it_and_can_be_followed() {
    let mut notebook = Notebook::inside(80, 40, COLOUR);
    notebook.press("<Memory>V");
    assert!(
        notebook.text().contains("not written yet"),
        "{}",
        notebook.text()
    );
    notebook.press("}");
    assert_eq!(notebook.step_line(), 7);
    let text = notebook.text();
    assert!(text.contains("changed now, by line 7"), "{text}");
    assert!(text.contains("stored by lane 0"), "{text}");
    notebook.press("a");
    assert_eq!(notebook.step_line(), 9);
    let text = notebook.text();
    assert!(text.contains("changed last by warp 0, line 7"), "{text}");
    assert!(text.contains("loaded by 32 lanes"), "{text}");
}

#[test]
fn a_buffer_is_seen_after_the_run_or_at_this_step() {
    let mut notebook = Notebook::inside(80, 40, COLOUR);
    notebook.press("<Memory>v.");
    assert!(notebook.text().contains("after the run"));
    let left = notebook.text();
    notebook.press("N");
    let text = notebook.text();
    assert!(text.contains("at this step") && text != left, "{text}");
    assert!(text.contains("y[1] = 0"), "{text}");
    notebook.press("}");
    assert_eq!(notebook.step_line(), 19);
    assert!(!notebook.text().contains("y[1] = 0 "));
}

#[test]
fn an_access_is_told_in_the_words_of_the_text_that_ran() {
    let mut notebook = Notebook::inside(120, 40, COLOUR);
    notebook.press(":run to a line<enter>7<enter><Access>");
    let told = |notebook: &Notebook| {
        let text = notebook.text();
        let line = text.lines().find(|line| line.contains(" store "));
        let line = line.unwrap_or_else(|| panic!("an access is on screen:\n{text}"));
        line[line.find(" store ").expect("was found")..].to_owned()
    };
    let before = told(&notebook);
    notebook.press("e<ctrl-home>// one<enter>// two<enter><esc>");
    assert_eq!(told(&notebook), before);
}
