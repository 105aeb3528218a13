//! What tensor cores compute: products of small matrices that lie over the lanes of a warp.
//!
//! `matrix` has the rules, for any numbers, one sum at a time; `fragments` and `avx2` compute the same, bit by bit, eight
//! sums at a time, where numbers are of usual sizes; `exact_matrix` is about bytes and doubles.

mod matrix;
mod exact_matrix;
mod fragments;
#[cfg(target_arch = "x86_64")]
mod avx2;

pub use exact_matrix::{multiply_bytes, multiply_doubles};
pub use matrix::transpose;

use crate::ir::{Instruction, Op};
#[cfg(target_arch = "x86_64")]
use crate::simt::operations::avx2::is_supported;
use crate::simt::warp::Lanes;

/// Adds a product of matrices to sums: eight at a time where their numbers allow it.
pub fn multiply(lanes: &mut Lanes<'_>, i: Instruction) {
    if !multiply_usual(lanes, i) {
        matrix::multiply(lanes, i);
    }
}

/// The same of numbers of usual sizes; whether they are.
fn multiply_usual(lanes: &mut Lanes<'_>, i: Instruction) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_supported() && i.op != Op::MmaF16F16 {
        return avx2::multiply(lanes, i);
    }
    fragments::multiply(lanes, i)
}
