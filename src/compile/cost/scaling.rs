//! Scaling: what a quotient or a logarithm takes is multiplied by a power of two first, if it is large or small.
//!
//! ```text
//! q = x / d;               scaled = 0.25f * d;
//! y[i] = d;          →     q = x * (1 / (is_large ? scaled : d));
//!                          y[i] = d;
//! ```
//!
//! `ptxas` multiplies under a predicate, in the register of the operand; ordinary operands never are. But where that is
//! still needed, all threads multiply, and then choose; and where `wgmma` left it, whose registers have their places.

use std::collections::HashSet;

use super::cost_model::CostModel;
use super::values::{Definition, RegionId, Value};
use crate::ir::Op;

/// Adds the products of operands that are needed after, in what Triton compiles.
///
/// Its sines and cosines ask twice how large an angle is, in different basic blocks: that takes an instruction, once.
pub(super) fn run(model: &mut CostModel, has_warp_groups: bool) {
    let mut angles: HashSet<Value> = HashSet::new();
    // Quotients share the product of an operand, unless a loop begins or ends between them.
    let mut scaled: HashSet<(Value, usize, RegionId)> = HashSet::new();
    let mut loops = 0;
    for pc in 0..model.kernel.code.len() {
        let op = model.kernel.code[pc].op;
        loops += usize::from(op == Op::Jump);
        if !model.is_live(pc) {
            continue;
        }
        let [first, second, _] = model.flow.reads[pc].operands;
        if matches!(op, Op::SinF32 | Op::CosF32) {
            let is_new = first.is_some_and(|angle| angles.insert(angle));
            model.costs[pc].add += u64::from(is_new);
        }
        if !matches!(op, Op::FastDivF32 | Op::LogF32 | Op::Log2F32) {
            continue;
        }
        for value in [first, second].into_iter().flatten() {
            let is_shared = op == Op::FastDivF32 && second == Some(value);
            let is_needed = is_needed_after(model, value, pc, is_shared)
                || (has_warp_groups && is_of_product(model, value));
            let place = (value, loops, model.flow.loop_around(pc));
            if is_needed && (op != Op::FastDivF32 || scaled.insert(place)) {
                model.costs[pc].mul += 1;
            }
        }
    }
}

/// Whether anything reads `value` behind `pc`; quotients by it do not, where they share its product.
fn is_needed_after(model: &CostModel, value: Value, pc: usize, is_divisor: bool) -> bool {
    if model.numbers.is_constant(value) {
        return false;
    }
    let code = &model.kernel.code;
    let shares = |user: usize| {
        let divides =
            code[user].op == Op::FastDivF32 && model.flow.reads[user].operands[1] == Some(value);
        let is_beside = model.flow.loop_around(pc) == model.flow.loop_around(user);
        let has_loop = || code[pc..user].iter().any(|i| i.op == Op::Jump);
        is_divisor && divides && is_beside && !has_loop()
    };
    let users = model.uses.get(&value).into_iter().flatten();
    let mut others = users.map(|user| match *user {
        Some(user) => user > pc && !shares(user),
        // It goes on into another round, or into what follows a branch.
        None => true,
    });
    is_hoisted(model, value, pc) || others.any(|is_other| is_other)
}

/// Whether a value is the same in all rounds of the loop around `pc`: LLVM computes it once, before the loop.
fn is_hoisted(model: &CostModel, value: Value, pc: usize) -> bool {
    use Op::*;
    if model.flow.is_invariant(value, pc) {
        return true;
    }
    let around = model.flow.loop_around(pc);
    let Definition::At(at) = model.flow.definitions[value] else {
        return false;
    };
    let is_moved = matches!(
        model.kernel.code[at].op,
        I32ToF32 | U32ToF32 | AddI32 | SubI32 | MulI32 | AddF32 | SubF32 | MulF32
    );
    let is_same = |&read: &Value| model.numbers.is_constant(read) || is_hoisted(model, read, pc);
    is_moved
        && model.flow.loop_around(at) == around
        && model.flow.regions[around].repeats
        && model.flow.reads[at].all.iter().all(is_same)
}

/// Whether tensor cores computed a value, perhaps in rounds of a loop.
fn is_of_product(model: &CostModel, value: Value) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match model.flow.definitions[value] {
            Definition::At(pc) if is_product(model.kernel.code[pc].op) => return true,
            // A loop brings a value back to itself.
            Definition::Phi(_) if seen.insert(value) => open.extend(&model.flow.phis[&value]),
            _ => {}
        }
    }
    false
}

fn is_product(op: Op) -> bool {
    matches!(op, Op::MmaF32F16 | Op::MmaF32Bf16 | Op::MmaF32Tf32)
}
