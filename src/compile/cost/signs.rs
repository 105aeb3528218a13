//! Signs. An instruction that computes with floats takes the negative or the absolute value of what it
//! reads for nothing; where something else reads it, it is an addition of -0.

use super::Recost;
use crate::ir::{Op, fp32_cost};
use crate::launch::Fp32Counts;

impl Recost<'_> {
    /// What negative and absolute values cost.
    pub(crate) fn pay_for_signs(&mut self) {
        for (pc, i) in self.kernel.code.iter().enumerate() {
            let Some(value) = self.flow.writes[pc] else {
                continue;
            };
            let is_sign = matches!(i.op, Op::NegF32 | Op::AbsF32);
            let is_made = self.is_live(pc) && self.known.is_its_own(value);
            if !is_sign || !is_made {
                continue;
            }
            let mut readers = self.uses.get(&value).into_iter().flatten();
            let takes_it = |reader: usize| takes_sign(self.kernel.code[reader].op);
            if readers.any(|reader| !reader.is_some_and(takes_it)) {
                self.costs[pc].add += 1;
            }
        }
    }
}

/// Whether an operation takes signs of its operands. A root looks at the bits of its operand first.
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
