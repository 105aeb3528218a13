//! Values of one type turned into another.

use super::lower::Lower;
use super::operator::{Kind, kind};
use crate::cuda::{Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    /// The value in `register` converted; the register itself where its bits already are right.
    pub(super) fn convert(
        &mut self,
        register: Register,
        from: &Type,
        to: &Type,
        into: Option<Register>,
    ) -> Register {
        let words = super::lower::words(to);
        match (from, to) {
            (Type::Scalar(from), Type::Scalar(to)) => {
                self.convert_scalar(register, *from, *to, into)
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
        if to == Scalar::Bool {
            return self.as_bool(register, from, into);
        }
        let Some(op) = conversion(from, to) else {
            return self.narrow(register, to, into);
        };
        let target = if to.size_bytes() < 4 { None } else { into };
        let result = self.result(words, target);
        self.emitter.op(op, result, &[register], 0);
        if to.size_bytes() < 4 {
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
        (F32, F64) => Some(Op::F32ToF64),
        (F64, F32) => Some(Op::F64ToF32),
        (Int32 { .. } | Int64 { .. }, Int32 { .. })
        | (Int64 { .. }, Int64 { .. })
        | (F32, F32)
        | (F64, F64) => None,
    }
}
