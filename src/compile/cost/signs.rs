//! Signs. An instruction that computes with floats takes the negative or the absolute value of what it
//! reads for nothing; where something else reads it, it is an addition of -0.

use super::cost_model::CostModel;
use crate::ir::{Op, fp32_cost};
use crate::launch::Fp32Counts;

/// What negative and absolute values cost.
pub(super) fn run(model: &mut CostModel) {
    for (pc, i) in model.kernel.code.iter().enumerate() {
        let Some(value) = model.flow.writes[pc] else {
            continue;
        };
        let is_sign = matches!(i.op, Op::NegF32 | Op::AbsF32);
        let is_made = model.is_live(pc) && model.numbers.is_new(value);
        if !is_sign || !is_made {
            continue;
        }
        let mut readers = model.uses.get(&value).into_iter().flatten();
        let takes_it = |reader: usize| takes_sign(model.kernel.code[reader].op);
        // One reader that cannot take the sign in, and the value is made, once for all of them. A phi cannot either.
        if readers.any(|reader| !reader.is_some_and(takes_it)) {
            model.costs[pc].add += 1;
        }
    }
}

/// Whether an operation takes signs of its operands. A root that is rounded to the nearest looks at the bits of its
/// operand first.
fn takes_sign(op: Op) -> bool {
    use Op::*;
    let computes = fp32_cost(op) != Fp32Counts::default() && op != SqrtF32;
    computes
        || matches!(
            op,
            MinF32
                | MaxF32
                | NegF32
                | AbsF32
                | Select32
                // They take three operands: a mask of the sign is one.
                | And32
                | Or32
                | EqF32
                | NeF32
                | LtF32
                | LeF32
                | F32ToI32
                | F32ToU32
                | F32ToI64
                | F32ToU64
                | F32ToF64
                | F32ToF16
                | F32ToBf16
                | FloorF32
                | CeilF32
                | TruncF32
                | RoundF32
        )
}
