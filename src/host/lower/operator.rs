//! Operators on two numbers, and functions of numbers.

use crate::cuda::{BinaryOp, Expr, MathFunction, Scalar, Type};
use crate::host::code::{BinaryCode, Op, Slot, UnaryCode, numbers, scalar_number};
use crate::source::Span;

use super::function::Lowering;
use super::place::{Address, scalar_of};

/// What is said where only a kernel can go on.
pub const KERNELS_ONLY: &str = "only a kernel can do this, and code of the host is here";

impl Lowering<'_, '_> {
    /// An operator on two expressions.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let scalar = scalar_of(&a.ty);
        let mark = self.slots.next;
        let a = self.value(a, None);
        let b = self.value(b, None);
        // The result may take an operand's slot: both are read before it is written.
        self.slots.next = mark;
        // Wide copies of the operands are made in slots behind them.
        if scalar.is_half() {
            self.slots.next = (a.max(b) + 1).max(mark);
        }
        let to = self.target(want);
        self.emit_binary(op, scalar, [to, a, b], span)
    }

    /// An operator on two slots of one type; the slot that is written.
    pub fn emit_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        [to, a, b]: [Slot; 3],
        span: Span,
    ) -> Slot {
        if scalar.is_half() {
            return self.half_binary(op, scalar, [to, a, b], span);
        }
        if let Some(division) = division(op, scalar, [to, a, b]) {
            self.emit(division, span);
        } else {
            let (code, is_swapped) = code_of(op, scalar);
            let (a, b) = if is_swapped { (b, a) } else { (a, b) };
            self.emit(code.with(to, a, b), span);
        }
        // A slot holds a small integer extended to 64 bits: the next operation relies on it.
        if !op.is_comparison()
            && let Some(narrow) = narrowing(scalar)
        {
            self.emit(narrow.with(to, to), span);
        }
        to
    }

    /// Floats of 16 bits are computed in single precision and rounded.
    fn half_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        [to, a, b]: [Slot; 3],
        span: Span,
    ) -> Slot {
        let wide = |lowering: &mut Self, value| {
            lowering.convert_scalar(scalar, Scalar::F32, value, None, span)
        };
        let (a, b) = (wide(self, a), wide(self, b));
        self.emit_binary(op, Scalar::F32, [to, a, b], span);
        if !op.is_comparison() {
            let (from, into) = (scalar_number(Scalar::F32), scalar_number(scalar));
            self.emit(
                Op::Convert {
                    to,
                    a: to,
                    from,
                    into,
                },
                span,
            );
        }
        to
    }

    /// A function of numbers.
    pub fn math(
        &mut self,
        function: MathFunction,
        operands: &[Expr],
        ty: &Type,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let first_ty = operands.first().map_or(ty, |operand| &operand.ty);
        if matches!(first_ty, Type::Vector(..)) {
            return self.math_vector(function, operands, ty);
        }
        let scalar = scalar_of(first_ty);
        let mark = self.slots.next;
        if let ([operand], Some(code)) = (operands, direct(function, scalar)) {
            let value = self.value(operand, None);
            self.slots.next = mark;
            let to = self.target(want);
            self.emit(code.with(to, value), span);
            return to;
        }
        // They must stand side by side, in slots that evaluating one does not take from another.
        self.take(operands.len());
        // As those of any call, from the right.
        for (at, operand) in operands.iter().enumerate().rev() {
            self.value(operand, Some(mark + at as Slot));
        }
        self.slots.next = mark;
        let to = self.target(want);
        self.emit_math(function, scalar, to, mark, span);
        to
    }

    /// A function of numbers that stand side by side.
    pub fn emit_math(
        &mut self,
        function: MathFunction,
        scalar: Scalar,
        to: Slot,
        first: Slot,
        span: Span,
    ) {
        if !numbers::computes(function, scalar) {
            self.refuse(KERNELS_ONLY.to_owned(), span);
            return;
        }
        let site = (function, scalar);
        // Few functions are used at many places.
        let known = self.unit.sites.math.iter().position(|other| *other == site);
        let site = known.unwrap_or_else(|| {
            self.unit.sites.math.push(site);
            self.unit.sites.math.len() - 1
        });
        self.emit(
            Op::Math {
                to,
                first,
                site: site as u32,
            },
            span,
        );
    }

    /// The same on each component.
    fn math_vector(&mut self, function: MathFunction, operands: &[Expr], ty: &Type) -> Slot {
        let first = operands.first();
        let span = first.map_or_else(Span::default, |operand| operand.span);
        let (scalar, lanes) = match first.map_or(ty, |operand| &operand.ty) {
            Type::Vector(scalar, lanes) => (*scalar, *lanes),
            other => (scalar_of(other), 1),
        };
        let values: Vec<Slot> = operands
            .iter()
            .map(|operand| self.value(operand, None))
            .collect();
        let to = self.room(ty);
        let element = match ty {
            Type::Vector(scalar, _) => Type::Scalar(*scalar),
            other => other.clone(),
        };
        for lane in 0..lanes {
            let mark = self.slots.next;
            self.take(values.len());
            for (at, value) in values.iter().enumerate() {
                let part = Address::At(*value, (scalar.size_bytes() * lane) as i32);
                self.load(part, &Type::Scalar(scalar), Some(mark + at as Slot), span);
            }
            self.emit_math(function, scalar, mark, mark, span);
            let into = Address::At(to, (element.size_bytes() * lane) as i32);
            self.store(into, mark, &element, span);
            self.slots.next = mark;
        }
        to
    }
}

/// Divisions and remainders of integers, which can fail.
fn division(op: BinaryOp, scalar: Scalar, [to, a, b]: [Slot; 3]) -> Option<Op> {
    // Unsigned numbers of all widths divide as 64 bits. Signed ones do not: `INT_MIN / -1` overflows in 32 bits only.
    let is_wide = scalar.size_bytes() == 8;
    Some(match (op, scalar.is_integer(), scalar.is_signed()) {
        (BinaryOp::Div, true, true) if is_wide => Op::DivI64 { to, a, b },
        (BinaryOp::Div, true, true) => Op::DivI32 { to, a, b },
        (BinaryOp::Div, true, false) => Op::DivU { to, a, b },
        (BinaryOp::Rem, true, true) if is_wide => Op::RemI64 { to, a, b },
        (BinaryOp::Rem, true, true) => Op::RemI32 { to, a, b },
        (BinaryOp::Rem, true, false) => Op::RemU { to, a, b },
        _ => return None,
    })
}

/// The operation of an operator on a type, and whether its operands are exchanged.
fn code_of(op: BinaryOp, scalar: Scalar) -> (BinaryCode, bool) {
    use BinaryCode::*;
    let by_type = |int, unsigned, wide, single, double| match scalar {
        Scalar::F32 => single,
        Scalar::F64 => double,
        Scalar::I64 | Scalar::U64 => wide,
        Scalar::U32 => unsigned,
        _ => int,
    };
    let is_unsigned_wide = scalar == Scalar::U64;
    let order = |signed, unsigned| if is_unsigned_wide { unsigned } else { signed };
    let code = match op {
        BinaryOp::Add => by_type(AddI32, AddU32, Add64, AddF32, AddF64),
        BinaryOp::Sub => by_type(SubI32, SubU32, Sub64, SubF32, SubF64),
        BinaryOp::Mul => by_type(MulI32, MulU32, Mul64, MulF32, MulF64),
        // Integers were divided above, where the divisor is looked at.
        BinaryOp::Div | BinaryOp::Rem => by_type(DivF64, DivF64, DivF64, DivF32, DivF64),
        BinaryOp::BitAnd => And,
        BinaryOp::BitOr => Or,
        BinaryOp::BitXor => Xor,
        BinaryOp::Shl => by_type(ShlI32, ShlU32, Shl64, ShlI32, ShlI32),
        BinaryOp::Shr if is_unsigned_wide => ShrU64,
        BinaryOp::Shr => by_type(ShrI32, ShrU32, ShrI64, ShrI32, ShrI32),
        BinaryOp::Eq => by_type(Eq, Eq, Eq, EqF32, EqF64),
        BinaryOp::Ne => by_type(Ne, Ne, Ne, NeF32, NeF64),
        // Numbers that are extended by their own sign, or by zeros, keep their order as signed 64 bits; only `U64` does
        // not.
        BinaryOp::Lt | BinaryOp::Gt => by_type(LtI, LtI, order(LtI, LtU), LtF32, LtF64),
        BinaryOp::Le | BinaryOp::Ge => by_type(LeI, LeI, order(LeI, LeU), LeF32, LeF64),
    };
    (code, matches!(op, BinaryOp::Gt | BinaryOp::Ge))
}

/// What brings the result of an operation of 32 bits back to a smaller type.
fn narrowing(scalar: Scalar) -> Option<UnaryCode> {
    match scalar {
        Scalar::Char | Scalar::I8 => Some(UnaryCode::ToI8),
        Scalar::U8 => Some(UnaryCode::ToU8),
        Scalar::I16 => Some(UnaryCode::ToI16),
        Scalar::U16 => Some(UnaryCode::ToU16),
        Scalar::Bool => Some(UnaryCode::IsSet),
        _ => None,
    }
}

/// The functions that have an operation of their own.
fn direct(function: MathFunction, scalar: Scalar) -> Option<UnaryCode> {
    Some(match (function, scalar) {
        (MathFunction::Sqrt, Scalar::F32) => UnaryCode::SqrtF32,
        (MathFunction::Sqrt, Scalar::F64) => UnaryCode::SqrtF64,
        (MathFunction::Abs, Scalar::F32) => UnaryCode::AbsF32,
        (MathFunction::Abs, Scalar::F64) => UnaryCode::AbsF64,
        _ => return None,
    })
}
