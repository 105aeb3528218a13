//! Calls: device functions inlined, and mathematical functions.

use super::kernel::{Context, Home, Lower, words};
use super::operator::{self, Kind, kind};
use crate::compile::analysis::Sum;
use crate::compile::analysis::is_fixed;
use crate::compile::emit::FrameKind;
use crate::cuda::{Expr, ExprKind, FunctionId, MathFunction, Place, Scalar, Stmt, StmtKind, Type};
use crate::ir::{Op, Register};

/// An argument of an inlined function.
enum Passed {
    /// A value, and what it stands for.
    Value(Register, Option<Sum>),
    /// What the reference stands for.
    Alias(Place),
}

impl Lower<'_> {
    /// A device function inlined; its value, if it has one, in `into` or fresh registers.
    pub fn call(&mut self, id: FunctionId, arguments: &[Expr], into: Option<Register>) -> Register {
        let program = self.program;
        let function = &program.functions[id];
        let locals = &function.locals;
        let passed: Vec<Passed> = arguments
            .iter()
            .zip(locals)
            .map(|(argument, local)| self.pass(argument, local.is_reference))
            .collect();
        // Not `into`: it may be the home of a variable that an argument still reads.
        let result = self.emitter.registers(words(&function.returns));
        for (local, passed) in passed.into_iter().enumerate() {
            match passed {
                Passed::Alias(place) => {
                    let caller = self.context.function;
                    self.aliases.insert((id, local), (caller, place));
                }
                Passed::Value(value, sum) => {
                    self.aliases.remove(&(id, local));
                    self.store_local((id, local), &locals[local], value);
                    if let Home::Register(home) = self.home_in(id, local) {
                        self.stands_for((home, words(&locals[local].ty)), sum);
                    }
                }
            }
        }
        let number = self.function_number(id);
        let calling = match function.is_library {
            true => None,
            false => Some(self.emitter.enter(number)),
        };
        let in_library = self.emitter.set_in_library(function.is_library);
        let has_frame = returns_early(&function.body);
        let caller = std::mem::replace(
            &mut self.context,
            Context {
                function: id,
                result,
                has_frame,
            },
        );
        if has_frame {
            self.emitter.open_scope(FrameKind::Function);
        }
        let is_last = std::mem::take(&mut self.is_last);
        self.statements(&function.body);
        self.is_last = is_last;
        if has_frame {
            self.emitter.close();
        }
        self.context = caller;
        self.emitter.set_in_library(in_library);
        if let Some(calling) = calling {
            self.emitter.resume(&calling);
        }
        self.settle(result, words(&function.returns), into)
    }

    /// An argument: as the place itself where a reference to one of the caller's variables is meant.
    fn pass(&mut self, argument: &Expr, is_reference: bool) -> Passed {
        match &argument.kind {
            ExprKind::AddressOf(place) if is_reference && is_fixed(place) => {
                Passed::Alias(place.clone())
            }
            // A value, put into a variable without a name for the reference to refer to.
            ExprKind::Comma(first, second) if is_reference => {
                self.effect(first);
                self.pass(second, is_reference)
            }
            _ => {
                let sum = self.sum_of_value(argument);
                Passed::Value(self.expr(argument, None), sum)
            }
        }
    }

    pub fn math(
        &mut self,
        function: MathFunction,
        operands: &[Expr],
        expr: &Expr,
        into: Option<Register>,
    ) -> Register {
        let registers: Vec<Register> = operands
            .iter()
            .map(|operand| self.expr(operand, None))
            .collect();
        let of = operands.first().map(|operand| operand.ty.clone());
        if let Some(Type::Vector(of, lanes)) = of {
            return self.each(lanes, &Type::Scalar(of), into, |lower, i, into| {
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
        if kind(scalar) == Kind::F32
            && let Some(result) = self.math_with_paths(function, registers, into)
        {
            return result;
        }
        if let Some(op) = operator::math(function, scalar) {
            return self.operation(op, size, registers, into);
        }
        match (function, kind(scalar)) {
            (MathFunction::Bitcast, _) => self.settle(registers[0], size, into),
            (MathFunction::SignBit, kind) => {
                let high = if kind == Kind::F64 { 1 } else { 0 };
                let zero = self.emitter.const32(0);
                self.operation(Op::LtI32, 1, &[registers[0] + high, zero], into)
            }
            (_, Kind::F16 | Kind::Bf16) => self.math_of_half(function, scalar, registers, into),
            (MathFunction::IsNan, Kind::F32) => {
                self.operation(Op::NeF32, 1, &[registers[0], registers[0]], into)
            }
            (MathFunction::IsNan, Kind::F64) => {
                self.operation(Op::NeF64, 1, &[registers[0], registers[0]], into)
            }
            (MathFunction::IsInf, Kind::F32) => {
                let infinity = self.emitter.const32(f32::INFINITY.to_bits());
                let absolute = self.operation(Op::AbsF32, 1, registers, None);
                self.operation(Op::EqF32, 1, &[absolute, infinity], into)
            }
            (MathFunction::IsInf, Kind::F64) => {
                let infinity = self.emitter.const64(f64::INFINITY.to_bits());
                let absolute = self.operation(Op::AbsF64, 2, registers, None);
                self.operation(Op::EqF64, 1, &[absolute, infinity], into)
            }
            (MathFunction::Abs, Kind::Int64 { .. }) => {
                let negated = self.operation(Op::NegI64, 2, registers, None);
                self.operation(Op::MaxI64, 2, &[registers[0], negated], into)
            }
            _ => self.fast_math(function, registers, into),
        }
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
        let wide: Vec<Register> = registers
            .iter()
            .map(|&register| self.operation(up, 1, &[register], None))
            .collect();
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
        match function {
            MathFunction::FastExp => {
                let log2_e = self.emitter.const32(std::f32::consts::LOG2_E.to_bits());
                let scaled = self.operation(Op::MulF32, 1, &[operands[0], log2_e], None);
                self.operation(Op::Exp2F32, 1, &[scaled], into)
            }
            MathFunction::FastLog => {
                let ln_2 = self.emitter.const32(std::f32::consts::LN_2.to_bits());
                let log2 = self.operation(Op::FastLog2F32, 1, &[operands[0]], None);
                self.operation(Op::MulF32, 1, &[log2, ln_2], into)
            }
            MathFunction::FastLog10 => {
                let log10_2 = self.emitter.const32(std::f32::consts::LOG10_2.to_bits());
                let log2 = self.operation(Op::FastLog2F32, 1, &[operands[0]], None);
                self.operation(Op::MulF32, 1, &[log2, log10_2], into)
            }
            MathFunction::FastExp10 => {
                let log2_10 = self.emitter.const32(std::f32::consts::LOG2_10.to_bits());
                let scaled = self.operation(Op::MulF32, 1, &[operands[0], log2_10], None);
                self.operation(Op::Exp2F32, 1, &[scaled], into)
            }
            MathFunction::FastTan => {
                let sine = self.operation(Op::FastSinF32, 1, &[operands[0]], None);
                let cosine = self.operation(Op::FastCosF32, 1, &[operands[0]], None);
                self.operation(Op::FastDivF32, 1, &[sine, cosine], into)
            }
            MathFunction::FastPow => {
                let log2 = self.operation(Op::FastLog2F32, 1, &[operands[0]], None);
                let scaled = self.operation(Op::MulF32, 1, &[operands[1], log2], None);
                self.operation(Op::Exp2F32, 1, &[scaled], into)
            }
            _ => unreachable!("{function:?} of floats is an operation"),
        }
    }
}

/// Whether a `return` stands anywhere but at the end of `body`.
fn returns_early(body: &[Stmt]) -> bool {
    let Some((last, before)) = body.split_last() else {
        return false;
    };
    before.iter().any(returns) || (returns(last) && !matches!(last.kind, StmtKind::Return(_)))
}

fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(body) | StmtKind::Loop { body, .. } => body.iter().any(returns),
        StmtKind::If {
            then, otherwise, ..
        } => then.iter().chain(otherwise).any(returns),
        StmtKind::Switch { sections, .. } => {
            let mut bodies = sections.iter().flat_map(|section| &section.body);
            bodies.any(returns)
        }
        _ => false,
    }
}
