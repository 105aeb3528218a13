//! Grids whose blocks wait for each other: all of them are there at once, each with a machine of its own, and run from
//! one barrier of the grid to the next. Their accesses stand in no log, as their blocks do not run one behind the other.

use std::thread;

use super::observers::Observers;
use super::shared::Grid;
use crate::simt::count::Footprints;
use crate::simt::execute::Turns;
use crate::simt::fault;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::{Checks, Control};
use crate::simt::machine::{Halt, Machine, Nobody, Observer};
use crate::simt::program::{Conflicts, Program};
use crate::source::Diagnostic;

/// A block between two barriers of the grid.
struct Waiting<'a> {
    machine: Machine<'a>,
    turn: u64,
    /// Who looks, if this is the block that is watched.
    observers: Option<Observers<'a>>,
    state: BlockState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockState {
    New,
    AtBarrier,
    Ended,
    Halted,
}

/// What a cooperative launch runs on.
pub struct Cooperative<'a> {
    pub program: &'a Program<'a>,
    pub memory: &'a GlobalMemory,
    pub footprints: &'a Footprints,
    pub grid: &'a Grid<'a>,
}

impl<'a> Cooperative<'a> {
    /// Runs all blocks, on the threads that `control` has.
    pub fn run(&self, control: &Control<'a>) {
        if let Some(queue) = control.logs {
            // Modelled caches read whole blocks in order, and here no block ends before all have begun.
            queue.close();
        }
        if control.checks != Checks::NONE {
            let kernel = self.program.kernel;
            let name = &kernel.name;
            let message = format!("`{name}` has a barrier of the grid: it runs unchecked");
            let warning = Diagnostic::warning(kernel.span, message);
            self.grid.keep_reports(vec![warning]);
        }
        let mut blocks = self.blocks(control);
        let each = blocks.len().div_ceil(control.threads.max(1)).max(1);
        while !blocks.is_empty() {
            // Threads anew for each phase: their end is the barrier, and phases are few and long.
            thread::scope(|scope| {
                for part in blocks.chunks_mut(each) {
                    scope.spawn(|| part.iter_mut().for_each(|block| block.go_on(self.grid)));
                }
            });
            let is_waiting = |block: &&Waiting| block.state == BlockState::AtBarrier;
            order_printing(&mut blocks);
            // Nobody waits: all blocks have ended, or one has faulted and stopped the rest.
            let Some(first) = blocks.iter().find(is_waiting) else {
                break;
            };
            // Who has ended comes to no barrier: on a GPU the others wait for ever.
            if !blocks.iter().all(|block| is_waiting(&block)) {
                self.grid.halt(first.turn, first.machine.waits_for_ever());
                break;
            }
        }
        for block in blocks {
            block.leave(self.grid);
        }
    }

    /// All blocks, each with a machine; one of them may be watched.
    fn blocks(&self, control: &Control<'a>) -> Vec<Waiting<'a>> {
        let plain = Control {
            // Checks and schedules assume that one block ends before the next begins.
            checks: Checks::NONE,
            schedule: None,
            ..*control
        };
        let geometry = &self.program.geometry;
        let watch = plain.watch;
        let watched = watch.filter(|watch| (watch.warp as usize) < geometry.warps());
        let block = |turn: u64| {
            let watch = watched.filter(|watch| watch.block == geometry.block_at(turn));
            let observers = watch.map(|watch| {
                let conflicts = Conflicts::unknown(self.program.kernel);
                let mut observers = Observers::new(self.program, &plain, &conflicts);
                observers.trace(watch, plain.trace_steps);
                observers
            });
            let budget = &self.grid.budget;
            Waiting {
                machine: Machine::new(self.program, self.memory, self.footprints, budget),
                turn,
                observers,
                state: BlockState::New,
            }
        };
        (0..self.grid.blocks).map(block).collect()
    }
}

impl Waiting<'_> {
    /// Runs the block to the next barrier of the grid, or to its end.
    fn go_on(&mut self, grid: &Grid<'_>) {
        if matches!(self.state, BlockState::Ended | BlockState::Halted)
            // A block before the one that faulted still runs: it may fault too, and the first is told.
            || grid.budget.is_stopped(self.turn)
        {
            return;
        }
        let is_new = self.state == BlockState::New;
        let ended = match &mut self.observers {
            Some(observers) => run_phase(&mut self.machine, self.turn, is_new, observers),
            None => run_phase(&mut self.machine, self.turn, is_new, &mut Nobody),
        };
        self.state = match ended {
            Ok(true) => BlockState::Ended,
            Ok(false) => BlockState::AtBarrier,
            Err(halt) => {
                grid.halt(self.turn, halt);
                BlockState::Halted
            }
        };
    }

    /// Hands over what the block has counted, printed and launched.
    fn leave(mut self, grid: &Grid<'_>) {
        let mut observers = self.observers;
        grid.keep_trace(observers.as_mut().and_then(Observers::take_trace));
        grid.keep_printed(self.turn, std::mem::take(&mut self.machine.output.printed));
        grid.keep_launches(self.turn, std::mem::take(&mut self.machine.output.launches));
        self.machine.settle_footprints();
        let blocks = &self.machine.program.basic_blocks;
        self.machine
            .tally
            .flush_into(&mut grid.budget.total(), blocks);
    }
}

/// What a block prints behind a barrier of the grid comes after all that any has printed before it.
fn order_printing(blocks: &mut [Waiting<'_>]) {
    let printed = blocks
        .iter()
        .map(|block| block.machine.output.printed.end());
    let step = printed.max().unwrap_or(0);
    for Waiting { machine, .. } in blocks {
        machine.output.printed.meet(machine.warps.len(), step);
    }
}

/// Runs a block to the next barrier of the grid; whether it has ended.
fn run_phase<O: Observer>(
    machine: &mut Machine,
    turn: u64,
    is_new: bool,
    observer: &mut O,
) -> Result<bool, Halt> {
    if is_new {
        machine.begin_block(turn, turn, observer);
    }
    machine.run_to_grid_barrier(observer)
}

impl Machine<'_> {
    /// What is said of a block that waits for others which have ended.
    fn waits_for_ever(&self) -> Halt {
        let mut waiting = self.warps.iter().filter(|warp| !warp.ended);
        // `arrive` has moved the warp past the barrier that it waits at.
        let pc = waiting.next().map_or(0, |warp| warp.pc - 1);
        Halt::OutOfFuel(Box::new(fault::ended_before_grid_barrier(
            self.program.span_at(pc),
            self.place(),
        )))
    }
}
