//! A small run of a guess: how long its buffers have to be, and which of them it reads.

use std::path::Path;
use std::time::Duration;

use super::guess::KernelGuess;
use super::pages;
use crate::device::{DEFAULT_GPU, gpu};
use crate::engine::{Control, Options, run};
use crate::launch::{Ending, Outcome};
use crate::source::SourceFile;

/// How long a trial may take: a file may have many kernels, and somebody waits for the first page.
const TRIAL: Duration = Duration::from_millis(400);

/// The guess with the first length of its buffers at which the kernel stays inside them, and zeros in those that it
/// only writes; as it was where no trial ends.
pub fn settled(path: &Path, file: &SourceFile, guess: KernelGuess) -> KernelGuess {
    for length in guess.lengths() {
        let tried = KernelGuess {
            length,
            ..guess.clone()
        };
        if let Some(outcome) =
            outcome(path, file, &tried).filter(|tried| tried.ending == Ending::Finished)
        {
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

fn outcome(path: &Path, file: &SourceFile, guess: &KernelGuess) -> Option<Outcome> {
    let text = pages::lesson(path, std::slice::from_ref(guess));
    let lesson = pages::read(path, file, &text).0?;
    let cell = lesson.run_cells().next()?;
    let plan = cell
        .plan(&lesson.sizes_with(&[]).ok()?, gpu(DEFAULT_GPU).ok()?)
        .ok()?;
    let options = Options {
        model_caches: false,
        time_limit: Some(TRIAL),
        ..Options::default()
    };
    run(&plan, &options, &Control::default()).ok()
}
