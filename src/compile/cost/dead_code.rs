//! Dead code: what nobody needs costs nothing; and who reads what is live.
//!
//! ```text
//! p = a * b;               no instruction, if nobody reads p
//! y[i] = a;
//! ```

use super::cost_model::{CostModel, is_pure};
use super::value_flow::{Definition, Value, ValueFlow, is_move};
use crate::ir::Kernel;
use crate::launch::Fp32Counts;

/// Finds what is live, and takes the cost of the rest away.
pub(super) fn run(model: &mut CostModel) {
    model.live = live(model.kernel, &model.flow);
    for pc in 0..model.kernel.code.len() {
        if is_pure(model.kernel.code[pc].op) && !model.is_live(pc) {
            model.costs[pc] = Fp32Counts::default();
        }
    }
    find_uses(model);
}

/// Liveness: the values that somebody needs, from stores and branches backwards.
fn live(kernel: &Kernel, flow: &ValueFlow) -> Vec<bool> {
    let mut live = vec![false; flow.definitions.len()];
    let mut work: Vec<Value> = Vec::new();
    for (pc, i) in kernel.code.iter().enumerate() {
        // Stores, branches and exchanges matter, whoever reads their result.
        if !is_pure(i.op) {
            work.extend(&flow.reads[pc].all);
        }
    }
    while let Some(value) = work.pop() {
        // Loops bring values back to themselves.
        if std::mem::replace(&mut live[value], true) {
            continue;
        }
        match flow.definitions[value] {
            Definition::Start => {}
            Definition::At(pc) => work.extend(&flow.reads[pc].all),
            // Which way is taken is known only when the kernel runs: all inputs are needed.
            Definition::Phi(_) => work.extend(&flow.phis[&value]),
        }
    }
    live
}

fn find_uses(model: &mut CostModel) {
    for (pc, reads) in model.flow.reads.iter().enumerate() {
        let op = model.kernel.code[pc].op;
        // A copy is the same value elsewhere: its readers are counted as the value's.
        if is_move(op) || (is_pure(op) && !model.is_live(pc)) {
            continue;
        }
        for &value in &reads.all {
            model.uses.entry(value).or_default().push(Some(pc));
        }
    }
    for (value, inputs) in &model.flow.phis {
        // A phi that nobody needs is no reader: a product that only it takes in may still be contracted.
        if model.live[*value] {
            for &input in inputs {
                model.uses.entry(input).or_default().push(None);
            }
        }
    }
}
