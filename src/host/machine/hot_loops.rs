//! Loops that run often, and whether it pays to run many of their iterations at a time.

use std::collections::HashMap;

use crate::host::code::Op;
use crate::host::loops::{Columns, Loop, LoopPlan, Prediction};

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
    pub known: HashMap<usize, KnownLoop>,
    pub columns: Columns,
}

/// A loop that is run so.
pub struct KnownLoop {
    pub plan: LoopPlan,
    pub prediction: Prediction,
    runs: u32,
    iterations: u32,
}

impl KnownLoop {
    pub fn of(of: &Loop<'_>, prediction: Prediction) -> Option<Self> {
        Some(KnownLoop {
            plan: LoopPlan::of(of, prediction)?,
            prediction,
            runs: 0,
            iterations: 0,
        })
    }

    /// Counts a run; whether such runs are worth it.
    pub fn is_worth(&mut self, iterations: u32) -> bool {
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

    /// Leaves the loop that begins at `head` to the interpreter.
    pub fn cool(&mut self, head: usize) {
        if let Some(heat) = self.heat.get_mut(head) {
            *heat = COLD;
        }
    }
}
