//! A change of layout within each warp, as moves of registers, one permutation of lanes and exchanges between lanes.
//!
//! After `getWarpLayoutConvertDecomposition` (`lib/Analysis/Utility.cpp` of Triton 3.6): the change permutes the bits of
//! (register, lane). Its cycles are cut so that each piece moves only bits of registers, only bits of lanes, or swaps one
//! of either kind.

use super::correspondence::Correspondence;
use crate::triton::layout::linear::{LinearLayout, Place};

/// Lanes with and without a bit swap half of their registers: those with and without another bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneExchange {
    /// The bit of the lane's number: partners lie `1 << lane_bit` apart.
    pub lane_bit: u32,
    /// The bit of the register's number: the lower lane gives the register with the bit and takes the partner's without.
    pub register_bit: u32,
}

/// What to do, in this order. Triton joins the last two steps into one shuffle where there are both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shuffles {
    /// The register of the source for each value that takes part.
    pub sources: Vec<u32>,
    /// For each bit of the lane's number, what it adds (exclusive or) to the lane that a value comes from, if not itself.
    pub lanes: Option<Vec<u32>>,
    /// An exchange between lanes, by one shuffle for every two values.
    pub exchange: Option<LaneExchange>,
    /// The value for each register of the result.
    pub results: Vec<u32>,
}

impl Shuffles {
    /// Shuffles of each warp, one value each. Triton packs values of 16 and 8 bits where it can.
    pub fn count(&self) -> usize {
        let values = self.sources.len();
        match (&self.lanes, self.exchange) {
            (Some(_), _) => values,
            (None, Some(_)) => values / 2,
            (None, None) => 0,
        }
    }
}

/// The pieces of a permutation of bits.
#[derive(Debug)]
pub struct Decomposition {
    /// Where each bit of a register's number goes.
    registers: Vec<usize>,
    /// Where each bit of a lane's number goes, after that.
    lanes: Vec<usize>,
    /// Then these bits of registers and lanes swap.
    pub mixed: Vec<(usize, usize)>,
}

/// Bits of (register, lane) as one sequence, and where each goes.
struct Permutation {
    registers: usize,
    next: Vec<usize>,
}

/// The layout of one warp, with so many bits of registers.
fn padded(layout: &LinearLayout, registers: usize) -> LinearLayout {
    let mut layout = layout.clone();
    // A permutation has as many bits on one side as on the other; an added one changes no element.
    layout.registers.resize(registers, 0);
    layout.warps.clear();
    layout
}

/// Which bits of (register, lane) change no element.
fn empty_bits(layout: &LinearLayout) -> Vec<bool> {
    let bases = layout.registers.iter().chain(&layout.lanes);
    bases.map(|&basis| basis == 0).collect()
}

/// Sends bits that change no element of the source where none of the result's does: a permutation has to send each
/// somewhere, and one that stays costs nothing.
fn place_empty(next: &mut [Option<usize>], from: &[bool], to: &[bool]) {
    for at in 0..next.len() {
        if from[at] && to[at] {
            next[at] = Some(at);
        }
    }
    let leaving = (0..next.len()).filter(|&at| from[at] && !to[at]);
    let free = (0..next.len()).filter(|&at| to[at] && !from[at]);
    for (at, to) in leaving.zip(free) {
        next[at] = Some(to);
    }
}

impl Permutation {
    /// From `from` to `to`, both without replicas in registers.
    fn new(from: &LinearLayout, to: &LinearLayout) -> Self {
        let registers = from.registers.len().max(to.registers.len());
        let (from, to) = (padded(from, registers), padded(to, registers));
        let found = Correspondence::new(&to, &from);
        let bit = |place: &Place| match place.register {
            0 if place.lane != 0 => Some(registers + place.lane.trailing_zeros() as usize),
            0 => None,
            register => Some(register.trailing_zeros() as usize),
        };
        let mut next: Vec<Option<usize>> = found
            .registers
            .iter()
            .chain(&found.lanes)
            .map(bit)
            .collect();
        place_empty(&mut next, &empty_bits(&from), &empty_bits(&to));
        Permutation {
            registers,
            next: next
                .into_iter()
                .enumerate()
                .map(|(at, to)| to.unwrap_or(at))
                .collect(),
        }
    }

    /// Cuts the cycles: `(… r l … k s …)` becomes `(… r s …)`, `(l … k)` and the swap of `s` and `l`.
    fn decompose(&self) -> Decomposition {
        let lanes = self.next.len() - self.registers;
        let mut pieces = Decomposition {
            registers: (0..self.registers).collect(),
            lanes: (0..lanes).collect(),
            mixed: Vec::new(),
        };
        let mut visited = vec![false; self.next.len()];
        for entry in 0..self.next.len() {
            let mut current = entry;
            let mut into_lanes = None;
            while !visited[current] {
                visited[current] = true;
                let next = self.next[current];
                match (current < self.registers, next < self.registers) {
                    (true, true) => pieces.registers[current] = next,
                    (false, false) => {
                        pieces.lanes[current - self.registers] = next - self.registers
                    }
                    // The cycle leaves registers here and comes back from some lane: both ends become one swap.
                    (true, false) => into_lanes = Some((current, next - self.registers)),
                    (false, true) => {
                        // A cycle begins at its register of the lowest number, so lanes are entered before they are left.
                        if let Some((register, lane)) = into_lanes.take() {
                            pieces.registers[register] = next;
                            pieces.lanes[current - self.registers] = lane;
                            pieces.mixed.push((next, lane));
                        }
                    }
                }
                current = next;
            }
        }
        pieces
    }
}

/// How the bits of (register, lane) change from `from` to `to`, replicas in registers left out.
pub fn decompose(from: &LinearLayout, to: &LinearLayout) -> Decomposition {
    Permutation::new(
        &from.without_register_replicas(),
        &to.without_register_replicas(),
    )
    .decompose()
}

/// The shuffles of a change with at most one swap.
pub fn shuffles(from: &LinearLayout, to: &LinearLayout) -> Shuffles {
    let pieces = decompose(from, to);
    let moved = |index: usize, bits: &[usize]| {
        let set = (0..bits.len()).filter(|bit| index >> bit & 1 == 1);
        set.fold(0, |to, bit| to | 1 << bits[bit])
    };
    let unique = kept_registers(from);
    let mut sources = vec![0; 1 << pieces.registers.len()];
    for value in 0..sources.len() {
        sources[moved(value, &pieces.registers)] = unique[value % unique.len()];
    }
    let mut back = vec![0; pieces.lanes.len()];
    for (bit, &to) in pieces.lanes.iter().enumerate() {
        // A shuffle names the lane that it takes from, so the permutation is turned round.
        back[to] = 1 << bit;
    }
    let is_moved = pieces.lanes.iter().enumerate().any(|(bit, &to)| bit != to);
    Shuffles {
        sources,
        lanes: is_moved.then_some(back),
        exchange: pieces.mixed.first().map(|&(register, lane)| LaneExchange {
            lane_bit: lane as u32,
            register_bit: register as u32,
        }),
        results: packed_registers(to),
    }
}

/// The registers that repeat no lower one.
pub fn kept_registers(layout: &LinearLayout) -> Vec<u32> {
    let repeating = repeating_bits(layout);
    (0..layout.registers())
        .filter(|register| register & repeating == 0)
        .collect()
}

/// For each register, its number among those that repeat no lower one, or the number of that which it repeats.
pub fn packed_registers(layout: &LinearLayout) -> Vec<u32> {
    let unique = kept_registers(layout);
    let repeating = repeating_bits(layout);
    let number = |register: u32| {
        let first = register & !repeating;
        unique.iter().take_while(|&&other| other != first).count() as u32
    };
    (0..layout.registers()).map(number).collect()
}

/// The bits of a register's number that change no element.
fn repeating_bits(layout: &LinearLayout) -> u32 {
    let bits = layout
        .registers
        .iter()
        .enumerate()
        .filter(|(_, basis)| **basis == 0);
    bits.fold(0, |bits, (bit, _)| bits | 1 << bit)
}
