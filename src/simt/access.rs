//! Loads and stores: where they go, what they move, what they count.

use std::sync::atomic::Ordering::Relaxed;

use super::address::{Pattern, fill, pattern};
use super::fault::{self, Target};
use super::global::Buffer;
use super::lanes::{ALL, Lanes};
use super::machine::Machine;
use crate::ir::{AccessSite, Extend, GLOBAL_STRIDE, Instruction, LOCAL_BASE, Op, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::memory::{AccessKind, GlobalRequest, SharedRequest};
use crate::source::Diagnostic;

/// One address a lane.
type Addresses = [u64; WARP_LANES];

/// A memory that an address may lie in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Global,
    Shared,
    Local,
    Nowhere,
}

fn home(address: u64) -> Home {
    match address {
        // Half a stride below the first buffer still tells of that buffer.
        address if address >= GLOBAL_STRIDE / 2 => Home::Global,
        address if address >= LOCAL_BASE => Home::Local,
        address if address >= SHARED_BASE => Home::Shared,
        _ => Home::Nowhere,
    }
}

/// An access that is being carried out.
#[derive(Clone, Copy)]
struct Access<'a> {
    i: Instruction,
    site: &'a AccessSite,
    active: u32,
    width: u64,
}

impl Machine<'_> {
    /// Carries out a load or store by at least one lane.
    pub(super) fn access(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
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
            Pattern::Uniform(address) | Pattern::Contiguous(address) => address,
            Pattern::Scattered => addresses[access.active.trailing_zeros() as usize],
        };
        let (home, origin) = match i.op {
            Op::LoadShared | Op::StoreShared => (Home::Shared, 0),
            Op::LoadLocal | Op::StoreLocal => (Home::Local, 0),
            _ => match home(first) {
                Home::Shared => (Home::Shared, SHARED_BASE),
                Home::Local => (Home::Local, LOCAL_BASE),
                home => (home, 0),
            },
        };
        match home {
            Home::Global => self.global(access, pattern, &mut addresses),
            Home::Shared => self.shared(access, pattern, &mut addresses, origin),
            Home::Local => self.local(access, pattern, &mut addresses, origin),
            Home::Nowhere => Err(self.unmapped(access, first, access.active.trailing_zeros())),
        }
    }

    fn global(
        &mut self,
        access: Access<'_>,
        pattern: Pattern,
        addresses: &mut Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let (first, bytes) = match pattern {
            Pattern::Uniform(first) => (first, access.width),
            Pattern::Contiguous(first) => (first, self.lanes.active_count() * access.width),
            Pattern::Scattered => return self.global_scattered(access, addresses),
        };
        let memory = self.memory;
        let (index, offset) = ((first / GLOBAL_STRIDE) as usize, first % GLOBAL_STRIDE);
        let buffer = index.checked_sub(1).and_then(|index| memory.get(index));
        let (Some(buffer), 0) = (buffer, offset % access.width) else {
            return self.global_refused(access, addresses);
        };
        if offset + bytes > buffer.size_bytes {
            return self.global_refused(access, addresses);
        }
        self.count_global_run(access, index - 1, buffer, offset, bytes);
        let lanes = &mut self.lanes;
        let words = buffer.words(offset, bytes.div_ceil(4) as usize);
        let is_uniform = matches!(pattern, Pattern::Uniform(_));
        let word = |at: usize| words[at].load(Relaxed);
        match access.site.kind {
            _ if access.width < 4 => {
                let step = if is_uniform { 0 } else { access.width };
                run_addresses(access.active, offset, step, addresses);
                move_global(lanes, access, access.active, addresses, buffer);
            }
            AccessKind::Load if is_uniform => load_uniform(lanes, access, word),
            AccessKind::Load => load_run(lanes, access, word),
            AccessKind::Store if is_uniform => {
                store_uniform(lanes, access, |at, value| words[at].store(value, Relaxed));
            }
            AccessKind::Store => {
                store_run(lanes, access, |at, value| words[at].store(value, Relaxed));
            }
        }
        Ok(())
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
        let request = if bytes == access.width {
            GlobalRequest::uniform(lanes, access.width)
        } else {
            GlobalRequest::contiguous(offset, lanes, access.width)
        };
        let element = buffer.element_bytes();
        let elements = offset / element..(offset + bytes - 1) / element + 1;
        // Width and element are powers of two and the offset is aligned.
        let each = (access.width / element).max(1);
        let kind = access.site.kind;
        let site = access.i.imm as usize;
        let footprint = self.footprints.of_buffer(index, kind);
        self.tally.distinct[index][kind as usize] += footprint.insert_range(elements.clone());
        let accesses = &mut self.tally.sites[site];
        accesses.add_global(request, lanes * each);
        accesses.add_distinct(self.footprints.of_site(site, index).insert_range(elements));
    }

    /// Lanes at any addresses: moved and counted buffer by buffer.
    fn global_scattered(
        &mut self,
        access: Access<'_>,
        addresses: &Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let memory = self.memory;
        let mut elements = 0;
        let mut rest = access.active;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let index = (addresses[lane as usize] / GLOBAL_STRIDE) as usize;
            let buffer = index.checked_sub(1).and_then(|index| memory.get(index));
            let Some(buffer) = buffer else {
                return Err(self.refuse(access, addresses, lane));
            };
            let base = index as u64 * GLOBAL_STRIDE;
            let (offsets, group) = within(access, addresses, rest, base, buffer.size_bytes);
            if group >> lane & 1 == 0 {
                return Err(self.refuse(access, addresses, lane));
            }
            elements += self.count_group(access, index - 1, buffer, &offsets, group);
            move_global(&mut self.lanes, access, group, &offsets, buffer);
            rest &= !group;
        }
        let request = GlobalRequest::of(addresses, access.active, access.width);
        self.tally.sites[access.i.imm as usize].add_global(request, elements);
        Ok(())
    }

    /// Footprints of the lanes of `group`, which go to one buffer; how many elements they touch.
    fn count_group(
        &mut self,
        access: Access<'_>,
        index: usize,
        buffer: &Buffer,
        offsets: &Addresses,
        group: u32,
    ) -> u64 {
        let shift = buffer.element_bytes().trailing_zeros();
        let each = (access.width >> shift).max(1);
        let kind = access.site.kind;
        let site = access.i.imm as usize;
        let touched = || {
            set_bits(group).flat_map(|lane| {
                let first = offsets[lane] >> shift;
                first..first + each
            })
        };
        let of_buffer = self.footprints.of_buffer(index, kind);
        self.tally.distinct[index][kind as usize] += of_buffer.insert(touched());
        let of_site = self.footprints.of_site(site, index);
        self.tally.sites[site].add_distinct(of_site.insert(touched()));
        u64::from(group.count_ones()) * each
    }

    /// A simple pattern of which something is wrong: finds the lane.
    #[cold]
    fn global_refused(
        &mut self,
        access: Access<'_>,
        addresses: &mut Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        fill(&self.lanes, access.i, access.site, addresses);
        self.global_scattered(access, addresses)
    }

    #[cold]
    fn unmapped(&self, access: Access<'_>, address: u64, lane: u32) -> Box<Diagnostic> {
        let lane = lane as usize;
        Box::new(fault::unmapped(access.site, address, lane, self.place()))
    }

    /// Why `lane` may not access global memory there.
    #[cold]
    fn refuse(&self, access: Access<'_>, addresses: &Addresses, lane: u32) -> Box<Diagnostic> {
        let address = addresses[lane as usize];
        if matches!(home(address), Home::Shared | Home::Local) {
            let place = self.place();
            return Box::new(fault::mixed_spaces(access.site, 1 << lane, place));
        }
        let nearest = |address: u64| {
            let index = (address.wrapping_add(GLOBAL_STRIDE / 2) / GLOBAL_STRIDE) as usize;
            let buffer = self.memory.get(index.checked_sub(1)?)?;
            let base = index as u64 * GLOBAL_STRIDE;
            Some((buffer, address.wrapping_sub(base) as i64))
        };
        let is_outside = |buffer: &Buffer, offset: i64| {
            offset < 0 || offset as u64 + access.width > buffer.size_bytes
        };
        match nearest(address) {
            None => self.unmapped(access, address, lane),
            Some((buffer, offset)) if is_outside(buffer, offset) => {
                let outside = set_bits(access.active)
                    .filter(|&lane| {
                        nearest(addresses[lane]).is_some_and(|(other, offset)| {
                            std::ptr::eq(other, buffer) && is_outside(buffer, offset)
                        })
                    })
                    .fold(0, |mask, lane| mask | 1 << lane);
                let target = Target {
                    name: &format!("`{}`", buffer.name),
                    size_bytes: buffer.size_bytes,
                    element_bytes: buffer.element_bytes(),
                    element: buffer.element.name(),
                };
                let place = self.place();
                let fault = fault::out_of_bounds(access.site, &target, offset, outside, place);
                Box::new(fault)
            }
            Some(_) => self.misaligned(access, address, lane),
        }
    }

    #[cold]
    fn misaligned(&self, access: Access<'_>, address: u64, lane: u32) -> Box<Diagnostic> {
        let lane = lane as usize;
        Box::new(fault::misaligned(access.site, address, lane, self.place()))
    }

    fn shared(
        &mut self,
        access: Access<'_>,
        pattern: Pattern,
        addresses: &mut Addresses,
        origin: u64,
    ) -> Result<(), Box<Diagnostic>> {
        let size = u64::from(self.program.shared_bytes);
        let width = access.width;
        let accesses = &mut self.tally.sites[access.i.imm as usize];
        if let Pattern::Contiguous(first) = pattern {
            let offset = first.wrapping_sub(origin);
            let bytes = self.lanes.active_count() * width;
            let fits = offset.checked_add(bytes).is_some_and(|end| end <= size);
            if width >= 4 && fits && offset % width == 0 {
                let request = SharedRequest::of_run(access.active, width as u32, access.site.kind);
                accesses.add_shared(request);
                let first = (offset / 4) as usize;
                let words = &mut self.shared[first..first + (bytes / 4) as usize];
                match access.site.kind {
                    AccessKind::Load => load_run(&mut self.lanes, access, |at| words[at]),
                    AccessKind::Store => {
                        store_run(&self.lanes, access, |at, value| words[at] = value);
                    }
                }
                return Ok(());
            }
        }
        if pattern != Pattern::Scattered {
            fill(&self.lanes, access.i, access.site, addresses);
        }
        let (offsets, group) = within(access, addresses, access.active, origin, size);
        if group != access.active {
            let name = "the block's shared memory";
            return Err(self.refuse_private(access, addresses, group, (origin, size), name));
        }
        let banks = offsets.map(|offset| offset as u32);
        let request = SharedRequest::of(&banks, access.active, width as u32, access.site.kind);
        self.tally.sites[access.i.imm as usize].add_shared(request);
        let words = &mut self.shared;
        let word = |offset: u64| (offset / 4) as usize;
        match access.site.kind {
            AccessKind::Load => {
                gather(&mut self.lanes, access, access.active, &offsets, |_, at| {
                    words[word(at)]
                })
            }
            AccessKind::Store => scatter(
                &self.lanes,
                access,
                access.active,
                &offsets,
                |_, at, bits, value| mix(&mut words[word(at)], bits, value),
            ),
        }
        Ok(())
    }

    fn local(
        &mut self,
        access: Access<'_>,
        pattern: Pattern,
        addresses: &mut Addresses,
        origin: u64,
    ) -> Result<(), Box<Diagnostic>> {
        let size = u64::from(self.program.kernel.local_bytes);
        if pattern != Pattern::Scattered {
            fill(&self.lanes, access.i, access.site, addresses);
        }
        let (offsets, group) = within(access, addresses, access.active, origin, size);
        if group != access.active {
            let name = "the thread's local memory";
            return Err(self.refuse_private(access, addresses, group, (origin, size), name));
        }
        let (warps, warp) = (self.program.geometry.warps(), self.lanes.warp);
        let words = &mut self.local;
        let vector = |offset: u64| (offset / 4) as usize * warps + warp;
        match access.site.kind {
            AccessKind::Load => gather(
                &mut self.lanes,
                access,
                access.active,
                &offsets,
                |lane, at| words[vector(at)][lane],
            ),
            AccessKind::Store => scatter(
                &self.lanes,
                access,
                access.active,
                &offsets,
                |lane, at, bits, value| mix(&mut words[vector(at)][lane], bits, value),
            ),
        }
        Ok(())
    }

    /// Why some lanes may not access shared or local memory there; `good` may.
    #[cold]
    fn refuse_private(
        &self,
        access: Access<'_>,
        addresses: &Addresses,
        good: u32,
        (origin, size_bytes): (u64, u64),
        name: &str,
    ) -> Box<Diagnostic> {
        let bad = access.active & !good;
        let lane = bad.trailing_zeros();
        let address = addresses[lane as usize];
        let elsewhere = |address: u64| origin != 0 && home(address) != home(origin);
        if elsewhere(address) {
            let place = self.place();
            return Box::new(fault::mixed_spaces(access.site, 1 << lane, place));
        }
        let offset = address.wrapping_sub(origin) as i64;
        let is_outside = |offset: i64| offset < 0 || offset as u64 + access.width > size_bytes;
        if !is_outside(offset) {
            return self.misaligned(access, address, lane);
        }
        let outside = set_bits(bad)
            .filter(|&lane| is_outside(addresses[lane].wrapping_sub(origin) as i64))
            .fold(0, |mask, lane| mask | 1 << lane);
        let target = Target {
            name,
            size_bytes,
            element_bytes: access.width,
            element: &format!("{}-byte", access.width),
        };
        let place = self.place();
        let fault = fault::out_of_bounds(access.site, &target, offset, outside, place);
        Box::new(fault)
    }
}

/// The offsets of the lanes from `base`, and which lanes of `mask` lie wholly and aligned within
/// `size` bytes of it.
fn within(
    access: Access<'_>,
    addresses: &Addresses,
    mask: u32,
    base: u64,
    size: u64,
) -> (Addresses, u32) {
    let mut offsets = [0; WARP_LANES];
    let mut good = 0;
    let limit = size.checked_sub(access.width);
    for lane in 0..WARP_LANES {
        let offset = addresses[lane].wrapping_sub(base);
        offsets[lane] = offset;
        let fits = offset & (access.width - 1) == 0 && offset <= limit.unwrap_or(0);
        good |= u32::from(fits) << lane;
    }
    let some = if limit.is_some() { mask } else { 0 };
    (offsets, good & some)
}

/// The lanes of a mask.
fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

fn run_addresses(active: u32, offset: u64, step: u64, addresses: &mut Addresses) {
    for (at, lane) in set_bits(active).enumerate() {
        addresses[lane] = offset + at as u64 * step;
    }
}

fn mix(word: &mut u32, bits: u32, value: u32) {
    *word = (*word & !bits) | (value & bits);
}

/// Loads where the active lanes read consecutive words from the one called 0.
#[inline(always)]
fn load_run(lanes: &mut Lanes<'_>, access: Access<'_>, word: impl Fn(usize) -> u32) {
    let (first, count) = run(access.active);
    let words = (access.width / 4) as usize;
    for part in 0..words {
        let target = lanes.get_mut(access.i.dst + part as u16);
        if access.active == ALL && words == 1 {
            *target = std::array::from_fn(&word);
            return;
        }
        for (at, value) in target[first..first + count].iter_mut().enumerate() {
            *value = word(at * words + part);
        }
    }
}

/// Stores where the active lanes write consecutive words from the one called 0.
#[inline(always)]
fn store_run(lanes: &Lanes<'_>, access: Access<'_>, mut store: impl FnMut(usize, u32)) {
    let (first, count) = run(access.active);
    let words = (access.width / 4) as usize;
    for part in 0..words {
        let source = lanes.get(access.i.dst + part as u16);
        for (at, &value) in source[first..first + count].iter().enumerate() {
            store(at * words + part, value);
        }
    }
}

/// Loads where all active lanes read the same words.
fn load_uniform(lanes: &mut Lanes<'_>, access: Access<'_>, word: impl Fn(usize) -> u32) {
    for part in 0..(access.width / 4) as usize {
        lanes.set(access.i.dst + part as u16, [word(part); WARP_LANES]);
    }
}

/// Stores where all active lanes write the same words: the last lane's value stays.
fn store_uniform(lanes: &Lanes<'_>, access: Access<'_>, mut store: impl FnMut(usize, u32)) {
    let last = 31 - access.active.leading_zeros() as usize;
    for part in 0..(access.width / 4) as usize {
        store(part, lanes.get(access.i.dst + part as u16)[last]);
    }
}

/// First lane and number of lanes of a mask without gaps.
fn run(mask: u32) -> (usize, usize) {
    (mask.trailing_zeros() as usize, mask.count_ones() as usize)
}

fn move_global(
    lanes: &mut Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offsets: &Addresses,
    buffer: &Buffer,
) {
    match access.site.kind {
        AccessKind::Load => gather(lanes, access, group, offsets, |_, at| buffer.word(at)),
        AccessKind::Store => scatter(lanes, access, group, offsets, |_, at, bits, value| {
            buffer.store(at, bits, value);
        }),
    }
}

/// Loads lane by lane; `word` gives the word that holds a byte.
#[inline(always)]
fn gather(
    lanes: &mut Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offsets: &Addresses,
    word: impl Fn(usize, u64) -> u32,
) {
    for part in 0..access.site.words() {
        let target = lanes.get_mut(access.i.dst + part as u16);
        for lane in set_bits(group) {
            let at = offsets[lane] + 4 * u64::from(part);
            target[lane] = narrow(access, at, word(lane, at));
        }
    }
}

/// What a load of fewer than four bytes takes from a word.
fn narrow(access: Access<'_>, at: u64, word: u32) -> u32 {
    let value = word >> (8 * (at % 4));
    match (access.width, access.site.extend) {
        (1, Extend::Zero) => value & 0xff,
        (1, Extend::Sign) => value as i8 as u32,
        (2, Extend::Zero) => value & 0xffff,
        (2, Extend::Sign) => value as i16 as u32,
        _ => value,
    }
}

/// Stores lane by lane, in order of lanes; `store` gets a byte's place, which bits of its word to
/// change, and their values.
#[inline(always)]
fn scatter(
    lanes: &Lanes<'_>,
    access: Access<'_>,
    group: u32,
    offsets: &Addresses,
    mut store: impl FnMut(usize, u64, u32, u32),
) {
    let bits = u32::MAX >> (32 - 8 * access.width.min(4));
    for part in 0..access.site.words() {
        let source = lanes.get(access.i.dst + part as u16);
        for lane in set_bits(group) {
            let at = offsets[lane] + 4 * u64::from(part);
            let shift = 8 * (at % 4);
            store(lane, at, bits << shift, source[lane] << shift);
        }
    }
}
