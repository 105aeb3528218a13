//! Deep recursion on a stack that is made for it.
//!
//! Trees of programs are walked by recursion, within functions within functions: as deep as the limits
//! of the language's front end allow, which is deeper than the stacks of most threads.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Only what is used of it takes memory.
const STACK_BYTES: usize = 256 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` on a thread with a deep stack, and waits for it; where there is none to be had, here.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IS_DEEP.get() {
        return work();
    }
    let work = Mutex::new(Some(work));
    let take = || {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        work.take()
    };
    thread::scope(|scope| {
        let on_thread = || {
            IS_DEEP.set(true);
            take().map(|work| work())
        };
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let done = match thread.spawn_scoped(scope, on_thread) {
            Ok(thread) => thread.join(),
            Err(_) => Ok(take().map(|work| work())),
        };
        match done {
            Ok(Some(done)) => done,
            Ok(None) => unreachable!("nobody else takes the work"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::on_deep_stack;

    #[test]
    fn recursion_may_be_deep_and_begin_again_within() {
        fn depth(levels: u32) -> u32 {
            let page = std::hint::black_box([levels; 256]);
            if levels == 0 {
                0
            } else {
                1 + depth(page[0] - 1)
            }
        }
        // Some 20 MB; the threads of tests have 2.
        let inner = || on_deep_stack(|| depth(10_000));
        assert_eq!(on_deep_stack(|| inner() + depth(10_000)), 20_000);
    }
}
