//! All memory that code of the host can reach: its own segments, and behind them that of the GPU.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::cuda::FileVariableId;
use crate::host::device::Device;
use crate::ir::GLOBAL_STRIDE;

use super::address::*;
use super::heap::{FreeError, Heap};

/// The memory of one run.
pub struct Memory<'a> {
    /// By the upper half of their addresses; empty where nothing is mapped.
    segments: Vec<Vec<u8>>,
    heap: Heap,
    /// Where variables of the file begin that lie in kernels' memory, as code of the host names them.
    symbols: BTreeMap<u64, FileVariableId>,
    /// Where buffers of the GPU begin that the host may reach.
    shared: BTreeSet<u64>,
    /// How many algorithms run that would run on the GPU, each within the one before: all its buffers are in reach.
    gpu_code_depth: u32,
    /// The range of the GPU's memory that was reached last: loops stay in one buffer.
    reached: Cell<(u64, u64)>,
    /// The heap, where each access to it is checked.
    checked: Option<CheckedHeap>,
    /// The GPU.
    pub device: Box<dyn Device + 'a>,
}

/// The segments of a heap whose accesses are checked: the quick way to memory does not find them.
struct CheckedHeap {
    segments: Vec<Vec<u8>>,
    outside: Cell<Option<Outside>>,
    new_block: Option<u64>,
}

/// An access to the heap outside of any block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub length: u64,
}

/// An address at which nothing can be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmapped(pub u64);

fn segment_of(address: u64) -> (usize, usize) {
    ((address >> 32) as usize, address as u32 as usize)
}

impl<'a> Memory<'a> {
    /// Memory that holds `data`, an empty stack and an empty heap.
    pub fn new(
        data: Vec<u8>,
        symbols: BTreeMap<u64, FileVariableId>,
        device: Box<dyn Device + 'a>,
    ) -> Self {
        // A vector each, empty where nothing is mapped: whether an address is good is then one comparison.
        let mut segments = vec![Vec::new(); SEGMENTS as usize];
        segments[segment_of(DATA).0] = data;
        segments[segment_of(STACK).0] = vec![0; STACK_BYTES as usize];
        Memory {
            segments,
            heap: Heap::default(),
            symbols,
            shared: BTreeSet::new(),
            gpu_code_depth: 0,
            reached: Cell::default(),
            checked: None,
            device,
        }
    }

    /// Notes from now on where the heap is used outside of its blocks; none may be there yet.
    pub fn check_heap(&mut self) {
        self.checked = Some(CheckedHeap {
            segments: vec![Vec::new(); SEGMENTS as usize],
            outside: Cell::default(),
            new_block: None,
        });
    }

    /// Whether the heap is checked.
    pub fn is_checked(&self) -> bool {
        self.checked.is_some()
    }

    /// The first access outside of a block since this was last asked.
    pub fn take_outside(&mut self) -> Option<Outside> {
        self.checked.as_mut()?.outside.take()
    }

    /// The last block that was allocated since this was last asked, where the heap is checked.
    pub fn take_new_block(&mut self) -> Option<u64> {
        self.checked.as_mut()?.new_block.take()
    }

    /// A segment, wherever it is kept.
    fn segment(&self, number: usize) -> Option<&Vec<u8>> {
        match &self.checked {
            Some(checked) if number as u64 >= HEAP / SEGMENT_BYTES => checked.segments.get(number),
            _ => self.segments.get(number),
        }
    }

    fn segment_mut(&mut self, number: usize) -> Option<&mut Vec<u8>> {
        match &mut self.checked {
            Some(checked) if number as u64 >= HEAP / SEGMENT_BYTES => {
                checked.segments.get_mut(number)
            }
            _ => self.segments.get_mut(number),
        }
    }

    /// Keeps an access that leaves its block; what went wrong first explains what follows.
    fn check(&self, address: u64, length: u64) {
        let Some(checked) = &self.checked else {
            return;
        };
        if !(HEAP..GLOBAL_STRIDE).contains(&address) || length == 0 {
            return;
        }
        let block = self.heap.block_before(address);
        let is_inside = block.is_some_and(|(start, size)| address - start + length <= size);
        if !is_inside && checked.outside.get().is_none() {
            checked.outside.set(Some(Outside { address, length }));
        }
    }

    /// What lies at `address`, if it is host memory.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (segment, at) = segment_of(address);
        let bytes = self.segments.get(segment)?.get(at..at + N)?;
        bytes.try_into().ok()
    }

    /// Writes to `address`, if it is host memory.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let (segment, at) = segment_of(address);
        let bytes = self.segments.get_mut(segment)?.get_mut(at..at + N)?;
        bytes.copy_from_slice(&value);
        Some(())
    }

    /// Bytes of the host, where they are.
    pub fn bytes(&self, address: u64, length: u64) -> Result<&[u8], Unmapped> {
        self.check(address, length);
        let (segment, at) = segment_of(address);
        let end = at.checked_add(length as usize);
        let bytes = self.segment(segment);
        let bytes = bytes.zip(end).and_then(|(bytes, end)| bytes.get(at..end));
        bytes.ok_or(Unmapped(address))
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, address: u64, length: u64) -> Result<&mut [u8], Unmapped> {
        self.check(address, length);
        let (segment, at) = segment_of(address);
        let end = at.checked_add(length as usize);
        let bytes = self.segment_mut(segment).zip(end);
        let bytes = bytes.and_then(|(bytes, end)| bytes.get_mut(at..end));
        bytes.ok_or(Unmapped(address))
    }

    /// From now on the host may reach the GPU's buffer that begins at `address`, as it does memory of
    /// `cudaMallocManaged`; or no more.
    pub fn share(&mut self, address: u64, is_shared: bool) {
        match is_shared {
            true => self.shared.insert(address),
            false => self.shared.remove(&address),
        };
        self.reached.set((0, 0));
    }

    /// Code begins that would run on the GPU, or ends.
    pub fn act_as_gpu(&mut self, begins: bool) {
        self.gpu_code_depth = match begins {
            true => self.gpu_code_depth + 1,
            false => self.gpu_code_depth.saturating_sub(1),
        };
        self.reached.set((0, 0));
    }

    /// Whether the host may reach so many bytes of the GPU's memory.
    fn reaches(&self, address: u64, length: u64) -> bool {
        let (first, end) = self.reached.get();
        if address >= first && address.saturating_add(length) <= end {
            return true;
        }
        let buffer = self.device.buffer_at(address);
        let may_reach = |start: &u64| self.gpu_code_depth > 0 || self.shared.contains(start);
        let Some((start, size)) = buffer.filter(|(start, _)| may_reach(start)) else {
            return false;
        };
        self.reached.set((start, start + size));
        (address - start).saturating_add(length) <= size
    }

    /// A copy of bytes of the host or of memory of the GPU that the host may reach.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Unmapped> {
        if address < GLOBAL_STRIDE {
            return self.bytes(address, length).map(<[u8]>::to_vec);
        }
        let mut bytes = vec![0; length as usize];
        self.read_shared(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads memory of the host, or of the GPU that the host may reach.
    pub fn read_to(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unmapped> {
        if address >= GLOBAL_STRIDE {
            return self.read_shared(address, bytes);
        }
        bytes.copy_from_slice(self.bytes(address, bytes.len() as u64)?);
        Ok(())
    }

    fn read_shared(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unmapped> {
        let is_reached = self.reaches(address, bytes.len() as u64);
        let is_read = is_reached && self.device.read(address, bytes);
        is_read.then_some(()).ok_or(Unmapped(address))
    }

    /// Writes bytes to memory of the host, or of the GPU that the host may reach.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        if address < GLOBAL_STRIDE {
            let into = self.bytes_mut(address, bytes.len() as u64)?;
            into.copy_from_slice(bytes);
            return Ok(());
        }
        let is_reached = self.reaches(address, bytes.len() as u64);
        let is_written = is_reached && self.device.write(address, bytes);
        is_written.then_some(()).ok_or(Unmapped(address))
    }

    /// Copies bytes, which may overlap.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<(), Unmapped> {
        let ((to_segment, to_at), (from_segment, from_at)) = (segment_of(to), segment_of(from));
        let length_here = length as usize;
        // Within one vector both ends cannot be borrowed at once, and the ranges may overlap.
        if to_segment == from_segment && to < GLOBAL_STRIDE {
            self.bytes(from, length)?;
            self.bytes_mut(to, length)?;
            if let Some(segment) = self.segment_mut(to_segment) {
                segment.copy_within(from_at..from_at + length_here, to_at);
            }
            return Ok(());
        }
        if length == 0 {
            return Ok(());
        }
        let bytes = self.read(from, length)?;
        self.write(to, &bytes)
    }

    /// Sets bytes.
    pub fn fill(&mut self, to: u64, value: u8, length: u64) -> Result<(), Unmapped> {
        if to >= GLOBAL_STRIDE {
            return match self.reaches(to, length) {
                true => self.write(to, &vec![value; length as usize]),
                false => Err(Unmapped(to)),
            };
        }
        if length > 0 {
            self.bytes_mut(to, length)?.fill(value);
        }
        Ok(())
    }

    /// The bytes from `address` up to a zero.
    pub fn text(&self, address: u64) -> Result<Vec<u8>, Unmapped> {
        let (segment, at) = segment_of(address);
        if let Some(bytes) = self.segment(segment) {
            let rest = bytes.get(at..).filter(|rest| !rest.is_empty());
            let rest = rest.ok_or(Unmapped(address))?;
            let end = rest.iter().position(|&byte| byte == 0);
            let text = &rest[..end.unwrap_or(rest.len())];
            // The zero belongs to it.
            self.check(address, text.len() as u64 + 1);
            return Ok(text.to_vec());
        }
        let mut text = Vec::new();
        loop {
            match self.read(address + text.len() as u64, 1)?.first() {
                Some(&byte) if byte != 0 => text.push(byte),
                _ => return Ok(text),
            }
        }
    }

    /// `malloc`: a block, or nothing where there is no room.
    pub fn allocate(&mut self, bytes: u64) -> Option<u64> {
        let address = self.heap.allocate(bytes)?;
        let (segment, at) = segment_of(address);
        let needed = match address >= HEAP + SEGMENT_BYTES {
            true => at + bytes as usize,
            // As `brk` does, memory comes in steps; glibc asks for 132 KiB at once.
            false => (self.heap.end() as usize).next_multiple_of(0x21000),
        };
        if let Some(checked) = &mut self.checked {
            checked.new_block = Some(address);
        }
        let room = self.segment_mut(segment)?;
        if room.is_empty() {
            // Whole pages, as the kernel gives them: an overrun within the last one goes unseen, as on a real
            // machine.
            *room = vec![0; needed.next_multiple_of(4096)];
        } else if room.len() < needed {
            room.resize(needed, 0);
        }
        Some(address)
    }

    /// `free`.
    pub fn free(&mut self, address: u64) -> Result<(), FreeError> {
        self.heap.free(address)?;
        if address >= HEAP + SEGMENT_BYTES {
            let segment = self.segment_mut(segment_of(address).0);
            segment
                .into_iter()
                .for_each(|segment| *segment = Vec::new());
        }
        Ok(())
    }

    /// The blocks of the heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The variable in kernels' memory whose address in code of the host this is.
    pub fn symbol_at(&self, address: u64) -> Option<FileVariableId> {
        self.symbols.get(&address).copied()
    }

    /// Gives text to a program that it did not have: where it begins. Behind it a zero is put.
    pub fn add_text(&mut self, text: &[u8]) -> u64 {
        let data = &mut self.segments[segment_of(DATA).0];
        let address = DATA + data.len() as u64;
        data.extend_from_slice(text);
        data.push(0);
        let length = data.len().next_multiple_of(16);
        data.resize(length, 0);
        address
    }
}
