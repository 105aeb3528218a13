//! Grids whose blocks wait for each other: all of them are there at once, each with a machine of its own, and run from
//! one barrier of the grid to the next. Their accesses stand in no log, as their blocks do not run one behind the other.

use std::thread;

use super::observers::Observers;
use super::shared::Grid;
use crate::simt::count::Footprints;
use crate::simt::fault;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::{Checks, Control};
use crate::simt::machine::{Halt, Machine, Nobody};
use crate::simt::program::Program;
use crate::source::Diagnostic;

/// A block between two barriers of the grid.
struct Waiting<'a> {
    machine: Machine<'a>,
    turn: u64,
    /// Who looks, if this is the block that is watched.
    observers: Option<Observers<'a>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    AtBarrier,
    Ended,
    Halted,
}

/// Runs all blocks of a launch on so many threads.
pub fn run_together<'a>(
    program: &'a Program<'a>,
    (memory, footprints): (&'a GlobalMemory, &'a Footprints),
    grid: &'a Grid<'a>,
    control: &Control<'a>,
) {
    if control.checks != Checks::NONE {
        let name = &program.kernel.name;
        let message = format!("`{name}` has a barrier of the grid: it runs unchecked");
        grid.keep_reports(vec![Diagnostic::warning(program.kernel.span, message)]);
    }
    let plain = Control {
        checks: Checks::NONE,
        schedule: None,
        logs: None,
        ..*control
    };
    let watched = plain
        .watch
        .filter(|watch| (watch.warp as usize) < program.geometry.warps());
    let block = |turn: u64| {
        let watch = watched.filter(|watch| watch.block == program.geometry.block_at(turn));
        let observers = watch.map(|watch| {
            let mut observers = Observers::new(program, &plain);
            observers.trace(watch, plain.trace_steps);
            observers
        });
        Waiting {
            machine: Machine::new(program, memory, footprints, &grid.budget),
            turn,
            observers,
            state: State::New,
        }
    };
    let mut blocks: Vec<Waiting> = (0..grid.blocks).map(block).collect();
    let each = blocks.len().div_ceil(control.threads.max(1));
    loop {
        thread::scope(|scope| {
            for part in blocks.chunks_mut(each.max(1)) {
                scope.spawn(|| part.iter_mut().for_each(|block| block.go_on(grid)));
            }
        });
        let mut waiting = blocks
            .iter()
            .filter(|b| b.state == State::AtBarrier)
            .peekable();
        let Some(first) = waiting.peek() else {
            break;
        };
        // Who has ended comes to no barrier: on a GPU the others wait for ever.
        if blocks.iter().any(|block| block.state != State::AtBarrier) {
            grid.halt(first.turn, first.machine.waits_for_ever());
            break;
        }
    }
    for block in blocks {
        block.leave(grid);
    }
}

impl Waiting<'_> {
    /// Runs the block to the next barrier of the grid, or to its end.
    fn go_on(&mut self, grid: &Grid<'_>) {
        if matches!(self.state, State::Ended | State::Halted) || grid.budget.is_stopped(self.turn) {
            return;
        }
        let ended = match &mut self.observers {
            Some(observers) => {
                if self.state == State::New {
                    self.machine.begin_block(self.turn, self.turn, observers);
                }
                self.machine.run_to_grid_barrier(observers)
            }
            None => {
                if self.state == State::New {
                    self.machine.begin_block(self.turn, self.turn, &mut Nobody);
                }
                self.machine.run_to_grid_barrier(&mut Nobody)
            }
        };
        self.state = match ended {
            Ok(true) => State::Ended,
            Ok(false) => State::AtBarrier,
            Err(halt) => {
                grid.halt(self.turn, halt);
                State::Halted
            }
        };
    }

    /// Hands over what the block has counted, printed and launched.
    fn leave(mut self, grid: &Grid<'_>) {
        let mut observers = self.observers;
        grid.keep_trace(observers.as_mut().and_then(Observers::take_trace));
        grid.keep_printed(self.turn, std::mem::take(&mut self.machine.output.printed));
        grid.keep_launches(self.turn, std::mem::take(&mut self.machine.output.launches));
        let blocks = &self.machine.program.basic_blocks;
        self.machine
            .tally
            .flush_into(&mut grid.budget.total(), blocks);
    }
}

impl Machine<'_> {
    /// What is said of a block that waits for others which have ended.
    fn waits_for_ever(&self) -> Halt {
        let mut waiting = self.warps.iter().filter(|warp| !warp.ended);
        let pc = waiting.next().map_or(0, |warp| warp.pc - 1);
        Halt::OutOfFuel(Box::new(fault::ended_before_grid_barrier(
            self.program.span_at(pc),
            self.place(),
        )))
    }
}
