//! Which accesses of a launch may meet one of another thread in no order, as far as is known before it runs. Whoever
//! checks or reorders accesses need not look at any other.

use crate::ir::{Kernel, Operand};

/// What may conflict in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts {
    /// By instruction: whether it may access what another thread accesses too, one of the two to change it, with no
    /// barrier between. Atomic operations always may.
    pub may_conflict: Vec<bool>,
    /// The code between barriers.
    pub intervals: Vec<Interval>,
}

/// What lanes may run up to the next barrier, from where a block begins or behind a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its first instruction.
    pub entry: usize,
    /// All of its instructions, the barriers at its ends among them.
    pub code: Vec<usize>,
}

impl Conflicts {
    /// Of a kernel of which nothing is known: any access may.
    pub fn unknown(kernel: &Kernel) -> Self {
        let accesses = kernel.code.iter().map(|i| i.op.operands());
        Conflicts {
            may_conflict: accesses
                .map(|operands| operands.contains(&Operand::Site))
                .collect(),
            intervals: Vec::new(),
        }
    }

    /// The first instructions of intervals none of whose instructions `is_wanted`, in order.
    pub fn entries_without(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut entries: Vec<usize> = self
            .intervals
            .iter()
            .filter(|interval| !interval.code.iter().any(|&pc| is_wanted(pc)))
            .map(|interval| interval.entry)
            .collect();
        entries.sort_unstable();
        entries
    }
}
