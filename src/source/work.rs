//! What a compilation may spend, and whether somebody still waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a compilation ends before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has spent all that it may.
    Spent,
    /// Nobody waits for it any more.
    Cancelled,
    /// It has taken as long as it may.
    Late,
}

/// The steps that a compilation has taken: about one for a statement, or for what takes as long.
pub struct Work<'a> {
    steps: AtomicU64,
    most: u64,
    cancel: &'a AtomicBool,
    deadline: Deadline,
}

/// A flag that nobody sets, for work that nothing stops.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// When something must have ended, if ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now on. What is too far away for a clock is no limit.
    pub fn within(limit: Option<Duration>) -> Self {
        Deadline(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    /// Whether it is over.
    pub fn is_past(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// How many steps pass between two looks at the clock.
const LOOKS_EVERY: u64 = 256;

impl<'a> Work<'a> {
    /// Most steps of one compilation: seconds, and more than any text of a sane size takes.
    pub const MOST: u64 = 4_000_000;

    /// Work that ends where `cancel` becomes true.
    pub fn new(cancel: &'a AtomicBool) -> Self {
        Work {
            steps: AtomicU64::new(0),
            most: Work::MOST,
            cancel,
            deadline: Deadline::default(),
        }
    }

    /// The same, which ends where so much time has passed, if it may not take as long as it wants.
    pub fn within(self, limit: Option<Duration>) -> Self {
        Work {
            deadline: Deadline::within(limit),
            ..self
        }
    }

    /// The same with fewer steps.
    pub fn at_most(self, most: u64) -> Self {
        Work { most, ..self }
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Takes so many steps; why no more may be taken, if that is so.
    pub fn take(&self, steps: u64) -> Result<(), Stop> {
        let before = self.steps.fetch_add(steps, Ordering::Relaxed);
        let after = before.saturating_add(steps);
        // Nothing is ordered by the flag: it is looked at again soon.
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        let looks = before / LOOKS_EVERY != after / LOOKS_EVERY;
        if looks && self.deadline.is_past() {
            return Err(Stop::Late);
        }
        match after > self.most {
            true => Err(Stop::Spent),
            false => Ok(()),
        }
    }
}

impl Default for Work<'_> {
    /// Nothing ends it but its steps.
    fn default() -> Self {
        Work::new(&NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_it_is_spent_late_or_not_wanted() {
        let work = Work::default().at_most(10);
        assert_eq!((work.take(4), work.take(6)), (Ok(()), Ok(())));
        assert_eq!((work.take(1), work.steps()), (Err(Stop::Spent), 11));
        let cancel = AtomicBool::new(false);
        let work = Work::new(&cancel);
        assert_eq!(work.take(1), Ok(()));
        cancel.store(true, Ordering::Relaxed);
        assert_eq!(work.take(1), Err(Stop::Cancelled));
        let late = Work::default().within(Some(Duration::ZERO));
        assert_eq!(late.take(LOOKS_EVERY), Err(Stop::Late));
    }
}
