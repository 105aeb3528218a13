//! The machine that runs one block at a time: its registers and memories, and where its warps are.

use std::ops::Range;

use super::budget::{Budget, Lease};
use super::printed::BlockText;
use crate::ir::Kernel;
use crate::launch::{Dim3, WARP_LANES, volume};
use crate::memory::{AccessLog, LogQueue};
use crate::simt::count::{Footprints, Touched, WorkerCounters};
use crate::simt::fault::WarpPlace;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::ChildLaunch;
use crate::simt::program::Program;
use crate::simt::warp::{Lanes, Vector, Warp};
use crate::source::Diagnostic;

/// Why a block did not end.
pub enum Halt {
    /// Somebody asked for it, or an earlier block has faulted.
    Stopped,
    /// It did something wrong.
    Fault(Box<Diagnostic>),
    /// The launch may run no more instructions.
    OutOfFuel(Box<Diagnostic>),
}

/// Most bytes that the machines of all worker threads take, if one alone does not take more: where blocks have much
/// memory of their own, fewer run at once.
pub const MOST_MACHINE_BYTES: u64 = 64 << 20;

/// What is remembered for each access site and warp: patterns' slots, strides.
const SITE_BYTES: u64 = 512;

/// Bytes of a machine that runs blocks of a launch: registers, as they are and as they begin; local and shared memory;
/// what is remembered of access sites.
pub fn machine_bytes(kernel: &Kernel, block: Dim3, dynamic_shared_bytes: u32) -> u64 {
    let lanes = volume(block).next_multiple_of(WARP_LANES as u64);
    // Registers twice: the image that blocks begin with is kept beside them.
    let words = u64::from(kernel.memory.local_bytes).div_ceil(4) + 2 * u64::from(kernel.registers);
    let shared = u64::from(kernel.memory.shared_bytes) + u64::from(dynamic_shared_bytes);
    let sites = kernel.sites.len() as u64 * (lanes / WARP_LANES as u64) * SITE_BYTES;
    lanes
        .saturating_mul(4 * words)
        .saturating_add(shared + sites)
}

/// What runs a block. Its methods stand where what they do is told: loads and stores, atomics and
/// the like in `execute`.
pub struct Machine<'a> {
    pub program: &'a Program<'a>,
    pub memory: &'a GlobalMemory,
    /// The footprints, and what they do not have yet.
    pub touched: Touched<'a>,
    pub lanes: Lanes<'a>,
    /// Shared memory of the block, in words.
    pub shared: Vec<u32>,
    pub local: LocalMemory,
    pub tally: WorkerCounters,
    pub output: Output<'a>,
    pub votes: BarrierVotes,
    pub warps: Vec<Warp>,
    /// Warps that take turns until the next barrier.
    pub running: Vec<usize>,
    pub lease: Lease<'a>,
}

/// Local memory of a block: each thread's own.
pub struct LocalMemory {
    /// Word by word, in each warp by warp.
    pub words: Vec<Vector>,
    /// By word: the warps, a bit each, that have used it in this block. What others have there
    /// counts as zero: clearing all of it would cost more than most blocks take.
    pub used: Vec<u32>,
}

/// What a block gives besides its counters.
#[derive(Default)]
pub struct Output<'a> {
    /// What it asks of global memory, where somebody wants to know.
    pub log: Option<AccessLog>,
    /// Where the log goes, which bounds its length.
    pub queue: Option<&'a LogQueue>,
    /// What it prints.
    pub printed: BlockText,
    /// What it launches.
    pub launches: Vec<ChildLaunch>,
}

/// The predicates of `barrier.vote`, as `__syncthreads_count` and its kin take them, and the block's numbered barriers.
#[derive(Default)]
pub struct BarrierVotes {
    /// Brought to the barrier that has not opened yet.
    waiting: Votes,
    /// Brought to the last one that opened.
    pub opened: Votes,
    /// Barriers that only some threads come to.
    pub numbered: [NumberedBarrier; NUMBERED_BARRIERS],
}

/// How many barriers a block has by number (CUDA C++ Programming Guide, technical specifications).
pub const NUMBERED_BARRIERS: usize = 16;

/// A barrier that some threads of a block come to, as PTX's `bar.sync 1, 64` has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberedBarrier {
    /// Threads that have come since it opened the last time.
    arrived: u32,
    /// How often it has opened.
    opened: u32,
}

impl NumberedBarrier {
    /// Some threads come to it, which opens for `expected`; how often it has opened before.
    pub fn arrive(&mut self, threads: u32, expected: u32) -> u32 {
        let before = self.opened;
        self.arrived += threads;
        if self.arrived >= expected {
            self.arrived = 0;
            self.opened += 1;
        }
        before & OPENED_BITS
    }

    /// Whether it has opened since it had so often.
    pub fn has_opened_since(&self, before: u32) -> bool {
        self.opened & OPENED_BITS != before
    }
}

/// How often a barrier has opened is told in so many bits, as its number stands beside it in a word.
const OPENED_BITS: u32 = u32::MAX >> 4;

/// Predicates that threads have brought to a barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Votes {
    /// Threads whose predicate was not 0.
    pub yes: u32,
    /// Threads that brought one.
    pub all: u32,
}

impl BarrierVotes {
    /// Some threads of a warp have come to the barrier.
    pub fn bring(&mut self, yes: u32, all: u32) {
        self.waiting.yes += yes;
        self.waiting.all += all;
    }

    /// The barrier opens: what threads have brought is what they find.
    pub fn open(&mut self) {
        // Plain barriers in between leave the last vote as it is: its result may be read later.
        if self.waiting.all > 0 {
            self.opened = std::mem::take(&mut self.waiting);
        }
    }
}

impl LocalMemory {
    fn new(words: usize, warps: usize) -> Self {
        LocalMemory {
            words: vec![[0; WARP_LANES]; words * warps],
            used: vec![0; words],
        }
    }

    /// Makes room up to word `end`: a stack takes what it needs.
    #[inline(always)]
    pub fn reach(&mut self, end: usize, warps: usize) {
        if end > self.used.len() {
            self.words.resize(end * warps, [0; WARP_LANES]);
            self.used.resize(end, 0);
        }
    }

    /// Clears all of it, for observers that read it before the kernel has written it.
    fn clear(&mut self) {
        self.words.fill([0; WARP_LANES]);
        self.used.fill(u32::MAX);
    }
}

impl<'a> Machine<'a> {
    /// A machine that draws its instructions from `budget`.
    pub fn new(
        program: &'a Program<'a>,
        memory: &'a GlobalMemory,
        footprints: &'a Footprints,
        budget: &'a Budget<'a>,
    ) -> Self {
        let (kernel, warps) = (program.kernel, program.geometry.warps());
        let words = |bytes: u32| bytes.div_ceil(4) as usize;
        Machine {
            lanes: Lanes::new(
                &program.registers(),
                &program.geometry,
                &kernel.tables.constants,
            ),
            shared: vec![0; words(program.shared_bytes)],
            local: LocalMemory::new(words(kernel.memory.local_bytes), warps),
            tally: WorkerCounters::new(kernel, program.basic_blocks.len(), memory),
            output: Output::default(),
            votes: BarrierVotes::default(),
            warps: (0..warps).map(|_| Warp::default()).collect(),
            running: Vec::with_capacity(warps),
            lease: Lease::new(budget),
            program,
            memory,
            touched: Touched::new(footprints),
        }
    }

    /// Makes the machine ready for block `index` of the grid, whose place in the order of blocks is
    /// `turn`. Of its warps only the first is made ready: see [`Self::start_other_warps`].
    pub fn start(&mut self, turn: u64, index: u64) {
        self.lease.begin_block(turn);
        self.lanes.block = self.program.geometry.block_at(index);
        self.votes.numbered = Default::default();
        // Only those that code may read before it writes them: clearing all would cost a short block dearly.
        for registers in &self.program.unset {
            self.lanes.reset(&self.program.image, registers);
        }
        // Even nothing takes its time to fill.
        if !self.shared.is_empty() {
            // CUDA leaves it undefined; zeros make a run repeatable whichever block was here before.
            self.shared.fill(0);
        }
        if !self.local.used.is_empty() {
            self.local.used.fill(0);
        }
        self.warps[0].start(self.program.geometry.lanes(0));
    }

    /// Makes all warps but the first ready.
    pub fn start_other_warps(&mut self) {
        for (at, warp) in self.warps.iter_mut().enumerate().skip(1) {
            warp.start(self.program.geometry.lanes(at));
        }
    }

    /// Also clears what no kernel reads before it has written it, for observers.
    pub fn clear(&mut self) {
        let registers = Range {
            start: 0,
            end: usize::from(self.program.kernel.registers),
        };
        self.lanes.reset(&self.program.image, &registers);
        self.local.clear();
    }

    /// Lets one warp run, or several that have the same active lanes.
    pub fn select(&mut self, warps: &Range<usize>) {
        self.lanes.set_batch(warps);
        self.lanes.set_active(self.warps[warps.start].active);
    }

    /// Brings the footprints and what is counted of them up to date.
    pub fn settle_footprints(&mut self) {
        self.touched.settle(&mut self.tally);
    }

    /// Where the machine is, for messages.
    pub fn place(&self) -> WarpPlace<'a> {
        WarpPlace {
            geometry: &self.program.geometry,
            block: self.lanes.block,
            warp: self.lanes.warp,
        }
    }
}
