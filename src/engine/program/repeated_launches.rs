//! Launches that find everything as one like them did: what that one did is done again without running it. Benchmarks
//! launch a kernel a hundred times, and nothing but the time is new to them.
//!
//! ```text
//! for 100 times: { memset(c, 0); add<<<grid, block>>>(a, b, c); }    →    two launches run, and c is written 98 times
//! ```
//!
//! Invariant: a launch is a function of its kernel, shape and arguments and of what all buffers hold. Only where all of
//! that is the same, by 128 bits of a fingerprint, is one not run; buffers, counts and what it prints are as if it had been.

use std::collections::HashMap;
use std::time::Duration;

use crate::cuda::FunctionId;
use crate::host::KernelLaunch;
use crate::launch::{Dim3, ElementType};
use crate::simt::{End, GlobalMemory, Run};

/// Most bytes of buffers that are kept to be written again.
const MOST_KEPT_BYTES: u64 = 1 << 28;
/// Launches that are told apart at the same time: programs that come by more do not repeat themselves.
const MOST_LAUNCHES: usize = 4096;
/// Bytes that a fingerprint takes in per nanosecond, at least.
const BYTES_PER_NS: u64 = 4;
/// Launches in a row that found something new, after which ever fewer are looked at.
const FEW_MISSES: u32 = 3;

/// What is known of the launches of a program so far.
#[derive(Debug, Default)]
pub struct RepeatedLaunches {
    /// By buffer: what it holds, as far as that is known.
    fingerprints: Vec<Option<u128>>,
    known: HashMap<LaunchKey, KnownLaunch>,
    kept_bytes: u64,
}

/// What tells launches apart before memory is looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchKey {
    kernel: FunctionId,
    shape: [Dim3; 2],
    shared_bytes: u64,
    arguments: Vec<u8>,
    is_cooperative: bool,
}

/// A launch that was made before.
#[derive(Debug, Default)]
struct KnownLaunch {
    /// How long it ran.
    took: Duration,
    misses: u32,
    /// Launches that are not looked at from now on.
    skipped: u32,
    /// What it found and did, where that is known.
    last: Option<Box<Effect>>,
}

/// What a launch found and what it did.
#[derive(Debug)]
struct Effect {
    before: Vec<BufferState>,
    changed: Vec<Changed>,
    ran: Run,
}

/// A buffer that is there: what it is called by, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BufferState {
    index: usize,
    element: ElementType,
    fingerprint: u128,
}

/// A buffer that a launch has changed.
#[derive(Debug)]
struct Changed {
    index: usize,
    fingerprint: u128,
    words: Vec<u32>,
}

/// What a launch finds that is looked at.
#[derive(Debug)]
pub struct Found(Vec<BufferState>);

impl LaunchKey {
    /// Of a launch.
    pub fn of(launch: &KernelLaunch) -> Self {
        LaunchKey {
            kernel: launch.kernel,
            shape: [launch.grid, launch.block],
            shared_bytes: launch.shared_bytes,
            arguments: launch.arguments.clone(),
            is_cooperative: launch.is_cooperative,
        }
    }
}

impl RepeatedLaunches {
    /// What a buffer holds is not known any more.
    pub fn forget(&mut self, index: usize) {
        if let Some(known) = self.fingerprints.get_mut(index) {
            *known = None;
        }
    }

    /// What a launch finds, if it is worth to be looked at: one like it has run, and took longer than that.
    pub fn look(&mut self, key: &LaunchKey, memory: &GlobalMemory) -> Option<Found> {
        let launch = self.known.get_mut(key)?;
        if launch.skipped > 0 {
            launch.skipped -= 1;
            return None;
        }
        let took_ns = launch.took.as_nanos() as u64;
        let to_read: u64 = (0..memory.buffer_count())
            .filter(|&index| self.fingerprints.get(index).copied().flatten().is_none())
            .map(|index| memory.stored_bytes(index))
            .sum();
        (to_read / BYTES_PER_NS <= took_ns).then(|| Found(self.states(memory)))
    }

    /// What all buffers hold.
    fn states(&mut self, memory: &GlobalMemory) -> Vec<BufferState> {
        self.fingerprints.resize(memory.buffer_count(), None);
        let mut states = Vec::new();
        for (index, known) in self.fingerprints.iter_mut().enumerate() {
            let Some(element) = memory.element(index) else {
                continue;
            };
            let fingerprint = *known.get_or_insert_with(|| memory.fingerprint(index));
            states.push(BufferState {
                index,
                element,
                fingerprint,
            });
        }
        states
    }

    /// Does again what a launch did that found the same; what that was.
    pub fn replay(&mut self, key: &LaunchKey, found: &Found, memory: &GlobalMemory) -> Option<Run> {
        let launch = self.known.get_mut(key)?;
        let last = launch.last.as_ref()?;
        if last.before != found.0 {
            return None;
        }
        for changed in &last.changed {
            memory.restore_words(changed.index, &changed.words);
            self.fingerprints[changed.index] = Some(changed.fingerprint);
        }
        launch.misses = 0;
        Some(last.ran.clone())
    }

    /// Takes in what a launch did that has run, and what it found if that was looked at.
    pub fn learn(
        &mut self,
        key: LaunchKey,
        found: Option<Found>,
        ran: &Run,
        took: Duration,
        memory: &GlobalMemory,
    ) {
        // Atomic operations leave no footprint: any buffer may be another one now.
        self.fingerprints.fill(None);
        if self.known.len() == MOST_LAUNCHES && !self.known.contains_key(&key) {
            self.forget_effects();
            self.known.clear();
        }
        let is_plain = ran.end == End::Finished && ran.reports.is_empty() && ran.trace.is_none();
        let last = found.filter(|_| is_plain);
        let last = last.and_then(|found| self.effect(found, ran, memory));
        let launch = self.known.entry(key).or_default();
        launch.took = took;
        launch.misses += u32::from(last.is_some());
        if launch.misses > FEW_MISSES {
            launch.skipped = 1 << launch.misses.min(20);
        }
        let before = std::mem::replace(&mut launch.last, last.map(Box::new));
        self.kept_bytes -= before.map_or(0, |before| before.kept_bytes());
    }

    /// What a launch did that found this, unless that is too much to be kept.
    fn effect(&mut self, found: Found, ran: &Run, memory: &GlobalMemory) -> Option<Effect> {
        let after = self.states(memory);
        let pairs = after.iter().zip(&found.0);
        let changed = pairs.filter(|(after, before)| after != before);
        let changed: Vec<BufferState> = changed.map(|(after, _)| *after).collect();
        let sizes = changed.iter().map(|of| memory.stored_bytes(of.index));
        let bytes: u64 = sizes.sum();
        if bytes > MOST_KEPT_BYTES {
            return None;
        }
        if self.kept_bytes + bytes > MOST_KEPT_BYTES {
            self.forget_effects();
        }
        self.kept_bytes += bytes;
        let changed = changed.iter().map(|of| Changed {
            index: of.index,
            fingerprint: of.fingerprint,
            words: memory.copied_words(of.index),
        });
        Some(Effect {
            before: found.0,
            changed: changed.collect(),
            ran: ran.clone(),
        })
    }

    /// Gives back what is kept. Programs seldom come back to what they launched long ago.
    fn forget_effects(&mut self) {
        self.known
            .values_mut()
            .for_each(|launch| launch.last = None);
        self.kept_bytes = 0;
    }
}

impl Effect {
    fn kept_bytes(&self) -> u64 {
        let sizes = self.changed.iter().map(|changed| 4 * changed.words.len());
        sizes.sum::<usize>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn ran() -> Run {
        Run {
            printed: "said".to_owned(),
            ..Run::blank(End::Finished)
        }
    }

    fn key(argument: u8) -> LaunchKey {
        LaunchKey::of(&KernelLaunch {
            kernel: 0,
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![argument],
            span: Span::default(),
            is_cooperative: false,
        })
    }

    /// Launches something that adds 1 to a byte of `y` if that of `x` is 1; whether it was run.
    fn launch(repeated: &mut RepeatedLaunches, memory: &GlobalMemory, [x, y]: [u64; 2]) -> bool {
        let found = repeated.look(&key(7), memory);
        let again = found
            .as_ref()
            .and_then(|found| repeated.replay(&key(7), found, memory));
        if let Some(again) = again {
            assert_eq!(again, ran());
            return false;
        }
        let [mut of_x, mut of_y] = [[0]; 2];
        assert!(memory.read(x, &mut of_x) && memory.read(y, &mut of_y));
        assert!(memory.write(y, &[of_y[0] + u8::from(of_x == [1])]));
        let took = Duration::from_secs(1);
        repeated.learn(key(7), found, &ran(), took, memory);
        true
    }

    #[test]
    fn a_launch_that_finds_the_same_does_the_same_without_being_run() {
        let mut memory = GlobalMemory::new(Vec::new());
        let [x, y] = ["x", "y"].map(|name| memory.allocate(None, name, 4096));
        let at = [x, y].map(GlobalMemory::address);
        let repeated = &mut RepeatedLaunches::default();
        let set = |repeated: &mut RepeatedLaunches, index: usize, value| {
            repeated.forget(index);
            assert!(memory.write(at[index - x], &[value]));
        };
        // Nothing is known of the first; the second finds what it leaves.
        for (before, of_x, is_run) in [(5, 0, true), (5, 0, true), (5, 0, false), (5, 1, true)] {
            set(repeated, x, of_x);
            set(repeated, y, before);
            assert_eq!(launch(repeated, &memory, at), is_run);
        }
        // What it changed is written again, and what it finds counts to the last byte.
        for (before, of_x, is_run) in [(5, 1, false), (6, 1, true), (6, 1, false), (6, 0, true)] {
            set(repeated, x, of_x);
            set(repeated, y, before);
            assert_eq!(launch(repeated, &memory, at), is_run);
            let mut now = [0];
            assert!(memory.read(at[1], &mut now));
            assert_eq!(now, [before + of_x]);
        }
    }

    #[test]
    fn what_takes_no_time_is_not_looked_at_and_other_arguments_are_another_launch() {
        let mut memory = GlobalMemory::new(Vec::new());
        memory.allocate(None, "x", 1 << 20);
        let repeated = &mut RepeatedLaunches::default();
        let no_time = Duration::from_nanos(100);
        repeated.learn(key(1), None, &ran(), no_time, &memory);
        assert!(repeated.look(&key(1), &memory).is_none());
        repeated.learn(key(1), None, &ran(), Duration::from_secs(1), &memory);
        assert!(repeated.look(&key(1), &memory).is_some());
        assert!(repeated.look(&key(2), &memory).is_none());
    }
}
