//! Speculative lockstep: basic blocks that load from shared memory and then store to it once, as each
//! round of a reduction does, for instance `t[i] += t[i + 16]`.
//!
//! Between two barriers with such a block, a load may find what another warp has stored, so that
//! warps seem to have to go one after the other. But lockstep only puts loads before a store that
//! came after it where an earlier warp stores what a later one loads: that shows before anything is
//! stored, and then the block begins again, warp by warp.
//!
//! Invariants: up to its store the block writes no register that it has read, so that it may run
//! twice; lanes that go through it use shared memory nowhere else between the same two barriers.

use super::pattern::Pattern;
use super::pattern_cache::PatternCache;
use crate::ir::AccessSite;
use crate::launch::SharedCounts;
use crate::memory::AccessKind;
use crate::simt::count::WorkerCounters;

/// A load of a batch in a speculative block that has not come to its store.
pub struct EarlyLoad {
    /// Where its pattern is remembered.
    pub slot: usize,
    /// Its access site.
    pub site: usize,
    /// The shared address of the first active lane.
    pub first: u64,
    /// What it was counted as.
    pub counts: SharedCounts,
}

/// Loads that may have to be taken back.
#[derive(Default)]
pub struct Speculation {
    loads: Vec<EarlyLoad>,
    /// Whether a speculation of this machine has failed: from then on warps take turns where lockstep
    /// would be speculative, for a kernel that depends on their order once mostly does so always.
    pub has_failed: bool,
}

impl Speculation {
    /// Whether a batch is between the loads and the store of a speculative block.
    pub fn is_open(&self) -> bool {
        !self.loads.is_empty()
    }

    /// Whether an access keeps the order of warps, as far as can be told before it: a load always
    /// does and is kept in mind, a store does where no load of a later warp touches what it writes.
    #[inline(always)]
    pub fn allows(
        &mut self,
        access: EarlyLoad,
        site: &AccessSite,
        pattern: &Pattern,
        patterns: &PatternCache,
    ) -> bool {
        if site.kind == AccessKind::Load {
            self.loads.push(access);
            return true;
        }
        let allows = self.loads.iter().all(|load| {
            let of_load = patterns.get(load.slot);
            of_load.is_some_and(|of_load| !pattern.precedes(access.first, of_load, load.first))
        });
        if allows {
            self.loads.clear();
        }
        allows
    }

    /// The block begins again, warp by warp, as all that follow do: takes back what its loads counted.
    #[cold]
    pub fn roll_back(&mut self, tally: &mut WorkerCounters) {
        for load in self.loads.drain(..) {
            tally.sites[load.site].remove_shared(load.counts);
        }
        self.has_failed = true;
    }
}
