//! Columns, and what operations make of them.

use crate::cuda::Scalar;
use crate::host::code::*;
use crate::launch::{Vectorised, vectorised};

use super::step::{Counter, Guard, Reduction, Register, Step, Test};

/// Iterations that run together.
pub const LANES: usize = 64;

/// What a register holds in each of the iterations.
pub type Column = [u64; LANES];

/// The columns of a loop that runs.
#[derive(Debug, Default)]
pub struct Columns {
    pub columns: Vec<Column>,
    /// Bytes on their way from or to memory of the GPU.
    pub bytes: Vec<u8>,
}

/// An operation in the first of the iterations. Words of 32 bits gain from four lanes at a time: with two they cost as
/// much as without vectors.
struct Computing<'a> {
    columns: &'a mut Columns,
    op: Op,
    lanes: usize,
}

impl Vectorised for Computing<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        self.columns.compute_anywhere(self.op, self.lanes)
    }
}

impl Columns {
    /// As many as a loop needs; what they hold is not said.
    pub fn reserve(&mut self, registers: usize) {
        if self.columns.len() < registers {
            self.columns.resize(registers, [0; LANES]);
        }
    }

    pub fn of(&self, register: Register) -> &Column {
        &self.columns[usize::from(register)]
    }

    pub fn of_mut(&mut self, register: Register) -> &mut Column {
        &mut self.columns[usize::from(register)]
    }

    /// What a counter is when each of the iterations begins.
    pub fn count(&mut self, counter: &Counter, start: u64) {
        let by = match counter.op {
            Op::SubI32 { .. } | Op::SubU32 { .. } | Op::Sub64 { .. } => {
                self.of(counter.by)[0].wrapping_neg()
            }
            _ => self.of(counter.by)[0],
        };
        let column = self.of_mut(counter.register);
        // Sums wrap: their low bits are right whether or not each is cut to its type first.
        let mut value = start;
        for lane in column.iter_mut() {
            *lane = value;
            value = value.wrapping_add(by);
        }
        match counter.op {
            Op::AddI32 { .. } | Op::SubI32 { .. } => column.iter_mut().for_each(|x| *x = int(*x)),
            Op::AddU32 { .. } | Op::SubU32 { .. } => {
                column.iter_mut().for_each(|x| *x = unsigned(*x));
            }
            _ => {}
        }
    }

    /// In how many of the first `lanes` iterations, up to the first that goes another way, a branch goes as it should.
    pub fn passed(&self, guard: &Guard, lanes: usize) -> usize {
        match guard.test {
            Test::IsSet => self.as_expected(guard, lanes, |a, _| Test::IsSet.of(a, 0)),
            Test::Eq => self.as_expected(guard, lanes, |a, b| Test::Eq.of(a, b)),
            Test::LtI => self.as_expected(guard, lanes, |a, b| Test::LtI.of(a, b)),
            Test::LeI => self.as_expected(guard, lanes, |a, b| Test::LeI.of(a, b)),
            Test::LtU => self.as_expected(guard, lanes, |a, b| Test::LtU.of(a, b)),
            Test::LeU => self.as_expected(guard, lanes, |a, b| Test::LeU.of(a, b)),
        }
    }

    /// The same of a test that is known when this is compiled.
    #[inline(always)]
    fn as_expected(&self, guard: &Guard, lanes: usize, test: impl Fn(u64, u64) -> bool) -> usize {
        let pairs = self.of(guard.a)[..lanes].iter().zip(self.of(guard.b));
        let mut others = pairs.map(|(&a, &b)| test(a, b) != guard.expected);
        // Mostly none goes another way, which is found without a branch for each.
        match others.clone().fold(false, |any, other| any | other) {
            false => lanes,
            true => others.position(|other| other).unwrap_or(lanes),
        }
    }

    /// An operation in all iterations; in how many of the first `lanes` it has a result, up to the first that has none.
    pub fn compute(&mut self, op: Op, lanes: usize) -> usize {
        vectorised(Computing {
            columns: self,
            op,
            lanes,
        })
    }

    #[inline(always)]
    fn unary(&mut self, to: Register, a: Register, compute: impl Fn(u64) -> u64) {
        let (before, after) = self.columns.split_at_mut(usize::from(to));
        let a = &before[usize::from(a)];
        for (to, &a) in after[0].iter_mut().zip(a) {
            *to = compute(a);
        }
    }

    /// The result has a higher number than its operands.
    #[inline(always)]
    fn binary(&mut self, [to, a, b]: [Register; 3], compute: impl Fn(u64, u64) -> u64) {
        let (before, after) = self.columns.split_at_mut(usize::from(to));
        let (a, b) = (&before[usize::from(a)], &before[usize::from(b)]);
        for ((to, &a), &b) in after[0].iter_mut().zip(a).zip(b) {
            *to = compute(a, b);
        }
    }

    /// A division: how many iterations, up to the first that has no result, have one.
    fn divided(
        &mut self,
        [to, a, b]: [Register; 3],
        lanes: usize,
        compute: impl Fn(u64, u64) -> Option<u64>,
    ) -> usize {
        let (before, after) = self.columns.split_at_mut(usize::from(to));
        let pairs = before[usize::from(a)][..lanes]
            .iter()
            .zip(&before[usize::from(b)]);
        for (lane, (&a, &b)) in pairs.enumerate() {
            match compute(a, b) {
                Some(value) => after[0][lane] = value,
                None => return lane,
            }
        }
        lanes
    }

    /// A conversion from or to a float of 16 bits.
    #[inline(always)]
    fn convert(&mut self, [to, a]: [Register; 2], [from, into]: [u8; 2]) {
        let [of, wanted] = [from, into].map(|of| SCALARS[usize::from(of)]);
        match (of, wanted) {
            (Scalar::F16, Scalar::F32) => self.unary(to, a, widened),
            (Scalar::Bf16, Scalar::F32) => self.unary(to, a, |bits| quiet((bits as u32) << 16)),
            _ => self.unary(to, a, |a| numbers::convert(from, into, a)),
        }
    }

    /// A function of numbers in the first `lanes` iterations.
    pub fn math(&mut self, step: &Step, lanes: usize, sites: &Sites) {
        let Step::Math { to, operands, site } = *step else {
            return;
        };
        for lane in 0..lanes {
            let values = operands.map(|operand| self.of(operand)[lane]);
            self.of_mut(to)[lane] = numbers::compute_at(sites, site, &values);
        }
    }
}

/// A float whose NaNs signal nothing any more, as every conversion leaves them.
#[inline(always)]
fn quiet(bits: u32) -> u64 {
    let is_nan = bits & 0x7fff_ffff > 0x7f80_0000;
    u64::from(bits | u32::from(is_nan) << 22)
}

/// A `__half` as a `float`.
#[inline(always)]
fn widened(bits: u64) -> u64 {
    let half = bits as u32;
    let magnitude = (half & 0x7fff) << 13;
    // The exponents' biases differ by 112: a product with 2^112 is exact, also of what is denormal as a half.
    let finite = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    let is_finite = half & 0x7c00 != 0x7c00;
    let value = if is_finite {
        finite
    } else {
        magnitude | 0x7f80_0000
    };
    quiet(value | (half & 0x8000) << 16)
}

macro_rules! column_operations {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
        impl Columns {
            #[inline(always)]
            fn compute_anywhere(&mut self, op: Op, lanes: usize) -> usize {
                macro_rules! divided {
                    ($word:ty, $function:ident, $to:ident $x:ident $y:ident) => {
                        self.divided([$to, $x, $y], lanes, |a, b| {
                            let result = (a as $word).$function(b as $word);
                            result.map(|value| value as i64 as u64)
                        })
                    };
                }
                match op {
                    $(Op::$binary { to, a, b } => self.binary([to, a, b], |$a, $b| $binary_value),)*
                    $(Op::$unary { to, a } => self.unary(to, a, |$ua| $unary_value),)*
                    Op::Offset { to, base, offset } => self.unary(to, base, |base| base.wrapping_add(offset as i64 as u64)),
                    Op::Element { to, base, index, size } => self.binary([to, base, index], |base, index| base.wrapping_add(index.wrapping_mul(u64::from(size)))),
                    Op::Convert { to, a, from, into } => self.convert([to, a], [from, into]),
                    Op::DivI32 { to, a, b } => return divided!(i32, checked_div, to a b),
                    Op::DivI64 { to, a, b } => return divided!(i64, checked_div, to a b),
                    Op::DivU { to, a, b } => return divided!(u64, checked_div, to a b),
                    Op::RemI32 { to, a, b } => return divided!(i32, checked_rem, to a b),
                    Op::RemI64 { to, a, b } => return divided!(i64, checked_rem, to a b),
                    Op::RemU { to, a, b } => return divided!(u64, checked_rem, to a b),
                    _ => return 0,
                }
                lanes
            }

            /// What a sum is behind the first `lanes` iterations, which take their parts in one by one.
            pub fn reduced(&self, reduction: &Reduction, start: u64, lanes: usize) -> u64 {
                macro_rules! fold {
                    (|$x:ident, $y:ident| $value:expr) => {{
                        let parts = self.of(reduction.operand)[..lanes].iter();
                        match reduction.is_left {
                            true => parts.fold(start, |$x, &$y| $value),
                            false => parts.fold(start, |$y, &$x| $value),
                        }
                    }};
                }
                match reduction.op {
                    $(Op::$binary { .. } => fold!(|$a, $b| $binary_value),)*
                    _ => start,
                }
            }
        }
    };
}

all_rows! { column_operations }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_in_columns_as_one_by_one() {
        for (from, widen) in [
            (Scalar::F16, widened as fn(u64) -> u64),
            (Scalar::Bf16, |bits| quiet((bits as u32) << 16)),
        ] {
            let code = |of| {
                let at = SCALARS.iter().position(|scalar| *scalar == of);
                at.expect("all scalars are in the table") as u8
            };
            for bits in 0..1 << 16 {
                let expected = numbers::convert(code(from), code(Scalar::F32), bits);
                assert_eq!(widen(bits), expected, "{bits:#x}");
            }
        }
    }
}
