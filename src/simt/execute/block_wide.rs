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

/// The predicates that threads have brought to a `barrier.vote`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Votes {
    /// Threads whose predicate was not 0.
    pub yes: u32,
    /// Threads that brought one.
    pub all: u32,
}

impl Machine<'_> {
    /// Carries out an instruction of this kind by at least one lane.
    pub(crate) fn effect(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
        let kernel = self.program.kernel;
        let uniform = |value: bool| [u32::from(value); WARP_LANES];
        match i.op {
            Op::Clock => {
                let cycles = self.instructions_of_block() * CYCLES_PER_INSTRUCTION;
                let (low, high) = (cycles as u32, (cycles >> 32) as u32);
                self.lanes
                    .set_pair(i.dst, ([low; WARP_LANES], [high; WARP_LANES]));
            }
            Op::Print => print(
                &self.lanes,
                i,
                &kernel.prints[i.imm as usize],
                &mut self.printed,
            ),
            Op::Fault => {
                let trap = &kernel.traps[i.imm as usize];
                return Err(Box::new(fault::trap(
                    trap,
                    self.lanes.active(),
                    self.place(),
                )));
            }
            Op::BarrierCount => {
                let count = [self.votes.yes; WARP_LANES];
                self.lanes.set(i.dst, count);
            }
            Op::BarrierAnd => {
                let all = uniform(self.votes.yes == self.votes.all);
                self.lanes.set(i.dst, all);
            }
            Op::BarrierOr => {
                let any = uniform(self.votes.yes > 0);
                self.lanes.set(i.dst, any);
            }
            op => unreachable!("{op:?} has no such effect"),
        }
        Ok(())
    }

    /// Takes the predicates of the warp that reaches a `barrier.vote`.
    pub(crate) fn vote_at_barrier(&mut self, i: Instruction) {
        let active = self.lanes.active();
        let yes = self.lanes.nonzero(i.a) & active;
        self.voting.yes += yes.count_ones();
        self.voting.all += active.count_ones();
    }

    /// The barrier opens: what threads have brought is what they find.
    pub(crate) fn count_votes(&mut self) {
        if self.voting.all > 0 {
            self.votes = std::mem::take(&mut self.voting);
        }
    }
}
