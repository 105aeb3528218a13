//! Guesses that warps do not meet. Between two barriers, a kernel may load shared memory that it
//! also stores to, and mostly each warp keeps to its own part, as in the steps of a reduction. Gangs
//! then do what warps would one after the other.
//!
//! Whether they do shows at each access: one that a later warp should have found undone takes all
//! back to the first barrier, and the warps go one after the other from then on. Only code whose
//! traces can be taken back is guessed at: it touches registers and shared memory.

use std::ops::Range;

use super::plan::Plan;
use super::storage::Storage;
use crate::ir::{Kernel, Op, Operand, Register};
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;
use crate::simt::control::Warp;
use crate::simt::gang::GANG_WARPS;
use crate::simt::lanes::Vector;
use crate::simt::machine::{Halt, Machine};
use crate::simt::pattern::Pattern;
use crate::simt::program::{Action, action};
use crate::simt::tally::{Accesses, Executions};

/// Most accesses by a warp that are kept in mind.
const MOST_SEEN: usize = 512;
/// Instructions that may run before fuel is drawn again.
const LEAST_FUEL: u64 = 2048;

/// Code between barriers that may be guessed at.
#[derive(Debug)]
pub struct Interval {
    /// Its instructions lie in this range.
    code: Range<usize>,
    /// Its access sites.
    sites: Vec<usize>,
    /// Registers that it writes and that hold something when it begins.
    registers: Vec<Register>,
}

impl Interval {
    /// The code that may run after `entry` until the next barriers, if it can be guessed at.
    pub fn new(kernel: &Kernel, plan: &Plan, entry: usize) -> Option<Self> {
        let live = plan.webs.live(kernel, entry);
        let is_condition =
            |&(_, web): &(Register, u32)| plan.storages[web as usize] == Storage::Condition;
        if live.iter().any(is_condition) {
            return None;
        }
        let mut interval = Interval {
            code: entry..entry + 1,
            sites: Vec::new(),
            registers: Vec::new(),
        };
        let mut seen = vec![false; kernel.code.len()];
        let mut open = vec![entry];
        while let Some(pc) = open.pop() {
            if std::mem::replace(&mut seen[pc], true) {
                continue;
            }
            let i = kernel.code[pc];
            interval.code.start = interval.code.start.min(pc);
            interval.code.end = interval.code.end.max(pc + 1);
            match (action(i.op), i.op) {
                (Action::Access, Op::LoadShared | Op::StoreShared | Op::LoadLocal) => {
                    interval.sites.push(i.imm as usize);
                }
                (Action::Access | Action::Atomic | Action::Effect, _) => return None,
                _ => {}
            }
            for register in kernel
                .writes(i)
                .into_iter()
                .flat_map(|written| written.each())
            {
                let is_live = live.iter().any(|known| known.0 == register);
                if is_live && !interval.registers.contains(&register) {
                    interval.registers.push(register);
                }
            }
            if i.op.operands().contains(&Operand::Target) {
                open.push(i.imm as usize);
            }
            if !matches!(i.op, Op::Barrier | Op::End | Op::Jump) {
                open.push(pc + 1);
            }
        }
        Some(interval)
    }
}

/// Bytes of shared memory that a warp has accessed.
#[derive(Clone, Copy, Debug)]
struct Seen {
    warp: usize,
    first: i64,
    end: i64,
    stored: bool,
}

/// A guess, and what it takes to take it back.
#[derive(Debug, Default)]
pub struct Guess {
    /// Whether one is being made.
    pub active: bool,
    /// By instruction: whether guesses that began there were wrong.
    wrong: Vec<bool>,
    seen: Vec<Seen>,
    /// Words of shared memory, and what they held.
    undo: Vec<(usize, u32)>,
    warps: Vec<Warp>,
    waiting: Vec<usize>,
    rows: Vec<Vector>,
    instructions: Vec<Executions>,
    stretches: Vec<Executions>,
    sites: Vec<Accesses>,
    fuel: u64,
}

impl Guess {
    /// Whether an access by a gang, with its first active lane at byte `first` of shared memory,
    /// comes to the same as if the warps had gone one after the other.
    pub fn admits(
        &mut self,
        gang: &Range<usize>,
        pattern: &Pattern,
        first: u64,
        width_bytes: u32,
        kind: AccessKind,
    ) -> bool {
        let stored = kind == AccessKind::Store;
        let before = self.seen.len();
        for (warp, &(least, most)) in gang.clone().zip(&pattern.bounds) {
            let (start, end) = (
                first as i64 + least,
                first as i64 + most + i64::from(width_bytes),
            );
            let meets = |other: &Seen| {
                other.warp > warp
                    && (stored || other.stored)
                    && start < other.end
                    && other.first < end
            };
            if self.seen[..before].iter().any(meets) || before > MOST_SEEN {
                return false;
            }
            self.seen.push(Seen {
                warp,
                first: start,
                end,
                stored,
            });
        }
        true
    }

    /// Keeps what some words of shared memory hold.
    pub fn keep(&mut self, words: Range<usize>, shared: &[u32]) {
        self.undo
            .extend(words.clone().zip(shared[words].iter().copied()));
    }
}

impl Machine<'_> {
    /// Runs the warps as gangs until the next barriers, if that can be guessed to come to the same;
    /// whether it has. All of them have the same place.
    pub(in crate::simt) fn guess(&mut self) -> Result<bool, Halt> {
        let program = self.program;
        let Some(plan) = &program.plan else {
            return Ok(false);
        };
        let Some(pc) = self
            .warps
            .iter()
            .find(|warp| !warp.ended)
            .map(|warp| warp.pc)
        else {
            return Ok(false);
        };
        self.guess.wrong.resize(program.kernel.code.len(), false);
        let Some(interval) = plan.interval(pc).filter(|_| !self.guess.wrong[pc]) else {
            return Ok(false);
        };
        if self.lease.left() < LEAST_FUEL {
            self.renew()?;
        }
        self.remember(interval);
        self.guess.active = true;
        let result = self.run_gangs(GANG_WARPS);
        self.guess.active = false;
        match result {
            Ok(()) => {
                if let Some(log) = &mut self.log {
                    let waiting = self.warps.iter().enumerate();
                    let waiting = waiting.filter(|(_, warp)| warp.waits);
                    waiting.for_each(|(at, _)| log.barrier(at));
                }
                Ok(true)
            }
            Err(Halt::Stopped) => Err(Halt::Stopped),
            Err(Halt::Fault(_) | Halt::Misguessed) => {
                self.guess.wrong[pc] = true;
                self.take_back_guess(interval);
                Ok(false)
            }
        }
    }

    fn remember(&mut self, interval: &Interval) {
        let Interval {
            code,
            sites,
            registers,
        } = interval;
        let guess = &mut self.guess;
        guess.seen.clear();
        guess.undo.clear();
        guess.warps.resize_with(self.warps.len(), Warp::default);
        for (kept, warp) in guess.warps.iter_mut().zip(&self.warps) {
            kept.follow(warp);
        }
        guess.waiting.clone_from(&self.held.waiting);
        let all = 0..self.warps.len();
        guess.rows.clear();
        for &register in registers {
            guess.rows.extend(self.lanes.rows(register, &all));
        }
        let stretches =
            self.program.stretches.at(code.start)..=self.program.stretches.at(code.end - 1);
        guess.instructions.clear();
        guess
            .instructions
            .extend_from_slice(&self.tally.instructions[code.clone()]);
        guess.stretches.clear();
        guess
            .stretches
            .extend_from_slice(&self.tally.stretches[stretches]);
        guess.sites.clear();
        guess
            .sites
            .extend(sites.iter().map(|&site| self.tally.sites[site]));
        guess.fuel = self.lease.left();
    }

    #[cold]
    fn take_back_guess(&mut self, interval: &Interval) {
        let Interval {
            code,
            sites,
            registers,
        } = interval;
        let guess = &self.guess;
        for &(word, value) in guess.undo.iter().rev() {
            self.shared[word] = value;
        }
        for (warp, kept) in self.warps.iter_mut().zip(&guess.warps) {
            warp.follow(kept);
        }
        self.held.waiting.clone_from(&guess.waiting);
        let count = self.warps.len();
        for (at, &register) in registers.iter().enumerate() {
            let rows = &guess.rows[at * count..][..count];
            self.lanes.set_rows(register, rows);
        }
        let stretches =
            self.program.stretches.at(code.start)..=self.program.stretches.at(code.end - 1);
        self.tally.instructions[code.clone()].copy_from_slice(&guess.instructions);
        self.tally.stretches[stretches].copy_from_slice(&guess.stretches);
        for (&site, &kept) in sites.iter().zip(&guess.sites) {
            self.tally.sites[site] = kept;
        }
        self.lease.set_left(guess.fuel);
    }
}

/// The least and the greatest of some lanes' offsets.
pub fn bounds(offsets: &[i64; WARP_LANES], active: u32) -> (i64, i64) {
    let active = offsets
        .iter()
        .enumerate()
        .filter(|(lane, _)| active >> lane & 1 == 1);
    active.fold((i64::MAX, i64::MIN), |(least, most), (_, &offset)| {
        (least.min(offset), most.max(offset))
    })
}
