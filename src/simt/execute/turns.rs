//! Runs a block in turns: each of its warps runs until a barrier, and may be interrupted before, in the order that an
//! observer wants. How a warp takes its turn, those say who run one.

use crate::ir::Op;
use crate::simt::machine::{Halt, Machine, Moment, Observer};

/// Turns after which those that are over are forgotten: a warp that waits for others may take many.
const MOST_TURNS: usize = 1 << 16;

/// How a warp's turn ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It waits at a barrier, or has ended.
    Over,
    /// It has more to do.
    Interrupted,
}

/// What gives the warps of a block their turns, one warp at a time.
pub trait Turns<'a> {
    /// The machine that the block runs on.
    fn machine(&mut self) -> &mut Machine<'a>;

    /// Runs a warp until it ends, reaches a barrier, or is interrupted, if it is not by the first instruction of its turn.
    fn take_turn<O: Observer>(&mut self, warp: usize, observer: &mut O) -> Result<Turn, Halt>;

    /// Runs block `index` of the grid to its end; `turn` is its place in the order of blocks.
    fn run_block<O: Observer>(
        &mut self,
        turn: u64,
        index: u64,
        observer: &mut O,
    ) -> Result<(), Halt> {
        self.begin_block(turn, index, observer);
        // Alone, the block waits for nobody at a barrier of the grid.
        while !self.run_to_grid_barrier(observer)? {}
        Ok(())
    }

    /// Makes all of a block ready to run.
    fn begin_block<O: Observer>(&mut self, turn: u64, index: u64, observer: &mut O) {
        let machine = self.machine();
        machine.start(turn, index);
        machine.start_other_warps();
        if O::OBSERVES {
            if observer.reads_all() {
                machine.clear();
            }
            observer.begin(&Moment::new(machine, 0));
        }
    }

    /// Runs the block to its end, or until all of its warps wait at a barrier of the grid; whether it has ended.
    fn run_to_grid_barrier<O: Observer>(&mut self, observer: &mut O) -> Result<bool, Halt> {
        loop {
            let machine = self.machine();
            machine.running.clear();
            let running = (0..machine.warps.len()).filter(|&warp| !machine.warps[warp].ended);
            machine.running.extend(running);
            // Every warp has ended or waits at a barrier, which thus opens.
            if machine.running.is_empty() {
                machine.tally.blocks += 1;
                return Ok(true);
            }
            // Only between barriers are warps free to run in any order: here a schedule may permute them.
            observer.order(&mut machine.running);
            if !(O::OBSERVES && self.run_quietly(observer)?) {
                self.settle_values();
                self.run_to_barrier(observer)?;
            }
            let machine = self.machine();
            // What a warp prints behind a barrier comes after all that was printed before it.
            let (warps, printed) = (machine.warps.len(), &mut machine.output.printed);
            printed.meet(warps, printed.end());
            if O::OBSERVES {
                observer.barrier(&Moment::new(machine, 0));
            }
            if waits_for_grid(machine) {
                return Ok(false);
            }
        }
    }

    /// Runs all warps to the next barrier without an observer who wants to see no more than how they come there; whether
    /// it has.
    fn run_quietly<O: Observer>(&mut self, observer: &mut O) -> Result<bool, Halt> {
        let machine = self.machine();
        let warps = &machine.warps;
        let first = warps[machine.running[0]].pc;
        let are_together = machine.running.iter().all(|&at| warps[at].pc == first);
        if !are_together || !observer.is_quiet_from(first) || !self.run_unobserved()? {
            return Ok(false);
        }
        let machine = self.machine();
        for warp in 0..machine.warps.len() {
            if !machine.warps[warp].ended {
                machine.select(&(warp..warp + 1));
                // A warp that waits has its barrier behind it.
                observer.before(&Moment::new(machine, machine.warps[warp].pc - 1));
            }
        }
        Ok(true)
    }

    /// Runs all warps that have not ended to their next barrier, if there is a quicker way than turns; whether there is.
    fn run_unobserved(&mut self) -> Result<bool, Halt> {
        Ok(false)
    }

    /// Gives each warp the values that it would hold had it taken turns so far.
    fn settle_values(&mut self) {}

    /// Gives each running warp its turns until all of them have ended or wait at a barrier.
    fn run_to_barrier<O: Observer>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let mut next = 0;
        // A queue that grows while it is gone through: interrupted warps come again behind the others.
        while let Some(&warp) = self.machine().running.get(next) {
            next += 1;
            let turn = self.take_turn(warp, observer);
            let machine = self.machine();
            if O::OBSERVES {
                observer.pause(&Moment::new(machine, machine.warps[warp].pc));
            }
            // Behind all others: a schedule, or the warp itself, wants others to come in between.
            if turn? == Turn::Interrupted {
                machine.running.push(warp);
            }
            if next == MOST_TURNS {
                machine.running.drain(..next);
                next = 0;
            }
        }
        self.machine().votes.open();
        Ok(())
    }
}

/// Whether the warps that have not ended wait at a barrier of the grid.
fn waits_for_grid(machine: &Machine<'_>) -> bool {
    // A warp that waits has its barrier behind it.
    let op = |pc: usize| machine.program.code[pc - 1].instruction.op;
    let mut waiting = machine.warps.iter().filter(|warp| !warp.ended).peekable();
    waiting.peek().is_some() && waiting.all(|warp| op(warp.pc) == Op::GridBarrier)
}
