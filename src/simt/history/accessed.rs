//! What an access did: from addresses to sectors, lines and banks.

use super::steps::{Cursor, History, RecordedAccess};
use crate::ir::{AccessSite, SHARED_BASE};
use crate::launch::{AccessKind, WARP_LANES};
use crate::memory::{BANKS, GlobalRequest, SECTOR_BYTES, SharedRequest, Wavefront, wavefronts};
use crate::simt::machine::{AddressSpace, address_space};
use crate::simt::warp::set_bits;

/// The memory that an access went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Buffers.
    Global,
    /// The block's shared memory.
    Shared,
    /// Each lane's own.
    Local,
    /// Constants, which lie behind the buffers.
    Constant,
}

/// One access of one warp.
#[derive(Clone, Debug)]
pub struct Accessed<'h> {
    /// The place in the source that made it.
    pub site: &'h AccessSite,
    /// Where it went.
    pub memory: MemoryKind,
    /// Lanes that took part.
    pub active: u32,
    /// The address of each of them; 0 in others.
    pub addresses: [u64; WARP_LANES],
    /// What it cost, in global memory.
    pub global: Option<GlobalRequest>,
    /// What it cost, in shared memory.
    pub shared: Option<SharedRequest>,
}

impl Accessed<'_> {
    /// Addresses of the sectors touched, in order, each with the lanes that touch it.
    pub fn sectors(&self) -> Vec<(u64, u32)> {
        let mut sectors = std::collections::BTreeMap::<u64, u32>::new();
        for lane in set_bits(self.active) {
            let first = self.addresses[lane];
            // An access of 16 bytes may end in another sector than it begins in.
            let last = first + u64::from(self.site.width_bytes) - 1;
            for sector in first / SECTOR_BYTES..=last / SECTOR_BYTES {
                *sectors.entry(sector * SECTOR_BYTES).or_default() |= 1 << lane;
            }
        }
        sectors.into_iter().collect()
    }

    /// For each bank of shared memory: the words (by their offset in bytes) that lanes touch in it,
    /// in order. A bank with several words needs as many wavefronts, if the lanes that touch them
    /// go through the banks together.
    pub fn banks(&self) -> [Vec<u32>; BANKS] {
        let mut banks: [Vec<u32>; BANKS] = std::array::from_fn(|_| Vec::new());
        for lane in set_bits(self.active) {
            let offset = self.addresses[lane].wrapping_sub(SHARED_BASE) as u32;
            for word in 0..self.site.words() {
                let word = offset / 4 + word;
                let bank = &mut banks[word as usize % BANKS];
                // Lanes that read the same word share a pass: only different words of a bank conflict.
                if let Err(at) = bank.binary_search(&(word * 4)) {
                    bank.insert(at, word * 4);
                }
            }
        }
        banks
    }

    /// The passes through the banks that it took; none outside shared memory.
    pub fn wavefronts(&self) -> Vec<Wavefront> {
        if self.memory != MemoryKind::Shared {
            return Vec::new();
        }
        let offsets = self.addresses.map(|address| address as u32);
        wavefronts(&offsets, self.active, self.site.width_bytes, self.site.kind)
    }
}

impl History {
    /// The accesses of the cursor's step, in order.
    pub fn accesses(&self, cursor: Cursor) -> Vec<Accessed<'_>> {
        let accesses = self.accesses_of(self.index(cursor)).iter();
        accesses.map(|access| self.accessed(access)).collect()
    }

    /// The memories that the cursor's step accesses, in order of its accesses; without accesses that stand
    /// for some of another statement.
    pub fn memories(&self, cursor: Cursor) -> impl Iterator<Item = MemoryKind> {
        self.own_accesses(cursor)
            .map(|(access, _)| self.memory_of(access))
    }

    /// The lanes that load in the cursor's step, and those that store; without accesses that stand for some of another
    /// statement.
    pub fn accessing(&self, cursor: Cursor) -> (u32, u32) {
        let accesses = self.own_accesses(cursor);
        accesses.fold((0, 0), |(loads, stores), (access, site)| match site.kind {
            AccessKind::Load => (loads | access.active, stores),
            AccessKind::Store => (loads, stores | access.active),
        })
    }

    /// The accesses of the cursor's step with their sites, without those that stand for some of another statement.
    fn own_accesses(&self, cursor: Cursor) -> impl Iterator<Item = (&RecordedAccess, &AccessSite)> {
        let accesses = self.accesses_of(self.index(cursor)).iter();
        let placed = accesses.map(|access| (access, &self.kernel.sites[access.site as usize]));
        placed.filter(|(_, site)| !site.is_extra())
    }

    fn memory_of(&self, access: &RecordedAccess) -> MemoryKind {
        let lane = access.active.trailing_zeros() as usize % WARP_LANES;
        // One lane will do: an access of several memories is a fault.
        let first = self.pool.address(access.addresses, lane);
        match address_space(first) {
            AddressSpace::Shared => MemoryKind::Shared,
            AddressSpace::Local => MemoryKind::Local,
            AddressSpace::Global if self.constants.contains(&first) => MemoryKind::Constant,
            AddressSpace::Global | AddressSpace::Unmapped => MemoryKind::Global,
        }
    }

    fn accessed(&self, access: &RecordedAccess) -> Accessed<'_> {
        let site = &self.kernel.sites[access.site as usize];
        let mut addresses = [0; WARP_LANES];
        for lane in set_bits(access.active) {
            addresses[lane] = self.pool.address(access.addresses, lane);
        }
        let memory = self.memory_of(access);
        let (active, width) = (access.active, site.width_bytes);
        let global = (memory == MemoryKind::Global).then(|| {
            // One lane speaks for all: see `AccessSite::one_lane`.
            let first = active & active.wrapping_neg();
            let going = if site.one_lane { first } else { active };
            match site.is_atomic {
                true => GlobalRequest::of_atomic(&addresses, going, u64::from(width)),
                false => site.request(
                    GlobalRequest::of(&addresses, active, u64::from(width)),
                    active,
                ),
            }
        });
        let shared = (memory == MemoryKind::Shared).then(|| {
            let offsets = addresses.map(|address| address as u32);
            SharedRequest::of(&offsets, active, width, site.kind)
        });
        Accessed {
            site,
            memory,
            active,
            addresses,
            global,
            shared,
        }
    }

    /// Whether an access touches a byte of `bytes`.
    pub(super) fn touches(&self, access: &RecordedAccess, bytes: &std::ops::Range<u64>) -> bool {
        let width = u64::from(self.kernel.sites[access.site as usize].width_bytes);
        set_bits(access.active).any(|lane| {
            let first = self.pool.address(access.addresses, lane);
            first < bytes.end && bytes.start < first.saturating_add(width)
        })
    }
}
