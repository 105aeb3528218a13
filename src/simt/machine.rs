//! One block at a time: its registers and memories, its warps in turn.

use std::ops::Range;

use super::control::Warp;
use super::exchange::exchange;
use super::fault::{self, Place};
use super::global::GlobalMemory;
use super::grid::{Grid, Lease};
use super::lanes::{Lanes, Vector};
use super::program::{Action, Program};
use super::tally::{Executions, Footprints, Tally};
use super::together::Memory;
use super::tracer::Tracer;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::memory::AccessLog;
use crate::source::{Diagnostic, Span};

/// Why a block did not end.
pub enum Halt {
    /// Somebody asked for it, or an earlier block has faulted.
    Stopped,
    /// It did something wrong.
    Fault(Box<Diagnostic>),
}

/// What runs a block.
pub struct Machine<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) memory: &'a GlobalMemory,
    pub(super) footprints: &'a Footprints,
    pub(super) lanes: Lanes<'a>,
    /// Shared memory of the block, in words.
    pub(super) shared: Vec<u32>,
    /// Local memory: word by word, in each warp by warp.
    pub(super) local: Vec<Vector>,
    pub(super) tally: Tally,
    /// What the block asks of global memory, where somebody wants to know.
    pub(super) log: Option<AccessLog>,
    /// By access site, in each by first warp of a gang.
    pub(super) memories: Vec<Memory>,
    warps: Vec<Warp>,
    lease: Lease<'a>,
    block: u64,
    /// Whether each warp runs alone, because it is watched or little fuel is left.
    alone: bool,
    /// Whether warps that agree run together until the next barrier.
    together: bool,
}

/// Most warps that run together: their registers should stay in the processor's first cache.
const GANG_WARPS: usize = 8;

impl<'a> Machine<'a> {
    /// A machine that draws its instructions from `grid`.
    pub fn new(
        program: &'a Program<'a>,
        memory: &'a GlobalMemory,
        footprints: &'a Footprints,
        grid: &'a Grid<'a>,
    ) -> Self {
        let (kernel, warps) = (program.kernel, program.geometry.warps());
        let words = |bytes: u32| bytes.div_ceil(4) as usize;
        Machine {
            lanes: Lanes::new(&program.image, &program.geometry, &kernel.constants),
            shared: vec![0; words(program.shared_bytes)],
            local: vec![[0; WARP_LANES]; words(kernel.local_bytes) * warps],
            tally: Tally::new(kernel, program.stretches.len(), memory),
            log: None,
            memories: (0..kernel.sites.len() * warps)
                .map(|_| Memory::default())
                .collect(),
            warps: (0..warps).map(|_| Warp::default()).collect(),
            lease: Lease::new(grid),
            block: 0,
            alone: false,
            together: false,
            program,
            memory,
            footprints,
        }
    }

    /// Runs block `index` to its end. Warps run alone, one after the other, if there is a tracer.
    pub fn run_block(
        &mut self,
        index: u64,
        mut tracer: Option<&mut Tracer<'_>>,
    ) -> Result<(), Halt> {
        self.start(index);
        self.alone = tracer.is_some();
        while self.warps.iter().any(|warp| !warp.ended) {
            self.warps.iter_mut().for_each(|warp| warp.waits = false);
            self.together = !self.alone && self.may_go_together();
            while let Some(gang) = self.next_gang() {
                self.lanes.set_gang(&gang);
                match tracer.as_deref_mut() {
                    Some(tracer) if tracer.watches(&self.lanes) => self.run_traced(tracer)?,
                    _ => self.run(gang, |_, _, _, _| {})?,
                }
            }
            // Every warp has now ended or waits at a barrier, which thus opens.
        }
        self.tally.blocks += 1;
        Ok(())
    }

    fn start(&mut self, index: u64) {
        self.block = index;
        self.lanes.block = self.program.geometry.block_at(index);
        self.lanes.reset(&self.program.image);
        self.shared.fill(0);
        self.local.fill([0; WARP_LANES]);
        for (at, warp) in self.warps.iter_mut().enumerate() {
            warp.start(self.program.geometry.lanes(at));
        }
    }

    /// Whether all warps go on at one place, and nobody can see in which order until a barrier.
    fn may_go_together(&self) -> bool {
        let mut places = self
            .warps
            .iter()
            .filter(|warp| !warp.ended)
            .map(|warp| warp.pc);
        let first = places.next().unwrap_or_default();
        self.program.together[first] && places.all(|place| place == first)
    }

    /// The first warp that may run, with those after it that agree.
    fn next_gang(&self) -> Option<Range<usize>> {
        let first = self
            .warps
            .iter()
            .position(|warp| !warp.ended && !warp.waits)?;
        let most = if self.together { GANG_WARPS } else { 1 };
        let warps = self.warps[first..].iter().take(most);
        let count = warps
            .take_while(|warp| warp.agrees(&self.warps[first]))
            .count();
        Some(first..first + count)
    }

    fn run_traced(&mut self, tracer: &mut Tracer<'_>) -> Result<(), Halt> {
        let warp = self.lanes.warp;
        let result = self.run(warp..warp + 1, |pc, i, lanes, local| {
            tracer.before(pc, i, lanes, local);
        });
        if result.is_err() || self.warps[warp].ended {
            tracer.finish(&self.lanes, &self.local);
        }
        result
    }

    /// Runs warps that agree until they end, reach a barrier or part; `before` sees every
    /// instruction first. Counts and faults are as if the warps had run one after the other.
    fn run(
        &mut self,
        gang: Range<usize>,
        mut before: impl FnMut(usize, Instruction, &Lanes<'_>, &[Vector]),
    ) -> Result<(), Halt> {
        let program = self.program;
        self.lanes.set_active(self.warps[gang.start].active);
        'stretches: loop {
            let pc = self.warps[gang.start].pc;
            let Some(end) = self.draw(pc, &gang)? else {
                (self.alone, self.together) = (true, false);
                self.follow(&gang);
                return Ok(());
            };
            for at in pc..end {
                let step = &program.steps[at];
                let i = step.instruction;
                before(at, i, &self.lanes, &self.local);
                let result = match step.action {
                    Action::Lanes(operation) => {
                        operation(&mut self.lanes, i);
                        continue;
                    }
                    Action::Access if self.access_together(i, &gang) => continue,
                    Action::Access => self.each(&gang, |machine| machine.access(i)),
                    Action::Exchange => self.each(&gang, |machine| machine.exchange(at)),
                    Action::Control => {
                        self.warps[gang.start].pc = at;
                        if self.control(at, &gang)? {
                            continue 'stretches;
                        }
                        return Ok(());
                    }
                };
                if let Err(fault) = result {
                    self.uncount(pc..end, at, &gang);
                    return Err(self.faulted(fault, at, &gang));
                }
            }
            self.warps[gang.start].pc = end;
        }
    }

    /// Draws fuel for the instructions from `pc` on that run in a row, and counts them; where they
    /// end. None if it does not suffice for so many warps.
    #[inline(always)]
    fn draw(&mut self, pc: usize, gang: &Range<usize>) -> Result<Option<usize>, Halt> {
        let stretch = self.program.stretches.at(pc);
        let range = self.program.stretches.range(stretch);
        let wanted = ((range.end - pc) * gang.len()) as u64;
        if !self.lease.take(wanted) {
            self.renew()?;
            if !self.lease.take(wanted) {
                return self.draw_last(pc, gang);
            }
        }
        let ran = self.executions(gang.len());
        if pc == range.start {
            self.tally.stretches[stretch].add(ran);
        } else {
            self.count(pc..range.end, ran);
        }
        Ok(Some(range.end))
    }

    /// Draws what is left.
    #[cold]
    fn draw_last(&mut self, pc: usize, gang: &Range<usize>) -> Result<Option<usize>, Halt> {
        if gang.len() > 1 {
            return Ok(None);
        }
        let left = self.lease.left();
        if left == 0 {
            let span = self.loop_at(pc);
            let fault = fault::out_of_fuel(span, self.lease.fuel(), self.place());
            return Err(Halt::Fault(Box::new(fault)));
        }
        self.lease.take(left);
        let end = pc + left as usize;
        self.count(pc..end, self.executions(1));
        Ok(Some(end))
    }

    /// Asks for more instructions, at an instruction that may not run without.
    #[cold]
    fn renew(&mut self) -> Result<(), Halt> {
        if self.lease.is_stopped(self.block) {
            return Err(Halt::Stopped);
        }
        self.lease.report(&mut self.tally, &self.program.stretches);
        self.lease.renew();
        Ok(())
    }

    /// One instruction run by so many warps.
    fn executions(&self, warps: usize) -> Executions {
        Executions {
            warps: warps as u64,
            lanes: warps as u64 * self.lanes.active_count(),
            divergent: 0,
        }
    }

    fn count(&mut self, instructions: Range<usize>, ran: Executions) {
        for instruction in &mut self.tally.instructions[instructions] {
            instruction.add(ran);
        }
    }

    /// Does `f` for each warp of the gang; stays at the one that fails.
    #[inline(always)]
    fn each(
        &mut self,
        gang: &Range<usize>,
        mut f: impl FnMut(&mut Self) -> Result<(), Box<Diagnostic>>,
    ) -> Result<(), Box<Diagnostic>> {
        for warp in gang.clone() {
            self.lanes.set_gang(&(warp..warp + 1));
            f(self)?;
        }
        self.lanes.set_gang(gang);
        Ok(())
    }

    /// Control flow; whether the gang goes on together.
    #[inline(always)]
    fn control(&mut self, pc: usize, gang: &Range<usize>) -> Result<bool, Halt> {
        match self.program.steps[pc].instruction.op {
            Op::Barrier => {
                self.arrive(gang.start)?;
                if let Some(log) = &mut self.log {
                    gang.clone().for_each(|warp| log.barrier(warp));
                }
            }
            Op::End => self.warps[gang.start].ended = true,
            _ => return Ok(self.branch(pc, gang)),
        }
        self.follow(gang);
        Ok(false)
    }

    #[inline(always)]
    fn branch(&mut self, pc: usize, gang: &Range<usize>) -> bool {
        let i = self.program.steps[pc].instruction;
        let mut taken = [0; GANG_WARPS];
        if matches!(i.op, Op::If | Op::LeaveUnless) {
            let active = self.lanes.active();
            for (taken, warp) in taken.iter_mut().zip(gang.clone()) {
                self.lanes.set_gang(&(warp..warp + 1));
                *taken = self.lanes.nonzero(i.a) & active;
            }
            self.lanes.set_gang(gang);
        }
        let taken = &taken[..gang.len()];
        if taken.iter().any(|other| *other != taken[0]) {
            self.part(pc, gang, taken);
            return false;
        }
        let warp = &mut self.warps[gang.start];
        if warp.branch(i, taken[0]) {
            self.tally.instructions[pc].divergent += gang.len() as u64;
        }
        self.lanes.set_active(warp.active);
        true
    }

    /// Each warp of a gang branches for itself.
    fn part(&mut self, pc: usize, gang: &Range<usize>, taken: &[u32]) {
        self.follow(gang);
        for (warp, &taken) in self.warps[gang.clone()].iter_mut().zip(taken) {
            let went_both_ways = warp.branch(self.program.steps[pc].instruction, taken);
            self.tally.instructions[pc].divergent += u64::from(went_both_ways);
        }
    }

    /// Brings the other warps of a gang to where the first is.
    fn follow(&mut self, gang: &Range<usize>) {
        let Some((first, others)) = self.warps[gang.clone()].split_first_mut() else {
            return;
        };
        others.iter_mut().for_each(|warp| warp.follow(first));
    }

    fn exchange(&mut self, pc: usize) -> Result<(), Box<Diagnostic>> {
        let live = self.warps[self.lanes.warp].live;
        let i = self.program.steps[pc].instruction;
        let span = || self.program.span_at(pc);
        exchange(&mut self.lanes, i, live, span).map_err(Box::new)
    }

    /// A warp reaches a barrier: with all its lanes, or not at all.
    fn arrive(&mut self, at: usize) -> Result<(), Halt> {
        let warp = &mut self.warps[at];
        let missing = warp.live & !warp.active;
        if missing != 0 {
            let (pc, active) = (warp.pc, warp.active);
            let span = self.program.span_at(pc);
            let fault = fault::barrier_divergence(span, active, missing, self.place());
            return Err(Halt::Fault(Box::new(fault)));
        }
        warp.pc += 1;
        warp.waits = true;
        Ok(())
    }

    /// Takes back what was counted of `counted` but did not run: a warp has faulted at `pc`, which
    /// those after it in the gang have not reached.
    #[cold]
    fn uncount(&mut self, counted: Range<usize>, pc: usize, gang: &Range<usize>) {
        let all = self.executions(gang.len());
        let stretch = self.program.stretches.at(pc);
        if self.program.stretches.range(stretch) == counted {
            self.tally.stretches[stretch].remove(all);
            self.count(counted.clone(), all);
        }
        let later = self.executions(gang.end - 1 - self.lanes.warp);
        self.tally.instructions[pc].remove(later);
        for instruction in &mut self.tally.instructions[pc + 1..counted.end] {
            instruction.remove(all);
        }
    }

    /// A warp of a gang has faulted at `pc`. Had the warps run one after the other, those before
    /// it would have gone on first, and might have faulted too.
    #[cold]
    fn faulted(&mut self, fault: Box<Diagnostic>, pc: usize, gang: &Range<usize>) -> Halt {
        let faulty = self.lanes.warp;
        self.warps[gang.start].pc = pc + 1;
        self.follow(gang);
        for warp in gang.start..faulty {
            let alone = warp..warp + 1;
            self.lanes.set_gang(&alone);
            while !self.warps[warp].ended && !self.warps[warp].waits {
                if let Err(earlier) = self.run(alone.clone(), |_, _, _, _| {}) {
                    return earlier;
                }
            }
        }
        Halt::Fault(fault)
    }

    /// The head of the innermost loop around an instruction, or its own statement.
    fn loop_at(&self, pc: usize) -> Span {
        let after = &self.program.steps[pc..];
        let jumps = after.iter().map(|step| step.instruction);
        let mut back = jumps.filter(|i| i.op == Op::Jump && i.imm as usize <= pc);
        let head = back.next().map_or(pc, |jump| jump.imm as usize);
        self.program.span_at(head)
    }

    /// Where the machine is.
    pub(super) fn place(&self) -> Place<'a> {
        Place {
            geometry: &self.program.geometry,
            block: self.lanes.block,
            warp: self.lanes.warp,
        }
    }
}
