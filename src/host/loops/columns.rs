//! Columns, and what operations make of them.

use crate::host::code::*;

use super::step::{Counter, Guard, Reduction, Register, Step};

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
        let by = self.of(counter.by)[0];
        let next = |value: u64| match counter.op {
            Op::AddI32 { .. } => int(value.wrapping_add(by)),
            Op::AddU32 { .. } => unsigned(value.wrapping_add(by)),
            Op::SubI32 { .. } => int(value.wrapping_sub(by)),
            Op::SubU32 { .. } => unsigned(value.wrapping_sub(by)),
            Op::Sub64 { .. } => value.wrapping_sub(by),
            _ => value.wrapping_add(by),
        };
        let mut value = start;
        for lane in self.of_mut(counter.register) {
            *lane = value;
            value = next(value);
        }
    }

    /// In how many of the first `lanes` iterations, up to the first that goes another way, a branch goes as it should.
    pub fn passed(&self, guard: &Guard, lanes: usize) -> usize {
        let pairs = self.of(guard.a)[..lanes].iter().zip(self.of(guard.b));
        let mut pairs = pairs.map(|(&a, &b)| guard.test.of(a, b));
        pairs
            .position(|found| found != guard.expected)
            .unwrap_or(lanes)
    }

    fn unary(&mut self, to: Register, a: Register, compute: impl Fn(u64) -> u64) {
        let (before, after) = self.columns.split_at_mut(usize::from(to));
        let a = &before[usize::from(a)];
        for (to, &a) in after[0].iter_mut().zip(a) {
            *to = compute(a);
        }
    }

    /// The result has a higher number than its operands.
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

macro_rules! column_operations {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
        impl Columns {
            /// Carries out an operation in all iterations; in how many of the first `lanes` it has a result, up to the first
            /// that has none.
            pub fn compute(&mut self, op: Op, lanes: usize) -> usize {
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
                    Op::Convert { to, a, from, into } => self.unary(to, a, |a| numbers::convert(from, into, a)),
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
