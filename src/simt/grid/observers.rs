//! All observers of one launch: its checks, its schedule, the trace of one warp.

use std::sync::Arc;

use crate::launch::{Trace, Watch};
use crate::simt::checks::Checker;
use crate::simt::launch::{Checks, Control};
use crate::simt::machine::{Moment, Observer};
use crate::simt::program::{Conflicts, Program};
use crate::simt::schedule::{Schedule, breaks};
use crate::simt::trace::Tracer;
use crate::source::Diagnostic;

/// The observers of the blocks that one worker runs.
pub struct Observers<'a> {
    program: &'a Program<'a>,
    seed: Option<u64>,
    breaks: Arc<Vec<bool>>,
    /// Where intervals begin in which nothing can conflict, so that no warp need be interrupted, in order.
    unbroken_entries: Vec<usize>,
    schedule: Option<Schedule>,
    checker: Option<Checker<'a>>,
    tracer: Option<Tracer<'a>>,
}

impl<'a> Observers<'a> {
    /// Those that `control` asks for in all blocks of a launch with these conflicts.
    pub fn new(program: &'a Program<'a>, control: &Control<'_>, conflicts: &Conflicts) -> Self {
        let checks = control.checks;
        let any = checks != Checks::NONE;
        let may_conflict = |pc: usize| conflicts.may_conflict[pc];
        // Of a kernel in which nothing can be wrong, nobody need look at anything.
        let checker = any
            .then(|| Checker::new(checks, program, conflicts))
            .filter(Checker::wants_any);
        // Where nothing can conflict, nobody sees in which order warps run, but for whom of several a check names.
        let is_visible = checker.is_some() || conflicts.may_conflict.contains(&true);
        Observers {
            program,
            seed: control.schedule.filter(|_| is_visible),
            unbroken_entries: conflicts.entries_without(may_conflict),
            breaks: breaks(program.kernel),
            schedule: None,
            checker,
            tracer: None,
        }
    }

    /// Traces a warp of the next block.
    pub fn trace(&mut self, watch: Watch, steps: usize) {
        self.tracer = Some(Tracer::new(self.program.kernel, watch, steps));
    }

    /// Whether somebody looks at the next block.
    pub fn observe(&self) -> bool {
        self.seed.is_some() || self.checker.is_some() || self.tracer.is_some()
    }

    /// Whether somebody looks at every instruction of the next block.
    pub fn trace_next(&self) -> bool {
        self.tracer.is_some()
    }

    /// The trace of the last block, if there is one.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.tracer.take().map(Tracer::into_trace)
    }

    /// What the checks have found.
    pub fn into_reports(self) -> Vec<Diagnostic> {
        self.checker.map_or_else(Vec::new, Checker::into_reports)
    }
}

impl Observer for Observers<'_> {
    fn begin(&mut self, block: &Moment<'_, '_>) {
        // Each block has an order of its own, from the seed and its index: the same on every run.
        self.schedule = self
            .seed
            .map(|seed| Schedule::new(&self.breaks, seed, block.block_index()));
        if let Some(checker) = &mut self.checker {
            checker.begin(block);
        }
    }

    fn order(&mut self, warps: &mut [usize]) {
        if let Some(schedule) = &mut self.schedule {
            schedule.order(warps);
        }
    }

    fn reads_all(&self) -> bool {
        // Checks read what the instruction reads that they look at, and no more.
        self.tracer.is_some()
    }

    fn wants(&self, pc: usize) -> bool {
        let may_interrupt = self.seed.is_some() && self.breaks[pc];
        let checks = self.checker.as_ref();
        may_interrupt || checks.is_some_and(|checker| checker.wants(pc)) || self.tracer.is_some()
    }

    fn is_quiet_from(&self, pc: usize) -> bool {
        let is_quiet = match (self.seed, &self.checker) {
            (None, None) => true,
            (None, Some(checker)) => checker.is_quiet_from(pc),
            (Some(_), None) => self.unbroken_entries.binary_search(&pc).is_ok(),
            // Who is named, of several that a check finds something in, is who comes first in this order.
            (Some(_), Some(_)) => false,
        };
        is_quiet && self.tracer.is_none()
    }

    fn interrupts(&mut self, pc: usize) -> bool {
        let schedule = self.schedule.as_mut();
        schedule.is_some_and(|schedule| schedule.interrupts(pc))
    }

    fn before(&mut self, moment: &Moment<'_, '_>) {
        if let Some(checker) = &mut self.checker {
            checker.before(moment);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.before(moment);
        }
    }

    fn pause(&mut self, moment: &Moment<'_, '_>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.pause(moment);
        }
    }

    fn barrier(&mut self, block: &Moment<'_, '_>) {
        if let Some(checker) = &mut self.checker {
            checker.barrier(block);
        }
    }
}
