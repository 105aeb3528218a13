//! Loads and stores: where they go, what they move, what they count.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::transfer::{
    Access, compiled_for_avx2, gather, load_run, load_uniform, scatter, store_run, store_uniform,
};
use crate::ir::{GLOBAL_STRIDE, Instruction, LOCAL_BASE, Op, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::memory::{AccessKind, GlobalRequest};
use crate::simt::count::Toucher;
use crate::simt::fault;
use crate::simt::global_memory::{Buffer, GlobalMemory, store_bits};
use crate::simt::machine::{
    AddressSpace, Addresses, Machine, WarpPattern, address_space, fill, indexed_offsets, pattern,
};
use crate::simt::warp::{Lanes, set_bits, steps};
use crate::source::Diagnostic;

/// Lanes that go to one buffer.
pub struct Group<'a> {
    /// Index of the buffer.
    pub index: usize,
    pub buffer: &'a Buffer,
    /// Where in the buffer each of the lanes goes.
    pub offsets: Addresses,
    pub lanes: u32,
}

impl<'a> Machine<'a> {
    /// The first lane of `rest` (not empty), with those that go to the same buffer.
    #[inline(always)]
    pub(crate) fn next_group(
        &self,
        access: Access<'_>,
        addresses: &Addresses,
        rest: u32,
    ) -> Result<Group<'a>, Box<Diagnostic>> {
        let (memory, lane) = (self.memory, rest.trailing_zeros());
        let Some((index, buffer)) = memory.buffer_at(addresses[lane as usize]) else {
            return Err(self.refuse(access, addresses, lane));
        };
        if buffer.is_constant && access.site.kind == AccessKind::Store {
            let fault = fault::constant_store(access.site, &buffer.name, lane, self.place());
            return Err(Box::new(fault));
        }
        // Buffers lie a stride apart, so that the number of the buffer is in the high bits of an
        // address.
        let base = GlobalMemory::address(index);
        let (offsets, lanes) = within(access, addresses, rest, base, buffer.size_bytes);
        // The buffer was found by the high bits alone: the lane may still lie behind its end, or askew.
        if lanes >> lane & 1 == 0 {
            return Err(self.refuse(access, addresses, lane));
        }
        Ok(Group {
            index,
            buffer,
            offsets,
            lanes,
        })
    }
}

impl Machine<'_> {
    compiled_for_avx2! {
        /// Carries out a load or store by at least one lane.
        access, access_avx2, access_anywhere
    }

    #[inline(always)]
    fn access_anywhere(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
        let site = &self.program.kernel.sites[i.imm as usize];
        let access = Access {
            i,
            site,
            active: self.lanes.active(),
            width: u64::from(site.width_bytes),
        };
        let mut addresses = [0; WARP_LANES];
        let pattern = pattern(&self.lanes, i, site, &mut addresses);
        let first = match pattern {
            WarpPattern::Uniform(address) | WarpPattern::Contiguous(address) => address,
            WarpPattern::Indexed { first, .. } => first,
            WarpPattern::Scattered => addresses[access.active.trailing_zeros() as usize],
        };
        // A generic access is told by its first lane; lanes that lie in another space are refused further on.
        let (space, origin) = match i.op {
            Op::LoadShared | Op::StoreShared => (AddressSpace::Shared, 0),
            Op::LoadLocal | Op::StoreLocal => (AddressSpace::Local, 0),
            _ => match address_space(first) {
                AddressSpace::Shared => (AddressSpace::Shared, SHARED_BASE),
                AddressSpace::Local => (AddressSpace::Local, LOCAL_BASE),
                space => (space, 0),
            },
        };
        match space {
            AddressSpace::Global => self.global(access, pattern, &mut addresses),
            AddressSpace::Shared => self.shared(access, pattern, &mut addresses, origin),
            AddressSpace::Local => self.local(access, pattern, &mut addresses, origin),
            AddressSpace::Unmapped => {
                Err(self.unmapped(access, first, access.active.trailing_zeros()))
            }
        }
    }

    #[inline(always)]
    fn global(
        &mut self,
        access: Access<'_>,
        pattern: WarpPattern,
        addresses: &mut Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let (first, bytes) = match pattern {
            WarpPattern::Uniform(first) => (first, access.width),
            WarpPattern::Contiguous(first) => (first, self.lanes.active_count() * access.width),
            WarpPattern::Indexed { base, first } => {
                return self.global_indexed(access, base, first, addresses);
            }
            WarpPattern::Scattered => return self.global_scattered(access, addresses),
        };
        let (memory, offset) = (self.memory, first % GLOBAL_STRIDE);
        // Nothing is counted before all lanes are known to be good: a faulting access counts nothing.
        let (Some((index, buffer)), 0) = (memory.buffer_at(first), offset % access.width) else {
            return self.global_by_addresses(access, addresses);
        };
        let is_forbidden = buffer.is_constant && access.site.kind == AccessKind::Store;
        if offset + bytes > buffer.size_bytes || is_forbidden {
            return self.global_by_addresses(access, addresses);
        }
        // `nvcc` reads `__constant__` through its own cache, which serves one address at a time: no sectors.
        if buffer.is_constant {
            let lanes = self.lanes.active_count();
            let addresses = if bytes == access.width { 1 } else { lanes };
            self.tally.sites[access.i.imm as usize].add_constant(1, addresses);
        } else {
            self.count_global_run(access, index, buffer, offset, bytes);
        }
        let is_uniform = matches!(pattern, WarpPattern::Uniform(_));
        if access.width < 4 {
            self.move_narrow(access, is_uniform, offset, buffer);
        } else {
            let words = bytes.div_ceil(4) as usize;
            self.move_whole_words(access, is_uniform, buffer.words(offset, words));
        }
        Ok(())
    }

    /// Moves bytes or halves of words: neighbours share a word, so each lane goes for itself.
    fn move_narrow(&mut self, access: Access<'_>, is_uniform: bool, first: u64, buffer: &Buffer) {
        let step = if is_uniform { 0 } else { access.width };
        let mut offsets = [0; WARP_LANES];
        run_addresses(access.active, first, step, &mut offsets);
        let offset = |lane: usize| offsets[lane];
        move_scattered(&mut self.lanes, access, access.active, offset, buffer);
    }

    /// Moves words that follow each other, or the same words for all lanes.
    #[inline(always)]
    fn move_whole_words(&mut self, access: Access<'_>, is_uniform: bool, words: &[AtomicU32]) {
        let lanes = &mut self.lanes;
        let word = |at: usize| words[at].load(Relaxed);
        match access.site.kind {
            AccessKind::Load if is_uniform => load_uniform(lanes, access, word),
            AccessKind::Load => load_run(lanes, access, word),
            AccessKind::Store if is_uniform => {
                store_uniform(lanes, access, |at, value| words[at].store(value, Relaxed));
            }
            AccessKind::Store => {
                store_run(lanes, access, |at, value| words[at].store(value, Relaxed));
            }
        }
    }

    fn count_global_run(
        &mut self,
        access: Access<'_>,
        index: usize,
        buffer: &Buffer,
        offset: u64,
        bytes: u64,
    ) {
        let lanes = self.lanes.active_count();
        // One lane alone is both uniform and contiguous; either way counts the same.
        let request = if bytes == access.width {
            GlobalRequest::uniform(lanes, access.width)
        } else {
            GlobalRequest::contiguous(offset, lanes, access.width)
        };
        let request = access.site.request(request, access.active);
        let element = buffer.element_bytes();
        let elements = offset / element..(offset + bytes - 1) / element + 1;
        // Width and element are powers of two and the offset is aligned.
        let each = (access.width / element).max(1);
        let kind = access.site.kind;
        let site = access.i.imm as usize;
        if let Some(log) = &mut self.output.log
            && !access.site.is_silent()
        {
            let first = GlobalMemory::address(index) + offset;
            log.run(self.lanes.warp, access.i.imm, kind, first, bytes);
        }
        self.tally.sites[site].add_global(request.counts(lanes * each));
        let who = Toucher {
            site,
            kind,
            buffer: index,
        };
        self.touched.add_range(who, elements, &mut self.tally);
    }

    /// Lanes with one base and an index each: nearly always all in one buffer.
    #[inline(always)]
    fn global_indexed(
        &mut self,
        access: Access<'_>,
        base: u64,
        first: u64,
        addresses: &mut Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let Access { i, site, width, .. } = access;
        let (memory, active) = (self.memory, access.active);
        // No `and_then`: its closure would not be compiled for AVX2.
        let Some((index, buffer)) = memory.buffer_at(first) else {
            return self.global_by_addresses(access, addresses);
        };
        let extent = [GlobalMemory::address(index), buffer.size_bytes];
        let offsets = match buffer.is_constant {
            true => None,
            false => indexed_offsets(&self.lanes, i, site, base, extent),
        };
        let Some(offsets) = offsets else {
            return self.global_by_addresses(access, addresses);
        };
        if let Some(log) = &mut self.output.log
            && !site.is_silent()
        {
            fill(&self.lanes, i, site, addresses);
            log.scattered(self.lanes.warp, i.imm, site.kind, addresses, active, width);
        }
        let offset = |lane: usize| u64::from(offsets[lane]);
        let elements = self.count_group(access, index, buffer, offset, active);
        let steps = steps(&offsets, GlobalRequest::STEPS);
        let request = GlobalRequest::of_steps(steps, self.lanes.active_count(), width);
        let request = site.request(request, active);
        self.tally.sites[i.imm as usize].add_global(request.counts(elements));
        move_scattered(&mut self.lanes, access, active, offset, buffer);
        Ok(())
    }

    /// Lanes at any addresses: moved and counted buffer by buffer.
    fn global_scattered(
        &mut self,
        access: Access<'_>,
        addresses: &Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let (mut elements, mut constant) = (0, 0);
        let mut rest = access.active;
        // One request may go to several buffers, as through an array of pointers.
        while rest != 0 {
            let group = self.next_group(access, addresses, rest)?;
            let (buffer, offsets) = (group.buffer, &group.offsets);
            let offset = |lane: usize| offsets[lane];
            if buffer.is_constant {
                // The constant cache serves one address of a warp at a time (CUDA C++ Best Practices Guide).
                let distinct = different(offsets, group.lanes);
                self.tally.sites[access.i.imm as usize].add_constant(1, distinct);
                constant |= group.lanes;
            } else {
                elements += self.count_group(access, group.index, buffer, offset, group.lanes);
            }
            move_scattered(&mut self.lanes, access, group.lanes, offset, buffer);
            rest &= !group.lanes;
        }
        let Access { i, width, .. } = access;
        let active = access.active & !constant;
        if active == 0 {
            return Ok(());
        }
        if let Some(log) = &mut self.output.log
            && !access.site.is_silent()
        {
            let kind = access.site.kind;
            log.scattered(self.lanes.warp, i.imm, kind, addresses, active, width);
        }
        // One request to L1, whichever buffers its sectors are in.
        let request = GlobalRequest::of(addresses, active, width);
        let request = access.site.request(request, active);
        self.tally.sites[i.imm as usize].add_global(request.counts(elements));
        Ok(())
    }

    /// Footprints of the lanes of `group`, which go to one buffer; how many elements they touch.
    #[inline(always)]
    fn count_group(
        &mut self,
        access: Access<'_>,
        index: usize,
        buffer: &Buffer,
        offset: impl Fn(usize) -> u64,
        group: u32,
    ) -> u64 {
        let shift = buffer.element_bytes().trailing_zeros();
        let each = (access.width >> shift).max(1);
        let who = Toucher {
            site: access.i.imm as usize,
            kind: access.site.kind,
            buffer: index,
        };
        let first = |lane: usize| offset(lane) >> shift;
        self.touched
            .add_each(who, group, first, each, &mut self.tally);
        u64::from(group.count_ones()) * each
    }

    /// A pattern that cannot go the simple way, mostly because something is wrong: finds the lane.
    #[inline(never)]
    fn global_by_addresses(
        &mut self,
        access: Access<'_>,
        addresses: &mut Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        // A simple pattern has left `addresses` empty.
        fill(&self.lanes, access.i, access.site, addresses);
        self.global_scattered(access, addresses)
    }
}

/// How many different addresses the lanes of `group` have.
fn different(addresses: &Addresses, group: u32) -> u64 {
    // Sorted, not a set: 32 numbers at most, and no allocation beside the one.
    let mut all: Vec<u64> = set_bits(group).map(|lane| addresses[lane]).collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}

/// The offsets of the lanes from `base`, and which lanes of `mask` lie wholly and aligned within
/// `size` bytes of it.
#[inline(always)]
pub fn within(
    access: Access<'_>,
    addresses: &Addresses,
    mask: u32,
    base: u64,
    size: u64,
) -> (Addresses, u32) {
    let mut offsets = [0; WARP_LANES];
    let mut good = 0;
    // Without branches in the loop: offsets before the base wrap to large numbers and so do not fit
    // either.
    let limit = size.checked_sub(access.width);
    for lane in 0..WARP_LANES {
        let offset = addresses[lane].wrapping_sub(base);
        offsets[lane] = offset;
        let fits = offset & (access.width - 1) == 0 && offset <= limit.unwrap_or(0);
        good |= u32::from(fits) << lane;
    }
    // Less than one access has no good place at all.
    let some = if limit.is_some() { mask } else { 0 };
    (offsets, good & some)
}

/// The addresses of a run of lanes, `step` bytes apart.
fn run_addresses(active: u32, offset: u64, step: u64, addresses: &mut Addresses) {
    for (at, lane) in set_bits(active).enumerate() {
        addresses[lane] = offset + at as u64 * step;
    }
}

#[inline(always)]
fn move_scattered(
    lanes: &mut Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offset: impl Fn(usize) -> u64,
    buffer: &Buffer,
) {
    // Looked up once, not for each lane.
    let words = buffer.all_words();
    let index = |at: u64| (at / 4) as usize;
    match access.site.kind {
        AccessKind::Load => gather(lanes, access, group, offset, |_, at| {
            words[index(at)].load(Relaxed)
        }),
        AccessKind::Store => scatter(lanes, access, group, offset, |_, at, bits, value| {
            store_bits(&words[index(at)], bits, value);
        }),
    }
}
