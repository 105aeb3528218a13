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
pub(super) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        if !matches!(model.ops[pc], Op::MulF32 | Op::ExpF32) {
            continue;
        }
        let Some(users) = model.users(pc).filter(|users| users.len() <= MOST_SUMS) else {
            continue;
        };
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
