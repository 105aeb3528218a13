//! Arithmetic: operators on numbers and vectors, fused multiply-adds, and conversions.

use super::lowering::Lower;
use super::operator::{self, BinaryOperation, Kind, kind};
use crate::compile::optimise::{Contraction, FusedOps, Product};
use crate::compile::tree::words;
use crate::cuda::{BinaryOp, Expr, ExprKind, Scalar, Type, UnaryOp};
use crate::ir::{Op, Register};

/// Operators.
impl Lower<'_> {
    pub fn unary(&mut self, op: UnaryOp, operand: &Expr, into: Option<Register>) -> Register {
        let register = self.expr(operand, None);
        if let Type::Vector(of, lanes) = operand.ty {
            // Only `__half2` and `__nv_bfloat162` have operators; CUDA's `float4` has none.
            return self.per_component(lanes, &Type::Scalar(of), into, |lower, i, into| {
                lower.operation(Op::NegB16, 1, &[register + i], into)
            });
        }
        let scalar = operand.ty.scalar().unwrap_or(Scalar::I32);
        let words = words(&operand.ty);
        let op = match (op, kind(scalar)) {
            (UnaryOp::LogicalNot, _) => {
                let zero = self.emitter.registers.const32(0);
                return self.operation(Op::Eq32, 1, &[register, zero], into);
            }
            (UnaryOp::Negate, Kind::Int32 { .. }) => Op::NegI32,
            (UnaryOp::Negate, Kind::Int64 { .. }) => Op::NegI64,
            (UnaryOp::Negate, Kind::F16 | Kind::Bf16) => Op::NegB16,
            (UnaryOp::Negate, Kind::F32) => Op::NegF32,
            (UnaryOp::Negate, Kind::F64) => Op::NegF64,
            (UnaryOp::BitNot, Kind::Int64 { .. }) => Op::Not64,
            (UnaryOp::BitNot, _) => Op::Not32,
        };
        self.operation(op, words, &[register], into)
    }

    pub fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, into: Option<Register>) -> Register {
        // `-fmad=true` is nvcc's default, so the values are those of fused operations too.
        if let Some(contraction) = Contraction::of(op, a, b) {
            return self.contracted(op, contraction, into);
        }
        // `x * 2` is `x + x` to nvcc.
        if let (BinaryOp::Mul, Some(doubled)) = (op, doubled(a, b)) {
            let register = self.expr(doubled, None);
            return self.operation(Op::AddF32, 1, &[register, register], into);
        }
        // nvcc has a shorter sequence for reciprocals than for quotients.
        if op == BinaryOp::Div && is_f32(a, 1.0) {
            let register = self.expr(b, None);
            return self.operation(Op::RcpF32, 1, &[register], into);
        }
        let (left, right) = (self.expr(a, None), self.expr(b, None));
        self.binary_of(op, left, right, &a.ty, into)
    }

    pub fn binary_of(
        &mut self,
        op: BinaryOp,
        a: Register,
        b: Register,
        ty: &Type,
        into: Option<Register>,
    ) -> Register {
        if let Type::Vector(of, lanes) = *ty {
            let component = Type::Scalar(of);
            return self.per_component(lanes, &component, into, |lower, i, into| {
                lower.binary_of(op, a + i, b + i, &component, into)
            });
        }
        // Pointers compare as unsigned addresses.
        let scalar = ty.scalar().unwrap_or(Scalar::U64);
        // A `bool` is one word, whatever was compared.
        let words = if op.is_comparison() { 1 } else { words(ty) };
        let BinaryOperation { op, is_swapped } = operator::binary(op, scalar);
        let operands = if is_swapped { [b, a] } else { [a, b] };
        self.operation(op, words, &operands, into)
    }

    /// A vector whose components `f` computes, from the number of a component's first register.
    pub fn per_component(
        &mut self,
        lanes: u32,
        component: &Type,
        into: Option<Register>,
        mut f: impl FnMut(&mut Self, Register, Option<Register>) -> Register,
    ) -> Register {
        let size = words(component);
        // Not `into`: a later component may still read the variable whose register it is.
        let result = self.emitter.registers.take(lanes * size);
        for i in 0..lanes {
            let offset = (i * size) as Register;
            f(self, offset, Some(result + offset));
        }
        self.copy_to(result, lanes * size, into)
    }

    /// A sum that takes in a product, as a fused multiply-add.
    fn contracted(
        &mut self,
        op: BinaryOp,
        contraction: Contraction,
        into: Option<Register>,
    ) -> Register {
        match contraction {
            Contraction::Sum { addend, product } => {
                let addend = self.expr(addend, None);
                self.add_product(op, addend, product, into)
            }
            Contraction::Difference {
                fused,
                factors,
                subtrahend,
            } => {
                let [x, y] = factors.map(|factor| self.expr(factor, None));
                let subtrahend = self.expr(subtrahend, None);
                // There is no fused multiply-subtract among the operations, and a sign changes no rounding.
                let negated = self.fused(fused, fused.negate, &[subtrahend], None);
                self.fused(fused, fused.fma, &[x, y, negated], into)
            }
        }
    }

    /// `addend ± product`.
    pub fn add_product(
        &mut self,
        op: BinaryOp,
        addend: Register,
        product: Product,
        into: Option<Register>,
    ) -> Register {
        match product {
            Product::Exponential { exponent } => {
                let exponent = self.expr(exponent, None);
                self.operation(Op::ExpAddF32, 1, &[exponent, addend], into)
            }
            Product::Of { fused, factors } => {
                let [mut x, y] = factors.map(|factor| self.expr(factor, None));
                // `c - x * y` is `fma(-x, y, c)`.
                if op == BinaryOp::Sub {
                    x = self.fused(fused, fused.negate, &[x], None);
                }
                self.fused(fused, fused.fma, &[x, y, addend], into)
            }
        }
    }

    /// One of the operations that fuse, on each component.
    fn fused(
        &mut self,
        fused: FusedOps,
        op: Op,
        operands: &[Register],
        into: Option<Register>,
    ) -> Register {
        let component = Type::Scalar(fused.scalar);
        let size = words(&component);
        if fused.lanes == 1 {
            return self.operation(op, size, operands, into);
        }
        self.per_component(fused.lanes, &component, into, |lower, i, into| {
            let operands: Vec<Register> = operands.iter().map(|first| first + i).collect();
            lower.operation(op, size, &operands, into)
        })
    }
}

/// Whether `expr` is the single-precision constant `value`.
fn is_f32(expr: &Expr, value: f32) -> bool {
    expr.ty == Type::Scalar(Scalar::F32)
        && matches!(expr.kind, ExprKind::Constant(bits) if bits as u32 == value.to_bits())
}

/// The factor that the single-precision constant 2 multiplies.
fn doubled<'a>(a: &'a Expr, b: &'a Expr) -> Option<&'a Expr> {
    match (is_f32(a, 2.0), is_f32(b, 2.0)) {
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => None,
    }
}

/// Conversions.
impl Lower<'_> {
    /// The value in `register` converted; the register itself where its bits already are right.
    pub(crate) fn convert(
        &mut self,
        register: Register,
        from: &Type,
        to: &Type,
        into: Option<Register>,
    ) -> Register {
        if let Type::Vector(to, lanes) = to {
            let to_component = Type::Scalar(*to);
            let (from, step) = match from {
                Type::Vector(from, _) => (*from, words(&Type::Scalar(*from))),
                // A scalar goes to every component.
                from => (from.scalar().unwrap_or(*to), 0),
            };
            let size = words(&to_component);
            return self.per_component(*lanes, &to_component, into, |lower, at, into| {
                // `at` counts registers of the result, whose components may take more or fewer than the source's.
                let component = register + at / size as Register * step as Register;
                let register = lower.convert_scalar(component, from, *to, into);
                lower.copy_to(register, size, into)
            });
        }
        // Pointers are 64-bit integers; the checker allows no other conversions of them but the test
        // against null.
        let scalar = |ty: &Type| match ty {
            Type::Pointer { .. } => Some(Scalar::U64),
            ty => ty.scalar(),
        };
        match (scalar(from), scalar(to)) {
            (Some(from), Some(to)) => self.convert_scalar(register, from, to, into),
            _ => self.copy_to(register, words(to), into),
        }
    }

    fn convert_scalar(
        &mut self,
        register: Register,
        from: Scalar,
        to: Scalar,
        into: Option<Register>,
    ) -> Register {
        let words = to.size_bytes().div_ceil(4);
        if from == to {
            return self.copy_to(register, words, into);
        }
        // Halves become other types by way of single precision, which holds all of their values.
        if from.is_half() && to != Scalar::F32 {
            let single = self.convert_scalar(register, from, Scalar::F32, None);
            return self.convert_scalar(single, Scalar::F32, to, into);
        }
        if to == Scalar::Bool {
            return self.as_bool(register, from, into);
        }
        // Not by way of single precision, which would round twice.
        if to.is_half() && matches!(kind(from), Kind::Int32 { .. }) {
            let pick = |signed, unsigned| if from.is_signed() { signed } else { unsigned };
            let wide = pick(Scalar::I64, Scalar::U64);
            let integer = self.convert_scalar(register, from, wide, None);
            return self.convert_scalar(integer, wide, to, into);
        }
        let Some(op) = conversion(from, to) else {
            return self.narrow(register, to, into);
        };
        // The conversion gives 32 bits; 8 and 16 are cut out of them.
        let narrows = to.size_bytes() < 4 && !to.is_half();
        let target = if narrows { None } else { into };
        let result = self.operation(op, words, &[register], target);
        if narrows {
            self.narrow(result, to, into)
        } else {
            result
        }
    }

    fn as_bool(&mut self, register: Register, from: Scalar, into: Option<Register>) -> Register {
        let (op, zero) = match kind(from) {
            Kind::Int32 { .. } => (Op::Ne32, self.emitter.registers.const32(0)),
            // As floats: -0 is false, though its bits are not 0, and a NaN is true.
            Kind::F32 => (Op::NeF32, self.emitter.registers.const32(0)),
            Kind::Int64 { .. } => (Op::Ne64, self.emitter.registers.const64(0)),
            Kind::F64 => (Op::NeF64, self.emitter.registers.const64(0)),
            Kind::F16 | Kind::Bf16 => unreachable!("they become single precision first"),
        };
        let result = self.result(1, into);
        self.emitter.op(op, result, &[register, zero], 0);
        result
    }

    /// The low bits of a 32-bit integer as a type of at most 32 bits, extended again.
    fn narrow(&mut self, register: Register, to: Scalar, into: Option<Register>) -> Register {
        let op = match to {
            Scalar::Char | Scalar::I8 => Op::SextI8,
            Scalar::U8 => Op::ZextU8,
            Scalar::I16 => Op::SextI16,
            Scalar::U16 => Op::ZextU16,
            _ => return self.copy_to(register, to.size_bytes().div_ceil(4), into),
        };
        let result = self.result(1, into);
        self.emitter.op(op, result, &[register], 0);
        result
    }
}

/// The operation that converts, up to narrowing below 32 bits; nothing where the low word (of
/// integers) or the same bits will do.
fn conversion(from: Scalar, to: Scalar) -> Option<Op> {
    use Kind::*;
    let signed = from.is_signed();
    let pick = |yes, no| Some(if signed { yes } else { no });
    match (kind(from), kind(to)) {
        (Int32 { .. }, Int64 { .. }) => pick(Op::I32ToI64, Op::U32ToI64),
        (Int32 { .. }, F32) => pick(Op::I32ToF32, Op::U32ToF32),
        (Int32 { .. }, F64) => pick(Op::I32ToF64, Op::U32ToF64),
        (Int64 { .. }, F32) => pick(Op::I64ToF32, Op::U64ToF32),
        (Int64 { .. }, F64) => pick(Op::I64ToF64, Op::U64ToF64),
        (F32, Int32 { signed: false }) if to.size_bytes() == 4 => Some(Op::F32ToU32),
        (F32, Int32 { .. }) => Some(Op::F32ToI32),
        (F32, Int64 { signed }) => Some(if signed { Op::F32ToI64 } else { Op::F32ToU64 }),
        (F64, Int32 { signed: false }) if to.size_bytes() == 4 => Some(Op::F64ToU32),
        (F64, Int32 { .. }) => Some(Op::F64ToI32),
        (F64, Int64 { signed }) => Some(if signed { Op::F64ToI64 } else { Op::F64ToU64 }),
        (F16, F32) => Some(Op::F16ToF32),
        (Bf16, F32) => Some(Op::Bf16ToF32),
        (F32, F16) => Some(Op::F32ToF16),
        (F32, Bf16) => Some(Op::F32ToBf16),
        (F64, F16) => Some(Op::F64ToF16),
        (F64, Bf16) => Some(Op::F64ToBf16),
        (Int64 { .. }, F16) => pick(Op::I64ToF16, Op::U64ToF16),
        (Int64 { .. }, Bf16) => pick(Op::I64ToBf16, Op::U64ToBf16),
        (F16 | Bf16, _) | (Int32 { .. }, F16 | Bf16) => {
            unreachable!("they go through a type between")
        }
        (F32, F64) => Some(Op::F32ToF64),
        (F64, F32) => Some(Op::F64ToF32),
        (Int32 { .. } | Int64 { .. }, Int32 { .. })
        | (Int64 { .. }, Int64 { .. })
        | (F32, F32)
        | (F64, F64) => None,
    }
}
