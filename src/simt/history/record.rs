//! Runs one block and keeps its history.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use super::packed::Pool;
use super::recorder::Recorder;
use super::steps::History;
use crate::ir::GLOBAL_STRIDE;
use crate::launch::Dim3;
use crate::simt::count::{Footprints, Tally};
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::Launch;
use crate::simt::machine::{Budget, Halt, Machine};
use crate::simt::program::Program;
use crate::source::Diagnostic;

/// Which block to record, and how much of it.
pub struct Recording<'a> {
    /// Index of the block, which must be in the grid.
    pub block: Dim3,
    /// Index of the warp in it, which must be there.
    pub warp: u32,
    /// Most bytes that the history takes, roughly; what comes after is left out.
    pub most_bytes: usize,
    /// Warp instructions that the block may take.
    pub fuel: u64,
    /// Ends the recording when true; the history is truncated there.
    pub cancel: &'a AtomicBool,
}

/// Runs one block of a launch from `memory`, which is as the launch begins with, and keeps what it
/// does. `memory` is the same afterwards. A fault of the block is in the history; an error is that
/// the launch or the block is impossible.
pub fn record(
    launch: &Launch<'_>,
    memory: &GlobalMemory,
    recording: &Recording<'_>,
) -> Result<History, Box<Diagnostic>> {
    let program = Program::new(launch, 1)?;
    let geometry = &program.geometry;
    let is_inside = recording
        .block
        .iter()
        .zip(launch.grid)
        .all(|(at, side)| *at < side);
    if !is_inside || recording.warp as usize >= geometry.warps() {
        let (kernel, blocks) = (launch.kernel, launch.grid);
        let message = format!(
            "block {:?}, warp {} is not in this launch",
            recording.block, recording.warp
        );
        let help = format!(
            "the grid has {blocks:?} blocks of {} warps, counted from 0",
            geometry.warps()
        );
        return Err(Box::new(Diagnostic::error(kernel.span, message).help(help)));
    }
    let kernel = launch.kernel.clone();
    let local_words = kernel.memory.local_bytes.div_ceil(4) as usize;
    let history = History {
        block: recording.block,
        warp: recording.warp,
        steps: Vec::new(),
        own: Vec::new(),
        slots: vec![Vec::new(); usize::from(kernel.registers) + local_words],
        accesses: Vec::new(),
        pool: Pool::default(),
        words: HashMap::new(),
        shared_words: program.shared_bytes.div_ceil(4) as usize,
        constants: memory.constants(),
        truncated: false,
        fault: None,
        kernel,
    };
    let stop = AtomicBool::new(false);
    let mut recorder = Recorder::new(history, recording.most_bytes, recording.cancel, &stop);
    let index = program.geometry.index_of(recording.block);
    let footprints = Footprints::new(program.kernel, memory);
    let total = Tally::new(program.kernel, program.basic_blocks.len(), memory);
    let budget = Budget::new(&stop, recording.fuel, total);
    let mut machine = Machine::new(&program, memory, &footprints, &budget);
    let result = machine.run_block(0, index, &mut recorder);
    let mut history = recorder.into_history();
    if let Err(Halt::Fault(fault) | Halt::OutOfFuel(fault)) = result {
        history.fault = Some(*fault);
    }
    undo(&history, memory);
    Ok(history)
}

/// Puts global memory back to what it was.
fn undo(history: &History, memory: &GlobalMemory) {
    for (&address, log) in &history.words {
        if address >= GLOBAL_STRIDE {
            memory.put_word(address, log.before);
        }
    }
}
