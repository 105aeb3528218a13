//! One block at a time: its registers and memories, its warps in turn.

use super::observer::{Moment, Observer};
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::memory::AccessLog;
use crate::simt::batch::Early;
use crate::simt::batch::Held;
use crate::simt::batch::Strides;
use crate::simt::batch::{Memory, PLACES};
use crate::simt::count::{Footprints, Tally};
use crate::simt::execute::Votes;
use crate::simt::fault;
use crate::simt::fault::Place;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::grid::{Grid, Lease};
use crate::simt::operations::exchange;
use crate::simt::program::{Action, Program};
use crate::simt::warp::Warp;
use crate::simt::warp::{Lanes, Vector};
use crate::source::{Diagnostic, Span};

/// Why a block did not end.
pub enum Halt {
    /// Somebody asked for it, or an earlier block has faulted.
    Stopped,
    /// It did something wrong.
    Fault(Box<Diagnostic>),
    /// The launch may run no more instructions.
    OutOfFuel(Box<Diagnostic>),
}

/// What runs a block.
pub struct Machine<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) memory: &'a GlobalMemory,
    pub(crate) footprints: &'a Footprints,
    pub(crate) lanes: Lanes<'a>,
    /// Shared memory of the block, in words.
    pub(crate) shared: Vec<u32>,
    /// Local memory: word by word, in each warp by warp.
    pub(crate) local: Vec<Vector>,
    /// By word of local memory: the warps, a bit each, that have used it in this block. What others
    /// have there counts as zero.
    pub(crate) local_used: Vec<u32>,
    pub(crate) tally: Tally,
    /// What the block asks of global memory, where somebody wants to know.
    pub(crate) log: Option<AccessLog>,
    /// What the block prints.
    pub(crate) printed: String,
    /// What threads have brought to the barrier that has not opened yet.
    pub(crate) voting: Votes,
    /// What threads brought to the last barrier.
    pub(crate) votes: Votes,
    /// What the lease had given when the block began.
    taken_before: u64,
    /// By access site, in each by first warp of a gang, in each by place; once more for gangs in
    /// unison.
    pub(crate) memories: Vec<Memory>,
    /// What gangs in unison hold.
    pub(crate) held: Held,
    /// Loads of the window that a gang is in.
    pub(crate) early: Vec<Early>,
    /// Whether warps have not kept their order in a window: from then on they take turns where there
    /// are any.
    pub(crate) in_turn: bool,
    /// What was touched lately.
    pub(crate) strides: Strides,
    /// Patterns numbered so far.
    pub(crate) patterns: u64,
    pub(crate) warps: Vec<Warp>,
    /// Whether blocks begin as one gang, where nobody looks.
    as_one: bool,
    /// Warps that take turns until the next barrier.
    running: Vec<usize>,
    pub(crate) lease: Lease<'a>,
    /// The block's place in the order of blocks.
    turn: u64,
    /// The block's place in the grid, x fastest.
    pub(crate) index: u64,
}

/// How a warp's turn ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It waits at a barrier, or has ended.
    Over,
    /// It has more to do.
    Interrupted,
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
            lanes: Lanes::new(&program.registers(), &program.geometry, &kernel.constants),
            shared: vec![0; words(program.shared_bytes)],
            local: vec![[0; WARP_LANES]; words(kernel.local_bytes) * warps],
            local_used: vec![0; words(kernel.local_bytes)],
            tally: Tally::new(kernel, program.stretches.len(), memory),
            log: None,
            printed: String::new(),
            voting: Votes::default(),
            votes: Votes::default(),
            taken_before: 0,
            memories: (0..2 * kernel.sites.len() * warps * PLACES)
                .map(|_| Memory::default())
                .collect(),
            early: Vec::new(),
            in_turn: false,
            held: Held::new(usize::from(kernel.registers), warps),
            strides: Strides::new(kernel, warps, footprints),
            patterns: 0,
            warps: (0..warps).map(|_| Warp::default()).collect(),
            as_one: Self::begins_as_one(program),
            running: Vec::with_capacity(warps),
            lease: Lease::new(grid),
            turn: 0,
            index: 0,
            program,
            memory,
            footprints,
        }
    }

    /// Runs block `index` to its end; `turn` is its place in the order of blocks.
    pub fn run_block<O: Observer>(
        &mut self,
        turn: u64,
        index: u64,
        observer: &mut O,
    ) -> Result<(), Halt> {
        self.start(turn, index);
        if !O::LOOKS && self.as_one {
            if self.run_as_one()? {
                self.tally.blocks += 1;
                return Ok(());
            }
        } else {
            self.start_others();
        }
        if O::LOOKS {
            self.clear();
            observer.begin(&Moment::new(self, 0));
        }
        loop {
            self.running.clear();
            let running = (0..self.warps.len()).filter(|&warp| !self.warps[warp].ended);
            self.running.extend(running);
            // Every warp has ended or waits at a barrier, which thus opens.
            if self.running.is_empty() {
                self.tally.blocks += 1;
                return Ok(());
            }
            if !O::LOOKS && self.program.plan.is_some() {
                self.run_together()?;
                continue;
            }
            observer.order(&mut self.running);
            self.run_to_barrier(observer)?;
            if O::LOOKS {
                observer.barrier(&Moment::new(self, 0));
            }
        }
    }

    /// Gives each running warp its turns until all of them have ended or wait at a barrier.
    fn run_to_barrier<O: Observer>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let mut next = 0;
        while next < self.running.len() {
            let warp = self.running[next];
            next += 1;
            self.lanes.set_gang(&(warp..warp + 1));
            self.lanes.set_active(self.warps[warp].active);
            let turn = self.run_warp(observer);
            if O::LOOKS {
                observer.pause(&Moment::new(self, self.warps[warp].pc));
            }
            if turn? == Turn::Interrupted {
                self.running.push(warp);
            }
        }
        self.count_votes();
        Ok(())
    }

    pub(crate) fn start(&mut self, turn: u64, index: u64) {
        (self.turn, self.index) = (turn, index);
        self.taken_before = self.lease.taken();
        self.lanes.block = self.program.geometry.block_at(index);
        self.held.clear();
        for registers in &self.program.unset {
            self.lanes.reset(&self.program.image, registers);
        }
        // Even nothing takes its time to fill.
        if !self.shared.is_empty() {
            self.shared.fill(0);
        }
        if !self.local_used.is_empty() {
            self.local_used.fill(0);
        }
        self.warps[0].start(self.program.geometry.lanes(0));
    }

    fn start_others(&mut self) {
        for (at, warp) in self.warps.iter_mut().enumerate().skip(1) {
            warp.start(self.program.geometry.lanes(at));
        }
    }

    /// Also clears what no kernel reads before it has written it, for those who look.
    fn clear(&mut self) {
        let registers = 0..usize::from(self.program.kernel.registers);
        self.lanes.reset(&self.program.image, &registers);
        self.local.fill([0; WARP_LANES]);
        self.local_used.fill(u32::MAX);
    }

    /// Runs the warp until it ends, reaches a barrier, or is interrupted.
    pub(crate) fn run_warp<O: Observer>(&mut self, observer: &mut O) -> Result<Turn, Halt> {
        let at = self.lanes.warp;
        let program = self.program;
        let mut pc = self.warps[at].pc;
        loop {
            if O::LOOKS {
                self.warps[at].pc = pc;
                if observer.interrupts(pc) {
                    return Ok(Turn::Interrupted);
                }
            }
            if !self.lease.take(1) {
                self.renew()?;
                if !self.lease.take(1) {
                    return Err(self.out_of_fuel(pc));
                }
            }
            if O::LOOKS {
                observer.before(&Moment::new(self, pc));
            }
            let step = &program.steps[pc];
            let i = step.instruction;
            let ran = &mut self.tally.instructions[pc];
            ran.warps += 1;
            ran.lanes += self.lanes.active_count();
            match step.action {
                Action::Lanes(operation) => operation(&mut self.lanes, i),
                Action::Access => self.access(i).map_err(Halt::Fault)?,
                Action::Atomic => self.atomic(i).map_err(Halt::Fault)?,
                Action::Effect => self.effect(i).map_err(Halt::Fault)?,
                Action::Exchange => {
                    let live = self.warps[at].live;
                    self.exchange(i, pc, live).map_err(Halt::Fault)?;
                }
                Action::Control => {
                    let warp = &mut self.warps[at];
                    warp.pc = pc;
                    match i.op {
                        Op::BarrierVote => {
                            self.vote_at_barrier(i);
                            return self.arrive(at).map(|()| Turn::Over);
                        }
                        Op::Barrier => return self.arrive(at).map(|()| Turn::Over),
                        Op::End => {
                            warp.ended = true;
                            return Ok(Turn::Over);
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

    /// Passes values between the lanes of a warp by `i`, which stands at `pc`; the threads of `live`
    /// have not ended.
    pub(crate) fn exchange(
        &mut self,
        i: Instruction,
        pc: usize,
        live: u32,
    ) -> Result<(), Box<Diagnostic>> {
        let span = || self.program.span_at(pc);
        exchange(&mut self.lanes, i, live, span).map_err(Box::new)
    }

    /// A warp reaches a barrier: with all its lanes, or not at all.
    pub(crate) fn arrive(&mut self, at: usize) -> Result<(), Halt> {
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
        if let Some(log) = &mut self.log {
            log.barrier(at);
        }
        Ok(())
    }

    /// Asks for more instructions, at an instruction that may not run without.
    #[cold]
    pub(crate) fn renew(&mut self) -> Result<(), Halt> {
        if self.lease.is_stopped(self.turn) {
            return Err(Halt::Stopped);
        }
        // Neighbours may have to take back what they have counted.
        if self.program.geometry.side_by_side == 1 {
            self.report();
        }
        self.lease.renew();
        Ok(())
    }

    /// Adds the counters to the total, if they were not lately.
    pub fn report(&mut self) {
        if self.lease.owes_a_report() {
            self.settle_strides();
            self.lease.report(&mut self.tally, &self.program.stretches);
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
        let after = &self.program.steps[pc..];
        let jumps = after.iter().map(|step| step.instruction);
        let mut back = jumps.filter(|i| i.op == Op::Jump && i.imm as usize <= pc);
        let head = back.next().map_or(pc, |jump| jump.imm as usize);
        self.program.span_at(head)
    }

    /// Warp instructions that the block has executed.
    pub(crate) fn instructions_of_block(&self) -> u64 {
        self.lease.taken() - self.taken_before
    }

    /// Where the machine is.
    pub(crate) fn place(&self) -> Place<'a> {
        Place {
            geometry: &self.program.geometry,
            block: self.lanes.block,
            warp: self.lanes.warp,
        }
    }
}
