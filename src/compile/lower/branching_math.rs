//! Functions of single precision that take more instructions for some operands than for others, as
//! nvcc 13.0 compiles them for compute capability 9.0.

use super::kernel::Lower;
use super::operator;
use crate::cuda::{Expr, ExprKind, MathFunction, Scalar, Type};
use crate::ir::{Op, Register};

/// Whether `nvcc` compiles an expression to code with branches, which it neither moves out of loops
/// nor sees to be the same elsewhere.
pub(crate) fn has_branches(expr: &Expr) -> bool {
    use MathFunction::{Cos, Pow, Sin, Tan};
    let is_single = expr.ty == Type::Scalar(Scalar::F32);
    is_single && matches!(expr.kind, ExprKind::Math(Sin | Cos | Tan | Pow, _))
}

impl Lower<'_> {
    /// A function with paths, which nothing changes but what is counted.
    pub fn math_with_paths(
        &mut self,
        function: MathFunction,
        operands: &[Register],
        into: Option<Register>,
    ) -> Option<Register> {
        match function {
            MathFunction::Sin => Some(self.wave(Op::SinF32, operands[0], into)),
            MathFunction::Cos => Some(self.wave(Op::CosF32, operands[0], into)),
            MathFunction::Pow => Some(self.power(operands, into)),
            _ => path(function).map(|path| self.one_more(function, path, operands[0], into)),
        }
    }

    /// Sine and cosine are polynomials in the angle from the nearest quarter turn. That of the
    /// cosine has one term more, and half the quarters change the sign.
    fn wave(&mut self, op: Op, angle: Register, into: Option<Register>) -> Register {
        let mut quarter = self.operation(Op::QuarterF32, 1, &[angle], None);
        if op == Op::CosF32 {
            let one = self.emitter.const32(1);
            quarter = self.operation(Op::AddI32, 1, &[quarter, one], None);
        }
        let result = self.result(1, into);
        let angle = self.operation(op, 1, &[angle], Some(result));
        for bit in [1, 2] {
            let bit = self.emitter.const32(bit);
            let takes = self.operation(Op::And32, 1, &[quarter, bit], None);
            self.emitter.open_if(takes);
            self.nothing_more(angle, false);
            self.emitter.close();
        }
        result
    }

    /// Both polynomials, whatever the quarter is.
    pub fn sine_and_cosine(&mut self, angle: Register) -> [Register; 2] {
        [Op::SinF32, Op::CosF32].map(|op| self.operation(op, 1, &[angle], None))
    }

    /// Powers: what is certain to be 1 is not computed, or not looked at further.
    fn power(&mut self, operands: &[Register], into: Option<Register>) -> Register {
        let [base, exponent] = [operands[0], operands[1]];
        let result = match (self.known_single(base), self.known_single(exponent)) {
            (Some(_), None) => self.power_unless(exponent, 0.0, operands),
            (None, Some(known)) if known.trunc() == known => self.whole_power(operands),
            (None, Some(known)) => self.fractional_power(operands, known),
            _ => self.any_power(operands),
        };
        self.settle(result, 1, into)
    }

    fn known_single(&self, register: Register) -> Option<f32> {
        self.emitter.known32(register).map(f32::from_bits)
    }

    fn single(&mut self, value: f32) -> Register {
        self.emitter.const32(value.to_bits())
    }

    /// The power, or 1 where an operand has a value.
    fn power_unless(&mut self, operand: Register, one_at: f32, operands: &[Register]) -> Register {
        let (one_at, one) = (self.single(one_at), self.single(1.0));
        let takes = self.operation(Op::NeF32, 1, &[operand, one_at], None);
        let power = self.emitter.registers(1);
        self.settle(one, 1, Some(power));
        self.emitter.open_if(takes);
        self.operation(Op::PowF32, 1, operands, Some(power));
        self.emitter.close();
        power
    }

    /// A whole exponent that is known: computed for all, and once more for a base of 0.
    fn whole_power(&mut self, operands: &[Register]) -> Register {
        let zero = self.single(0.0);
        let power = self.operation(Op::PowF32, 1, operands, None);
        let is_zero = self.operation(Op::EqF32, 1, &[operands[0], zero], None);
        self.emitter.open_if(is_zero);
        self.nothing_more(power, true);
        self.emitter.close();
        power
    }

    /// Another exponent that is known: computed for bases other than 0 and 1.
    fn fractional_power(&mut self, operands: &[Register], exponent: f32) -> Register {
        let (zero, one) = (self.single(0.0), self.single(1.0));
        let of_zero = self.single(if exponent < 0.0 { f32::INFINITY } else { 0.0 });
        let is_other = self.operation(Op::NeF32, 1, &[operands[0], one], None);
        let is_zero = self.operation(Op::EqF32, 1, &[operands[0], zero], None);
        let power = self.emitter.registers(1);
        self.settle(one, 1, Some(power));
        self.emitter.open_if(is_other);
        self.emitter.open_if(is_zero);
        let sum = self.operation(Op::AddF32, 1, &[operands[0], operands[0]], None);
        let sum = self.operation(Op::AbsF32, 1, &[sum], None);
        self.operation(Op::Or32, 1, &[sum, of_zero], Some(power));
        self.emitter.otherwise();
        self.operation(Op::PowF32, 1, operands, Some(power));
        self.emitter.close();
        self.emitter.close();
        power
    }

    /// Computed for all; where it is not 1 anyway, whether the exponent is odd is found out too.
    fn any_power(&mut self, operands: &[Register]) -> Register {
        let [base, exponent] = [operands[0], operands[1]];
        let (zero, one, half) = (self.single(0.0), self.single(1.0), self.single(0.5));
        let power = self.operation(Op::PowF32, 1, operands, None);
        let other_base = self.operation(Op::NeF32, 1, &[base, one], None);
        let other_exponent = self.operation(Op::NeF32, 1, &[exponent, zero], None);
        let takes = self.operation(Op::And32, 1, &[other_base, other_exponent], None);
        self.emitter.open_if(takes);
        let halved = self.operation(Op::MulF32, 1, &[exponent, half], None);
        let whole = self.operation(Op::TruncF32, 1, &[halved], None);
        let even = self.operation(Op::AddF32, 1, &[whole, whole], None);
        let odd = self.operation(Op::SubF32, 1, &[exponent, even], None);
        self.operation(Op::Select32, 1, &[odd, power, power], Some(power));
        self.emitter.close();
        power
    }

    /// One addition or multiply-add that leaves `result` as it is.
    fn nothing_more(&mut self, result: Register, adds: bool) {
        let (minus, plus) = (self.emitter.const32(1 << 31), self.emitter.const32(0));
        // Adding -0 leaves every number as it is, zeros too.
        match adds {
            true => self.operation(Op::AddF32, 1, &[result, minus], Some(result)),
            false => self.operation(Op::FmaF32, 1, &[minus, plus, result], Some(result)),
        };
    }

    /// A function with one instruction more for some operands: it is carried out for them, though it
    /// changes nothing here.
    fn one_more(
        &mut self,
        function: MathFunction,
        path: Path,
        operand: Register,
        into: Option<Register>,
    ) -> Register {
        let limit = self.emitter.const32(path.limit.to_bits());
        let size = self.operation(Op::AbsF32, 1, &[operand], None);
        let compared = match path.is_above {
            true => [limit, size],
            false => [size, limit],
        };
        let takes = self.operation(Op::LtF32, 1, &compared, None);
        let op = operator::math(function, Scalar::F32).expect("it is an operation");
        let result = self.operation(op, 1, &[operand], into);
        self.emitter.open_if(takes);
        self.nothing_more(result, path.adds);
        self.emitter.close();
        result
    }
}

/// Operands that a function takes one instruction more for.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// What their absolute value is compared with.
    limit: f32,
    is_above: bool,
    /// Whether the instruction is an addition, or else a multiply-add.
    adds: bool,
}

/// As nvcc 13.0 compiles the functions for compute capability 9.0.
fn path(function: MathFunction) -> Option<Path> {
    let (limit, is_above, adds) = match function {
        MathFunction::Tanh => (0.6, false, false),
        MathFunction::Erf => (1.002_96, true, true),
        MathFunction::Sinh => (1.0, false, false),
        MathFunction::Asin => (0.56, true, false),
        _ => return None,
    };
    Some(Path {
        limit,
        is_above,
        adds,
    })
}
