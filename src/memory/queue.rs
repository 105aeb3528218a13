//! The logs of a launch's blocks on their way from the threads that run blocks, in any order, to
//! the one that models the caches, in order of the blocks.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::log::AccessLog;

/// Words that may wait; the block that is next in order is let in always.
const MOST_WAITING_WORDS: usize = 1 << 20;
/// Blocks that may wait.
const MOST_WAITING_BLOCKS: usize = 4096;
/// Whoever takes logs is woken for as many of them, or for half of all words that may wait: waking
/// costs as much as modelling a short block.
const BATCH_BLOCKS: usize = 32;
/// Empty logs that are kept.
const MOST_SPARE: usize = 64;
/// Words of a log that is kept.
const MOST_SPARE_WORDS: usize = 1 << 14;

/// Hands logs over in order of blocks. Whoever delivers waits where the model is far behind.
#[derive(Debug, Default)]
pub struct LogQueue {
    state: Mutex<State>,
    /// Wakes who delivers.
    room: Condvar,
    /// Wakes who takes.
    work: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<u64, AccessLog>,
    words: usize,
    next: u64,
    closed: bool,
    delivering: usize,
    taking: bool,
    spare: Vec<AccessLog>,
    /// Whether logs keep the bytes of loads.
    exact: bool,
}

impl LogQueue {
    /// A queue of exact logs, which tell which bytes each load reads. The cache model takes others: a
    /// load moves whole sectors.
    pub fn exact() -> Self {
        let queue = LogQueue::default();
        queue.lock().exact = true;
        queue
    }

    /// An empty log for a block of `warps` warps.
    pub fn blank(&self, warps: usize) -> AccessLog {
        let mut state = self.lock();
        let mut log = match state.spare.pop() {
            Some(spare) => spare,
            None if state.exact => AccessLog::exact(),
            None => AccessLog::default(),
        };
        drop(state);
        log.reset(warps);
        log
    }

    /// Hands over the log of block `block`. Waits while others must come first; once the queue is
    /// closed the log is dropped.
    pub fn deliver(&self, block: u64, mut log: AccessLog) {
        log.merge();
        let full = |state: &mut State| {
            let many =
                state.words >= MOST_WAITING_WORDS || state.waiting.len() >= MOST_WAITING_BLOCKS;
            // Whoever has the next block must get in, or nobody would ever make room.
            many && block != state.next && !state.closed
        };
        let mut state = self.lock();
        state.delivering += 1;
        let waited = self.room.wait_while(state, full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.delivering -= 1;
        if !state.closed {
            state.words += log.words();
            state.waiting.insert(block, log);
            // Waking a thread that does not wait costs a system call for nothing.
            if state.taking && state.is_worth_waking() {
                self.work.notify_all();
            }
        }
    }

    /// No more blocks will come.
    pub fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
        self.work.notify_all();
    }

    /// The log of the next block in order; none once the queue is closed and that block is missing.
    pub fn take(&self) -> Option<AccessLog> {
        let mut state = self.lock();
        if !state.waiting.contains_key(&state.next) {
            state.taking = true;
            let missing = |state: &mut State| !state.closed && !state.is_worth_waking();
            let waited = self.work.wait_while(state, missing);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.taking = false;
        }
        let next = state.next;
        let log = state.waiting.remove(&next)?;
        state.next += 1;
        state.words -= log.words();
        if state.delivering > 0 {
            self.room.notify_all();
        }
        Some(log)
    }

    /// Takes back a log that has been read, to be filled again.
    pub fn recycle(&self, log: AccessLog) {
        let mut state = self.lock();
        if state.spare.len() < MOST_SPARE && log.words() <= MOST_SPARE_WORDS {
            state.spare.push(log);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one statement: a panic elsewhere leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_worth_waking(&self) -> bool {
        let many = self.waiting.len() >= BATCH_BLOCKS || self.words >= MOST_WAITING_WORDS / 2;
        many && self.waiting.contains_key(&self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AccessKind;

    fn log(words: u64) -> AccessLog {
        let mut log = AccessLog::default();
        log.reset(1);
        (0..words).for_each(|at| log.run(0, 0, AccessKind::Load, at * 128, 4));
        log
    }

    #[test]
    fn blocks_come_in_order_however_they_were_delivered() {
        let queue = LogQueue::default();
        for block in [2, 0, 1] {
            queue.deliver(block, log(block + 1));
        }
        queue.deliver(4, log(9));
        queue.close();
        let words = std::iter::from_fn(|| queue.take()).map(|log| log.words());
        assert_eq!(words.collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn whoever_runs_ahead_waits_and_the_next_in_order_never_does() {
        let queue = LogQueue::default();
        let many = MOST_WAITING_WORDS as u64;
        std::thread::scope(|scope| {
            scope.spawn(|| (1..4).for_each(|block| queue.deliver(block, log(many))));
            scope.spawn(|| queue.deliver(0, log(1)));
            let words: Vec<_> = (0..4)
                .filter_map(|_| queue.take())
                .map(|log| log.words())
                .collect();
            assert_eq!(words[1..], [many as usize; 3]);
        });
    }

    #[test]
    fn closing_frees_whoever_waits() {
        let queue = LogQueue::default();
        queue.deliver(1, log(MOST_WAITING_WORDS as u64));
        std::thread::scope(|scope| {
            scope.spawn(|| queue.deliver(2, log(1)));
            queue.close();
        });
        assert!(queue.take().is_none());
    }
}
