//! Branches so short that LLVM has all lanes compute them, and choose: in code, as `optimise::speculation` finds them in
//! the source.

use crate::compile::optimise::{MOST_SPECULATED, MOST_SPECULATED_FIRST};
use crate::ir::{Kernel, Op};

/// Where a short branch lies in a kernel's code.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortBranch {
    /// Its `Else`.
    pub otherwise: Option<usize>,
    /// Its `EndIf`.
    pub end: usize,
}

impl ShortBranch {
    /// The branch that begins with the `If` at `pc`, if its sides only compute, and little.
    pub fn of(kernel: &Kernel, pc: usize) -> Option<ShortBranch> {
        let (mut counts, mut otherwise) = ([0, 0], None);
        for (at, i) in kernel.code.iter().enumerate().skip(pc + 1) {
            match i.op {
                Op::EndIf => {
                    let [first, second] = counts;
                    let is_short = match otherwise {
                        None => first <= MOST_SPECULATED && is_of_source(kernel, pc),
                        Some(_) => first <= MOST_SPECULATED_FIRST && second <= MOST_SPECULATED,
                    };
                    return is_short.then_some(ShortBranch { otherwise, end: at });
                }
                Op::Else => otherwise = Some(at),
                op => counts[usize::from(otherwise.is_some())] += operations(op)?,
            }
        }
        None
    }
}

/// Whether a statement begins in the branch at `pc`: none does where a function takes another path for some operands.
fn is_of_source(kernel: &Kernel, pc: usize) -> bool {
    kernel.source.statement_at(pc + 1) != kernel.source.statement_at(pc)
}

/// How many operations of LLVM an instruction is; nothing of one that ends the search: calls of functions, among them
/// `fmaxf` and `fabsf`, are left where they are.
fn operations(op: Op) -> Option<usize> {
    use Op::*;
    match op {
        Mov32 | Mov64 | Const32 | Const64 | NegF32 => Some(0),
        AddF32 | SubF32 | MulF32 | Select32 => Some(1),
        AddI32 | SubI32 | MulI32 | And32 | Or32 | Xor32 | Shl32 | ShrI32 | ShrU32 => Some(1),
        // A product and a sum still, which the assembler joins.
        FmaF32 | MadI32 => Some(2),
        _ => None,
    }
}
