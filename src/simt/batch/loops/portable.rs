//! The inner loops of batches for any processor, and the table through which batches call them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::movement::{Movement, load, load_packed, sort_into, sort_out_of, store_packed};
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
    /// What [`load_packed`] does, from a buffer.
    pub load_packed_global: MovePacked<[AtomicU32]>,
    /// What [`store_packed`] does, to a buffer.
    pub store_packed_global: MovePacked<[AtomicU32]>,
    /// What [`load_packed`] does, from shared memory.
    pub load_packed_shared: MovePackedShared,
    /// What [`store_packed`] does, to shared memory.
    pub store_packed_shared: MovePackedShared,
}

/// A function that does what [`agree`] does.
pub type Agree = fn(&[Vector], &[Vector], u32, u32) -> bool;

/// A function that does what [`load`] does.
type Load<W> = fn(&mut [Vector], &Movement, u32, &W, usize);

/// A function that does what [`load_packed`] or [`store_packed`] does.
type MovePacked<W> = fn(&mut [Vector], usize, usize, &Movement, &W);

/// The same, for shared memory.
type MovePackedShared = fn(&mut [Vector], usize, usize, &Movement, &mut [u32]);

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
        store_global: write,
        load_packed_global: |registers, warps, count, movement, words| {
            load_packed(registers, warps, count, movement, words, sort_into)
        },
        load_packed_shared: |registers, warps, count, movement, words| {
            load_packed(registers, warps, count, movement, &*words, sort_into)
        },
        store_packed_shared: |registers, warps, count, movement, words| {
            let put = |at: usize, values: &[u32]| {
                words[at..at + values.len()].copy_from_slice(values);
            };
            store_packed(registers, warps, count, movement, sort_out_of, put);
        },
        store_packed_global: |registers, warps, count, movement, words| {
            let put = |at: usize, values: &[u32]| write(&words[at..], values);
            store_packed(registers, warps, count, movement, sort_out_of, put);
        },
    }
}

fn write(words: &[AtomicU32], values: &[u32]) {
    for (&value, word) in values.iter().zip(words) {
        word.store(value, Relaxed);
    }
}
