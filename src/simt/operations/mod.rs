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

mod moves;
mod integer;
mod integer64;
mod exp;
mod float;
mod double;
mod half;
mod libm;
mod convert;
#[cfg(target_arch = "x86_64")]
mod wide;
mod collective;
mod matrix;
mod exchange;

pub(crate) use exchange::{exchange, exchange_in_each, source_lane};

pub use half::{add_bf16, add_f16};

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::batch::{Route, load};
use super::warp::{LaneOperation, Vector};
use super::warp::{agree, nonzero, span};
use crate::ir::Op;

/// The function of an operation that touches nothing but registers; nothing for the others.
pub fn lane_operation(op: Op) -> Option<LaneOperation> {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::lane_operation(op);
    }
    plain_operation(op)
}

/// Work on whole gangs, in the fastest form for the processor.
#[derive(Clone, Copy)]
pub struct Vectors {
    /// What [`agree`] does.
    pub agree: Agreement,
    /// What [`span`] does.
    pub span: fn(&Vector, u32) -> (i32, i32),
    /// The lanes in which each row is not 0.
    pub nonzero: fn(&[Vector], &mut [u32]),
    /// What [`load`] does, from a buffer.
    pub load: Load<[AtomicU32]>,
    /// What [`load`] does, from memory of a block's own.
    pub load_own: Load<[u32]>,
    /// Stores consecutive words to a buffer.
    pub write: fn(&[AtomicU32], &[u32]),
}

/// A function that does what [`agree`] does.
pub type Agreement = fn(&[Vector], &[Vector], u32, u32) -> bool;

/// A function that does what [`load`] does.
pub type Load<W> = fn(&mut [Vector], &Route, u32, &W, usize);

/// The fastest for this processor.
pub fn vectors() -> Vectors {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::vectors();
    }
    Vectors {
        agree: |values, differences, active, first| agree(values, differences, active, first),
        span: |values, active| span(values, active),
        nonzero: |rows, masks| {
            for (row, mask) in rows.iter().zip(masks) {
                *mask = nonzero(row);
            }
        },
        load: |rows, route, active, words, part| load(rows, route, active, words, part),
        load_own: |rows, route, active, words, part| load(rows, route, active, words, part),
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
