//! Strength reduction: multiplications that are additions.

use crate::compile::cost::cost_model::CostModel;
use crate::ir::Op;

/// `x * 2` is `x + x`, and `x * -1` is `-x + -0`.
pub(in crate::compile::cost) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        let multiplies = model.ops[pc] == Op::MulF32 && model.costs[pc].mul == 1;
        let is_sum = model
            .known_factor(pc)
            .is_some_and(|x| x == 2.0 || x == -1.0);
        if multiplies && is_sum {
            model.costs[pc].mul = 0;
            model.costs[pc].add = 1;
        }
    }
}
