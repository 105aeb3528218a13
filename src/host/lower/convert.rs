//! Conversions between types, as x86 code of gcc makes them.

use crate::cuda::{Expr, Scalar, Type};
use crate::host::code::{Op, Slot, UnaryCode, scalar_number};
use crate::source::Span;

use super::function::Lowering;
use super::place::{Address, scalar_of};

impl Lowering<'_, '_> {
    /// A value of one type as another.
    pub fn convert(
        &mut self,
        from: &Type,
        to: &Type,
        value: Slot,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        self.convert_scalar(scalar_of(from), scalar_of(to), value, want, span)
    }

    /// The same for scalars.
    pub fn convert_scalar(
        &mut self,
        from: Scalar,
        into: Scalar,
        value: Slot,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        if from == into {
            return self.moved(value, want, span);
        }
        // Halves have no registers on x86: one general operation converts them.
        if from.is_half() || into.is_half() {
            let to = self.target(want);
            let (from, into) = (scalar_number(from), scalar_number(into));
            self.emit(
                Op::Convert {
                    to,
                    a: value,
                    from,
                    into,
                },
                span,
            );
            return to;
        }
        let steps = steps(from, into);
        if steps.is_empty() {
            return self.moved(value, want, span);
        }
        let to = self.target(want);
        let mut value = value;
        for step in steps {
            self.emit(step.with(to, value), span);
            value = to;
        }
        to
    }

    /// A vector or scalar as a vector, component by component, at an address.
    pub fn convert_vector(&mut self, value: &Expr, ty: &Type, to: Slot, span: Span) {
        let Type::Vector(scalar, lanes) = ty else {
            return;
        };
        // Evaluated once, whatever its effects: each lane reads its part of it.
        let from = self.value(value, None);
        for lane in 0..*lanes {
            let part = match &value.ty {
                Type::Vector(of, _) => {
                    let at = Address::At(from, (of.size_bytes() * lane) as i32);
                    let part = self.load(at, &Type::Scalar(*of), None, span);
                    self.convert_scalar(*of, *scalar, part, None, span)
                }
                other => self.convert_scalar(scalar_of(other), *scalar, from, None, span),
            };
            let at = Address::At(to, (scalar.size_bytes() * lane) as i32);
            self.store(at, part, &Type::Scalar(*scalar), span);
        }
    }
}

/// The operations that make one type of another; floats of 16 bits are neither.
fn steps(from: Scalar, into: Scalar) -> Vec<UnaryCode> {
    use UnaryCode::*;
    let narrow = |into: Scalar| match into {
        Scalar::Char | Scalar::I8 => Some(ToI8),
        Scalar::U8 => Some(ToU8),
        Scalar::I16 => Some(ToI16),
        Scalar::U16 => Some(ToU16),
        Scalar::I32 => Some(ToI32),
        Scalar::U32 => Some(ToU32),
        _ => None,
    };
    match (from, into) {
        (Scalar::F32, Scalar::Bool) => vec![IsSetF32],
        (Scalar::F64, Scalar::Bool) => vec![IsSetF64],
        // Whether it is set, and not its lowest bits: 0.5 and 256 are true.
        (_, Scalar::Bool) => vec![IsSet],
        (Scalar::F32, Scalar::F64) => vec![F32ToF64],
        (Scalar::F64, Scalar::F32) => vec![F64ToF32],
        // Every `float` is a `double`: nothing is rounded on the way.
        (Scalar::F32, _) => [vec![F32ToF64], steps(Scalar::F64, into)].concat(),
        (Scalar::F64, Scalar::I64) => vec![F64ToI64],
        (Scalar::F64, Scalar::U64) => vec![F64ToU64],
        (Scalar::F64, Scalar::I32) => vec![F64ToI32],
        // The instruction for 64 bits, of whose result the low half is taken.
        (Scalar::F64, Scalar::U32) => vec![F64ToI64, ToU32],
        // x86 has no conversion to small integers: the low bits of an `int` are what C programs see.
        (Scalar::F64, into) => [F64ToI32].into_iter().chain(narrow(into)).collect(),
        (Scalar::U64, Scalar::F32) => vec![UnsignedToF32],
        (Scalar::U64, Scalar::F64) => vec![UnsignedToF64],
        (_, Scalar::F32) => vec![SignedToF32],
        (_, Scalar::F64) => vec![SignedToF64],
        (from, into) if is_contained(from, into) => Vec::new(),
        (_, into) => narrow(into).into_iter().collect(),
    }
}

/// Whether each value of one integer type stands in a slot as it does for the other.
fn is_contained(from: Scalar, into: Scalar) -> bool {
    let (small, large) = (from.size_bytes(), into.size_bytes());
    match (from.is_signed(), into.is_signed()) {
        // A slot holds a narrower number extended to 64 bits already.
        _ if large == 8 => true,
        (true, true) | (false, false) => small <= large,
        (false, true) => small < large,
        // -1 is no `unsigned` as it stands: its upper half has to be cleared.
        (true, false) => false,
    }
}
