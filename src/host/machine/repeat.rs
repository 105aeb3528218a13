//! Loops that run often: many of their iterations at a time, where that can be.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::host::code::{Op, Sites};
use crate::host::loops::{Columns, Iterations, Loop, LoopPlan, Prediction, Surroundings};
use crate::host::memory::Memory;

use super::state::{Call, Function, Machine};

/// Jumps to a loop's beginning before it is looked at.
const HOT: u8 = 100;
/// The heat of a loop that is left to the interpreter.
const COLD: u8 = u8::MAX;
/// Runs after which a loop has to have shown that they are worth it.
const TRIES: u32 = 8;
/// Iterations of a run that take as long as the interpreter does with beginning it.
const WORTH: u32 = 16;

/// Functions without arguments that give the next of a row of numbers, and do nothing else.
const DRAWS: [&str; 5] = ["rand", "random", "drand48", "lrand48", "mrand48"];

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
    fn of(of: &Loop<'_>, prediction: Prediction) -> Option<Self> {
        Some(KnownLoop {
            plan: LoopPlan::of(of, prediction)?,
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

    /// Expects branches to go the other way, once; whether there is such a way.
    fn turns(&mut self, of: &Loop<'_>) -> bool {
        let other = match self.prediction {
            Prediction::Skips => KnownLoop::of(of, Prediction::Enters),
            Prediction::Enters => None,
        };
        let turned = other.map(|other| *self = other);
        turned.is_some()
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

impl<'a> Surroundings<'a> for Machine<'a> {
    fn memory(&mut self) -> &mut Memory<'a> {
        &mut self.memory
    }

    fn sites(&self) -> &Sites {
        &self.program.image.sites
    }

    fn draw(&mut self, site: u32) -> u64 {
        let site = &self.program.image.sites.calls[site as usize];
        let call = Call {
            bits: &[],
            types: &site.types,
            result: &site.result,
            into: 0,
        };
        match self.program.functions[site.name as usize] {
            // Such a function has no way to fail.
            Function::Native(native) => native(self, &call).unwrap_or_default(),
            Function::Other(_) => 0,
        }
    }
}

impl Machine<'_> {
    /// Carries out iterations of the loop that begins at `head` and ends at `tail`, as many as can run together; `slots` are
    /// those of the function. The budget of jumps stays above 0.
    #[inline(never)]
    pub(super) fn repeat(&mut self, head: usize, tail: usize, slots: &mut [u64], budget: &mut u32) {
        // Away while a loop runs, which may call functions of the library.
        let mut loops = std::mem::take(&mut self.loops);
        let is_worth = self.is_worth_repeating([head, tail], &mut loops, slots, budget);
        if !is_worth {
            loops.heat[head] = COLD;
        }
        self.loops = loops;
    }

    fn is_worth_repeating(
        &mut self,
        [head, tail]: [usize; 2],
        loops: &mut Loops,
        slots: &mut [u64],
        budget: &mut u32,
    ) -> bool {
        let program = self.program;
        let sites = &program.image.sites;
        let draws = |site: u32| {
            let site = &sites.calls[site as usize];
            let is_native = matches!(program.functions[site.name as usize], Function::Native(_));
            let name = sites.names[site.name as usize].name.as_str();
            is_native && site.types.is_empty() && DRAWS.contains(&name)
        };
        let of = Loop {
            ops: &program.image.ops,
            head,
            tail,
            draws: &draws,
        };
        // Who checks the heap checks each access to it.
        if self.memory.is_checked() {
            return false;
        }
        let Loops { known, columns, .. } = loops;
        if let Entry::Vacant(entry) = known.entry(head) {
            let Some(planned) = KnownLoop::of(&of, Prediction::Skips) else {
                return false;
            };
            entry.insert(planned);
        }
        let Some(this) = known.get_mut(&head) else {
            return false;
        };
        let run = Iterations {
            slots,
            columns,
            around: self,
        };
        let iterations = this.plan.run(run, *budget - 1);
        *budget -= iterations * this.plan.jumps;
        this.is_worth(iterations) || this.turns(&of)
    }
}
