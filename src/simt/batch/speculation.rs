//! Windows: straight code that loads from shared memory and then stores to it once, as each round of
//! a reduction does. Between two barriers with a window, a load may find what another warp has stored,
//! so that warps seem to have to go one after the other. But a window only gives its loads in another
//! order than its store where an earlier warp stores what a later one loads: that shows before
//! anything is stored, and then the window begins again, warp by warp.
//!
//! Invariants: a window's instructions up to the store write nothing that they have read, so that
//! they may run twice; lanes that go through a window use shared memory nowhere else between the same
//! two barriers.

use std::ops::Range;

use super::dependence::{next, reachable};
use super::pattern::Pattern;
use crate::ir::{AccessSite, Kernel, Op, Operand, Register};
use crate::launch::SharedCounts;
use crate::memory::AccessKind;
use crate::simt::machine::Machine;
use crate::simt::program::Stretches;
use crate::simt::program::{Action, action};

/// A load of a gang in a window that has not come to its store.
#[derive(Debug)]
pub struct Early {
    /// Where its pattern is remembered.
    pub memory: usize,
    /// Its access site.
    pub site: usize,
    /// The shared address of the first active lane.
    pub first: u64,
    /// What it was counted as.
    pub counts: SharedCounts,
}

impl Machine<'_> {
    /// Whether a gang's access to shared memory keeps the order of warps, as far as can be told
    /// before it; what is loaded in a window is kept in mind until the window's store.
    #[inline(always)]
    pub(crate) fn keeps_order(&mut self, early: Early, site: &AccessSite, store: &Pattern) -> bool {
        if site.kind == AccessKind::Load {
            self.early.push(early);
            return true;
        }
        let kept = self.early.iter().all(|load| {
            let pattern = self.memories[load.memory].pattern();
            pattern.is_some_and(|pattern| !store.precedes(early.first, pattern, load.first))
        });
        if kept {
            self.early.clear();
        }
        kept
    }

    /// A window begins again, warp by warp, as all that follow do: takes back what its loads counted.
    #[cold]
    pub(crate) fn leave_window(&mut self) {
        for load in self.early.drain(..) {
            self.tally.sites[load.site].remove_shared_counts(load.counts);
        }
        self.in_turn = true;
    }
}

/// The stretches of a kernel that are windows wherever lanes come from.
pub fn windows(kernel: &Kernel, stretches: &Stretches) -> Vec<Range<usize>> {
    let all = (0..stretches.len()).map(|at| stretches.range(at));
    let windows = all.filter(|range| may_run_twice(kernel, range.clone()));
    windows
        .filter(|range| {
            let last = range.end - 1;
            let is_control = matches!(action(kernel.code[last].op), Action::Control);
            let after = after(kernel, if is_control { last } else { range.end });
            !after.iter().any(|&pc| uses_shared(kernel, pc))
        })
        .collect()
}

/// Whether an instruction may use shared memory.
pub fn uses_shared(kernel: &Kernel, pc: usize) -> bool {
    let op = kernel.code[pc].op;
    match action(op) {
        Action::Access => !matches!(op, Op::LoadLocal | Op::StoreLocal),
        Action::Atomic => true,
        _ => false,
    }
}

/// Whether lanes may come from `pc` to instruction `window` before a barrier.
pub fn is_before(kernel: &Kernel, pc: usize, window: usize) -> bool {
    reachable(kernel, next(kernel, pc)).contains(&window)
}

/// Whether a stretch loads from shared memory, stores there once at the end, and may begin again before
/// that store.
fn may_run_twice(kernel: &Kernel, range: Range<usize>) -> bool {
    let mut read: Vec<Register> = Vec::new();
    let (mut loads, mut stores) = (0, 0);
    for at in range {
        let i = kernel.code[at];
        match (action(i.op), i.op) {
            (Action::Lanes(_) | Action::Control, _) => {}
            (_, Op::LoadShared) if stores == 0 => loads += 1,
            (_, Op::StoreShared) if stores == 0 => stores += 1,
            _ => return false,
        }
        if stores == 0 {
            read.extend(kernel.reads(i).flat_map(|read| read.each()));
            let mut written = kernel.writes(i).into_iter().flat_map(|write| write.each());
            if written.any(|register| read.contains(&register)) {
                return false;
            }
        }
    }
    loads > 0 && stores > 0
}

/// The instructions that lanes may run after those before `pc`, until a barrier. Lanes that
/// come to the end of an `if` or scope go on behind it: only where none comes is it jumped.
fn after(kernel: &Kernel, pc: usize) -> Vec<usize> {
    let mut seen = vec![[false; 2]; kernel.code.len()];
    let mut found = Vec::new();
    let mut open = vec![(pc, true)];
    while let Some((pc, active)) = open.pop() {
        if std::mem::replace(&mut seen[pc][usize::from(active)], true) {
            continue;
        }
        found.push(pc);
        let i = &kernel.code[pc];
        let target = i.imm as usize;
        match i.op {
            Op::Barrier | Op::BarrierVote | Op::End => {}
            Op::Jump => open.push((target, active)),
            Op::Leave | Op::Continue | Op::Exit => open.push((target, false)),
            Op::EndIf | Op::ScopeEnd | Op::Rejoin if active => open.push((pc + 1, true)),
            op if op.operands().contains(&Operand::Target) => {
                open.push((pc + 1, true));
                open.push((target, false));
            }
            _ => open.push((pc + 1, active)),
        }
    }
    found
}
