//! Who looks on while a machine runs: traces, histories, checks, and legal orders of warps.
//!
//! The machine calls an [`Observer`] at a few points and shows it a [`Moment`], through which all
//! of the block can be read and nothing changed: an observer never changes a count or a result.
//! For [`Nobody`] the calls compile to nothing. While somebody looks, the machine takes the
//! kernel's own instructions one at a time, in one warp at a time.

use super::address::{AddressSpace, Addresses, address_space, fill};
use super::state::Machine;
use crate::ir::{AccessSite, Instruction, LOCAL_BASE, Op, Operand, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::simt::fault::WarpPlace;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::program::Program;
use crate::simt::warp::{Lanes, Vector};

/// Sees what a machine does. What is not overridden does nothing.
pub trait Observer {
    /// Whether it looks at anything; the machine may take a faster way for one that does not.
    const OBSERVES: bool = true;

    /// A block is about to begin.
    fn begin(&mut self, _block: &Moment<'_, '_>) {}

    /// The order in which the warps that can run take their turns until the next barrier.
    fn order(&mut self, _warps: &mut [usize]) {}

    /// Whether it reads registers and local memory that no warp has written yet: they are cleared then.
    fn reads_all(&self) -> bool {
        true
    }

    /// Whether it wants to see the instruction at `pc`, or may interrupt a warp before it. It may be shown others too.
    fn wants(&self, _pc: usize) -> bool {
        true
    }

    /// Whether it neither wants to see nor may interrupt anything that warps do from `pc` on, where a block begins or a
    /// barrier ends, up to the next barrier; that barrier it may want to see.
    fn is_quiet_from(&self, _pc: usize) -> bool {
        false
    }

    /// Whether the warp's turn is interrupted before the instruction at `pc`, which is not the first of the turn.
    fn interrupts(&mut self, _pc: usize) -> bool {
        false
    }

    /// An instruction is about to run, maybe with no active lane.
    fn before(&mut self, _moment: &Moment<'_, '_>) {}

    /// The warp's turn is over: it has ended, waits at a barrier, was interrupted, or faulted at
    /// the moment's instruction.
    fn pause(&mut self, _moment: &Moment<'_, '_>) {}

    /// All warps have reached a barrier or ended.
    fn barrier(&mut self, _block: &Moment<'_, '_>) {}
}

/// Nobody looks.
pub struct Nobody;

impl Observer for Nobody {
    const OBSERVES: bool = false;
}

/// What an observer sees: the block as it is before the instruction at `pc`.
pub struct Moment<'m, 'a> {
    machine: &'m Machine<'a>,
    /// The instruction's index.
    pub pc: usize,
}

impl<'m, 'a> Moment<'m, 'a> {
    /// The machine before instruction `pc` of its current warp.
    pub fn new(machine: &'m Machine<'a>, pc: usize) -> Self {
        Moment { machine, pc }
    }

    /// What is the same for all blocks.
    pub fn program(&self) -> &'a Program<'a> {
        self.machine.program
    }

    /// The instruction.
    pub fn instruction(&self) -> Instruction {
        self.program().kernel.code[self.pc]
    }

    /// The place in the source that the instruction accesses memory from, if it does.
    pub fn site(&self) -> Option<&'a AccessSite> {
        let i = self.instruction();
        // Otherwise `imm` is something else: a target, a constant, a number of lanes.
        let accesses = i.op.operands().contains(&Operand::Site);
        accesses.then(|| &self.program().kernel.sites[i.imm as usize])
    }

    /// Registers of the block, with the current warp and its active lanes.
    pub fn lanes(&self) -> &'m Lanes<'a> {
        &self.machine.lanes
    }

    /// The current warp.
    pub fn warp(&self) -> usize {
        self.machine.lanes.warp
    }

    /// Lanes that execute the instruction.
    pub fn active(&self) -> u32 {
        self.machine.lanes.active()
    }

    /// The block's place in the grid, in order, x fastest.
    pub fn block_index(&self) -> u64 {
        self.machine
            .program
            .geometry
            .index_of(self.machine.lanes.block)
    }

    /// Block and warp, for messages.
    pub fn place(&self) -> WarpPlace<'a> {
        self.machine.place()
    }

    /// Shared memory of the block, in words.
    pub fn shared(&self) -> &'m [u32] {
        &self.machine.shared
    }

    /// Local memory of the block: word by word, in each warp by warp.
    pub fn locals(&self) -> &'m [Vector] {
        &self.machine.local.words
    }

    /// A word of the current warp's local memory, in each lane.
    pub fn local(&self, word: usize) -> Option<&'m Vector> {
        let warps = self.program().geometry.warps();
        self.locals().get(word * warps + self.warp())
    }

    /// Global memory.
    pub fn memory(&self) -> &'a GlobalMemory {
        self.machine.memory
    }

    /// The address that each lane accesses, in any memory; meaningful where the lane is active and
    /// the instruction accesses memory.
    pub fn addresses(&self, site: &AccessSite) -> Addresses {
        let i = self.instruction();
        let mut addresses = [0; WARP_LANES];
        fill(self.lanes(), i, site, &mut addresses);
        // Instructions of one space hold offsets in it; observers see the addresses that generic
        // pointers would have.
        let base = match i.op {
            Op::LoadShared | Op::StoreShared => SHARED_BASE,
            Op::LoadLocal | Op::StoreLocal => LOCAL_BASE,
            _ => 0,
        };
        addresses.map(|address| address.wrapping_add(base))
    }

    /// The word that holds the byte at `address`, as `lane` of the current warp sees it.
    pub fn word_at(&self, address: u64, lane: usize) -> Option<u32> {
        match address_space(address) {
            AddressSpace::Global => self.memory().word_at(address),
            AddressSpace::Shared => {
                let word = (address - SHARED_BASE) / 4;
                self.shared().get(word as usize).copied()
            }
            AddressSpace::Local => {
                let word = (address - LOCAL_BASE) / 4;
                self.local(word as usize).map(|lanes| lanes[lane])
            }
            AddressSpace::Unmapped => None,
        }
    }
}
