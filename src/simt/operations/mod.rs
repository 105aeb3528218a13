//! What each operation on registers does, one line an operation.
//!
//! Each table is compiled twice: for any processor, and for those with AVX2 and fused
//! multiply-adds, whose eight lanes at a time it then uses.

/// Declares a table for any processor, and the same under a second name for those with AVX2.
macro_rules! versions {
    ($name:ident $name_avx2:ident($op:ident) $table:block) => {
        pub(super) fn $name($op: Op) -> Option<LaneOperation> $table

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        pub(super) fn $name_avx2($op: Op) -> Option<LaneOperation> $table
    };
}

mod moves;
mod integer;
mod integer64;
mod exp;
mod logarithm;
mod sine;
mod float;
mod half;
mod libm;
mod convert;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod tensor_cores;
mod collective;
mod exchange;

pub(crate) use exchange::{Undefined, exchange, exchange_in_each, source_lane};

pub use half::{add_bf16, add_f16, f16_to_f32, to_f16};

use super::warp::LaneOperation;
use crate::ir::Op;

/// The function of an operation that touches nothing but registers; nothing for the others.
pub fn lane_operation(op: Op) -> Option<LaneOperation> {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        return avx2::lane_operation(op);
    }
    plain_operation(op)
}

/// Whether the processor that this runs on can run what is compiled for AVX2.
pub fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::is_supported();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// [`lane_operation`] for any processor.
pub fn plain_operation(op: Op) -> Option<LaneOperation> {
    let tables = [
        moves::operation,
        integer::operation,
        integer64::operation,
        float::operation,
        float::of_one_precision,
        half::operation,
        half::of_one_format,
        libm::operation,
        convert::operation,
    ];
    tables.iter().find_map(|table| table(op))
}
