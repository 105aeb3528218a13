//! Values that are sums over a thread's place: a constant, and a multiple of each of its indices in the block and of
//! the block's in the grid. `blockIdx.x * 256 + threadIdx.x` is one, and so is the address `y + 4 * i` made of it.
//!
//! Invariant: of a value that is such a sum no lane of any block ever holds another, whatever way it has come: every
//! range that goes into it is written in one place.

use super::live_ranges::{LiveRange, LiveRanges};
use crate::ir::{Instruction, Kernel, Op, Operand, ParameterType};
use crate::launch::Dim3;
use crate::simt::launch::Launch;
use crate::simt::program::parameter_words;

/// Longer chains of operations than this are not followed.
const MOST_DEPTH: u32 = 64;
/// Indices that tell a thread of the grid from all others: its own in x, y and z, and its block's.
const INDICES: usize = 6;

/// A constant and a factor of each index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSum {
    constant: i128,
    factors: [i128; INDICES],
}

impl ThreadSum {
    fn number(constant: i128) -> Self {
        ThreadSum {
            constant,
            factors: [0; INDICES],
        }
    }

    /// This, and `factor` times another.
    pub fn plus(self, other: Self, factor: i128) -> Self {
        // What is too large for the host is too large for a register, too.
        let sum = |mine: i128, other: i128| mine.saturating_add(other.saturating_mul(factor));
        ThreadSum {
            constant: sum(self.constant, other.constant),
            factors: std::array::from_fn(|at| sum(self.factors[at], other.factors[at])),
        }
    }

    /// The same number for all threads.
    fn as_number(self) -> Option<i128> {
        (self.factors == [0; INDICES]).then_some(self.constant)
    }

    fn times(self, other: Self) -> Option<Self> {
        match (self.as_number(), other.as_number()) {
            (Some(factor), _) => Some(Self::number(0).plus(other, factor)),
            (_, Some(factor)) => Some(Self::number(0).plus(self, factor)),
            _ => None,
        }
    }
}

/// Finds such sums in one launch.
pub struct ThreadSums<'a> {
    launch: &'a Launch<'a>,
    ranges: &'a LiveRanges,
    /// By live range: what writes it, and which word of what that writes; nothing if several instructions do.
    writers: Vec<Vec<(usize, usize)>>,
}

impl<'a> ThreadSums<'a> {
    /// Those of a launch, whose kernel has these live ranges.
    pub fn new(launch: &'a Launch<'a>, ranges: &'a LiveRanges) -> Self {
        let mut writers = vec![Vec::new(); ranges.count];
        for at in 0..launch.kernel.code.len() {
            for (word, &range) in ranges.writes(at).iter().enumerate() {
                writers[range as usize].push((at, word));
            }
        }
        ThreadSums {
            launch,
            ranges,
            writers,
        }
    }

    /// The address of a load or store of global memory, without its site's offset.
    pub fn address(&self, at: usize) -> Option<ThreadSum> {
        let kernel: &Kernel = self.launch.kernel;
        let i = kernel.code[at];
        let site = &kernel.sites[i.imm as usize];
        let read = |operand| self.read(at, operand, 0);
        let base = match self.ranges_of(at, Operand::Base) {
            [] => ThreadSum::number(0),
            _ => read(Operand::Base)?,
        };
        match self.ranges_of(at, Operand::Index) {
            [] => Some(base),
            _ => Some(base.plus(read(Operand::Index)?, i128::from(site.scale_bytes))),
        }
    }

    /// Whether no two threads of the grid have places, `bytes` long from this sum on, that overlap.
    pub fn are_apart(&self, sum: ThreadSum, bytes: u64) -> bool {
        let mut steps: Vec<(i128, i128)> = (sum.factors.iter().zip(self.extents()))
            .filter(|(_, extent)| *extent > 1)
            .map(|(factor, extent)| (factor.abs(), extent))
            .collect();
        steps.sort_unstable();
        // From the least step on: all threads that differ in lesser ones lie within the next.
        let mut span = i128::from(bytes);
        steps.into_iter().all(|(factor, extent)| {
            let is_clear = factor >= span;
            span = span.saturating_add(factor.saturating_mul(extent - 1));
            is_clear
        })
    }

    /// How many values each index has.
    fn extents(&self) -> impl Iterator<Item = i128> {
        let Launch { block, grid, .. } = self.launch;
        block.iter().chain(grid).map(|&size| i128::from(size))
    }

    fn index(&self, at: usize) -> Option<ThreadSum> {
        let mut sum = ThreadSum::number(0);
        // An index with one value only is always 0.
        sum.factors[at] = i128::from(self.extents().nth(at)? > 1);
        Some(sum)
    }

    fn ranges_of(&self, at: usize, operand: Operand) -> &[LiveRange] {
        let mut reads = self.ranges.reads(at);
        let found = reads.find(|(read, _)| read.operand == operand);
        found.map_or(&[], |(_, ranges)| ranges)
    }

    fn read(&self, at: usize, operand: Operand, depth: u32) -> Option<ThreadSum> {
        self.value(self.ranges_of(at, operand), depth)
    }

    /// What a register, or a pair of them, holds as a signed number, if that is such a sum for all threads.
    fn value(&self, ranges: &[LiveRange], depth: u32) -> Option<ThreadSum> {
        let &first = ranges.first()?;
        let is_pair = ranges.len() == 2;
        if depth == MOST_DEPTH {
            return None;
        }
        let is_initial = |range| self.ranges.initial.iter().any(|live| live.range == range);
        let writers = |range: LiveRange| &self.writers[range as usize][..];
        let sum = match *writers(first) {
            [] if ranges.iter().all(|&range| writers(range).is_empty()) => {
                self.parameter(first, is_pair)?
            }
            [(at, 0)] if self.ranges.writes(at) == ranges => {
                let mut words = ranges.iter().enumerate();
                let is_only = |(word, &range): (usize, &LiveRange)| {
                    *writers(range) == [(at, word)] && !is_initial(range)
                };
                words.all(is_only).then(|| self.computed(at, depth + 1))??
            }
            _ => return None,
        };
        self.fits(sum, if is_pair { 64 } else { 32 }).then_some(sum)
    }

    /// Whether no thread's value leaves so many bits, with a sign: an operation on it then does what it does to numbers.
    fn fits(&self, sum: ThreadSum, bits: u32) -> bool {
        let end = 1_i128 << (bits - 1);
        let (least, most) = self.bounds(sum);
        -end <= least && most < end
    }

    /// The least and the greatest value of all threads.
    fn bounds(&self, sum: ThreadSum) -> (i128, i128) {
        let (mut least, mut most) = (sum.constant, sum.constant);
        for (&factor, extent) in sum.factors.iter().zip(self.extents()) {
            let farthest = factor.saturating_mul(extent - 1);
            least = least.saturating_add(farthest.min(0));
            most = most.saturating_add(farthest.max(0));
        }
        (least, most)
    }

    /// The argument that a register begins with, and keeps.
    fn parameter(&self, range: LiveRange, is_pair: bool) -> Option<ThreadSum> {
        let mut initial = self.ranges.initial.iter();
        let register = initial.find(|live| live.range == range)?.register;
        let Launch {
            kernel, arguments, ..
        } = self.launch;
        let mut parameters = kernel.parameters.iter().zip(arguments);
        let (parameter, &bits) =
            parameters.find(|(parameter, _)| parameter.register == register)?;
        let is_symbol = matches!(parameter.parameter_type, ParameterType::Symbol(_));
        let is_wide = parameter_words(parameter.parameter_type) == 2;
        (is_wide == is_pair && !is_symbol).then(|| {
            ThreadSum::number(match is_pair {
                true => i128::from(bits as i64),
                false => i128::from(bits as i32),
            })
        })
    }

    /// What an instruction writes.
    fn computed(&self, at: usize, depth: u32) -> Option<ThreadSum> {
        let i: Instruction = self.launch.kernel.code[at];
        let read = |operand| self.read(at, operand, depth);
        match i.op {
            Op::Const32 => Some(ThreadSum::number((i.imm as i32).into())),
            Op::Const64 => {
                let bits = self.launch.kernel.tables.constants[i.imm as usize];
                Some(ThreadSum::number((bits as i64).into()))
            }
            Op::Mov32 | Op::I32ToI64 => read(Operand::A32),
            // Below 0 its bits would be those of a large number.
            Op::U32ToI64 => read(Operand::A32).filter(|&sum| self.bounds(sum).0 >= 0),
            Op::Mov64 => read(Operand::A64),
            Op::AddI32 => Some(read(Operand::A32)?.plus(read(Operand::B32)?, 1)),
            Op::SubI32 => Some(read(Operand::A32)?.plus(read(Operand::B32)?, -1)),
            Op::MulI32 => read(Operand::A32)?.times(read(Operand::B32)?),
            Op::MadI32 => {
                let product = read(Operand::A32)?.times(read(Operand::B32)?)?;
                Some(product.plus(read(Operand::C32)?, 1))
            }
            Op::AddI64 => Some(read(Operand::A64)?.plus(read(Operand::B64)?, 1)),
            Op::SubI64 => Some(read(Operand::A64)?.plus(read(Operand::B64)?, -1)),
            Op::MulI64 => read(Operand::A64)?.times(read(Operand::B64)?),
            Op::Shl32 => shifted(read(Operand::A32)?, read(Operand::B32)?, 31),
            Op::Shl64 => shifted(read(Operand::A64)?, read(Operand::B32)?, 63),
            op => self.place(op),
        }
    }

    /// What tells a thread its place in the grid.
    fn place(&self, op: Op) -> Option<ThreadSum> {
        let size = |sizes: Dim3, axis: usize| Some(ThreadSum::number(sizes[axis].into()));
        let (block, grid) = (self.launch.block, self.launch.grid);
        match op {
            Op::ThreadX => self.index(0),
            Op::ThreadY => self.index(1),
            Op::ThreadZ => self.index(2),
            Op::BlockX => self.index(3),
            Op::BlockY => self.index(4),
            Op::BlockZ => self.index(5),
            Op::BlockDimX => size(block, 0),
            Op::BlockDimY => size(block, 1),
            Op::BlockDimZ => size(block, 2),
            Op::GridDimX => size(grid, 0),
            Op::GridDimY => size(grid, 1),
            Op::GridDimZ => size(grid, 2),
            _ => None,
        }
    }
}

/// A sum shifted to the left by a number of bits that all threads agree on, `most` at most.
fn shifted(sum: ThreadSum, bits: ThreadSum, most: i128) -> Option<ThreadSum> {
    let bits = bits.as_number().filter(|bits| (0..=most).contains(bits))?;
    Some(ThreadSum::number(0).plus(sum, 1 << bits))
}
