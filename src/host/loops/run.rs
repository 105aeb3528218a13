//! Iterations of a loop, carried out many at a time.

use crate::host::code::Sites;
use crate::host::memory::Memory;

use super::access::Reached;
use super::columns::{Columns, LANES};
use super::plan::LoopPlan;
use super::step::{Access, Step};

/// What iterations work on.
pub struct Surroundings<'r, 'a> {
    pub memory: &'r mut Memory<'a>,
    pub sites: &'r Sites,
    pub columns: &'r mut Columns,
}

/// What was loaded so far.
type Loaded = Vec<Reached>;

impl LoopPlan {
    /// Carries out as many iterations as go the expected way, with at most `most_jumps` jumps in all; how many.
    pub fn run(
        &self,
        slots: &mut [u64],
        around: &mut Surroundings<'_, '_>,
        most_jumps: u32,
    ) -> u32 {
        let most = most_jumps / self.jumps;
        around.columns.reserve(self.registers);
        for &(slot, register) in &self.entering {
            around
                .columns
                .of_mut(register)
                .fill(slots[usize::from(slot)]);
        }
        let Some(loaded_once) = self.run_once(around) else {
            return 0;
        };
        let mut done = 0;
        while done < most {
            let wanted = LANES.min((most - done) as usize);
            let lanes = self.run_lanes(slots, around, &loaded_once, wanted);
            done += lanes as u32;
            if lanes < LANES {
                break;
            }
        }
        done
    }

    /// What is the same in all iterations: what it loads, or nothing where that goes another way.
    fn run_once(&self, around: &mut Surroundings<'_, '_>) -> Option<Loaded> {
        let mut loaded = Loaded::new();
        (steps(&self.once, around, &mut loaded, LANES) == LANES).then_some(loaded)
    }

    /// Up to `wanted` iterations; how many.
    fn run_lanes(
        &self,
        slots: &mut [u64],
        around: &mut Surroundings<'_, '_>,
        loaded_once: &Loaded,
        wanted: usize,
    ) -> usize {
        for counter in &self.counters {
            around
                .columns
                .count(counter, slots[usize::from(counter.slot)]);
        }
        let mut loaded = loaded_once.clone();
        let mut lanes = wanted;
        for part in [&self.early, &self.late] {
            lanes = steps(part, around, &mut loaded, lanes);
        }
        if lanes == 0 || !self.run_stores(around, &loaded, lanes) {
            return 0;
        }
        for reduction in &self.reductions {
            let slot = &mut slots[usize::from(reduction.slot)];
            *slot = around.columns.reduced(reduction, *slot, lanes);
        }
        for &(slot, register) in &self.leaving {
            slots[usize::from(slot)] = around.columns.of(register)[lanes - 1];
        }
        lanes
    }

    /// Stores what the iterations store, unless one of them would find what another one has stored.
    fn run_stores(&self, around: &mut Surroundings<'_, '_>, loaded: &Loaded, lanes: usize) -> bool {
        let Surroundings {
            memory, columns, ..
        } = around;
        let mut stored = Loaded::new();
        for &store in &self.stores {
            let Some(reached) = Reached::of(store, columns.of(store.address), lanes) else {
                return false;
            };
            let may_stay = |load: &Reached| {
                !load.meets(&reached)
                    || is_own(&load.access, &store) && columns.rises(store.address, lanes)
            };
            let is_apart = !stored.iter().any(|other: &Reached| other.meets(&reached));
            if !is_apart
                || !loaded.iter().all(may_stay)
                || !columns.may_store(&reached, lanes, memory)
            {
                return false;
            }
            stored.push(reached);
        }
        for reached in &stored {
            columns.store(reached, lanes, memory);
        }
        true
    }
}

/// Whether a load finds, in its iteration, what lies where the iteration stores to afterwards.
fn is_own(load: &Access, store: &Access) -> bool {
    load.address == store.address
        && load.word.bytes() == store.word.bytes()
        && load.order < store.order
}

/// Carries out steps; in how many of the first `lanes` iterations all of them go as they should.
fn steps(
    steps: &[Step],
    around: &mut Surroundings<'_, '_>,
    loaded: &mut Loaded,
    mut lanes: usize,
) -> usize {
    for step in steps {
        if lanes == 0 {
            break;
        }
        match step {
            Step::Compute(op) => lanes = around.columns.compute(*op, lanes),
            Step::Math { .. } => around.columns.math(step, lanes, around.sites),
            Step::Load(access) => {
                let addresses = around.columns.of(access.address);
                let reached = Reached::of(*access, addresses, lanes);
                let is_loaded = reached.is_some_and(|reached| {
                    loaded.push(reached);
                    around
                        .columns
                        .load(&reached, lanes, around.memory)
                        .is_some()
                });
                if !is_loaded {
                    return 0;
                }
            }
            Step::Guard(guard) => lanes = around.columns.passed(guard, lanes),
        }
    }
    lanes
}
