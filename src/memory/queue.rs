//! The logs of a launch's blocks on their way from the threads that run blocks, in any order, to
//! the one that models the caches, in order of the blocks.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::log::{AccessLog, MOST_BLOCK_WORDS};

/// Words that may wait; the block that is next in order is let in always.
const MOST_WAITING_WORDS: usize = 1 << 20;
/// Blocks that may wait.
const MOST_WAITING_BLOCKS: usize = 4096;
/// Whoever takes logs is woken for as many of them, or for half of all words that may wait: waking
/// costs as much as modelling a short block.
const BATCH_BLOCKS: usize = 32;
/// Words for which the empty logs that are kept have room: as many blocks as are on all SMs and wait to come there are
/// at work at once, and each log has lists, which take longer to make than to fill.
const MOST_SPARE_WORDS: usize = 1 << 20;
/// Words of one log that is kept.
const MOST_SPARE_LOG_WORDS: usize = 1 << 14;
/// Words of all logs that are being written; beyond it only the block that is next in order goes on.
const MOST_WRITTEN_WORDS: usize = 1 << 21;
/// How often whoever waits to write more looks whether the launch has ended.
const LOOK_UP_EVERY: Duration = Duration::from_millis(5);

/// Hands logs over in order of blocks. Whoever delivers waits where the model is far behind.
#[derive(Debug)]
pub struct LogQueue {
    /// Words that the log of one block may take.
    most_block_words: usize,
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
    /// Whether a block made so many accesses that no log could hold them.
    gave_up: bool,
    /// Words that blocks at work have said that they have written, by block.
    written: BTreeMap<u64, usize>,
    delivering: usize,
    taking: bool,
    spare: Vec<AccessLog>,
    /// Words that the spare logs held last.
    spare_words: usize,
    /// Whether logs keep the bytes of loads.
    exact: bool,
}

impl Default for LogQueue {
    fn default() -> Self {
        LogQueue::of_most(MOST_BLOCK_WORDS)
    }
}

impl LogQueue {
    /// A queue of logs of at most so many words for each block.
    pub fn of_most(block_words: usize) -> Self {
        LogQueue {
            most_block_words: block_words,
            state: Mutex::default(),
            room: Condvar::new(),
            work: Condvar::new(),
        }
    }

    /// A queue of exact logs, which tell which bytes each load reads. The cache model takes others: a
    /// load moves whole sectors.
    pub fn exact() -> Self {
        let queue = LogQueue::default();
        queue.lock().exact = true;
        queue
    }

    /// An empty log for a block of `warps` warps; none where logs are of no use any more.
    pub fn blank(&self, warps: usize) -> Option<AccessLog> {
        let mut state = self.lock();
        if state.gave_up {
            return None;
        }
        let mut log = state.blank();
        drop(state);
        log.reset(warps);
        Some(log)
    }

    /// So many logs, with whatever they held before.
    fn blanks(&self, count: usize) -> Vec<AccessLog> {
        let mut state = self.lock();
        (0..count).map(|_| state.blank()).collect()
    }

    /// Whether the log of `block`, which is at work, may become longer; asked again and again. Waits while
    /// others have written much, but not once `is_stopped`. Where the log is too long, the queue gives up.
    pub fn admits(&self, block: u64, log: &AccessLog, is_stopped: impl Fn() -> bool) -> bool {
        let words = log.written_words();
        if words > self.most_block_words {
            self.give_up();
            return false;
        }
        let mut state = self.lock();
        state.written.insert(block, words);
        let must_wait = |state: &State| {
            let written: usize = state.written.values().sum();
            // The block that is next in order frees the others sooner or later.
            written > MOST_WRITTEN_WORDS && block != state.next && !state.closed
        };
        while must_wait(&state) && !is_stopped() {
            let waited = self.room.wait_timeout(state, LOOK_UP_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        !state.gave_up
    }

    /// No log can hold what a block does: no traffic can be told of this launch.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.gave_up = true;
        state.waiting.clear();
        drop(state);
        self.close();
    }

    /// Whether a block made more accesses than a log holds.
    pub fn has_given_up(&self) -> bool {
        self.lock().gave_up
    }

    /// Hands over the log of block `block`. Waits while others must come first; once the queue is
    /// closed the log is dropped. What is too long for a log is never handed over, whenever it was noticed.
    pub fn deliver(&self, block: u64, log: AccessLog) {
        self.deliver_all(block, vec![log]);
    }

    /// The same with what `blocks` blocks from `first` on, which ran side by side, have in one log.
    pub fn deliver_divided(&self, first: u64, log: &AccessLog, blocks: usize) {
        let mut logs = self.blanks(blocks);
        log.divide(&mut logs);
        self.deliver_all(first, logs);
    }

    /// Hands over the logs of blocks that follow each other.
    fn deliver_all(&self, first: u64, mut logs: Vec<AccessLog>) {
        let is_too_long = |log: &AccessLog| log.written_words() > self.most_block_words;
        if logs.iter().any(is_too_long) {
            return self.give_up();
        }
        logs.iter_mut().for_each(AccessLog::merge);
        let full = |state: &mut State| {
            let many =
                state.words >= MOST_WAITING_WORDS || state.waiting.len() >= MOST_WAITING_BLOCKS;
            // Whoever has the next block must get in, or nobody would ever make room.
            many && first != state.next && !state.closed
        };
        let mut state = self.lock();
        state.delivering += 1;
        let waited = self.room.wait_while(state, full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.delivering -= 1;
        state.written.remove(&first);
        if state.closed {
            return;
        }
        for (block, log) in (first..).zip(logs) {
            state.words += log.words();
            state.waiting.insert(block, log);
        }
        // Waking a thread that does not wait costs a system call for nothing.
        if state.taking && state.is_worth_waking() {
            self.work.notify_all();
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
            // Whoever waits may have it.
            self.wake_deliverers(&state);
            state.taking = true;
            // Whoever delivers waits for twice as much only, and never with the next block: the two do not wait for
            // each other.
            let missing = |state: &mut State| !state.closed && !state.is_worth_waking();
            let waited = self.work.wait_while(state, missing);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.taking = false;
        }
        let next = state.next;
        let log = state.waiting.remove(&next)?;
        state.next += 1;
        state.words -= log.words();
        // Not for each log: whoever is woken should get some blocks further before it waits again.
        if state.words <= MOST_WAITING_WORDS / 2 && state.waiting.len() <= MOST_WAITING_BLOCKS / 2 {
            self.wake_deliverers(&state);
        }
        Some(log)
    }

    fn wake_deliverers(&self, state: &State) {
        if state.delivering > 0 {
            self.room.notify_all();
        }
    }

    /// Takes back a log that has been read, to be filled again.
    pub fn recycle(&self, log: AccessLog) {
        let mut state = self.lock();
        let words = log.words();
        if words <= MOST_SPARE_LOG_WORDS && state.spare_words + words <= MOST_SPARE_WORDS {
            state.spare_words += words;
            state.spare.push(log);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one statement: a panic elsewhere leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A log that is to be reset.
    fn blank(&mut self) -> AccessLog {
        match self.spare.pop() {
            Some(spare) => {
                self.spare_words -= spare.words();
                spare
            }
            None if self.exact => AccessLog::exact(),
            None => AccessLog::default(),
        }
    }

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
    fn a_log_without_end_ends_all_logs_of_its_launch() {
        let queue = LogQueue::of_most(100);
        queue.deliver(0, log(1));
        let long = log(101);
        assert!(!queue.admits(1, &long, || false));
        assert!(queue.has_given_up() && queue.blank(1).is_none());
        assert!(queue.take().is_none());
        // Whether it is noticed on the way or at the end is the same.
        let queue = LogQueue::of_most(100);
        queue.deliver(0, long);
        assert!(queue.has_given_up() && queue.take().is_none());
    }

    #[test]
    fn blocks_that_write_much_wait_for_the_next_in_order() {
        let queue = LogQueue::default();
        let much = log(MOST_WRITTEN_WORDS as u64 + 1);
        assert!(queue.admits(0, &much, || false), "it is next");
        let looks = std::cell::Cell::new(0);
        let is_stopped = || looks.replace(looks.get() + 1) == 3;
        assert!(queue.admits(1, &log(1), is_stopped));
        assert_eq!(looks.get(), 4, "waits until the launch ends");
        queue.deliver(0, much);
        assert!(queue.admits(1, &log(1), || panic!("need not wait")));
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
