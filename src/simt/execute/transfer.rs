//! Moves values between registers and memory, whatever the memory is.

use crate::ir::{AccessSite, Instruction, ValueKind};
use crate::launch::WARP_LANES;
use crate::simt::warp::{ALL, Lanes, set_bits};

/// A method that carries out an instruction, compiled twice: for processors with AVX2, where lanes are looked at eight at a
/// time, and for all others.
macro_rules! compiled_for_avx2 {
    ($(#[$doc:meta])* $name:ident, $avx2:ident, $anywhere:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
            #[cfg(target_arch = "x86_64")]
            if crate::simt::operations::has_avx2() {
                #[allow(unsafe_code)]
                // SAFETY: the processor has what the function is compiled for, as was just asked.
                return unsafe { self.$avx2(i) };
            }
            self.$anywhere(i)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn $avx2(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
            self.$anywhere(i)
        }
    };
}

pub(super) use compiled_for_avx2;

/// An access that is being carried out.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    /// The instruction.
    pub i: Instruction,
    /// Its access site.
    pub site: &'a AccessSite,
    /// The lanes that access.
    pub active: u32,
    /// Bytes that each lane moves.
    pub width: u64,
}

/// Changes those bits of a word that `bits` selects.
pub fn mix(word: &mut u32, bits: u32, value: u32) {
    *word = (*word & !bits) | (value & bits);
}

/// Loads where the active lanes read consecutive words from the one called 0.
#[inline(always)]
pub fn load_run(lanes: &mut Lanes<'_>, access: Access<'_>, word: impl Fn(usize) -> u32) {
    let (first, count) = run(access.active);
    let words = (access.width / 4) as usize;
    for part in 0..words {
        let target = lanes.get_mut(access.i.dst + part as u16);
        // The most frequent case by far: a whole warp, a word a lane.
        if access.active == ALL && words == 1 {
            *target = std::array::from_fn(&word);
            return;
        }
        for (at, value) in target[first..first + count].iter_mut().enumerate() {
            *value = word(at * words + part);
        }
    }
}

/// Stores where the active lanes write consecutive words from the one called 0.
#[inline(always)]
pub fn store_run(lanes: &Lanes<'_>, access: Access<'_>, mut store: impl FnMut(usize, u32)) {
    let (first, count) = run(access.active);
    let words = (access.width / 4) as usize;
    for part in 0..words {
        let source = lanes.get(access.i.dst + part as u16);
        for (at, &value) in source[first..first + count].iter().enumerate() {
            store(at * words + part, value);
        }
    }
}

/// Loads where all active lanes read the same words.
pub fn load_uniform(lanes: &mut Lanes<'_>, access: Access<'_>, word: impl Fn(usize) -> u32) {
    for part in 0..(access.width / 4) as usize {
        lanes.set(access.i.dst + part as u16, [word(part); WARP_LANES]);
    }
}

/// Stores where all active lanes write the same words: the last lane's value stays.
pub fn store_uniform(lanes: &Lanes<'_>, access: Access<'_>, mut store: impl FnMut(usize, u32)) {
    // CUDA leaves open whose value stays: this one would if lanes stored in order.
    let last = 31 - access.active.leading_zeros() as usize;
    for part in 0..(access.width / 4) as usize {
        store(part, lanes.get(access.i.dst + part as u16)[last]);
    }
}

/// First lane and number of lanes of a mask without gaps.
fn run(mask: u32) -> (usize, usize) {
    (mask.trailing_zeros() as usize, mask.count_ones() as usize)
}

/// Loads lane by lane, each from its offset; `word` gives the word that holds a byte.
#[inline(always)]
pub fn gather(
    lanes: &mut Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offset: impl Fn(usize) -> u64,
    word: impl Fn(usize, u64) -> u32,
) {
    for part in 0..access.site.words() {
        let target = lanes.get_mut(access.i.dst + part as u16);
        let at = |lane: usize| offset(lane) + 4 * u64::from(part);
        match (access.width < 4, group) {
            (false, ALL) => {
                for (lane, value) in target.iter_mut().enumerate() {
                    *value = word(lane, at(lane));
                }
            }
            // No `for_each`: the compiler would not put its closures into code for AVX2.
            (false, _) => {
                for lane in set_bits(group) {
                    target[lane] = word(lane, at(lane));
                }
            }
            (true, _) => {
                for lane in set_bits(group) {
                    target[lane] = narrow(access, at(lane), word(lane, at(lane)));
                }
            }
        }
    }
}

/// What a load of fewer than four bytes takes from a word.
fn narrow(access: Access<'_>, at: u64, word: u32) -> u32 {
    // Aligned, so that no value crosses a word.
    let value = word >> (8 * (at % 4));
    match (access.width, access.site.value) {
        (1, ValueKind::Signed) => value as i8 as u32,
        (1, _) => value & 0xff,
        (2, ValueKind::Signed) => value as i16 as u32,
        (2, _) => value & 0xffff,
        _ => value,
    }
}

/// Stores lane by lane, in order of lanes, each to its offset; `store` gets a byte's place, which bits of its word to
/// change, and their values.
#[inline(always)]
pub fn scatter(
    lanes: &Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offset: impl Fn(usize) -> u64,
    mut store: impl FnMut(usize, u64, u32, u32),
) {
    for part in 0..access.site.words() {
        let source = lanes.get(access.i.dst + part as u16);
        let at = |lane: usize| offset(lane) + 4 * u64::from(part);
        if access.width >= 4 {
            for lane in set_bits(group) {
                store(lane, at(lane), u32::MAX, source[lane]);
            }
            continue;
        }
        // A store of a byte must not write its neighbours back: other threads may be storing to them.
        let bits = u32::MAX >> (32 - 8 * access.width);
        for lane in set_bits(group) {
            let shift = 8 * (at(lane) % 4);
            store(lane, at(lane), bits << shift, source[lane] << shift);
        }
    }
}
