//! The clock of a run: it goes on with the operations and with what the GPU does, so that two runs agree.

/// When each run begins: the first second of 2026, UTC.
const BEGINS_NS: u64 = 1_767_225_600 * 1_000_000_000;

/// A clock in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    elapsed_ns: u64,
}

impl Clock {
    /// Nanoseconds since the run began.
    pub fn elapsed_ns(&self) -> u64 {
        self.elapsed_ns
    }

    /// Nanoseconds since 1970.
    pub fn now_ns(&self) -> u64 {
        BEGINS_NS + self.elapsed_ns
    }

    /// So much time passes.
    pub fn advance_ns(&mut self, ns: u64) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(ns);
    }

    /// Waits until so much time has passed since the run began.
    pub fn advance_to_ns(&mut self, elapsed_ns: u64) {
        self.elapsed_ns = self.elapsed_ns.max(elapsed_ns);
    }
}
