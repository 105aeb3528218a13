//! The layout that each access to global memory gets: the pass Coalesce.
//!
//! After `lib/Dialect/TritonGPU/Transforms/Coalesce.cpp` of <https://github.com/triton-lang/triton>.

use std::collections::BTreeMap;

use crate::triton::analysis::Axes;
use crate::triton::layout::{self, Layout, coalesced};
use crate::triton::tile::{Function, NodeId, Op, Type, Value};

/// Lanes of a warp.
const LANES: u64 = 32;

/// The layout of every access to a tile of memory, but for loads that are cheap: these are done in whatever layout their
/// elements are needed in, and to keep a layout of their own would only cost a conversion.
pub fn accesses(function: &Function, axes: &Axes, warps: u32) -> BTreeMap<NodeId, Layout> {
    let mut found: Vec<(NodeId, Vec<u32>, layout::Access)> = Vec::new();
    for (at, node) in function.nodes.iter().enumerate() {
        let is_load = matches!(node.op, Op::Load(_));
        if !is_load && !matches!(node.op, Op::Store(_) | Op::Atomic(..)) {
            continue;
        }
        let ty = function.ty(node.operands[0]);
        if !ty.is_scalar() {
            let access = described(axes, node.operands[0], ty, is_load);
            found.push((NodeId(at), ty.shape.clone(), access));
        }
    }
    let layout_of = |(node, shape, access): &(NodeId, Vec<u32>, layout::Access)| {
        // Accesses of a kernel hang together by the numbers that they are made of. A pointer that a loop carries comes from
        // no operation (`getDefiningOp`), and its access goes by itself alone.
        let pointer = function.nodes[node.0].operands[0];
        let is_carried = function.values[pointer.0].node.is_none();
        let others = found
            .iter()
            .filter(|other| !is_carried && other.0 != *node && other.1 == *shape);
        let others: Vec<layout::Access> = others.map(|other| other.2.clone()).collect();
        (
            *node,
            Layout::Blocked(coalesced(shape, access, &others, warps)),
        )
    };
    let is_kept = |(node, ..): &&(NodeId, Vec<u32>, layout::Access)| {
        let node = &function.nodes[node.0];
        !matches!(node.op, Op::Load(_)) || is_expensive(function, node.operands[0], warps)
    };
    found.iter().filter(is_kept).map(layout_of).collect()
}

/// A load or store of fewer elements than there are threads is cheap: most of them read the same.
pub fn is_expensive(function: &Function, pointer: Value, warps: u32) -> bool {
    let count = function.ty(pointer).count();
    count > 1 && count >= LANES * u64::from(warps)
}

fn described(axes: &Axes, pointer: Value, ty: &Type, is_load: bool) -> layout::Access {
    let axis = axes.get(pointer);
    let clamp = |values: &[i64]| {
        values
            .iter()
            // 0 is divisible by 2^62 for Triton: any power beyond the widest access does as well.
            .map(|&value| u32::try_from(value).unwrap_or(1 << 31))
            .collect()
    };
    layout::Access {
        contiguity: clamp(&axis.contiguity),
        divisibility: clamp(&axis.divisibility),
        // Truth values are bytes in memory.
        element_bits: ty.element.bits().max(8),
        is_load,
    }
}
