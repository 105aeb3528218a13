//! If-conversion: of two short branches that compute one value, all lanes compute both, but for the last
//! step of the second.
//!
//! ```text
//! if (c) r = a * 3;        t = a * 3;
//! else   r = a + b;   →    r = c ? t : a + b;       the sum only where it is needed
//! ```

use super::cost_model::{CostModel, is_pure};
use crate::ir::Op;
use crate::launch::Fp32Counts;

/// Most instructions of two branches that are computed by all lanes.
const MOST_CHOSEN: usize = 4;

/// Moves the cost of two short branches that only compute to where they part.
pub(super) fn run(model: &mut CostModel) {
    for pc in 0..model.kernel.code.len() {
        if model.kernel.code[pc].op != Op::If {
            continue;
        }
        let is_end = |op: Op| !is_pure(op);
        let end_from = |from: usize| {
            let rest = model.kernel.code[from..].iter();
            from + rest.take_while(|i| !is_end(i.op)).count()
        };
        let between = end_from(pc + 1);
        // Code ends with an instruction that is not pure, where counting stops: neither slice begins past the end.
        let end = end_from(between + 1);
        let op = |at: usize| model.kernel.code.get(at).map(|i| i.op);
        // A store or an inner branch within a side ends the count early: lanes that do not take the side must not run
        // these.
        if op(between) != Some(Op::Else) || op(end) != Some(Op::EndIf) {
            continue;
        }
        let counts = |at: &usize| model.costs[*at] != Fp32Counts::default();
        let then: Vec<usize> = (pc + 1..between).filter(counts).collect();
        let mut otherwise: Vec<usize> = (between + 1..end).filter(counts).collect();
        // A root has a branch of its own.
        let is_root = |at: &usize| model.ops[*at] == Op::SqrtF32;
        let is_short = then.len() + otherwise.len() <= MOST_CHOSEN && !then.iter().any(is_root);
        if then.is_empty() || otherwise.pop().is_none() || !is_short {
            continue;
        }
        for at in then.into_iter().chain(otherwise) {
            let cost = std::mem::take(&mut model.costs[at]);
            model.costs[pc] += cost;
        }
    }
}
