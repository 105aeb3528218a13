//! Runs one block and keeps its history.

use std::sync::atomic::AtomicBool;

use super::recorder::Recorder;
use super::steps::History;
use crate::ir::GLOBAL_STRIDE;
use crate::launch::Dim3;
use crate::simt::count::{Footprints, WorkerCounters};
use crate::simt::execute::Turns;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::Launch;
use crate::simt::machine::{Budget, Machine};
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
/// does. `memory` is the same afterwards. A fault of the block ends the history; an error is that the
/// launch or the block is impossible.
pub fn record(
    launch: &Launch<'_>,
    memory: &GlobalMemory,
    recording: &Recording<'_>,
) -> Result<History, Box<Diagnostic>> {
    let program = Program::new(launch, 1)?;
    check_is_inside(launch, &program, recording)?;
    let history = History::new(
        launch.kernel.clone(),
        recording.warp,
        program.shared_bytes,
        memory.constants(),
    );
    // Set by the recorder when it is full, which `recording.cancel` must not show.
    let stop = AtomicBool::new(false);
    let mut recorder = Recorder::new(history, recording.most_bytes, recording.cancel, &stop);
    let index = program.geometry.index_of(recording.block);
    let footprints = Footprints::new(program.kernel, memory);
    let total = WorkerCounters::new(program.kernel, program.basic_blocks.len(), memory);
    let budget = Budget::new(&stop, recording.fuel, total);
    let mut machine = Machine::new(&program, memory, &footprints, &budget);
    // A fault ends the history with the step that made it; the run of the whole launch reports it.
    let _ = machine.run_block(0, index, &mut recorder);
    let history = recorder.into_history();
    // The block ran on the memory of the caller, to which it must look as if nothing had happened.
    undo(&history, memory);
    Ok(history)
}

/// Whether the launch has the block and warp.
fn check_is_inside(
    launch: &Launch<'_>,
    program: &Program<'_>,
    recording: &Recording<'_>,
) -> Result<(), Box<Diagnostic>> {
    let warps = program.geometry.warps();
    let mut axes = recording.block.iter().zip(launch.grid);
    if axes.all(|(at, side)| *at < side) && (recording.warp as usize) < warps {
        return Ok(());
    }
    let (kernel, blocks) = (launch.kernel, launch.grid);
    let message = format!(
        "block {:?}, warp {} is not in this launch",
        recording.block, recording.warp
    );
    let help = format!("the grid has {blocks:?} blocks of {warps} warps, counted from 0");
    Err(Box::new(Diagnostic::error(kernel.span, message).help(help)))
}

/// Puts global memory back to what it was.
fn undo(history: &History, memory: &GlobalMemory) {
    for (&address, log) in &history.words {
        // Lower addresses are shared memory, which ends with the block.
        if address >= GLOBAL_STRIDE {
            memory.put_word(address, log.before);
        }
    }
}
