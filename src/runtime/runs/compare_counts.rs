//! What the original and an edited text of a cell count, at its sizes and at a few small ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::app::{EditComparison, Msg};
use crate::device::{Gpu, gpu_or_usual};
use crate::engine::{self, Control, Options};
use crate::launch::{Counts, Ending, Plan};
use crate::lesson::{RunCell, Size, Sizes, TextCounts, small_sizes};

/// Counts both; nothing once it is cancelled, or where the original does not run.
pub(crate) fn compare_counts(asked: EditComparison, cancel: &AtomicBool) -> Option<Msg> {
    let outcome = &asked.ran.result.outcome;
    let counter = TextCounter {
        over: asked.sizes.clone(),
        options: Options {
            gpu: outcome.simulated.clone(),
            // What is compared does not depend on caches, which take most of the time.
            model_caches: false,
            ..Options::default()
        },
        small: small_sizes(&asked.sizes, &asked.ran.result.sizes),
        cancel,
    };
    let at = &asked.ran.result.sizes;
    let launches = outcome.launches.iter().map(|launch| launch.counts);
    let edited = counter.tally(&asked.cell, at, launches.collect());
    let original = asked.known.or_else(|| {
        let cell = RunCell {
            source: asked.original,
            ..*asked.cell
        };
        let launches = counter.counts(&cell.plan(at, counter.gpu()).ok()?, true)?;
        Some(counter.tally(&cell, at, launches))
    });
    let original = original.filter(|_| !cancel.load(Ordering::Relaxed))?;
    Some(Msg::EditCompared {
        job: asked.ran.job,
        original,
        edited,
    })
}

/// What counts a text.
struct TextCounter<'a> {
    over: Vec<Size>,
    options: Options,
    small: Vec<Sizes>,
    cancel: &'a AtomicBool,
}

impl TextCounter<'_> {
    /// `launches` at `sizes`, and what is counted at the small ones.
    fn tally(&self, cell: &RunCell, sizes: &Sizes, launches: Vec<Counts>) -> Arc<TextCounts> {
        let small = self.small.iter().map(|sizes| {
            let launches = self.counts(&cell.plan(sizes, self.gpu()).ok()?, false)?;
            let total = launches
                .into_iter()
                .fold(Counts::default(), |sum, counts| sum + counts);
            Some((sizes.clone(), total))
        });
        Arc::new(TextCounts {
            over: self.over.clone(),
            sizes: sizes.clone(),
            launches,
            small: small.collect::<Option<Vec<_>>>().unwrap_or_default(),
        })
    }

    /// The GPU whose figures formulas use.
    fn gpu(&self) -> &'static Gpu {
        gpu_or_usual(&self.options.gpu)
    }

    /// Counts of each launch, if all ran to their end.
    fn counts(&self, plan: &Plan, model_caches: bool) -> Option<Vec<Counts>> {
        let control = Control {
            cancel: self.cancel,
            ..Control::default()
        };
        let options = Options {
            model_caches,
            ..self.options.clone()
        };
        let outcome = engine::run(plan, &options, &control).ok()?;
        let launches = outcome.launches.iter().map(|launch| launch.counts);
        (outcome.ending == Ending::Finished).then(|| launches.collect())
    }
}
