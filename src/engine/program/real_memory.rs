//! The memory of a whole program on a real GPU, with copies of what code of the host reads and writes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use crate::gpu::{Gpu, GpuError, JobLaunch, RealRun};
use crate::ir::GLOBAL_STRIDE;

/// Memory of the program on the GPU.
struct RealBuffer {
    size_bytes: u64,
    /// What it holds, if that is known here.
    copy: Option<Vec<u8>>,
    /// Whether the copy is newer than what the GPU has.
    is_written: bool,
    /// Whether it is a variable of the program, which nobody may free.
    is_variable: bool,
}

/// The GPU's memory, as far as the program has it.
pub(super) struct RealMemory<'a> {
    gpu: &'a mut Gpu,
    /// By address.
    buffers: BTreeMap<u64, RealBuffer>,
    /// What has gone wrong for good: nothing can be asked of the GPU any more.
    is_lost: bool,
}

impl<'a> RealMemory<'a> {
    /// That of a program which has none yet.
    pub fn new(gpu: &'a mut Gpu) -> Self {
        RealMemory {
            gpu,
            buffers: BTreeMap::new(),
            is_lost: false,
        }
    }

    pub fn allocate(&mut self, size_bytes: u64) -> Option<u64> {
        let address = self.gpu.allocate(size_bytes);
        // Below, addresses are the host's: a driver that hands them out cannot be used.
        let address = self
            .asked(address)?
            .filter(|&address| address >= GLOBAL_STRIDE)?;
        self.buffers
            .insert(address, RealBuffer::unknown(size_bytes));
        Some(address)
    }

    /// Frees what begins at `address`, if the program has allocated it.
    pub fn free(&mut self, address: u64) -> bool {
        let found = self.buffers.get(&address);
        if found.is_none_or(|buffer| buffer.is_variable) || self.is_lost {
            return false;
        }
        self.buffers.remove(&address);
        let freed = self.gpu.free(address);
        self.asked(freed).is_some()
    }

    /// The buffer that `address` lies in, or right behind: where it begins, and its size.
    pub fn buffer_at(&self, address: u64) -> Option<(u64, u64)> {
        let (&first, buffer) = self.buffers.range(..=address).next_back()?;
        (address <= first + buffer.size_bytes).then_some((first, buffer.size_bytes))
    }

    /// Runs a kernel with the bytes of its parameters: what it took, and what it printed.
    pub fn launch(
        &mut self,
        launch: JobLaunch,
        parameters: &[u8],
        cancel: &AtomicBool,
    ) -> Result<(RealRun, String), GpuError> {
        self.send_written()?;
        let ran = self.gpu.launch(launch, parameters, cancel);
        self.is_lost |= ran.is_err();
        // Any buffer may have been written: which ones, nobody tells.
        for buffer in self.buffers.values_mut() {
            buffer.copy = None;
        }
        ran
    }

    /// What the GPU has answered; nothing any more once it has failed.
    fn asked<T>(&mut self, answer: Result<T, GpuError>) -> Option<T> {
        self.is_lost |= answer.is_err();
        answer.ok()
    }

    /// The buffer that these bytes lie in, if they lie in one: its address and their first one's place in it.
    fn within(&self, address: u64, length: usize) -> Option<(u64, usize)> {
        let (&first, buffer) = self.buffers.range(..=address).next_back()?;
        let at = address - first;
        let is_inside = at + length as u64 <= buffer.size_bytes;
        (is_inside && !self.is_lost).then_some((first, at as usize))
    }

    /// What a buffer holds.
    fn copy(&mut self, first: u64) -> Option<&mut Vec<u8>> {
        let buffer = self.buffers.get(&first)?;
        if buffer.copy.is_none() {
            let read = self.gpu.read(first, buffer.size_bytes);
            let read = self.asked(read)?;
            self.buffers.get_mut(&first)?.copy = Some(read);
        }
        self.buffers.get_mut(&first)?.copy.as_mut()
    }

    pub fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let found = self.within(address, bytes.len());
        let Some((copy, at)) = found.and_then(|(first, at)| Some((self.copy(first)?, at))) else {
            return false;
        };
        bytes.copy_from_slice(&copy[at..at + bytes.len()]);
        true
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some((first, at)) = self.within(address, bytes.len()) else {
            return false;
        };
        self.write_copy(first, at, bytes).is_some()
    }

    fn write_copy(&mut self, first: u64, at: usize, bytes: &[u8]) -> Option<()> {
        let buffer = self.buffers.get_mut(&first)?;
        // What is overwritten as a whole need not be fetched before.
        if bytes.len() as u64 == buffer.size_bytes {
            buffer.copy = Some(bytes.to_vec());
        } else {
            self.copy(first)?[at..at + bytes.len()].copy_from_slice(bytes);
        }
        self.buffers.get_mut(&first)?.is_written = true;
        Some(())
    }

    /// Adds a variable of the program, which lies there.
    pub fn place_variable(&mut self, address: u64, size_bytes: u64) {
        let mut buffer = RealBuffer::unknown(size_bytes);
        buffer.is_variable = true;
        self.buffers.insert(address, buffer);
    }

    /// Sends what code of the host has written.
    fn send_written(&mut self) -> Result<(), GpuError> {
        for (&address, buffer) in &mut self.buffers {
            if let (true, Some(copy)) = (std::mem::take(&mut buffer.is_written), &buffer.copy) {
                self.gpu.write(address, copy)?;
            }
        }
        Ok(())
    }
}

impl RealBuffer {
    /// One of which nothing is known here.
    fn unknown(size_bytes: u64) -> Self {
        RealBuffer {
            size_bytes,
            copy: None,
            is_written: false,
            is_variable: false,
        }
    }
}
