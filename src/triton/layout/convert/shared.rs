//! The instructions that take a tile through shared memory, and their addresses.
//!
//! After `transferWithinBlockSwizzling`, `lowerLdStShared` (`lib/Conversion/TritonGPUToLLVM/Utility.cpp`) and
//! `lowerLdStMatrix` (`third_party/nvidia`) of Triton 3.6. An address is an exclusive or of three parts: one of the lane,
//! one of the warp, one of the instruction.

use super::swizzle::{Instruction, Pair};
use super::transposition::{kept_registers, packed_registers};
use crate::triton::layout::gf2::{Span, sum};
use crate::triton::layout::linear::LinearLayout;
use crate::triton::layout::shared_layout::SharedLayout;

/// One instruction: which registers it moves and what it adds to the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// In order of their addresses, or of the registers of the instruction for matrices.
    pub registers: Vec<u32>,
    /// What it adds to the address of the lane and warp by exclusive or.
    pub offset_bytes: u32,
}

/// The stores or the loads of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSide {
    /// What moves the values.
    pub instruction: Instruction,
    /// What each bit of the lane's number adds to the address, in bytes. For matrices: of the row whose address the lane
    /// gives; bits that are missing change nothing.
    pub lanes: Vec<u32>,
    /// What each bit of the warp's number adds to the address, in bytes.
    pub warps: Vec<u32>,
    /// The instructions of each round.
    pub rounds: Vec<Vec<SharedAccess>>,
}

impl SharedSide {
    /// Of what is not in shared memory.
    pub fn none() -> Self {
        SharedSide {
            instruction: Instruction::Plain,
            lanes: Vec::new(),
            warps: Vec::new(),
            rounds: Vec::new(),
        }
    }

    /// Where `access` begins for a lane of a warp, in bytes.
    pub fn offset_bytes(&self, access: &SharedAccess, lane: u32, warp: u32) -> u32 {
        access.offset_bytes ^ sum(&self.lanes, lane) ^ sum(&self.warps, warp)
    }

    /// What `access` moves for a lane, in bytes; a row of a matrix has 16.
    pub fn width_bytes(&self, access: &SharedAccess, element_bytes: u32) -> u32 {
        match self.instruction {
            Instruction::Plain => access.registers.len() as u32 * element_bytes,
            Instruction::Matrix | Instruction::MatrixTransposed => 16,
        }
    }
}

impl SharedSide {
    /// The same as plain accesses of 4 bytes, each of a word of a row of a matrix, which lie in the banks as the
    /// instruction's rows do. What is transposed is so after a load and before a store (`movmatrix`).
    pub fn words(&self, element_bytes: u32) -> SharedSide {
        if self.instruction == Instruction::Plain {
            return self.clone();
        }
        let row = |bit: usize| self.lanes.get(bit).copied().unwrap_or(0);
        // A word of a row, by the lowest two bits of the lane; then the row of 16 bytes, by the other three.
        let lanes = vec![4, 8, row(0), row(1), row(2)];
        self.by_matrices(lanes, (4 / element_bytes) as usize)
    }

    /// Plain accesses of `width` registers with these addresses of lanes, one for each matrix.
    fn by_matrices(&self, lanes: Vec<u32>, width: usize) -> SharedSide {
        // Beyond the three bits of a row come those that choose among the instruction's matrices.
        let offsets = self.lanes.get(3..).unwrap_or(&[]);
        let apart = |access: &SharedAccess| -> Vec<SharedAccess> {
            let parts = access.registers.chunks(width).enumerate();
            let part = parts.map(|(number, registers)| SharedAccess {
                registers: registers.to_vec(),
                offset_bytes: access.offset_bytes ^ sum(offsets, number as u32),
            });
            part.collect()
        };
        let rounds = self.rounds.iter();
        SharedSide {
            instruction: Instruction::Plain,
            lanes,
            warps: self.warps.clone(),
            rounds: rounds
                .map(|round| round.iter().flat_map(apart).collect())
                .collect(),
        }
    }
}

/// A tile written to shared memory in one layout and read in another, in rounds. A barrier stands between the stores and
/// the loads of a round, and one between rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedExchange {
    /// Shared memory that it takes.
    pub bytes: u32,
    /// Bytes of an element there: truth values take one, pointers eight.
    pub element_bytes: u32,
    /// Whether each warp reads only what it wrote, so that `__syncwarp` is barrier enough.
    pub is_within_warps: bool,
    /// Every thread stores, replicas too.
    pub stores: SharedSide,
    /// Loads fill the registers that repeat no other.
    pub loads: SharedSide,
    /// For each register of the result, the loaded register that has its value.
    pub results: Vec<u32>,
}

/// A layout's bits as bits of offsets, the registers with their own numbers.
struct Offsets {
    registers: Vec<(usize, u32)>,
    lanes: Vec<u32>,
    warps: Vec<u32>,
    repetitions: Vec<usize>,
}

impl Offsets {
    /// For memory whose offsets have these bases, the highest `repetitions` of which are bits of the round.
    fn new(layout: &LinearLayout, bases: &[u32], repetitions: usize) -> Self {
        let span = Span::of(bases.iter().copied());
        let offset_bits = bases.len() - repetitions;
        // Offsets are written in the memory's own bases: what a register changes there is found by solving for it.
        let offset = |basis: &u32| span.solve(*basis).unwrap_or_default() as u32;
        let numbered = layout.registers.iter().map(offset).enumerate();
        let mut registers: Vec<(usize, u32)> =
            // A register that changes nothing in memory repeats another.
            numbered.filter(|(_, offset)| *offset != 0).collect();
        let mut rounds = Vec::new();
        for bit in offset_bits..bases.len() {
            if let Some(at) = registers.iter().position(|(_, offset)| *offset == 1 << bit) {
                rounds.push(registers.remove(at).0);
            }
        }
        Offsets {
            registers,
            lanes: layout.lanes.iter().map(offset).collect(),
            warps: layout.warps.iter().map(offset).collect(),
            repetitions: rounds,
        }
    }

    /// Bits of registers that one plain access takes at once: as many as lie side by side, alone in the lowest bits.
    fn vector(&self, most: u32) -> usize {
        let fits = |bits: &usize| {
            let low = (1u32 << bits) - 1;
            let is_there =
                |bit: usize| self.registers.iter().any(|(_, offset)| *offset == 1 << bit);
            let others = self.registers.iter().map(|(_, offset)| offset);
            let rest = others.filter(|offset| !(offset.is_power_of_two() && **offset <= low));
            let mut apart = rest.chain(&self.lanes).chain(&self.warps);
            // Any other bit that reaches into the low offsets would tear the vector apart.
            (0..*bits).all(is_there) && apart.all(|offset| offset & low == 0)
        };
        (0..=most.ilog2() as usize).rev().find(fits).unwrap_or(0)
    }

    /// Whether `instruction` moves the elements of that width: rows of 16 bytes lie in memory as it has them in lanes.
    fn fits(&self, instruction: Instruction, bits: u32) -> bool {
        let (within, lanes) = match instruction {
            Instruction::Plain => return true,
            Instruction::Matrix if bits <= 32 => ((32 / bits).ilog2(), 0..2),
            Instruction::MatrixTransposed if bits == 16 && !self.registers.is_empty() => (0, 2..5),
            _ => return false,
        };
        let row = within + lanes.len() as u32;
        // A row of a matrix is 16 bytes side by side: nothing else may change its offsets' lowest bits.
        let low = (1u32 << row) - 1;
        let in_registers = |bit: u32| self.registers.iter().any(|(_, offset)| *offset == 1 << bit);
        let in_lanes = |(at, lane): (usize, usize)| self.lanes[lane] == 1 << (within as usize + at);
        let others = self.registers.iter().map(|(_, offset)| offset);
        let others = others.filter(|offset| !(offset.is_power_of_two() && **offset < 1 << within));
        let lanes_apart = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(lane, _)| !lanes.contains(lane));
        let mut apart = others
            .chain(lanes_apart.map(|(_, offset)| offset))
            .chain(&self.warps);
        (0..within).all(in_registers)
            && lanes.clone().enumerate().all(in_lanes)
            && apart.all(|offset| offset & low == 0)
    }

    /// With `bits` registers first that lie side by side from the first element on.
    fn side_by_side_first(&mut self, bits: usize) {
        let rank = |offset: u32| {
            if offset < 1 << bits {
                offset.trailing_zeros()
            } else {
                u32::MAX
            }
        };
        self.registers.sort_by_key(|(_, offset)| rank(*offset));
    }

    /// How many bits of registers one `stmatrix` or `ldmatrix` moves, and what each bit of a lane's number adds to the row
    /// that the lane points to. A row's 16 bytes lie in four lanes, so the two lowest bits of a lane's number name no row; of
    /// transposed matrices, these and the values in one register do.
    fn matrix_rows(&self, bits: u32, is_transposed: bool) -> (usize, Vec<u32>) {
        // At most four matrices, 16 bytes of each lane.
        let moved = self.registers.len().min((128 / bits).ilog2() as usize);
        let within = (32 / bits).ilog2() as usize;
        let registers = self.registers[..moved].iter().map(|(_, offset)| *offset);
        let registers: Vec<u32> = registers.collect();
        let rows = match is_transposed {
            // Without transposing, a row's bytes are what a lane's registers and its two lowest bits hold.
            false => [&self.lanes[2..], &registers[within..]].concat(),
            // Transposed, the lanes that lay along a row count rows.
            true => [&registers[..within], &self.lanes[..2], &registers[within..]].concat(),
        };
        (moved, rows)
    }

    /// The instructions of every round, which each move the registers of the first `bits` bits.
    fn rounds(&self, bits: usize, element_bytes: u32) -> Vec<Vec<SharedAccess>> {
        let (within, across) = self.registers.split_at(bits);
        let number = |bits: &[usize], index: usize| {
            let set = bits
                .iter()
                .enumerate()
                .filter(|(at, _)| index >> at & 1 == 1);
            set.fold(0, |register, (_, bit)| register | 1 << bit)
        };
        let bits_of =
            |pairs: &[(usize, u32)]| pairs.iter().map(|(bit, _)| *bit).collect::<Vec<_>>();
        let (within_bits, across_bits) = (bits_of(within), bits_of(across));
        let offsets: Vec<u32> = across.iter().map(|(_, offset)| *offset).collect();
        let rounds = (0..1 << self.repetitions.len()).map(|round| {
            let first: u32 = number(&self.repetitions, round);
            let accesses = (0..1 << across.len()).map(|index| SharedAccess {
                registers: (0..1 << within.len())
                    .map(|at| first | number(&across_bits, index) | number(&within_bits, at))
                    .collect(),
                offset_bytes: sum(&offsets, index as u32) * element_bytes,
            });
            accesses.collect()
        });
        rounds.collect()
    }
}

/// One side of an exchange.
fn side(offsets: Offsets, instruction: Instruction, bits: u32) -> SharedSide {
    side_of_width(offsets, instruction, bits, 128 / bits)
}

/// The same where a plain access has at most `most` elements.
fn side_of_width(
    mut offsets: Offsets,
    instruction: Instruction,
    bits: u32,
    most: u32,
) -> SharedSide {
    let bytes = bits / 8;
    let in_bytes = |offsets: &[u32]| {
        offsets
            .iter()
            .map(|offset| offset * bytes)
            .collect::<Vec<_>>()
    };
    let (moved, lanes) = match instruction {
        Instruction::Plain => {
            let vector = offsets.vector(most);
            offsets.side_by_side_first(vector);
            (vector, in_bytes(&offsets.lanes))
        }
        Instruction::Matrix => {
            // A lane holds 4 bytes of a row side by side.
            offsets.side_by_side_first((32 / bits).ilog2() as usize);
            let (moved, rows) = offsets.matrix_rows(bits, false);
            (moved, in_bytes(&rows))
        }
        Instruction::MatrixTransposed => {
            let (moved, rows) = offsets.matrix_rows(bits, true);
            (moved, in_bytes(&rows))
        }
    };
    SharedSide {
        instruction,
        lanes,
        warps: in_bytes(&offsets.warps),
        rounds: offsets.rounds(moved, bytes),
    }
}

/// The way of a tile of elements of `bits` bits (8 to 64) through shared memory.
pub fn exchange(
    from: &LinearLayout,
    to: &LinearLayout,
    bits: u32,
    is_within_warps: bool,
) -> SharedExchange {
    let (packed_from, packed_to) = (
        from.without_register_replicas(),
        to.without_register_replicas(),
    );
    let pair = Pair {
        from: &packed_from,
        to: &packed_to,
        bits,
    };
    let (swizzle, store, load) = pair.swizzle();
    let bases = swizzle.bases();
    let of = |layout: &LinearLayout| Offsets::new(layout, &bases, swizzle.repetitions.len());
    let unique = kept_registers(to);
    let packed = packed_registers(to);
    SharedExchange {
        bytes: swizzle.elements() * bits / 8,
        element_bytes: bits / 8,
        is_within_warps,
        stores: side(of(from), store, bits),
        loads: side(of(to), load, bits),
        results: packed
            .iter()
            .map(|&number| unique[number as usize])
            .collect(),
    }
}

/// The stores or the loads of a tile that stays in shared memory, of elements of `bits` bits (8 to 64), in one round:
/// `stmatrix` and `ldmatrix` where they fit, else plain ones (`MemoryOpToLLVM.cpp` under `third_party/nvidia`). Registers that
/// repeat others take no part.
pub fn shared_access(layout: &LinearLayout, shared: &SharedLayout, bits: u32) -> SharedSide {
    // No rounds: the tile has shared memory for all of it.
    let offsets = Offsets::new(layout, &shared.linear(&layout.shape), 0);
    let all = [Instruction::Matrix, Instruction::MatrixTransposed];
    let found = all
        .into_iter()
        .find(|instruction| offsets.fits(*instruction, bits));
    side(offsets, found.unwrap_or(Instruction::Plain), bits)
}

/// Asynchronous copies of `width` elements of `bits` bits at most from global memory to a tile in shared memory
/// (`AsyncCopyGlobalToLocalOpConversion` under `third_party/nvidia`).
pub fn copy_access(
    layout: &LinearLayout,
    shared: &SharedLayout,
    bits: u32,
    width: u32,
) -> SharedSide {
    let offsets = Offsets::new(layout, &shared.linear(&layout.shape), 0);
    side_of_width(offsets, Instruction::Plain, bits, width)
}
