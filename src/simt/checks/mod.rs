//! Checks that look at every access and every value while a launch runs.
//!
//! A [`Checker`] observes one launch, block after block on one thread, and reports what a kernel
//! does that CUDA leaves undefined although it may give the right result: races ([`races`]), values
//! that were never set ([`defined`]), addresses of variables that have ended ([`lifetime`]),
//! accesses that leave an array for its neighbour ([`bounds`]). What it finds are diagnostics, one
//! for each pair of places in the source. It changes nothing: counts, results and faults are those
//! of a run without it.

mod bounds;
mod defined;
mod lifetime;
mod look;
mod races;
mod reports;
mod shadow;

use defined::Defined;
use lifetime::Lifetimes;
use look::Look;
use races::Races;
use reports::Reports;

use super::fault;
use super::launch::Checks;
use super::machine::{Moment, Observer};
use super::program::Program;
use crate::ir::{Op, Operand};
use crate::source::Diagnostic;

/// What checks a launch.
pub struct Checker {
    checks: Checks,
    races: Races,
    defined: Defined,
    lifetimes: Lifetimes,
    reports: Reports,
    /// Instruction of the barrier that the first warp of the stretch has reached.
    barrier: Option<usize>,
}

impl Checker {
    /// A checker of a launch of `program`.
    pub fn new(checks: Checks, program: &Program<'_>) -> Self {
        Checker {
            checks,
            races: Races::new(program),
            defined: Defined::new(program),
            lifetimes: Lifetimes::default(),
            reports: Reports::default(),
            barrier: None,
        }
    }

    /// What was found, in the order of finding.
    pub fn into_reports(mut self) -> Vec<Diagnostic> {
        self.reports.extend(self.races.left_out());
        self.reports.into_diagnostics()
    }

    fn access(&mut self, moment: &Moment<'_, '_>) {
        let Some(look) = Look::new(moment) else {
            return;
        };
        if self.checks.lifetimes {
            bounds::check(&look, &mut self.reports);
            self.lifetimes.access(&look, &mut self.reports);
        }
        if self.checks.races {
            self.races.access(&look, &mut self.reports);
        }
    }

    /// All warps of a block must wait at one and the same barrier.
    fn arrive(&mut self, moment: &Moment<'_, '_>) {
        let first = *self.barrier.get_or_insert(moment.pc);
        if first != moment.pc {
            let span = |pc| moment.program().span_at(pc);
            let (here, there) = (span(moment.pc), span(first));
            let place = moment.place();
            self.reports.add((here, there), "barriers", || {
                fault::two_barriers(here, there, place)
            });
        }
    }
}

impl Observer for Checker {
    fn begin(&mut self, block: &Moment<'_, '_>) {
        self.races.begin(block);
        self.defined.begin();
        self.lifetimes.begin();
        self.barrier = None;
    }

    fn before(&mut self, moment: &Moment<'_, '_>) {
        let active = moment.active();
        if active == 0 {
            return;
        }
        let i = moment.instruction();
        if moment.site().is_some_and(|site| site.is_extra) {
            return;
        }
        self.access(moment);
        if self.checks.uninitialised {
            self.defined.step(moment, &mut self.reports);
        }
        match i.op {
            Op::Barrier | Op::BarrierVote => self.arrive(moment),
            Op::SyncWarp => self.races.sync(moment, i.a),
            // What tensor cores compute puts no accesses in order.
            op if op.is_matrix() => {}
            op if op.is_exchange() => {
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
