//! Operations that only compute, taken apart.

use crate::host::code::{Op, Slot, all_rows, binary_rows, unary_rows};

use super::step::{Register, Step};

/// Whether an operation has a result for all operands, so that it may wait until the others are done.
pub fn sums(op: &Op) -> bool {
    !matches!(
        op,
        Op::DivI32 { .. }
            | Op::DivI64 { .. }
            | Op::DivU { .. }
            | Op::RemI32 { .. }
            | Op::RemI64 { .. }
            | Op::RemU { .. }
    )
}

/// What a step divides by, if it is a division that may have no result.
pub fn divisor(step: &Step) -> Option<Register> {
    match step {
        Step::Compute(op) if !sums(op) => operands(step).get(1).copied(),
        _ => None,
    }
}

/// The register that a step writes, but for a loop, which writes many.
pub fn result(step: &Step) -> Option<Register> {
    match step {
        Step::Compute(op) => match pure(*op)? {
            Pure::Binary(_, to, ..) | Pure::Unary(_, to, _) => Some(to),
            Pure::Other => match *op {
                Op::Offset { to, .. } | Op::Element { to, .. } | Op::Convert { to, .. } => Some(to),
                _ => None,
            },
        },
        Step::Math { to, .. } => Some(*to),
        Step::Load(access) => Some(access.value),
        Step::Draw { to, .. } => Some(*to),
        Step::Guard(_) | Step::Nest(_) => None,
    }
}

/// The registers that a step reads.
pub fn operands(step: &Step) -> Vec<Register> {
    match step {
        Step::Compute(op) => match pure(*op) {
            Some(Pure::Binary(_, _, a, b)) => vec![a, b],
            Some(Pure::Unary(_, _, a)) => vec![a],
            _ => match *op {
                Op::Offset { base, .. } => vec![base],
                Op::Element { base, index, .. } => vec![base, index],
                Op::Convert { a, .. } => vec![a],
                _ => Vec::new(),
            },
        },
        Step::Math { operands, .. } => operands.to_vec(),
        Step::Load(access) => vec![access.address],
        Step::Draw { .. } => Vec::new(),
        Step::Guard(guard) => vec![guard.a, guard.b],
        Step::Nest(nest) => nest.entering.iter().map(|&(outside, _)| outside).collect(),
    }
}

/// An operation that only computes: how to make it of other slots, and its own.
pub enum Pure {
    Binary(fn(Slot, Slot, Slot) -> Op, Slot, Slot, Slot),
    Unary(fn(Slot, Slot) -> Op, Slot, Slot),
    /// It has more than slots.
    Other,
}

macro_rules! pure_operations {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
        /// The operation as one that only computes.
        pub fn pure(op: Op) -> Option<Pure> {
            macro_rules! binary {
                ($code:ident $to:ident $x:ident $y:ident) => {
                    Pure::Binary(|to, a, b| Op::$code { to, a, b }, $to, $x, $y)
                };
            }
            Some(match op {
                $(Op::$binary { to, a, b } => binary!($binary to a b),)*
                $(Op::$unary { to, a } => Pure::Unary(|to, a| Op::$unary { to, a }, to, a),)*
                Op::DivI32 { to, a, b } => binary!(DivI32 to a b),
                Op::DivI64 { to, a, b } => binary!(DivI64 to a b),
                Op::DivU { to, a, b } => binary!(DivU to a b),
                Op::RemI32 { to, a, b } => binary!(RemI32 to a b),
                Op::RemI64 { to, a, b } => binary!(RemI64 to a b),
                Op::RemU { to, a, b } => binary!(RemU to a b),
                Op::Offset { .. } | Op::Element { .. } | Op::Convert { .. } => Pure::Other,
                _ => return None,
            })
        }
    };
}

all_rows! { pure_operations }
