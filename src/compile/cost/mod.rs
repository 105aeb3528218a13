//! The cost model: single-precision instructions that `nvcc` does not where the source has them.
//!
//! The code stays as it is, so every variable still has its value when it is looked at; only what
//! instructions cost is put right. First the values of the kernel are followed (`value_flow`); then each
//! pass, in the order of [`recosted`], changes costs:
//!
//! - `value_numbering`: what is known or has been computed before, and divisions by powers of two;
//! - `dead_code`: what nobody needs;
//! - `shared_functions`: what functions share, and what a loop does not change;
//! - `narrowing`: in what Triton compiles, what is made of 16 bits and rounded to 16 bits is computed in these;
//! - `signs`: negative and absolute values are part of the instruction that reads them;
//! - `contraction`: products become part of sums, also across statements;
//! - `strength_reduction`: multiplications by 2 are additions;
//! - `if_conversion`: short branches are computed by all lanes;
//! - `scaling`: in what Triton compiles, quotients and logarithms scale what they take;
//! - `sinking`: what only the last branch of a kernel needs is computed there: of the last addition of a
//!   warp's sum, often only lane 0's remains.
//!
//! As nvcc 13.0 does it for compute capability 9.0, seen in its code.

mod value_flow;
mod value_numbers;
mod cost_model;
mod value_numbering;
mod dead_code;
mod shared_functions;
mod narrowing;
mod signs;
mod contraction;
mod strength_reduction;
mod if_conversion;
mod scaling;
mod sinking;
#[cfg(test)]
mod tests;

use crate::ir::{Kernel, Op};
use crate::launch::Fp32Counts;
use cost_model::CostModel;

/// The instructions of `kernel` that do not cost what their operation does, with what they cost.
///
/// In a generated text, whose accesses are predicated, nothing is sunk: there is no branch to compute it in.
/// `has_warp_groups` says whether its products of matrices stand for `wgmma`.
pub(crate) fn recosted(kernel: &Kernel, has_warp_groups: bool) -> Vec<(u32, Fp32Counts)> {
    // Values are followed through the code in order: not to bodies that several calls go to.
    if kernel.code.iter().any(|i| i.op == Op::Call) {
        return Vec::new();
    }
    let is_predicated = kernel.source.is_generated;
    let mut model = CostModel::new(kernel);
    value_numbering::run(&mut model);
    dead_code::run(&mut model);
    shared_functions::run(&mut model);
    if is_predicated {
        narrowing::run(&mut model);
    }
    signs::run(&mut model);
    contraction::run(&mut model, is_predicated);
    strength_reduction::run(&mut model);
    if_conversion::run(&mut model);
    if is_predicated {
        scaling::run(&mut model, has_warp_groups);
    } else {
        sinking::run(&mut model);
    }
    model.changes()
}
