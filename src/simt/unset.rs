//! Registers that a thread may read before it has set them: those that a block must find at zero.
//!
//! A register needs no zero where its first instruction in the code writes it, and all others that
//! name it come later in the same region: the instructions of one frame up to where lanes join that
//! may have skipped the write. Code is structured (`ir::verify`): a lane gets into such a region at its
//! beginning only, or back to a loop's head before the write.

use std::ops::Range;

use crate::ir::{AccessSite, IndexType, Instruction, Kernel, NO_REGISTER, Op, Operand};

/// Runs of registers that are written somewhere and must be put back before a block begins.
pub fn unset(kernel: &Kernel) -> Vec<Range<usize>> {
    let regions = Regions::new(&kernel.code);
    let mut fates = vec![Fate::Unseen; usize::from(kernel.registers)];
    for (at, i) in kernel.code.iter().enumerate() {
        for (first, words) in named(kernel, i, false) {
            for fate in &mut fates[first..first + words] {
                fate.read(at);
            }
        }
        for (first, words) in named(kernel, i, true) {
            for fate in &mut fates[first..first + words] {
                fate.write(at, &regions);
            }
        }
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (register, fate) in fates.iter().enumerate() {
        if matches!(fate, Fate::Unset { written: true }) {
            match runs.last_mut() {
                Some(run) if run.end == register => run.end += 1,
                _ => runs.push(register..register + 1),
            }
        }
    }
    runs
}

/// What is known of a register after some of the code.
#[derive(Clone, Copy)]
enum Fate {
    /// No instruction has named it.
    Unseen,
    /// Set by an instruction before all that have named it; the end of that one's region.
    Set(usize),
    /// Perhaps read before it was set.
    Unset {
        /// Whether anything writes it.
        written: bool,
    },
}

impl Fate {
    fn read(&mut self, at: usize) {
        match self {
            Fate::Set(end) if at < *end => {}
            Fate::Set(_) => *self = Fate::Unset { written: true },
            Fate::Unseen => *self = Fate::Unset { written: false },
            Fate::Unset { .. } => {}
        }
    }

    fn write(&mut self, at: usize, regions: &Regions) {
        match self {
            Fate::Unseen => *self = Fate::Set(regions.end_of(at)),
            Fate::Set(end) if at < *end => {}
            _ => *self = Fate::Unset { written: true },
        }
    }
}

/// The regions of a kernel.
struct Regions {
    /// By instruction: where its region ends. Empty where code jumps in unforeseen ways.
    ends: Vec<usize>,
}

impl Regions {
    fn new(code: &[Instruction]) -> Self {
        let mut ends = vec![code.len(); code.len()];
        // By open frame: its number, and the instructions of its region so far.
        let mut open: Vec<(usize, Vec<usize>)> = vec![(code.len(), Vec::new())];
        let mut frames = Vec::with_capacity(code.len());
        for (at, i) in code.iter().enumerate() {
            let closes = matches!(i.op, Op::EndIf | Op::ScopeEnd);
            if (closes || matches!(i.op, Op::Else | Op::Rejoin))
                && let Some((_, region)) = open.last_mut()
            {
                region.drain(..).for_each(|inside| ends[inside] = at);
            }
            if closes && open.len() > 1 {
                open.pop();
            }
            if let Some((frame, region)) = open.last_mut() {
                frames.push(*frame);
                region.push(at);
            }
            if matches!(i.op, Op::If | Op::ScopeBegin) {
                open.push((at, Vec::new()));
            }
            let goes_back = |target: usize| frames.get(target) == frames.last();
            if i.op == Op::Jump && !goes_back(i.imm as usize) {
                return Regions { ends: Vec::new() };
            }
        }
        Regions { ends }
    }

    fn end_of(&self, at: usize) -> usize {
        self.ends.get(at).copied().unwrap_or(0)
    }
}

/// The registers that an instruction writes, or reads: the first and how many.
fn named(kernel: &Kernel, i: &Instruction, written: bool) -> impl Iterator<Item = (usize, usize)> {
    let operands = i.op.operands().iter();
    let all = operands.filter_map(move |&operand| {
        let site = kernel.sites.get(i.imm as usize);
        let words = site.map_or(1, AccessSite::words) as usize;
        let is_written = matches!(operand, Operand::Dst32 | Operand::Dst64 | Operand::DstSite);
        let (first, words) = match operand {
            Operand::Dst32 => (i.dst, 1),
            Operand::Dst64 => (i.dst, 2),
            Operand::DstSite | Operand::SrcSite => (i.dst, words),
            Operand::A32 => (i.a, 1),
            Operand::Base if i.a == NO_REGISTER => return None,
            Operand::Base if !matches!(i.op, Op::Load | Op::Store) => (i.a, 1),
            Operand::A64 | Operand::Base => (i.a, 2),
            Operand::B32 => (i.b, 1),
            Operand::B64 => (i.b, 2),
            Operand::Index => match site.map_or(IndexType::None, |site| site.index) {
                IndexType::None => return None,
                IndexType::I32 | IndexType::U32 => (i.b, 1),
                IndexType::I64 => (i.b, 2),
            },
            Operand::C32 => (i.c, 1),
            Operand::C64 => (i.c, 2),
            Operand::Print => (i.a, kernel.prints[i.imm as usize].words() as usize),
            _ => return None,
        };
        Some((usize::from(first), words, is_written))
    });
    all.filter(move |named| named.2 == written)
        .map(|(first, words, _)| (first, words))
}
