//! Loads and stores of a whole batch at once, where its pattern is remembered. Whatever is unusual
//! (a fault, lanes in several memories) is left to the warps, one after the other.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::loops::{Movement, load_narrow, store, store_every, store_narrow};
use super::pattern::{Pattern, first_address};
use super::pending_footprints::Destination;
use super::speculation::EarlyLoad;
use super::state::BatchMachine;
use crate::ir::{AccessSite, GLOBAL_STRIDE, Instruction, LOCAL_BASE, Op, SHARED_BASE};
use crate::memory::AccessKind;
use crate::simt::global_memory::{Buffer, GlobalMemory};
use crate::simt::machine::{AddressSpace, Machine, address_space};
use crate::simt::uniformity::Guards;
use crate::simt::warp::{ALL, Vector, blend};

/// No memory reaches so far: offsets below it can be added without wrapping.
const FARTHEST: u64 = 1 << 40;

/// An access of a batch, and what is known of it.
#[derive(Clone, Copy)]
pub struct BatchAccess {
    /// The instruction, with the registers that hold its operands here.
    pub i: Instruction,
    /// Which of them are compared with the remembered pattern.
    pub guards: Guards,
    /// Whether the first warp's values are those of all.
    pub first_only: bool,
    /// Whether the batch is scalarised.
    pub scalarised: bool,
}

/// Where in its memory a batch goes.
#[derive(Clone, Copy)]
struct Target {
    space: AddressSpace,
    /// Byte of the first active lane, from the beginning of the buffer or memory.
    first: u64,
    /// The buffer, in global memory.
    buffer: Option<usize>,
}

impl Target {
    fn new(op: Op, address: u64) -> Self {
        let in_space = |space, first| Target {
            space,
            first,
            buffer: None,
        };
        match op {
            Op::LoadShared | Op::StoreShared => in_space(AddressSpace::Shared, address),
            Op::LoadLocal | Op::StoreLocal => in_space(AddressSpace::Local, address),
            _ => match address_space(address) {
                AddressSpace::Shared => in_space(AddressSpace::Shared, address - SHARED_BASE),
                AddressSpace::Local => in_space(AddressSpace::Local, address - LOCAL_BASE),
                space => Target {
                    space,
                    first: address % GLOBAL_STRIDE,
                    buffer: ((address / GLOBAL_STRIDE) as usize).checked_sub(1),
                },
            },
        }
    }

    /// Whether all lanes of a pattern lie within a memory of `size` bytes, and aligned.
    #[inline(always)]
    fn fits(self, pattern: &Pattern, site: &AccessSite, size: u64) -> bool {
        let width = u64::from(site.width_bytes);
        let (first, range) = (self.first as i64, pattern.offset_range);
        self.first < FARTHEST
            // What is narrower than a word moves as words.
            && self.first.is_multiple_of(width.max(4))
            && first + range.least >= 0
            && first + range.most + width as i64 <= size as i64
    }

    /// The lowest byte that a pattern touches.
    fn least(self, pattern: &Pattern) -> u64 {
        self.first.wrapping_add(pattern.offset_range.least as u64)
    }
}

impl BatchMachine<'_> {
    /// Whether a batch must not go on to an access that it has not carried out at once.
    pub(super) fn must_begin_again(&self, i: Instruction, batch: &Range<usize>) -> bool {
        // A warp alone is in order: nobody else's loads can be ahead of its stores.
        batch.len() > 1 && self.plan.is_speculative[i.imm as usize]
    }

    /// Whether a batch must not go past an access that it has not carried out at once: whether its warps keep apart
    /// there is known of patterns only.
    pub(super) fn must_keep_apart(&self, i: Instruction, batch: &Range<usize>) -> bool {
        batch.len() > 1 && self.plan.dependences.distances[i.imm as usize].is_some()
    }

    /// Whether the warps of a batch are as far apart as they must be at an access that goes by `pattern`.
    #[inline(always)]
    fn keeps_apart(&self, i: Instruction, batch: &Range<usize>, pattern: &mut Pattern) -> bool {
        let Some(distance) = self.plan.dependences.distances[i.imm as usize] else {
            return true;
        };
        // Lanes that sit this access out may take part in a later one: all must be known.
        let are_all_there = self.machine.lanes.active() == self.machine.warps[batch.start].live;
        batch.len() == 1 || (are_all_there && pattern.distance() >= distance)
    }

    /// Carries out a load or store by the warps of a batch, if its pattern is the remembered one;
    /// whether it has.
    #[inline(always)]
    pub(super) fn access_cached(&mut self, access: BatchAccess, batch: &Range<usize>) -> bool {
        if self.patterns.is_spent(access.i.imm) {
            return false;
        }
        let site = &self.machine.program.kernel.sites[access.i.imm as usize];
        // Taken out while it is used, because the machine and its pattern are both changed.
        let slot = self.slot(access, batch);
        let active = self.machine.lanes.active();
        let Some(mut pattern) = self.patterns.take(slot, active) else {
            return false;
        };
        let lanes = &self.machine.lanes;
        let agree = self.plan.loops.agree;
        let holds =
            |pattern: &Pattern| pattern.holds(lanes, access.i, site, batch, access.guards, agree);
        if !holds(&pattern) && !pattern.find_before(holds) {
            self.patterns.put_back(slot, pattern);
            return false;
        }
        let done = self.access_by_pattern(access, site, batch, &mut pattern);
        self.patterns.hit(access.i.imm, slot, pattern);
        done
    }

    #[inline(always)]
    fn slot(&self, access: BatchAccess, batch: &Range<usize>) -> usize {
        let active = self.machine.lanes.active();
        self.patterns
            .slot(access.i.imm, batch, active, access.scalarised)
    }

    /// Notes that the batch does not go as it went last; whether to find out how it goes.
    pub(super) fn wants_to_learn(&mut self, access: BatchAccess, batch: &Range<usize>) -> bool {
        let slot = self.slot(access, batch);
        // Sites that miss often are looked at only now and then: learning costs more than a warp.
        let site = access.i.imm;
        self.plan.has_patterns[site as usize] && self.patterns.miss(site, slot)
    }

    /// Remembers how the batch goes this time, by the kernel's own registers `own`, and carries that
    /// out; whether it has.
    #[cold]
    pub(super) fn access_and_learn(
        &mut self,
        access: BatchAccess,
        own: Instruction,
        batch: &Range<usize>,
    ) -> bool {
        let site = &self.machine.program.kernel.sites[own.imm as usize];
        let slot = self.slot(access, batch);
        let lanes = &mut self.machine.lanes;
        let Some(pattern) = Pattern::new(lanes, own, site, batch, access.guards) else {
            self.patterns.refuse(own.imm);
            return false;
        };
        let mut pattern = Box::new(pattern);
        let done = self.access_by_pattern(access, site, batch, &mut pattern);
        self.patterns
            .insert(slot, self.machine.lanes.active(), pattern);
        done
    }

    #[inline(always)]
    fn access_by_pattern(
        &mut self,
        access: BatchAccess,
        site: &AccessSite,
        batch: &Range<usize>,
        pattern: &mut Pattern,
    ) -> bool {
        if !self.keeps_apart(access.i, batch, pattern) {
            return false;
        }
        // Where all warps get the same, the first one's is enough.
        let receivers = match access.first_only {
            true => batch.start..batch.start + 1,
            false => batch.clone(),
        };
        let address = first_address(&self.machine.lanes, access.i, site, batch);
        let target = Target::new(access.i.op, address);
        match target.space {
            AddressSpace::Global => {
                self.access_global(access.i, site, batch, pattern, target, &receivers)
            }
            AddressSpace::Shared => {
                self.access_shared(access, site, batch, pattern, target, &receivers)
            }
            AddressSpace::Local => {
                let size = self.machine.program.kernel.memory.local_bytes.into();
                // Each warp has its own.
                // `first_only` moves the first warp's values alone; local memory, of which each warp has its own,
                // differs even where registers do not.
                let is_simple = !access.first_only && pattern.offset_range.is_uniform();
                let fits = is_simple && target.fits(pattern, site, size);
                if fits {
                    self.move_local(access.i, site, batch, target.first);
                }
                fits
            }
            AddressSpace::Unmapped => false,
        }
    }

    #[inline(always)]
    fn access_global(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        pattern: &mut Pattern,
        target: Target,
        receivers: &Range<usize>,
    ) -> bool {
        let memory = self.machine.memory;
        let Some((index, buffer)) = target
            .buffer
            .and_then(|index| Some((index, memory.get(index)?)))
            .filter(|(_, buffer)| target.fits(pattern, site, buffer.size_bytes))
        else {
            return false;
        };
        // A request to constant memory goes to its own cache, which serves one address a request:
        // only uniform patterns are simple.
        if buffer.is_constant {
            if !pattern.offset_range.is_uniform() || site.kind == AccessKind::Store {
                return false;
            }
            let warps = batch.len() as u64;
            self.machine.tally.sites[i.imm as usize].add_constant(warps, warps);
        } else {
            let first = target.first;
            self.count_global(i, batch, pattern, buffer, first, index);
        }
        let words = buffer.words(target.least(pattern), pattern.words(site));
        self.move_global(i, site, receivers, &pattern.movement, words);
        true
    }

    #[inline(always)]
    fn access_shared(
        &mut self,
        access: BatchAccess,
        site: &AccessSite,
        batch: &Range<usize>,
        pattern: &mut Pattern,
        target: Target,
        receivers: &Range<usize>,
    ) -> bool {
        let i = access.i;
        if !target.fits(pattern, site, self.machine.program.shared_bytes.into()) {
            return false;
        }
        let counts = pattern.shared_counts(target.first, site);
        // A load of a speculative block may have to be taken back once a later warp's store is met: it is noted first.
        if self.must_begin_again(i, batch) {
            let early = EarlyLoad {
                slot: self.slot(access, batch),
                site: i.imm as usize,
                first: target.first,
                counts,
            };
            if !self
                .speculation
                .allows(early, site, pattern, &self.patterns)
            {
                return false;
            }
        }
        self.machine.tally.sites[i.imm as usize].add_shared(counts);
        let least = (target.least(pattern) / 4) as usize;
        let words = least..least + pattern.words(site);
        self.move_shared(i, site, receivers, &pattern.movement, words);
        true
    }

    #[inline(always)]
    fn count_global(
        &mut self,
        i: Instruction,
        batch: &Range<usize>,
        pattern: &mut Pattern,
        buffer: &Buffer,
        first: u64,
        index: usize,
    ) {
        let site = &self.machine.program.kernel.sites[i.imm as usize];
        let mut counts = pattern.global_counts(first, site);
        // Sizes of elements are powers of two: a shift in place of a division for each access.
        let shift = buffer.element_bytes().trailing_zeros();
        // An access narrower than an element (half of a double) touches one all the same.
        counts.elements = pattern.lanes() * (u64::from(site.width_bytes) >> shift).max(1);
        let at = i.imm as usize;
        let Machine { touched, tally, .. } = &mut self.machine;
        let mut into = Destination { touched, tally };
        self.footprints
            .touch(at, batch.start, pattern, index, first, &mut into);
        tally.sites[at].add_global(counts);
        if let Some(log) = &mut self.machine.output.log
            && !site.is_silent()
        {
            let address = GlobalMemory::address(index) + first;
            pattern.log(log, batch.start, address, i.imm, site);
        }
    }

    /// Moves values between a batch's registers and words of a buffer.
    fn move_global(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        movement: &Movement,
        words: &[AtomicU32],
    ) {
        let (loops, lanes) = (&self.plan.loops, &mut self.machine.lanes);
        let active = lanes.active();
        // Bytes and halves of words: lanes one behind the other, so several of them make a word.
        if let Some(each) = movement.narrow_bytes() {
            match site.kind {
                AccessKind::Load => load_narrow(lanes.rows_mut(i.dst, batch), each, site, words),
                AccessKind::Store => store_narrow(lanes.rows(i.dst, batch), each, |at, values| {
                    (loops.store_global)(&words[at..], values);
                }),
            }
            return;
        }
        if movement.is_packed() {
            let (registers, warps) = lanes.registers_from(i.dst, site.words(), batch.start);
            let go = match site.kind {
                AccessKind::Load => loops.load_packed_global,
                AccessKind::Store => loops.store_packed_global,
            };
            return go(registers, warps, batch.len(), movement, words);
        }
        for part in 0..site.words() as usize {
            let register = i.dst + part as u16;
            if site.kind == AccessKind::Load {
                let rows = lanes.rows_mut(register, batch);
                (loops.load_global)(rows, movement, active, words, part);
                continue;
            }
            let write = |values: &[u32]| (loops.store_global)(words, values);
            let rows = lanes.rows(register, batch);
            store_global(rows, movement, active, &words[part..], write);
        }
    }

    /// The same with words of shared memory.
    fn move_shared(
        &mut self,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        movement: &Movement,
        words: Range<usize>,
    ) {
        let (loops, lanes) = (&self.plan.loops, &mut self.machine.lanes);
        let (active, shared) = (lanes.active(), &mut self.machine.shared[words]);
        if let Some(each) = movement.narrow_bytes() {
            match site.kind {
                AccessKind::Load => load_narrow(lanes.rows_mut(i.dst, batch), each, site, shared),
                AccessKind::Store => store_narrow(lanes.rows(i.dst, batch), each, |at, values| {
                    shared[at..at + values.len()].copy_from_slice(values);
                }),
            }
            return;
        }
        if movement.is_packed() {
            let (registers, warps) = lanes.registers_from(i.dst, site.words(), batch.start);
            let go = match site.kind {
                AccessKind::Load => loops.load_packed_shared,
                AccessKind::Store => loops.store_packed_shared,
            };
            return go(registers, warps, batch.len(), movement, shared);
        }
        for part in 0..site.words() as usize {
            let register = i.dst + part as u16;
            if site.kind == AccessKind::Load {
                let rows = lanes.rows_mut(register, batch);
                (loops.load_shared)(rows, movement, active, shared, part);
            } else {
                store_shared(lanes.rows(register, batch), movement, active, shared, part);
            }
        }
    }

    fn move_local(&mut self, i: Instruction, site: &AccessSite, batch: &Range<usize>, first: u64) {
        let machine = &mut self.machine;
        let (warps, active) = (machine.warps.len(), machine.lanes.active());
        let first = (first / 4) as usize;
        let words = first..first + site.words() as usize;
        machine.use_local(words.clone(), batch, site.kind);
        for (word, register) in words.zip(i.dst..) {
            let local = &mut machine.local.words[word * warps..][batch.clone()];
            match site.kind {
                AccessKind::Load => copy(active, local, machine.lanes.rows_mut(register, batch)),
                AccessKind::Store => copy(active, machine.lanes.rows(register, batch), local),
            }
        }
    }
}

/// Stores a word a lane to a buffer, as [`store`] does.
#[inline(always)]
fn store_global(
    rows: &[Vector],
    movement: &Movement,
    active: u32,
    words: &[AtomicU32],
    write: impl FnOnce(&[u32]),
) {
    let put = |at: usize, value| words[at].store(value, Relaxed);
    let every = |at: usize, step: usize, values: &[u32; 8]| {
        store_every(words, at, step, values, |word, value| {
            word.store(value, Relaxed)
        });
    };
    store(rows, movement, active, write, put, every);
}

/// Stores a word a lane to shared memory, as [`store`] does: the one at `part`.
#[inline(always)]
fn store_shared(
    rows: &[Vector],
    movement: &Movement,
    active: u32,
    shared: &mut [u32],
    part: usize,
) {
    // Both closures write to the same words, one at a time.
    let words = Cell::from_mut(shared).as_slice_of_cells();
    let write = |values: &[u32]| {
        let cells = words.iter().zip(values);
        cells.for_each(|(word, &value)| word.set(value));
    };
    let put = |at: usize, value| words[at + part].set(value);
    let every = |at: usize, step: usize, values: &[u32; 8]| {
        store_every(&words[part..], at, step, values, |word, value| {
            word.set(value)
        });
    };
    store(rows, movement, active, write, put, every);
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
