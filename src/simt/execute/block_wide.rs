//! Instructions that look beyond registers and memory: clocks, prints, launches, faults of the kernel's own,
//! and barriers at which a block puts a predicate together.

use super::print::print;
use crate::ir::{Instruction, LOCAL_BASE, LaunchSite, Op, Register, SHARED_BASE};
use crate::launch::WARP_LANES;
use crate::simt::fault;
use crate::simt::launch::ChildLaunch;
use crate::simt::machine::{AddressSpace, Machine, NUMBERED_BARRIERS, address_space};
use crate::simt::warp::{Lanes, set_bits};
use crate::source::Diagnostic;

/// What one warp instruction takes in `clock64`'s model.
///
/// The model: a block's warps take turns on one scheduler, each instruction of any of them takes
/// this many cycles (the latency of dependent arithmetic on NVIDIA's GPUs since Volta, by Jia et
/// al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018), and nothing
/// waits for memory. Differences tell how many instructions were executed, not how long they took.
const CYCLES_PER_INSTRUCTION: u64 = 4;

/// What one lane launches.
fn child_launch(lanes: &Lanes<'_>, i: Instruction, site: &LaunchSite, lane: usize) -> ChildLaunch {
    let word = |at: u32| lanes.get(i.a + at as Register)[lane];
    let wide = |at: u32| u64::from(word(at)) | u64::from(word(at + 1)) << 32;
    let mut arguments = Vec::new();
    let mut at = LaunchSite::SHAPE_WORDS;
    for argument in &site.arguments {
        let (begin, size) = (argument.offset_bytes as usize, argument.size_bytes as usize);
        // Padding between parameters is zero.
        arguments.resize(arguments.len().max(begin + size), 0);
        // A part stands in whole registers, and has so many of their bytes.
        for bytes in arguments[begin..begin + size].chunks_mut(4) {
            bytes.copy_from_slice(&word(at).to_le_bytes()[..bytes.len()]);
            at += 1;
        }
    }
    ChildLaunch {
        kernel: site.kernel,
        grid: [0, 1, 2].map(word),
        block: [3, 4, 5].map(word),
        shared_bytes: wide(6),
        stream: wide(8),
        arguments,
        span: site.span,
    }
}

impl Machine<'_> {
    /// Carries out an instruction of this kind by at least one lane.
    pub(crate) fn block_wide(&mut self, i: Instruction, pc: usize) -> Result<(), Box<Diagnostic>> {
        // The barrier itself has gathered them; these instructions stand behind it.
        let opened = self.votes.opened;
        let span = self.program.span_at(pc);
        let uniform = |value: bool| [u32::from(value); WARP_LANES];
        match i.op {
            Op::Clock => {
                let cycles = self.lease.taken_in_block() * CYCLES_PER_INSTRUCTION;
                let (low, high) = (cycles as u32, (cycles >> 32) as u32);
                self.lanes
                    .set_pair(i.dst, ([low; WARP_LANES], [high; WARP_LANES]));
            }
            Op::Print => self.print_lanes(i),
            Op::Launch => {
                let site = &self.program.kernel.tables.launches[i.imm as usize];
                let lanes = set_bits(self.lanes.active());
                let all = lanes.map(|lane| child_launch(&self.lanes, i, site, lane));
                self.output.launches.extend(all);
            }
            Op::Texture | Op::SurfaceLoad | Op::SurfaceStore => return self.texture(i, span),
            Op::Fault => {
                let trap = &self.program.kernel.tables.traps[i.imm as usize];
                let fault = fault::trap(trap, self.lanes.active(), self.place());
                return Err(Box::new(fault));
            }
            Op::BarrierCount => self.lanes.set(i.dst, [opened.yes; WARP_LANES]),
            Op::BarrierAnd => self.lanes.set(i.dst, uniform(opened.yes == opened.all)),
            Op::BarrierOr => self.lanes.set(i.dst, uniform(opened.yes > 0)),
            Op::BarrierArrive | Op::BarrierOpened => self.numbered_barrier(i),
            op => unreachable!("{op:?} does not concern a block"),
        }
        Ok(())
    }

    /// A warp comes to a barrier by its number, or asks whether that has opened.
    fn numbered_barrier(&mut self, i: Instruction) {
        let active = self.lanes.active();
        // PTX ISA manual, "bar": all threads of a warp name the same barrier.
        let asked = self.lanes.get(i.a)[active.trailing_zeros() as usize % WARP_LANES];
        let barrier = &mut self.votes.numbered[asked as usize % NUMBERED_BARRIERS];
        let asked = asked / NUMBERED_BARRIERS as u32;
        let answer = match i.op {
            Op::BarrierArrive => barrier.arrive(active.count_ones(), asked),
            _ => u32::from(barrier.has_opened_since(asked)),
        };
        self.lanes.set(i.dst, [answer; WARP_LANES]);
    }

    /// The byte at an address, as a lane sees it; nothing outside of all memories. Counts as no access.
    fn byte_at(&self, lane: usize, address: u64) -> Option<u8> {
        let within = |words: Option<u32>| words.map(|w| w.to_le_bytes()[(address % 4) as usize]);
        match address_space(address) {
            AddressSpace::Global => {
                let mut byte = [0];
                self.memory.read(address, &mut byte).then_some(byte[0])
            }
            AddressSpace::Shared => {
                let word = (address - SHARED_BASE) / 4;
                within(self.shared.get(word as usize).copied())
            }
            AddressSpace::Local => {
                let row = (address - LOCAL_BASE) / 4;
                let warps = self.program.geometry.warps() as u64;
                let word = row * warps + self.lanes.warp as u64;
                within(self.local.words.get(word as usize).map(|lanes| lanes[lane]))
            }
            AddressSpace::Unmapped => None,
        }
    }

    /// Appends what the lanes of a `printf` print, in the order of lanes.
    fn print_lanes(&mut self, i: Instruction) {
        // Taken out meanwhile: the strings that it prints are read through the whole machine.
        let mut printed = std::mem::take(&mut self.output.printed);
        let site = &self.program.kernel.tables.prints[i.imm as usize];
        let texts = |lane, address| self.byte_at(lane, address);
        printed.print(self.lanes.warp, |text| {
            print(&self.lanes, i, site, texts, text)
        });
        self.output.printed = printed;
    }

    /// Takes the predicates of the warp that reaches a `barrier.vote`.
    pub(crate) fn vote_at_barrier(&mut self, i: Instruction) {
        let active = self.lanes.active();
        let yes = self.lanes.nonzero(i.a) & active;
        self.votes.bring(yes.count_ones(), active.count_ones());
    }
}
