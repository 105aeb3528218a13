//! Webs: definitions of a register that reach the same uses. Registers are written again and again
//! with values that have nothing to do with each other; webs tell these apart.
//!
//! A lane's own path through the code is what counts, so that lanes which wait while others write a
//! register belong to other webs of it. Paths are taken from the code's targets, which is more than
//! lanes can really go: two webs may come out as one, never one as two.

use std::borrow::Cow;

use crate::ir::{Instruction, Kernel, Op, Operand, Register, Registers};

/// Index of a web.
pub type Web = u32;

/// Instructions that run in a row, where they go next, and what lives when they begin.
#[derive(Debug)]
struct Block {
    first: usize,
    end: usize,
    next: Vec<usize>,
    /// Registers whose values on entry may be read.
    live: Bits,
    /// Their webs, in order of registers.
    entry: Vec<(Register, Web)>,
}

/// The webs of a kernel.
#[derive(Debug)]
pub struct Webs {
    blocks: Vec<Block>,
    /// By instruction: where its operands begin in `operands`.
    starts: Vec<usize>,
    /// What each instruction reads, in the order of [`Kernel::reads`], and then what it writes, with
    /// where their webs begin in `touched`.
    operands: Vec<(Registers, usize)>,
    /// The webs of their registers.
    touched: Vec<Web>,
    /// Number of webs.
    pub count: usize,
    /// Webs whose values a block begins with.
    pub initial: Vec<(Register, Web)>,
}

impl Webs {
    /// Finds the webs of `kernel`, whose code control flow enters and leaves only at `leaders` and
    /// before them.
    pub fn new(kernel: &Kernel, leaders: &[usize]) -> Self {
        let mut blocks = blocks(kernel, leaders);
        find_live(kernel, &mut blocks);
        let mut sets = Sets::default();
        for block in &mut blocks {
            let live = block.live.iter();
            block.entry = live.map(|at| (at as Register, sets.add())).collect();
        }
        let mut webs = Webs {
            blocks,
            starts: Vec::new(),
            operands: Vec::new(),
            touched: Vec::new(),
            count: 0,
            initial: Vec::new(),
        };
        for at in 0..webs.blocks.len() {
            webs.join_block(kernel, at, &mut sets);
        }
        webs.name(&mut sets);
        webs
    }

    /// Follows the registers through a block, and joins what it ends with to what the next begin with.
    fn join_block(&mut self, kernel: &Kernel, at: usize, sets: &mut Sets) {
        let block = &self.blocks[at];
        let mut current: Vec<Option<Web>> = vec![None; usize::from(kernel.registers)];
        for &(register, web) in &block.entry {
            current[usize::from(register)] = Some(web);
        }
        for &i in &kernel.code[block.first..block.end] {
            self.starts.push(self.operands.len());
            for operand in kernel.reads(i).chain(kernel.writes(i)) {
                self.operands.push((operand, self.touched.len()));
                for register in operand.each() {
                    let current = &mut current[usize::from(register)];
                    let known = current.filter(|_| !operand.are_written());
                    let web = known.unwrap_or_else(|| sets.add());
                    *current = Some(web);
                    self.touched.push(web);
                }
            }
        }
        for &next in &block.next {
            for &(register, web) in &self.blocks[next].entry {
                if let Some(mine) = current[usize::from(register)] {
                    sets.join(mine, web);
                }
            }
        }
    }

    /// Numbers the sets that were found.
    fn name(&mut self, sets: &mut Sets) {
        let mut names = vec![None; sets.0.len()];
        let mut count = 0;
        let mut name = |web: Web| {
            let root = sets.find(web) as usize;
            *names[root].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        };
        for web in &mut self.touched {
            *web = name(*web);
        }
        for (_, web) in self.blocks.iter_mut().flat_map(|block| &mut block.entry) {
            *web = name(*web);
        }
        self.count = count as usize;
        let first = self.blocks.first();
        self.initial = first.map_or_else(Vec::new, |block| block.entry.clone());
    }

    /// What instruction `at` reads, operand by operand, and then what it writes, with their webs.
    pub fn operands(&self, at: usize) -> impl Iterator<Item = (Registers, &[Web])> {
        let end = self.starts.get(at + 1).copied();
        let operands = &self.operands[self.starts[at]..end.unwrap_or(self.operands.len())];
        operands.iter().map(|&(registers, first)| {
            let webs = first..first + usize::from(registers.words);
            (registers, &self.touched[webs])
        })
    }

    /// What instruction `at` reads, operand by operand.
    pub fn reads(&self, at: usize) -> impl Iterator<Item = (Registers, &[Web])> {
        let operands = self.operands(at);
        operands.filter(|(registers, _)| !registers.are_written())
    }

    /// The webs that instruction `at` writes.
    pub fn writes(&self, at: usize) -> &[Web] {
        let mut operands = self.operands(at);
        let written = operands.find(|(registers, _)| registers.are_written());
        written.map_or(&[], |(_, webs)| webs)
    }

    /// The registers whose values may still be read when instruction `at` has yet to run.
    pub fn live(&self, kernel: &Kernel, at: usize) -> Vec<(Register, Web)> {
        let index = self.blocks.partition_point(|block| block.end <= at);
        let block = &self.blocks[index];
        if at == block.first {
            return block.entry.clone();
        }
        let mut live = live_out(&self.blocks, block, kernel.registers);
        for before in (at..block.end).rev() {
            step_back(kernel, kernel.code[before], &mut live);
        }
        let mut current = block.entry.clone();
        for before in block.first..at {
            let written = kernel.writes(kernel.code[before]);
            let written = written.into_iter().flat_map(Registers::each);
            for (register, &web) in written.zip(self.writes(before)) {
                current.retain(|known| known.0 != register);
                current.push((register, web));
            }
        }
        current.retain(|known| live.has(usize::from(known.0)));
        current
    }

    /// The same, made beforehand where instruction `at` is one that lanes go to.
    pub fn entry(&self, kernel: &Kernel, at: usize) -> Cow<'_, [(Register, Web)]> {
        let index = self.blocks.partition_point(|block| block.first < at);
        match self.blocks.get(index).filter(|block| block.first == at) {
            Some(block) => Cow::Borrowed(&block.entry),
            None => Cow::Owned(self.live(kernel, at)),
        }
    }
}

/// Cuts the code at `leaders` and after control flow.
fn blocks(kernel: &Kernel, leaders: &[usize]) -> Vec<Block> {
    let ends = leaders.iter().skip(1).copied();
    let spans = leaders.iter().copied().zip(ends.chain([kernel.code.len()]));
    let place = |target: usize| leaders.partition_point(|&leader| leader < target);
    spans
        .map(|(first, end)| {
            let last = kernel.code[end - 1];
            let mut next = Vec::new();
            let goes_on = !matches!(
                last.op,
                Op::Jump | Op::End | Op::Leave | Op::Continue | Op::Exit
            );
            if goes_on && end < kernel.code.len() {
                next.push(place(end));
            }
            if last.op.operands().contains(&Operand::Target) {
                next.push(place(last.imm as usize));
            }
            Block {
                first,
                end,
                next,
                live: Bits::new(kernel.registers),
                entry: Vec::new(),
            }
        })
        .collect()
}

fn live_out(blocks: &[Block], block: &Block, registers: u16) -> Bits {
    let mut live = Bits::new(registers);
    for &next in &block.next {
        live.add_all(&blocks[next].live);
    }
    live
}

/// What lives before an instruction, from what lives after it.
fn step_back(kernel: &Kernel, i: Instruction, live: &mut Bits) {
    for register in kernel
        .writes(i)
        .into_iter()
        .flat_map(|written| written.each())
    {
        live.set(usize::from(register), false);
    }
    for register in kernel.reads(i).flat_map(|read| read.each()) {
        live.set(usize::from(register), true);
    }
}

fn find_live(kernel: &Kernel, blocks: &mut [Block]) {
    loop {
        let mut grew = false;
        for at in (0..blocks.len()).rev() {
            let mut live = live_out(blocks, &blocks[at], kernel.registers);
            for before in (blocks[at].first..blocks[at].end).rev() {
                step_back(kernel, kernel.code[before], &mut live);
            }
            grew |= blocks[at].live.add_all(&live);
        }
        if !grew {
            return;
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(size: u16) -> Self {
        Bits(vec![0; usize::from(size).div_ceil(64)])
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
    fn add_all(&mut self, other: &Bits) -> bool {
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

/// Disjoint sets of webs.
#[derive(Debug, Default)]
struct Sets(Vec<Web>);

impl Sets {
    fn add(&mut self) -> Web {
        self.0.push(self.0.len() as Web);
        self.0.len() as Web - 1
    }

    fn find(&mut self, web: Web) -> Web {
        let mut at = web;
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    fn join(&mut self, a: Web, b: Web) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a as usize] = b;
    }
}
