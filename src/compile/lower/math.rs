//! Mathematical functions.
//!
//! Some functions of single precision take more instructions for some operands than for others, as nvcc
//! 13.0 compiles them for compute capability 9.0: those have branches here too, which change nothing but
//! what is counted.

use super::lowering::Lower;
use super::operator::{self, Kind, kind};
use crate::compile::tree::words;
use crate::cuda::{Expr, MathFunction, Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    pub fn math(
        &mut self,
        function: MathFunction,
        operands: &[Expr],
        expr: &Expr,
        into: Option<Register>,
    ) -> Register {
        let registers = self.operands(operands);
        let of = operands.first().map(|operand| operand.ty.clone());
        if let Some(Type::Vector(of, lanes)) = of {
            return self.per_component(lanes, &Type::Scalar(of), into, |lower, i, into| {
                let registers: Vec<Register> = registers.iter().map(|first| first + i).collect();
                lower.math_of(function, of, &registers, 1, into)
            });
        }
        let scalar = of.and_then(|of| of.scalar()).unwrap_or(Scalar::F32);
        self.math_of(function, scalar, &registers, words(&expr.ty), into)
    }

    /// `function` of operands of type `scalar`, with a result of `size` registers.
    pub fn math_of(
        &mut self,
        function: MathFunction,
        scalar: Scalar,
        registers: &[Register],
        size: u32,
        into: Option<Register>,
    ) -> Register {
        // These are single operations as well, but those do not count what some lanes do beyond them.
        if kind(scalar) == Kind::F32
            && let Some(result) = self.math_with_paths(function, registers, into)
        {
            return result;
        }
        if let Some(op) = operator::math(function, scalar) {
            return self.operation(op, size, registers, into);
        }
        match (function, kind(scalar)) {
            (MathFunction::Bitcast, _) => self.copy_to(registers[0], size, into),
            (MathFunction::SignBit, kind) => {
                // The sign is the top bit of the last word.
                let high = if kind == Kind::F64 { 1 } else { 0 };
                let zero = self.emitter.registers.const32(0);
                self.operation(Op::LtI32, 1, &[registers[0] + high, zero], into)
            }
            (_, Kind::F16 | Kind::Bf16) => self.math_of_half(function, scalar, registers, into),
            (MathFunction::IsNan | MathFunction::IsInf, kind) => {
                self.is_special(function, kind == Kind::F64, registers, into)
            }
            // There is no such instruction: of a number and its negative, the greater.
            (MathFunction::Abs, Kind::Int64 { .. }) => {
                let negated = self.operation(Op::NegI64, 2, registers, None);
                self.operation(Op::MaxI64, 2, &[registers[0], negated], into)
            }
            _ => self.fast_math(function, registers, into),
        }
    }

    /// Whether a number is not a number, or is infinite.
    fn is_special(
        &mut self,
        function: MathFunction,
        is_double: bool,
        registers: &[Register],
        into: Option<Register>,
    ) -> Register {
        let pick = |single, double| if is_double { double } else { single };
        if function == MathFunction::IsNan {
            // Only NaN differs from itself.
            let operands = [registers[0], registers[0]];
            return self.operation(pick(Op::NeF32, Op::NeF64), 1, &operands, into);
        }
        let infinity = match is_double {
            true => self.emitter.registers.const64(f64::INFINITY.to_bits()),
            false => self.emitter.registers.const32(f32::INFINITY.to_bits()),
        };
        let size = if is_double { 2 } else { 1 };
        let absolute = self.operation(pick(Op::AbsF32, Op::AbsF64), size, registers, None);
        self.operation(pick(Op::EqF32, Op::EqF64), 1, &[absolute, infinity], into)
    }

    /// Through single precision, as the GPU computes what it has no instruction of 16 bits for.
    fn math_of_half(
        &mut self,
        function: MathFunction,
        of: Scalar,
        registers: &[Register],
        into: Option<Register>,
    ) -> Register {
        let (up, down) = match of {
            Scalar::F16 => (Op::F16ToF32, Op::F32ToF16),
            _ => (Op::Bf16ToF32, Op::F32ToBf16),
        };
        let wide = registers.iter();
        // Most functions have no 16-bit instruction: nvcc computes them in single precision and rounds once.
        let wide: Vec<Register> = wide
            .map(|&register| self.operation(up, 1, &[register], None))
            .collect();
        // They give an `int`, which is not narrowed again.
        if matches!(function, MathFunction::IsNan | MathFunction::IsInf) {
            return self.math_of(function, Scalar::F32, &wide, 1, into);
        }
        let result = self.math_of(function, Scalar::F32, &wide, 1, None);
        self.operation(down, 1, &[result], into)
    }

    /// The intrinsics that the hardware computes through powers and logarithms of 2: CUDA's
    /// programming guide defines `__expf(x)` as `ex2.approx(x * log2(e))`, `__logf(x)` as
    /// `lg2.approx(x) * ln(2)` and `__powf(x, y)` as `ex2.approx(y * lg2.approx(x))`.
    fn fast_math(
        &mut self,
        function: MathFunction,
        operands: &[Register],
        into: Option<Register>,
    ) -> Register {
        use std::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};
        let x = operands[0];
        match function {
            // The hardware has powers and logarithms to base 2; other bases cost a multiplication.
            MathFunction::FastExp => self.exp2_scaled(x, LOG2_E, into),
            MathFunction::FastExp10 => self.exp2_scaled(x, LOG2_10, into),
            MathFunction::FastLog => self.log2_scaled(x, LN_2, into),
            MathFunction::FastLog10 => self.log2_scaled(x, LOG10_2, into),
            MathFunction::FastTan => {
                let sine = self.operation(Op::FastSinF32, 1, &[x], None);
                let cosine = self.operation(Op::FastCosF32, 1, &[x], None);
                self.operation(Op::FastDivF32, 1, &[sine, cosine], into)
            }
            MathFunction::FastPow => {
                let log2 = self.operation(Op::FastLog2F32, 1, &[x], None);
                let scaled = self.operation(Op::MulF32, 1, &[operands[1], log2], None);
                self.exp2(scaled, into)
            }
            _ => unreachable!("{function:?} of floats is an operation"),
        }
    }

    fn exp2_scaled(&mut self, x: Register, factor: f32, into: Option<Register>) -> Register {
        let factor = self.single(factor);
        let scaled = self.operation(Op::MulF32, 1, &[x, factor], None);
        self.exp2(scaled, into)
    }

    fn log2_scaled(&mut self, x: Register, factor: f32, into: Option<Register>) -> Register {
        let factor = self.single(factor);
        let log2 = self.operation(Op::FastLog2F32, 1, &[x], None);
        self.operation(Op::MulF32, 1, &[log2, factor], into)
    }
}

/// Functions with branches.
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
            MathFunction::Exp2 => Some(self.exp2(operands[0], into)),
            MathFunction::Sqrt if self.counts_paths() => Some(self.root(operands[0], into)),
            _ => {
                let op = operator::math(function, Scalar::F32)?;
                Some(self.with_more(op, paths(function)?, operands[0], into))
            }
        }
    }

    /// Sine and cosine are polynomials in the angle from the nearest quarter turn. That of the
    /// cosine has one term more, and half the quarters change the sign.
    fn wave(&mut self, op: Op, angle: Register, into: Option<Register>) -> Register {
        // The counts of a warp depend on the angles of its lanes: both paths run where they differ, as on the GPU.
        let mut quarter = self.operation(Op::QuarterF32, 1, &[angle], None);
        if op == Op::CosF32 {
            let one = self.emitter.registers.const32(1);
            quarter = self.operation(Op::AddI32, 1, &[quarter, one], None);
        }
        let result = self.result(1, into);
        let angle = self.operation(op, 1, &[angle], Some(result));
        // An odd quarter takes the cosine's polynomial, and half of them the other sign.
        for bit in [1, 2] {
            let bit = self.emitter.registers.const32(bit);
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
            // What nvcc makes of a power depends on which of both it knows; each form has counts of its own.
            (Some(_), None) => self.power_unless(exponent, 0.0, operands),
            (None, Some(known)) if known.trunc() == known => self.whole_power(operands),
            (None, Some(known)) => self.fractional_power(operands, known),
            _ => self.any_power(operands),
        };
        self.copy_to(result, 1, into)
    }

    fn known_single(&self, register: Register) -> Option<f32> {
        // Constants are pinned registers, so what an operand holds is known by its number.
        self.emitter.registers.known32(register).map(f32::from_bits)
    }

    fn single(&mut self, value: f32) -> Register {
        self.emitter.registers.const32(value.to_bits())
    }

    /// The power, or 1 where an operand has a value.
    fn power_unless(&mut self, operand: Register, one_at: f32, operands: &[Register]) -> Register {
        let (one_at, one) = (self.single(one_at), self.single(1.0));
        let takes = self.operation(Op::NeF32, 1, &[operand, one_at], None);
        let power = self.emitter.registers.take(1);
        self.copy_to(one, 1, Some(power));
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
        let power = self.emitter.registers.take(1);
        self.copy_to(one, 1, Some(power));
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
        // The sign of a negative base's power: `PowF32` has it right, so that only the instructions are counted.
        self.operation(Op::Select32, 1, &[odd, power, power], Some(power));
        self.emitter.close();
        power
    }

    /// One addition or multiply-add that leaves `result` as it is.
    fn nothing_more(&mut self, result: Register, adds: bool) {
        let (minus, plus) = (
            self.emitter.registers.const32(1 << 31),
            self.emitter.registers.const32(0),
        );
        // Adding -0 leaves every number as it is, zeros too.
        match adds {
            true => self.operation(Op::AddF32, 1, &[result, minus], Some(result)),
            // -0 * 0 is -0, too.
            false => self.operation(Op::FmaF32, 1, &[minus, plus, result], Some(result)),
        };
    }

    /// A function with more instructions for some operands: they are carried out for them, though they change nothing
    /// here.
    fn with_more(
        &mut self,
        op: Op,
        paths: &[Path],
        operand: Register,
        into: Option<Register>,
    ) -> Register {
        // Compared before the result is written, which may go where the operand is.
        let takes: Vec<Register> = paths.iter().map(|path| self.takes(path, operand)).collect();
        let result = self.operation(op, 1, &[operand], into);
        for (path, takes) in paths.iter().zip(takes) {
            self.emitter.open_if(takes);
            self.more(result, takes, path.more);
            self.emitter.close();
        }
        result
    }

    /// Whether an operand takes a path.
    fn takes(&mut self, path: &Path, operand: Register) -> Register {
        let limit = self.emitter.registers.const32(path.limit.to_bits());
        let compared = match path.side {
            LimitSide::Below => [operand, limit],
            LimitSide::Above => [limit, operand],
            LimitSide::SizeBelow => [self.operation(Op::AbsF32, 1, &[operand], None), limit],
            LimitSide::SizeAbove => [limit, self.operation(Op::AbsF32, 1, &[operand], None)],
        };
        self.operation(Op::LtF32, 1, &compared, None)
    }

    /// So many additions, multiplications and multiply-adds that leave `result` as it is, for lanes that take them.
    fn more(&mut self, result: Register, takes: Register, [adds, muls, fmas]: [u32; 3]) {
        (0..adds).for_each(|_| self.nothing_more(result, true));
        (0..fmas).for_each(|_| self.nothing_more(result, false));
        let mut product = result;
        for _ in 0..muls {
            product = self.operation(Op::MulF32, 1, &[product, product], None);
        }
        if muls > 0 {
            // Somebody must need the products, or they are not made.
            self.operation(Op::Select32, 1, &[takes, result, product], Some(result));
        }
    }

    /// A power of 2: below the smallest normal result its operand and result are scaled.
    fn exp2(&mut self, x: Register, into: Option<Register>) -> Register {
        let path = Path::new(LimitSide::Below, -126.0, [0, 2, 0]);
        match self.counts_paths() {
            true => self.with_more(Op::Exp2F32, &[path], x, into),
            false => self.operation(Op::Exp2F32, 1, &[x], into),
        }
    }

    /// A root that is rounded to the nearest: of 0, of what is negative or infinite nothing is computed.
    fn root(&mut self, x: Register, into: Option<Register>) -> Register {
        // As in nvcc's code: bits of the operand, without those of 2^-101, are those of a number up to the greatest.
        let (least, most) = (0x0d00_0000, 0x727f_ffff);
        let (least, most) = (
            self.emitter.registers.const32(least),
            self.emitter.registers.const32(most),
        );
        let above = self.operation(Op::SubI32, 1, &[x, least], None);
        let is_usual = self.operation(Op::LeU32, 1, &[above, most], None);
        let root = self.emitter.registers.take(1);
        self.emitter.open_if(is_usual);
        self.operation(Op::SqrtF32, 1, &[x], Some(root));
        self.emitter.otherwise();
        self.operation(Op::FastSqrtF32, 1, &[x], Some(root));
        self.emitter.close();
        self.copy_to(root, 1, into)
    }

    /// Whether what only some operands take is counted: in what Triton compiles, small powers of 2 are 0.
    fn counts_paths(&self) -> bool {
        self.optimises() && !self.context.is_generated
    }
}

/// Operands that a function takes more instructions for.
#[derive(Clone, Copy, Debug)]
struct Path {
    side: LimitSide,
    limit: f32,
    /// Additions, multiplications and multiply-adds.
    more: [u32; 3],
}

/// On which side of a limit an operand lies, or its absolute value.
#[derive(Clone, Copy, Debug)]
enum LimitSide {
    Below,
    Above,
    SizeBelow,
    SizeAbove,
}

impl Path {
    const fn new(side: LimitSide, limit: f32, more: [u32; 3]) -> Self {
        Path { side, limit, more }
    }
}

/// As nvcc 13.0 compiles the functions for compute capability 9.0, and an H200 counted them for 58 operands from
/// -infinity to infinity.
fn paths(function: MathFunction) -> Option<&'static [Path]> {
    use LimitSide::*;
    const TANH: &[Path] = &[Path::new(SizeBelow, 0.6, [0, 0, 1])];
    const ERF: &[Path] = &[Path::new(SizeAbove, 1.002_96, [1, 0, 0])];
    const ERFC: &[Path] = &[Path::new(Below, 0.0, [1, 0, 0])];
    const SINH: &[Path] = &[Path::new(SizeBelow, 1.0, [0, 0, 1])];
    const ASIN: &[Path] = &[Path::new(SizeAbove, 0.56, [0, 0, 1])];
    const ACOS: &[Path] = &[
        Path::new(Below, 0.56, [0, 0, 1]),
        Path::new(SizeAbove, 0.56, [1, 0, 0]),
    ];
    const ATAN: &[Path] = &[Path::new(SizeAbove, 1.0, [0, 0, 1])];
    const NORM_CDF: &[Path] = &[
        Path::new(Above, 0.0, [1, 0, 0]),
        Path::new(Below, -1.0, [2, 2, 1]),
    ];
    Some(match function {
        MathFunction::Tanh => TANH,
        MathFunction::Erf => ERF,
        MathFunction::Erfc => ERFC,
        MathFunction::Sinh => SINH,
        MathFunction::Asin => ASIN,
        MathFunction::Acos => ACOS,
        MathFunction::Atan => ATAN,
        MathFunction::NormCdf => NORM_CDF,
        _ => return None,
    })
}
