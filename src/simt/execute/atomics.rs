//! Atomic operations on global and shared memory.
//!
//! The lanes of a warp go one after the other, in order. Blocks that other threads run at the same
//! time never come between: words of 32 bits change at once; 64 bits are two words, so operations on
//! them exclude each other by a lock that their address chooses. What does not depend on the order
//! of lanes and blocks is exact; sums of floats depend on the order of blocks where there are
//! several threads.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::access::{Group, within};
use super::block_memory::{Extent, scattered};
use super::transfer::{Access, compiled_for_avx2};
use crate::ir::{Instruction, Op, Operand, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::memory::{AccessKind, GlobalRequest};
use crate::simt::fault;
use crate::simt::global_memory::Buffer;
use crate::simt::machine::{AddressSpace, Addresses, Machine, address_space};
use crate::simt::operations::{add_bf16, add_f16};
use crate::simt::warp::{Lanes, Vector, join, set_bits, steps};
use crate::source::Diagnostic;

impl Machine<'_> {
    compiled_for_avx2! {
        /// Carries out an atomic operation by at least one lane.
        atomic, atomic_avx2, atomic_anywhere
    }

    #[inline(always)]
    fn atomic_anywhere(&mut self, i: Instruction) -> Result<(), Box<Diagnostic>> {
        let site = &self.program.kernel.sites[i.imm as usize];
        let access = Access {
            i,
            site,
            active: self.lanes.active(),
            width: u64::from(site.width_bytes),
        };
        // Atomic operations have generic pointers always, and no index.
        let pair = self.lanes.pair(i.a);
        let mut addresses: Addresses = [0; WARP_LANES];
        for (lane, address) in addresses.iter_mut().enumerate() {
            *address = join(&pair, lane);
        }
        let first = access.active.trailing_zeros();
        let address = addresses[first as usize];
        match address_space(address) {
            AddressSpace::Global => self.atomic_global(access, &addresses),
            AddressSpace::Shared => self.atomic_shared(access, &addresses),
            AddressSpace::Local => Err(Box::new(fault::atomic_on_local(
                access.site,
                first as usize,
                self.place(),
            ))),
            AddressSpace::Unmapped => Err(self.unmapped(access, address, first)),
        }
    }

    #[inline(always)]
    fn atomic_global(
        &mut self,
        access: Access<'_>,
        addresses: &Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let (mut rest, mut places) = (access.active, None);
        while rest != 0 {
            let group = self.next_group(access, addresses, rest)?;
            self.change_group(access, &group);
            rest &= !group.lanes;
            places = places_in(&group).filter(|_| group.lanes == access.active);
        }
        let sectors = match places {
            // Where all lanes go to one address `nvcc` may put their values together first, and one
            // lane goes.
            _ if access.site.one_lane => 1,
            Some(places) => {
                let steps = steps(&places, GlobalRequest::ATOMIC_STEPS);
                GlobalRequest::atomic_sectors_of_steps(steps, access.active.count_ones())
            }
            None => GlobalRequest::atomic_sectors(addresses, access.active, access.width),
        };
        let elements = self.lanes.active_count();
        // All lanes' elements count, even if one goes: the source asks for as many operations.
        self.tally.sites[access.i.imm as usize].add_atomic(sectors, elements);
        Ok(())
    }

    /// Changes what the lanes of a group go to. What most kernels do has its operation and operands looked up once for
    /// all lanes, which is a third of the time.
    #[inline(always)]
    fn change_group(&mut self, access: Access<'_>, group: &Group<'_>) {
        let is_alone = self.lease.is_alone();
        // Only here: on shared memory PTX keeps denormals in `atom.add.f32`.
        let add = |old, b| flush(add_f32(flush(old), flush(b)));
        match access.i.op {
            Op::AtomAddI32 if is_alone => self.change_words(access, group, |word, b| {
                replace(word, |old| old.wrapping_add(b))
            }),
            // The host's own instruction: a loop of compare and exchange costs more under contention.
            Op::AtomAddI32 => {
                self.change_words(access, group, |word, b| word.fetch_add(b, Relaxed));
            }
            Op::AtomAddF32 if is_alone => {
                self.change_words(access, group, |word, b| replace(word, |old| add(old, b)));
            }
            Op::AtomAddF32 => {
                self.change_words(access, group, |word, b| {
                    fetch_update(word, |old| add(old, b))
                });
            }
            _ => {
                for lane in set_bits(group.lanes) {
                    let operands = operands(&self.lanes, access.i, lane);
                    let old = change_global(access, group.buffer, group.offsets[lane], operands);
                    self.keep(access, lane, old);
                }
            }
        }
    }

    /// Changes a word for each lane of a group by `change`, which gives what was there before. Lanes in order: the order
    /// is undefined in CUDA, and one that never changes makes results repeatable.
    #[inline(always)]
    fn change_words(
        &mut self,
        access: Access<'_>,
        group: &Group<'_>,
        change: impl Fn(&AtomicU32, u32) -> u32,
    ) {
        let (operands, mut found) = (*self.lanes.get(access.i.b), *self.lanes.get(access.i.dst));
        for lane in set_bits(group.lanes) {
            let word = &group.buffer.words(group.offsets[lane], 1)[0];
            found[lane] = change(word, operands[lane]);
        }
        *self.lanes.get_mut(access.i.dst) = found;
    }

    #[inline(always)]
    fn atomic_shared(
        &mut self,
        access: Access<'_>,
        addresses: &Addresses,
    ) -> Result<(), Box<Diagnostic>> {
        let extent = Extent {
            origin: SHARED_BASE,
            size: u64::from(self.program.shared_bytes),
        };
        let active = access.active;
        let (offsets, good) = within(access, addresses, active, extent.origin, extent.size);
        if good != active {
            return Err(self.refuse_private(access, addresses, good, extent));
        }
        let mut banks = [offsets[active.trailing_zeros() as usize] as u32; WARP_LANES];
        for lane in set_bits(active) {
            banks[lane] = offsets[lane] as u32;
        }
        // An atomic operation passes the banks as a store does.
        let width = access.width as u32;
        let request = scattered(&banks, active, width, AccessKind::Store);
        self.tally.sites[access.i.imm as usize].add_shared(request.counts());
        if access.i.op == Op::AtomAddI32 {
            self.add_shared(access, &offsets);
            return Ok(());
        }
        for lane in set_bits(active) {
            let old = self.change_shared(access, lane, offsets[lane]);
            self.keep(access, lane, old);
        }
        Ok(())
    }

    /// One lane changes shared memory at `offset`; what was there.
    #[inline(always)]
    fn change_shared(&mut self, access: Access<'_>, lane: usize, offset: u64) -> u64 {
        let operands = operands(&self.lanes, access.i, lane);
        let at = (offset / 4) as usize;
        if access.width == 8 {
            let old = u64::from(self.shared[at]) | u64::from(self.shared[at + 1]) << 32;
            let new = change64(access.i.op, old, operands);
            (self.shared[at], self.shared[at + 1]) = (new as u32, (new >> 32) as u32);
            return old;
        }
        // 16-bit operations change half a word; the other half belongs to somebody else.
        let shift = 8 * (offset % 4) as u32;
        let old = self.shared[at];
        self.shared[at] = change32(access.i.op, old, operands, shift);
        u64::from(old >> shift)
    }

    /// What most kernels do, with the operation and its operands looked up once for all lanes.
    fn add_shared(&mut self, access: Access<'_>, offsets: &Addresses) {
        let (operands, mut found) = (*self.lanes.get(access.i.b), *self.lanes.get(access.i.dst));
        for lane in set_bits(access.active) {
            let word = &mut self.shared[(offsets[lane] / 4) as usize];
            found[lane] = *word;
            *word = word.wrapping_add(operands[lane]);
        }
        *self.lanes.get_mut(access.i.dst) = found;
    }

    /// Writes what was there before to a lane's result.
    fn keep(&mut self, access: Access<'_>, lane: usize, old: u64) {
        // A 16-bit operation brings the rest of its word along, which the result must not show.
        let mask = u64::MAX >> (64 - 8 * access.width);
        self.lanes.get_mut(access.i.dst)[lane] = (old & mask) as u32;
        if access.width == 8 {
            self.lanes.get_mut(access.i.dst + 1)[lane] = (old >> 32) as u32;
        }
    }
}

/// Where the lanes of a group go in their buffer, and the others behind its end; nothing where 32 bits do not tell.
#[inline(always)]
fn places_in(group: &Group<'_>) -> Option<Vector> {
    let mut places = [u32::MAX; WARP_LANES];
    for (lane, place) in places.iter_mut().enumerate() {
        if group.lanes >> lane & 1 == 1 {
            *place = group.offsets[lane] as u32;
        }
    }
    (group.buffer.size_bytes < u32::MAX.into()).then_some(places)
}

/// The two operands of one lane; the second only for `AtomCas`.
fn operands(lanes: &Lanes<'_>, i: Instruction, lane: usize) -> [u64; 2] {
    let word = |register: u16| u64::from(lanes.get(register)[lane]);
    let wide = |register: u16| word(register) | word(register + 1) << 32;
    match i.op {
        Op::AtomCas16 | Op::AtomCas32 => [word(i.b), word(i.c)],
        Op::AtomCas64 => [wide(i.b), wide(i.c)],
        op if is_wide(op) => [wide(i.b), 0],
        _ => [word(i.b), 0],
    }
}

fn is_wide(op: Op) -> bool {
    op.operands().contains(&Operand::Dst64)
}

/// Changes a value in a buffer and gives what was there before, in its low bits.
fn change_global(access: Access<'_>, buffer: &Buffer, offset: u64, operands: [u64; 2]) -> u64 {
    let op = access.i.op;
    if access.width == 8 {
        // Two words of 32 bits: loads of other threads may see one of them new; atomics of 64 bits
        // never do.
        let _alone = buffer.lock(offset);
        let words = buffer.words(offset, 2);
        let old = u64::from(words[0].load(Relaxed)) | u64::from(words[1].load(Relaxed)) << 32;
        let new = change64(op, old, operands);
        words[0].store(new as u32, Relaxed);
        words[1].store((new >> 32) as u32, Relaxed);
        return old;
    }
    let word = &buffer.words(offset, 1)[0];
    let operand = operands[0] as u32;
    match op {
        Op::AtomAnd32 => return u64::from(word.fetch_and(operand, Relaxed)),
        Op::AtomOr32 => return u64::from(word.fetch_or(operand, Relaxed)),
        Op::AtomXor32 => return u64::from(word.fetch_xor(operand, Relaxed)),
        Op::AtomExch32 => return u64::from(word.swap(operand, Relaxed)),
        _ => {}
    }
    let shift = 8 * (offset % 4) as u32;
    let change = |old| change32(op, old, operands, shift);
    u64::from(fetch_update(word, change) >> shift)
}

/// What [`fetch_update`] does, where no other thread uses the word: without an instruction that excludes others.
fn replace(word: &AtomicU32, change: impl Fn(u32) -> u32) -> u32 {
    let old = word.load(Relaxed);
    word.store(change(old), Relaxed);
    old
}

fn fetch_update(word: &AtomicU32, change: impl Fn(u32) -> u32) -> u32 {
    let mut old = word.load(Relaxed);
    // Weak: a failure for no reason only costs another turn.
    while let Err(now) = word.compare_exchange_weak(old, change(old), Relaxed, Relaxed) {
        old = now;
    }
    old
}

/// `atom.add.f32` on global memory takes and gives zeros for denormals (PTX instruction set).
fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 {
        bits & 1 << 31
    } else {
        bits
    }
}

fn add_f32(a: u32, b: u32) -> u32 {
    (f32::from_bits(a) + f32::from_bits(b)).to_bits()
}

/// The new word; values of 16 bits stand at bit `shift` of it.
fn change32(op: Op, old: u32, operands: [u64; 2], shift: u32) -> u32 {
    let [b, c] = operands.map(|operand| operand as u32);
    let within = |add: fn(u32, u32) -> u32| {
        let mask = 0xffff << shift;
        (old & !mask) | add(old >> shift & 0xffff, b & 0xffff) << shift
    };
    let pair =
        |add: fn(u32, u32) -> u32| add(old & 0xffff, b & 0xffff) | add(old >> 16, b >> 16) << 16;
    match op {
        Op::AtomAddI32 => old.wrapping_add(b),
        Op::AtomAddF32 => add_f32(old, b),
        Op::AtomAddF16 => within(add_f16),
        Op::AtomAddBf16 => within(add_bf16),
        // PTX: each half is atomic for itself; nothing is said of the pair, so doing both at once is allowed.
        Op::AtomAddF16x2 => pair(add_f16),
        Op::AtomAddBf16x2 => pair(add_bf16),
        Op::AtomMinI32 => (old as i32).min(b as i32) as u32,
        Op::AtomMinU32 => old.min(b),
        Op::AtomMaxI32 => (old as i32).max(b as i32) as u32,
        Op::AtomMaxU32 => old.max(b),
        Op::AtomAnd32 => old & b,
        Op::AtomOr32 => old | b,
        Op::AtomXor32 => old ^ b,
        Op::AtomExch32 => b,
        // `atomicInc` and `atomicDec` wrap at the operand, not at 32 bits (Programming Guide, atomic functions).
        Op::AtomInc32 if old >= b => 0,
        Op::AtomInc32 => old + 1,
        Op::AtomDec32 if old == 0 || old > b => b,
        Op::AtomDec32 => old - 1,
        Op::AtomCas16 if old >> shift & 0xffff == b & 0xffff => {
            (old & !(0xffff << shift)) | (c & 0xffff) << shift
        }
        Op::AtomCas16 => old,
        Op::AtomCas32 if old == b => c,
        Op::AtomCas32 => old,
        _ => unreachable!("{op:?} is no atomic operation on a word"),
    }
}

fn change64(op: Op, old: u64, [b, c]: [u64; 2]) -> u64 {
    match op {
        Op::AtomAddI64 => old.wrapping_add(b),
        Op::AtomAddF64 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
        Op::AtomMinI64 => (old as i64).min(b as i64) as u64,
        Op::AtomMinU64 => old.min(b),
        Op::AtomMaxI64 => (old as i64).max(b as i64) as u64,
        Op::AtomMaxU64 => old.max(b),
        Op::AtomAnd64 => old & b,
        Op::AtomOr64 => old | b,
        Op::AtomXor64 => old ^ b,
        Op::AtomExch64 => b,
        Op::AtomCas64 if old == b => c,
        Op::AtomCas64 => old,
        _ => unreachable!("{op:?} is no atomic operation on 64 bits"),
    }
}
