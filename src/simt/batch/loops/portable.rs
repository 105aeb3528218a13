//! The inner loops of batches for any processor, and the table through which batches call them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::movement::{Movement, load};
use crate::simt::warp::{Vector, agree, nonzero, span};

/// The inner loops of batches, in the fastest form for the processor.
#[derive(Clone, Copy)]
pub struct Loops {
    /// What [`agree`] does.
    pub agree: Agree,
    /// What [`span`] does.
    pub span: fn(&Vector, u32) -> (i32, i32),
    /// The lanes in which each row is not 0.
    pub nonzero: fn(&[Vector], &mut [u32]),
    /// What [`load`] does, from a buffer.
    pub load_global: Load<[AtomicU32]>,
    /// What [`load`] does, from shared memory.
    pub load_shared: Load<[u32]>,
    /// Stores consecutive words to a buffer.
    pub store_global: fn(&[AtomicU32], &[u32]),
}

/// A function that does what [`agree`] does.
pub type Agree = fn(&[Vector], &[Vector], u32, u32) -> bool;

/// A function that does what [`load`] does.
type Load<W> = fn(&mut [Vector], &Movement, u32, &W, usize);

/// The loops for any processor.
pub fn loops() -> Loops {
    Loops {
        agree: |values, differences, active, first| agree(values, differences, active, first),
        span: |values, active| span(values, active),
        nonzero: |rows, masks| {
            for (row, mask) in rows.iter().zip(masks) {
                *mask = nonzero(row);
            }
        },
        load_global: |rows, movement, active, words, part| {
            load(rows, movement, active, words, part);
        },
        load_shared: |rows, movement, active, words, part| {
            load(rows, movement, active, words, part);
        },
        store_global: |words, values| {
            for (&value, word) in values.iter().zip(words) {
                word.store(value, Relaxed);
            }
        },
    }
}
