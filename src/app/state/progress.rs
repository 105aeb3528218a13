//! How far a learner is in a lesson.

use std::ops::Range;

use crate::app::state::SavedState;
use crate::lesson::{Cell, Lesson};

/// How far a learner is in a lesson, in pages. A page is done once it was on screen and its kernels ran and all was right, as
/// they are now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LessonProgress {
    /// Pages there are.
    pub pages: usize,
    /// Pages that were on screen.
    pub seen: usize,
    /// Pages that are done.
    pub done: usize,
    /// Cells that run kernels.
    pub runs: usize,
    /// Those of them that ran and were right.
    pub ran: usize,
    /// Those that ran before they were changed.
    pub stale: usize,
    /// The cell the learner was in last, from 0; nothing before the first visit.
    pub place: Option<usize>,
}

/// How a page stands, or one of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageProgress {
    /// It was never on screen.
    New,
    /// It was, and there is something left to run.
    Seen,
    /// It ran, and was changed since.
    Stale,
    /// Nothing is left to do.
    Done,
}

impl LessonProgress {
    /// Whether nothing is left to do.
    pub fn is_done(self) -> bool {
        self.pages > 0 && self.done == self.pages
    }

    /// Whether nobody was there yet.
    pub fn is_new(self) -> bool {
        self.seen == 0 && self.done == 0
    }
}

impl SavedState {
    /// How far the learner is in `lesson`.
    pub fn progress(&self, lesson: &Lesson) -> LessonProgress {
        let names = lesson.cell_names();
        let cells = self.cells_of(lesson, &names);
        let pages = pages_of_cells(lesson, &cells);
        let runs = runs_among(lesson, &cells, 0..cells.len());
        let count = |all: &[PageProgress], sought| all.iter().filter(|&&is| is == sought).count();
        let saved = self.lessons.get(&lesson.id);
        let place = saved.and_then(|saved| saved.place.as_ref());
        LessonProgress {
            pages: pages.len(),
            seen: pages.len() - count(&pages, PageProgress::New),
            done: count(&pages, PageProgress::Done),
            runs: runs.len(),
            ran: count(&runs, PageProgress::Done),
            stale: count(&runs, PageProgress::Stale),
            // By name: cells may have been put before it since.
            place: place.and_then(|name| names.iter().position(|cell| cell == name)),
        }
    }

    /// How each page of `lesson` stands.
    pub fn pages_of(&self, lesson: &Lesson) -> Vec<PageProgress> {
        pages_of_cells(lesson, &self.cells_of(lesson, &lesson.cell_names()))
    }

    /// How each cell of `lesson` stands; `names` are those of its cells.
    fn cells_of(&self, lesson: &Lesson, names: &[String]) -> Vec<PageProgress> {
        let Some(saved) = self.lessons.get(&lesson.id) else {
            return vec![PageProgress::New; names.len()];
        };
        let cells = names.iter().zip(&lesson.cells);
        let stands = cells.map(|(name, cell)| {
            let seen = saved.seen.contains(name);
            match (cell, saved.ran.get(name)) {
                (Cell::Exercise(cell), _) if self.exercise(cell.id()).is_solved() => {
                    PageProgress::Done
                }
                (Cell::Exercise(_), _) if seen => PageProgress::Seen,
                (Cell::Run(_), Some(digest)) if lesson.digests.get(name) == Some(digest) => {
                    PageProgress::Done
                }
                // It was right for a text that the lesson has no longer.
                (Cell::Run(_), Some(_)) => PageProgress::Stale,
                (Cell::Run(_), None) if seen => PageProgress::Seen,
                // What is only read is done once it was on screen.
                (_, None) if seen => PageProgress::Done,
                _ => PageProgress::New,
            }
        });
        stands.collect()
    }
}

/// How each page of `lesson` stands, of how each of its cells does.
fn pages_of_cells(lesson: &Lesson, cells: &[PageProgress]) -> Vec<PageProgress> {
    let pages = lesson.pages().into_iter().map(|page| {
        let runs = runs_among(lesson, cells, page.cells.clone());
        match &cells[page.cells.clone()] {
            // One step on screen, and its page was.
            all if all.iter().all(|&is| is == PageProgress::New) => PageProgress::New,
            _ if runs.contains(&PageProgress::Stale) => PageProgress::Stale,
            _ if is_unsolved(lesson, cells, page.cells.clone()) => PageProgress::Seen,
            _ if runs.iter().all(|&is| is == PageProgress::Done) => PageProgress::Done,
            _ => PageProgress::Seen,
        }
    });
    pages.collect()
}

/// Whether an exercise among some cells is not solved.
fn is_unsolved(lesson: &Lesson, cells: &[PageProgress], mut range: Range<usize>) -> bool {
    range.any(|at| matches!(lesson.cells[at], Cell::Exercise(_)) && cells[at] != PageProgress::Done)
}

/// How those of some cells stand that run something.
fn runs_among(lesson: &Lesson, cells: &[PageProgress], range: Range<usize>) -> Vec<PageProgress> {
    let runs = range.filter(|&at| matches!(lesson.cells[at], Cell::Run(_)));
    runs.map(|at| cells[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::StateChange;
    use crate::app::testing::sample_lesson;

    fn ran(digest: &str) -> StateChange {
        StateChange::Ran {
            lesson: "double".to_owned(),
            cell: "double".to_owned(),
            digest: digest.to_owned(),
        }
    }

    #[test]
    fn kernels_are_done_when_they_ran_as_they_are_now() {
        let lesson = sample_lesson();
        let mut saved = SavedState::default();
        assert!(saved.progress(&lesson).is_new());
        for cell in [
            "doubling",
            "two-kernels",
            "double",
            "what-it-cost",
            "a-cell-that-is-gone",
        ] {
            saved.take(StateChange::Place {
                lesson: "double".to_owned(),
                cell: cell.to_owned(),
            });
        }
        let seen = saved.progress(&lesson);
        assert_eq!((seen.pages, seen.seen, seen.done, seen.ran), (3, 3, 2, 0));
        assert_eq!(seen.place, None, "the last place is gone");
        saved.take(ran("before"));
        assert_eq!(saved.progress(&lesson).stale, 1);
        saved.take(ran(&lesson.digests["double"]));
        assert!(saved.progress(&lesson).is_done());
    }
}
