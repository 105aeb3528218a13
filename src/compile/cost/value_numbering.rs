//! Constant folding and value numbering: values that are known when the kernel is compiled, and values
//! that have been computed before, cost nothing.
//!
//! ```text
//! a = 1.0 * x              a is x: no instruction
//! b = x * y; c = y * x     c is b, if all lanes that come to c have come through b
//! d = x / 8.0              d = x * 0.125
//! ```
//!
//! What `nvcc` folds: integers and conversions, and of single precision the four operations, negation,
//! absolute values, extremes, and functions that C's library has had from the beginning.

use super::cost_model::CostModel;
use super::values::{Computed, Definition, Term, Value};
use crate::ir::{Instruction, Op};
use crate::launch::Fp32Counts;

/// Looks at what each instruction computes, in order.
pub(super) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        model.fold(pc);
    }
    model.numbers.finish(&mut model.flow);
}

impl CostModel<'_> {
    /// Looks at what an instruction computes; those before it have been looked at.
    fn fold(&mut self, pc: usize) {
        // By the first of equal values, so that equal terms have equal operands.
        let reads = &mut self.flow.reads[pc];
        for read in reads
            .all
            .iter_mut()
            .chain(reads.operands.iter_mut().flatten())
        {
            *read = self
                .numbers
                .first(*read, &self.flow.definitions, &self.flow.phis);
        }
        let Some(value) = self.flow.writes[pc] else {
            return;
        };
        let i = self.kernel.code[pc];
        let operands = self.numbers.operands(&self.flow.reads[pc]);
        // Equal constants are one value, wherever they come from.
        if let Some(bits) = result(i, operands) {
            self.numbers.bits[value] = Some(bits);
            self.numbers.same[value] = *self.numbers.constants.entry(bits).or_insert(value);
            self.costs[pc] = Fp32Counts::default();
            return;
        }
        if self.is_known_by_each_way(pc) {
            self.costs[pc] = Fp32Counts::default();
            return;
        }
        let same = match unchanged(i.op, operands.map(|bits| bits.map(f32::from_bits))) {
            Some(operand) => self.flow.reads[pc].operands[operand],
            None => self.computed_before(pc, value),
        };
        if let Some(same) = same {
            self.numbers.same[value] = same;
            self.costs[pc] = Fp32Counts::default();
        } else {
            self.simpler(pc);
        }
    }

    /// Whether each of several ways brings constants to all operands, which then are phis of one meeting: the result is a
    /// phi of constants.
    ///
    /// ```text
    /// if c { a = 1.0 } else { b = 2.0 }     where both were 0.0
    /// d = a + b                             d is 1.0 or 2.0: no instruction
    /// ```
    fn is_known_by_each_way(&self, pc: usize) -> bool {
        let i = self.kernel.code[pc];
        let operands = self.flow.reads[pc].operands;
        let meeting = |operand: Value| match self.flow.definitions[operand] {
            Definition::Phi(meeting) => Some(meeting),
            _ => None,
        };
        let mut meetings = operands.iter().flatten().map(|&operand| meeting(operand));
        let Some(Some(first)) = meetings.next() else {
            return false;
        };
        if !meetings.all(|other| other == Some(first)) {
            return false;
        }
        let inputs = |operand: Option<Value>| operand.map(|operand| &self.flow.phis[&operand]);
        let inputs = operands.map(inputs);
        let ways = inputs[0].map_or(0, Vec::len);
        (0..ways).all(|way| {
            let known = inputs.map(|inputs| self.numbers.bits[*inputs?.get(way)?]);
            result(i, known).is_some()
        })
    }

    /// The value that is the same by an instruction that all lanes have come through.
    fn computed_before(&mut self, pc: usize, value: Value) -> Option<Value> {
        let mut op = self.kernel.code[pc].op;
        if !is_shared(op) {
            return None;
        }
        let mut operands = self.flow.reads[pc].operands;
        // `1 * x + c` is `x + c`.
        let [a, b, _] = self.numbers.single(&self.flow.reads[pc]);
        if op == Op::FmaF32 && (a == Some(1.0) || b == Some(1.0)) {
            let factor = if a == Some(1.0) {
                operands[1]
            } else {
                operands[0]
            };
            (op, operands) = (Op::AddF32, [factor, operands[2], None]);
        }
        // `x * y` and `y * x` are one term.
        if commutes(op) && operands[0] > operands[1] {
            operands.swap(0, 1);
        }
        let term = Term { op, operands };
        if let Some(&before) = self.numbers.terms.get(&term)
            && self.flow.dominates(before.pc, pc)
        {
            return Some(before.value);
        }
        // One that does not dominate stands in a region that is over: nothing further on can share it.
        self.numbers.terms.insert(term, Computed { pc, value });
        None
    }

    /// What a multiply-add doubles to subtract from: `c - 2 * x` and `2 * x - c` become two additions,
    /// the first of which another may have made. In what Triton compiles only what comes out of a loop is doubled first,
    /// at the loop's end (`foldOpIntoPhi` of LLVM's InstCombine).
    fn doubled(&self, pc: usize) -> Option<Value> {
        let value = self.what_is_doubled(pc)?;
        let is_of_loop = matches!(self.flow.definitions[value], Definition::Phi(_));
        (is_of_loop || !self.kernel.source.is_generated).then_some(value)
    }

    fn what_is_doubled(&self, pc: usize) -> Option<Value> {
        let operands = self.flow.reads[pc].operands;
        let [a, b, _] = self.numbers.single(&self.flow.reads[pc]);
        let is_negative = operands[2].is_some_and(|addend| match self.flow.definitions[addend] {
            _ if self.numbers.is_constant(addend) => false,
            Definition::At(at) => self.kernel.code[at].op == Op::NegF32,
            _ => false,
        });
        let doubles = |x: Option<f32>| x == Some(-2.0) || x == Some(2.0) && is_negative;
        match (self.kernel.code[pc].op, doubles(a), doubles(b)) {
            (Op::FmaF32, true, _) => operands[1],
            (Op::FmaF32, _, true) => operands[0],
            _ => None,
        }
    }

    /// Operations that become cheaper ones.
    fn simpler(&mut self, pc: usize) {
        if let Some(value) = self.doubled(pc) {
            let first = *self.numbers.doubled.entry(value).or_insert(pc);
            let is_there = first != pc && self.flow.dominates(first, pc);
            (self.costs[pc].fma, self.costs[pc].add) = (0, if is_there { 1 } else { 2 });
            return;
        }
        let [a, b, _] = self.numbers.single(&self.flow.reads[pc]);
        let is_quick = self.kernel.code[pc].op == Op::DivF64 && self.is_quick_quotient(pc);
        let cost = &mut self.costs[pc];
        match (self.kernel.code[pc].op, a, b) {
            _ if is_quick => cost.fma = 0,
            // Both factors known: their product is one constant, added.
            (Op::FmaF32, Some(a), Some(b)) if a * b != 0.0 => (cost.fma, cost.add) = (0, 1),
            (Op::FmaF32, Some(x), _) | (Op::FmaF32, _, Some(x)) if x.abs() == 1.0 => {
                (cost.fma, cost.add) = (0, 1);
            }
            (Op::DivF32, _, Some(divisor)) if has_exact_reciprocal(divisor) => {
                *cost = Fp32Counts {
                    mul: 1,
                    ..Fp32Counts::default()
                };
                self.ops[pc] = Op::MulF32;
            }
            _ => {}
        }
    }

    /// Whether a quotient of double precision is a reciprocal, or a product with one.
    fn is_quick_quotient(&self, pc: usize) -> bool {
        let [dividend, divisor, _] = self.flow.reads[pc].operands;
        let is_power_of_two = |divisor: f64| {
            let fraction = divisor.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
            divisor.is_normal() && fraction && divisor.recip().is_normal()
        };
        self.double(dividend) == Some(1.0) || self.double(divisor).is_some_and(is_power_of_two)
    }

    /// A value that is a constant of double precision.
    fn double(&self, value: Option<Value>) -> Option<f64> {
        let Definition::At(pc) = self.flow.definitions[value?] else {
            return None;
        };
        let i = self.kernel.code[pc];
        let is_constant = i.op == Op::Const64;
        is_constant.then(|| f64::from_bits(self.kernel.tables.constants[i.imm as usize]))
    }
}

/// What `i` computes from operands that are known.
fn result(i: Instruction, operands: [Option<u32>; 3]) -> Option<u32> {
    if i.op == Op::Const32 {
        return Some(i.imm);
    }
    let [a, b, c] = operands;
    integer(i.op, operands).or_else(|| {
        let [x, y, z] = operands.map(|bits| bits.map(f32::from_bits));
        let single = match i.op {
            Op::I32ToF32 => a? as i32 as f32,
            Op::U32ToF32 => a? as f32,
            Op::AddF32 => x? + y?,
            Op::SubF32 => x? - y?,
            Op::MulF32 => x? * y?,
            // Rounded once, as the GPU does.
            Op::FmaF32 => x?.mul_add(y?, z?),
            Op::DivF32 => x? / y?,
            Op::RcpF32 => 1.0 / x?,
            Op::NegF32 => -x?,
            Op::AbsF32 => x?.abs(),
            Op::MinF32 => x?.min(y?),
            Op::MaxF32 => x?.max(y?),
            Op::Select32 => return if a? != 0 { b } else { c },
            op => function(op, x?, y)?,
        };
        Some(single.to_bits())
    })
}

fn function(op: Op, x: f32, y: Option<f32>) -> Option<f32> {
    Some(match op {
        Op::SqrtF32 | Op::FastSqrtF32 => x.sqrt(),
        Op::FastRcpF32 => x.recip(),
        Op::ExpF32 => x.exp(),
        Op::Exp2F32 => x.exp2(),
        Op::LogF32 => x.ln(),
        Op::Log2F32 => x.log2(),
        Op::Log10F32 => x.log10(),
        Op::SinF32 => x.sin(),
        Op::CosF32 => x.cos(),
        Op::TanF32 => x.tan(),
        Op::TanhF32 | Op::FastTanhF32 => x.tanh(),
        Op::PowF32 => x.powf(y?),
        Op::FloorF32 => x.floor(),
        Op::CeilF32 => x.ceil(),
        Op::TruncF32 => x.trunc(),
        Op::RoundF32 => x.round(),
        _ => return None,
    })
}

fn integer(op: Op, [a, b, c]: [Option<u32>; 3]) -> Option<u32> {
    Some(match op {
        Op::AddI32 => a?.wrapping_add(b?),
        Op::SubI32 => a?.wrapping_sub(b?),
        Op::MulI32 => a?.wrapping_mul(b?),
        Op::MadI32 => a?.wrapping_mul(b?).wrapping_add(c?),
        Op::NegI32 => a?.wrapping_neg(),
        Op::AbsI32 => (a? as i32).wrapping_abs() as u32,
        Op::MinI32 => (a? as i32).min(b? as i32) as u32,
        Op::MaxI32 => (a? as i32).max(b? as i32) as u32,
        Op::And32 => a? & b?,
        Op::Or32 => a? | b?,
        Op::Xor32 => a? ^ b?,
        // As the GPU shifts: by 32 and more, nothing is left.
        Op::Shl32 => a?.checked_shl(b?).unwrap_or(0),
        Op::ShrU32 => a?.checked_shr(b?).unwrap_or(0),
        // A division by zero is left to the GPU.
        Op::DivI32 => (a? as i32).checked_div(b? as i32)? as u32,
        Op::RemI32 => (a? as i32).checked_rem(b? as i32)? as u32,
        Op::LtI32 => u32::from((a? as i32) < b? as i32),
        Op::LeI32 => u32::from(a? as i32 <= b? as i32),
        Op::Eq32 => u32::from(a? == b?),
        Op::Ne32 => u32::from(a? != b?),
        _ => return None,
    })
}

/// Which operand a result is equal to, whatever that is.
fn unchanged(op: Op, [a, b, _]: [Option<f32>; 3]) -> Option<usize> {
    match op {
        Op::MulF32 if a == Some(1.0) => Some(1),
        Op::MulF32 | Op::DivF32 if b == Some(1.0) => Some(0),
        // `x - 0` is `x`, of zeros too; `x + 0` is not: `-0 + 0` is `+0`.
        Op::SubF32 if b.is_some_and(|b| b.to_bits() == 0) => Some(0),
        _ => None,
    }
}

/// Whether dividing by it is multiplying by another number.
fn has_exact_reciprocal(divisor: f32) -> bool {
    // All 23 bits of the fraction are 0: nothing but the exponent is left.
    let is_power_of_two = divisor.to_bits().trailing_zeros() >= f32::MANTISSA_DIGITS - 1;
    // That of 2^127 is not: 2^-127 is subnormal.
    divisor.is_normal() && is_power_of_two && divisor.recip().is_normal()
}

fn commutes(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        // Of a multiply-add only the factors change places; the addend stays where it is.
        AddF32 | MulF32 | FmaF32 | MinF32 | MaxF32 | AddI32 | MulI32 | MadI32 | And32 | Or32
    )
}

/// Whether `nvcc` sees that two instructions do the same. Functions with branches it does not
/// compare.
fn is_shared(op: Op) -> bool {
    use Op::*;
    let is_integer = matches!(
        op,
        AddI32 | SubI32 | MulI32 | MadI32 | NegI32 | And32 | Or32 | Shl32 | ShrI32 | ShrU32
    );
    let is_single = matches!(
        op,
        AddF32 | SubF32 | MulF32 | FmaF32 | DivF32 | FastDivF32 | RcpF32 | NegF32 | AbsF32
    );
    let is_function = matches!(
        op,
        MinF32
            | MaxF32
            | SqrtF32
            | FastSqrtF32
            | FastRcpF32
            | FastTanhF32
            | RsqrtF32
            | ExpF32
            | ExpAddF32
            | Exp2F32
            | LogF32
            | Log2F32
    );
    is_integer || is_single || is_function || matches!(op, I32ToF32 | U32ToF32)
}
