//! Loads and stores of a whole gang at once, where its pattern is remembered. Whatever is unusual
//! (a fault, lanes in several memories) is left to the warps, one after the other.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use super::access::{Home, home};
use super::global::{Buffer, GlobalMemory};
use super::lanes::Lanes;
use super::looks::Looks;
use super::machine::Machine;
use super::pattern::{Pattern, Segment, first_address};
use crate::ir::{AccessSite, GLOBAL_STRIDE, Instruction, LOCAL_BASE, Op, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;

/// Failures in a row after which a site is tried less often.
const PATIENCE: u32 = 4;
/// How often it is tried then.
const TRIED_EVERY: u32 = 64;

/// What is remembered of a site and a gang.
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

impl Machine<'_> {
    /// Carries out a load or store by the warps of a gang; whether it has.
    #[inline(always)]
    pub(super) fn access_together(&mut self, reach: Reach, gang: &Range<usize>) -> bool {
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
            program.agreement,
        ) {
            return false;
        }
        let done = self.carry_out(reach, site, gang, &mut pattern);
        let memory = &mut self.memories[at];
        memory.pattern = Some(pattern);
        memory.failures = 0;
        done
    }

    #[inline(always)]
    fn memory_of(&self, reach: Reach, gang: &Range<usize>) -> usize {
        let tier = self.program.kernel.sites.len() * usize::from(reach.in_unison);
        (tier + reach.i.imm as usize) * self.program.geometry.warps() + gang.start
    }

    /// Remembers how the gang goes this time, by the kernel's own registers `own`, and carries that
    /// out; whether it has.
    #[cold]
    pub(super) fn learn(&mut self, reach: Reach, own: Instruction, gang: &Range<usize>) -> bool {
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
                self.count_together(i, site, gang, pattern, (index - 1, buffer, first));
                self.move_together(
                    site,
                    i,
                    gang,
                    pattern.segments(reach.first_only),
                    buffer,
                    first,
                );
            }
            Home::Shared => {
                if !fits(self.program.shared_bytes.into()) {
                    return false;
                }
                let counts = pattern.shared_counts(first, site);
                self.tally.sites[i.imm as usize].add_shared_counts(counts);
                self.move_shared_together(site, i, gang, pattern.segments(reach.first_only), first);
            }
            Home::Local => {
                // Each warp has its own.
                let uniform = !reach.first_only && (pattern.least, pattern.most) == (0, 0);
                if !uniform || !fits(self.program.kernel.local_bytes.into()) {
                    return false;
                }
                self.move_local_together(site, i, gang, first);
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
        if self.log.is_some() {
            self.log_together(i, site, gang, pattern, GlobalMemory::address(index) + first);
        }
    }

    #[cold]
    fn log_together(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        pattern: &Pattern,
        first: u64,
    ) {
        let Some(log) = &mut self.log else { return };
        let width = u64::from(site.width_bytes);
        let mut segments = pattern.segments.as_slice();
        for (at, warp) in gang.clone().enumerate() {
            let of_warp = segments
                .iter()
                .take_while(|segment| segment.warp == at)
                .count();
            let (mine, rest) = segments.split_at(of_warp);
            segments = rest;
            if let [only] = mine {
                let count = if only.advances { only.count as u64 } else { 1 };
                let start = first.wrapping_add(only.offset as u64);
                log.run(warp, i.imm, site.kind, start, count * width);
            } else {
                let addresses = pattern.addresses(at, first);
                log.scattered(
                    warp,
                    i.imm,
                    site.kind,
                    &addresses,
                    self.lanes.active(),
                    width,
                );
            }
        }
    }

    fn move_together(
        &mut self,
        site: &AccessSite,
        i: Instruction,
        gang: &Range<usize>,
        segments: &[Segment],
        buffer: &Buffer,
        first: u64,
    ) {
        let each = site.words() as usize;
        for segment in segments {
            let place = first.wrapping_add(segment.offset as u64);
            let words = buffer.words(place, segment.words(each));
            match site.kind {
                AccessKind::Load => {
                    load(&mut self.lanes, i, gang, segment, each, |at| {
                        words[at].load(Relaxed)
                    });
                }
                AccessKind::Store => {
                    let put = |at: usize, value| words[at].store(value, Relaxed);
                    store(&self.lanes, i, gang, segment, each, put);
                }
            }
        }
    }

    fn move_shared_together(
        &mut self,
        site: &AccessSite,
        i: Instruction,
        gang: &Range<usize>,
        segments: &[Segment],
        first: u64,
    ) {
        let each = site.words() as usize;
        for segment in segments {
            let place = (first.wrapping_add(segment.offset as u64) / 4) as usize;
            let words = &mut self.shared[place..place + segment.words(each)];
            match site.kind {
                AccessKind::Load => load(&mut self.lanes, i, gang, segment, each, |at| words[at]),
                AccessKind::Store => {
                    store(&self.lanes, i, gang, segment, each, |at, value| {
                        words[at] = value
                    });
                }
            }
        }
    }

    fn move_local_together(
        &mut self,
        site: &AccessSite,
        i: Instruction,
        gang: &Range<usize>,
        first: u64,
    ) {
        let warps = self.program.geometry.warps();
        for part in 0..site.words() {
            let register = i.dst + part as u16;
            let row = ((first / 4) as usize + part as usize) * warps;
            for warp in gang.clone() {
                self.lanes.set_gang(&(warp..warp + 1));
                let vector = &mut self.local[row + warp];
                match site.kind {
                    AccessKind::Load => self.lanes.set(register, *vector),
                    AccessKind::Store => self.lanes.copy_active(register, vector),
                }
            }
        }
        self.lanes.set_gang(gang);
    }
}

/// No memory reaches so far.
const FARTHEST: u64 = 1 << 40;

impl Segment {
    /// Words that it spans, with so many a lane.
    fn words(&self, each: usize) -> usize {
        if self.advances {
            self.count * each
        } else {
            each
        }
    }
}

#[inline(always)]
fn load(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    gang: &Range<usize>,
    segment: &Segment,
    each: usize,
    word: impl Fn(usize) -> u32,
) {
    for part in 0..each {
        let row = lanes.row_mut(i.dst + part as u16, gang.start + segment.warp);
        let target = &mut row[segment.lane..segment.lane + segment.count];
        if !segment.advances {
            target.fill(word(part));
        } else if each == 1 {
            match target.len() {
                WARP_LANES => copy::<WARP_LANES>(target, &word),
                16 => copy::<16>(target, &word),
                8 => copy::<8>(target, &word),
                _ => target
                    .iter_mut()
                    .enumerate()
                    .for_each(|(at, value)| *value = word(at)),
            }
        } else {
            for (at, value) in target.iter_mut().enumerate() {
                *value = word(at * each + part);
            }
        }
    }
}

/// A number of words that is known beforehand.
#[inline(always)]
fn copy<const COUNT: usize>(target: &mut [u32], word: impl Fn(usize) -> u32) {
    let values: [u32; COUNT] = std::array::from_fn(word);
    target.copy_from_slice(&values);
}

#[inline(always)]
fn store(
    lanes: &Lanes<'_>,
    i: Instruction,
    gang: &Range<usize>,
    segment: &Segment,
    each: usize,
    mut put: impl FnMut(usize, u32),
) {
    for part in 0..each {
        let row = lanes.row(i.dst + part as u16, gang.start + segment.warp);
        let values = &row[segment.lane..segment.lane + segment.count];
        if segment.advances {
            for (at, &value) in values.iter().enumerate() {
                put(at * each + part, value);
            }
        } else if let Some(&last) = values.last() {
            put(part, last);
        }
    }
}
