//! The observer that passes each instruction on to the checks that were asked for.

use super::bounds;
use super::checked_access::CheckedAccess;
use super::copies::Copies;
use super::defined::Defined;
use super::lifetime::Lifetimes;
use super::races::Races;
use super::reports::Reports;
use super::staged_loops::StagedLoops;
use super::suspects::site;
use crate::ir::{Instruction, Op, Operand, Space};
use crate::simt::fault;
use crate::simt::launch::Checks;
use crate::simt::machine::{Moment, Observer};
use crate::simt::program::{Conflicts, Program};
use crate::simt::warp::set_bits;
use crate::source::Diagnostic;

/// What checks a launch.
pub struct Checker<'a> {
    checks: Checks,
    /// By instruction: which checks look at it.
    wanted: Vec<Wanted>,
    /// Where intervals begin in which the checks look at no more than whether shared memory has been set, in order.
    quiet_entries: Vec<usize>,
    races: Races,
    copies: Copies,
    defined: Defined,
    lifetimes: Lifetimes,
    staged_loops: StagedLoops<'a>,
    reports: Reports,
    /// Instruction of the barrier that the first warp to come there has reached.
    barrier: Option<usize>,
}

/// Which checks look at an instruction.
#[derive(Clone, Copy, Default)]
struct Wanted {
    races: bool,
    lifetimes: bool,
    uninitialised: bool,
    staged_loops: bool,
    is_barrier: bool,
}

impl Wanted {
    fn any(self) -> bool {
        self.races || self.lifetimes || self.uninitialised || self.staged_loops || self.is_barrier
    }
}

impl<'a> Checker<'a> {
    /// A checker of a launch of `program`.
    pub fn new(checks: Checks, program: &Program<'a>, conflicts: &Conflicts) -> Self {
        let staged_loops = StagedLoops::new(program.kernel);
        let defined = Defined::new(program);
        let wanted = wanted(checks, program, conflicts, &staged_loops, &defined);
        let quiet_entries = conflicts.entries_without(|pc| {
            let wanted: Wanted = wanted[pc];
            let only_shared = !wanted.uninitialised || defined.wants_shared_alone(pc);
            wanted.races || wanted.lifetimes || wanted.staged_loops || !only_shared
        });
        Checker {
            checks,
            wanted,
            quiet_entries,
            races: Races::new(program),
            copies: Copies::default(),
            defined,
            lifetimes: Lifetimes::default(),
            staged_loops,
            reports: Reports::default(),
            barrier: None,
        }
    }

    /// Whether no check looks at what lanes do from `pc` on, where a block begins or a barrier ends, before the next
    /// barrier.
    pub fn is_quiet_from(&self, pc: usize) -> bool {
        self.quiet_entries.binary_search(&pc).is_ok()
            && (!self.checks.uninitialised || self.defined.has_all_shared())
    }

    /// Whether a check looks at the instruction at `pc`.
    pub fn wants(&self, pc: usize) -> bool {
        self.wanted[pc].any()
    }

    /// Whether a check looks at any instruction.
    pub fn wants_any(&self) -> bool {
        self.wanted.iter().any(|wanted| wanted.any())
    }

    /// What was found, in the order of finding.
    pub fn into_reports(mut self) -> Vec<Diagnostic> {
        self.reports.extend(self.races.left_out());
        let remarks = self.staged_loops.into_remarks().into_iter();
        remarks.for_each(|remark| self.reports.extend(Some(remark)));
        self.reports.into_diagnostics()
    }

    fn access(&mut self, moment: &Moment<'_, '_>, wanted: Wanted) {
        // Where each lane goes takes its time to find out.
        if !wanted.lifetimes && !wanted.races {
            return;
        }
        let Some(access) = CheckedAccess::new(moment) else {
            return;
        };
        if wanted.lifetimes {
            bounds::check(&access, &mut self.reports);
            self.lifetimes.access(&access, &mut self.reports);
        }
        if wanted.races {
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
        let wanted = self.wanted[moment.pc];
        if !wanted.any() || moment.active() == 0 {
            return;
        }
        let i = moment.instruction();
        if wanted.staged_loops {
            self.staged_loops.step(moment);
        }
        // Accesses that are only counted are none of the source's, whose own are made, and checked, where they stand.
        if moment.site().is_some_and(|site| site.is_extra()) {
            return;
        }
        self.access(moment, wanted);
        if wanted.uninitialised {
            self.defined.step(moment, &mut self.reports);
        }
        match i.op {
            Op::Barrier | Op::BarrierVote => self.arrive(moment),
            _ if !wanted.races => {}
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

/// By instruction: which checks look at it.
fn wanted(
    checks: Checks,
    program: &Program<'_>,
    conflicts: &Conflicts,
    staged_loops: &StagedLoops<'_>,
    defined: &Defined,
) -> Vec<Wanted> {
    let kernel = program.kernel;
    let may_conflict = |pc: usize| checks.races && conflicts.may_conflict[pc];
    // Atomic operations race with no other, and put in order what else may race: without it they need not be looked at.
    let has_races =
        (0..kernel.code.len()).any(|pc| may_conflict(pc) && !kernel.code[pc].op.is_atomic());
    // Without local memory there is no address that ends with a variable.
    let has_locals = kernel.memory.local_bytes > 0 || kernel.code.iter().any(|i| i.op == Op::Call);
    let of = |(pc, i): (usize, &Instruction)| {
        let site = site(kernel, *i);
        let orders = match i.op {
            Op::SyncWarp | Op::CopyCommit | Op::CopyWait => true,
            op => op.is_exchange() && !op.is_matrix(),
        };
        let may_leave = site.is_some_and(|site| has_locals || site.space != Space::Generic);
        Wanted {
            races: has_races && (may_conflict(pc) || orders),
            lifetimes: checks.lifetimes && may_leave,
            uninitialised: checks.uninitialised && defined.wants(pc),
            staged_loops: staged_loops.wants(pc)
                || (site.is_some() && (checks.races || checks.lifetimes) && staged_loops.has(pc)),
            is_barrier: matches!(i.op, Op::Barrier | Op::BarrierVote),
        }
    };
    kernel.code.iter().enumerate().map(of).collect()
}
