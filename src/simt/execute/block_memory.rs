//! Loads and stores of a block's own memories: shared, and local to each lane.

use std::ops::Range;

use super::access::within;
use super::transfer::{
    Access, gather, load_run, load_uniform, mix, scatter, store_run, store_uniform,
};
use crate::launch::WARP_LANES;
use crate::memory::{AccessKind, SharedRequest};
use crate::simt::machine::Machine;
use crate::simt::machine::{Addresses, WarpPattern, fill, indexed_offsets};
use crate::simt::warp::{ALL, Vector, set_bits, steps};
use crate::source::Diagnostic;

/// A memory of `size` bytes whose first byte has the address `origin`.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Address of the first byte.
    pub origin: u64,
    /// Bytes.
    pub size: u64,
}

impl Extent {
    /// Where a simple pattern of whole words begins, if it lies inside and is aligned.
    fn offset(self, access: Access<'_>, pattern: WarpPattern) -> Option<u64> {
        let (first, bytes) = match pattern {
            WarpPattern::Uniform(first) => (first, access.width),
            WarpPattern::Contiguous(first) => {
                (first, u64::from(access.active.count_ones()) * access.width)
            }
            WarpPattern::Indexed { .. } | WarpPattern::Scattered => return None,
        };
        let offset = first.wrapping_sub(self.origin);
        // An address below the origin wraps to an offset that cannot fit.
        let fits = offset.checked_add(bytes)? <= self.size;
        (fits && access.width >= 4 && offset.is_multiple_of(access.width)).then_some(offset)
    }
}

impl Machine<'_> {
    /// Carries out an access to shared memory.
    #[inline(always)]
    pub(crate) fn shared(
        &mut self,
        access: Access<'_>,
        pattern: WarpPattern,
        addresses: &mut Addresses,
        origin: u64,
    ) -> Result<(), Box<Diagnostic>> {
        let size = u64::from(self.program.shared_bytes);
        let extent = Extent { origin, size };
        let width = access.width as u32;
        let Some(offset) = extent.offset(access, pattern) else {
            let offsets = self.lane_by_lane(access, pattern, addresses, extent)?;
            // Banks are chosen by the offset in shared memory, whose first byte lies in bank 0.
            let request = scattered(&offsets, access.active, width, access.site.kind);
            self.count_shared(access, request);
            self.move_shared(access, &offsets);
            return Ok(());
        };
        // Neither pattern has a bank conflict, which saves sorting the words.
        let request = match pattern {
            WarpPattern::Uniform(_) => SharedRequest::of_uniform,
            _ => SharedRequest::of_run,
        }(access.active, width, access.site.kind);
        self.count_shared(access, request);
        let words = &mut self.shared[(offset / 4) as usize..];
        let lanes = &mut self.lanes;
        match (access.site.kind, pattern) {
            (AccessKind::Load, WarpPattern::Uniform(_)) => {
                load_uniform(lanes, access, |at| words[at])
            }
            (AccessKind::Load, _) => load_run(lanes, access, |at| words[at]),
            (AccessKind::Store, WarpPattern::Uniform(_)) => {
                store_uniform(lanes, access, |at, value| words[at] = value);
            }
            (AccessKind::Store, _) => store_run(lanes, access, |at, value| words[at] = value),
        }
        Ok(())
    }

    fn count_shared(&mut self, access: Access<'_>, request: SharedRequest) {
        self.tally.sites[access.i.imm as usize].add_shared(request.counts());
    }

    #[inline(always)]
    fn move_shared(&mut self, access: Access<'_>, offsets: &Vector) {
        let (words, lanes, active) = (&mut self.shared, &mut self.lanes, access.active);
        let index = |offset: u64| (offset / 4) as usize;
        let offset = |lane: usize| u64::from(offsets[lane]);
        match access.site.kind {
            AccessKind::Load => gather(lanes, access, active, offset, |_, at| words[index(at)]),
            AccessKind::Store => scatter(lanes, access, active, offset, |_, at, bits, value| {
                mix(&mut words[index(at)], bits, value);
            }),
        }
    }

    /// Carries out an access to local memory, which counts nothing.
    #[inline(always)]
    pub(crate) fn local(
        &mut self,
        access: Access<'_>,
        pattern: WarpPattern,
        addresses: &mut Addresses,
        origin: u64,
    ) -> Result<(), Box<Diagnostic>> {
        let memory = &self.program.kernel.memory;
        let size = u64::from(memory.local_bytes + memory.stack_bytes);
        let extent = Extent { origin, size };
        let (warps, warp) = (self.program.geometry.warps(), self.lanes.warp);
        // Word by word over lanes, as the hardware interleaves local memory: lanes with one index are contiguous.
        let index = |offset: u64| (offset / 4) as usize * warps + warp;
        // All lanes go to one variable, each to its own copy: mostly so, as in `int sum = 0`.
        if let (WarpPattern::Uniform(_), Some(offset)) = (pattern, extent.offset(access, pattern)) {
            self.move_local_rows(access, (offset / 4) as usize);
            return Ok(());
        }
        let offsets = self.lane_by_lane(access, pattern, addresses, extent)?;
        self.use_local_words(access, &offsets);
        let (words, lanes, active) = (&mut self.local.words, &mut self.lanes, access.active);
        let offset = |lane: usize| u64::from(offsets[lane]);
        match access.site.kind {
            AccessKind::Load => gather(lanes, access, active, offset, |lane, at| {
                words[index(at)][lane]
            }),
            AccessKind::Store => scatter(lanes, access, active, offset, |lane, at, bits, value| {
                mix(&mut words[index(at)][lane], bits, value);
            }),
        }
        Ok(())
    }

    /// Moves whole rows of local memory, from word `first` on.
    fn move_local_rows(&mut self, access: Access<'_>, first: usize) {
        let (warps, warp) = (self.warps.len(), self.lanes.warp);
        let words = first..first + access.site.words() as usize;
        self.local.reach(words.end, warps);
        self.use_local(words.clone(), &(warp..warp + 1), access.site.kind);
        for (word, register) in words.zip(access.i.dst..) {
            let row = &mut self.local.words[word * warps + warp];
            match access.site.kind {
                AccessKind::Load => self.lanes.set(register, *row),
                AccessKind::Store => self.lanes.copy_active(register, row),
            }
        }
    }

    /// Makes words of local memory zero where some of the warps use them for the first time, but
    /// for what a store by all active lanes is about to overwrite.
    #[inline(always)]
    pub(crate) fn use_local(
        &mut self,
        words: Range<usize>,
        warps: &Range<usize>,
        kind: AccessKind,
    ) {
        // A bit a warp: blocks have at most 32.
        let bits = (u32::MAX >> (32 - warps.len())) << warps.start;
        for word in words {
            let unused = bits & !self.local.used[word];
            if unused == 0 {
                continue;
            }
            // A partial store leaves the other lanes' words, which must read as zero and not as the block before.
            if kind == AccessKind::Load || self.lanes.active() != ALL {
                self.zero_local(word, unused);
            }
            self.local.used[word] |= unused;
        }
    }

    /// Makes zero what the lanes of one warp use for the first time, each a place of its own.
    #[inline(always)]
    fn use_local_words(&mut self, access: Access<'_>, offsets: &Vector) {
        let (warps, warp) = (self.warps.len(), self.lanes.warp);
        let words = access.site.words() as usize;
        for word in 0..words {
            // Nearly always all were used before, which is seen without looking at each for itself.
            let mut used = u32::MAX;
            for &offset in offsets {
                let word = (offset / 4) as usize + word;
                used &= self.local.used.get(word).copied().unwrap_or(0);
            }
            if used >> warp & 1 == 0 {
                for lane in set_bits(access.active) {
                    let word = (offsets[lane] / 4) as usize + word;
                    self.local.reach(word + 1, warps);
                    // Other lanes of the words stay as they are, even in a store.
                    self.use_local(word..word + 1, &(warp..warp + 1), AccessKind::Load);
                }
            }
        }
    }

    fn zero_local(&mut self, word: usize, warps: u32) {
        let first = word * self.program.geometry.warps();
        for warp in set_bits(warps) {
            self.local.words[first + warp] = [0; WARP_LANES];
        }
    }

    /// The offset of each lane, once all of the active ones are known to be good; for the others that of the first of them.
    #[inline(always)]
    fn lane_by_lane(
        &self,
        access: Access<'_>,
        pattern: WarpPattern,
        addresses: &mut Addresses,
        extent: Extent,
    ) -> Result<Vector, Box<Diagnostic>> {
        let Extent { origin, size } = extent;
        let (lanes, i, site) = (&self.lanes, access.i, access.site);
        if let WarpPattern::Indexed { base, .. } = pattern
            && let Some(offsets) = indexed_offsets(lanes, i, site, base, [origin, size])
        {
            return Ok(offsets);
        }
        if pattern != WarpPattern::Scattered {
            fill(lanes, i, site, addresses);
        }
        let (offsets, good) = within(access, addresses, access.active, origin, size);
        match good == access.active {
            // No memory of a block has more bytes than 32 bits tell.
            true => {
                let first = access.active.trailing_zeros() as usize;
                let mut all = [offsets[first] as u32; WARP_LANES];
                for lane in set_bits(access.active) {
                    all[lane] = offsets[lane] as u32;
                }
                Ok(all)
            }
            false => Err(self.refuse_private(access, addresses, good, extent)),
        }
    }
}

/// The cost of an access to shared memory by at least one lane, at any offsets; lanes that sit it out stand where others
/// do.
#[inline(always)]
pub fn scattered(offsets: &Vector, active: u32, width: u32, kind: AccessKind) -> SharedRequest {
    if width > 4 {
        return SharedRequest::of(offsets, active, width, kind);
    }
    let mut words = [0; WARP_LANES];
    for lane in 0..WARP_LANES {
        words[lane] = SharedRequest::bank_order(offsets[lane]);
    }
    SharedRequest::of_steps(steps(&words, SharedRequest::STEPS))
}
