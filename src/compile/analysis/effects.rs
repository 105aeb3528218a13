//! What code changes: registers of variables, and memory.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::alias::Region;
use crate::cuda::{FunctionId, Place};
use crate::ir::Register;

/// Consecutive registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterRange {
    pub first: Register,
    pub words: u32,
}

impl RegisterRange {
    pub fn new(first: Register, words: u32) -> Self {
        RegisterRange { first, words }
    }

    /// One past the last register.
    pub fn end(self) -> u32 {
        u32::from(self.first) + self.words
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = Register> {
        // Past the last one that can be numbered the kernel is refused.
        self.first..self.first.saturating_add(self.words as Register)
    }

    pub fn overlaps(self, other: RegisterRange) -> bool {
        u32::from(self.first) < other.end() && u32::from(other.first) < self.end()
    }
}

/// What statements may change.
// What they read is not here: whoever has to know takes a call to read anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Registers of variables.
    pub registers: Vec<RegisterRange>,
    /// Memory.
    pub regions: Vec<Region>,
    /// Whether other threads may write meanwhile.
    pub synchronizes: bool,
}

impl Effects {
    /// Each register and each region once.
    pub fn sort(&mut self) {
        self.registers.sort_by_key(|range| range.first);
        // Ranges are sorted by their first register, so one look back finds all that touch.
        self.registers.dedup_by(|next, before| {
            // Variables that are declared one after the other lie so: most functions are one range.
            let joins = u32::from(next.first) <= before.end();
            if joins {
                before.words = before.end().max(next.end()) - u32::from(before.first);
            }
            joins
        });
        let mut seen = HashSet::new();
        self.regions.retain(|region| seen.insert(*region));
    }
}

/// What a function changes, but for what it calls.
#[derive(Debug, Default)]
pub(crate) struct OwnEffects<'a> {
    pub effects: Effects,
    /// Places that it changes through its references, one of each: what they are depends on the call.
    pub referred: Vec<&'a Place>,
    pub calls: Vec<FunctionId>,
}

/// The effects of functions that were asked for.
pub(crate) type KnownEffects<'a> = HashMap<FunctionId, Rc<OwnEffects<'a>>>;
