//! Loops that run often: many of their iterations at a time, where that can be.

use std::collections::hash_map::Entry;

use crate::host::code::Sites;
use crate::host::loops::{Iterations, Loop, Prediction, Surroundings};
use crate::host::memory::Memory;

use super::hot_loops::{KnownLoop, Loops};
use super::state::{Call, Function, Machine};

/// Functions without arguments that give the next of a row of numbers, and do nothing else.
const DRAWS: [&str; 5] = ["rand", "random", "drand48", "lrand48", "mrand48"];

impl<'a> Surroundings<'a> for Machine<'a> {
    fn memory(&mut self) -> &mut Memory<'a> {
        &mut self.memory
    }

    fn sites(&self) -> &Sites {
        &self.program.image.sites
    }

    fn draw(&mut self, site: u32, numbers: &mut [u64]) {
        let site = &self.program.image.sites.calls[site as usize];
        let call = Call {
            bits: &[],
            types: &site.types,
            result: &site.result,
            into: 0,
        };
        if let Function::Native(native) = self.program.functions[site.name as usize] {
            // Such a function has no way to fail.
            numbers.fill_with(|| native(self, &call).unwrap_or_default());
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
            loops.cool(head);
        }
        self.loops = loops;
    }

    /// Whether a call, by its site, only gives the next of a row of numbers.
    fn draws(&self, site: u32) -> bool {
        let sites = &self.program.image.sites;
        let site = &sites.calls[site as usize];
        let name = sites.names[site.name as usize].name.as_str();
        let function = self.program.functions[site.name as usize];
        matches!(function, Function::Native(_)) && site.types.is_empty() && DRAWS.contains(&name)
    }

    fn is_worth_repeating(
        &mut self,
        [head, tail]: [usize; 2],
        loops: &mut Loops,
        slots: &mut [u64],
        budget: &mut u32,
    ) -> bool {
        // Who checks the heap checks each access to it.
        if self.memory.is_checked() {
            return false;
        }
        let Loops { known, columns, .. } = loops;
        let this = match known.entry(head) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => match self.planned_anyhow(head, tail) {
                Some(planned) => new.insert(planned),
                None => return false,
            },
        };
        let run = Iterations {
            slots,
            columns,
            around: self,
            jumps_within: 0,
        };
        let done = this.plan.run(run, *budget - 1);
        self.count_jumps(done.jumps, budget);
        if this.is_worth(done.iterations) {
            return true;
        }
        // Once, branches are expected to go the other way.
        let other = match this.prediction {
            Prediction::Skips => self.planned(head, tail, Prediction::Enters),
            Prediction::Enters => None,
        };
        let turned = other.map(|other| *this = other);
        turned.is_some()
    }

    /// Takes jumps from the budget, and counts at once what it does not have.
    fn count_jumps(&mut self, jumps: u64, budget: &mut u32) {
        let within = jumps.min(u64::from(*budget - 1));
        *budget -= within as u32;
        self.limits.operations += jumps - within;
        self.clock.advance_ns(jumps - within);
    }

    /// A plan for either way through the loop: the other one may be that of an error, which prints.
    fn planned_anyhow(&self, head: usize, tail: usize) -> Option<KnownLoop> {
        let skipping = self.planned(head, tail, Prediction::Skips);
        skipping.or_else(|| self.planned(head, tail, Prediction::Enters))
    }

    fn planned(&self, head: usize, tail: usize, prediction: Prediction) -> Option<KnownLoop> {
        let of = Loop {
            ops: &self.program.image.ops,
            functions: &self.program.image.functions,
            head,
            tail,
            draws: &|site| self.draws(site),
        };
        KnownLoop::of(&of, prediction)
    }
}
