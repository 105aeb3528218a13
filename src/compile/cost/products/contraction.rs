//! Contraction across statements: a product that only sums take in is part of them.
//!
//! ```text
//! p = a * b;               y[i] = fma(a, b, c);
//! y[i] = p + c;     →      y[j] = fma(a, b, -d);
//! y[j] = p - d;
//! ```

use crate::compile::cost::cost_model::CostModel;
use crate::compile::cost::values::Definition;
use crate::ir::Op;

/// Most sums of which LLVM has each take in the same product (`PerformFADDCombineWithOperands` of its NVPTX back end).
const MOST_SUMS: usize = 4;

/// Products, and exponentials, whose last step is one, that only sums take in.
///
/// In what Triton compiles, quotients are products with a reciprocal, and sums take in what others read, too.
pub(in crate::compile::cost) fn run(model: &mut CostModel, is_of_triton: bool) {
    for pc in 0..model.kernel.code.len() {
        let is_quotient = is_of_triton && model.ops[pc] == Op::FastDivF32;
        if !is_quotient && !matches!(model.ops[pc], Op::MulF32 | Op::ExpF32) {
            continue;
        }
        let is_product = model.ops[pc] == Op::MulF32;
        if is_product && let Some(sums) = sums_with_doubling(model, pc, is_of_triton) {
            sums.into_iter().for_each(|sum| take_in(model, sum));
        } else if let Some(sums) = sums_alone(model, pc, is_quotient) {
            sums.into_iter().for_each(|sum| take_in(model, sum));
            // Of an exponential only its last multiplication goes.
            model.costs[pc].mul = model.costs[pc].mul.saturating_sub(1);
        } else if is_of_triton && is_product {
            let sums = sums_beside(model, pc);
            sums.into_iter().for_each(|sum| take_in(model, sum));
        }
    }
}

/// The users of a product, if all are sums that take it in.
fn sums_alone(model: &CostModel, pc: usize, is_quotient: bool) -> Option<Vec<usize>> {
    let mut users = model.users(pc)?;
    // What has been computed before is no user of its own.
    users.retain(|&user| {
        let value = model.flow.writes[user];
        !is_quotient || value.is_none_or(|value| model.numbers.is_new(value))
    });
    // `ptxas` looks for a quotient only where the sum stands: not before a loop around it, nor before an access under a
    // predicate, which it has as a branch at first.
    let has_branch = |user: usize| model.kernel.code[pc..user].iter().any(|i| i.op == Op::If);
    let is_away =
        |&user: &usize| is_quotient && (model.flow.repeats_between(pc, user) || has_branch(user));
    let takes_in = |user: &usize| is_sum(model, *user) && !is_away(user);
    // `p + p` is a doubling, and takes in nothing.
    let is_once = users.windows(2).all(|two| two[0] != two[1]);
    // Several users have to stand in one basic block; a single one is reached wherever it stands.
    let is_block = |two: &[usize]| model.blocks[two[0]].of_llvm == model.blocks[two[1]].of_llvm;
    let are_near = is_quotient || users.windows(2).all(is_block);
    // One reader that needs the product itself, and it is computed after all.
    let are_sums = !users.is_empty() && users.iter().all(takes_in);
    // Of more, the assembler has all do so, unless it finds another product in one of them.
    let is_free = is_quotient
        || users.len() <= MOST_SUMS
        || !users.iter().any(|&user| has_other_product(model, user, pc));
    (are_sums && is_free && is_once && are_near).then_some(users)
}

/// Whether a sum also reads another product than that of `pc`.
fn has_other_product(model: &CostModel, sum: usize, pc: usize) -> bool {
    let mut operands = model.flow.reads[sum].operands.into_iter().flatten();
    operands.any(|operand| match model.flow.definitions[operand] {
        Definition::At(at) => at != pc && model.ops[at] == Op::MulF32,
        _ => false,
    })
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
    let cost = &mut model.costs[sum];
    (cost.add, cost.mul, cost.fma) = (0, 0, 1);
}

/// The users of a product, if one is twice the product: `p + p` takes one of both in and reads the other. LLVM does
/// that if all are additions, a few (`PerformFADDCombineWithOperands` of its NVPTX back end).
fn sums_with_doubling(model: &CostModel, pc: usize, is_of_triton: bool) -> Option<Vec<usize>> {
    let mut users = model.users(pc)?;
    let doubles = |user: usize| is_doubling(model, user);
    // `p * 2` is `p + p` and reads `p` twice.
    let multiplied = users.iter().filter(|&&user| model.ops[user] == Op::MulF32);
    let is_few = users.len() + multiplied.count() <= MOST_SUMS;
    let has_doubling = users.iter().any(|&user| doubles(user));
    let is_addition = |user: usize| is_sum(model, user) && model.ops[user] == Op::AddF32;
    let are_additions = users.iter().all(|&user| is_addition(user) || doubles(user));
    users.dedup();
    let is_taken = !is_of_triton || users.len() == 1;
    (has_doubling && is_few && are_additions && is_taken).then_some(users)
}

/// Whether an instruction doubles what it reads.
fn is_doubling(model: &CostModel, pc: usize) -> bool {
    let reads = &model.flow.reads[pc];
    match model.ops[pc] {
        Op::AddF32 => is_sum(model, pc) && reads.operands[0] == reads.operands[1],
        // Where it is part of a sum itself, `p * 2 + c`, it stays a product.
        Op::MulF32 => {
            let is_double = model.costs[pc].mul == 1 && model.known_factor(pc) == Some(2.0);
            is_double && sums_alone(model, pc, false).is_none()
        }
        _ => false,
    }
}
