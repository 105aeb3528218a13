//! How far a run is, as one line of a terminal that is written over and goes when the run has ended.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Preparing;
use crate::launch::Progress;

/// A run that is done sooner says nothing on the way.
const QUIET: Duration = Duration::from_millis(700);
/// How often the line changes.
const EVERY: Duration = Duration::from_millis(200);
/// To the first column, and away with what stands there.
const CLEAR: &str = "\r\x1b[K";

/// The line, on standard error.
pub(super) struct ProgressLine {
    is_terminal: bool,
    state: Mutex<State>,
}

struct State {
    /// When the line may be written next.
    next: Instant,
    is_shown: bool,
}

impl ProgressLine {
    /// A line that stays away where standard error is no terminal.
    pub fn of_this_process() -> Self {
        ProgressLine {
            is_terminal: io::stderr().is_terminal(),
            state: Mutex::new(State {
                next: Instant::now(),
                is_shown: false,
            }),
        }
    }

    /// A run begins.
    pub fn begin(&self) {
        self.with_state(|state| state.next = Instant::now() + QUIET);
    }

    /// Shows what is prepared; what matters beyond this moment stays.
    pub fn preparing(&self, preparing: Preparing) {
        match preparing {
            Preparing::Memory { .. } => {
                self.clear();
                let _ = writeln!(io::stderr().lock(), "memory: {preparing}");
            }
            Preparing::Filling { .. } => self.show(&preparing.to_string()),
        }
    }

    /// Shows how far a launch is.
    pub fn launch(&self, progress: &Progress) {
        self.show(&text(progress));
    }

    /// Shows how far code of the host is.
    pub fn host(&self, operations: u64) {
        let millions = operations / 1_000_000;
        self.show(&format!("host code: {millions} million jumps and calls"));
    }

    /// Shows what is done now.
    pub fn text(&self, text: &str) {
        self.show(text);
    }

    /// Shows what somebody waits for, and for how long, until `work` is done.
    pub fn while_waiting<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let (done, end) = mpsc::channel::<()>();
        let began = Instant::now();
        self.begin();
        let result = thread::scope(|scope| {
            scope.spawn(move || {
                while end.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                    self.show(&format!("{what}: {} s", began.elapsed().as_secs()));
                }
            });
            let result = work();
            drop(done);
            result
        });
        self.clear();
        result
    }

    fn show(&self, text: &str) {
        self.with_state(|state| {
            if !self.is_terminal || Instant::now() < state.next {
                return;
            }
            state.next = Instant::now() + EVERY;
            state.is_shown = true;
            let _ = write!(io::stderr().lock(), "{CLEAR}{text}");
        });
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.with_state(|state| {
            if std::mem::take(&mut state.is_shown) {
                let _ = write!(io::stderr().lock(), "{CLEAR}");
            }
        });
    }

    fn with_state(&self, f: impl FnOnce(&mut State)) {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A launch on one line of the narrowest terminal.
fn text(progress: &Progress) -> String {
    let Progress {
        launch,
        blocks_done,
        blocks,
        ..
    } = progress;
    // Rounded down: nothing says 100 % before it is done.
    let percent = u128::from(*blocks_done) * 100 / u128::from((*blocks).max(1));
    format!(
        "launch {}: {percent} % of {blocks} blocks, {} warp instructions",
        launch + 1,
        progress.counts.warp_instructions
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Counts;

    #[test]
    fn a_launch_reads_as_a_line() {
        let progress = Progress {
            launch: 1,
            blocks_done: 999,
            blocks: 1000,
            counts: Counts::default(),
            lines: Vec::new(),
        };
        let line = "launch 2: 99 % of 1000 blocks, 0 warp instructions";
        assert_eq!(text(&progress), line);
    }
}
