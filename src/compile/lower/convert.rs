//! Values of one type turned into another.

use super::kernel::Lower;
use super::operator::{Kind, kind};
use crate::cuda::{Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    /// The value in `register` converted; the register itself where its bits already are right.
    pub(crate) fn convert(
        &mut self,
        register: Register,
        from: &Type,
        to: &Type,
        into: Option<Register>,
    ) -> Register {
        let words = super::kernel::words(to);
        match (from, to) {
            (Type::Scalar(from), Type::Scalar(to)) => {
                self.convert_scalar(register, *from, *to, into)
            }
            (Type::Vector(from, _), Type::Vector(to, lanes)) => {
                let step = super::kernel::words(&Type::Scalar(*from)) as Register;
                let size = super::kernel::words(&Type::Scalar(*to)) as Register;
                self.each(*lanes, &Type::Scalar(*to), into, |lower, at, into| {
                    let component = register + at / size * step;
                    let register = lower.convert_scalar(component, *from, *to, into);
                    lower.settle(register, size.into(), into)
                })
            }
            (Type::Scalar(from), Type::Vector(to, lanes)) => {
                let size = super::kernel::words(&Type::Scalar(*to));
                self.each(*lanes, &Type::Scalar(*to), into, |lower, _, into| {
                    let register = lower.convert_scalar(register, *from, *to, into);
                    lower.settle(register, size, into)
                })
            }
            // Pointers are 64-bit integers; the checker allows no other conversions of them but
            // the test against null.
            (Type::Pointer { .. }, Type::Scalar(Scalar::Bool)) => {
                self.convert_scalar(register, Scalar::U64, Scalar::Bool, into)
            }
            (Type::Pointer { .. }, Type::Scalar(to)) => {
                self.convert_scalar(register, Scalar::U64, *to, into)
            }
            (Type::Scalar(from), Type::Pointer { .. }) => {
                self.convert_scalar(register, *from, Scalar::U64, into)
            }
            _ => self.settle(register, words, into),
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
            return self.settle(register, words, into);
        }
        if from.is_half() && to != Scalar::F32 {
            let single = self.convert_scalar(register, from, Scalar::F32, None);
            return self.convert_scalar(single, Scalar::F32, to, into);
        }
        if to == Scalar::Bool {
            return self.as_bool(register, from, into);
        }
        if to.is_half() && matches!(kind(from), Kind::Int32 { .. }) {
            let wide = if from.is_signed() {
                Scalar::I64
            } else {
                Scalar::U64
            };
            let integer = self.convert_scalar(register, from, wide, None);
            return self.convert_scalar(integer, wide, to, into);
        }
        let Some(op) = conversion(from, to) else {
            return self.narrow(register, to, into);
        };
        let narrows = to.size_bytes() < 4 && !to.is_half();
        let target = if narrows { None } else { into };
        let result = self.result(words, target);
        self.emitter.op(op, result, &[register], 0);
        if narrows {
            self.narrow(result, to, into)
        } else {
            result
        }
    }

    fn as_bool(&mut self, register: Register, from: Scalar, into: Option<Register>) -> Register {
        let (op, zero) = match kind(from) {
            Kind::Int32 { .. } => (Op::Ne32, self.emitter.const32(0)),
            Kind::F32 => (Op::NeF32, self.emitter.const32(0)),
            Kind::Int64 { .. } => (Op::Ne64, self.emitter.const64(0)),
            Kind::F64 => (Op::NeF64, self.emitter.const64(0)),
            Kind::F16 | Kind::Bf16 => unreachable!("they become single precision first"),
        };
        let result = self.result(1, into);
        self.emitter.op(op, result, &[register, zero], 0);
        result
    }

    /// The low bits of a 32-bit integer as a type of at most 32 bits, extended again.
    fn narrow(&mut self, register: Register, to: Scalar, into: Option<Register>) -> Register {
        let op = match to {
            Scalar::I8 => Op::SextI8,
            Scalar::U8 => Op::ZextU8,
            Scalar::I16 => Op::SextI16,
            Scalar::U16 => Op::ZextU16,
            _ => return self.settle(register, to.size_bytes().div_ceil(4), into),
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
