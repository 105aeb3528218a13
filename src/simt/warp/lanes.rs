//! A block's registers, and how an operation goes over the lanes of one warp.
//!
//! Warps of a block that agree on what they do run as a batch: an operation then goes over all of
//! them. Registers are read and written warp by warp, inside [`Lanes::each`].
//!
//! Each method reads whole operands, computes all 32 lanes and writes the active ones, so that a
//! destination may also be an operand and the compiler can use vectors.

use std::ops::Range;

use super::geometry::{Geometry, Point};
use super::vector::{ALL, Pair, Vector, blend, join, nonzero};
use crate::ir::{Instruction, Register};
use crate::launch::WARP_LANES;

/// Added to the number of a register: the one of the batch's first warp, whichever warp is meant.
pub const OF_FIRST_WARP: Register = 0x8000;

/// Does something for each warp of the batch, alone: [`Lanes::each`] without a closure, which the compiler would leave out
/// of loops for AVX2 where it is long.
macro_rules! each {
    ($lanes:ident, $body:block) => {
        let (first, count) = ($lanes.warp, $lanes.count);
        for warp in first..first + count {
            $lanes.select(warp);
            $body
        }
        ($lanes.warp, $lanes.count) = (first, count);
    };
}

/// An operation that touches nothing but registers.
pub type LaneOperation = fn(&mut Lanes<'_>, Instruction);

/// Registers of a block, with the warp and the lanes that operations work on.
pub struct Lanes<'a> {
    /// Register by register, in each warp by warp.
    vectors: Vec<Vector>,
    warps: usize,
    /// The warp that runs, or the first of the batch that does.
    pub warp: usize,
    /// The first warp of the batch, whichever of its warps runs.
    first: usize,
    /// Warps in the batch.
    count: usize,
    active: u32,
    active_count: u64,
    /// The block that runs.
    pub block: Point,
    /// Shape of the launch.
    pub geometry: &'a Geometry,
    /// The kernel's 64-bit constants.
    pub constants: &'a [u64],
}

impl<'a> Lanes<'a> {
    /// Registers with the contents of `image`, which [`image`] made.
    pub fn new(image: &[Vector], geometry: &'a Geometry, constants: &'a [u64]) -> Self {
        Lanes {
            vectors: image.to_vec(),
            warps: geometry.warps(),
            warp: 0,
            first: 0,
            count: 1,
            active: 0,
            active_count: 0,
            block: [0; 3],
            geometry,
            constants,
        }
    }

    /// Puts some registers back to `image`.
    pub fn reset(&mut self, image: &[Vector], registers: &Range<usize>) {
        // Warps of one register lie side by side, so a range of registers is one range of memory.
        let range = registers.start * self.warps..registers.end * self.warps;
        self.vectors[range.clone()].copy_from_slice(&image[range]);
    }

    /// Lets one warp run, or several that have the same active lanes.
    #[inline(always)]
    pub fn set_batch(&mut self, batch: &Range<usize>) {
        (self.warp, self.first, self.count) = (batch.start, batch.start, batch.len());
    }

    /// Lets the first warps of the batch run, so many of them.
    #[inline(always)]
    pub fn set_count(&mut self, count: usize) {
        (self.warp, self.count) = (self.first, count);
    }

    /// Lets one warp of the batch run.
    #[inline(always)]
    pub fn select(&mut self, warp: usize) {
        (self.warp, self.count) = (warp, 1);
    }

    /// Does `f` for each warp of the batch, alone.
    #[inline(always)]
    pub fn each(&mut self, mut f: impl FnMut(&mut Self)) {
        // `select` overwrites both: `f` must see one warp, and the batch must be whole again afterwards.
        let (first, count) = (self.warp, self.count);
        for warp in first..first + count {
            self.select(warp);
            f(self);
        }
        (self.warp, self.count) = (first, count);
    }

    /// Mask of the active lanes.
    #[inline(always)]
    pub fn active(&self) -> u32 {
        self.active
    }

    /// Number of active lanes.
    #[inline(always)]
    pub fn active_count(&self) -> u64 {
        self.active_count
    }

    /// Makes the lanes of `mask` active.
    #[inline(always)]
    pub fn set_active(&mut self, mask: u32) {
        self.active = mask;
        // Counted once a branch here, not once an instruction where it is added to the counters.
        self.active_count = u64::from(mask.count_ones());
    }

    #[inline(always)]
    fn at(&self, register: Register) -> usize {
        // In release builds nothing is checked: this runs several times an instruction.
        debug_assert_eq!(self.count, 1, "registers are those of one warp");
        let is_of_first = register & OF_FIRST_WARP != 0;
        let warp = if is_of_first { self.first } else { self.warp };
        usize::from(register & !OF_FIRST_WARP) * self.warps + warp
    }

    /// A register.
    #[inline(always)]
    pub fn get(&self, register: Register) -> &Vector {
        &self.vectors[self.at(register)]
    }

    /// A register, to be written in active lanes only.
    #[inline(always)]
    pub fn get_mut(&mut self, register: Register) -> &mut Vector {
        let at = self.at(register);
        &mut self.vectors[at]
    }

    /// A register of the warps of a batch.
    #[inline(always)]
    pub fn rows(&self, register: Register, batch: &Range<usize>) -> &[Vector] {
        let first = usize::from(register) * self.warps;
        &self.vectors[first + batch.start..first + batch.end]
    }

    /// The same, to be written in active lanes only.
    #[inline(always)]
    pub fn rows_mut(&mut self, register: Register, batch: &Range<usize>) -> &mut [Vector] {
        let first = usize::from(register) * self.warps;
        &mut self.vectors[first + batch.start..first + batch.end]
    }

    /// Several registers from the row of warp `first` on, to be written in active lanes only, and how many rows each has.
    pub fn registers_from(
        &mut self,
        register: Register,
        count: u32,
        first: usize,
    ) -> (&mut [Vector], usize) {
        let begin = usize::from(register) * self.warps;
        let end = begin + count as usize * self.warps;
        (&mut self.vectors[begin + first..end], self.warps)
    }

    /// A register of one warp.
    #[inline(always)]
    pub fn row(&self, register: Register, warp: usize) -> &Vector {
        &self.vectors[usize::from(register) * self.warps + warp]
    }

    /// Puts values in the lanes of `mask` of a register of one warp.
    pub fn put(&mut self, register: Register, warp: usize, mask: u32, value: &Vector) {
        let target = &mut self.vectors[usize::from(register) * self.warps + warp];
        // All lanes are the usual case, and a copy is cheaper than a blend.
        *target = match mask {
            ALL => *value,
            _ => blend(mask, value, target),
        };
    }

    /// Puts values in a register of the first warps.
    pub fn set_rows(&mut self, register: Register, rows: &[Vector]) {
        let first = usize::from(register) * self.warps;
        self.vectors[first..first + rows.len()].copy_from_slice(rows);
    }

    /// A register and the next one.
    #[inline(always)]
    pub fn pair(&self, register: Register) -> Pair {
        (*self.get(register), *self.get(register + 1))
    }

    /// Writes the active lanes of a register.
    #[inline(always)]
    pub fn set(&mut self, register: Register, value: Vector) {
        let active = self.active;
        let target = self.get_mut(register);
        // Straight-line code has all lanes active: the test saves reading the old values.
        if active == ALL {
            *target = value;
        } else {
            *target = blend(active, &value, target);
        }
    }

    /// Copies the active lanes of a register to `target`.
    pub fn copy_active(&self, register: Register, target: &mut Vector) {
        *target = blend(self.active, self.get(register), target);
    }

    /// Writes the active lanes of a register and the next one.
    #[inline(always)]
    pub fn set_pair(&mut self, register: Register, value: Pair) {
        self.set(register, value.0);
        self.set(register + 1, value.1);
    }

    /// The lanes in which a register is not 0, active or not.
    #[inline(always)]
    pub fn nonzero(&self, register: Register) -> u32 {
        nonzero(self.get(register))
    }

    /// `dst = f(a)`.
    #[inline(always)]
    pub fn unary(&mut self, i: Instruction, f: impl Fn(u32) -> u32) {
        each!(self, {
            // A copy: `dst` may be `a`, and the compiler must know that they do not overlap to use vectors.
            let a = *self.get(i.a);
            let mut value = [0; WARP_LANES];
            for lane in 0..WARP_LANES {
                value[lane] = f(a[lane]);
            }
            self.set(i.dst, value);
        });
    }

    /// `dst = f(a, b)`.
    #[inline(always)]
    pub fn binary(&mut self, i: Instruction, f: impl Fn(u32, u32) -> u32) {
        each!(self, {
            let (a, b) = (*self.get(i.a), *self.get(i.b));
            let mut value = [0; WARP_LANES];
            for lane in 0..WARP_LANES {
                value[lane] = f(a[lane], b[lane]);
            }
            self.set(i.dst, value);
        });
    }

    /// `dst = f(a, b, c)`.
    #[inline(always)]
    pub fn ternary(&mut self, i: Instruction, f: impl Fn(u32, u32, u32) -> u32) {
        each!(self, {
            let (a, b, c) = (*self.get(i.a), *self.get(i.b), *self.get(i.c));
            let mut value = [0; WARP_LANES];
            for lane in 0..WARP_LANES {
                value[lane] = f(a[lane], b[lane], c[lane]);
            }
            self.set(i.dst, value);
        });
    }

    /// `dst = f(a)`, both of 64 bits.
    #[inline(always)]
    pub fn unary64(&mut self, i: Instruction, f: impl Fn(u64) -> u64) {
        each!(self, {
            let a = self.pair(i.a);
            self.set_pair(i.dst, make64(|lane| f(join(&a, lane))));
        });
    }

    /// `dst = f(a, b)`, all of 64 bits.
    #[inline(always)]
    pub fn binary64(&mut self, i: Instruction, f: impl Fn(u64, u64) -> u64) {
        each!(self, {
            let (a, b) = (self.pair(i.a), self.pair(i.b));
            self.set_pair(i.dst, make64(|lane| f(join(&a, lane), join(&b, lane))));
        });
    }

    /// `dst = f(a, b, c)`, all of 64 bits.
    #[inline(always)]
    pub fn ternary64(&mut self, i: Instruction, f: impl Fn(u64, u64, u64) -> u64) {
        each!(self, {
            let (a, b, c) = (self.pair(i.a), self.pair(i.b), self.pair(i.c));
            let each = |lane| f(join(&a, lane), join(&b, lane), join(&c, lane));
            self.set_pair(i.dst, make64(each));
        });
    }

    /// `dst = f(a, b)` with a distance `b` of 32 bits.
    #[inline(always)]
    pub fn shift64(&mut self, i: Instruction, f: impl Fn(u64, u32) -> u64) {
        each!(self, {
            let (a, b) = (self.pair(i.a), *self.get(i.b));
            self.set_pair(i.dst, make64(|lane| f(join(&a, lane), b[lane])));
        });
    }

    /// `dst = f(a, b)` with operands of 64 bits and a result of 0 or 1.
    #[inline(always)]
    pub fn compare64(&mut self, i: Instruction, f: impl Fn(u64, u64) -> bool) {
        each!(self, {
            let (a, b) = (self.pair(i.a), self.pair(i.b));
            let mut value = [0; WARP_LANES];
            for (lane, value) in value.iter_mut().enumerate() {
                *value = u32::from(f(join(&a, lane), join(&b, lane)));
            }
            self.set(i.dst, value);
        });
    }

    /// `dst = f(a)` from 32 to 64 bits.
    #[inline(always)]
    pub fn widen(&mut self, i: Instruction, f: impl Fn(u32) -> u64) {
        each!(self, {
            let a = *self.get(i.a);
            self.set_pair(i.dst, make64(|lane| f(a[lane])));
        });
    }

    /// `dst = f(a)` from 64 to 32 bits.
    #[inline(always)]
    pub fn narrow(&mut self, i: Instruction, f: impl Fn(u64) -> u32) {
        each!(self, {
            let a = self.pair(i.a);
            self.set(i.dst, std::array::from_fn(|lane| f(join(&a, lane))));
        });
    }
}

#[inline(always)]
fn make64(f: impl Fn(usize) -> u64) -> Pair {
    // Two arrays of words, not one of `u64`: registers hold 32 bits, and a pair is two of them.
    let mut pair = ([0; WARP_LANES], [0; WARP_LANES]);
    for lane in 0..WARP_LANES {
        let value = f(lane);
        pair.0[lane] = value as u32;
        pair.1[lane] = (value >> 32) as u32;
    }
    pair
}
