//! A launch's code as scalarised batches run it: each instruction for all warps, for the first one
//! only, or not at all where its result is known.
//!
//! Of `x[blockIdx.x * 256 + threadIdx.x] * scale`, the product of `blockIdx.x` is computed once, the
//! index once (the other warps' follows from it), the load goes by one comparison of addresses, and only
//! the multiplication is done for every warp, with `scale` read from one row.
//!
//! Dead code, copies to where a value is already, and defaults that no lane needs have no steps, or none that run. They
//! count all the same: a basic block is counted as a whole.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::affine::{AffineValues, KnownRows, OffsetsId, Prelaunch, UNIFORM};
use super::coalescing::coalesce;
use super::dead_code::dead_code;
use super::guards::{Guard, Guards};
use super::live_ranges::{LiveRange, LiveRanges};
use super::placement::{Facts, Storage, is_comparison};
use super::reconvergence::{Reconvergence, reconvergence};
use crate::ir::{Instruction, Kernel, Op, Operand, Register, Registers};
use crate::simt::program::{Action, BasicBlocks};
use crate::simt::warp::{LaneOperation, OF_FIRST_WARP, Vector};

/// How an instruction is carried out for a scalarised batch.
#[derive(Clone, Copy)]
pub enum ExecutionMode {
    /// Over the registers of the first warp.
    FirstWarp(LaneOperation),
    /// Over those of each warp.
    EachWarp(LaneOperation),
    /// A 32-bit value becomes one of 64 bits; no warp's may wrap.
    Widen(Widening),
    /// A comparison of values that differ by known offsets.
    Compare([OffsetsId; 2]),
    /// Conditions, kept so, are made into one.
    Combine([Storage; 2]),
    /// A load or store.
    Access {
        guards: Guards,
        /// Whether the first warp's registers get what all load.
        first_only: bool,
        /// The same by one warp of the batch, where each of them finds what it reads: in registers of its own, or in
        /// those of the first.
        alone: Option<Instruction>,
    },
    /// A shuffle, vote or the like, in the first warp or in each.
    Exchange { first_only: bool },
    /// Control flow, by a condition that is kept so.
    Control {
        condition: Storage,
        /// What only lanes that go past an `If` need: see [`ScalarProgram::defaults`].
        defaults: Defaults,
    },
    /// As if the warps ran alone.
    Alone,
}

impl ExecutionMode {
    /// Whether a batch that comes to it is sure to be a batch behind it.
    fn always_goes_on(&self) -> bool {
        use ExecutionMode::{Combine, Compare, EachWarp, FirstWarp};
        matches!(self, FirstWarp(_) | EachWarp(_) | Compare(_) | Combine(_))
    }
}

/// A widening of a value that differs by offsets.
#[derive(Clone, Copy)]
pub struct Widening {
    pub operation: LaneOperation,
    /// By which the 32-bit values differ.
    pub offsets: OffsetsId,
    /// Whether each warp's value is wanted, or the first one's only.
    pub each_warp: bool,
}

/// Steps that stand behind those of their basic block.
#[derive(Clone, Copy, Default)]
pub struct Defaults {
    first: u32,
    count: u32,
}

/// An instruction and how it is carried out.
#[derive(Clone, Copy)]
pub struct ScalarStep {
    /// Its place in the kernel's code.
    pub pc: usize,
    /// The instruction, with the registers that hold its operands here.
    pub i: Instruction,
    /// How it is carried out.
    pub work: ExecutionMode,
}

/// A launch's code for scalarised batches.
pub struct ScalarProgram {
    steps: Vec<ScalarStep>,
    /// By basic block: its steps.
    blocks: Vec<Range<usize>>,
    pub live_ranges: LiveRanges,
    pub values: AffineValues,
    /// By live range.
    pub storages: Vec<Storage>,
    /// By live range: the register that holds it.
    pub homes: Vec<Register>,
    /// By live range: whether an instruction reads it from the kernel's own registers.
    pub is_needed: Vec<bool>,
    /// By instruction: for an `If` that warps may sit out, its `EndIf`.
    pub skippable: Vec<Option<usize>>,
    /// By basic block.
    reconvergence: Vec<Vec<Reconvergence>>,
    /// Registers beyond the kernel's, in each warp by warp: values that are the same in all blocks.
    pub constants: Vec<Vector>,
}

impl ScalarProgram {
    /// Plans the code of a launch, of which the blocks `speculative` may begin again; nothing if its registers and
    /// constants are more than can be numbered.
    pub fn new(
        launch: &Prelaunch<'_>,
        basic_blocks: &BasicBlocks,
        speculative: &[Range<usize>],
    ) -> Option<Self> {
        let kernel = launch.kernel;
        let blocks = || (0..basic_blocks.len()).map(|at| basic_blocks.range(at));
        let leaders: Vec<usize> = blocks().map(|block| block.start).collect();
        let live_ranges = LiveRanges::new(kernel, &leaders);
        let values = AffineValues::new(launch, &live_ranges);
        let facts = Facts {
            kernel,
            code: launch.code,
            ranges: &live_ranges,
            values: &values,
            is_dead: dead_code(launch.code, &live_ranges),
        };
        let storages = facts.storages();
        let homes = coalesce(&facts, &storages, speculative);
        let is_needed = needed(&facts);
        let skippable = skippable_ifs(&facts, basic_blocks, &storages);
        let mut planner = Planner::new(facts, &storages, &homes, &is_needed);
        let (steps, by_block) = planner.plan(blocks());
        let constants = planner.constants;
        // The top bit of a register's number says `of the first warp`, so numbers must stay below it.
        let registers = constants.len() / launch.geometry.warps() + usize::from(kernel.registers);
        (registers <= usize::from(OF_FIRST_WARP)).then(|| ScalarProgram {
            steps,
            blocks: by_block,
            constants,
            live_ranges,
            values,
            storages,
            homes,
            is_needed,
            skippable,
            reconvergence: reconvergence(kernel, &leaders),
        })
    }

    /// Where lanes go on that wait in the frames around a basic block, the outermost first.
    pub fn reconvergence(&self, block: usize) -> &[Reconvergence] {
        &self.reconvergence[block]
    }

    /// The steps of a basic block.
    #[inline(always)]
    pub fn steps(&self, block: usize) -> &[ScalarStep] {
        &self.steps[self.blocks[block].clone()]
    }

    /// Steps of the block that an `If` ends, put off until it shows whether some lane goes past: in
    /// `v = 0; if (mask) v = x[i];` nobody reads the 0 where all lanes load.
    #[inline(always)]
    pub fn defaults(&self, of: Defaults) -> &[ScalarStep] {
        &self.steps[of.first as usize..(of.first + of.count) as usize]
    }

    /// Runs of registers that may be read before they are written, and that something writes: all
    /// that a new block must find as the launch has them.
    pub fn unset(&self, kernel: &Kernel) -> Vec<Range<usize>> {
        let writes = kernel.code.iter().filter_map(|&i| kernel.writes(i));
        let written: HashSet<Register> = writes.flat_map(Registers::each).collect();
        let initial = self.live_ranges.initial.iter().map(|live| live.register);
        let mut registers: Vec<Register> = initial.filter(|at| written.contains(at)).collect();
        registers.sort_unstable();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for register in registers.into_iter().map(usize::from) {
            match runs.last_mut() {
                Some(run) if run.end == register => run.end += 1,
                _ => runs.push(register..register + 1),
            }
        }
        runs
    }

    /// By instruction: whether something reads what it writes.
    pub fn are_read(&self, kernel: &Kernel) -> Vec<bool> {
        let mut is_read = vec![false; self.live_ranges.count];
        let code = 0..kernel.code.len();
        let reads = code.clone().flat_map(|at| self.live_ranges.reads(at));
        for &range in reads.flat_map(|(_, ranges)| ranges) {
            is_read[range as usize] = true;
        }
        let is_read = |&range: &LiveRange| is_read[range as usize];
        code.map(|at| self.live_ranges.writes(at).iter().any(is_read))
            .collect()
    }

    /// How many registers hold values of their own for each warp.
    pub fn registers_of_each_warp(&self) -> usize {
        let operands = self
            .steps
            .iter()
            .flat_map(|step| self.live_ranges.operands(step.pc));
        let of_each = operands
            .flat_map(|(_, ranges)| ranges)
            .filter(|&&range| self.storages[range as usize] == Storage::EachWarp)
            .map(|&range| self.homes[range as usize]);
        of_each.collect::<HashSet<Register>>().len()
    }

    /// An instruction with the registers that hold what it reads and writes.
    pub fn at_home(&self, kernel: &Kernel, pc: usize) -> Instruction {
        at_home(kernel.code[pc], self.live_ranges.operands(pc), &self.homes)
    }
}

/// By live range: whether an instruction reads it from the kernel's own registers.
fn needed(facts: &Facts<'_>) -> Vec<bool> {
    let mut needed = vec![false; facts.ranges.count];
    let code = (0..facts.kernel.code.len()).filter(|&at| !facts.is_dead[at]);
    for &range in code
        .flat_map(|at| facts.ranges.reads(at))
        .filter(|(_, ranges)| !facts.is_known(ranges))
        .flat_map(|(_, ranges)| ranges)
    {
        needed[range as usize] = true;
    }
    needed
}

/// By instruction: for an `If` that warps may sit out, its `EndIf`. Its body must be straight code, and
/// write nothing that lives on after it and is kept once for all warps.
fn skippable_ifs(
    facts: &Facts<'_>,
    blocks: &BasicBlocks,
    storages: &[Storage],
) -> Vec<Option<usize>> {
    let kernel = facts.kernel;
    let end_of = |at: usize| {
        let i = kernel.code[at];
        let end = i.imm as usize;
        if i.op != Op::If || kernel.code[end].op != Op::EndIf {
            return None;
        }
        let body = at + 1..end;
        // Warps that sit it out wait at its `EndIf`; with a branch inside they would have to agree on paths they do
        // not take.
        let is_straight = blocks.range(blocks.at(at + 1)) == body
            && !matches!(facts.code[end - 1].action, Action::Control);
        let live = facts.ranges.entry(kernel, end);
        let is_kept_once = |range: LiveRange| {
            storages[range as usize] != Storage::EachWarp
                && live.iter().any(|live| live.range == range)
        };
        let mut written = body.flat_map(|at| facts.ranges.writes(at));
        (is_straight && !written.any(|&range| is_kept_once(range))).then_some(end)
    };
    (0..kernel.code.len()).map(end_of).collect()
}

/// An instruction with its operands in the `homes` of their live ranges.
fn at_home<'a>(
    mut i: Instruction,
    operands: impl Iterator<Item = (Registers, &'a [LiveRange])>,
    homes: &[Register],
) -> Instruction {
    for (registers, ranges) in operands {
        place(&mut i, registers.operand, homes[ranges[0] as usize]);
    }
    i
}

/// Puts the first register of an operand into an instruction.
fn place(i: &mut Instruction, operand: Operand, register: Register) {
    match operand {
        Operand::Dst32 | Operand::Dst64 | Operand::Dst128 | Operand::DstSite | Operand::SrcSite => {
            i.dst = register;
        }
        Operand::A32 | Operand::A64 | Operand::A128 | Operand::A256 | Operand::Base => {
            i.a = register;
        }
        Operand::B32 | Operand::B64 | Operand::B128 | Operand::Index => i.b = register,
        _ => i.c = register,
    }
}

struct Planner<'a> {
    facts: Facts<'a>,
    storages: &'a [Storage],
    homes: &'a [Register],
    is_needed: &'a [bool],
    first_free: Register,
    constants: Vec<Vector>,
    /// Which of them hold known values.
    registers: HashMap<Vec<KnownRows>, Register>,
}

impl<'a> Planner<'a> {
    fn new(
        facts: Facts<'a>,
        storages: &'a [Storage],
        homes: &'a [Register],
        is_needed: &'a [bool],
    ) -> Self {
        Planner {
            storages,
            homes,
            is_needed,
            first_free: facts.kernel.registers,
            facts,
            constants: Vec::new(),
            registers: HashMap::new(),
        }
    }

    /// The steps of basic blocks, and which of them each block has.
    fn plan(
        &mut self,
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> (Vec<ScalarStep>, Vec<Range<usize>>) {
        let (mut steps, mut by_block) = (Vec::new(), Vec::new());
        for block in blocks {
            let first = steps.len();
            steps.extend(block.filter_map(|pc| self.step(pc)));
            let defaults = self.take_defaults(&mut steps, first);
            by_block.push(first..steps.len());
            steps.extend(defaults);
        }
        (steps, by_block)
    }

    /// Takes out of a block's steps, which begin at `first`, those that only lanes past the `If` at its end need.
    fn take_defaults(&self, steps: &mut Vec<ScalarStep>, first: usize) -> Vec<ScalarStep> {
        let Some(branch) = steps.last().copied().filter(|last| last.i.op == Op::If) else {
            return Vec::new();
        };
        let facts = &self.facts;
        let inside = facts.ranges.entry(facts.kernel, branch.pc + 1);
        let mut read: HashSet<LiveRange> = HashSet::new();
        let (mut rest, mut defaults) = (vec![branch], Vec::new());
        read.extend(facts.ranges.reads(branch.pc).flat_map(|(_, ranges)| ranges));
        steps.pop();
        // Up to what might not be carried out at once: there a batch would go on without them.
        while steps.len() > first
            && let Some(step) = steps.pop_if(|step| step.work.always_goes_on())
        {
            let is_read_later = |range: &LiveRange| {
                read.contains(range) || inside.iter().any(|live| live.range == *range)
            };
            let is_default = matches!(step.work, ExecutionMode::EachWarp(_))
                && facts
                    .ranges
                    .reads(step.pc)
                    .all(|(_, ranges)| facts.is_known(ranges))
                && !facts.ranges.writes(step.pc).iter().any(is_read_later);
            read.extend(facts.ranges.reads(step.pc).flat_map(|(_, ranges)| ranges));
            if is_default { &mut defaults } else { &mut rest }.push(step);
        }
        steps.extend(rest.into_iter().rev());
        let (first, count) = (steps.len() as u32, defaults.len() as u32);
        if let Some(branch) = steps.last_mut()
            && let ExecutionMode::Control { defaults, .. } = &mut branch.work
        {
            *defaults = Defaults { first, count };
        }
        defaults.reverse();
        defaults
    }

    /// How instruction `pc` is carried out; nothing if it need not be.
    fn step(&mut self, pc: usize) -> Option<ScalarStep> {
        let action = self.facts.code[pc].action;
        let written = self.facts.ranges.writes(pc);
        let is_unread =
            |range: &LiveRange| self.facts.is_known(&[*range]) && !self.is_needed[*range as usize];
        // Constant folding and dead code: the values stand in registers behind the kernel's, and
        // nobody reads the kernel's own.
        let is_folded = matches!(action, Action::Lanes(_)) && written.iter().all(is_unread);
        if is_folded || self.facts.is_dead[pc] || self.stays_home(pc) {
            return None;
        }
        let each_warp = written
            .iter()
            .any(|&range| self.storages[range as usize] == Storage::EachWarp);
        let work = match action {
            Action::Lanes(operation) => self.over_lanes(pc, operation, each_warp),
            Action::Access => ExecutionMode::Access {
                guards: self.guards(pc),
                // A store writes no register: what it takes are the values of each warp.
                first_only: !each_warp && !written.is_empty(),
                alone: self.alone(pc),
            },
            Action::Exchange => ExecutionMode::Exchange {
                first_only: !each_warp,
            },
            Action::Control => ExecutionMode::Control {
                condition: self.storages_of_conditions(pc)[0],
                defaults: Defaults::default(),
            },
            Action::Atomic | Action::BlockWide => ExecutionMode::Alone,
        };
        let i = self.place_operands(pc, work);
        Some(ScalarStep { pc, i, work })
    }

    /// Instruction `pc` as a warp of a batch carries it out for itself; nothing if it reads what first has to be computed
    /// from the first warp's values.
    fn alone(&mut self, pc: usize) -> Option<Instruction> {
        let live = self.facts.ranges;
        let mut i = at_home(self.facts.kernel.code[pc], live.operands(pc), self.homes);
        let home = |range: &LiveRange| self.homes[*range as usize];
        let written: Vec<Register> = live.writes(pc).iter().map(home).collect();
        for (registers, ranges) in live.reads(pc) {
            let are_all = |storage| {
                let mut storages = ranges.iter().map(|&range| self.storages[range as usize]);
                storages.all(|of_range| of_range == storage)
            };
            let has_known = ranges.iter().any(|&range| self.facts.is_known(&[range]));
            // What the first warp loads must not take the place of what the others have yet to read.
            let is_replaced = ranges.iter().any(|range| written.contains(&home(range)));
            let is_shared = are_all(Storage::FirstWarp) && self.facts.is_uniform(ranges);
            let home = home(&ranges[0]);
            let register = if self.facts.is_known(ranges) {
                self.constant(ranges)
            } else if !has_known && are_all(Storage::EachWarp) {
                home
            } else if !has_known && is_shared && !is_replaced {
                home | OF_FIRST_WARP
            } else {
                return None;
            };
            place(&mut i, registers.operand, register);
        }
        Some(i)
    }

    /// Whether it copies what each warp has to where that is already.
    fn stays_home(&self, pc: usize) -> bool {
        let facts = &self.facts;
        let of_each = |&range: &LiveRange| {
            self.storages[range as usize] == Storage::EachWarp && !facts.is_known(&[range])
        };
        let i = at_home(facts.kernel.code[pc], facts.ranges.operands(pc), self.homes);
        let mut ranges = facts.ranges.operands(pc).flat_map(|(_, ranges)| ranges);
        facts.is_copy(pc) && i.a == i.dst && ranges.all(of_each)
    }

    fn over_lanes(&self, pc: usize, operation: LaneOperation, each_warp: bool) -> ExecutionMode {
        let facts = &self.facts;
        let (op, written) = (facts.kernel.code[pc].op, facts.ranges.writes(pc));
        let mut offsets = facts
            .ranges
            .reads(pc)
            .map(|(_, ranges)| facts.values.offsets_of(ranges));
        let (a, b) = (offsets.next().flatten(), offsets.next().flatten());
        if let [range] = *written
            && self.storages[range as usize] == Storage::Condition
        {
            return match (is_comparison(op), a, b) {
                (true, Some(a), Some(b)) => ExecutionMode::Compare([a, b]),
                // As `i < n && j < n`: both sides are conditions already, and each is one bit for all warps or a row
                // for each.
                _ => ExecutionMode::Combine(self.storages_of_conditions(pc)),
            };
        }
        match (op, a) {
            // One that is the same in all warps stays so, whether it wraps or not: it needs no look.
            (Op::I32ToI64 | Op::U32ToI64, Some(offsets)) if offsets != UNIFORM => {
                ExecutionMode::Widen(Widening {
                    operation,
                    offsets,
                    each_warp,
                })
            }
            _ if each_warp => ExecutionMode::EachWarp(operation),
            _ => ExecutionMode::FirstWarp(operation),
        }
    }

    /// Which registers decide whether an access goes as it did before.
    fn guards(&self, pc: usize) -> Guards {
        let mut guards = Guards::default();
        for (registers, ranges) in self.facts.ranges.reads(pc) {
            let guard = match self.facts.values.offsets_of(ranges) {
                // Known values never change from block to block.
                _ if self.facts.is_known(ranges) => Guard::Unneeded,
                Some(_) => Guard::FirstWarp,
                None => Guard::AllWarps,
            };
            match registers.operand {
                Operand::Base => guards.base = guard,
                Operand::Index => guards.index = guard,
                _ => {}
            }
        }
        guards
    }

    /// Where the conditions that an instruction reads are kept.
    fn storages_of_conditions(&self, pc: usize) -> [Storage; 2] {
        let mut storages = self.facts.ranges.reads(pc).map(|(_, ranges)| match ranges {
            ranges if self.facts.is_uniform(ranges) => Storage::FirstWarp,
            // Known rows stand behind the kernel's registers for every warp.
            ranges if self.facts.is_known(ranges) => Storage::EachWarp,
            ranges => self.storages[ranges[0] as usize],
        });
        [(); 2].map(|()| storages.next().unwrap_or(Storage::FirstWarp))
    }

    /// Instruction `pc`, with its operands where they are kept.
    fn place_operands(&mut self, pc: usize, work: ExecutionMode) -> Instruction {
        let ranges = self.facts.ranges;
        let mut i = at_home(self.facts.kernel.code[pc], ranges.operands(pc), self.homes);
        let row_by_row = match work {
            ExecutionMode::Alone => return i,
            ExecutionMode::EachWarp(_) | ExecutionMode::Exchange { first_only: false } => true,
            ExecutionMode::Widen(widening) => widening.each_warp,
            _ => false,
        };
        for (registers, ranges) in ranges.reads(pc) {
            let is_known = self.facts.is_known(ranges);
            let mut register = match is_known {
                true => self.constant(ranges),
                false => self.homes[ranges[0] as usize],
            };
            let is_scalar =
                |&range: &LiveRange| self.storages[range as usize] == Storage::FirstWarp;
            let in_first_only = is_known || ranges.iter().any(is_scalar);
            // The bit tells the loop over warps to read the first warp's row for each of them.
            if row_by_row && in_first_only && self.facts.is_uniform(ranges) {
                register |= OF_FIRST_WARP;
            }
            place(&mut i, registers.operand, register);
        }
        i
    }

    /// The registers that always hold the values of an operand.
    fn constant(&mut self, ranges: &[LiveRange]) -> Register {
        let rows = ranges
            .iter()
            .filter_map(|&range| self.facts.values.known(range));
        let rows: Vec<KnownRows> = rows.cloned().collect();
        if let Some(&register) = self.registers.get(&rows) {
            return register;
        }
        let warps = rows[0].len();
        // Past the limit the plan is dropped when it is whole; until then numbers wrap.
        let count = (self.constants.len() / warps) as Register;
        let register = self.first_free.wrapping_add(count);
        for rows in &rows {
            self.constants.extend(rows.iter());
        }
        self.registers.insert(rows, register);
        register
    }
}
