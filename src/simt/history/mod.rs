//! All that one block did, to be walked through in both directions.
//!
//! [`record`] runs one block of a launch alone, from the memory that the launch begins with: as if
//! it were the first block to run, which is a legal order. It keeps, for each statement that the
//! chosen warp executes, the active lanes, the variables that change, and the accesses to memory
//! with all their addresses; of the block's other warps, what they write and where they meet
//! barriers. Memory is as it was when `record` returns.
//!
//! A [`Cursor`] stands on an executed statement ("step"); what it shows is what holds after that
//! step. Nothing is replayed: each variable and each word of memory has the list of its changes, so
//! that any moment is found by bisection, however far away. A history keeps to a limit of bytes;
//! what comes after the limit is missing, and [`History::is_truncated`] says so.

mod accessed;
mod moves;
mod packed;
mod record;
mod recorder;
mod values;

use std::collections::HashMap;

pub use accessed::{Accessed, MemoryKind};
pub use moves::{Breakpoint, Comparison, Condition, Cursor, Direction, Move};
pub use record::{Recording, record};
pub use values::Written;

use packed::{Packed, PackedAddresses, Pool};

use crate::ir::{Kernel, Statement};
use crate::launch::Dim3;
use crate::source::Diagnostic;

/// What one block did, statement by statement.
#[derive(Debug)]
pub struct History {
    kernel: Kernel,
    block: Dim3,
    warp: u32,
    /// Steps of all warps in the order of execution: all of the chosen warp's, and those of others
    /// that wrote memory or met a barrier.
    steps: Vec<Step>,
    /// Places of the chosen warp's steps in `steps`.
    own: Vec<u32>,
    /// By slot (registers, then words of local memory) of the chosen warp: its changes in order.
    slots: Vec<Vec<Change>>,
    /// Accesses of the chosen warp in order.
    accesses: Vec<Access>,
    pool: Pool,
    /// By address of a word of shared or global memory that the block wrote.
    words: HashMap<u64, WordLog>,
    shared_words: usize,
    /// Address of the first byte of constant memory, which lies behind all buffers.
    constants: u64,
    truncated: bool,
    fault: Option<Diagnostic>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    statement: u32,
    active: u32,
    warp: u16,
    /// Whether a barrier was reached in it.
    barrier: bool,
    /// Number of accesses before it.
    accesses: u32,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    step: u32,
    value: Packed,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    site: u32,
    active: u32,
    addresses: PackedAddresses,
}

/// What a word of memory held before the block, and since each step that changed it.
#[derive(Debug)]
struct WordLog {
    before: u32,
    writes: Vec<(u32, u32)>,
}

impl WordLog {
    fn last(&self) -> u32 {
        self.writes.last().map_or(self.before, |write| write.1)
    }

    fn at(&self, step: u32) -> u32 {
        let after = self.writes.partition_point(|write| write.0 <= step);
        match after.checked_sub(1) {
            Some(write) => self.writes[write].1,
            None => self.before,
        }
    }
}

impl History {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The block.
    pub fn block(&self) -> Dim3 {
        self.block
    }

    /// The warp whose statements are kept.
    pub fn warp(&self) -> u32 {
        self.warp
    }

    /// Statements that the warp executed, as far as they are kept.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether no statement is kept.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Whether the block went on after the last step kept here.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// What the block did wrong, in its last step.
    pub fn fault(&self) -> Option<&Diagnostic> {
        self.fault.as_ref()
    }

    /// Step number `at`, if it is kept.
    pub fn cursor(&self, at: usize) -> Option<Cursor> {
        (at < self.len()).then_some(Cursor { at })
    }

    /// The first step; none of an empty history.
    pub fn first(&self) -> Option<Cursor> {
        self.cursor(0)
    }

    /// The last step; none of an empty history.
    pub fn last(&self) -> Option<Cursor> {
        self.cursor(self.len().checked_sub(1)?)
    }

    /// The statement that the cursor's step executed.
    pub fn statement(&self, cursor: Cursor) -> &Statement {
        &self.kernel.statements[self.step(cursor).statement as usize]
    }

    /// Lanes that executed it.
    pub fn active(&self, cursor: Cursor) -> u32 {
        self.step(cursor).active
    }

    /// Whether the warp reached a barrier in it.
    pub fn meets_barrier(&self, cursor: Cursor) -> bool {
        self.step(cursor).barrier
    }

    /// Name of the function that the statement belongs to, and the calls around it.
    pub fn function(&self, cursor: Cursor) -> (&str, u32) {
        let call = &self.kernel.calls[self.statement(cursor).call as usize];
        (&self.kernel.functions[call.function as usize], call.depth)
    }

    /// Bytes that the history takes, roughly.
    pub fn bytes(&self) -> usize {
        let changes: usize = self.slots.iter().map(Vec::capacity).sum();
        let writes: usize = self.words.values().map(|log| log.writes.capacity()).sum();
        self.steps.capacity() * size_of::<Step>()
            + self.own.capacity() * size_of::<u32>()
            + changes * size_of::<Change>()
            + self.accesses.capacity() * size_of::<Access>()
            + self.pool.bytes()
            + writes * size_of::<(u32, u32)>()
            + self.words.len() * size_of::<(u64, WordLog)>()
    }

    /// A cursor past the end stands on the last step.
    fn index(&self, cursor: Cursor) -> u32 {
        self.own[cursor.at.min(self.own.len() - 1)]
    }

    fn step(&self, cursor: Cursor) -> &Step {
        &self.steps[self.index(cursor) as usize]
    }

    /// The accesses of a step, which is one of the chosen warp's.
    fn accesses_of(&self, index: u32) -> &[Access] {
        let end = self.steps.get(index as usize + 1);
        let end = end.map_or(self.accesses.len(), |next| next.accesses as usize);
        &self.accesses[self.steps[index as usize].accesses as usize..end]
    }
}
