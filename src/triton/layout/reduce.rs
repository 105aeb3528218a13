//! Reductions along a dimension: in each thread, by shuffles within each warp, then through shared memory.
//!
//! After `ReduceOpToLLVM.cpp` (`lib/Conversion/TritonGPUToLLVM`, and `TargetInfo.cpp` under `third_party/nvidia` for the
//! reductions that take one instruction) of Triton 3.6. The result's layout is the source's without the dimension.

use super::gf2::sum;
use super::linear::{LinearLayout, Place};

/// Lanes of a warp.
const LANES: u32 = 32;

/// Where in shared memory each thread stores or loads, in elements of each operand: the exclusive or of three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedOffsets {
    /// One for each value of a thread.
    pub values: Vec<u32>,
    /// What each bit of the lane's number adds.
    pub lanes: Vec<u32>,
    /// What each bit of the warp's number adds.
    pub warps: Vec<u32>,
}

impl SharedOffsets {
    /// The offset of a thread's value of that number.
    pub fn at(&self, value: usize, lane: u32, warp: u32) -> u32 {
        self.values[value] ^ sum(&self.lanes, lane) ^ sum(&self.warps, warp)
    }
}

/// How a tile is reduced along one dimension. With several operands (a value and its index) every step takes them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// First: the registers that each thread combines into one value each, in this order.
    pub groups: Vec<Vec<u32>>,
    /// Then: each value with that of the lane at these distances (exclusive or), by all lanes. Over all 32 lanes, whole
    /// numbers of up to 32 bits take one `__reduce_…_sync` for sum, minimum, maximum, and, or, xor.
    pub shuffles: Vec<u32>,
    /// Then, if several warps hold parts of a result: through shared memory.
    pub across_warps: Option<WarpReduction>,
    /// Without that, the value (number of its group) for each register of the result.
    pub results: Vec<u32>,
}

/// The last step of a reduction over several warps: stores; a barrier; threads below `elements` load, combine and store; a
/// barrier; loads of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpReduction {
    /// Elements in shared memory, for each operand.
    pub elements: u32,
    /// Parts of each result: they lie side by side.
    pub parts: u32,
    /// Where each group's value is stored.
    pub stores: SharedOffsets,
    /// Lanes with one of these bits do not store.
    pub idle_lanes: u32,
    /// Warps with one of these bits do not store.
    pub idle_warps: u32,
    /// Thread `t` takes elements `t`, `t + threads`, … below `elements`: so many of them.
    pub rounds: u32,
    /// All threads combine what they loaded with that of the lane at these distances (exclusive or); lanes whose number is
    /// a multiple of `parts` store where they loaded.
    pub shuffles: Vec<u32>,
    /// Where the result of each register is loaded.
    pub loads: SharedOffsets,
}

impl Reduction {
    /// Shared memory for operands of these widths in bytes; wider operands lie before narrower ones.
    pub fn shared_bytes(&self, operand_bytes: &[u32]) -> u32 {
        let elements = self.across_warps.as_ref().map_or(0, |warps| warps.elements);
        elements * operand_bytes.iter().sum::<u32>()
    }
}

/// Bits of `bases` that move along the dimension.
fn along(layout: &LinearLayout, bases: &[u32], axis: usize) -> u32 {
    let moves = |basis: u32| layout.indices(basis)[axis] != 0;
    let bits = bases.iter().enumerate().filter(|(_, basis)| moves(**basis));
    bits.fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// Distances of a butterfly over `size` lanes that lie `stride` apart.
fn butterfly(size: u32, stride: u32) -> Vec<u32> {
    // From the longest distance down, as Triton's code has it: sums of floats depend on the order.
    (0..size.ilog2()).rev().map(|bit| stride << bit).collect()
}

/// The dimensions in the order in which registers move along them, the others from the last on.
fn register_order(layout: &LinearLayout) -> Vec<usize> {
    let rank = layout.shape.len();
    let mut order: Vec<usize> = Vec::new();
    let moved = layout.registers.iter().filter_map(|&basis| {
        let indices = layout.indices(basis);
        indices.iter().position(|&index| index != 0)
    });
    for dim in moved.chain((0..rank).rev()) {
        if !order.contains(&dim) {
            order.push(dim);
        }
    }
    order
}

/// The parts of all results in shared memory: `parts` of each side by side, results in the layout's order.
struct Partials<'a> {
    layout: &'a LinearLayout,
    axis: usize,
    parts: u32,
}

impl Partials<'_> {
    /// Elements of all results.
    fn elements(&self) -> u32 {
        self.layout.elements() / self.layout.shape[self.axis] * self.parts
    }

    /// The offset of part 0 of the result with these indices, of which that along the axis does not matter.
    fn offset(&self, indices: &[u32]) -> u32 {
        let mut stride = self.parts;
        let mut offset = 0;
        // Results lie in the order in which a thread's registers go through them, so that neighbours are stored
        // together.
        for dim in register_order(self.layout) {
            if dim != self.axis {
                offset += indices[dim] * stride;
                stride *= self.layout.shape[dim];
            }
        }
        offset
    }

    /// The offset of part 0 for each register of the result.
    fn of_registers(&self, result: &LinearLayout) -> Vec<u32> {
        let each = (0..result.registers()).map(|register| {
            let mut indices = result.apply(Place {
                register,
                ..Place::default()
            });
            indices.insert(self.axis, 0);
            self.offset(&indices)
        });
        each.collect()
    }

    /// What each of `bases` adds, where those along the axis count parts, if they do.
    fn of_bits(&self, bases: &[u32], counts_parts: bool) -> Vec<u32> {
        let mut part = 1;
        // Bits along the axis are numbered from the lowest: with four warps along it, parts 0 to 3.
        let each = bases.iter().map(|&basis| {
            let indices = self.layout.indices(basis);
            if indices[self.axis] == 0 {
                return self.offset(&indices);
            }
            if counts_parts {
                part *= 2;
                part / 2
            } else {
                0
            }
        });
        each.collect()
    }
}

/// The registers that each thread combines, under the indices of their results with 0 along `axis`.
fn groups(layout: &LinearLayout, axis: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut groups: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    let mut seen = Vec::new();
    for register in 0..layout.registers() {
        let element = layout.element(Place {
            register,
            ..Place::default()
        });
        // A replica must not be counted twice.
        if seen.contains(&element) {
            continue;
        }
        seen.push(element);
        let mut key = layout.indices(element);
        key[axis] = 0;
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, registers)) => registers.push(register),
            None => groups.push((key, vec![register])),
        }
    }
    // By index, not by register: results are numbered as the layout without the axis numbers them.
    groups.sort();
    groups
}

/// The reduction of a tile with that layout along `axis`.
pub fn reduce(layout: &LinearLayout, axis: usize) -> Reduction {
    let groups = groups(layout, axis);
    let lanes = along(layout, &layout.lanes, axis);
    let parts = 1 << along(layout, &layout.warps, axis).count_ones();
    let result = layout.without(axis);
    let keys: Vec<u32> = groups
        .iter()
        .map(|(key, _)| result.number(&without(key, axis)))
        .collect();
    let group_of = |register: u32| {
        let element = result.element(Place {
            register,
            ..Place::default()
        });
        keys.iter()
            .position(|&key| key == element)
            .unwrap_or_default() as u32
    };
    Reduction {
        // Where no lane moves along the axis there is no distance, and no bit to count zeros below: 5 is harmless.
        shuffles: butterfly(1 << lanes.count_ones(), 1 << lanes.trailing_zeros().min(5)),
        across_warps: (parts > 1).then(|| across_warps(layout, axis, &groups, &result)),
        results: (0..result.registers()).map(group_of).collect(),
        groups: groups.into_iter().map(|(_, registers)| registers).collect(),
    }
}

/// `indices` but that along `axis`.
fn without(indices: &[u32], axis: usize) -> Vec<u32> {
    let mut rest = indices.to_vec();
    rest.remove(axis);
    rest
}

fn across_warps(
    layout: &LinearLayout,
    axis: usize,
    groups: &[(Vec<u32>, Vec<u32>)],
    result: &LinearLayout,
) -> WarpReduction {
    let parts = 1 << along(layout, &layout.warps, axis).count_ones();
    let partials = Partials {
        layout,
        axis,
        parts,
    };
    let replicated = layout.replicated();
    let elements = partials.elements();
    WarpReduction {
        elements,
        parts,
        stores: SharedOffsets {
            values: groups.iter().map(|(key, _)| partials.offset(key)).collect(),
            lanes: partials.of_bits(&layout.lanes, false),
            warps: partials.of_bits(&layout.warps, true),
        },
        // After the shuffles all lanes along the axis hold the same: the first one stores.
        idle_lanes: along(layout, &layout.lanes, axis) | replicated.lane,
        idle_warps: replicated.warp,
        // Fewer elements than threads still take a round.
        rounds: (elements / (LANES * layout.warps())).max(1),
        shuffles: butterfly(parts, 1),
        loads: SharedOffsets {
            values: partials.of_registers(result),
            lanes: partials.of_bits(&layout.lanes, false),
            warps: partials.of_bits(&layout.warps, false),
        },
    }
}
