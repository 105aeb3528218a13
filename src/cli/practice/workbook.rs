//! The learner's folder, and what is kept of the exercises in it.

use std::path::PathBuf;

use crate::app::{ExerciseChange, SavedState, StateChange};
use crate::cli::exercises::Exercise;
use crate::cli::output::{Output, Stop};
use crate::cli::run::{Runner, failed};
use crate::document::faults;
use crate::engine::{Control, Options};
use crate::launch::Engine;
use crate::lesson::{Feedback, check_answer};
use crate::runtime::{replace_file, save_changes, saved_state, seconds_since_1970};
use crate::source::{SourceFile, read_text};

/// A folder of answers.
pub(super) struct Workbook<'a> {
    pub folder: PathBuf,
    pub saved: SavedState,
    /// What runs answers once more that are right on the simulated GPU; nothing unless a real GPU was asked for.
    pub real: Option<Runner>,
    pub options: Options,
    pub output: &'a Output,
}

/// An answer that was checked.
pub(super) struct Checked {
    pub answer: SourceFile,
    pub feedback: Feedback,
    /// What a real GPU made of an answer that is right on the simulated one.
    pub real: Option<RealRun>,
}

/// A run of an answer on a real GPU.
pub(super) struct RealRun {
    /// The GPU.
    pub gpu: String,
    /// What is wrong there; nothing if it is right there, too.
    pub faults: Vec<String>,
}

impl Checked {
    /// Whether it is right wherever it ran.
    pub fn is_passed(&self) -> bool {
        self.feedback.is_passed() && self.real.as_ref().is_none_or(|real| real.faults.is_empty())
    }
}

impl<'a> Workbook<'a> {
    /// With what is kept now.
    pub fn open(
        folder: PathBuf,
        options: Options,
        real: Option<Runner>,
        output: &'a Output,
    ) -> Self {
        let (saved, notice) = saved_state();
        if let Some(notice) = notice {
            output.message(&notice);
        }
        Workbook {
            folder,
            saved,
            real,
            options,
            output,
        }
    }

    /// The learner's file.
    pub fn path(&self, exercise: Exercise) -> PathBuf {
        self.folder.join(exercise.cell.file_name())
    }

    /// Puts what the learner begins with into the folder, unless there is a file already; whether there was none.
    pub fn begin(&self, exercise: Exercise) -> Result<bool, Stop> {
        let path = self.path(exercise);
        let is_new = !path.exists();
        if is_new {
            self.write(&path, exercise.cell.start.source.text())?;
        }
        Ok(is_new)
    }

    /// Puts what the learner begins with in the place of the file, and what was there beside it; where that is.
    pub fn reset(&self, exercise: Exercise) -> Result<Option<PathBuf>, Stop> {
        let path = self.path(exercise);
        let start = exercise.cell.start.source.text();
        let before = read_text(&path).ok().filter(|text| text != start);
        let aside = path.with_extension(match path.extension() {
            Some(ending) => format!("before.{}", ending.display()),
            None => "before".to_owned(),
        });
        if let Some(before) = &before {
            self.write(&aside, before)?;
        }
        self.write(&path, start)?;
        Ok(before.map(|_| aside))
    }

    fn write(&self, path: &std::path::Path, text: &str) -> Result<(), Stop> {
        let written = replace_file(path, text);
        written.map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))
    }

    /// Checks the learner's file, and keeps what was found.
    pub fn check(&mut self, exercise: Exercise) -> Result<Checked, Stop> {
        let path = self.path(exercise);
        let name = path.display().to_string();
        let text = read_text(&path).map_err(|error| Stop::Failed(format!("{name}: {error}")))?;
        let answer = SourceFile::new(&name, &text);
        let feedback = check_answer(
            exercise.lesson,
            exercise.cell,
            &answer,
            &self.options,
            &Control::default(),
        );
        let feedback = feedback.map_err(failed)?;
        let real = match feedback.is_passed() {
            true => self.real_run(exercise, &answer)?,
            false => None,
        };
        let at = seconds_since_1970();
        if let Some(change) = ExerciseChange::of_check(exercise.cell, text, &feedback, at) {
            self.keep(exercise, change);
        }
        Ok(Checked {
            answer,
            feedback,
            real,
        })
    }

    /// Runs an answer on the real GPU, at the exercise's own sizes.
    fn real_run(
        &mut self,
        exercise: Exercise,
        answer: &SourceFile,
    ) -> Result<Option<RealRun>, Stop> {
        let Some(runner) = &mut self.real else {
            return Ok(None);
        };
        let run = exercise.cell.answered(answer);
        let run = run.map_err(|error| Stop::Failed(error.message))?;
        let sizes = exercise.cell.told_at(exercise.lesson);
        let plan = run.plan(&sizes, runner.gpu()).map_err(failed)?;
        let options = runner.simulation.clone();
        let outcome = runner.run(&plan, &options, self.output)?;
        // Where no GPU worked after all, the simulated one has run it again, and that says nothing new.
        if outcome.engine == Engine::Sim {
            return Ok(None);
        }
        let gpu = outcome.gpu.clone();
        let faults = faults(&run.check_outcome(&sizes, outcome));
        Ok(Some(RealRun { gpu, faults }))
    }

    /// Keeps what was done about an exercise.
    pub fn keep(&mut self, exercise: Exercise, change: ExerciseChange) {
        let change = StateChange::Exercise {
            id: exercise.id().to_owned(),
            change,
        };
        self.saved.take(change.clone());
        if let Some(notice) = save_changes(vec![change]) {
            self.output.message(&notice);
        }
    }
}
