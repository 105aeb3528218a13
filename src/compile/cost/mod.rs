//! The cost model: single-precision instructions that `nvcc` does not make where the source has them, and loads that
//! it does not make at all.
//!
//! The code stays as it is, so every variable still has its value when it is looked at; only what
//! instructions cost is put right. First the values of the kernel are followed (`values`); then each
//! pass, in the order of [`recost`], changes costs:
//!
//! - `value_numbering`: what is known or has been computed before, and divisions by powers of two;
//! - `dead_code`: what nobody needs;
//! - `shared_functions`: what functions share, and what a loop does not change;
//! - `narrowing`: in what Triton compiles, what is made of 16 bits and rounded to 16 bits is computed in these;
//! - `phi_folding`: what is computed of a value that all ways but one know, is computed on that way;
//! - `signs`: negative and absolute values are part of the instruction that reads them;
//! - `products::shared_products`: what several basic blocks share is no part of their sums;
//! - `products::contraction`: products become part of sums, also across statements;
//! - `products::strength_reduction`: multiplications by 2 are additions;
//! - `if_conversion`: `short_branches` are computed by all lanes;
//! - `scaling`: in what Triton compiles, quotients and logarithms scale what they take;
//! - `sinking`: what only the last branch of a kernel needs is computed there: of the last addition of a
//!   warp's sum, often only lane 0's remains.
//!
//! As nvcc 13.0 does it for compute capability 9.0, seen in its code.

mod values;
mod short_branches;
mod cost_model;
mod value_numbering;
mod dead_code;
mod phi_folding;
mod shared_functions;
mod narrowing;
mod signs;
mod products;
mod if_conversion;
mod scaling;
mod sinking;
#[cfg(test)]
mod tests;

use crate::ir::{AccessRole, Kernel, Op};
use cost_model::CostModel;
use products::{contraction, shared_products, strength_reduction};

/// Puts right what `kernel`'s instructions cost, and silences the loads that nobody needs.
///
/// In a generated text, whose accesses are predicated, nothing is sunk: there is no branch to compute it in.
/// `has_warp_groups` says whether its products of matrices stand for `wgmma`.
pub(crate) fn recost(kernel: &mut Kernel, has_warp_groups: bool) {
    // Values are followed through the code in order: not to bodies that several calls go to.
    if kernel.code.iter().any(|i| i.op == Op::Call) {
        return;
    }
    let is_predicated = kernel.source.is_generated;
    let mut model = CostModel::new(kernel);
    value_numbering::run(&mut model);
    dead_code::run(&mut model);
    shared_functions::run(&mut model);
    if is_predicated {
        narrowing::run(&mut model);
    }
    // In a generated text no way is one of some lanes: accesses are predicated.
    let folded = match is_predicated {
        true => Vec::new(),
        false => phi_folding::find(&mut model),
    };
    signs::run(&mut model);
    shared_products::run(&mut model);
    contraction::run(&mut model, is_predicated);
    strength_reduction::run(&mut model);
    phi_folding::carry_out(&mut model, &folded);
    if !is_predicated {
        let tests = phi_folding::find_first_tests(&model);
        phi_folding::carry_out(&mut model, &tests);
    }
    if_conversion::run(&mut model);
    if is_predicated {
        scaling::run(&mut model, has_warp_groups);
    } else {
        sinking::run(&mut model);
    }
    let changes = model.changes();
    for site in dead_code::dead_loads(&model) {
        kernel.sites[site].role = AccessRole::Silent;
    }
    kernel.recosted = changes;
}
