//! Gangs that go through an `if` without some of their warps: those of which no lane goes in. They
//! have nothing to do until its end, where the whole gang goes on in unison, as long as nothing that
//! the gang keeps for all of its warps is written in between.

use std::ops::Range;

use crate::ir::Op;
use crate::simt::count::Executions;
use crate::simt::machine::{Halt, Machine};
use crate::simt::program::Action;
use crate::simt::program::Stretches;
use crate::simt::uniformity::Plan;
use crate::simt::uniformity::{Known, Storage};

/// A gang of which only the first warps are inside an `if`.
pub struct Narrow {
    /// All of it.
    pub all: Range<usize>,
    /// Those inside.
    pub inside: Range<usize>,
    /// The `EndIf`.
    pub end: usize,
}

/// By instruction: for an `If` that warps may sit out, its `EndIf`.
pub fn ends(known: &Known<'_>, stretches: &Stretches, storages: &[Storage]) -> Vec<Option<usize>> {
    let kernel = known.kernel;
    let end_of = |at: usize| {
        let i = kernel.code[at];
        let end = i.imm as usize;
        if i.op != Op::If || kernel.code[end].op != Op::EndIf {
            return None;
        }
        let body = at + 1..end;
        let is_straight = stretches.range(stretches.at(at + 1)) == body
            && !matches!(known.steps[end - 1].action, Action::Control);
        let live = known.webs.entry(kernel, end);
        let is_kept_once = |web: u32| {
            storages[web as usize] != Storage::All && live.iter().any(|&(_, other)| other == web)
        };
        let mut written = body.flat_map(|at| known.webs.writes(at));
        (is_straight && !written.any(|&web| is_kept_once(web))).then_some(end)
    };
    (0..kernel.code.len()).map(end_of).collect()
}

impl Machine<'_> {
    /// Sends the first warps of a gang into the `If` at `at`, if those of which lanes `taken` go in
    /// all do so alike, and the others may sit it out.
    pub(crate) fn narrow(
        &mut self,
        plan: &Plan,
        at: usize,
        all: &Range<usize>,
        taken: &[u32],
    ) -> Option<Narrow> {
        let end = plan.ends[at]?;
        let count = taken.iter().take_while(|&&mask| mask == taken[0]).count();
        let others_pass = taken[count..].iter().all(|&mask| mask == 0);
        // Fuel for the `EndIf`, which all of them run.
        if taken[0] == 0 || !others_pass || !self.lease.take(all.len() as u64) {
            return None;
        }
        let inside = all.start..all.start + count;
        self.go(at, &inside, taken[0]);
        self.lanes.set_gang(&inside);
        Some(Narrow {
            all: all.clone(),
            inside,
            end,
        })
    }

    /// The warps inside have come to the `EndIf`, and the gang goes on as a whole.
    pub(crate) fn widen(&mut self, narrow: &Narrow) {
        let stretch = self.program.stretches.at(narrow.end);
        self.tally.stretches[stretch].add(Executions {
            warps: narrow.all.len() as u64,
            lanes: narrow.inside.len() as u64 * self.lanes.active_count(),
            divergent: 0,
        });
        self.lanes.set_gang(&narrow.all);
        self.go(narrow.end, &narrow.all, 0);
    }

    /// The warps inside must go on without the others, which wait at the `EndIf`.
    #[cold]
    pub(crate) fn abandon(&mut self, plan: &Plan, narrow: &Narrow) {
        let Narrow { all, inside, end } = narrow;
        self.lease.give_back(all.len() as u64);
        let (inner, outer) = self.warps.split_at_mut(inside.end);
        for warp in &mut outer[..all.end - inside.end] {
            warp.pass_by(&inner[inside.start], *end);
        }
        let mut went_in = vec![1; inside.len()];
        went_in.resize(all.len(), 0);
        self.divide(plan, all, &went_in);
        self.held.waiting[inside.start] = 0;
    }

    /// Runs the warps inside one after the other, to a barrier or their end.
    #[cold]
    pub(crate) fn run_inside(&mut self, narrow: &Narrow) -> Result<(), Halt> {
        self.follow(&narrow.inside);
        self.run_alone(narrow.inside.clone())
    }
}
