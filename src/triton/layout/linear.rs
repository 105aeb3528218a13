//! Layouts as linear maps: the bits of a place (register, lane, warp) to the bits of an element's indices.
//!
//! Every layout of Triton comes down to this form (`include/triton/Tools/LinearLayout.h`): each bit of the place has a
//! basis, and the element is the exclusive or of the bases whose bits are set. An element is told by one number, in which
//! the first dimension has the lowest bits, as `flattenOuts` puts them; so an exclusive or of two such numbers is one of
//! each index.

use std::fmt;

use super::gf2::{Span, sum};

/// Where a value lies: a register of a lane of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Number of the warp in its block.
    pub warp: u32,
    /// Number of the lane in its warp.
    pub lane: u32,
    /// Number of the value among those of this tile that the lane holds.
    pub register: u32,
}

/// Which element of a tile each place holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    /// Elements of each dimension, powers of two.
    pub shape: Vec<u32>,
    /// The basis of each bit of the register's number.
    pub registers: Vec<u32>,
    /// The basis of each bit of the lane's number.
    pub lanes: Vec<u32>,
    /// The basis of each bit of the warp's number.
    pub warps: Vec<u32>,
}

impl LinearLayout {
    /// Registers of each thread, replicas included.
    pub fn registers(&self) -> u32 {
        1 << self.registers.len()
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        1 << self.warps.len()
    }

    /// Elements of the tile.
    pub fn elements(&self) -> u32 {
        self.shape.iter().product()
    }

    /// The bases of all bits of a place: registers', lanes', warps'.
    pub fn bases(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = self.registers.iter().chain(&self.lanes);
        bits.chain(&self.warps).copied()
    }

    /// The number of the element at `place`: the first dimension has the lowest bits.
    pub fn element(&self, place: Place) -> u32 {
        let registers = sum(&self.registers, place.register);
        registers ^ sum(&self.lanes, place.lane) ^ sum(&self.warps, place.warp)
    }

    /// The indices of the element at `place`.
    pub fn apply(&self, place: Place) -> Vec<u32> {
        self.indices(self.element(place))
    }

    /// The indices of the element of that number.
    pub fn indices(&self, mut element: u32) -> Vec<u32> {
        let split = self.shape.iter().map(|size| {
            let index = element % size;
            element /= size;
            index
        });
        split.collect()
    }

    /// The number of the element at `indices`.
    pub fn number(&self, indices: &[u32]) -> u32 {
        let pairs = self.shape.iter().zip(indices).rev();
        pairs.fold(0, |number, (size, index)| number * size + index)
    }

    /// The lowest place that holds the element of that number.
    pub fn place(&self, element: u32) -> Option<Place> {
        let bits = Span::of(self.bases()).solve(element)?;
        Some(self.place_of_bits(bits))
    }

    /// The place whose bits are those of `bits`: registers', lanes', warps'.
    pub fn place_of_bits(&self, bits: u64) -> Place {
        let (registers, lanes) = (self.registers.len(), self.lanes.len());
        // The order of `bases`: whoever changes one of the two changes the other.
        let low = |bits: u64, count: usize| (bits & ((1 << count) - 1)) as u32;
        Place {
            warp: low(bits >> (registers + lanes), self.warps.len()),
            lane: low(bits >> registers, lanes),
            register: low(bits, registers),
        }
    }

    /// The bits of a place that change no element (`getFreeVariableMasks`). Of all places that hold an element, the one
    /// where these bits are 0 stores it.
    pub fn replicated(&self) -> Place {
        let mut span = Span::default();
        let mut free = 0;
        for (bit, basis) in self.bases().enumerate() {
            if !span.insert(basis, bit) {
                free |= 1 << bit;
            }
        }
        self.place_of_bits(free)
    }

    /// Whether `place` is the one that stores its element.
    pub fn is_first(&self, place: Place) -> bool {
        let free = self.replicated();
        place.warp & free.warp == 0
            && place.lane & free.lane == 0
            && place.register & free.register == 0
    }

    /// How many consecutive elements along `dim` a thread holds in its lowest registers (`getContigPerThread`).
    pub fn contiguous(&self, dim: usize) -> u32 {
        let first = self.bit_of(dim);
        let run = self.registers.iter().enumerate();
        1 << run
            .take_while(|(bit, basis)| {
                **basis == 1 << (first + *bit as u32) && 1 << bit < self.shape[dim] as usize
            })
            .count()
    }

    /// The lowest bit of dimension `dim` in an element's number.
    pub fn bit_of(&self, dim: usize) -> u32 {
        self.shape[..dim].iter().map(|size| size.ilog2()).sum()
    }

    /// With each basis changed.
    fn map(&self, shape: Vec<u32>, change: impl Fn(u32) -> u32) -> Self {
        let each = |bases: &[u32]| bases.iter().map(|&basis| change(basis)).collect();
        LinearLayout {
            registers: each(&self.registers),
            lanes: each(&self.lanes),
            warps: each(&self.warps),
            shape,
        }
    }

    /// The layout of the transposed tile, whose dimension `i` is `order[i]` of this one.
    pub fn transposed(&self, order: &[usize]) -> Self {
        let shape: Vec<u32> = order.iter().map(|&dim| self.shape[dim]).collect();
        self.moved(shape, |indices| {
            order.iter().map(|&dim| indices[dim]).collect()
        })
    }

    /// The layout of the tile with the same elements, in the same order by rows, in another shape.
    pub fn reshaped(&self, shape: &[u32]) -> Self {
        self.moved(shape.to_vec(), |indices| {
            let pairs = self.shape.iter().zip(indices);
            // Reshaping keeps the order of Python, the last index fastest; an element's number here has the first
            // index lowest.
            let mut row_major = pairs.fold(0, |at, (size, index)| at * size + index);
            let mut split: Vec<u32> = Vec::new();
            for size in shape.iter().rev() {
                split.push(row_major % size);
                row_major /= size;
            }
            split.reverse();
            split
        })
    }

    /// With another shape, where `change` says the new indices of each old ones.
    fn moved(&self, shape: Vec<u32>, change: impl Fn(&[u32]) -> Vec<u32>) -> Self {
        let target = LinearLayout {
            shape: shape.clone(),
            registers: Vec::new(),
            lanes: Vec::new(),
            warps: Vec::new(),
        };
        self.map(shape, |basis| target.number(&change(&self.indices(basis))))
    }

    /// The layout of a tile without dimension `dim`, reduced or sliced away. Registers that then hold the same are one.
    pub fn without(&self, dim: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.remove(dim);
        let mut layout = self.moved(shape, |indices| {
            let mut rest = indices.to_vec();
            rest.remove(dim);
            rest
        });
        layout.registers.retain(|&basis| basis != 0);
        layout
    }

    /// Without the bits of registers that hold what others hold (`actionRemoveBroadcastedRegs`).
    pub fn without_register_replicas(&self) -> Self {
        let mut layout = self.clone();
        layout.registers.retain(|&basis| basis != 0);
        layout
    }
}

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |bases: &[u32]| {
            let bases: Vec<String> = bases
                .iter()
                .map(|&basis| format!("{:?}", self.indices(basis)))
                .collect();
            bases.join(", ")
        };
        let (registers, lanes, warps) =
            (list(&self.registers), list(&self.lanes), list(&self.warps));
        write!(
            f,
            "#ttg.linear<{{register = [{registers}], lane = [{lanes}], warp = [{warps}], block = []}}>"
        )
    }
}
