//! A small run of a guess: how long its buffers have to be, and which of them it reads.

use std::path::Path;
use std::time::Duration;

use super::guess::KernelGuess;
use super::pages;
use crate::device::{DEFAULT_GPU, gpu};
use crate::engine::{Control, Options, run};
use crate::launch::{Ending, Outcome, Plan};
use crate::source::SourceFile;

/// How long a trial may take: a file may have many kernels, and somebody waits for the first page.
const TRIAL: Duration = Duration::from_millis(400);

/// The file whose kernels are tried.
pub struct Source<'a> {
    pub path: &'a Path,
    pub file: &'a SourceFile,
    /// Macros from outside.
    pub defines: &'a [(String, String)],
}

impl Source<'_> {
    /// What runs `guess` at its own sizes.
    pub fn plan(&self, guess: &KernelGuess) -> Option<Plan> {
        let text = pages::lesson(self.path, std::slice::from_ref(guess), None);
        let lesson = pages::read(self.path, self.file, &text).0?;
        let cell = lesson.run_cells().next()?;
        let sizes = lesson.sizes_with(&[]).ok()?;
        let mut plan = cell.plan(&sizes, gpu(DEFAULT_GPU).ok()?).ok()?;
        // Those of a Triton kernel are its constants.
        if !self.defines.is_empty() {
            plan.sources[0].defines = self.defines.to_vec();
        }
        Some(plan)
    }

    fn outcome(&self, guess: &KernelGuess) -> Option<Outcome> {
        let options = Options {
            model_caches: false,
            time_limit: Some(TRIAL),
            ..Options::default()
        };
        run(&self.plan(guess)?, &options, &Control::default()).ok()
    }
}

/// The guess with the first length of its buffers at which the kernel stays inside them, and zeros in those that it
/// only writes; as it was where no trial ends.
pub fn settled(source: &Source, guess: KernelGuess) -> KernelGuess {
    for length in guess.lengths() {
        let tried = KernelGuess {
            length,
            ..guess.clone()
        };
        let outcome = source.outcome(&tried);
        if let Some(outcome) = outcome.filter(|tried| tried.ending == Ending::Finished) {
            return zeroed(tried, &outcome);
        }
    }
    guess
}

fn zeroed(mut guess: KernelGuess, outcome: &Outcome) -> KernelGuess {
    let footprints = outcome
        .launches
        .iter()
        .flat_map(|launch| &launch.footprints);
    for footprint in footprints {
        if footprint.loaded == 0
            && let Some(buffer) = guess.buffers.get_mut(footprint.buffer)
        {
            buffer.is_read = false;
        }
    }
    guess
}
