//! What lessons tell to press does what they say: each key that prose names is pressed where it is read.

use super::*;
use crate::app::state::SourceView;
use crate::lesson::{Cell, load_all};

/// The keys that a text tells to press: what stands between backticks behind "press".
fn told(text: &str) -> Vec<&str> {
    let behind = text.split("ress `").skip(1);
    behind.filter_map(|rest| rest.split('`').next()).collect()
}

#[test]
fn keys_that_prose_names_do_something_where_it_names_them() {
    let mut pressed = 0;
    for (id, lesson) in load_all() {
        let lesson = lesson.expect("lessons read");
        for at in 0..lesson.cells.len() {
            let Cell::Prose(text) = &lesson.cells[at] else {
                continue;
            };
            for key in told(&text.markdown.written()) {
                let mut notebook = Notebook::of(lesson.clone(), (120, 40), COLOUR);
                // Prose speaks of the run of its page, or of the last one before.
                let runs = (0..=at).rev().chain(at..lesson.cells.len());
                let run = runs
                    .into_iter()
                    .find(|&of| matches!(lesson.cells[of], Cell::Run(_)));
                notebook
                    .model
                    .stand_at(run.expect("the lesson runs something"));
                let place = format!("`{key}` in cell {at} of {id}");
                let event = keys::first(key).expect("is a key").0;
                let asked = action(event, notebook.model.context());
                assert!(asked.is_some(), "{place} means nothing there");
                notebook.press(key);
                if key == "e" {
                    assert_eq!(
                        notebook.model.source_view(),
                        Some(SourceView::Editor),
                        "{place}"
                    );
                }
                pressed += 1;
            }
        }
    }
    assert!(pressed > 0, "lessons tell to press something");
}
