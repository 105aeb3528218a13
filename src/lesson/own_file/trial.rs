//! Small runs of a guess with room behind its buffers: how long these have to be, and which of them the kernel reads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::guess::{Guesses, KernelGuess};
use super::pages;
use crate::compile::Compiled;
use crate::device::{DEFAULT_GPU, gpu};
use crate::engine::{Control, Options, run, run_compiled};
use crate::launch::{BufferFootprint, Ending, Outcome, Plan};
use crate::simt::SHARED_ADDRESS;
use crate::source::{Diagnostic, Severity, SourceFile};

/// How many warp instructions a trial may take, a fifth of a second: a file may have many kernels, and somebody waits for
/// the first page. Not a time: a guess should not depend on how busy the machine is.
const TRIAL_FUEL: u64 = 10_000_000;
/// How many steps compiling a trial may take, for the same reasons: that of a Triton kernel whose loops are written out
/// goes on for seconds.
const TRIAL_STEPS: u64 = 20_000;
/// A trial that takes so long all the same is given up; far more than that fuel lasts for on a busy machine and without
/// optimisation.
const TRIAL_TIME: Duration = Duration::from_secs(60);
/// Most trials of a guess; most end at their first fault.
const MOST_TRIALS: usize = 12;
/// Guesses of a kernel that run into faults before it is given up.
const MOST_FAULTS: usize = 4;
/// Values of each buffer in the first trial at least, and in any: what is filled takes its time.
const LEAST_ROOM: u64 = 1 << 16;
const MOST_ROOM: u64 = 1 << 25;
/// Most bytes that the buffers of a trial have together.
const MOST_BYTES: u64 = 1 << 29;
/// What sizes are made at once where no room is enough for them: they may be sides.
const SIDE: u64 = 256;
/// Most dynamic shared memory of a block (CUDA C++ Programming Guide, compute capability 9.0).
const MOST_SHARED_BYTES: u64 = 227 << 10;
/// A buffer that is longer than a formula says by so much is a mistake in an index, `x[i + 1]`, which is to be seen.
const STRAY: u64 = 1;
/// That goes for buffers of so many values: shorter ones have lengths that no formula knows.
const LEAST_LONG: u64 = 256;

/// The file whose kernels are tried.
pub struct Source<'a> {
    pub path: &'a Path,
    pub file: &'a SourceFile,
    /// Macros from outside.
    pub defines: &'a [(String, String)],
    /// What the file has become, if it is CUDA C++: it is tried more than once.
    pub compiled: Option<Arc<Compiled>>,
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
        // A page needs one to be there.
        plan.buffers.truncate(guess.buffers.len());
        Some(plan)
    }

    fn outcome(&self, guess: &KernelGuess) -> Option<Outcome> {
        let options = Options {
            model_caches: false,
            fuel: TRIAL_FUEL,
            compile_steps: TRIAL_STEPS,
            time_limit: Some(TRIAL_TIME),
            ..Options::default()
        };
        let (plan, control) = (self.plan(guess)?, Control::default());
        match &self.compiled {
            Some(compiled) => run_compiled(&plan, compiled, &options, &control),
            None => run(&plan, &options, &control),
        }
        .ok()
    }
}

/// The first of `guesses` that comes to its end, with buffers that are as long as the kernel needs them, zeros in those
/// that it only writes, and sizes at which it ends soon. As near to that as trials came where none ends.
pub fn settled(source: &Source, guesses: Guesses) -> KernelGuess {
    let first = tried(source, guesses.first);
    if first.has_ended {
        return first.guess;
    }
    let others = guesses.others.into_iter();
    let mut faults = usize::from(first.has_begun);
    let mut best = first;
    for guess in others {
        if faults == MOST_FAULTS {
            break;
        }
        let other = tried(source, guess);
        faults += usize::from(other.has_begun);
        let is_better = other.has_ended || other.has_begun && !best.has_begun;
        best = if is_better { other } else { best };
        if best.has_ended {
            break;
        }
    }
    best.guess
}

/// A guess after its trials.
struct Tried {
    guess: KernelGuess,
    /// Whether it could be run at all.
    has_begun: bool,
    /// Whether the last of them came to its end.
    has_ended: bool,
}

/// A guess as [`settled`] makes it.
fn tried(source: &Source, guess: KernelGuess) -> Tried {
    let mut tried = guess;
    let mut has_begun = false;
    let mut room = first_room(&tried);
    for _ in 0..MOST_TRIALS {
        let Some(outcome) = source.outcome(&with_room(&tried, room)) else {
            break;
        };
        has_begun |= !outcome.launches.is_empty();
        let goes_on = match (outcome.ending, fault(&outcome)) {
            (Ending::Finished, _) => {
                tried.counts = Some(Box::new(outcome.counts()));
                return Tried {
                    guess: fitted(source, tried, room, &outcome),
                    has_begun,
                    has_ended: true,
                };
            }
            // By much at once, as each such trial takes its time.
            (Ending::Exhausted, _) => [(); 3].map(|()| tried.shrink())[0],
            // What does not compile does so with no more room.
            _ if outcome.launches.is_empty() => false,
            (_, Some(fault)) if fault.code == Some(SHARED_ADDRESS) => widen_shared(&mut tried),
            (_, Some(_)) => widen(&mut tried, &mut room),
            _ => false,
        };
        if !goes_on {
            break;
        }
    }
    Tried {
        guess: tried,
        has_begun,
        has_ended: false,
    }
}

/// Gives more room, or where there is no more, makes sizes what sides are. Whether anything was changed.
fn widen(guess: &mut KernelGuess, room: &mut u64) -> bool {
    let value_bytes = guess.buffers.iter().map(|buffer| {
        let bytes = buffer.element.size_bytes() as u64;
        bytes * u64::from(buffer.per_value)
    });
    let most = (MOST_BYTES / value_bytes.sum::<u64>().max(1)).min(MOST_ROOM);
    if *room < most {
        *room = (*room * 32).min(most);
        return true;
    }
    let mut is_less = false;
    for size in guess.sizes.iter_mut().filter(|size| size.default > SIDE) {
        size.default = SIDE;
        is_less = true;
    }
    *room = first_room(guess);
    is_less
}

fn fault(outcome: &Outcome) -> Option<&Diagnostic> {
    let mut reports = outcome.reports.iter().map(|report| &report.diagnostic);
    reports.find(|report| report.severity == Severity::Error)
}

fn first_room(guess: &KernelGuess) -> u64 {
    let lengths = guess.lengths();
    let longest = lengths.iter().map(|length| guess.value(length)).max();
    longest.unwrap_or(0).clamp(LEAST_ROOM, LEAST_ROOM * 16)
}

fn with_room(guess: &KernelGuess, room: u64) -> KernelGuess {
    let mut tried = guess.clone();
    for buffer in &mut tried.buffers {
        buffer.length = room.to_string();
    }
    tried
}

/// Doubles the dynamic shared memory of a block. Whether there is any, and more to be had.
fn widen_shared(guess: &mut KernelGuess) -> bool {
    let bytes = guess.value(&guess.shared_bytes);
    let is_dynamic = guess.shared_bytes != "0" && bytes < MOST_SHARED_BYTES;
    if is_dynamic {
        guess.shared_bytes = (bytes * 2).min(MOST_SHARED_BYTES).to_string();
    }
    is_dynamic
}

/// The guess with the lengths that its buffers had to have in a trial with `room`, and zeros in those that were not read.
fn fitted(source: &Source, guess: KernelGuess, room: u64, outcome: &Outcome) -> KernelGuess {
    let footprints = outcome
        .launches
        .iter()
        .flat_map(|launch| &launch.footprints);
    let footprints: Vec<&BufferFootprint> = footprints.collect();
    let mut fitted = guess.clone();
    for (at, buffer) in fitted.buffers.iter_mut().enumerate() {
        let of_buffer = footprints.iter().find(|footprint| footprint.buffer == at);
        // What no load or store touched, atomic operations may have.
        let touched = of_buffer.map_or(0, |footprint| footprint.end);
        buffer.is_read = of_buffer.is_some_and(|footprint| footprint.loaded > 0);
        let values = touched.div_ceil(buffer.per_value.into());
        // What the file allocates goes for what it launches.
        let is_given =
            buffer.is_length_written && !(guess.is_scaled && values > guess.value(&buffer.length));
        if touched > 0 && !is_given {
            buffer.length = length_for(values, buffer.per_value, &guess);
        }
    }
    let is_touched = |at: &usize| footprints.iter().any(|found| found.buffer == *at);
    for at in (0..fitted.buffers.len()).filter(|at| !is_touched(at)) {
        fit_untouched(source, &mut fitted, at, room);
    }
    fitted
}

/// Gives the buffer `at`, which no load or store touched, the length that atomic operations need, by trials.
fn fit_untouched(source: &Source, guess: &mut KernelGuess, at: usize, room: u64) {
    let is_enough = |guess: &KernelGuess| {
        let outcome = source.outcome(guess);
        outcome.is_some_and(|outcome| outcome.ending == Ending::Finished)
    };
    let shorter = match guess.buffers[at].is_length_written {
        true => Vec::new(),
        false => shorter_lengths(guess, at),
    };
    let fits = |length: &&String| is_enough(&with_length(guess, at, length));
    let length = match shorter.iter().find(fits) {
        // One that even the shortest is enough for may not be used at all: nothing is known of it.
        Some(length) => Some(length.clone()).filter(|length| *length != shorter[0]),
        None if is_enough(guess) => None,
        None => Some(room.to_string()),
    };
    if let Some(length) = length {
        guess.buffers[at].length = length;
    }
}

/// Formulas that say less than the length of the buffer `at` is, the least first.
fn shorter_lengths(guess: &KernelGuess, at: usize) -> Vec<String> {
    let now = guess.value(&guess.buffers[at].length);
    let mut lengths = guess.lengths();
    lengths.retain(|length| guess.value(length) < now);
    lengths.sort_by_key(|length| guess.value(length));
    lengths.dedup_by_key(|length| guess.value(length));
    lengths
}

fn with_length(guess: &KernelGuess, at: usize, length: &str) -> KernelGuess {
    let mut changed = guess.clone();
    changed.buffers[at].length = length.to_owned();
    changed
}

/// The formula for a buffer of which so many values are touched, each of `per_value` elements.
fn length_for(touched: u64, per_value: u32, guess: &KernelGuess) -> String {
    let mut lengths = guess.lengths();
    if per_value > 1 {
        // `n` floats behind a `float4*`.
        let whole = lengths
            .iter()
            .map(|length| format!("{length} / {per_value}"));
        lengths = whole.chain(lengths.iter().cloned()).collect();
    }
    let lengths: Vec<(u64, String)> = lengths
        .into_iter()
        .map(|length| (guess.value(&length), length))
        .collect();
    let exact = lengths.iter().find(|(value, _)| *value == touched);
    let strayed = || {
        let is_near = |value: u64| value >= LEAST_LONG && value + STRAY == touched;
        lengths.iter().find(|(value, _)| is_near(*value))
    };
    let larger = || {
        // Not much larger: a filter of 9 values has nothing to do with 65,536.
        let fits = lengths
            .iter()
            .filter(|(value, _)| touched < *value && *value <= 2 * touched);
        fits.min_by_key(|(value, _)| *value)
    };
    let found = exact.or_else(strayed).or_else(larger);
    found.map_or_else(|| touched.to_string(), |(_, length)| length.clone())
}
