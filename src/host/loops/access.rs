//! Columns from memory and to it.

use crate::host::memory::Memory;
use crate::ir::GLOBAL_STRIDE;

use super::columns::{Column, Columns, LANES};
use super::step::{Access, Register, WordKind};

/// Most bytes of the GPU's memory that one column is taken out of.
const MOST_FAR_BYTES: u64 = 16 << 10;

/// The bytes between the first and the last that an access reaches in some iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub access: Access,
    pub first: u64,
    pub length: u64,
}

impl Reached {
    /// Nothing where they are no range.
    pub fn of(access: Access, addresses: &Column, lanes: usize) -> Option<Self> {
        let addresses = &addresses[..lanes];
        let begin = Reached {
            access,
            first: *addresses.first()?,
            length: access.word.bytes() * lanes as u64,
        };
        // Mostly they are words side by side, which is found without a branch for each.
        if is_run(addresses, &begin) && begin.first.checked_add(begin.length).is_some() {
            return Some(begin);
        }
        let (first, last) = addresses
            .iter()
            .fold((u64::MAX, 0), |(least, most), &address| {
                (least.min(address), most.max(address))
            });
        let length = last.checked_sub(first)?.checked_add(access.word.bytes())?;
        Some(Reached {
            access,
            first,
            length,
        })
    }

    pub fn meets(&self, other: &Reached) -> bool {
        let end = |reached: &Reached| reached.first.saturating_add(reached.length);
        self.first < end(other) && other.first < end(self)
    }

    /// Reaches also what another one reaches.
    pub fn include(&mut self, other: &Reached) {
        let end = (self.first + self.length).max(other.first + other.length);
        self.first = self.first.min(other.first);
        self.length = end - self.first;
    }

    fn is_far(&self) -> bool {
        self.first >= GLOBAL_STRIDE
    }
}

/// Whether each iteration's address is the next word.
fn is_run(addresses: &[u64], reached: &Reached) -> bool {
    let word = reached.access.word.bytes();
    // The wrapping sum cannot be wrong: it is compared with addresses that are there.
    let expected = (0..).map(|lane: u64| reached.first.wrapping_add(lane * word));
    let pairs = addresses.iter().zip(expected);
    // All of them, without a branch for each.
    pairs.fold(0, |other, (&address, expected)| {
        other | (address ^ expected)
    }) == 0
}

impl Columns {
    /// Loads a column; nothing where some of it cannot be had.
    pub fn load(&mut self, reached: &Reached, lanes: usize, memory: &Memory<'_>) -> Option<()> {
        let access = reached.access;
        let mut far = std::mem::take(&mut self.bytes);
        let bytes = match reached.is_far() {
            false => memory.bytes(reached.first, reached.length).ok(),
            true if reached.length <= MOST_FAR_BYTES => {
                far.resize(reached.length as usize, 0);
                let read = memory.read_to(reached.first, &mut far);
                read.ok().map(|()| far.as_slice())
            }
            true => None,
        };
        // A value has a higher number than its address.
        let (before, behind) = self.columns.split_at_mut(usize::from(access.value));
        let done = bytes.map(|bytes| {
            let to = &mut behind[0][..lanes];
            let from = From {
                bytes,
                addresses: &before[usize::from(access.address)][..lanes],
                reached,
            };
            match access.word {
                WordKind::I8 => from.gather(to, |[byte]: [u8; 1]| byte as i8 as i64 as u64),
                WordKind::U8 => from.gather(to, |[byte]: [u8; 1]| u64::from(byte)),
                WordKind::I16 => from.gather(to, |word| i16::from_le_bytes(word) as i64 as u64),
                WordKind::U16 => from.gather(to, |word| u64::from(u16::from_le_bytes(word))),
                WordKind::I32 => from.gather(to, |word| i32::from_le_bytes(word) as i64 as u64),
                WordKind::U32 => from.gather(to, |word| u64::from(u32::from_le_bytes(word))),
                WordKind::Whole => from.gather(to, u64::from_le_bytes),
            }
        });
        self.bytes = far;
        done
    }

    /// Whether a column can be stored.
    pub fn may_store(&mut self, reached: &Reached, lanes: usize, memory: &mut Memory<'_>) -> bool {
        let Reached { first, length, .. } = *reached;
        if !reached.is_far() {
            return memory.bytes_mut(first, length).is_ok();
        }
        let addresses = &self.columns[usize::from(reached.access.address)][..lanes];
        if length > MOST_FAR_BYTES || !is_run(addresses, reached) {
            return false;
        }
        self.bytes.resize(length as usize, 0);
        memory.read_to(first, &mut self.bytes).is_ok()
    }

    /// Stores a column that may be stored, in the order of its iterations.
    pub fn store(&mut self, reached: &Reached, lanes: usize, memory: &mut Memory<'_>) {
        let Reached { first, length, .. } = *reached;
        let mut far = std::mem::take(&mut self.bytes);
        match reached.is_far() {
            false => {
                if let Ok(bytes) = memory.bytes_mut(first, length) {
                    self.scatter(reached, lanes, bytes);
                }
            }
            true => {
                far.resize(length as usize, 0);
                self.scatter(reached, lanes, &mut far);
                // It was read a moment ago: it is there.
                let _ = memory.write(first, &far);
            }
        }
        self.bytes = far;
    }

    fn scatter(&self, reached: &Reached, lanes: usize, bytes: &mut [u8]) {
        let access = reached.access;
        let (addresses, values) = (&self.of(access.address)[..lanes], self.of(access.value));
        let to = To {
            bytes,
            addresses,
            reached,
        };
        match access.word.bytes() {
            1 => to.scatter(values, |value| [value as u8]),
            2 => to.scatter(values, |value| (value as u16).to_le_bytes()),
            4 => to.scatter(values, |value| (value as u32).to_le_bytes()),
            _ => to.scatter(values, u64::to_le_bytes),
        }
    }

    /// Whether a column of addresses rises from iteration to iteration.
    pub fn rises(&self, address: Register, lanes: usize) -> bool {
        self.of(address)[..lanes].is_sorted_by(|a, b| a < b)
    }
}

/// Bytes that words are taken out of.
struct From<'b> {
    bytes: &'b [u8],
    addresses: &'b [u64],
    reached: &'b Reached,
}

impl From<'_> {
    #[inline(always)]
    fn gather<const N: usize>(&self, to: &mut [u64], value: impl Fn([u8; N]) -> u64) {
        if is_run(self.addresses, self.reached) {
            let (words, _) = self.bytes.as_chunks();
            for (to, &word) in to.iter_mut().zip(words) {
                *to = value(word);
            }
            return;
        }
        // One word for all iterations.
        if let Ok(&word) = <&[u8; N]>::try_from(self.bytes) {
            return to.fill(value(word));
        }
        for (to, &address) in to.iter_mut().zip(self.addresses) {
            let at = (address - self.reached.first) as usize;
            if let Some(&word) = self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
                *to = value(word);
            }
        }
    }
}

/// Bytes that words are put into.
struct To<'b> {
    bytes: &'b mut [u8],
    addresses: &'b [u64],
    reached: &'b Reached,
}

impl To<'_> {
    #[inline(always)]
    fn scatter<const N: usize>(self, values: &[u64; LANES], word: impl Fn(u64) -> [u8; N]) {
        if is_run(self.addresses, self.reached) {
            let (words, _) = self.bytes.as_chunks_mut();
            for (to, &value) in words.iter_mut().zip(values) {
                *to = word(value);
            }
            return;
        }
        for (&address, &value) in self.addresses.iter().zip(values) {
            let at = (address - self.reached.first) as usize;
            let to = self.bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut);
            if let Some(to) = to {
                *to = word(value);
            }
        }
    }
}
