//! Runs a warp, instruction by instruction: the plain way, which is what every quicker way must come to.

use super::turns::{Turn, Turns};
use crate::ir::{Instruction, Op};
use crate::simt::fault;
use crate::simt::machine::{Halt, Machine, Moment, Nobody, Observer};
use crate::simt::operations::{Undefined, exchange};
use crate::simt::program::Action;
use crate::simt::warp::have_only_to_end;
use crate::source::{Diagnostic, Span};

impl<'a> Turns<'a> for Machine<'a> {
    fn machine(&mut self) -> &mut Machine<'a> {
        self
    }

    fn take_turn<O: Observer>(&mut self, warp: usize, observer: &mut O) -> Result<Turn, Halt> {
        self.select(&(warp..warp + 1));
        let program = self.program;
        let mut pc = self.warps[warp].pc;
        // The first instruction of a turn runs always, or a warp that begins with an access would never go on.
        let mut is_first = true;
        loop {
            if O::OBSERVES {
                self.warps[warp].pc = pc;
                if !std::mem::take(&mut is_first) && observer.interrupts(pc) {
                    return Ok(Turn::Interrupted);
                }
            }
            self.take_fuel(pc)?;
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
}

impl Machine<'_> {
    /// Fuel of one instruction.
    #[inline(always)]
    fn take_fuel(&mut self, pc: usize) -> Result<(), Halt> {
        // It is drawn by the thousand: looking for cancellation at each instruction would cost more than most of them.
        if !self.lease.take(1) {
            self.renew()?;
            if !self.lease.take(1) {
                return Err(self.out_of_fuel(pc));
            }
        }
        Ok(())
    }

    /// Runs a warp until it ends or reaches a barrier; nobody looks.
    pub(crate) fn run_warp_alone(&mut self, warp: usize) -> Result<(), Halt> {
        self.take_turn(warp, &mut Nobody).map(|_| ())
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
        self.wait_at_barrier(at)?;
        if let Some(log) = &mut self.output.log {
            log.barrier(at..at + 1);
        }
        Ok(())
    }

    /// The same without a word about it in the log.
    pub(crate) fn wait_at_barrier(&mut self, at: usize) -> Result<(), Halt> {
        let warp = &self.warps[at];
        // All threads of a warp must execute the same `barrier.sync.aligned`, which is what
        // `__syncthreads` is (PTX instruction set): a warp that comes with some of its lanes is undefined.
        let missing = warp.live & !warp.active;
        if missing != 0 {
            self.do_without(at, missing)?;
        }
        let warp = &mut self.warps[at];
        warp.pc += 1;
        warp.waits = true;
        Ok(())
    }

    /// Ends the lanes that do not come to a barrier with their warp, if they have nothing else to do.
    #[cold]
    fn do_without(&mut self, at: usize, missing: u32) -> Result<(), Halt> {
        let warp = &mut self.warps[at];
        let (pc, active) = (warp.pc, warp.active);
        let code = self.program.code[pc + 1..].iter();
        if have_only_to_end(warp, code.map(|step| step.instruction.op), missing) {
            warp.end(missing);
            let ending = Undefined {
                ending: missing,
                ..Undefined::default()
            };
            self.note_undefined(pc, ending);
            return Ok(());
        }
        let span = self.program.span_at(pc);
        let fault = fault::barrier_divergence(span, active, missing, self.place());
        Err(Halt::Fault(Box::new(fault)))
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
            self.settle_footprints();
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
