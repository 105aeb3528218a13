//! The lessons that the home screen lists.

use std::sync::Arc;

use crate::app::ListedLesson;
use crate::lesson::{CatalogError, Lessons};

/// Lessons, and the list of them once it was asked for.
pub(super) struct Catalog {
    pub lessons: Lessons,
    listed: Vec<ListedLesson>,
}

impl Catalog {
    pub fn new(lessons: Lessons) -> Self {
        Catalog {
            lessons,
            listed: Vec::new(),
        }
    }

    /// What is known of the lessons; of one that does not read, the first thing that is wrong.
    pub fn listed(&mut self) -> Vec<ListedLesson> {
        // Reading all takes half a second: a key to the home screen would wait for it each time.
        if self.listed.is_empty() || !self.lessons.are_embedded() {
            let all = self.lessons.load_all().into_iter();
            let listed = all.map(|(id, lesson)| ListedLesson {
                id,
                lesson: lesson.map(Arc::new).map_err(first_mistake),
            });
            self.listed = listed.collect();
        }
        self.listed.clone()
    }
}

fn first_mistake(error: CatalogError) -> String {
    match &error {
        CatalogError::Broken { diagnostics, .. } => match diagnostics.first() {
            Some(first) => first.message.clone(),
            None => error.to_string(),
        },
        _ => error.to_string(),
    }
}
