//! What is remembered of accesses: for each access site, the last patterns of each batch. As an inline
//! cache of a virtual machine does, a site first asks whether it goes as it went last.

use std::ops::Range;

use super::pattern::Pattern;
use crate::launch::WARP_LANES;
use crate::simt::warp::ALL;

/// Most warps of one block that run together: their registers should stay in the processor's first
/// cache.
pub const MAX_BATCH_WARPS: usize = 8;
/// Most warps that can be in a batch: those of the largest block, or of adjacent ones.
pub const MAX_BLOCK_WARPS: usize = 32;

/// Failures, beyond as many successes, after which a site is tried less often: finding a pattern out costs more than
/// carrying out the access lane by lane.
const PATIENCE: u32 = 4;
/// How often it is tried then.
const TRIED_EVERY: u32 = 64;

/// What finding a pattern out costs, in accesses that go by one.
const COST: u32 = 8;
/// What a site may have spent on patterns beyond what they have spared. Then it is tried less often still, whichever batch
/// comes by: an index that was loaded makes a new pattern for every warp and mask.
const MOST_SPENT: u32 = 64 * COST;
/// How often it is tried then.
const SPENT_TRIED_EVERY: u32 = 1024;

/// Patterns of a slot: rows of a tile whose columns are swizzled take turns by fours.
const MOST_PATTERNS: usize = 4;

/// Slots of a site and a first warp: one for each size of a batch, and two for each magnitude of a partial mask, with
/// and without lane 0. In a reduction, masks of 16, 8, 4, … lanes take turns at one site; in a stencil, those of the
/// left and the right edge do.
const SLOTS: usize = MAX_BATCH_WARPS + 2 * WARP_LANES.ilog2() as usize;

/// The patterns of all sites.
pub struct PatternCache {
    /// By access site, in each by first warp of a batch, in each by slot; once more for scalarised
    /// batches, which compare fewer registers.
    entries: Vec<Entry>,
    sites: Vec<Site>,
    warps: usize,
}

/// What is known of a site, whichever batch comes by.
#[derive(Clone, Default)]
struct Site {
    /// What finding its patterns out has cost, less the times that one was met again.
    spent: u32,
    /// Accesses without a pattern since that was too much.
    misses: u32,
}

#[derive(Default)]
struct Entry {
    pattern: Option<Box<Pattern>>,
    /// The lanes that were active then: where others are, the pattern need not be looked at.
    active: u32,
    failures: u32,
}

impl PatternCache {
    /// Nothing remembered, for so many access sites and warps.
    pub fn new(sites: usize, warps: usize) -> Self {
        let entries = 0..2 * sites * warps * SLOTS;
        PatternCache {
            entries: entries.map(|_| Entry::default()).collect(),
            sites: vec![Site::default(); sites],
            warps,
        }
    }

    /// Where the pattern of an access to `site` by the lanes `active` of a batch is remembered.
    #[inline(always)]
    pub fn slot(&self, site: u32, batch: &Range<usize>, active: u32, scalarised: bool) -> usize {
        // A pattern remembered by a scalarised batch compares fewer registers: it must not be
        // mistaken for one that compares all.
        let tier = self.sites.len() * usize::from(scalarised);
        let first = (tier + site as usize) * self.warps + batch.start;
        // With 8 lanes active and with 9 to 15, one slot: masks of reductions are powers of two.
        let slot = match active {
            ALL => batch.len().min(MAX_BATCH_WARPS) - 1,
            some => {
                // A mask without lanes, of which there is no logarithm, counts as one of a single lane.
                let magnitude = (some.count_ones() | 1).ilog2();
                MAX_BATCH_WARPS + (2 * magnitude + (some & 1)) as usize
            }
        };
        first * SLOTS + slot
    }

    /// Whether patterns of a site have cost more than they have spared: then they are not even looked at.
    #[inline(always)]
    pub fn is_spent(&self, site: u32) -> bool {
        self.sites[site as usize].spent > MOST_SPENT
    }

    /// Takes the pattern of lanes `active` out, to be used and put back.
    #[inline(always)]
    pub fn take(&mut self, slot: usize, active: u32) -> Option<Box<Pattern>> {
        let entry = &mut self.entries[slot];
        if entry.active == active {
            entry.pattern.take()
        } else {
            None
        }
    }

    /// Puts back a pattern that was met again at `site`.
    #[inline(always)]
    pub fn hit(&mut self, site: u32, slot: usize, pattern: Box<Pattern>) {
        let site = &mut self.sites[site as usize];
        site.spent = site.spent.saturating_sub(1);
        let entry = &mut self.entries[slot];
        entry.pattern = Some(pattern);
        // One by one: where masks take turns, as in a sort, a pattern that is met again once in a while does not pay
        // for finding out as many others.
        entry.failures = entry.failures.saturating_sub(1);
    }

    /// Puts back patterns none of which was met.
    pub fn put_back(&mut self, slot: usize, pattern: Box<Pattern>) {
        self.entries[slot].pattern = Some(pattern);
    }

    /// Puts in a pattern that is new.
    pub fn insert(&mut self, slot: usize, active: u32, mut pattern: Box<Pattern>) {
        let entry = &mut self.entries[slot];
        let before = entry.pattern.take().filter(|_| entry.active == active);
        pattern.remember(before, MOST_PATTERNS);
        (entry.pattern, entry.active) = (Some(pattern), active);
    }

    /// Notes that an access to `site` has no pattern that could be met again. One that has none, as in a local array with
    /// an index of each lane, will hardly have one the next time: after two, the site is tried as seldom as can be.
    pub fn refuse(&mut self, site: u32) {
        self.sites[site as usize].spent += MOST_SPENT / 2 + 1;
    }

    /// How the batch of a slot went last.
    pub fn get(&self, slot: usize) -> Option<&Pattern> {
        self.entries[slot].pattern.as_deref()
    }

    /// Notes that the batch of a slot went otherwise at `site`; whether to find out how.
    pub fn miss(&mut self, site: u32, slot: usize) -> bool {
        let site = &mut self.sites[site as usize];
        if site.spent > MOST_SPENT {
            site.misses = (site.misses + 1) % SPENT_TRIED_EVERY;
            if site.misses == 0 {
                // This one is looked at until the next would be found out: it may be met again often by then.
                site.spent = MOST_SPENT;
                return true;
            }
            return false;
        }
        let failures = &mut self.entries[slot].failures;
        *failures += 1;
        // A site that gathers, as `x[index[i]]`, never goes twice the same way; one that changes
        // its stride does again later.
        if *failures == PATIENCE + TRIED_EVERY {
            *failures = PATIENCE;
        }
        let is_tried = *failures <= PATIENCE;
        site.spent += if is_tried { COST } else { 0 };
        is_tried
    }
}
