//! Neighbouring blocks that run side by side, as one gang, where nobody can tell: blocks of a few
//! instructions cost less so than one after the other.
//!
//! They are run to their end in unison, or not at all: where they come apart, fault or lack fuel, all
//! that was counted is taken back and the blocks run one after the other. Nothing that they store is
//! loaded by anybody, so that running again does no harm.

use std::ops::Range;

use super::dependence::Order;
use super::lockstep::Outcome;
use crate::ir::Op;
use crate::launch::WARP_LANES;
use crate::simt::launch::Launch;
use crate::simt::machine::{Halt, Machine};
use crate::simt::program::{Action, Program, action};

/// Most warps that run side by side.
pub const MOST_WARPS: usize = 32;
/// Their registers should stay in the processor's first cache, but for half of it.
const MOST_BYTES: usize = 24 << 10;
/// Blocks of a launch, for each that runs side by side, that make planning them worth while.
const LEAST_TURNS: u64 = 16;
/// Times that neighbours may come apart, beyond one of so many times that they do not.
const PATIENCE: u32 = 4;
const ONE_OF: u32 = 8;

/// What runs blocks side by side.
pub struct Neighbours<'a> {
    machine: Machine<'a>,
    /// How often they have ended so.
    ended: u32,
    /// How often they have not.
    came_apart: u32,
    /// Blocks before this one are run one after the other.
    alone_until: u64,
}

/// A launch made ready for blocks side by side, if they may be.
pub fn plan_neighbours<'a>(launch: &Launch<'a>, program: &Program<'a>) -> Option<Program<'a>> {
    let count = count(program)?;
    if program.geometry.blocks() < LEAST_TURNS * count as u64 {
        return None;
    }
    let mut broad = Program::new(launch, count).ok()?;
    broad.plan_gangs(launch);
    broad.plan.is_some().then_some(broad)
}

/// How many blocks may go side by side.
fn count(program: &Program<'_>) -> Option<usize> {
    let (kernel, geometry) = (program.kernel, &program.geometry);
    let plan = program.plan.as_ref()?;
    let is_plain = |op: Op| match action(op) {
        Action::Lanes(_) | Action::Exchange => true,
        Action::Access => matches!(op, Op::Load | Op::Store),
        Action::Control => !matches!(op, Op::Barrier | Op::BarrierVote),
        Action::Atomic | Action::Effect => false,
    };
    let warps = geometry.warps();
    let are_alike = (1..warps).all(|warp| geometry.lanes(warp) == geometry.lanes(0));
    let is_free = program.together[0] == Order::Any && kernel.code.iter().all(|i| is_plain(i.op));
    let owns_memory = program.shared_bytes > 0 || kernel.local_bytes > 0;
    if !is_free || !are_alike || owns_memory {
        return None;
    }
    let bytes = plan.registers_of_all(kernel).max(1) * size_of::<[u32; WARP_LANES]>();
    let most = (MOST_WARPS / warps).min(MOST_BYTES / (bytes * warps));
    let count = 1 << most.checked_ilog2()?;
    (count > 1 && count <= geometry.grid[0] as usize).then_some(count)
}

impl<'a> Neighbours<'a> {
    /// Lets `machine`, made for a program of [`plan_neighbours`], run blocks.
    pub fn new(machine: Machine<'a>) -> Self {
        Neighbours {
            machine,
            ended: 0,
            came_apart: 0,
            alone_until: 0,
        }
    }

    /// Runs block `first` and those after it side by side, if all the others are in `next`, which
    /// then goes on after them; whether it has. Otherwise nothing has happened.
    pub fn run(
        &mut self,
        first: u64,
        next: &mut Range<u64>,
        is_looked_at: impl Fn(u64) -> bool,
    ) -> Result<bool, Halt> {
        let geometry = &self.machine.program.geometry;
        let end = first + geometry.side_by_side as u64;
        let last_in_x = geometry.block_at(first)[0] as usize + geometry.side_by_side;
        if first < self.alone_until
            || end > next.end
            || last_in_x > geometry.grid[0] as usize
            || self.came_apart > PATIENCE + self.ended / ONE_OF
            || (first..end).any(is_looked_at)
        {
            self.machine.lease.return_rest();
            return Ok(false);
        }
        if self.machine.run_side_by_side(first)? {
            self.ended += 1;
            next.start = end;
            return Ok(true);
        }
        self.machine.lease.return_rest();
        self.came_apart += 1;
        self.alone_until = end;
        Ok(false)
    }

    /// Adds the counters to the total, if they were not lately.
    pub fn report(&mut self) {
        self.machine.report();
    }

    /// The machine, when all blocks have been run.
    pub fn into_machine(self) -> Machine<'a> {
        self.machine
    }
}

impl Machine<'_> {
    /// Runs block `index` and those next to it to their end, whether they have come there; if not,
    /// nothing has happened.
    fn run_side_by_side(&mut self, index: u64) -> Result<bool, Halt> {
        self.tally.save();
        let taken = self.lease.taken();
        self.start(index, index);
        let outcome = self.run_in_unison(&(0..self.warps.len()));
        if let Ok(Some(Outcome::Ended)) = outcome {
            self.tally.blocks += self.program.geometry.side_by_side as u64;
            return Ok(true);
        }
        self.settle_strides();
        self.tally.go_back();
        self.lease.give_back(self.lease.taken() - taken);
        match outcome {
            Err(Halt::Stopped) => Err(Halt::Stopped),
            _ => Ok(false),
        }
    }
}
