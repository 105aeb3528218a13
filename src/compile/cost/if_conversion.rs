//! If-conversion: what short branches only compute, all lanes compute, but for the last steps, which are made only
//! where they are needed.
//!
//! ```text
//! if (c) r = a * 3;        t = a * 3;
//! else   r = a + b;   →    r = c ? t : a + b;       the sum only where it is needed
//!
//! if (c) s += a * 3 + b;   t = a * 3 + b;
//!                     →    if (c) s = s + t;
//! ```

use super::cost_model::CostModel;
use super::short_branches::ShortBranch;
use super::values::{Definition, Value};
use crate::ir::Op;
use crate::launch::Fp32Counts;

/// Moves the cost of short branches that only compute to where they part.
pub(super) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        if model.kernel.code[pc].op != Op::If {
            continue;
        }
        let Some(branch) = ShortBranch::of(model.kernel, pc) else {
            continue;
        };
        for at in computed_by_all(model, pc, branch) {
            let cost = std::mem::take(&mut model.costs[at]);
            model.costs[pc] += cost;
        }
    }
}

/// The instructions of a short branch that all lanes execute.
fn computed_by_all(model: &CostModel, pc: usize, branch: ShortBranch) -> Vec<usize> {
    let counts = |at: &usize| model.costs[*at] != Fp32Counts::default();
    let ShortBranch { otherwise, end } = branch;
    let begin = otherwise.unwrap_or(end);
    let first: Vec<usize> = (pc + 1..begin).filter(counts).collect();
    let mut second: Vec<usize> = (begin + 1..end).filter(counts).collect();
    if !first.is_empty() && !second.is_empty() {
        second.pop();
        return [first, second].concat();
    }
    let mut only = [first, second].concat();
    only.retain(|&at| !is_last_step(model, at, end));
    only
}

/// Whether what an instruction computes takes the place of a value that nothing reads any more, where the branch that
/// it stands in ends.
fn is_last_step(model: &CostModel, at: usize, end: usize) -> bool {
    let Some(value) = model.flow.writes[at] else {
        return true;
    };
    if model.readers(at).next().is_some() || is_negative_product(model, at) {
        return false;
    }
    let meet_here = |phi: &Value| match model.flow.definitions[*phi] {
        Definition::Phi(meeting) => model.flow.meets_at[&meeting] == end,
        _ => false,
    };
    let phis = model.flow.phis.iter();
    let mut chosen = phis.filter(|(phi, inputs)| inputs.contains(&value) && meet_here(phi));
    chosen.all(|(_, inputs)| {
        let mut others = inputs.iter().filter(|&&other| other != value);
        others.all(|&other| ends_at(model, other, end))
    })
}

/// Whether a product has one negative factor and no constant one, which would take the sign: the choice of its value
/// takes it in, and is made for all lanes.
fn is_negative_product(model: &CostModel, at: usize) -> bool {
    let is_negative = |factor: &Option<Value>| match factor.map(|of| model.flow.definitions[of]) {
        Some(Definition::At(pc)) => model.ops[pc] == Op::NegF32,
        _ => false,
    };
    let reads = &model.flow.reads[at];
    let [a, b, _] = reads.operands;
    let known = model.numbers.single(reads);
    model.ops[at] == Op::MulF32
        && is_negative(&a) != is_negative(&b)
        && known[..2].iter().all(Option::is_none)
}

/// Whether a register holds a value up to `end` and nothing reads it there or behind.
fn ends_at(model: &CostModel, value: Value, end: usize) -> bool {
    let readers = model.uses.get(&value).into_iter().flatten().flatten();
    !model.numbers.is_constant(value) && readers.into_iter().all(|&reader| reader < end)
}
