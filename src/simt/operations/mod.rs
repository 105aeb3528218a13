//! What each operation on registers does, one line an operation.
//!
//! Each table is compiled twice: for any processor, and for those with AVX2 and fused
//! multiply-adds, whose eight lanes at a time it then uses.

/// Declares a table for any processor, and the same for those with AVX2.
macro_rules! versions {
    (pub(super) fn operation($op:ident: Op) -> Option<LaneOperation> $table:block) => {
        pub(super) fn operation($op: Op) -> Option<LaneOperation> $table

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        pub(super) fn operation_avx2($op: Op) -> Option<LaneOperation> $table
    };
}

mod convert;
mod double;
mod float;
mod half;
mod integer;
mod integer64;
mod libm;
mod moves;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use half::{add_bf16, add_f16};

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::lanes::{LaneOperation, Vector, agree};
use crate::ir::Op;

/// The function of an operation that touches nothing but registers; nothing for the others.
pub fn lane_operation(op: Op) -> Option<LaneOperation> {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::lane_operation(op);
    }
    plain_operation(op)
}

/// A function that does what [`agree`] does.
pub type Agreement = fn(&[Vector], &[Vector], u32, u32) -> bool;

/// The fastest [`agree`] for this processor.
pub fn agreement() -> Agreement {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::agreement();
    }
    |values, differences, active, first| agree(values, differences, active, first)
}

/// Copies between registers and words of a buffer that other threads use too: as loads and stores
/// of single words without any order.
#[derive(Clone, Copy)]
pub struct Copies {
    /// Loads as many words as there are values.
    pub read: fn(&[AtomicU32], &mut [u32]),
    /// Stores as many words as there are values.
    pub write: fn(&[AtomicU32], &[u32]),
}

/// The fastest copies for this processor.
pub fn copies() -> Copies {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::copies();
    }
    Copies {
        read: |words, values| {
            for (value, word) in values.iter_mut().zip(words) {
                *value = word.load(Relaxed);
            }
        },
        write: |words, values| {
            for (&value, word) in values.iter().zip(words) {
                word.store(value, Relaxed);
            }
        },
    }
}

/// [`lane_operation`] for any processor.
pub fn plain_operation(op: Op) -> Option<LaneOperation> {
    let tables = [
        moves::operation,
        integer::operation,
        integer64::operation,
        float::operation,
        double::operation,
        half::operation,
        libm::operation,
        convert::operation,
    ];
    tables.iter().find_map(|table| table(op))
}
