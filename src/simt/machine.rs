//! One block at a time: its registers and memories, its warps in turn.

use super::control::Warp;
use super::effect::Votes;
use super::exchange::exchange;
use super::fault::{self, Place};
use super::global::GlobalMemory;
use super::grid::{Grid, Lease};
use super::lanes::{Lanes, Vector};
use super::program::{Action, Program};
use super::tally::{Footprints, Tally};
use super::tracer::Tracer;
use crate::ir::Op;
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
    /// What the block prints.
    pub(super) printed: String,
    /// What threads have brought to the barrier that has not opened yet.
    pub(super) voting: Votes,
    /// What threads brought to the last barrier.
    pub(super) votes: Votes,
    /// What the lease had given when the block began.
    taken_before: u64,
    warps: Vec<Warp>,
    lease: Lease<'a>,
    block: u64,
}

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
            tally: Tally::new(kernel, memory),
            log: None,
            printed: String::new(),
            voting: Votes::default(),
            votes: Votes::default(),
            taken_before: 0,
            warps: (0..warps).map(|_| Warp::default()).collect(),
            lease: Lease::new(grid),
            block: 0,
            program,
            memory,
            footprints,
        }
    }

    /// Runs block `index` to its end.
    pub fn run_block(
        &mut self,
        index: u64,
        mut tracer: Option<&mut Tracer<'_>>,
    ) -> Result<(), Halt> {
        self.start(index);
        loop {
            let mut running = false;
            for warp in 0..self.warps.len() {
                if self.warps[warp].ended {
                    continue;
                }
                running = true;
                self.lanes.warp = warp;
                self.lanes.set_active(self.warps[warp].active);
                match tracer.as_deref_mut() {
                    Some(tracer) if tracer.watches(&self.lanes) => self.run_traced(tracer)?,
                    _ => self.run_warp(|_, _, _, _| {})?,
                }
            }
            // Every warp has now ended or waits at a barrier, which thus opens.
            self.count_votes();
            if !running {
                self.tally.blocks += 1;
                return Ok(());
            }
        }
    }

    fn start(&mut self, index: u64) {
        self.block = index;
        self.taken_before = self.lease.taken();
        self.lanes.block = self.program.geometry.block_at(index);
        self.lanes.reset(&self.program.image);
        self.shared.fill(0);
        self.local.fill([0; WARP_LANES]);
        for (at, warp) in self.warps.iter_mut().enumerate() {
            warp.start(self.program.geometry.lanes(at));
        }
    }

    fn run_traced(&mut self, tracer: &mut Tracer<'_>) -> Result<(), Halt> {
        let result = self.run_warp(|pc, i, lanes, local| tracer.before(pc, i, lanes, local));
        if result.is_err() || self.warps[self.lanes.warp].ended {
            tracer.finish(&self.lanes, &self.local);
        }
        result
    }

    /// Runs the warp until it ends or reaches a barrier; `before` sees every instruction first.
    fn run_warp(
        &mut self,
        mut before: impl FnMut(usize, crate::ir::Instruction, &Lanes<'_>, &[Vector]),
    ) -> Result<(), Halt> {
        let at = self.lanes.warp;
        let program = self.program;
        let mut pc = self.warps[at].pc;
        loop {
            if !self.lease.take() {
                self.renew(pc)?;
            }
            let step = &program.steps[pc];
            let i = step.instruction;
            before(pc, i, &self.lanes, &self.local);
            let ran = &mut self.tally.instructions[pc];
            ran.warps += 1;
            ran.lanes += self.lanes.active_count();
            match step.action {
                Action::Lanes(operation) => operation(&mut self.lanes, i),
                Action::Access => self.access(i).map_err(Halt::Fault)?,
                Action::Atomic => self.atomic(i).map_err(Halt::Fault)?,
                Action::Effect => self.effect(i).map_err(Halt::Fault)?,
                Action::Exchange => self.exchange(pc)?,
                Action::Control => {
                    let warp = &mut self.warps[at];
                    warp.pc = pc;
                    match i.op {
                        Op::BarrierVote => {
                            self.vote_at_barrier(i);
                            return self.arrive();
                        }
                        Op::Barrier => return self.arrive(),
                        Op::End => {
                            warp.ended = true;
                            return Ok(());
                        }
                        _ => pc = self.branch(pc),
                    }
                    continue;
                }
            }
            pc += 1;
        }
    }

    #[inline(always)]
    fn branch(&mut self, pc: usize) -> usize {
        let i = self.program.steps[pc].instruction;
        let warp = &mut self.warps[self.lanes.warp];
        let taken = match i.op {
            Op::If | Op::LeaveUnless => self.lanes.nonzero(i.a),
            _ => 0,
        };
        let went_both_ways = warp.branch(i, taken);
        self.tally.instructions[pc].divergent += u64::from(went_both_ways);
        self.lanes.set_active(warp.active);
        warp.pc
    }

    fn exchange(&mut self, pc: usize) -> Result<(), Halt> {
        let live = self.warps[self.lanes.warp].live;
        let i = self.program.steps[pc].instruction;
        let span = || self.program.span_at(pc);
        exchange(&mut self.lanes, i, live, span).map_err(|fault| Halt::Fault(Box::new(fault)))
    }

    /// The warp reaches a barrier: with all its lanes, or not at all.
    fn arrive(&mut self) -> Result<(), Halt> {
        let warp = &mut self.warps[self.lanes.warp];
        let missing = warp.live & !warp.active;
        if missing != 0 {
            let (pc, active) = (warp.pc, warp.active);
            let span = self.program.span_at(pc);
            let fault = fault::barrier_divergence(span, active, missing, self.place());
            return Err(Halt::Fault(Box::new(fault)));
        }
        warp.pc += 1;
        if let Some(log) = &mut self.log {
            log.barrier(self.lanes.warp);
        }
        Ok(())
    }

    /// Asks for more instructions, at an instruction that may not run without.
    #[cold]
    fn renew(&mut self, pc: usize) -> Result<(), Halt> {
        if self.lease.is_stopped(self.block) {
            return Err(Halt::Stopped);
        }
        self.lease.report(&mut self.tally);
        if self.lease.renew() {
            return Ok(());
        }
        let span = self.loop_at(pc);
        let fault = fault::out_of_fuel(span, self.lease.fuel(), self.place());
        Err(Halt::Fault(Box::new(fault)))
    }

    /// The head of the innermost loop around an instruction, or its own statement.
    fn loop_at(&self, pc: usize) -> Span {
        let after = &self.program.steps[pc..];
        let jumps = after.iter().map(|step| step.instruction);
        let mut back = jumps.filter(|i| i.op == Op::Jump && i.imm as usize <= pc);
        let head = back.next().map_or(pc, |jump| jump.imm as usize);
        self.program.span_at(head)
    }

    /// Warp instructions that the block has executed.
    pub(super) fn instructions_of_block(&self) -> u64 {
        self.lease.taken() - self.taken_before
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
