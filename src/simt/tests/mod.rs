//! Kernels written by hand in bytecode, and what the machine makes of them.

mod checks;
mod code;
mod counting;
mod floats;
mod flow;
mod batches;
mod bounded;
mod halves;
mod memory;
mod adjacent_blocks;
mod operations;
mod running;

use std::sync::atomic::AtomicBool;

use super::{Checks, Control, End, GlobalMemory, Launch, Run, run};
use crate::ir::Kernel;
use crate::launch::{BufferValues, Dim3, ElementType, Watch};
use crate::source::Diagnostic;

/// A launch over some buffers.
struct Case<'a> {
    kernel: &'a Kernel,
    grid: Dim3,
    block: Dim3,
    dynamic_shared_bytes: u32,
    buffers: Vec<BufferValues>,
    /// Arguments after the buffers' addresses.
    scalars: Vec<u64>,
    threads: usize,
    fuel: u64,
    watch: Option<Watch>,
    trace_steps: usize,
    checks: Checks,
    schedule: Option<u64>,
}

impl<'a> Case<'a> {
    fn new(kernel: &'a Kernel, blocks: u32, threads: u32) -> Self {
        Case {
            kernel,
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared_bytes: 0,
            buffers: Vec::new(),
            scalars: Vec::new(),
            threads: 1,
            // Ends a test that loops by mistake.
            fuel: 1 << 24,
            watch: None,
            trace_steps: 100,
            checks: Checks::NONE,
            schedule: None,
        }
    }

    fn buffer(mut self, buffer: BufferValues) -> Self {
        self.buffers.push(buffer);
        self
    }

    fn run(self) -> (Run, Vec<BufferValues>) {
        let addresses = (0..self.buffers.len()).map(GlobalMemory::address);
        let launch = Launch {
            kernel: self.kernel,
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            arguments: addresses.chain(self.scalars).collect(),
        };
        let control = Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            threads: self.threads,
            fuel: self.fuel,
            time_limit: None,
            watch: self.watch,
            trace_steps: self.trace_steps,
            checks: self.checks,
            schedule: self.schedule,
            logs: None,
        };
        let memory = GlobalMemory::new(self.buffers);
        let run = run(&launch, &memory, &control);
        (run, memory.into_buffers())
    }

    /// Runs a launch that must finish.
    fn finish(self) -> (Run, Vec<BufferValues>) {
        let (run, buffers) = self.run();
        assert_eq!(run.end, End::Finished);
        (run, buffers)
    }

    /// Runs a launch that must fault.
    fn fault(self) -> Diagnostic {
        match self.run().0.end {
            End::Fault(fault) | End::OutOfFuel(fault) => fault,
            end => panic!("no fault: {end:?}"),
        }
    }
}

fn words(values: impl IntoIterator<Item = u32>) -> BufferValues {
    BufferValues {
        name: "x".to_owned(),
        element: ElementType::U32,
        bytes: values.into_iter().flat_map(u32::to_le_bytes).collect(),
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> BufferValues {
    BufferValues {
        element: ElementType::F32,
        ..words(values.into_iter().map(f32::to_bits))
    }
}

fn to_words(buffer: &BufferValues) -> Vec<u32> {
    let chunks = buffer.bytes.chunks_exact(4);
    chunks
        .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        .collect()
}
