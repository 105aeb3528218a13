//! A latch: where the thread that launched waits for its workers; and locks that outlive a panic.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A poisoned lock means that a worker panicked, which ends the launch when the workers are joined.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a mutex held, whoever panicked with it.
pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Counts the workers that have not left.
pub struct Latch {
    working: Mutex<u64>,
    left: Condvar,
}

/// A worker at work; leaves when dropped, also by a panic.
pub struct WorkerGuard<'a>(&'a Latch);

impl Latch {
    /// A latch that waits for so many workers.
    pub fn new(workers: u64) -> Self {
        Latch {
            working: Mutex::new(workers),
            left: Condvar::new(),
        }
    }

    /// One of them: it has left when this is dropped.
    pub fn worker(&self) -> WorkerGuard<'_> {
        WorkerGuard(self)
    }

    /// Waits until all workers have left or `time` has passed; whether some are still at work.
    pub fn wait(&self, time: Duration) -> bool {
        let working = lock(&self.working);
        let waited = self
            .left
            .wait_timeout_while(working, time, |working| *working > 0);
        let (working, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *working > 0
    }
}

impl Drop for WorkerGuard<'_> {
    fn drop(&mut self) {
        // In `drop`, so that a worker that panics lets the launching thread go too.
        *lock(&self.0.working) -= 1;
        self.0.left.notify_all();
    }
}
