//! Why a run ends before its `main` returns.

use crate::host::memory::Unmapped;
use crate::source::Diagnostic;

/// Why no further operation can run.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The program asked for it, with this code.
    Exit(i32),
    /// It cannot go on: what is said of it, and the code that a shell gives.
    Fault(Box<Diagnostic>, i32),
    /// Nothing can be read or written at an address; where that was is added by whoever knows.
    Unmapped(u64),
    /// The program ends with a message on standard error and `abort`.
    Abort(String),
    /// Somebody asked it to stop.
    Cancelled,
    /// Something was thrown, and is caught by a caller.
    Unwind,
}

impl From<Unmapped> for Stop {
    fn from(Unmapped(address): Unmapped) -> Self {
        Stop::Unmapped(address)
    }
}
