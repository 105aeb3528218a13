//! Memories that warps both load and store between two barriers, each lane only in its own place: `y[i]` in
//! `y[i] = a * x[i] + y[i]`. No warp sees what another does there, so that they may go in lockstep.
//!
//! Invariant: all accesses to such a memory make their addresses of equal values, which are the same whenever a
//! lane comes by. So a lane goes to one place only, give or take its site's constant offset, and it is enough to
//! ask at each access whether the places of different warps are that far apart. Where they are not, no warp has
//! been there yet, and the warps go on one after the other.

use std::collections::HashMap;

use crate::ir::{IndexType, Kernel, Op, Operand};
use crate::simt::program::{Action, action};
use crate::simt::uniformity::{LiveRange, LiveRanges};

/// Longer chains of operations than this are not followed.
const MOST_DEPTH: u32 = 64;

/// The number of a value that a lane computes alike whenever it does.
type Number = u32;

/// A value as it is computed: of which live range nothing is known but that it is written once at most, or which word
/// of an operation on other values.
#[derive(PartialEq, Eq, Hash)]
enum Computed {
    Once(LiveRange),
    By(Op, u32, usize, Vec<Number>),
}

/// What addresses are made of, but for the constant offsets of sites.
#[derive(PartialEq)]
struct Address {
    base: Vec<Number>,
    index: Vec<Number>,
    index_type: IndexType,
    scale_bytes: u32,
}

/// Numbers of a kernel's values: equal numbers are equal values, as A. Aho, M. Lam, R. Sethi and J. Ullman have it in
/// "Compilers" (6.1.2).
pub struct Values<'a> {
    kernel: &'a Kernel,
    ranges: &'a LiveRanges,
    /// By live range: what writes it, and which word of what that writes; nothing if several instructions do.
    writers: Vec<Vec<(usize, usize)>>,
    numbers: HashMap<LiveRange, Option<Number>>,
    computed: HashMap<Computed, Number>,
}

impl<'a> Values<'a> {
    /// Those of a kernel, which has these live ranges.
    pub fn new(kernel: &'a Kernel, ranges: &'a LiveRanges) -> Self {
        let mut writers = vec![Vec::new(); ranges.count];
        for at in 0..kernel.code.len() {
            for (word, &range) in ranges.writes(at).iter().enumerate() {
                writers[range as usize].push((at, word));
            }
        }
        Values {
            kernel,
            ranges,
            writers,
            numbers: HashMap::new(),
            computed: HashMap::new(),
        }
    }

    /// The access site of an instruction.
    pub fn site_at(&self, at: usize) -> usize {
        self.kernel.code[at].imm as usize
    }

    /// How far apart the places of different warps must be at `accesses`, which are all that use a memory; nothing if
    /// lanes may go to several places.
    pub fn least_distance(&mut self, accesses: &[usize]) -> Option<u64> {
        let address = self.address(*accesses.first()?)?;
        let (mut begin, mut end) = (i64::MAX, i64::MIN);
        for &at in accesses {
            let site = &self.kernel.sites[self.site_at(at)];
            let offset = i64::from(site.offset_bytes);
            begin = begin.min(offset);
            end = end.max(offset + i64::from(site.width_bytes));
            if self.address(at)? != address {
                return None;
            }
        }
        // `y[i]` and `y[i + 3]` of one lane lie in 16 bytes: another warp must stay clear of all of them.
        Some(end.abs_diff(begin))
    }

    fn address(&mut self, at: usize) -> Option<Address> {
        let (i, ranges) = (self.kernel.code[at], self.ranges);
        let site = &self.kernel.sites[self.site_at(at)];
        let mut numbers = |operand: Operand| {
            let found = ranges.reads(at).find(|(read, _)| read.operand == operand);
            let of = found.map_or(&[][..], |(_, ranges)| ranges);
            of.iter().map(|&range| self.number(range, 0)).collect()
        };
        let (base, index): (Option<_>, Option<_>) =
            (numbers(Operand::Base), numbers(Operand::Index));
        let is_global = matches!(i.op, Op::Load | Op::Store);
        is_global.then_some(Address {
            base: base?,
            index: index?,
            index_type: site.index,
            scale_bytes: site.scale_bytes,
        })
    }

    /// The number of what a live range holds; nothing if that may change while lanes go on.
    fn number(&mut self, range: LiveRange, depth: u32) -> Option<Number> {
        if let Some(&number) = self.numbers.get(&range) {
            return number;
        }
        let computed = self.computed_by(range, depth);
        let next = self.computed.len() as Number;
        let number = computed.map(|computed| *self.computed.entry(computed).or_insert(next));
        self.numbers.insert(range, number);
        number
    }

    fn computed_by(&mut self, range: LiveRange, depth: u32) -> Option<Computed> {
        let is_initial = self.ranges.initial.iter().any(|live| live.range == range);
        let (at, word) = match self.writers[range as usize][..] {
            // Written nowhere: a parameter, or never set. Either way it stays as it is.
            [] => return Some(Computed::Once(range)),
            [writer] if !is_initial && depth < MOST_DEPTH => writer,
            _ => return None,
        };
        let i = self.kernel.code[at];
        // The active lanes are others from path to path.
        let is_plain = matches!(action(i.op), Action::Lanes(_)) && i.op != Op::ActiveMask;
        let operands = self.ranges.reads(at).flat_map(|(_, ranges)| ranges);
        let operands: Vec<LiveRange> = operands.copied().collect();
        let mut operands = operands.into_iter();
        // Of equal values an operation makes equal values, wherever it stands and however often it runs.
        let numbers = operands.try_fold(Vec::new(), |mut all, operand| {
            all.push(self.number(operand, depth + 1)?);
            Some(all)
        });
        Some(Computed::By(
            i.op,
            i.imm,
            word,
            numbers.filter(|_| is_plain)?,
        ))
    }
}
