//! How far a learner is in a lesson.

use crate::app::state::{SavedLesson, SavedState};
use crate::lesson::{Cell, Lesson};

/// How far a learner is in a lesson, in cells. Text is done once it was on screen; kernels once they ran
/// and all was right, as they are now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LessonProgress {
    /// Cells there are.
    pub cells: usize,
    /// Cells that were on screen.
    pub seen: usize,
    /// Cells that are done.
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

/// How one cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellProgress {
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
        self.cells > 0 && self.done == self.cells
    }

    /// Whether nobody was there yet.
    pub fn is_new(self) -> bool {
        self.seen == 0 && self.done == 0
    }
}

impl SavedState {
    /// How far the learner is in `lesson`.
    pub fn progress(&self, lesson: &Lesson) -> LessonProgress {
        let cells = self.cells_of(lesson);
        let count = |standing| cells.iter().filter(|&&(_, is)| is == standing).count();
        let is_run = |index: usize| matches!(lesson.cells[index], Cell::Run(_));
        let runs = (0..cells.len()).filter(|&index| is_run(index));
        let ran = runs.clone();
        let kept = self.lessons.get(&lesson.id);
        let place = kept.and_then(|kept| kept.place.as_ref());
        LessonProgress {
            cells: cells.len(),
            seen: cells.len() - count(CellProgress::New),
            done: count(CellProgress::Done),
            runs: runs.count(),
            ran: ran
                .filter(|&index| cells[index].1 == CellProgress::Done)
                .count(),
            stale: count(CellProgress::Stale),
            place: place.and_then(|name| cells.iter().position(|(cell, _)| cell == name)),
        }
    }

    /// The name of each cell of `lesson`, and how it stands.
    pub fn cells_of(&self, lesson: &Lesson) -> Vec<(String, CellProgress)> {
        let nothing = SavedLesson::default();
        let kept = self.lessons.get(&lesson.id).unwrap_or(&nothing);
        let names = lesson.cell_names().into_iter();
        let cells = names.zip(&lesson.cells).map(|(name, cell)| {
            let seen = kept.seen.contains(&name);
            let standing = match (cell, kept.ran.get(&name)) {
                (Cell::Run(_), Some(digest)) if lesson.digests.get(&name) == Some(digest) => {
                    CellProgress::Done
                }
                (Cell::Run(_), Some(_)) => CellProgress::Stale,
                (Cell::Run(_), None) if seen => CellProgress::Seen,
                (_, None) if seen => CellProgress::Done,
                _ => CellProgress::New,
            };
            (name, standing)
        });
        cells.collect()
    }
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
        let mut kept = SavedState::default();
        assert!(kept.progress(&lesson).is_new());
        for cell in ["doubling", "double", "what-it-cost", "a-cell-that-is-gone"] {
            kept.take(StateChange::Place {
                lesson: "double".to_owned(),
                cell: cell.to_owned(),
            });
        }
        let seen = kept.progress(&lesson);
        assert_eq!((seen.cells, seen.seen, seen.done, seen.ran), (3, 3, 2, 0));
        assert_eq!(seen.place, None, "the last place is gone");
        kept.take(ran("before"));
        assert_eq!(kept.progress(&lesson).stale, 1);
        kept.take(ran(&lesson.digests["double"]));
        assert!(kept.progress(&lesson).is_done());
    }
}
