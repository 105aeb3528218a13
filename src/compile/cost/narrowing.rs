//! Narrowing: what is made of floats of 16 bits, and rounded to 16 bits again, is computed in 16 bits.
//!
//! ```text
//! y = (half)((float)a + (float)b);   →   y = a + b;
//! ```
//!
//! The sum, rounded to 24 bits and then to 11, is the sum rounded once (LLVM's `InstCombinerImpl::visitFPTrunc`).

use half::{bf16, f16};

use super::cost_model::CostModel;
use super::values::{Definition, Value};
use crate::ir::Op;

/// Sums and products in what Triton compiles that no instruction of single precision computes.
pub(super) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        let Some(computed) = narrowed(model, pc) else {
            continue;
        };
        let costs = &mut model.costs[computed];
        (costs.add, costs.mul) = (0, 0);
        // Nothing takes it in, either.
        model.ops[computed] = Op::Mov32;
    }
}

/// The sum or product whose only reader, at `pc`, rounds it to the type of its operands.
fn narrowed(model: &CostModel, pc: usize) -> Option<usize> {
    let widens = match model.kernel.code[pc].op {
        Op::F32ToF16 => Op::F16ToF32,
        Op::F32ToBf16 => Op::Bf16ToF32,
        _ => return None,
    };
    let written = |value: Value| match model.flow.definitions[value] {
        Definition::At(at) => Some(at),
        Definition::Start | Definition::Phi(_) => None,
    };
    let computed = written(model.flow.reads[pc].operands[0]?)?;
    let is_computed = matches!(model.ops[computed], Op::AddF32 | Op::SubF32 | Op::MulF32);
    if !is_computed || model.users(computed)? != [pc] {
        return None;
    }
    let reads = &model.flow.reads[computed];
    let known = model.numbers.single(reads);
    let is_narrow = |at: usize| match (known[at], reads.operands[at]) {
        (Some(known), _) if widens == Op::F16ToF32 => f16::from_f32(known).to_f32() == known,
        (Some(known), _) => bf16::from_f32(known).to_f32() == known,
        (None, value) => value
            .and_then(written)
            .is_some_and(|at| model.kernel.code[at].op == widens),
    };
    (is_narrow(0) && is_narrow(1)).then_some(computed)
}
