//! Signals that end a program at once: the terminal is given back before they do.

#![allow(unsafe_code, reason = "signal handlers are set by C functions only")]

use std::ffi::c_void;
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::ptr::null_mut;
use std::sync::OnceLock;

use libc::{c_int, sigaction, siginfo_t};
use rustix::process::getpid;

use super::modes;

/// Those that end a program unless it says otherwise; `signals` has those that it ends for in good order.
const FATAL: [c_int; 16] = [
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGUSR1,
    libc::SIGSEGV,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGSYS,
];
/// Those of Linux alone.
#[cfg(target_os = "linux")]
const FATAL_HERE: [c_int; 3] = [libc::SIGIO, libc::SIGPWR, libc::SIGSTKFLT];
#[cfg(not(target_os = "linux"))]
const FATAL_HERE: [c_int; 0] = [];

/// The standard library's handler of faults, which says that a stack overflowed.
static OF_FAULTS: OnceLock<sigaction> = OnceLock::new();

/// Has the terminal given back wherever a signal ends the program.
pub(super) fn give_back_before_the_end() -> io::Result<()> {
    for &signal in FATAL.iter().chain(&FATAL_HERE) {
        let mut before = MaybeUninit::uninit();
        // SAFETY: zeros are a valid `sigaction`; `end` has the type that SA_SIGINFO asks for, and calls only what
        // signal handlers may.
        let before = unsafe {
            let mut action: sigaction = zeroed();
            action.sa_sigaction = end as *const () as usize;
            // On a stack of its own, for a stack that overflowed; and the same signal may come inside.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            if sigaction(signal, &action, before.as_mut_ptr()) != 0 {
                return Err(io::Error::last_os_error());
            }
            before.assume_init()
        };
        if signal == libc::SIGSEGV {
            OF_FAULTS.get_or_init(|| before);
        }
    }
    Ok(())
}

extern "C" fn end(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system gives a valid `info`, whose sender is looked at only where there is one.
    let is_own_pipe =
        signal == libc::SIGPIPE && unsafe { (*info).si_pid() } == getpid().as_raw_nonzero().get();
    // A reader that has left is an error of the write, as for every Rust program.
    if is_own_pipe {
        return;
    }
    modes::give_back_at_the_end();
    // SAFETY: `info` as above.
    let is_fault = matches!(signal, libc::SIGSEGV | libc::SIGBUS) && unsafe { (*info).si_code } > 0;
    match OF_FAULTS.get() {
        // The instruction faults again, and the program ends there.
        // SAFETY: the action is the one that was set before.
        Some(standard) if is_fault => unsafe {
            sigaction(signal, standard, null_mut());
        },
        // SAFETY: both may be called by signal handlers.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        },
    }
}
