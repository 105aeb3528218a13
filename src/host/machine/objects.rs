//! Objects that wait for their end.

use crate::host::code::ObjectSite;

/// What waits for its end.
#[derive(Clone, Debug)]
pub enum Pending {
    /// Objects side by side; the last one ends first.
    Object {
        /// The first.
        pointer: u64,
        /// How many are left.
        left: u64,
        /// Size of each.
        size_bytes: u64,
        /// What ends one.
        destructor: usize,
    },
    /// Handlers of `try`.
    Handlers(Handlers),
    /// What a handler caught, while it runs.
    Caught(Exception),
    /// A function without arguments, at the program's exit.
    Function(u64),
}

/// Handlers of `try` and where they run.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Which.
    pub site: u32,
    /// The slot that gets what is caught.
    pub to: u16,
    /// How many functions ran.
    pub depth: usize,
    /// Where the function's slots begin.
    pub base: usize,
    /// The function.
    pub function: usize,
}

/// What was thrown.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// Where a copy of it lies.
    pub address: u64,
    /// Which `throw`.
    pub site: u32,
    /// What ends it with its handler.
    pub destructor: Option<usize>,
}

/// Where an exception is caught.
#[derive(Clone, Copy, Debug)]
pub struct Landing {
    /// The handlers of that `try`.
    pub handlers: Handlers,
    /// The first operation of the one that catches.
    pub target: u32,
    /// What it gets: the address of what was thrown, or of a part of that.
    pub address: u64,
}

/// An exception on its way to its handler.
#[derive(Clone, Copy, Debug)]
pub struct Unwinding {
    /// What was thrown.
    pub exception: Exception,
    /// Where its handlers stand among what waits for its end.
    pub height: usize,
    /// Where it is caught.
    pub landing: Landing,
    /// How many functions ran where it was thrown, or where a function of a library let it pass.
    pub depth: usize,
}

impl Pending {
    /// Objects that begin.
    pub fn object(site: &ObjectSite, pointer: u64) -> Self {
        Pending::Object {
            pointer,
            left: site.count,
            size_bytes: site.size_bytes,
            destructor: site.destructor,
        }
    }
}

/// A destructor that is to be called with an object.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The function.
    pub destructor: usize,
    /// The object's address.
    pub object: u64,
}

/// The next object that is to end: of the last thing in a list that waits. Things without one
/// are taken away.
pub fn next_end(pending: &mut Vec<Pending>, height: usize) -> Option<Ending> {
    while pending.len() > height {
        if let Some(Pending::Object {
            pointer,
            left,
            size_bytes,
            destructor,
        }) = pending.last_mut()
            && *left > 0
        {
            // First, so that a destructor that throws is not called again.
            *left -= 1;
            return Some(Ending {
                destructor: *destructor,
                object: *pointer + *left * *size_bytes,
            });
        }
        if let Some(Pending::Caught(exception)) = pending.last_mut()
            && let Some(destructor) = exception.destructor.take()
        {
            return Some(Ending {
                destructor,
                object: exception.address,
            });
        }
        pending.pop();
    }
    None
}
