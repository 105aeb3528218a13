//! Iterations of a loop, carried out many at a time.

use crate::host::code::Sites;
use crate::host::memory::{GUARD_BYTES, Memory, STACK};

use super::access::Reached;
use super::columns::{Columns, LANES};
use super::plan::LoopPlan;
use super::pure::divisor;
use super::step::{Access, Start, Step};

/// Where a loop runs.
pub trait Surroundings<'a> {
    fn memory(&mut self) -> &mut Memory<'a>;
    fn sites(&self) -> &Sites;
    /// The next numbers that a call gives, by its site.
    fn draw(&mut self, site: u32, numbers: &mut [u64]);
}

/// What was loaded so far, or is stored.
pub type Places = Vec<Reached>;

/// A loop that runs.
pub struct Iterations<'r, S> {
    pub slots: &'r mut [u64],
    pub columns: &'r mut Columns,
    pub around: &'r mut S,
    /// Jumps and calls of loops within each of the iterations that were begun last.
    pub jumps_within: u64,
}

/// What was carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub iterations: u32,
    /// Jumps and calls, also of loops within the iterations.
    pub jumps: u64,
}

impl LoopPlan {
    /// Carries out as many iterations as go the expected way, with about `most_jumps` jumps in all: more only of loops
    /// within the last 64 of them.
    pub fn run<'a, S: Surroundings<'a>>(
        &self,
        mut run: Iterations<'_, S>,
        most_jumps: u32,
    ) -> Done {
        let most = most_jumps / self.jumps;
        let mut done = Done::default();
        // The interpreter tells what overflows the stack.
        if run.slots[0] < STACK + GUARD_BYTES + u64::from(self.stack_bytes) {
            return done;
        }
        run.columns.reserve(self.registers);
        for &(bits, register) in &self.constants {
            run.columns.of_mut(register).fill(bits);
        }
        for &(slot, register) in &self.entering {
            let value = run.slots[usize::from(slot)];
            run.columns.of_mut(register).fill(value);
        }
        let mut loaded = Places::new();
        // What is the same in all iterations has to go the expected way.
        if run.steps(&self.steps.once, &mut loaded, LANES) < LANES {
            return done;
        }
        while done.iterations < most && done.jumps < u64::from(most_jumps) {
            let wanted = LANES.min((most - done.iterations) as usize);
            run.jumps_within = 0;
            let lanes = run.lanes(self, &loaded, wanted);
            done.iterations += lanes as u32;
            done.jumps += lanes as u64 * (u64::from(self.jumps) + run.jumps_within);
            if lanes < LANES {
                break;
            }
        }
        done
    }
}

impl<'a, S: Surroundings<'a>> Iterations<'_, S> {
    /// Up to `wanted` iterations; how many.
    fn lanes(&mut self, plan: &LoopPlan, loaded_once: &Places, wanted: usize) -> usize {
        for counter in &plan.counters {
            let start = self.slots[usize::from(counter.slot)];
            self.columns.count(counter, start);
        }
        let mut loaded = loaded_once.clone();
        let mut lanes = wanted;
        for part in [&plan.steps.early, &plan.steps.late] {
            lanes = self.steps(part, &mut loaded, lanes);
        }
        let Some(stores) = self.stores(plan, &loaded, lanes) else {
            return 0;
        };
        if lanes == 0 || !self.starts_are_loaded(plan) || !self.draw(plan, lanes) {
            return 0;
        }
        for reduction in &plan.reductions {
            let start = match reduction.start {
                Start::Slot(slot) => self.slots[usize::from(slot)],
                Start::Word(load) => self.columns.of(load.value)[0],
            };
            let sum = self.columns.reduced(reduction, start, lanes);
            // Only the last iteration's is stored, or left in a slot.
            self.columns.of_mut(reduction.after)[..lanes].fill(sum);
        }
        for reached in &stores {
            self.columns.store(reached, lanes, self.around.memory());
        }
        for &(slot, register) in &plan.leaving {
            self.slots[usize::from(slot)] = self.columns.of(register)[lanes - 1];
        }
        lanes
    }

    /// Loads what sums in memory begin with; whether all of that is there.
    fn starts_are_loaded(&mut self, plan: &LoopPlan) -> bool {
        let starts = plan.reductions.iter().map(|reduction| reduction.start);
        let mut loads = starts.filter_map(|start| match start {
            Start::Word(load) => Some(load),
            Start::Slot(_) => None,
        });
        loads.all(|load| {
            let reached = Reached::of(load, self.columns.of(load.address), 1);
            let memory = self.around.memory();
            reached.is_some_and(|reached| self.columns.load(&reached, 1, memory).is_some())
        })
    }

    /// Draws numbers, and computes what follows from them: that cannot fail, since numbers are drawn once.
    fn draw(&mut self, plan: &LoopPlan, lanes: usize) -> bool {
        let divisors = plan.steps.drawn.iter().filter_map(divisor);
        let mut divisors = divisors.flat_map(|register| &self.columns.of(register)[..lanes]);
        // Neither has a result for every dividend.
        if divisors.any(|&divisor| divisor as u32 == 0 || divisor as u32 == u32::MAX) {
            return false;
        }
        // One call draws a column; several take turns.
        let turn = if plan.steps.draws.len() == 1 {
            lanes
        } else {
            1
        };
        for first in (0..lanes).step_by(turn) {
            for draw in &plan.steps.draws {
                if let Step::Draw { to, site } = *draw {
                    let numbers = &mut self.columns.of_mut(to)[first..first + turn];
                    self.around.draw(site, numbers);
                }
            }
        }
        self.steps(&plan.steps.drawn, &mut Places::new(), lanes) == lanes
    }

    /// Where the iterations store, unless one of them would find what another one has stored.
    fn stores(&mut self, plan: &LoopPlan, loaded: &Places, lanes: usize) -> Option<Places> {
        let mut stored = Places::new();
        for &store in &plan.stores {
            let reached = Reached::of(store, self.columns.of(store.address), lanes)?;
            let may_stay = |load: &Reached| {
                !load.meets(&reached)
                    || is_own(&load.access, &store) && self.columns.rises(store.address, lanes)
            };
            let is_apart = !stored.iter().any(|other: &Reached| other.meets(&reached));
            let is_free = is_apart && loaded.iter().all(may_stay);
            if !is_free
                || !self
                    .columns
                    .may_store(&reached, lanes, self.around.memory())
            {
                return None;
            }
            stored.push(reached);
        }
        Some(stored)
    }

    /// Carries out steps; in how many of the first `lanes` iterations all of them go as they should.
    pub fn steps(&mut self, steps: &[Step], loaded: &mut Places, mut lanes: usize) -> usize {
        for step in steps {
            if lanes == 0 {
                break;
            }
            match step {
                Step::Compute(op) => lanes = self.columns.compute(*op, lanes),
                Step::Math { .. } => self.columns.math(step, lanes, self.around.sites()),
                Step::Load(access) => {
                    let addresses = self.columns.of(access.address);
                    let reached = Reached::of(*access, addresses, lanes);
                    let is_loaded = reached.is_some_and(|reached| {
                        loaded.push(reached);
                        let memory = self.around.memory();
                        self.columns.load(&reached, lanes, memory).is_some()
                    });
                    if !is_loaded {
                        return 0;
                    }
                }
                Step::Guard(guard) => lanes = self.columns.passed(guard, lanes),
                Step::Nest(nest) => {
                    if !self.turns(nest, loaded, lanes) {
                        return 0;
                    }
                }
                // Drawn when all else is certain.
                Step::Draw { .. } => {}
            }
        }
        lanes
    }
}

/// Whether a load finds, in its iteration, what lies where the iteration stores to afterwards.
fn is_own(load: &Access, store: &Access) -> bool {
    load.address == store.address
        && load.word.bytes() == store.word.bytes()
        && load.order < store.order
}
