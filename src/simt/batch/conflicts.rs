//! Which accesses may conflict with those of other threads, by what is known of a launch before it runs.
//!
//! Most cannot: what is only loaded, as the matrices of a product are; what each thread loads and stores in a place of its
//! own, as in `c[i] = a[i] + b[i]`; and shared memory where it is only loaded from one barrier to the next.

use super::dependence::{Memories, SHARED, entries, reach, reachable};
use super::plan::BatchPlan;
use crate::ir::Kernel;
use crate::memory::AccessKind;
use crate::simt::launch::Launch;
use crate::simt::program::{Action, Conflicts, Interval, action};
use crate::simt::uniformity::ThreadSums;

/// The narrowest access of which a place of its own is one for the checks too, which tell words apart.
const WORD_BYTES: u32 = 4;

/// The conflicts of a launch, which has this plan.
pub fn conflicts(launch: &Launch<'_>, plan: &BatchPlan) -> Conflicts {
    let kernel = launch.kernel;
    let ranges = &plan.scalar.live_ranges;
    let accesses = Accesses {
        kernel,
        reach: reach(launch, ranges),
    };
    let intervals: Vec<Interval> = entries(kernel)
        .map(|entry| Interval {
            entry,
            code: reachable(kernel, vec![entry]),
        })
        .collect();
    let sums = ThreadSums::new(launch, ranges);
    let contested = accesses.contested(&sums);
    let mut may_conflict: Vec<bool> = (0..kernel.code.len())
        .map(|pc| accesses.goes_to(pc, contested) || accesses.is_atomic(pc))
        .collect();
    let stores_there = |interval: &&Interval| {
        let mut code = interval.code.iter();
        code.any(|&pc| accesses.changes(pc) && accesses.goes_to(pc, SHARED))
    };
    for interval in intervals.iter().filter(stores_there) {
        for &pc in &interval.code {
            may_conflict[pc] |= accesses.goes_to(pc, SHARED);
        }
    }
    Conflicts {
        may_conflict,
        intervals,
    }
}

/// The accesses of a kernel, and the memories that each may go to.
struct Accesses<'a> {
    kernel: &'a Kernel,
    reach: Vec<Memories>,
}

impl Accesses<'_> {
    fn is_plain(&self, pc: usize) -> bool {
        matches!(action(self.kernel.code[pc].op), Action::Access)
    }

    fn is_atomic(&self, pc: usize) -> bool {
        matches!(action(self.kernel.code[pc].op), Action::Atomic)
    }

    /// Whether it is an access that may go to one of some memories.
    fn goes_to(&self, pc: usize, memories: Memories) -> bool {
        (self.is_plain(pc) || self.is_atomic(pc)) && self.reach[pc] & memories != 0
    }

    /// Whether it changes what it goes to.
    fn changes(&self, pc: usize) -> bool {
        let site = |pc: usize| &self.kernel.sites[self.kernel.code[pc].imm as usize];
        self.is_atomic(pc) || (self.is_plain(pc) && site(pc).kind == AccessKind::Store)
    }

    /// The memories of the grid in which a thread may change what another one accesses.
    fn contested(&self, sums: &ThreadSums<'_>) -> Memories {
        let all = 0..self.kernel.code.len();
        let changed = all.filter(|&pc| self.changes(pc));
        let mut rest = changed.fold(0, |all, pc| all | self.reach[pc]) & !SHARED;
        let mut contested = 0;
        while rest != 0 {
            let memory = rest & rest.wrapping_neg();
            rest &= !memory;
            if !self.are_apart(memory, sums) {
                contested |= memory;
            }
        }
        contested
    }

    /// Whether each thread has a place of its own in a memory, and goes there only.
    fn are_apart(&self, memory: Memories, sums: &ThreadSums<'_>) -> bool {
        let (mut begin, mut end) = (i64::MAX, i64::MIN);
        let mut place = None;
        for pc in (0..self.kernel.code.len()).filter(|&pc| self.goes_to(pc, memory)) {
            let site = &self.kernel.sites[self.kernel.code[pc].imm as usize];
            if !self.is_plain(pc) || self.reach[pc] != memory || site.width_bytes < WORD_BYTES {
                return false;
            }
            let Some(sum) = sums.address(pc) else {
                return false;
            };
            if *place.get_or_insert(sum) != sum {
                return false;
            }
            let offset = i64::from(site.offset_bytes);
            begin = begin.min(offset);
            end = end.max(offset + i64::from(site.width_bytes));
        }
        place.is_none_or(|sum| sums.are_apart(sum, end.abs_diff(begin)))
    }
}
