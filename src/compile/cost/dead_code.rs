//! Dead code: what nobody needs costs nothing; and who reads what is live.
//!
//! ```text
//! p = a * b;               no instruction, if nobody reads p
//! y[i] = a;
//! ```

use super::cost_model::CostModel;
use super::values::{is_move, liveness};
use crate::ir::{AccessRole, Op};
use crate::launch::Fp32Counts;

/// Finds what is live, and takes the cost of the rest away.
pub(super) fn run(model: &mut CostModel) {
    model.live = liveness(model.kernel, &model.flow);
    for pc in 0..model.kernel.code.len() {
        if !model.is_live(pc) {
            model.costs[pc] = Fp32Counts::default();
        }
    }
    find_uses(model);
}

/// The access sites of loads that nobody needs.
pub(super) fn dead_loads(model: &CostModel) -> Vec<usize> {
    let kernel = model.kernel;
    let loads = kernel.code.iter().enumerate();
    let loads = loads.filter(|(_, i)| matches!(i.op, Op::Load | Op::LoadShared));
    let with_site = loads.map(|(pc, i)| (model.is_live(pc), i.imm as usize));
    let is_silent = |site: usize| kernel.sites[site].is_silent();
    // A load of several words may count for loads beside it: those that are needed need it.
    let counts_for_others = with_site
        .clone()
        .any(|(live, site)| live && is_silent(site));
    let dead = with_site.filter(|&(live, site)| {
        let site = &kernel.sites[site];
        let may_be_needed = site.width_bytes > 4 && counts_for_others;
        !live && site.role == AccessRole::Own && !may_be_needed
    });
    dead.map(|(_, site)| site).collect()
}

fn find_uses(model: &mut CostModel) {
    for (pc, reads) in model.flow.reads.iter().enumerate() {
        // A copy is the same value elsewhere: its readers are counted as the value's.
        if is_move(model.kernel.code[pc].op) || !model.is_live(pc) {
            continue;
        }
        for &value in &reads.all {
            model.uses.entry(value).or_default().push(Some(pc));
        }
    }
    for (value, inputs) in &model.flow.phis {
        // A phi that nobody needs is no reader: a product that only it takes in may still be contracted.
        if model.live.values[*value] {
            for &input in inputs {
                model.uses.entry(input).or_default().push(None);
            }
        }
    }
}
