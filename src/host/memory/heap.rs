//! Which parts of the heap are in use: `malloc` and `free`, as glibc's do it as far as a program can see.
//!
//! Knows addresses and sizes only; the bytes lie in `space`. Blocks are multiples of 16 bytes with 8 bytes before each that
//! belong to nobody, as in glibc: a small overrun of a block is seen by no other.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{HEAP, SEGMENT_BYTES, SEGMENTS};

/// From this size on a block has a segment of its own, which is unmapped when it is freed.
const OWN_SEGMENT_BYTES: u64 = 1 << 20;

/// Up to this size glibc keeps freed blocks in its thread's cache, and names that in its messages.
const CACHED_BYTES: u64 = 1032;

/// What is in use of the heap.
#[derive(Debug, Default)]
pub struct Heap {
    /// Blocks in use: address and the size that was asked for.
    used: BTreeMap<u64, u64>,
    /// Free chunks by address, with their sizes; no two lie side by side.
    free: BTreeMap<u64, u64>,
    /// The same by size.
    by_size: BTreeSet<(u64, u64)>,
    /// How much of the heap's own segment was ever in use.
    top: u64,
    /// Which segments behind the heap's own are in use, from the first.
    segments: Vec<bool>,
}

/// Why a block cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeError {
    /// It was freed before.
    Twice,
    /// It never was a block, or the pointer does not point to a block's beginning.
    Invalid,
}

impl FreeError {
    /// What glibc says before it aborts; `address` is what was to be freed.
    pub fn message(self, address: u64) -> &'static str {
        match self {
            FreeError::Twice => "free(): double free detected in tcache 2",
            FreeError::Invalid if !address.is_multiple_of(16) => "munmap_chunk(): invalid pointer",
            FreeError::Invalid => "free(): invalid pointer",
        }
    }
}

/// The size of the chunk of a block of so many bytes: with 8 bytes before it, at least 32.
fn chunk_bytes(bytes: u64) -> u64 {
    (bytes + 8).next_multiple_of(16).max(32)
}

impl Heap {
    /// A block of so many bytes, at a multiple of 16; nothing where there is no room.
    pub fn allocate(&mut self, bytes: u64) -> Option<u64> {
        if bytes > SEGMENT_BYTES {
            return None;
        }
        let address = match bytes >= OWN_SEGMENT_BYTES {
            true => self.own_segment(),
            false => None,
        };
        // Where all segments are taken, the common one may still have room.
        let address = address.or_else(|| self.chunk(chunk_bytes(bytes)))?;
        self.used.insert(address, bytes);
        Some(address)
    }

    fn own_segment(&mut self) -> Option<u64> {
        let first = HEAP / SEGMENT_BYTES + 1;
        let unused = self.segments.iter().position(|is_used| !is_used);
        let index = unused.unwrap_or(self.segments.len());
        if first + index as u64 >= SEGMENTS {
            return None;
        }
        match self.segments.get_mut(index) {
            Some(is_used) => *is_used = true,
            None => self.segments.push(true),
        }
        Some((first + index as u64) * SEGMENT_BYTES)
    }

    /// The smallest free chunk that is large enough, or a new one; its address is that of the block in it.
    fn chunk(&mut self, bytes: u64) -> Option<u64> {
        let found = self.by_size.range((bytes, 0)..).next().copied();
        let Some((size, address)) = found else {
            let address = HEAP + 16 + self.top;
            let end = self.top.checked_add(bytes)?;
            // The last page stays free, so that a block's end has an address.
            if end > SEGMENT_BYTES - 4096 {
                return None;
            }
            self.top = end;
            return Some(address);
        };
        self.take_free(address, size);
        // A rest that is too small for a block of its own stays with this one.
        if size - bytes >= 32 {
            self.put_free(address + bytes, size - bytes);
        }
        Some(address)
    }

    fn take_free(&mut self, address: u64, size: u64) {
        self.free.remove(&address);
        self.by_size.remove(&(size, address));
    }

    fn put_free(&mut self, address: u64, size: u64) {
        self.free.insert(address, size);
        self.by_size.insert((size, address));
    }

    /// Takes a block back; its size.
    pub fn free(&mut self, address: u64) -> Result<u64, FreeError> {
        let Some(bytes) = self.used.remove(&address) else {
            // Twice or never: glibc has a message for each.
            let before = self.free.range(..=address).next_back();
            let is_free = before.is_some_and(|(start, size)| address < start + size);
            return Err(match is_free && address.is_multiple_of(16) {
                true => FreeError::Twice,
                false => FreeError::Invalid,
            });
        };
        if address >= HEAP + SEGMENT_BYTES {
            let index = (address / SEGMENT_BYTES - HEAP / SEGMENT_BYTES - 1) as usize;
            if let Some(is_used) = self.segments.get_mut(index) {
                *is_used = false;
            }
            return Ok(bytes);
        }
        let (mut start, mut size) = (address, chunk_bytes(bytes));
        // Small chunks stay what they are: the next block of their size takes them.
        if size > CACHED_BYTES {
            (start, size) = self.joined(start, size);
        }
        self.put_free(start, size);
        Ok(bytes)
    }

    /// A chunk with the free ones beside it, which are free no more.
    fn joined(&mut self, mut start: u64, mut size: u64) -> (u64, u64) {
        if let Some((&before, &bytes)) = self.free.range(..start).next_back()
            && before + bytes == start
        {
            self.take_free(before, bytes);
            (start, size) = (before, size + bytes);
        }
        if let Some(&bytes) = self.free.get(&(start + size)) {
            self.take_free(start + size, bytes);
            size += bytes;
        }
        (start, size)
    }

    /// The size of the block that begins at `address`.
    pub fn size(&self, address: u64) -> Option<u64> {
        self.used.get(&address).copied()
    }

    /// The block at or before `address`, with its size.
    pub fn block_before(&self, address: u64) -> Option<(u64, u64)> {
        let before = self.used.range(..=address).next_back();
        before.map(|(&start, &size)| (start, size))
    }

    /// All blocks in use: their addresses and sizes.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.used.iter().map(|(&address, &bytes)| (address, bytes))
    }

    /// Where the part of the heap's own segment ends that was ever in use.
    pub fn end(&self) -> u64 {
        16 + self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_are_used_again() {
        let mut heap = Heap::default();
        let a = heap.allocate(24).expect("has room");
        let b = heap.allocate(1).expect("has room");
        assert_eq!((a % 16, b - a), (0, 32));
        assert_eq!(heap.free(a), Ok(24));
        assert_eq!(heap.allocate(20), Some(a));
        let large = heap.allocate(5000).expect("has room");
        let next = heap.allocate(3000).expect("has room");
        heap.allocate(16).expect("has room");
        assert_eq!((heap.free(next), heap.free(large)), (Ok(3000), Ok(5000)));
        assert_eq!(heap.allocate(8000), Some(large), "joined");
    }

    #[test]
    fn freeing_twice_or_what_is_no_block_is_an_error() {
        let mut heap = Heap::default();
        let a = heap.allocate(24).expect("has room");
        assert_eq!(heap.free(a + 8), Err(FreeError::Invalid));
        assert_eq!(
            (heap.free(a), heap.free(a)),
            (Ok(24), Err(FreeError::Twice))
        );
        assert_eq!(heap.free(8), Err(FreeError::Invalid));
    }

    #[test]
    fn large_blocks_have_segments_of_their_own() {
        let mut heap = Heap::default();
        let a = heap.allocate(1 << 24).expect("has room");
        let b = heap.allocate(1 << 24).expect("has room");
        assert_eq!(b - a, SEGMENT_BYTES);
        assert_eq!(heap.free(a), Ok(1 << 24));
        assert_eq!(heap.allocate(1 << 21), Some(a));
        assert_eq!(heap.allocate(1 << 33), None);
    }
}
