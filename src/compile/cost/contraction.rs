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
/// In what Triton compiles, quotients are products with a reciprocal, `p + p` takes one of both in, and sums take in what
/// others read, too.
pub(super) fn run(model: &mut CostModel, is_of_triton: bool) {
    for pc in 0..model.kernel.code.len() {
        let is_quotient = is_of_triton && model.ops[pc] == Op::FastDivF32;
        if !is_quotient && !matches!(model.ops[pc], Op::MulF32 | Op::ExpF32) {
            continue;
        }
        if is_of_triton && let Some(doubling) = doubling(model, pc) {
            (model.costs[doubling].mul, model.costs[doubling].fma) = (0, 1);
        } else if let Some(sums) = sums_alone(model, pc, is_quotient) {
            sums.into_iter().for_each(|sum| take_in(model, sum));
            // Of an exponential only its last multiplication goes.
            model.costs[pc].mul = model.costs[pc].mul.saturating_sub(1);
        } else if is_of_triton && model.ops[pc] == Op::MulF32 {
            let sums = sums_beside(model, pc);
            sums.into_iter().for_each(|sum| take_in(model, sum));
        }
    }
}

/// The users of a product, if all are sums that take it in.
fn sums_alone(model: &CostModel, pc: usize, is_quotient: bool) -> Option<Vec<usize>> {
    let users = model.users(pc)?;
    let is_few = is_quotient || users.len() <= MOST_SUMS;
    // `ptxas` looks for a quotient only where the sum stands: not before a loop around it.
    let is_away = |&user: &usize| is_quotient && model.flow.repeats_between(pc, user);
    let takes_in = |user: &usize| is_sum(model, *user) && !is_away(user);
    // `p + p` is a doubling, and takes in nothing.
    let is_once = users.windows(2).all(|two| two[0] != two[1]);
    // One reader that needs the product itself, and it is computed after all.
    let are_sums = !users.is_empty() && is_few && is_once && users.iter().all(takes_in);
    are_sums.then_some(users)
}

/// The sums of a product's basic block that read it. LLVM has all of them take it in, whatever else reads it
/// (`enableAggressiveFMAFusion` of its NVPTX back end): `p + shfl(p)` is a multiply-add beside the product.
fn sums_beside(model: &CostModel, pc: usize) -> Vec<usize> {
    let is_beside = |user: usize| {
        let is_same = model.region_of(user) == model.region_of(pc);
        is_same && (pc..user).all(|between| !model.flow.repeats_between(pc, between))
    };
    let readers = model.readers(pc);
    readers
        .filter(|&user| is_sum(model, user) && is_beside(user))
        .collect()
}

fn is_sum(model: &CostModel, user: usize) -> bool {
    let op = model.kernel.code[user].op;
    matches!(op, Op::AddF32 | Op::SubF32) && model.costs[user].add == 1
}

fn take_in(model: &mut CostModel, sum: usize) {
    (model.costs[sum].add, model.costs[sum].fma) = (0, 1);
}

/// The only user of a product, if it is twice the product.
fn doubling(model: &CostModel, pc: usize) -> Option<usize> {
    let &[user] = model.users(pc)?.as_slice() else {
        return None;
    };
    let [a, b, _] = model.numbers.single(&model.flow.reads[user]);
    let is_double = [a, b].into_iter().flatten().any(|factor| factor == 2.0);
    let multiplies = model.ops[user] == Op::MulF32 && model.costs[user].mul == 1;
    (multiplies && is_double).then_some(user)
}
