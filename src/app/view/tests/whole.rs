//! Every screen of every lesson: nothing of code, messages, headings and keys is cut.

use super::*;
use crate::app::state::LessonAction;
use crate::app::testing::tour_ran;
use crate::lesson::{Cell, lesson_ids, load};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Rows of the frame with a mark of something cut that the lesson itself does not have.
fn cut<'a>(frame: &'a str, own: &str) -> Vec<&'a str> {
    let is_own = |row: &str, at: usize| {
        let before: String = row[..at].chars().rev().take(4).collect();
        let before: String = before.chars().rev().collect();
        let after: String = row[at..].chars().take(3).collect();
        own.contains(&format!("{}\u{2026}", before.trim_start())) && before.trim() != ""
            || own.contains(&after) && after.chars().count() == 3
    };
    let rows = frame.lines().filter(|row| {
        let mut marks = row.match_indices('\u{2026}');
        marks.any(|(at, _)| !is_own(row, at))
    });
    rows.collect()
}

/// Rows that are cut, each with the first place where it is.
#[derive(Default)]
struct Found(std::collections::BTreeMap<String, String>);

impl Found {
    fn look(&mut self, notebook: &Notebook, own: &str, at: &str) {
        for row in cut(&notebook.text(), own) {
            let width = notebook.terminal.backend().buffer().area.width;
            let at = format!("{at} in {width} columns");
            self.0.entry(row.trim().to_owned()).or_insert(at);
        }
    }

    fn assert_none(self) {
        let found = self.0.into_iter();
        let found: Vec<String> = found.map(|(row, at)| format!("{at}: {row}")).collect();
        assert!(
            found.is_empty(),
            "{} rows:\n{}",
            found.len(),
            found.join("\n")
        );
    }
}

#[test]
fn nothing_is_cut_on_any_screen_of_any_lesson() {
    let mut found = Found::default();
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let own = format!("{lesson:?}");
        let cells = lesson.cells.len();
        // One notebook for all sizes: its texts are coloured once.
        let mut notebook = Notebook::of(lesson, SIZES[0], COLOUR);
        for (width, height) in SIZES {
            notebook.terminal.backend_mut().resize(width, height);
            for cell in 0..cells {
                let go = Action::Lesson(LessonAction::GoToCell(cell));
                update(&mut notebook.model, Msg::Action(go));
                notebook.draw_once();
                found.look(&notebook, &own, &format!("{id}, cell {cell}"));
            }
        }
    }
    found.assert_none();
}

#[test]
fn nothing_is_cut_in_any_view_of_a_run() {
    let mut found = Found::default();
    for (width, height) in SIZES {
        for tab in ["Code", "Lanes", "Access", "Memory", "Counts", "PTX"] {
            let mut notebook = Notebook::inside(width, height, COLOUR);
            notebook.press(&format!("<{tab}>"));
            found.look(&notebook, "", tab);
            notebook.press("e<end> wrong<esc>");
            found.look(&notebook, "", &format!("{tab}, edited"));
        }
    }
    found.assert_none();
}

#[test]
fn a_triton_kernel_shows_its_tiles_and_what_one_thread_does() {
    let lesson = crate::lesson::load("triton-programs").expect("reads");
    let at = lesson
        .cells
        .iter()
        .position(|cell| matches!(cell, Cell::Run(_)));
    let mut notebook = Notebook::of(lesson, (120, 40), PLAIN);
    let go = LessonAction::GoToCell(at.expect("has a run"));
    notebook.send(Msg::Action(Action::Lesson(go)));
    notebook.press("<enter>");
    let job = *notebook.jobs.last().expect("a run was asked for");
    let ran = tour_ran(job, &notebook.model);
    notebook.send(Msg::Finished {
        job,
        result: Ok(ran),
    });
    let lines = notebook.model.run_cell().expect("is there").1.lines(0);
    let sectors = lines
        .iter()
        .map(|of| (of.line, of.counts.global_load.sectors));
    assert!(sectors.clone().any(|of| of == (12, 12_500)), "{lines:?}");
    while notebook.model.look.tab != Tab::Tiles {
        notebook.press("<tab>");
    }
    notebook.press("vv<down>.");
    let text = notebook.text();
    assert!(text.contains("a[9] lies in warp 0, lane 2,"), "{text}");
    notebook.press("<tab>");
    let text = notebook.text();
    assert!(
        text.contains("threadIdx.x * 4") && text.contains("line 9"),
        "{text}"
    );
    assert!(!text.contains("#pragma tutor"), "{text}");
}
