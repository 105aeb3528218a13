//! What memory holds: a buffer or a shared array, after the run or behind a step of a block.

use std::collections::HashMap;

use crate::app::state::{BlockHistory, InspectedItem, Matrix, RunState};
use crate::ir::{GLOBAL_STRIDE, SHARED_BASE, Space};
use crate::launch::{BufferValues, ElementType, Value, WARP_LANES};
use crate::lesson::RunCell;
use crate::memory::AccessKind;
use crate::simt::{Cursor, Written};

/// The elements of a buffer or a shared array.
#[derive(Clone, Copy, Debug)]
pub struct MemoryView<'a> {
    /// Its name.
    pub name: &'a str,
    /// How to read an element.
    pub element: ElementType,
    /// Its shape.
    pub matrix: Matrix,
    /// The block and step behind which it is seen; nothing after the run.
    pub moment: Option<(&'a BlockHistory, Cursor)>,
    /// What it held before the block, or after the run; nothing for shared memory.
    values: Option<&'a BufferValues>,
    /// Address of its first byte.
    base: u64,
}

/// Lanes that a step's accesses make to one element: bit `i` is lane `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementAccess {
    /// Lanes that load it.
    pub loads: u32,
    /// Lanes that store to it.
    pub stores: u32,
}

impl MemoryView<'_> {
    /// Element `index`; nothing past the end, and of shared memory that the block has not written.
    pub fn get(&self, index: usize) -> Option<Value> {
        let Some((block, cursor)) = self.moment else {
            return self.values?.get(index);
        };
        if index >= self.matrix.length {
            return None;
        }
        let size = self.element.size_bytes() as u64;
        let address = self.address(index);
        let mut bits = 0_u64;
        // The history holds words of four bytes: an element of one or two is a part of one, and one of eight
        // is two. `__half` 3 of a buffer at 0x1000 is the upper half of the word at 0x1004.
        for word in (address & !3..address + size).step_by(4) {
            let before = || Some(self.begun(word));
            let is_set = self.values.is_some() || block.history.written(cursor, word).is_some();
            let stored_word = block.history.word(cursor, word).filter(|_| is_set);
            let stored_word = stored_word.or_else(|| self.values.and_then(|_| before()))?;
            let shift = (word as i64 - address as i64) * 8;
            bits |= match shift {
                0.. => u64::from(stored_word) << shift,
                _ => u64::from(stored_word) >> -shift,
            };
        }
        let mask = u64::MAX >> (64 - 8 * size);
        Some(self.element.value(bits & mask))
    }

    /// The word at an address before the block.
    pub(crate) fn begun(&self, address: u64) -> u32 {
        let bytes = self.values.map_or(&[][..], |values| &values.bytes);
        let first = address.wrapping_sub(self.base) as usize;
        let mut word = [0; 4];
        for (byte, &value) in word.iter_mut().zip(bytes.iter().skip(first)) {
            *byte = value;
        }
        u32::from_le_bytes(word)
    }

    /// Address of an element's first byte.
    pub fn address(&self, index: usize) -> u64 {
        self.base + index as u64 * self.element.size_bytes() as u64
    }

    /// Whether it lies in the block's shared memory.
    pub fn is_shared(&self) -> bool {
        self.base < GLOBAL_STRIDE
    }

    /// Who changed an element last, up to the step; nothing if the block has not, or after the run.
    pub fn written(&self, index: usize) -> Option<Written> {
        let (block, cursor) = self.moment?;
        block.history.written(cursor, self.address(index))
    }

    /// The elements that the step's accesses touch.
    pub fn touched(&self) -> HashMap<usize, ElementAccess> {
        let mut touched = HashMap::<usize, ElementAccess>::new();
        let Some((block, cursor)) = self.moment else {
            return touched;
        };
        let size = self.element.size_bytes() as u64;
        let end = self.address(self.matrix.length);
        for access in block.history.accesses(cursor) {
            for lane in (0..WARP_LANES).filter(|lane| access.active >> lane & 1 == 1) {
                let first = access.addresses[lane];
                // The step may access other buffers too.
                if !(self.base..end).contains(&first) {
                    continue;
                }
                // A `float4` touches four elements of a buffer of floats.
                let last = first + u64::from(access.site.width_bytes) - 1;
                for index in (first - self.base) / size..=(last - self.base) / size {
                    let touch = touched.entry(index as usize).or_default();
                    match access.site.kind {
                        AccessKind::Load => touch.loads |= 1 << lane,
                        AccessKind::Store => touch.stores |= 1 << lane,
                    }
                }
            }
        }
        touched
    }
}

impl RunState {
    /// What the item looked at holds; nothing before there is a result.
    pub fn memory_view<'a>(&'a self, cell: &'a RunCell) -> Option<MemoryView<'a>> {
        match self.inspector.item()? {
            InspectedItem::Buffer(index) => self.buffer_view(cell, index),
            InspectedItem::Shared(index) => self.shared_view(index),
        }
    }

    pub(crate) fn buffer_view<'a>(
        &'a self,
        cell: &'a RunCell,
        index: usize,
    ) -> Option<MemoryView<'a>> {
        let left = self.ran.as_ref()?.result.outcome.buffers.get(index)?;
        let moment = self.cursor().filter(|_| !self.inspector.buffer.after_run);
        let begun = moment.and_then(|(block, _)| block.begun.get(index));
        Some(MemoryView {
            name: &left.name,
            element: left.element,
            matrix: self.matrix(cell, index)?,
            moment: moment.filter(|_| begun.is_some()),
            values: Some(begun.unwrap_or(left)),
            // Buffers lie at multiples of the stride, and none at 0, which is no address.
            base: (index as u64 + 1) * GLOBAL_STRIDE,
        })
    }

    pub(crate) fn shared_view(&self, index: usize) -> Option<MemoryView<'_>> {
        let (block, cursor) = self.cursor()?;
        let allocation = block.history.kernel().memory.allocations.get(index)?;
        if allocation.space != Space::Shared {
            return None;
        }
        let element = allocation.part;
        let offset = allocation.offset_bytes;
        let size_bytes = match allocation.size_bytes {
            // `extern __shared__` has no length in the source: it is what the launch left for it.
            0 => (block.history.shared_bytes() as u32).saturating_sub(offset),
            size => size,
        };
        let length = size_bytes as usize / element.size_bytes();
        let lengths = allocation.lengths.iter().copied().map(u64::from);
        let lengths: Vec<u64> = lengths.collect();
        Some(MemoryView {
            name: &allocation.name,
            element,
            matrix: Matrix::new(&lengths, length, self.inspector.fold()),
            moment: Some((block, cursor)),
            values: None,
            base: SHARED_BASE + u64::from(offset),
        })
    }
}
