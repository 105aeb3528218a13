//! The arrangement of a tile in shared memory on its way from one layout into another.
//!
//! After `lib/Tools/GenericSwizzling.cpp` of Triton 3.6. An element's offset has, from the lowest bit: `vector`, what one
//! access takes at once; `bank`, what fills the 32 banks; `segment`, the rest. Each bit has a basis, as in a linear layout.
//! Of the pairs of instructions (plain accesses of 16 bytes, `stmatrix` and `ldmatrix`, these transposed), that with the
//! fewest bank conflicts is taken; where none fits, narrower plain accesses.

use super::correspondence::Correspondence;
use crate::triton::layout::gf2::Span;
use crate::triton::layout::linear::LinearLayout;

/// Bits of one row of all banks.
const BANK_ROW_BITS: u32 = 32 * 32;
/// The widest access of a thread.
const WIDEST_BITS: u32 = 128;

/// An instruction that moves values between registers and shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// `st.shared` and `ld.shared`.
    Plain,
    /// `stmatrix` and `ldmatrix`.
    Matrix,
    /// `stmatrix.trans` and `ldmatrix.trans`.
    MatrixTransposed,
}

impl Instruction {
    /// Those that move elements of that width.
    fn all(bits: u32) -> Vec<Instruction> {
        let mut all = vec![Instruction::Plain];
        // `stmatrix` and `ldmatrix` move registers of 32 bits.
        if bits <= 32 {
            all.push(Instruction::Matrix);
        }
        // Transposed they take two bits of 16 apart: no other width keeps its elements whole.
        if bits == 16 {
            all.push(Instruction::MatrixTransposed);
        }
        all
    }

    /// Bits of the lane's number that lie within 16 contiguous bytes.
    fn contiguous_lanes(self) -> &'static [usize] {
        match self {
            Instruction::Plain => &[],
            Instruction::Matrix => &[0, 1],
            Instruction::MatrixTransposed => &[2, 3, 4],
        }
    }

    /// Bits of the lane's number that tell apart the addresses that go through the banks together.
    fn address_lanes(self) -> &'static [usize] {
        match self {
            Instruction::Plain => &[0, 1, 2],
            Instruction::Matrix => &[2, 3, 4],
            Instruction::MatrixTransposed => &[0, 1],
        }
    }

    /// Bits of registers that make one instruction move four matrices.
    fn spare_registers(self) -> usize {
        self.contiguous_lanes().len() + self.address_lanes().len() - 3
    }
}

/// A tile in shared memory: the element of each bit of an offset, counted in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swizzle {
    /// Lowest bits: what one access takes.
    pub vector: Vec<u32>,
    /// Next bits: across the banks.
    pub bank: Vec<u32>,
    /// Highest bits.
    pub segment: Vec<u32>,
    /// What is moved in turn, each turn over the same memory: registers in both layouts.
    pub repetitions: Vec<u32>,
}

impl Swizzle {
    /// Elements in memory at a time.
    pub fn elements(&self) -> u32 {
        1 << (self.vector.len() + self.bank.len() + self.segment.len())
    }

    /// All bases, from the lowest bit of an offset on; the repetitions stand above.
    pub fn bases(&self) -> Vec<u32> {
        [
            &self.vector[..],
            &self.bank,
            &self.segment,
            &self.repetitions,
        ]
        .concat()
    }
}

/// Two layouts of one tile of elements of one width, no register of which repeats another.
pub struct Pair<'a> {
    /// Where values are.
    pub from: &'a LinearLayout,
    /// Where they are wanted.
    pub to: &'a LinearLayout,
    /// Bits of an element, at least 8.
    pub bits: u32,
}

/// What the instructions of both sides touch at once.
struct Tile {
    vector: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    spare: usize,
}

/// The bases in both `these` and `those`, in the order of `these`.
fn in_both(these: &[u32], those: &[u32]) -> Vec<u32> {
    let both = these
        .iter()
        .filter(|basis| **basis != 0 && those.contains(basis));
    both.copied().collect()
}

/// The bases of `these` that are not among `those`.
fn without(these: &[u32], those: &[u32]) -> Vec<u32> {
    these
        .iter()
        .filter(|basis| !those.contains(basis))
        .copied()
        .collect()
}

impl Pair<'_> {
    /// Bits of an element's number.
    fn rank(&self) -> usize {
        self.from.elements().ilog2() as usize
    }

    /// The arrangement, and the instructions that write and read it.
    pub fn swizzle(&self) -> (Swizzle, Instruction, Instruction) {
        let mut best: Option<(u32, Swizzle, Instruction, Instruction)> = None;
        for store in Instruction::all(self.bits) {
            for load in Instruction::all(self.bits) {
                let Some(tile) = self.tile(store, load) else {
                    continue;
                };
                let swizzle = self.arrange(&tile);
                // Addresses that differ in a segment's bit alone fall into the same bank: each such bit doubles the
                // time.
                let conflicts = |lanes: &[u32]| 1 << in_both(&swizzle.segment, lanes).len();
                let cost = conflicts(&tile.from) + conflicts(&tile.to);
                let better = best.as_ref().is_none_or(|(least, known, ..)| {
                    // Of equals the one with more repetitions, which needs less memory at a time.
                    cost < *least
                        || cost == *least && swizzle.repetitions.len() > known.repetitions.len()
                });
                if better {
                    best = Some((cost, swizzle, store, load));
                }
            }
        }
        match best {
            Some((_, swizzle, store, load)) => (swizzle, store, load),
            None => (self.plain(), Instruction::Plain, Instruction::Plain),
        }
    }

    /// What `store` and `load` touch at once, where 16 bytes of both are the same elements.
    fn tile(&self, store: Instruction, load: Instruction) -> Option<Tile> {
        let vector = if store.contiguous_lanes().len() <= load.contiguous_lanes().len() {
            self.common_vector(self.from, store, self.to, load)?
        } else {
            self.common_vector(self.to, load, self.from, store)?
        };
        let addresses = |layout: &LinearLayout, instruction: Instruction| {
            let needed = 3 - instruction.address_lanes().len();
            let mut tile = without(&layout.registers, &vector);
            tile.truncate(needed);
            let lanes = instruction
                .address_lanes()
                .iter()
                .map(|&lane| layout.lanes[lane]);
            (tile.len() == needed).then(|| tile.iter().copied().chain(lanes).collect::<Vec<_>>())
        };
        Some(Tile {
            from: addresses(self.from, store)?,
            to: addresses(self.to, load)?,
            spare: store.spare_registers().min(load.spare_registers()),
            vector,
        })
    }

    /// The bases of 16 bytes for an instruction on `a` that takes at least as many of them from registers as one on `b`.
    fn common_vector(
        &self,
        a: &LinearLayout,
        on_a: Instruction,
        b: &LinearLayout,
        on_b: Instruction,
    ) -> Option<Vec<u32>> {
        let total = (WIDEST_BITS / self.bits).ilog2() as usize;
        let (lanes_a, lanes_b) = (on_a.contiguous_lanes(), on_b.contiguous_lanes());
        let from_registers_b = total.checked_sub(lanes_b.len())?;
        let more = lanes_b.len() - lanes_a.len();
        let mut vector = in_both(&a.registers, &b.registers);
        if vector.len() < from_registers_b {
            return None;
        }
        vector.truncate(from_registers_b);
        // A lane that repeats another's element has no place of its own in the row of a matrix.
        let is_empty = |layout: &LinearLayout, lanes: &[usize]| {
            lanes.iter().any(|&lane| layout.lanes[lane] == 0)
        };
        if is_empty(a, lanes_a) || is_empty(b, lanes_b) {
            return None;
        }
        let places = Correspondence::new(a, b).lanes;
        let in_registers = lanes_b[..more]
            .iter()
            .all(|&lane| places[lane].register != 0);
        let mut pairs = lanes_a.iter().zip(&lanes_b[more..]);
        let in_lanes = pairs.all(|(&lane_a, &lane_b)| places[lane_b].lane == 1 << lane_a);
        vector.extend(lanes_b.iter().map(|&lane| b.lanes[lane]));
        (in_registers && in_lanes).then_some(vector)
    }

    /// The arrangement with the fewest bank conflicts for `tile`.
    fn arrange(&self, tile: &Tile) -> Swizzle {
        let rank = self.rank();
        let vector = tile.vector.clone();
        let across = (BANK_ROW_BITS / ((1 << vector.len()) * self.bits)).ilog2() as usize;
        let bank_length = across.min(rank - vector.len());
        let from = [&vector[..], &tile.from].concat();
        let to = [&vector[..], &tile.to].concat();
        let segment = segment(&from, &to, rank, rank - bank_length - vector.len());
        let used = Span::of(vector.iter().chain(&segment).copied());
        // Whatever completes the basis: every element has to have an offset of its own.
        let bank = (0..rank)
            .map(|bit| 1 << bit)
            .filter(|&basis| used.is_free(basis))
            .collect();
        let in_registers = in_both(&segment, &in_both(&self.from.registers, &self.to.registers));
        let repetitions = in_registers
            .into_iter()
            // Those that an instruction of four matrices moves at once cannot be moved in turn.
            .skip(tile.spare)
            .collect::<Vec<_>>();
        Swizzle {
            segment: without(&segment, &repetitions),
            vector,
            bank,
            repetitions,
        }
    }

    /// The arrangement for plain accesses of fewer than 16 bytes on one side at least (`optimalSwizzlingLdSt`).
    fn plain(&self) -> Swizzle {
        let mut vector = in_both(&self.from.registers, &self.to.registers);
        vector.truncate((WIDEST_BITS / self.bits).ilog2() as usize);
        let mut by_source = None;
        // Bytes and halves by themselves leave half of a bank or more unused at each access.
        if (self.bits << vector.len()) < 32 {
            by_source = self.fill_bank(&mut vector);
        }
        // An access of 8 or 16 bytes goes through the banks in halves or quarters of a warp: its highest lanes never
        // meet the others.
        let words = ((self.bits << vector.len()) / 32).max(1).ilog2() as usize;
        let lanes = |lanes: &[u32]| lanes[..lanes.len() - words].to_vec();
        let mut swizzle = self.arrange(&Tile {
            from: lanes(&self.from.lanes),
            to: lanes(&self.to.lanes),
            spare: 0,
            vector,
        });
        if words < 2 {
            let first = |layout: &LinearLayout| in_both(&swizzle.bank, &layout.registers);
            let (from, to) = (first(self.from), first(self.to));
            let first = if by_source.unwrap_or(from.len() > to.len()) {
                from
            } else {
                to
            };
            swizzle.bank = [&first[..], &without(&swizzle.bank, &first)].concat();
        }
        swizzle
    }

    /// Completes `vector` to the 32 bits of a bank. Whether that serves the source, where that is known.
    fn fill_bank(&self, vector: &mut Vec<u32>) -> Option<bool> {
        let per_bank = (32 / self.bits).ilog2() as usize;
        let nonzero = |bases: &[u32]| without(bases, &[0]);
        let (warps_from, warps_to) = (nonzero(&self.from.warps), nonzero(&self.to.warps));
        let of_from = in_both(&without(&self.from.registers, vector), &warps_to);
        let of_to = in_both(&without(&self.to.registers, vector), &warps_from);
        let by_source = if of_from.len() == of_to.len() && !of_from.is_empty() {
            of_from.iter().min() < of_to.iter().min()
        } else {
            of_from.len() > of_to.len()
        };
        vector.extend(if by_source { of_from } else { of_to });
        if vector.len() < per_bank {
            vector.extend(in_both(&warps_from, &warps_to));
        }
        for at in 0..warps_from.len().max(warps_to.len()) {
            for basis in [warps_from.get(at), warps_to.get(at)].into_iter().flatten() {
                if vector.len() < per_bank && !vector.contains(basis) {
                    vector.push(*basis);
                }
            }
        }
        vector.truncate(per_bank);
        Some(by_source)
    }
}

/// The highest bits of an offset, `length` of them: bases that neither side's addresses need, then sums of one that the
/// stores need and one that the loads need, and only then bases at which one side waits (`computeSegment`).
fn segment(from: &[u32], to: &[u32], rank: usize, length: usize) -> Vec<u32> {
    let free = |basis: &u32| !from.contains(basis) && !to.contains(basis);
    let mut segment: Vec<u32> = (0..rank).map(|bit| 1 << bit).filter(free).collect();
    if segment.len() < length {
        let only = |these: &[u32], those: &[u32]| {
            let mut only = without(&without(these, those), &[0]);
            only.sort_unstable();
            only.dedup();
            only
        };
        let (mut fewer, mut more) = (only(from, to), only(to, from));
        if fewer.len() > more.len() {
            std::mem::swap(&mut fewer, &mut more);
        }
        // A sum of one basis of each side is a conflict for neither, so those are used up first.
        let missing = length.saturating_sub(fewer.len() + segment.len());
        let waiting = missing.min(fewer.len());
        let pairs = fewer.iter().zip(&more).skip(waiting);
        segment.extend(pairs.map(|(a, b)| a ^ b));
        segment.extend(&fewer[..waiting]);
        segment.extend(&more[..waiting]);
    }
    segment.truncate(length);
    segment
}
