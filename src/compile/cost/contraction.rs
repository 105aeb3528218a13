//! Contraction across statements: a product that only sums take in is part of them.
//!
//! ```text
//! p = a * b;               y[i] = fma(a, b, c);
//! y[i] = p + c;     →      y[j] = fma(a, b, -d);
//! y[j] = p - d;
//! ```

use super::cost_model::CostModel;
use crate::ir::Op;

/// Most sums that one product is repeated for.
const MOST_SUMS: usize = 4;

/// Products, and exponentials, whose last step is one, that only sums take in.
///
/// In what Triton compiles, quotients are products with a reciprocal, and `p + p` takes one of both in.
pub(super) fn run(model: &mut CostModel, is_of_triton: bool) {
    for pc in 0..model.kernel.code.len() {
        let is_quotient = is_of_triton && model.ops[pc] == Op::FastDivF32;
        if !is_quotient && !matches!(model.ops[pc], Op::MulF32 | Op::ExpF32) {
            continue;
        }
        let few = |users: &Vec<usize>| is_quotient || users.len() <= MOST_SUMS;
        let Some(users) = model.users(pc).filter(few) else {
            continue;
        };
        // `ptxas` looks for a product only where the sum stands: not before a loop around it.
        if is_quotient
            && users
                .iter()
                .any(|&user| model.flow.repeats_between(pc, user))
        {
            continue;
        }
        if is_of_triton && let Some(doubling) = doubling(model, &users) {
            (model.costs[doubling].mul, model.costs[doubling].fma) = (0, 1);
            continue;
        }
        let is_sum = |&user: &usize| {
            let op = model.kernel.code[user].op;
            // `p + p` is a doubling, and takes in nothing.
            let repeats = users.iter().filter(|&&other| other == user).count() > 1;
            matches!(op, Op::AddF32 | Op::SubF32) && model.costs[user].add == 1 && !repeats
        };
        // One reader that needs the product itself, and it is computed after all.
        if users.is_empty() || !users.iter().all(is_sum) {
            continue;
        }
        for &user in &users {
            model.costs[user].add = 0;
            model.costs[user].fma = 1;
        }
        // Of an exponential only its last multiplication goes.
        model.costs[pc].mul = model.costs[pc].mul.saturating_sub(1);
    }
}

/// The only user of a product, if it is twice the product.
fn doubling(model: &CostModel, users: &[usize]) -> Option<usize> {
    let &[user] = users else {
        return None;
    };
    let [a, b, _] = model.numbers.single(&model.flow.reads[user]);
    let is_double = [a, b].into_iter().flatten().any(|factor| factor == 2.0);
    let multiplies = model.ops[user] == Op::MulF32 && model.costs[user].mul == 1;
    (multiplies && is_double).then_some(user)
}
