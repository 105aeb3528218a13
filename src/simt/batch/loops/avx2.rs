//! The inner loops of batches for processors with AVX2. Results are those of the portable loops.

use std::arch::asm;
use std::arch::x86_64::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::movement::{Path, Words, load, load_packed, store_packed};
use super::portable::Loops;
use crate::launch::WARP_LANES;
use crate::simt::operations::has_avx2;
use crate::simt::warp::{Vector, span};

/// The loops, on a processor that is supported.
#[allow(unsafe_code)]
pub fn loops() -> Loops {
    assert!(has_avx2());
    // SAFETY: the processor has what the functions are compiled for, as was just asked.
    unsafe { compiled_loops() }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_loops() -> Loops {
    Loops {
        agree: |values, differences, active, first| agree(values, differences, active, first),
        span: |values, active| span(values, active),
        nonzero: |rows, masks| {
            for (row, mask) in rows.iter().zip(masks) {
                *mask = nonzero(row);
            }
        },
        load_global: |rows, movement, active, words, part| match movement.path {
            Path::Contiguous => read(words, rows.as_flattened_mut()),
            _ => load(rows, movement, active, words, part),
        },
        load_shared: |rows, movement, active, words, part| {
            load(rows, movement, active, words, part)
        },
        store_global: write,
        load_packed_global: |registers, warps, count, movement, words| {
            load_packed(registers, warps, count, movement, &Wide(words), fours_into)
        },
        load_packed_shared: |registers, warps, count, movement, words| {
            load_packed(registers, warps, count, movement, &*words, fours_into)
        },
        store_packed_shared: |registers, warps, count, movement, words| {
            let put = |at: usize, values: &[u32]| {
                words[at..at + values.len()].copy_from_slice(values);
            };
            store_packed(registers, warps, count, movement, fours_out_of, put);
        },
        store_packed_global: |registers, warps, count, movement, words| {
            let put = |at: usize, values: &[u32]| write(&words[at..], values);
            store_packed(registers, warps, count, movement, fours_out_of, put);
        },
    }
}

/// Words of a buffer, of which many are read at once.
struct Wide<'a>(&'a [AtomicU32]);

impl Words for Wide<'_> {
    fn get(&self, at: usize) -> u32 {
        Words::get(self.0, at)
    }

    fn eight(&self, at: usize) -> [u32; 8] {
        Words::eight(self.0, at)
    }

    fn every(&self, at: usize, step: usize) -> [u32; 8] {
        Words::every(self.0, at, step)
    }

    #[allow(unsafe_code)]
    fn read(&self, at: usize, values: &mut [u32]) {
        // SAFETY: only `compiled_loops`, for a processor that has AVX2, makes one of these.
        unsafe { read(&self.0[at..], values) }
    }
}

#[allow(unsafe_code)]
fn fours_into(registers: &mut [Vector], warps: usize, memory: &[[u32; 4]]) {
    // SAFETY: only `compiled_loops`, for a processor that has AVX2, names it.
    unsafe { sort_fours_into(registers, warps, memory) }
}

#[allow(unsafe_code)]
fn fours_out_of(registers: &[Vector], warps: usize, memory: &mut [[u32; 4]]) {
    // SAFETY: as in `fours_into`.
    unsafe { sort_fours_out_of(registers, warps, memory) }
}

/// What [`sort_into`] does for lanes of four words each.
#[target_feature(enable = "avx2")]
fn sort_fours_into(registers: &mut [Vector], warps: usize, memory: &[[u32; 4]]) {
    let (groups, _) = memory.as_flattened().as_chunks::<WARP_LANES>();
    for (group, memory) in groups.iter().enumerate() {
        for (part, words) in sorted(memory).into_iter().enumerate() {
            registers[part * warps][group * 8..group * 8 + 8].copy_from_slice(&as_words(words));
        }
    }
}

/// What [`sort_out_of`] does for lanes of four words each.
#[target_feature(enable = "avx2")]
fn sort_fours_out_of(registers: &[Vector], warps: usize, memory: &mut [[u32; 4]]) {
    let (groups, _) = memory.as_flattened_mut().as_chunks_mut::<WARP_LANES>();
    let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    for (group, memory) in groups.iter_mut().enumerate() {
        let mut words = [_mm256_setzero_si256(); 4];
        for (part, words) in words.iter_mut().enumerate() {
            let row = eight(&registers[part * warps], group);
            // Even lanes first, as the halves of registers are taken apart.
            *words = _mm256_permutevar8x32_epi32(row, order);
        }
        let [a, b, c, d] = words;
        let low = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
        let high = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
        let lanes = [
            _mm256_unpacklo_epi64(low[0], low[1]),
            _mm256_unpackhi_epi64(low[0], low[1]),
            _mm256_unpacklo_epi64(high[0], high[1]),
            _mm256_unpackhi_epi64(high[0], high[1]),
        ];
        for (memory, lanes) in memory.as_chunks_mut::<8>().0.iter_mut().zip(lanes) {
            *memory = as_words(lanes);
        }
    }
}

/// The four words of eight lanes, by word.
#[target_feature(enable = "avx2")]
#[inline]
fn sorted(memory: &Vector) -> [__m256i; 4] {
    let [a, b] = [eight(memory, 0), eight(memory, 1)];
    let [c, d] = [eight(memory, 2), eight(memory, 3)];
    let low = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let high = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
    let mut words = [
        _mm256_unpacklo_epi64(low[0], low[1]),
        _mm256_unpackhi_epi64(low[0], low[1]),
        _mm256_unpacklo_epi64(high[0], high[1]),
        _mm256_unpackhi_epi64(high[0], high[1]),
    ];
    // Even lanes stand before odd ones by now.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for words in &mut words {
        *words = _mm256_permutevar8x32_epi32(*words, order);
    }
    words
}

/// Eight lanes as words.
#[allow(unsafe_code)]
#[inline(always)]
fn as_words(lanes: __m256i) -> [u32; 8] {
    // SAFETY: both are eight words, and any bits are values of either.
    unsafe { std::mem::transmute(lanes) }
}

/// The lanes in which a register is not 0.
#[target_feature(enable = "avx2")]
#[inline]
fn nonzero(values: &Vector) -> u32 {
    let mut mask = 0;
    for part in 0..4 {
        let zero = _mm256_cmpeq_epi32(eight(values, part), _mm256_setzero_si256());
        mask |= (_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u32) << (part * 8);
    }
    !mask
}

/// Loads words that other threads may be storing to.
#[allow(unsafe_code)]
#[target_feature(enable = "avx2")]
fn read(words: &[AtomicU32], values: &mut [u32]) {
    let (head, middle) = parts(words, values.len());
    for at in (0..head).chain(middle.end..values.len()) {
        values[at] = words[at].load(Relaxed);
    }
    let ahead = AHEAD * size_of_val(values);
    let eights = words[middle.clone()].chunks_exact(8);
    for (words, values) in eights.zip(values[middle].chunks_exact_mut(8)) {
        fetch::<_MM_HINT_T0>(words, ahead);
        let (low, high): (__m128i, __m128i);
        // SAFETY: the eight words are there and aligned to 16 bytes, so that every processor with
        // AVX loads four of them at once (Intel SDM 3A 9.1.1; AMD APM 2 7.3.2): as relaxed loads.
        unsafe {
            asm!("vmovdqa {low}, [{from}]", "vmovdqa {high}, [{from} + 16]",
                low = out(xmm_reg) low, high = out(xmm_reg) high, from = in(reg) words.as_ptr(),
                options(nostack, preserves_flags, readonly));
            _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm256_set_m128i(high, low));
        }
    }
}

/// Stores to words that other threads may be using.
#[allow(unsafe_code)]
fn write(words: &[AtomicU32], values: &[u32]) {
    let (head, middle) = parts(words, values.len());
    for at in (0..head).chain(middle.end..values.len()) {
        words[at].store(values[at], Relaxed);
    }
    let ahead = AHEAD * size_of_val(values);
    let eights = words[middle.clone()].chunks_exact(8);
    for (words, values) in eights.zip(values[middle].chunks_exact(8)) {
        fetch::<_MM_HINT_ET0>(words, ahead);
        // SAFETY: as in `read`: as relaxed stores, to words that may be written through a shared
        // reference, because they are atomic.
        unsafe {
            let low = _mm_loadu_si128(values.as_ptr().cast());
            let high = _mm_loadu_si128(values[4..].as_ptr().cast());
            asm!("vmovdqa [{to}], {low}", "vmovdqa [{to} + 16], {high}",
                low = in(xmm_reg) low, high = in(xmm_reg) high, to = in(reg) words.as_ptr(),
                options(nostack, preserves_flags));
        }
    }
}

/// Runs ahead of a copy that are fetched: what is copied next mostly follows.
const AHEAD: usize = 2;

/// Fetches what comes so many bytes after some words into the processor's cache, once a line.
#[allow(unsafe_code)]
#[inline(always)]
fn fetch<const HINT: i32>(words: &[AtomicU32], bytes: usize) {
    let at = words.as_ptr().wrapping_byte_add(bytes);
    // Words come by eights.
    if at.addr() % 64 < 32 {
        // SAFETY: fetching is a hint, which takes any address.
        unsafe { _mm_prefetch::<HINT>(at.cast()) };
    }
}

/// How many of the first `count` words come before one aligned to 16 bytes, and the eights after.
fn parts(words: &[AtomicU32], count: usize) -> (usize, Range<usize>) {
    assert!(words.len() >= count);
    let head = (words.as_ptr().addr().wrapping_neg() % 16 / 4).min(count);
    (head, head..count - (count - head) % 8)
}

/// Whether the values of the active lanes differ from `first` as `differences` say. Compilers
/// make this slow in many ways, so it is written out.
#[target_feature(enable = "avx2")]
fn agree(values: &[Vector], differences: &[Vector], active: u32, first: u32) -> bool {
    let first = _mm256_set1_epi32(first as i32);
    let mut strays = [_mm256_setzero_si256(); 4];
    for (values, differences) in values.iter().zip(differences) {
        for (part, strays) in strays.iter_mut().enumerate() {
            let difference = _mm256_sub_epi32(eight(values, part), eight(differences, part));
            *strays = _mm256_or_si256(*strays, _mm256_xor_si256(difference, first));
        }
    }
    let mut agreeing = !active;
    for (part, strays) in strays.into_iter().enumerate() {
        let equal = _mm256_cmpeq_epi32(strays, _mm256_setzero_si256());
        let lanes = _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32;
        agreeing |= lanes << (part * 8);
    }
    agreeing == u32::MAX
}

/// Lanes `8 * part` to `8 * part + 7`.
#[allow(unsafe_code)]
#[target_feature(enable = "avx2")]
#[inline]
fn eight(vector: &Vector, part: usize) -> __m256i {
    let lanes: &[u32] = &vector[part * 8..part * 8 + 8];
    // SAFETY: the slice has the 32 bytes that are read, and the instruction takes any alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}
