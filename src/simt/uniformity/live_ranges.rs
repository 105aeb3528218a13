//! Live ranges: definitions of a register that reach the same uses. Registers are written again and
//! again with values that have nothing to do with each other; live ranges tell these apart. In
//! `r1 = 0; use r1; r1 = lane; use r1` register 1 has two of them.
//!
//! A lane's own path through the code is what counts, so that lanes which wait while others write a
//! register belong to other ranges of it. Paths are taken from the code's targets, which is more than
//! lanes can really go: two ranges may come out as one, never one as two.

use std::borrow::Cow;

use crate::ir::{Instruction, Kernel, Op, Operand, Register, Registers};

/// Index of a live range.
pub type LiveRange = u32;

/// A register and the range of it that is live.
#[derive(Clone, Copy, Debug)]
pub struct LiveRegister {
    pub register: Register,
    pub range: LiveRange,
}

/// Slots in which a live range holds a value, both included: instruction `at` reads in slot `2 * at` and writes in the
/// next one.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub first: u32,
    pub last: u32,
}

/// A basic block: where it goes next, and what lives when it begins.
#[derive(Debug)]
struct Block {
    first: usize,
    end: usize,
    next: Vec<usize>,
    /// Registers whose values on entry may be read.
    live: BitSet,
    /// Their ranges, in order of registers.
    entry: Vec<LiveRegister>,
}

/// The live ranges of a kernel.
#[derive(Debug)]
pub struct LiveRanges {
    blocks: Vec<Block>,
    /// By instruction: where its operands begin in `operands`.
    starts: Vec<usize>,
    /// What each instruction reads, in the order of [`Kernel::reads`], and then what it writes, with
    /// where their ranges begin in `touched`.
    operands: Vec<(Registers, usize)>,
    /// The ranges of their registers.
    touched: Vec<LiveRange>,
    /// Number of live ranges.
    pub count: usize,
    /// Those whose values a block of the grid begins with.
    pub initial: Vec<LiveRegister>,
}

impl LiveRanges {
    /// Finds the live ranges of `kernel`, whose code control flow enters and leaves only at `leaders`
    /// and before them.
    pub fn new(kernel: &Kernel, leaders: &[usize]) -> Self {
        let mut blocks = blocks(kernel, leaders);
        find_live(kernel, &mut blocks);
        let mut sets = DisjointSets::default();
        for block in &mut blocks {
            let live = block.live.iter().map(|register| LiveRegister {
                register: register as Register,
                range: sets.add(),
            });
            block.entry = live.collect();
        }
        let mut ranges = LiveRanges {
            blocks,
            starts: Vec::new(),
            operands: Vec::new(),
            touched: Vec::new(),
            count: 0,
            initial: Vec::new(),
        };
        for at in 0..ranges.blocks.len() {
            ranges.follow_block(kernel, at, &mut sets);
        }
        ranges.number(&mut sets);
        ranges
    }

    /// Follows the registers through a block: each definition begins a range, and those that reach the
    /// end are joined with what the next blocks begin with.
    fn follow_block(&mut self, kernel: &Kernel, at: usize, sets: &mut DisjointSets) {
        let block = &self.blocks[at];
        let mut current: Vec<Option<LiveRange>> = vec![None; usize::from(kernel.registers)];
        for live in &block.entry {
            current[usize::from(live.register)] = Some(live.range);
        }
        for &i in &kernel.code[block.first..block.end] {
            self.starts.push(self.operands.len());
            for operand in kernel.reads(i).chain(kernel.writes(i)) {
                self.operands.push((operand, self.touched.len()));
                for register in operand.each() {
                    let current = &mut current[usize::from(register)];
                    // A register read before anything writes it has a range too: that of whatever
                    // it held.
                    let known = current.filter(|_| !operand.are_written());
                    let range = known.unwrap_or_else(|| sets.add());
                    *current = Some(range);
                    self.touched.push(range);
                }
            }
        }
        for &next in &block.next {
            for live in &self.blocks[next].entry {
                if let Some(mine) = current[usize::from(live.register)] {
                    sets.join(mine, live.range);
                }
            }
        }
    }

    /// Numbers the sets that were found from 0.
    fn number(&mut self, sets: &mut DisjointSets) {
        let mut numbers = vec![None; sets.0.len()];
        let mut count = 0;
        let entries = self.blocks.iter_mut().flat_map(|block| &mut block.entry);
        let entries = entries.map(|live| &mut live.range);
        for range in self.touched.iter_mut().chain(entries) {
            // Joined sets leave gaps in their numbers; tables by live range have none.
            *range = *numbers[sets.find(*range) as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
        }
        self.count = count as usize;
        let first = self.blocks.first();
        self.initial = first.map_or_else(Vec::new, |block| block.entry.clone());
    }

    /// What instruction `at` reads, operand by operand, and then what it writes, with their ranges.
    pub fn operands(
        &self,
        at: usize,
    ) -> impl DoubleEndedIterator<Item = (Registers, &[LiveRange])> {
        let end = self.starts.get(at + 1).copied();
        let operands = &self.operands[self.starts[at]..end.unwrap_or(self.operands.len())];
        operands.iter().map(|&(registers, first)| {
            let ranges = first..first + usize::from(registers.words);
            (registers, &self.touched[ranges])
        })
    }

    /// What instruction `at` reads, operand by operand.
    pub fn reads(&self, at: usize) -> impl DoubleEndedIterator<Item = (Registers, &[LiveRange])> {
        let operands = self.operands(at);
        operands.filter(|(registers, _)| !registers.are_written())
    }

    /// The ranges that instruction `at` writes.
    pub fn writes(&self, at: usize) -> &[LiveRange] {
        let mut operands = self.operands(at);
        let written = operands.find(|(registers, _)| registers.are_written());
        written.map_or(&[], |(_, ranges)| ranges)
    }

    /// The registers whose values may still be read when instruction `at` has yet to run.
    pub fn live(&self, kernel: &Kernel, at: usize) -> Vec<LiveRegister> {
        let index = self.blocks.partition_point(|block| block.end <= at);
        let block = &self.blocks[index];
        if at == block.first {
            return block.entry.clone();
        }
        // In the middle of a block: back from its end for what lives, forward from its beginning
        // for which range it is.
        let mut live = live_out(&self.blocks, block, kernel.registers);
        for before in (at..block.end).rev() {
            step_back(kernel, kernel.code[before], &mut live);
        }
        let mut current = block.entry.clone();
        for before in block.first..at {
            let written = kernel.writes(kernel.code[before]);
            let written = written.into_iter().flat_map(Registers::each);
            for (register, &range) in written.zip(self.writes(before)) {
                current.retain(|known| known.register != register);
                current.push(LiveRegister { register, range });
            }
        }
        current.retain(|known| live.has(usize::from(known.register)));
        current
    }

    /// The same, made beforehand where instruction `at` is one that lanes go to.
    pub fn entry(&self, kernel: &Kernel, at: usize) -> Cow<'_, [LiveRegister]> {
        let index = self.blocks.partition_point(|block| block.first < at);
        match self.blocks.get(index).filter(|block| block.first == at) {
            Some(block) => Cow::Borrowed(&block.entry),
            None => Cow::Owned(self.live(kernel, at)),
        }
    }

    /// By live range: the register that it is a range of.
    pub fn registers(&self, kernel: &Kernel) -> Vec<Register> {
        let mut registers = vec![0; self.count];
        let entries = self.blocks.iter().flat_map(|block| &block.entry);
        for live in entries {
            registers[live.range as usize] = live.register;
        }
        for (operand, ranges) in (0..kernel.code.len()).flat_map(|at| self.operands(at)) {
            for (register, &range) in operand.each().zip(ranges) {
                registers[range as usize] = register;
            }
        }
        registers
    }

    /// By live range: where it holds values. `is_late` says of an operand whether it is still read when the result is
    /// written.
    pub fn stretches(
        &self,
        kernel: &Kernel,
        is_late: impl Fn(usize, Registers, &[LiveRange]) -> bool,
    ) -> Vec<Vec<Stretch>> {
        let mut stretches = vec![Vec::new(); self.count];
        for block in &self.blocks {
            let mut open: Vec<Option<(LiveRange, u32)>> = vec![None; kernel.registers.into()];
            for live in block.next.iter().flat_map(|&next| &self.blocks[next].entry) {
                open[usize::from(live.register)] = Some((live.range, 2 * block.end as u32 - 1));
            }
            for at in (block.first..block.end).rev() {
                let slot = 2 * at as u32;
                let written = kernel.writes(kernel.code[at]);
                let replaced = written.into_iter().flat_map(Registers::each);
                for (register, &range) in replaced.zip(self.writes(at)) {
                    let live = open[usize::from(register)].take();
                    stretches[range as usize].push(Stretch {
                        first: slot + 1,
                        // What nobody reads is written all the same.
                        last: live.map_or(slot + 1, |(_, last)| last),
                    });
                }
                for (operand, ranges) in self.reads(at) {
                    // What the result replaces the code itself has read in time.
                    let is_replaced = written.is_some_and(|written| written.overlap(operand));
                    let last = slot + u32::from(!is_replaced && is_late(at, operand, ranges));
                    for (register, &range) in operand.each().zip(ranges) {
                        let live = open[usize::from(register)].get_or_insert((range, last));
                        live.1 = live.1.max(last);
                    }
                }
            }
            for (range, last) in open.into_iter().flatten() {
                let first = 2 * block.first as u32;
                stretches[range as usize].push(Stretch { first, last });
            }
        }
        stretches
    }
}

/// Cuts the code at `leaders`.
fn blocks(kernel: &Kernel, leaders: &[usize]) -> Vec<Block> {
    let ends = leaders.iter().skip(1).copied();
    let spans = leaders.iter().copied().zip(ends.chain([kernel.code.len()]));
    let index_of = |target: usize| leaders.partition_point(|&leader| leader < target);
    spans
        .map(|(first, end)| {
            let last = kernel.code[end - 1];
            let mut next = Vec::new();
            // After `break`, `continue` and `return` no lane falls through; those that wait come by
            // other edges.
            let falls_through = !matches!(
                last.op,
                Op::Jump | Op::End | Op::Leave | Op::Continue | Op::Exit
            );
            if falls_through && end < kernel.code.len() {
                next.push(index_of(end));
            }
            if last.op.operands().contains(&Operand::Target) {
                next.push(index_of(last.imm as usize));
            }
            Block {
                first,
                end,
                next,
                live: BitSet::new(kernel.registers),
                entry: Vec::new(),
            }
        })
        .collect()
}

fn live_out(blocks: &[Block], block: &Block, registers: u16) -> BitSet {
    let mut live = BitSet::new(registers);
    for &next in &block.next {
        live.add_all(&blocks[next].live);
    }
    live
}

/// What lives before an instruction, from what lives after it.
fn step_back(kernel: &Kernel, i: Instruction, live: &mut BitSet) {
    for register in kernel.writes(i).into_iter().flat_map(Registers::each) {
        // Also where only some lanes write: each lane is followed by itself.
        live.set(usize::from(register), false);
    }
    for register in kernel.reads(i).flat_map(Registers::each) {
        live.set(usize::from(register), true);
    }
}

/// Liveness analysis: backwards over the blocks until nothing changes.
fn find_live(kernel: &Kernel, blocks: &mut [Block]) {
    loop {
        let mut grew = false;
        for at in (0..blocks.len()).rev() {
            let mut live = live_out(blocks, &blocks[at], kernel.registers);
            for before in (blocks[at].first..blocks[at].end).rev() {
                step_back(kernel, kernel.code[before], &mut live);
            }
            // Only ever more lives: it ends. Going backwards, about as many turns do as loops are nested.
            grew |= blocks[at].live.add_all(&live);
        }
        if !grew {
            return;
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Debug)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(size: u16) -> Self {
        BitSet(vec![0; usize::from(size).div_ceil(64)])
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn set(&mut self, at: usize, value: bool) {
        let bit = 1 << (at % 64);
        match value {
            true => self.0[at / 64] |= bit,
            false => self.0[at / 64] &= !bit,
        }
    }

    /// Adds another's members; whether there are more now.
    fn add_all(&mut self, other: &BitSet) -> bool {
        let mut grew = false;
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            grew |= other & !*mine != 0;
            *mine |= other;
        }
        grew
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len() * 64).filter(|&at| self.has(at))
    }
}

/// Disjoint sets of live ranges (union-find): ranges that a join of the code makes one.
#[derive(Debug, Default)]
struct DisjointSets(Vec<LiveRange>);

impl DisjointSets {
    fn add(&mut self) -> LiveRange {
        self.0.push(self.0.len() as LiveRange);
        self.0.len() as LiveRange - 1
    }

    fn find(&mut self, range: LiveRange) -> LiveRange {
        let mut at = range;
        while self.0[at as usize] != at {
            // Each step skips one (path halving), so that chains stay short.
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    fn join(&mut self, a: LiveRange, b: LiveRange) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a as usize] = b;
    }
}
