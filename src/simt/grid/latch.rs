//! Where the thread that launched waits for its workers.

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

/// Where the launching thread waits for the workers.
pub struct Gate {
    inside: Mutex<u64>,
    left: Condvar,
}

/// A worker inside the gate; leaves when dropped, also by a panic.
pub struct Passage<'a>(&'a Gate);

impl Gate {
    /// A gate with so many workers inside.
    pub fn new(workers: u64) -> Self {
        Gate {
            inside: Mutex::new(workers),
            left: Condvar::new(),
        }
    }

    /// Leaves when it is dropped.
    pub fn pass(&self) -> Passage<'_> {
        Passage(self)
    }

    /// Waits until all workers have left or `time` has passed; whether some are still inside.
    pub fn wait(&self, time: Duration) -> bool {
        let inside = lock(&self.inside);
        let waited = self
            .left
            .wait_timeout_while(inside, time, |inside| *inside > 0);
        let (inside, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *inside > 0
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        *lock(&self.0.inside) -= 1;
        self.0.left.notify_all();
    }
}
