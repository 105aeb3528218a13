//! Loops that run often: many of their iterations at a time, where that can be.

use std::collections::HashMap;

use crate::host::code::Op;
use crate::host::loops::{Columns, LoopPlan, Prediction, Surroundings};

use super::state::Machine;

/// Jumps to a loop's beginning before it is looked at.
const HOT: u8 = 100;
/// The heat of a loop that is left to the interpreter.
const COLD: u8 = u8::MAX;
/// Runs after which a loop has to have shown that they are worth it.
const TRIES: u32 = 8;
/// Iterations of a run that take as long as the interpreter does with beginning it.
const WORTH: u32 = 16;

/// The loops of a program.
#[derive(Default)]
pub struct Loops {
    /// By first operation.
    heat: Vec<u8>,
    known: HashMap<usize, KnownLoop>,
    columns: Columns,
}

/// A loop that is run so.
struct KnownLoop {
    plan: LoopPlan,
    prediction: Prediction,
    runs: u32,
    iterations: u32,
}

impl KnownLoop {
    fn of(ops: &[Op], head: usize, tail: usize, prediction: Prediction) -> Option<Self> {
        Some(KnownLoop {
            plan: LoopPlan::of(ops, head, tail, prediction)?,
            prediction,
            runs: 0,
            iterations: 0,
        })
    }

    /// Counts a run; whether such runs are worth it.
    fn is_worth(&mut self, iterations: u32) -> bool {
        self.runs += 1;
        self.iterations = self.iterations.saturating_add(iterations);
        if self.runs < TRIES {
            return true;
        }
        let is_worth = self.iterations >= WORTH * TRIES;
        (self.runs, self.iterations) = (0, 0);
        is_worth
    }
}

impl Loops {
    /// The loops of these operations.
    pub fn new(ops: &[Op]) -> Self {
        Loops {
            heat: vec![0; ops.len()],
            ..Loops::default()
        }
    }

    /// Counts a jump back to `head`: whether many iterations are tried at a time from now on.
    #[inline(always)]
    pub fn is_hot(&mut self, head: usize) -> bool {
        let Some(heat) = self.heat.get_mut(head) else {
            return false;
        };
        if *heat < HOT {
            *heat += 1;
            return false;
        }
        *heat != COLD
    }
}

impl Machine<'_> {
    /// Carries out iterations of the loop that begins at `head` and ends at `tail`, as many as can run together; `slots` are
    /// those of the function. The budget of jumps stays above 0.
    #[inline(never)]
    pub(super) fn repeat(&mut self, head: usize, tail: usize, slots: &mut [u64], budget: &mut u32) {
        let ops = &self.program.image.ops;
        let Loops {
            heat,
            known,
            columns,
        } = &mut self.loops;
        // Who checks the heap checks each access to it.
        if self.memory.is_checked() {
            heat[head] = COLD;
            return;
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = known.entry(head) {
            let planned = KnownLoop::of(ops, head, tail, Prediction::Skips);
            let Some(planned) = planned else {
                heat[head] = COLD;
                return;
            };
            entry.insert(planned);
        }
        let Some(this) = known.get_mut(&head) else {
            return;
        };
        let mut around = Surroundings {
            memory: &mut self.memory,
            sites: &self.program.image.sites,
            columns,
        };
        let iterations = this.plan.run(slots, &mut around, *budget - 1);
        *budget -= iterations * this.plan.jumps;
        if this.is_worth(iterations) {
            return;
        }
        let other = match this.prediction {
            Prediction::Skips => KnownLoop::of(ops, head, tail, Prediction::Enters),
            Prediction::Enters => None,
        };
        match other {
            Some(other) => *this = other,
            None => heat[head] = COLD,
        }
    }
}
