//! Instructions that look beyond registers and memory: clocks, prints, faults of the kernel's own,
//! and barriers at which a block puts a predicate together.

use super::print::print;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::fault;
use crate::simt::machine::Machine;
use crate::source::Diagnostic;

/// What one warp instruction takes in `clock64`'s model.
///
/// The model: a block's warps take turns on one scheduler, each instruction of any of them takes
/// this many cycles (the latency of dependent arithmetic on NVIDIA's GPUs since Volta, by Jia et
/// al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018), and nothing
/// waits for memory. Differences tell how many instructions were executed, not how long they took.
const CYCLES_PER_INSTRUCTION: u64 = 4;

impl Machine<'_> {
    /// Carries out an instruction of this kind by at least one lane.
    pub(crate) fn block_wide(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
        let kernel = self.program.kernel;
        // The barrier itself has gathered them; these instructions stand behind it.
        let opened = self.votes.opened;
        let uniform = |value: bool| [u32::from(value); WARP_LANES];
        match i.op {
            Op::Clock => {
                let cycles = self.lease.taken_in_block() * CYCLES_PER_INSTRUCTION;
                let (low, high) = (cycles as u32, (cycles >> 32) as u32);
                self.lanes
                    .set_pair(i.dst, ([low; WARP_LANES], [high; WARP_LANES]));
            }
            Op::Print => print(
                &self.lanes,
                i,
                &kernel.tables.prints[i.imm as usize],
                &mut self.output.printed,
            ),
            Op::Fault => {
                let trap = &kernel.tables.traps[i.imm as usize];
                let fault = fault::trap(trap, self.lanes.active(), self.place());
                return Err(Box::new(fault));
            }
            Op::BarrierCount => {
                let count = [opened.yes; WARP_LANES];
                self.lanes.set(i.dst, count);
            }
            Op::BarrierAnd => {
                let all = uniform(opened.yes == opened.all);
                self.lanes.set(i.dst, all);
            }
            Op::BarrierOr => {
                let any = uniform(opened.yes > 0);
                self.lanes.set(i.dst, any);
            }
            op => unreachable!("{op:?} does not concern a block"),
        }
        Ok(())
    }

    /// Takes the predicates of the warp that reaches a `barrier.vote`.
    pub(crate) fn vote_at_barrier(&mut self, i: Instruction) {
        let active = self.lanes.active();
        let yes = self.lanes.nonzero(i.a) & active;
        self.votes.bring(yes.count_ones(), active.count_ones());
    }
}
