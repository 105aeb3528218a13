//! Asynchronous copies to shared memory: what they bring is there once the thread that asked for them has waited, and
//! no sooner; for other threads once they have come together with that one since.
//!
//! Copies are done at once here. So what is accessed too early is told, and the store counts for the race check at the
//! moment that it was waited for.

use std::collections::HashMap;

use super::checked_access::{CheckedAccess, name_of};
use super::reports::Reports;
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;
use crate::simt::machine::{AddressSpace, Moment, address_space};
use crate::simt::warp::set_bits;
use crate::source::{Diagnostic, Span};

/// A word of shared memory that is being copied to.
#[derive(Clone, Copy)]
struct Pending {
    thread: usize,
    /// The copy's place in the source.
    span: Span,
}

/// A word that one thread has asked for.
#[derive(Clone, Copy)]
pub struct Copied {
    /// Address of the word.
    pub address: u64,
    /// Access site of the copy.
    pub site: u32,
    group: u32,
}

/// What one thread has asked for.
#[derive(Clone, Default)]
struct OfThread {
    /// Groups that it has committed.
    groups: u32,
    copied: Vec<Copied>,
}

/// The copies of one block that nobody has waited for yet.
#[derive(Default)]
pub struct Copies {
    pending: HashMap<u64, Pending>,
    threads: Vec<OfThread>,
}

fn thread(moment: &Moment<'_, '_>, lane: usize) -> usize {
    moment.warp() * WARP_LANES + lane
}

impl Copies {
    /// A block begins.
    pub fn begin(&mut self, block: &Moment<'_, '_>) {
        self.pending.clear();
        let threads = block.program().geometry.warps() * WARP_LANES;
        self.threads.clear();
        self.threads.resize(threads, OfThread::default());
    }

    /// One access of one warp: a copy begins, or something else must not touch what is being copied to.
    pub fn access(&mut self, access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
        if self.pending.is_empty() && !access.site.is_copy() {
            return;
        }
        for lane in access.lanes() {
            let first = access.addresses[lane];
            if address_space(first) != AddressSpace::Shared {
                continue;
            }
            // By words: a copy moves 4 bytes at least.
            for address in (first - first % 4..first + access.width()).step_by(4) {
                if access.site.is_copy() {
                    self.begins(access, address, lane);
                } else if let Some(&pending) = self.pending.get(&address) {
                    report(access, address, lane, pending, reports);
                }
            }
        }
    }

    fn begins(&mut self, access: &CheckedAccess<'_, '_, '_>, address: u64, lane: usize) {
        let thread = thread(access.moment, lane);
        // What stands in a header of CUDA's has no place in the text, but the call has.
        let span = match access.site.span {
            span if span == Span::default() => access.moment.program().span_at(access.moment.pc),
            span => span,
        };
        self.pending.insert(address, Pending { thread, span });
        let of_thread = &mut self.threads[thread];
        of_thread.copied.push(Copied {
            address,
            site: access.index,
            group: of_thread.groups,
        });
    }

    /// The active lanes' copies since the last time make a group each.
    pub fn commit(&mut self, moment: &Moment<'_, '_>) {
        for lane in set_bits(moment.active()) {
            self.threads[thread(moment, lane)].groups += 1;
        }
    }

    /// `lane` waits for all of its groups but the last `rest`: what is there now.
    pub fn wait(&mut self, moment: &Moment<'_, '_>, lane: usize, rest: u32) -> Vec<Copied> {
        let thread = thread(moment, lane);
        let of_thread = &mut self.threads[thread];
        // A copy that is not committed yet has the number of the next group, and is never among these.
        let done = of_thread.groups.saturating_sub(rest);
        let (here, later) = (of_thread.copied.iter()).partition(|copied| copied.group < done);
        of_thread.copied = later;
        let here: Vec<Copied> = here;
        for copied in &here {
            // Another thread may have asked for the same word since.
            if (self.pending.get(&copied.address)).is_some_and(|by| by.thread == thread) {
                self.pending.remove(&copied.address);
            }
        }
        here
    }
}

#[cold]
fn report(
    access: &CheckedAccess<'_, '_, '_>,
    address: u64,
    lane: usize,
    pending: Pending,
    reports: &mut Reports,
) {
    let moment = access.moment;
    let (verb, done) = match access.site.kind {
        AccessKind::Load => ("read", "loaded"),
        AccessKind::Store => ("overwritten", "stored"),
    };
    reports.add(access.site.span, pending.span, "copies", || {
        let name = name_of(moment, address);
        let by = moment.place().lane(lane);
        let message = format!("shared memory is {verb} before the copy to it has arrived");
        Diagnostic::error(access.site.span, message)
            .label(format!("{name} is {done} by {by}"))
            .also(pending.span, "and copied to asynchronously, which nobody has waited for")
            .help(
                "wait first, as by `__pipeline_wait_prior(0)`; then `__syncthreads()`, for what other threads have \
                 copied",
            )
    });
}
