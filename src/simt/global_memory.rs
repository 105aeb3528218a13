//! Global memory: buffers that all blocks share.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::buffer_words::BufferWords;
use crate::ir::GLOBAL_STRIDE;
use crate::launch::{BufferValues, ElementType, zeroed};

/// The buffers of a plan, at the addresses that `ir` fixes. Threads of the simulator load and store
/// words of it at the same time, as blocks on a GPU do: nothing is torn within four bytes, and
/// nothing is promised about order.
#[derive(Debug)]
pub struct GlobalMemory {
    buffers: Vec<Buffer>,
}

/// One buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub element: ElementType,
    /// How far accesses to it may go: its size, and room behind it.
    pub size_bytes: u64,
    /// Its size.
    pub own_bytes: u64,
    /// Whether it lies in constant memory: no request to it goes to L1.
    pub is_constant: bool,
    /// Whether it was taken away: it has no bytes any more.
    pub is_freed: bool,
    words: BufferWords,
    /// Taken by atomic operations on 64 bits, each by the one that its address chooses.
    locks: [Mutex<()>; LOCKS],
}

/// Locks of a buffer: enough that threads seldom wait for each other.
const LOCKS: usize = 16;

impl GlobalMemory {
    /// Memory that holds `buffers`: buffer `i` begins at `(i + 1) * GLOBAL_STRIDE`.
    pub fn new(buffers: Vec<BufferValues>) -> Self {
        GlobalMemory {
            buffers: buffers.into_iter().map(Buffer::new).collect(),
        }
    }

    /// The same, and behind them constant memory that holds `constants`.
    pub fn with_constants(buffers: Vec<BufferValues>, constants: Vec<BufferValues>) -> Self {
        let mut memory = GlobalMemory::new(buffers);
        let constants = constants.into_iter().map(|values| Buffer {
            is_constant: true,
            ..Buffer::new(values)
        });
        memory.buffers.extend(constants);
        memory
    }

    /// The buffers as they are now, but for constant memory.
    pub fn into_buffers(self) -> Vec<BufferValues> {
        let buffers = self.buffers.into_iter();
        // No kernel can change constant memory: there is nothing to read back.
        let buffers = buffers.filter(|buffer| !buffer.is_constant);
        buffers.map(Buffer::into_values).collect()
    }

    /// A copy of buffer `index` as it is now.
    pub fn buffer(&self, index: usize) -> Option<BufferValues> {
        let buffer = self.get(index)?;
        Some(BufferValues {
            name: buffer.name.clone(),
            element: buffer.element,
            bytes: buffer.bytes(),
        })
    }

    /// The addresses of constant memory, whose buffers stand one behind the other.
    pub(crate) fn constants(&self) -> Range<u64> {
        let buffers = self.buffers.iter();
        let first = buffers.clone().position(|buffer| buffer.is_constant);
        let count = buffers.filter(|buffer| buffer.is_constant).count();
        let first = first.unwrap_or(0);
        GlobalMemory::address(first)..GlobalMemory::address(first + count)
    }

    /// Adds a buffer behind all others; its index.
    pub fn push(&mut self, values: BufferValues) -> usize {
        self.buffers.push(Buffer::new(values));
        self.buffers.len() - 1
    }

    /// Adds a buffer of zeros, in the place `index` of one that was taken away if there is one; its index.
    pub fn allocate(&mut self, index: Option<usize>, name: &str, size_bytes: u64) -> usize {
        let zeros = Buffer::zeros(name, size_bytes);
        match index.and_then(|index| Some((index, self.buffers.get_mut(index)?))) {
            Some((index, buffer)) => {
                *buffer = zeros;
                index
            }
            None => {
                self.buffers.push(zeros);
                self.buffers.len() - 1
            }
        }
    }

    /// Lets the buffer `index` end after so many of its bytes. What follows is room, as a GPU's allocations have it: an
    /// access that goes there is carried out, and told when the launch has ended.
    pub fn end_at(&mut self, index: usize, own_bytes: u64) {
        if let Some(buffer) = self.buffers.get_mut(index) {
            buffer.own_bytes = own_bytes.min(buffer.size_bytes);
        }
    }

    /// Adds constant memory behind all other buffers; its index.
    pub fn push_constant(&mut self, values: BufferValues) -> usize {
        let index = self.push(values);
        self.buffers[index].is_constant = true;
        index
    }

    /// Takes a buffer away: no access to its addresses is good from now on. Whether it was there.
    pub fn release(&mut self, index: usize) -> bool {
        let Some(buffer) = self.buffers.get_mut(index) else {
            return false;
        };
        let was_there = !buffer.is_freed;
        buffer.is_freed = true;
        buffer.size_bytes = 0;
        buffer.own_bytes = 0;
        // The index stays taken, so that a stale pointer is told as freed and not as another buffer.
        buffer.words = BufferWords::default();
        was_there
    }

    /// Calls a buffer by another name, and its bytes by another type.
    pub fn describe(&mut self, index: usize, name: &str, element: ElementType) {
        if let Some(buffer) = self.buffers.get_mut(index) {
            name.clone_into(&mut buffer.name);
            buffer.element = element;
        }
    }

    /// Size of the buffer `index`; nothing if there is none, or none any more.
    pub fn size_bytes(&self, index: usize) -> Option<u64> {
        let buffer = self.get(index).filter(|buffer| !buffer.is_freed)?;
        Some(buffer.own_bytes)
    }

    /// Bytes of an element of the buffer `index`; 0 if there is none.
    pub fn element_bytes(&self, index: usize) -> u64 {
        self.get(index).map_or(0, Buffer::element_bytes)
    }

    /// The index of the buffer in whose range of addresses `address` lies.
    pub fn index_at(address: u64) -> Option<usize> {
        ((address / GLOBAL_STRIDE) as usize).checked_sub(1)
    }

    /// Reads bytes from `address` on; nothing and `false` where they do not all lie in one buffer.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let Some((buffer, first)) = self.whole(address, bytes.len()) else {
            return false;
        };
        let (head, words, tail) = buffer.split(first, bytes.len());
        let (whole, _) = bytes[head..].as_chunks_mut();
        // Word by word: threads of the simulator may store to this buffer meanwhile, and words are not torn.
        for (bytes, word) in whole.iter_mut().zip(words) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        for at in (0..head).chain(tail) {
            let offset = first + at as u64;
            bytes[at] = buffer.word(offset).to_le_bytes()[(offset % 4) as usize];
        }
        true
    }

    /// The bytes from `address` on, for who has the memory alone; nothing where they do not all lie in one buffer.
    pub fn bytes_mut(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let (_, first) = self.whole(address, length)?;
        let buffer = self.buffers.get_mut(GlobalMemory::index_at(address)?)?;
        let first = first as usize;
        buffer.words.all_bytes_mut()?.get_mut(first..first + length)
    }

    /// Writes bytes from `address` on; nothing and `false` where they do not all lie in one buffer.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let Some((buffer, first)) = self.whole(address, bytes.len()) else {
            return false;
        };
        let (head, words, tail) = buffer.split(first, bytes.len());
        let (whole, _) = bytes[head..].as_chunks();
        for (&bytes, word) in whole.iter().zip(words) {
            word.store(u32::from_le_bytes(bytes), Relaxed);
        }
        // Bytes of words whose other bytes are not written.
        for at in (0..head).chain(tail) {
            let offset = first + at as u64;
            let shift = offset % 4 * 8;
            buffer.store(offset, 0xff << shift, u32::from(bytes[at]) << shift);
        }
        true
    }

    /// The buffer that holds so many bytes from `address` on, and where in it they begin.
    fn whole(&self, address: u64, length: usize) -> Option<(&Buffer, u64)> {
        let (_, buffer) = self.buffer_at(address)?;
        let offset = address % GLOBAL_STRIDE;
        let end = offset.checked_add(length as u64)?;
        // `own_bytes`, not `size_bytes`: a copy by the host that goes into the room behind is refused by CUDA.
        (end <= buffer.own_bytes).then_some((buffer, offset))
    }

    /// Address of the first byte of buffer `index`.
    pub fn address(index: usize) -> u64 {
        (index as u64 + 1) * GLOBAL_STRIDE
    }

    /// The word that holds the byte at `address`, if it lies in a buffer.
    pub(crate) fn word_at(&self, address: u64) -> Option<u32> {
        let (_, buffer) = self.buffer_at(address)?;
        let offset = address % GLOBAL_STRIDE;
        (offset < buffer.size_bytes).then(|| buffer.word(offset))
    }

    /// Changes the word at `address`, if it lies in a buffer.
    pub(crate) fn put_word(&self, address: u64, value: u32) {
        if let Some((_, buffer)) = self.buffer_at(address)
            && address % GLOBAL_STRIDE < buffer.size_bytes
        {
            buffer.store(address % GLOBAL_STRIDE, u32::MAX, value);
        }
    }

    /// Number of buffers.
    pub(crate) fn len(&self) -> usize {
        self.buffers.len()
    }

    /// The buffer in whose range of addresses `address` lies, and its index. The address may lie
    /// behind the buffer's end: ranges are a stride long, whatever the buffer's size.
    pub(crate) fn buffer_at(&self, address: u64) -> Option<(usize, &Buffer)> {
        let index = ((address / GLOBAL_STRIDE) as usize).checked_sub(1)?;
        Some((index, self.get(index)?))
    }

    /// A buffer.
    pub(crate) fn get(&self, index: usize) -> Option<&Buffer> {
        self.buffers.get(index)
    }
}

/// Words that are copied at once: waking another thread takes as long as some ten thousand of them.
const WORDS_A_TASK: usize = 1 << 16;
/// Largest buffer that a program may touch in a few places, and that takes whole huge pages for them.
const MOST_ON_HUGE_PAGES: usize = 256 << 20;

impl Buffer {
    fn new(values: BufferValues) -> Self {
        let size_bytes = values.bytes.len() as u64;
        Buffer {
            size_bytes,
            own_bytes: size_bytes,
            // Words are what threads share; what lies behind the last element is never handed out again.
            words: BufferWords::new(values.bytes),
            locks: std::array::from_fn(|_| Mutex::new(())),
            is_constant: false,
            is_freed: false,
            name: values.name,
            element: values.element,
        }
    }

    /// Bytes that are 0.
    fn zeros(name: &str, size_bytes: u64) -> Self {
        let size = size_bytes as usize;
        Buffer::new(BufferValues {
            name: name.to_owned(),
            element: ElementType::U8,
            bytes: if size <= MOST_ON_HUGE_PAGES {
                zeroed(size)
            } else {
                vec![0; size]
            },
        })
    }

    fn into_values(self) -> BufferValues {
        let mut bytes = self.words.into_bytes();
        bytes.truncate(self.own_bytes as usize);
        BufferValues {
            bytes,
            name: self.name,
            element: self.element,
        }
    }

    /// A copy of its bytes as they are now.
    fn bytes(&self) -> Vec<u8> {
        let all = self.all_words();
        let mut bytes = vec![0; all.len() * 4];
        let (words, _) = bytes.as_chunks_mut();
        let words = words.par_iter_mut().with_min_len(WORDS_A_TASK);
        let pairs = words.zip(all);
        pairs.for_each(|(bytes, word)| *bytes = word.load(Relaxed).to_le_bytes());
        bytes.truncate(self.own_bytes as usize);
        bytes
    }

    /// Number of elements.
    pub fn elements(&self) -> u64 {
        self.size_bytes / self.element_bytes()
    }

    /// Bytes of one element.
    pub fn element_bytes(&self) -> u64 {
        self.element.size_bytes() as u64
    }

    /// Words from the one of byte `offset` on, which must lie in the buffer.
    #[inline(always)]
    pub fn words(&self, offset: u64, count: usize) -> &[AtomicU32] {
        let first = (offset / 4) as usize;
        &self.all_words()[first..first + count]
    }

    /// All of its words.
    #[inline(always)]
    pub fn all_words(&self) -> &[AtomicU32] {
        self.words.all()
    }

    /// So many bytes from `first` on, as the number of those before the first whole word, the whole words, and
    /// which come behind.
    fn split(&self, first: u64, length: usize) -> (usize, &[AtomicU32], Range<usize>) {
        let head = ((first.wrapping_neg() % 4) as usize).min(length);
        let count = (length - head) / 4;
        let words = self.words(first + head as u64, count);
        (head, words, head + count * 4..length)
    }

    /// The word that holds byte `offset`, which must lie in the buffer.
    #[inline(always)]
    pub fn word(&self, offset: u64) -> u32 {
        self.all_words()[(offset / 4) as usize].load(Relaxed)
    }

    /// Keeps other atomic operations away from the 64 bits at byte `offset`.
    pub fn lock(&self, offset: u64) -> MutexGuard<'_, ()> {
        // Nothing is behind the lock that a panic could leave half done.
        let lock = self.locks[(offset / 8) as usize % LOCKS].lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores those bits of the word at byte `offset` that `bits` selects.
    #[inline(always)]
    pub fn store(&self, offset: u64, bits: u32, value: u32) {
        store_bits(&self.all_words()[(offset / 4) as usize], bits, value);
    }
}

/// Stores those bits of a word that `bits` selects.
#[inline(always)]
pub fn store_bits(word: &AtomicU32, bits: u32, value: u32) {
    if bits == u32::MAX {
        word.store(value, Relaxed);
        return;
    }
    // Other threads may change the other bytes of this word: a plain store would undo theirs.
    let mut old = word.load(Relaxed);
    let mix = |old| (old & !bits) | (value & bits);
    while let Err(now) = word.compare_exchange_weak(old, mix(old), Relaxed, Relaxed) {
        old = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_as_they_went_in_whatever_their_size() {
        let buffer = |element, bytes: &[u8]| BufferValues {
            name: "x".to_owned(),
            element,
            bytes: bytes.to_vec(),
        };
        let buffers = vec![
            buffer(ElementType::U8, &[1, 2, 3, 4, 5]),
            buffer(ElementType::F32, &[]),
            buffer(ElementType::U16, &[9, 8, 7, 6, 5, 4]),
        ];
        assert_eq!(GlobalMemory::new(buffers.clone()).into_buffers(), buffers);
    }

    #[test]
    fn a_store_changes_its_bits_only() {
        let memory = GlobalMemory::new(vec![BufferValues {
            name: "x".to_owned(),
            element: ElementType::U8,
            bytes: vec![1, 2, 3, 4, 5],
        }]);
        let buffer = memory.get(0).expect("there");
        buffer.store(2, 0xff << 16, 0x77 << 16);
        buffer.store(4, 0xff, 0x99);
        assert_eq!(memory.into_buffers()[0].bytes, [1, 2, 0x77, 4, 0x99]);
    }

    #[test]
    fn bytes_are_read_and_written_where_all_of_them_lie_in_a_buffer() {
        let mut memory = GlobalMemory::new(Vec::new());
        let index = memory.push(BufferValues {
            name: "x".to_owned(),
            element: ElementType::U8,
            bytes: (0..10).collect(),
        });
        let first = GlobalMemory::address(index);
        assert!(memory.write(first + 3, &[30, 40, 50, 60, 70, 80]));
        let mut read = [0; 4];
        assert!(memory.read(first + 6, &mut read));
        assert_eq!(read, [60, 70, 80, 9]);
        assert!(!memory.read(first + 7, &mut read) && !memory.write(first + 10, &[1]));
        assert!(memory.write(first + 10, &[]));
        let whole = memory.bytes_mut(first + 1, 9).expect("there");
        assert_eq!(whole, [1, 2, 30, 40, 50, 60, 70, 80, 9]);
        whole[1] = 20;
        assert!(memory.bytes_mut(first + 2, 9).is_none());
        assert!(memory.read(first, &mut read));
        assert_eq!(read, [0, 1, 20, 30]);
        assert!(memory.release(index) && !memory.release(index));
        assert!(!memory.read(first, &mut read));
    }
}
