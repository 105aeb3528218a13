//! Products that are used in several basic blocks: they are computed once, and no sum takes them in.
//!
//! ```text
//! while (x * x + y * y < 4) {      p = x * x; q = y * y; s = p + q;      not fma(x, x, q)
//!     t = x * x - y * y;      →    t = p - q;                            not fma(x, x, -q)
//!     …
//! ```
//!
//! LLVM looks for multiply-adds block by block, when equal products of several blocks are one already; so does the
//! assembler.

use std::collections::BTreeMap;

use crate::compile::cost::cost_model::CostModel;
use crate::compile::cost::values::{Definition, Value};
use crate::ir::Op;

/// Takes products out of multiply-adds that another basic block shares.
pub(in crate::compile::cost) fn run(model: &mut CostModel) {
    let mut products: BTreeMap<[Value; 2], Vec<usize>> = BTreeMap::new();
    for pc in 0..model.kernel.code.len() {
        if let Some(factors) = product(model, pc) {
            products.entry(factors).or_default().push(pc);
        }
    }
    share_with_last_tests(model, &products);
    for computed in products.into_values() {
        let Some((&first, others)) = computed.split_first() else {
            continue;
        };
        let is_shared =
            |&&other: &&usize| is_away(model, first, other) && model.flow.dominates(first, other);
        let shared: Vec<usize> = others.iter().filter(is_shared).copied().collect();
        if shared.is_empty() {
            continue;
        }
        take_out(model, first, 1);
        shared
            .into_iter()
            .for_each(|other| take_out(model, other, 0));
    }
}

/// Products of a loop's test that is lowered behind its body: in the source the test comes first, and the iteration that
/// follows knows them.
fn share_with_last_tests(model: &mut CostModel, products: &BTreeMap<[Value; 2], Vec<usize>>) {
    for to in 1..model.kernel.code.len() {
        let jump = model.kernel.code[to];
        let tests_last = model.kernel.code[to - 1].op == Op::LeaveUnless;
        if jump.op != Op::Jump || !tests_last {
            continue;
        }
        let head = jump.imm as usize;
        for (factors, computed) in products {
            let Some(next) = next_factors(model, *factors, head) else {
                continue;
            };
            let inside = |&&pc: &&usize| (head..to).contains(&pc);
            let test = model.blocks[to - 1].of_llvm;
            let ends_with = |pc: &&usize| inside(pc) && model.blocks[**pc].of_llvm == test;
            let last = products
                .get(&next)
                .and_then(|all| all.iter().find(ends_with));
            let users: Vec<usize> = computed.iter().filter(inside).copied().collect();
            let Some(&last) = last.filter(|last| !users.is_empty() && !users.contains(last)) else {
                continue;
            };
            take_out(model, last, 1);
            users.into_iter().for_each(|pc| take_out(model, pc, 0));
        }
    }
}

/// What factors that are phis of a loop are in the next iteration.
fn next_factors(model: &CostModel, factors: [Value; 2], head: usize) -> Option<[Value; 2]> {
    let next = |value: Value| {
        let Definition::Phi(meeting) = model.flow.definitions[value] else {
            return None;
        };
        let back = *model.flow.phis[&value].get(1)?;
        (model.flow.meets_at[&meeting] == head).then_some(back)
    };
    let [a, b] = factors;
    let (a, b) = (next(a)?, next(b)?);
    Some([a.min(b), a.max(b)])
}

/// Whether a sum is in another block than the product: to LLVM, or in machine code if something else needs the product.
fn is_away(model: &CostModel, first: usize, sum: usize) -> bool {
    let (first_block, block) = (model.blocks[first], model.blocks[sum]);
    match model.ops[first] {
        Op::MulF32 => first_block.of_machine != block.of_machine,
        _ => first_block.of_llvm != block.of_llvm,
    }
}

/// The factors of the product that an instruction computes, alone or as part of a sum.
fn product(model: &CostModel, pc: usize) -> Option<[Value; 2]> {
    let cost = model.costs[pc];
    let computes = match model.ops[pc] {
        Op::FmaF32 => cost.fma == 1,
        Op::MulF32 => cost.mul == 1,
        _ => false,
    };
    let [a, b, _] = model.flow.reads[pc].operands;
    // The sign is part of the sum.
    let (a, b) = (positive(model, a?), positive(model, b?));
    let is_constant = model.numbers.is_constant(a) && model.numbers.is_constant(b);
    (computes && model.is_live(pc) && !is_constant).then_some([a.min(b), a.max(b)])
}

/// Leaves so many multiplications of an instruction, and its sum.
fn take_out(model: &mut CostModel, pc: usize, products: u64) {
    let cost = &mut model.costs[pc];
    (cost.add, cost.mul, cost.fma) = (cost.fma, products, 0);
}

/// What a value is the negative of, or the value.
fn positive(model: &CostModel, value: Value) -> Value {
    match model.flow.definitions[value] {
        Definition::At(pc) if model.kernel.code[pc].op == Op::NegF32 => {
            model.flow.reads[pc].operands[0].unwrap_or(value)
        }
        _ => value,
    }
}
