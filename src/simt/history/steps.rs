//! What is kept of a block: its steps in order, and for each variable and each word of memory the
//! list of its changes.

use std::collections::HashMap;
use std::ops::Range;

use super::packed::{Packed, PackedAddresses, Pool};
use crate::ir::{Kernel, Statement};

/// A place in a history, which gave it: the chosen warp's step that has just been executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub(super) at: usize,
}

impl Cursor {
    /// Number of the step, from 0.
    pub fn at(self) -> usize {
        self.at
    }
}

/// What one block did, statement by statement.
#[derive(Debug)]
pub struct History {
    pub(super) kernel: Kernel,
    pub(super) warp: u32,
    /// Steps of all warps in the order of execution: all of the chosen warp's, and those of others
    /// that wrote memory or met a barrier.
    pub(super) steps: Vec<RecordedStep>,
    /// Places of the chosen warp's steps in `steps`.
    pub(super) own: Vec<u32>,
    /// By slot (registers, then words of local memory) of the chosen warp: its changes in order.
    pub(super) slots: Vec<Vec<Change>>,
    /// Accesses of the chosen warp in order.
    pub(super) accesses: Vec<RecordedAccess>,
    pub(super) pool: Pool,
    /// By address of a word of shared or global memory that the block wrote.
    pub(super) words: HashMap<u64, WordLog>,
    pub(super) shared_words: usize,
    /// The addresses of constant memory.
    pub(super) constants: Range<u64>,
    /// Whether the block went on after the last step that is kept.
    pub(super) is_truncated: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedStep {
    pub(super) statement: u32,
    pub(super) active: u32,
    pub(super) warp: u16,
    /// Whether a barrier was reached in it.
    pub(super) barrier: bool,
    /// Number of accesses before it.
    pub(super) accesses: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) step: u32,
    pub(super) value: Packed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedAccess {
    pub(super) site: u32,
    pub(super) active: u32,
    pub(super) addresses: PackedAddresses,
}

/// What a word of memory held before the block, and since each step that changed it.
#[derive(Debug)]
pub(super) struct WordLog {
    pub(super) before: u32,
    pub(super) writes: Vec<(u32, u32)>,
}

impl WordLog {
    pub(super) fn last(&self) -> u32 {
        self.writes.last().map_or(self.before, |write| write.1)
    }

    pub(super) fn at(&self, step: u32) -> u32 {
        // The last write up to the step.
        let after = self.writes.partition_point(|write| write.0 <= step);
        match after.checked_sub(1) {
            Some(write) => self.writes[write].1,
            None => self.before,
        }
    }
}

impl History {
    /// An empty history of a warp, with so much shared memory; constant memory lies at the
    /// addresses `constants`.
    pub(super) fn new(kernel: Kernel, warp: u32, shared_bytes: u32, constants: Range<u64>) -> Self {
        let local_words = kernel.memory.local_bytes.div_ceil(4) as usize;
        History {
            warp,
            steps: Vec::new(),
            own: Vec::new(),
            slots: vec![Vec::new(); usize::from(kernel.registers) + local_words],
            accesses: Vec::new(),
            pool: Pool::default(),
            words: HashMap::new(),
            shared_words: shared_bytes.div_ceil(4) as usize,
            constants,
            is_truncated: false,
            kernel,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
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
        self.is_truncated
    }

    /// RecordedStep number `at`, if it is kept.
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
        &self.kernel.source.statements[self.step(cursor).statement as usize]
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
        let call = &self.kernel.source.calls[self.statement(cursor).call as usize];
        (
            &self.kernel.source.functions[call.function as usize],
            call.depth,
        )
    }

    /// A cursor past the end stands on the last step.
    pub(super) fn index(&self, cursor: Cursor) -> u32 {
        self.own[cursor.at.min(self.own.len() - 1)]
    }

    pub(super) fn step(&self, cursor: Cursor) -> &RecordedStep {
        &self.steps[self.index(cursor) as usize]
    }

    /// The accesses of a step, which is one of the chosen warp's.
    pub(super) fn accesses_of(&self, index: u32) -> &[RecordedAccess] {
        let end = self.steps.get(index as usize + 1);
        let end = end.map_or(self.accesses.len(), |next| next.accesses as usize);
        &self.accesses[self.steps[index as usize].accesses as usize..end]
    }
}
