//! The words of a buffer, which threads share, in the bytes that it came with: large buffers are not copied before a
//! launch and after it.

use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

/// Words that threads load and store at the same time.
#[derive(Debug)]
pub struct BufferWords {
    /// Owns them. Not looked at while the words are there.
    bytes: Vec<u8>,
    /// Bytes before the first word.
    before: usize,
    first: NonNull<AtomicU32>,
    count: usize,
}

// SAFETY: the words belong to `bytes`, which moves along, and are atomic.
#[allow(unsafe_code)]
unsafe impl Send for BufferWords {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for BufferWords {}

impl Default for BufferWords {
    /// None.
    fn default() -> Self {
        BufferWords {
            bytes: Vec::new(),
            before: 0,
            first: NonNull::dangling(),
            count: 0,
        }
    }
}

impl BufferWords {
    /// The words of `bytes`, little-endian, with zeros behind the last byte.
    pub fn new(mut bytes: Vec<u8>) -> Self {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut before = bytes.as_ptr().align_offset(align_of::<AtomicU32>());
        // Memory has the alignment of words, whoever it is asked for: this moves what does not.
        if before != 0 && !bytes.is_empty() {
            (bytes, before) = aligned(&bytes);
        }
        let count = bytes.len().saturating_sub(before) / 4;
        if cfg!(target_endian = "big") {
            let words = bytes.get_mut(before..).unwrap_or_default();
            words.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        let words = bytes.get_mut(before..).filter(|words| !words.is_empty());
        let first = words.map_or(NonNull::dangling(), |words| {
            NonNull::from(words).cast::<AtomicU32>()
        });
        BufferWords {
            bytes,
            before,
            first,
            count,
        }
    }

    /// All of them.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn all(&self) -> &[AtomicU32] {
        // SAFETY: `first` points to so many aligned words within `bytes`, which owns them, and which nobody looks at
        // as bytes as long as this is there. Any bits are a word.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }

    /// All bytes, little-endian, for who has the words alone; nothing where words lie the other way round.
    #[allow(unsafe_code)]
    pub fn all_bytes_mut(&mut self) -> Option<&mut [u8]> {
        let first = self.first.as_ptr().cast::<u8>();
        // SAFETY: `first` points to so many words within `bytes`, and `self` is borrowed alone, so that no thread uses
        // them as words meanwhile. Any byte is a byte of a word.
        let all = unsafe { std::slice::from_raw_parts_mut(first, self.count * 4) };
        cfg!(target_endian = "little").then_some(all)
    }

    /// The bytes that they are now.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        bytes.drain(..self.before.min(bytes.len()));
        if cfg!(target_endian = "big") {
            bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        bytes
    }
}

/// A copy of `bytes` that begins at a multiple of 4, and how far behind its memory's beginning.
fn aligned(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut copy = vec![0; bytes.len() + 4];
    let before = copy.as_ptr().align_offset(align_of::<AtomicU32>()).min(4);
    copy[before..before + bytes.len()].copy_from_slice(bytes);
    copy.truncate(before + bytes.len());
    (copy, before)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn bytes_come_back_with_what_was_stored() {
        for length in [0_usize, 1, 4, 7, 4096] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let words = BufferWords::new(bytes.clone());
            assert_eq!(words.all().len(), length.div_ceil(4));
            if let Some(word) = words.all().get(1) {
                assert_eq!(word.load(Relaxed) & 0xff, 4);
                word.store(0x0403_0201, Relaxed);
            }
            let back = words.into_bytes();
            assert_eq!(back.len(), length.next_multiple_of(4));
            if length > 4 {
                assert_eq!(back[4..8], [1, 2, 3, 4]);
            }
            let same = length.min(4);
            assert_eq!(back[..same], bytes[..same]);
        }
    }

    #[test]
    fn what_lies_askew_is_moved() {
        let (mut copy, before) = aligned(&[1, 2, 3, 4]);
        assert_eq!(copy[before..], [1, 2, 3, 4]);
        copy.drain(..before);
        assert_eq!(copy, [1, 2, 3, 4]);
    }
}
