//! Runs a block, warp by warp and instruction by instruction: the plain way, which is what every
//! quicker way must come to.

use crate::ir::{Instruction, Op};
use crate::simt::fault;
use crate::simt::machine::{Halt, Machine, Moment, Nobody, Observer};
use crate::simt::operations::{Undefined, exchange};
use crate::simt::program::Action;
use crate::source::{Diagnostic, Span};

/// Turns after which those that are over are forgotten: a warp that waits for others may take many.
const MOST_TURNS: usize = 1 << 16;

/// How a warp's turn ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It waits at a barrier, or has ended.
    Over,
    /// It has more to do.
    Interrupted,
}

impl Machine<'_> {
    /// Runs block `index` of the grid to its end; `turn` is its place in the order of blocks.
    pub(crate) fn run_block<O: Observer>(
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
    pub(crate) fn begin_block<O: Observer>(&mut self, turn: u64, index: u64, observer: &mut O) {
        self.start(turn, index);
        self.start_other_warps();
        if O::OBSERVES {
            self.clear();
            observer.begin(&Moment::new(self, 0));
        }
    }

    /// Runs the block to its end, or until all of its warps wait at a barrier of the grid; whether it has ended.
    pub(crate) fn run_to_grid_barrier<O: Observer>(
        &mut self,
        observer: &mut O,
    ) -> Result<bool, Halt> {
        loop {
            self.running.clear();
            let running = (0..self.warps.len()).filter(|&warp| !self.warps[warp].ended);
            self.running.extend(running);
            // Every warp has ended or waits at a barrier, which thus opens.
            if self.running.is_empty() {
                self.tally.blocks += 1;
                return Ok(true);
            }
            // Only between barriers are warps free to run in any order: here a schedule may permute them.
            observer.order(&mut self.running);
            self.run_to_barrier(observer)?;
            if O::OBSERVES {
                observer.barrier(&Moment::new(self, 0));
            }
            if self.waits_for_grid() {
                return Ok(false);
            }
        }
    }

    /// Whether the warps that have not ended wait at a barrier of the grid.
    fn waits_for_grid(&self) -> bool {
        // A warp that waits has its barrier behind it.
        let op = |pc: usize| self.program.code[pc - 1].instruction.op;
        let mut waiting = self.warps.iter().filter(|warp| !warp.ended).peekable();
        waiting.peek().is_some() && waiting.all(|warp| op(warp.pc) == Op::GridBarrier)
    }

    /// Gives each running warp its turns until all of them have ended or wait at a barrier.
    fn run_to_barrier<O: Observer>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let mut next = 0;
        // A queue that grows while it is gone through: interrupted warps come again behind the others.
        while next < self.running.len() {
            let warp = self.running[next];
            next += 1;
            let turn = self.take_turn(warp, observer);
            if O::OBSERVES {
                observer.pause(&Moment::new(self, self.warps[warp].pc));
            }
            // Behind all others: a schedule, or the warp itself, wants others to come in between.
            if turn? == Turn::Interrupted {
                self.running.push(warp);
            }
            if next == MOST_TURNS {
                self.running.drain(..next);
                next = 0;
            }
        }
        self.votes.open();
        Ok(())
    }

    /// Runs a warp until it ends or reaches a barrier; nobody looks.
    pub(crate) fn run_warp_alone(&mut self, warp: usize) -> Result<(), Halt> {
        self.take_turn(warp, &mut Nobody).map(|_| ())
    }

    /// Runs a warp until it ends, reaches a barrier, or is interrupted.
    fn take_turn<O: Observer>(&mut self, warp: usize, observer: &mut O) -> Result<Turn, Halt> {
        self.select(&(warp..warp + 1));
        let program = self.program;
        let mut pc = self.warps[warp].pc;
        loop {
            if O::OBSERVES {
                self.warps[warp].pc = pc;
                if observer.interrupts(pc) {
                    return Ok(Turn::Interrupted);
                }
            }
            // Fuel is drawn by the thousand: looking for cancellation at each instruction would
            // cost more than most of them.
            if !self.lease.take(1) {
                self.renew()?;
                if !self.lease.take(1) {
                    return Err(self.out_of_fuel(pc));
                }
            }
            if O::OBSERVES {
                observer.before(&Moment::new(self, pc));
            }
            let step = &program.code[pc];
            // Counted before it runs: an instruction that faults was issued.
            let ran = &mut self.tally.instructions[pc];
            ran.warps += 1;
            ran.lanes += self.lanes.active_count();
            if matches!(step.action, Action::Control) {
                match self.control_flow(pc, warp)? {
                    Some(next) => pc = next,
                    None if step.instruction.op == Op::Yield => return Ok(Turn::Interrupted),
                    None => return Ok(Turn::Over),
                }
                continue;
            }
            self.execute(step.action, step.instruction, pc)
                .map_err(Halt::Fault)?;
            pc += 1;
        }
    }

    /// Carries out an instruction, which is no control flow, by the warp that runs.
    #[inline(always)]
    fn execute(
        &mut self,
        action: Action,
        i: Instruction,
        pc: usize,
    ) -> Result<(), Box<Diagnostic>> {
        match action {
            Action::Lanes(operation) => operation(&mut self.lanes, i),
            Action::Access => self.access(i)?,
            Action::Atomic => self.atomic(i)?,
            Action::BlockWide => self.block_wide(i, pc)?,
            Action::Exchange => self.exchange(i, pc, self.warps[self.lanes.warp].live)?,
            Action::Control => {}
        }
        Ok(())
    }

    /// Follows control flow at `pc`; where the warp goes on, or nothing where its turn is over.
    #[inline(always)]
    fn control_flow(&mut self, pc: usize, warp: usize) -> Result<Option<usize>, Halt> {
        let i = self.program.code[pc].instruction;
        self.warps[warp].pc = pc;
        match i.op {
            Op::BarrierVote => {
                self.vote_at_barrier(i);
                self.arrive(warp)?;
            }
            Op::Barrier | Op::GridBarrier => self.arrive(warp)?,
            Op::End => self.warps[warp].ended = true,
            // Past it already, or the warp would yield for ever.
            Op::Yield => self.warps[warp].pc = pc + 1,
            _ => return Ok(Some(self.branch(pc))),
        }
        Ok(None)
    }

    #[inline(always)]
    fn branch(&mut self, pc: usize) -> usize {
        let i = self.program.code[pc].instruction;
        let warp = &mut self.warps[self.lanes.warp];
        // Inactive lanes are masked out by the branch itself.
        let taken = match i.op {
            Op::If | Op::LeaveUnless => self.lanes.nonzero(i.a),
            _ => 0,
        };
        // A branch diverges if lanes of the warp go both ways, as Nsight Compute counts it.
        let went_both_ways = warp.branch(i, taken);
        self.tally.instructions[pc].divergent += u64::from(went_both_ways);
        self.lanes.set_active(warp.active);
        warp.pc
    }

    /// Passes values between the lanes of a warp by `i`, which stands at `pc`; the threads of `live`
    /// have not ended.
    pub(crate) fn exchange(
        &mut self,
        i: Instruction,
        pc: usize,
        live: u32,
    ) -> Result<(), Box<Diagnostic>> {
        let span = || self.program.span_at(pc);
        let undefined = exchange(&mut self.lanes, i, live, span)?;
        self.note_undefined(pc, undefined);
        Ok(())
    }

    /// Keeps in mind what an exchange at `pc` did that CUDA leaves undefined.
    pub(crate) fn note_undefined(&mut self, pc: usize, undefined: Undefined) {
        if !undefined.is_none() {
            self.tally.undefined.entry(pc).or_default().add(undefined);
        }
    }

    /// A warp reaches a barrier: with all its lanes, or not at all.
    pub(crate) fn arrive(&mut self, at: usize) -> Result<(), Halt> {
        let warp = &mut self.warps[at];
        // All threads of a warp must execute the same `barrier.sync.aligned`, which is what
        // `__syncthreads` is (PTX instruction set): a warp that comes with some of its lanes is undefined.
        let missing = warp.live & !warp.active;
        if missing != 0 {
            let (pc, active) = (warp.pc, warp.active);
            let span = self.program.span_at(pc);
            let fault = fault::barrier_divergence(span, active, missing, self.place());
            return Err(Halt::Fault(Box::new(fault)));
        }
        warp.pc += 1;
        warp.waits = true;
        if let Some(log) = &mut self.output.log {
            log.barrier(at);
        }
        Ok(())
    }

    /// Asks for more instructions, at an instruction that may not run without.
    #[cold]
    pub(crate) fn renew(&mut self) -> Result<(), Halt> {
        if self.lease.is_stopped() {
            return Err(Halt::Stopped);
        }
        // Adjacent blocks may have to take back what they have counted.
        if self.program.geometry.side_by_side == 1 {
            self.report();
        }
        self.bound_log();
        self.lease.renew();
        Ok(())
    }

    /// Drops a log that has become too long: a loop without end would fill all memory with it.
    fn bound_log(&mut self) {
        let (lease, output) = (&self.lease, &mut self.output);
        if let (Some(log), Some(queue)) = (&output.log, output.queue)
            && !queue.admits(lease.turn(), log, || lease.is_stopped())
        {
            output.log = None;
        }
    }

    /// Adds the counters to the total, if they were not lately.
    pub(crate) fn report(&mut self) {
        if self.lease.owes_a_report() {
            let blocks = &self.program.basic_blocks;
            self.lease.report(&mut self.tally, blocks);
        }
    }

    /// No more instructions may run.
    #[cold]
    fn out_of_fuel(&self, pc: usize) -> Halt {
        let span = self.loop_at(pc);
        let fault = fault::out_of_fuel(span, self.lease.fuel(), self.place());
        Halt::OutOfFuel(Box::new(fault))
    }

    /// The head of the innermost loop around an instruction, or its own statement.
    fn loop_at(&self, pc: usize) -> Span {
        let after = &self.program.code[pc..];
        let jumps = after.iter().map(|step| step.instruction);
        // Loops are not marked in the bytecode: the next jump backwards past `pc` closes the
        // innermost one around it.
        let mut back = jumps.filter(|i| i.op == Op::Jump && i.imm as usize <= pc);
        let head = back.next().map_or(pc, |jump| jump.imm as usize);
        self.program.span_at(head)
    }
}
