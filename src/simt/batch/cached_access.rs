//! Loads and stores of a whole gang at once, where its pattern is remembered. Whatever is unusual
//! (a fault, lanes in several memories) is left to the warps, one after the other.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::lockstep::GANG_WARPS;
use super::movement::{Route, store};
use super::pattern::{Pattern, first_address};
use super::speculation::Early;
use crate::ir::{AccessSite, GLOBAL_STRIDE, Instruction, LOCAL_BASE, Op, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;
use crate::simt::execute::{Home, home};
use crate::simt::global_memory::{Buffer, GlobalMemory};
use crate::simt::machine::Machine;
use crate::simt::uniformity::Looks;
use crate::simt::warp::{ALL, Vector, blend};

/// Failures in a row after which a site is tried less often.
const PATIENCE: u32 = 4;
/// How often it is tried then.
const TRIED_EVERY: u32 = 64;

/// Places for what is remembered of a site and a first warp.
pub const PLACES: usize = GANG_WARPS + WARP_LANES.ilog2() as usize;

/// What is remembered of a site, a gang and a mask.
#[derive(Debug, Default)]
pub struct Memory {
    pattern: Option<Box<Pattern>>,
    failures: u32,
}

/// An access of a gang, and what is known of it.
#[derive(Clone, Copy)]
pub struct Reach {
    /// The instruction, whose registers are looked at.
    pub i: Instruction,
    /// Where they are looked at.
    pub looks: Looks,
    /// Whether the first warp's values are those of all.
    pub first_only: bool,
    /// Which of the two places that remember patterns is meant: warps that go in unison remember
    /// less of each other.
    pub in_unison: bool,
}

impl Memory {
    /// How the gang went last.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_deref()
    }
}

impl Machine<'_> {
    /// Whether a gang must not go on to an access that it has not carried out at once.
    pub(crate) fn must_part(&self, i: Instruction, gang: &Range<usize>) -> bool {
        gang.len() > 1 && self.program.in_window[i.imm as usize]
    }

    /// Carries out a load or store by the warps of a gang; whether it has.
    #[inline(always)]
    pub(crate) fn access_together(&mut self, reach: Reach, gang: &Range<usize>) -> bool {
        let program = self.program;
        let site = &program.kernel.sites[reach.i.imm as usize];
        let at = self.memory_of(reach, gang);
        let Some(mut pattern) = self.memories[at].pattern.take() else {
            return false;
        };
        if !pattern.holds(
            &self.lanes,
            reach.i,
            site,
            gang,
            reach.looks,
            program.vectors.agree,
        ) {
            return false;
        }
        let done = self.carry_out(reach, site, gang, &mut pattern);
        let memory = &mut self.memories[at];
        memory.pattern = Some(pattern);
        memory.failures = 0;
        done
    }

    /// Where the pattern of an access is remembered: gangs of different sizes have places of their
    /// own, and so have masks of different sizes, which take turns in reductions.
    #[inline(always)]
    fn memory_of(&self, reach: Reach, gang: &Range<usize>) -> usize {
        let tier = self.program.kernel.sites.len() * usize::from(reach.in_unison);
        let first = (tier + reach.i.imm as usize) * self.program.geometry.warps() + gang.start;
        let place = match self.lanes.active() {
            ALL => gang.len().min(GANG_WARPS) - 1,
            some => GANG_WARPS + (some.count_ones() | 1).ilog2() as usize,
        };
        first * PLACES + place
    }

    /// Remembers how the gang goes this time, by the kernel's own registers `own`, and carries that
    /// out; whether it has.
    #[cold]
    pub(crate) fn learn(&mut self, reach: Reach, own: Instruction, gang: &Range<usize>) -> bool {
        let site = &self.program.kernel.sites[own.imm as usize];
        let at = self.memory_of(reach, gang);
        let memory = &mut self.memories[at];
        memory.failures = memory.failures.saturating_add(1);
        let hopeless = memory.failures > PATIENCE && !memory.failures.is_multiple_of(TRIED_EVERY);
        if hopeless || !self.program.regular[own.imm as usize] {
            return false;
        }
        let Some(pattern) = Pattern::new(&mut self.lanes, own, site, gang, reach.looks) else {
            return false;
        };
        let mut pattern = Box::new(pattern);
        let done = self.carry_out(reach, site, gang, &mut pattern);
        self.memories[at].pattern = Some(pattern);
        done
    }

    fn carry_out(
        &mut self,
        reach: Reach,
        site: &AccessSite,
        gang: &Range<usize>,
        pattern: &mut Pattern,
    ) -> bool {
        let i = reach.i;
        // Where all warps get the same, the first one's is enough.
        let kept = match reach.first_only {
            true => gang.start..gang.start + 1,
            false => gang.clone(),
        };
        let address = first_address(&self.lanes, i, site, gang);
        let (home, first) = match i.op {
            Op::LoadShared | Op::StoreShared => (Home::Shared, address),
            Op::LoadLocal | Op::StoreLocal => (Home::Local, address),
            _ => match home(address) {
                Home::Shared => (Home::Shared, address - SHARED_BASE),
                Home::Local => (Home::Local, address - LOCAL_BASE),
                home => (home, address % GLOBAL_STRIDE),
            },
        };
        let width = u64::from(site.width_bytes);
        let fits = |size: u64| {
            let place = first as i64;
            first < FARTHEST
                && first.is_multiple_of(width)
                && place + pattern.least >= 0
                && place + pattern.most + width as i64 <= size as i64
        };
        match home {
            Home::Global => {
                let memory = self.memory;
                let index = (address / GLOBAL_STRIDE) as usize;
                let buffer = index.checked_sub(1).and_then(|index| memory.get(index));
                let Some(buffer) = buffer.filter(|buffer| fits(buffer.size_bytes)) else {
                    return false;
                };
                if buffer.is_constant {
                    let is_uniform = (pattern.least, pattern.most) == (0, 0);
                    if !is_uniform || site.kind == AccessKind::Store {
                        return false;
                    }
                    let warps = gang.len() as u64;
                    self.tally.sites[i.imm as usize].add_constant(warps, warps);
                } else {
                    self.count_together(i, site, gang, pattern, (index - 1, buffer, first));
                }
                let least = first.wrapping_add(pattern.least as u64);
                let words = buffer.words(least, pattern.words(site));
                self.move_global(i, site, &kept, &pattern.route, words);
            }
            Home::Shared => {
                if !fits(self.program.shared_bytes.into()) {
                    return false;
                }
                let counts = pattern.shared_counts(first, site);
                if self.must_part(i, gang) {
                    let early = Early {
                        memory: self.memory_of(reach, gang),
                        site: i.imm as usize,
                        first,
                        counts,
                    };
                    if !self.keeps_order(early, site, pattern) {
                        return false;
                    }
                }
                self.tally.sites[i.imm as usize].add_shared_counts(counts);
                let least = (first.wrapping_add(pattern.least as u64) / 4) as usize;
                let words = least..least + pattern.words(site);
                self.move_own(i, site, &kept, &pattern.route, words);
            }
            Home::Local => {
                // Each warp has its own.
                let uniform = !reach.first_only && (pattern.least, pattern.most) == (0, 0);
                if !uniform || !fits(self.program.kernel.local_bytes.into()) {
                    return false;
                }
                self.move_local_together(i, site, gang, first);
            }
            Home::Nowhere => return false,
        }
        true
    }

    fn count_together(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        pattern: &mut Pattern,
        (index, buffer, first): (usize, &Buffer, u64),
    ) {
        let mut counts = pattern.global_counts(first, site);
        let shift = buffer.element_bytes().trailing_zeros();
        counts.elements = pattern.lanes() * (u64::from(site.width_bytes) >> shift).max(1);
        let at = i.imm as usize * self.program.geometry.warps() + gang.start;
        self.keep_footprint(at, pattern, index, first);
        self.tally.sites[i.imm as usize].add_global_counts(counts);
        if let Some(log) = &mut self.log
            && !site.is_silent
        {
            let address = GlobalMemory::address(index) + first;
            pattern.log(log, gang.start, address, i.imm, site);
        }
    }

    /// Moves values between a gang's registers and words of a buffer.
    fn move_global(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        route: &Route,
        words: &[AtomicU32],
    ) {
        let (vectors, active) = (&self.program.vectors, self.lanes.active());
        for part in 0..site.words() as usize {
            let register = i.dst + part as u16;
            if site.kind == AccessKind::Load {
                let rows = self.lanes.rows_mut(register, gang);
                (vectors.load)(rows, route, active, words, part);
            } else {
                let rows = self.lanes.rows(register, gang);
                let write = |values: &[u32]| (vectors.write)(words, values);
                store(rows, route, active, write, |at, value| {
                    words[at + part].store(value, Relaxed);
                });
            }
        }
    }

    /// The same with words of shared memory.
    fn move_own(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        route: &Route,
        words: Range<usize>,
    ) {
        let (vectors, active) = (&self.program.vectors, self.lanes.active());
        for part in 0..site.words() as usize {
            let register = i.dst + part as u16;
            if site.kind == AccessKind::Load {
                let rows = self.lanes.rows_mut(register, gang);
                (vectors.load_own)(rows, route, active, &self.shared[words.clone()], part);
            } else {
                let rows = self.lanes.rows(register, gang);
                let words = Cell::from_mut(&mut self.shared[words.clone()]);
                let words = words.as_slice_of_cells();
                let write = |values: &[u32]| {
                    let cells = words.iter().zip(values);
                    cells.for_each(|(word, &value)| word.set(value));
                };
                store(rows, route, active, write, |at, value| {
                    words[at + part].set(value)
                });
            }
        }
    }

    fn move_local_together(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        first: u64,
    ) {
        let (warps, active) = (self.program.geometry.warps(), self.lanes.active());
        let first = (first / 4) as usize;
        let words = first..first + site.words() as usize;
        self.use_local(words.clone(), gang, site.kind);
        for (word, register) in words.zip(i.dst..) {
            let local = &mut self.local[word * warps..][gang.clone()];
            match site.kind {
                AccessKind::Load => copy(active, local, self.lanes.rows_mut(register, gang)),
                AccessKind::Store => copy(active, self.lanes.rows(register, gang), local),
            }
        }
    }
}

/// Copies the active lanes of some warps.
#[inline(always)]
fn copy(active: u32, from: &[Vector], to: &mut [Vector]) {
    for (from, to) in from.iter().zip(to) {
        *to = match active {
            ALL => *from,
            _ => blend(active, from, to),
        };
    }
}

/// No memory reaches so far.
const FARTHEST: u64 = 1 << 40;
