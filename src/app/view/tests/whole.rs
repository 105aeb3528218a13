//! Every screen of every lesson: nothing of code, messages, headings and keys is cut.

use super::*;
use crate::app::state::LessonAction;
use crate::lesson::{lesson_ids, load};

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

#[test]
fn nothing_is_cut_on_any_screen_of_any_lesson() {
    let mut found = std::collections::BTreeMap::<String, String>::new();
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let own = format!("{lesson:?}");
        for size in SIZES {
            let mut notebook = Notebook::of(lesson.clone(), size, COLOUR);
            for cell in 0..lesson.cells.len() {
                notebook.send(Msg::Action(Action::Lesson(LessonAction::GoToCell(cell))));
                for row in cut(&notebook.text(), &own) {
                    let at = format!("{id} {cell} at {}x{}", size.0, size.1);
                    found.entry(row.trim().to_owned()).or_insert(at);
                }
            }
        }
    }
    let found: Vec<String> = found.into_iter().map(|(row, at)| format!("{at}: {row}")).collect();
    assert!(found.is_empty(), "{} rows:\n{}", found.len(), found.join("\n"));
}
