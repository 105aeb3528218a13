//! All exercises in the order of the lessons, and which of them comes next.

use crate::app::SavedState;
use crate::cli::output::{Output, Stop};
use crate::cli::run::load_lessons;
use crate::lesson::{ExerciseCell, Lesson, Lessons};
use crate::source::nearest;

/// The lessons and their exercises.
pub(super) struct Course {
    from: Lessons,
    lessons: Vec<Lesson>,
}

/// An exercise with its lesson.
#[derive(Clone, Copy)]
pub(super) struct Exercise<'a> {
    pub lesson: &'a Lesson,
    pub cell: &'a ExerciseCell,
}

impl Exercise<'_> {
    pub fn id(&self) -> &str {
        self.cell.id()
    }
}

impl Course {
    /// Those of `from`.
    pub fn load(from: Lessons, output: &Output) -> Result<Self, Stop> {
        let lessons = load_lessons(&from, output)?;
        Ok(Course { from, lessons })
    }

    /// What commands call the lesson of `exercise`: its file, or its name if it comes with the program.
    pub fn lesson_argument(&self, exercise: Exercise) -> String {
        let id = &exercise.lesson.id;
        let file = self.from.file(id);
        file.map_or_else(|| id.clone(), |file| file.display().to_string())
    }

    /// Every lesson, in order.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons.iter()
    }

    /// Every exercise, in order.
    pub fn exercises(&self) -> impl Iterator<Item = Exercise<'_>> {
        let of = |lesson| Lesson::exercises(lesson).map(move |cell| Exercise { lesson, cell });
        self.lessons.iter().flat_map(of)
    }

    /// The exercise called `id`.
    pub fn find(&self, id: &str) -> Result<Exercise<'_>, Stop> {
        // `vector-add#guard`, as links have it, is an exercise as well.
        let name = id.rsplit('#').next().unwrap_or(id);
        let found = self.exercises().find(|exercise| exercise.id() == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = self
                .exercises()
                .map(|exercise| exercise.cell.id())
                .collect();
            if let Some(option) = ["hint", "solution", "reset", "list"]
                .iter()
                .find(|option| **option == name)
            {
                return Stop::Usage(format!(
                    "there is no exercise `{name}`; the option is `--{option}`"
                ));
            }
            let near = nearest(name, all.iter().copied());
            let guess = near.first().map(|name| format!("; perhaps `{name}`"));
            let guess = guess.unwrap_or_default();
            Stop::Usage(format!(
                "there is no exercise `{name}`{guess}\n  `tutor practice --list` shows all of them"
            ))
        })
    }

    /// What comes next at `now`, in seconds since 1970: what was begun, what is to be repeated, the first that is new.
    pub fn next(&self, saved: &SavedState, now: u64) -> Option<Exercise<'_>> {
        let first = |is: &dyn Fn(&Exercise) -> bool| self.exercises().find(is);
        let kept = |exercise: &Exercise| saved.exercise(exercise.id());
        let again = || {
            let cells: Vec<&ExerciseCell> = self.exercises().map(|of| of.cell).collect();
            let again = saved.to_repeat(&cells, now).into_iter().next()?;
            first(&|exercise| exercise.id() == again.id())
        };
        first(&|exercise| !kept(exercise).is_solved() && kept(exercise).is_begun())
            .or_else(again)
            .or_else(|| first(&|exercise| !kept(exercise).is_solved()))
    }
}
