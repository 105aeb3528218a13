//! The observer that passes each instruction on to the checks that were asked for.

use super::bounds;
use super::checked_access::CheckedAccess;
use super::copies::Copies;
use super::defined::Defined;
use super::lifetime::Lifetimes;
use super::races::Races;
use super::reports::Reports;
use super::staged_loops::StagedLoops;
use crate::ir::{Instruction, Op, Operand};
use crate::simt::fault;
use crate::simt::launch::Checks;
use crate::simt::machine::{Moment, Observer};
use crate::simt::program::Program;
use crate::simt::warp::set_bits;
use crate::source::Diagnostic;

/// What checks a launch.
pub struct Checker<'a> {
    checks: Checks,
    /// By instruction: whether a check looks at it.
    wanted: Vec<bool>,
    races: Races,
    copies: Copies,
    defined: Defined,
    lifetimes: Lifetimes,
    staged_loops: StagedLoops<'a>,
    reports: Reports,
    /// Instruction of the barrier that the first warp to come there has reached.
    barrier: Option<usize>,
}

impl<'a> Checker<'a> {
    /// A checker of a launch of `program`.
    pub fn new(checks: Checks, program: &Program<'a>) -> Self {
        let staged_loops = StagedLoops::new(program.kernel);
        let defined = Defined::new(program);
        let is_wanted = |(pc, i): (usize, &Instruction)| {
            let is_access = i.op.operands().contains(&Operand::Site);
            let orders = match i.op {
                Op::SyncWarp | Op::CopyCommit | Op::CopyWait => true,
                op => op.is_exchange() && !op.is_matrix(),
            };
            matches!(i.op, Op::Barrier | Op::BarrierVote)
                || (orders && checks.races)
                || (is_access && (checks.races || checks.lifetimes))
                || (checks.uninitialised && defined.wants(pc))
                || staged_loops.wants(pc)
        };
        Checker {
            checks,
            wanted: program
                .kernel
                .code
                .iter()
                .enumerate()
                .map(is_wanted)
                .collect(),
            races: Races::new(program),
            copies: Copies::default(),
            defined,
            lifetimes: Lifetimes::default(),
            staged_loops,
            reports: Reports::default(),
            barrier: None,
        }
    }

    /// Whether a check looks at the instruction at `pc`.
    pub fn wants(&self, pc: usize) -> bool {
        self.wanted[pc]
    }

    /// Whether a check looks at any instruction.
    pub fn wants_any(&self) -> bool {
        self.wanted.contains(&true)
    }

    /// What was found, in the order of finding.
    pub fn into_reports(mut self) -> Vec<Diagnostic> {
        self.reports.extend(self.races.left_out());
        let remarks = self.staged_loops.into_remarks().into_iter();
        remarks.for_each(|remark| self.reports.extend(Some(remark)));
        self.reports.into_diagnostics()
    }

    fn access(&mut self, moment: &Moment<'_, '_>) {
        let Some(access) = CheckedAccess::new(moment) else {
            return;
        };
        if self.checks.lifetimes {
            bounds::check(&access, &mut self.reports);
            self.lifetimes.access(&access, &mut self.reports);
        }
        if self.checks.races {
            self.races.access(&access, &mut self.reports);
            self.copies.access(&access, &mut self.reports);
        }
    }

    /// The active lanes wait for their copies, which are stores as of now.
    fn wait_for_copies(&mut self, moment: &Moment<'_, '_>) {
        let rest = *moment.lanes().get(moment.instruction().a);
        self.races.tick();
        for lane in set_bits(moment.active()) {
            for copied in self.copies.wait(moment, lane, rest[lane]) {
                self.races
                    .arrived(moment, lane, copied.address, copied.site);
            }
        }
    }

    /// All warps of a block must wait at one and the same barrier.
    fn arrive(&mut self, moment: &Moment<'_, '_>) {
        let first = *self.barrier.get_or_insert(moment.pc);
        if first != moment.pc {
            let span = |pc| moment.program().span_at(pc);
            let (here, there) = (span(moment.pc), span(first));
            let place = moment.place();
            self.reports.add(here, there, "barriers", || {
                fault::two_barriers(here, there, place)
            });
        }
    }
}

impl Observer for Checker<'_> {
    fn begin(&mut self, block: &Moment<'_, '_>) {
        self.races.begin(block);
        self.copies.begin(block);
        self.defined.begin();
        self.lifetimes.begin();
        self.barrier = None;
    }

    fn before(&mut self, moment: &Moment<'_, '_>) {
        if !self.wanted[moment.pc] || moment.active() == 0 {
            return;
        }
        let i = moment.instruction();
        self.staged_loops.step(moment);
        // Accesses that are only counted are none of the source's, whose own are made, and checked, where they stand.
        if moment.site().is_some_and(|site| site.is_extra()) {
            return;
        }
        self.access(moment);
        if self.checks.uninitialised && self.defined.wants(moment.pc) {
            self.defined.step(moment, &mut self.reports);
        }
        match i.op {
            Op::Barrier | Op::BarrierVote => self.arrive(moment),
            _ if !self.checks.races => {}
            Op::SyncWarp => self.races.sync(moment, i.a),
            Op::CopyCommit => self.copies.commit(moment),
            Op::CopyWait => self.wait_for_copies(moment),
            // What tensor cores compute puts no accesses in order.
            op if op.is_matrix() => {}
            op if op.is_exchange() => {
                // Shuffles have the mask third, the others second.
                let mask = if op.operands().contains(&Operand::C32) {
                    i.c
                } else {
                    i.b
                };
                self.races.sync(moment, mask);
            }
            _ => {}
        }
    }

    fn barrier(&mut self, _block: &Moment<'_, '_>) {
        self.races.barrier();
        self.barrier = None;
    }
}
