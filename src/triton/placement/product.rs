//! What a `tl.dot` takes: the unit that computes it, and with it the layouts of its tiles.

use std::collections::BTreeSet;

use crate::triton::layout::{Dot, DotKind};
use crate::triton::tile::{Element, Function, Node, NodeId, Op, Precision, Value};

/// The product of a `tl.dot`.
pub fn product(function: &Function, node: &Node, warps: u32) -> Dot {
    let [left, right] = [0, 1].map(|at| function.ty(node.operands[at]));
    let is_exact = matches!(node.op, Op::Dot(Precision::Ieee));
    let kind = match left.element {
        // Tensor cores would cut its factors to the 10 bits of TF32.
        Element::F32 if is_exact => DotKind::MultiplyAdd,
        Element::F16 | Element::Bf16 | Element::F32 | Element::I8 | Element::U8 => {
            DotKind::TensorCores
        }
        Element::F8E4M3 | Element::F8E5M2 => DotKind::TensorCores,
        _ => DotKind::MultiplyAdd,
    };
    Dot {
        rows: left.shape[0],
        columns: right.shape[1],
        inner: left.shape[1],
        element_bits: left.element.bits(),
        least_bits: node.operands[..2]
            .iter()
            .map(|&factor| loaded_bits(function, factor))
            .fold(left.element.bits(), u32::min),
        kind,
        warps,
        chain: last_of_chain(function, node),
    }
}

/// Bits of the narrowest elements that are loaded for a factor (`computeOrigBitWidth` of `AccelerateMatmul.cpp`).
fn loaded_bits(function: &Function, factor: Value) -> u32 {
    let is_followed = |op: &Op| is_elementwise(op) || matches!(op, Op::Transpose(_) | Op::Reshape);
    let leaves = leaves(function, factor, is_followed).into_iter();
    let loads = leaves.filter(|&leaf| is_loaded(function, leaf));
    let bits = loads.map(|load| function.ty(load).element.bits().max(8));
    bits.fold(function.ty(factor).element.bits(), u32::min)
}

/// The values that a factor is computed of, followed back through certain operations on tiles.
fn leaves(function: &Function, factor: Value, is_followed: impl Fn(&Op) -> bool) -> Vec<Value> {
    let (mut open, mut seen, mut leaves) = (vec![factor], BTreeSet::new(), Vec::new());
    while let Some(value) = open.pop() {
        let node = function.definition(value);
        match node.filter(|node| is_followed(&node.op)) {
            _ if function.ty(value).is_scalar() || !seen.insert(value) => {}
            Some(node) => open.extend(&node.operands),
            None => leaves.push(value),
        }
    }
    leaves
}

fn is_loaded(function: &Function, value: Value) -> bool {
    let node = function.definition(value);
    node.is_some_and(|node| matches!(node.op, Op::Load(_)))
}

/// Whether an operation moves nothing between threads, whatever the layout of its operands (`noDataMovement` of
/// `RemoveLayoutConversions.cpp`).
fn is_elementwise(op: &Op) -> bool {
    op.computes_elements() || matches!(op, Op::Broadcast | Op::ExpandDims(_))
}

/// Whether a factor is computed, element by element, of loads and constants alone: then these are moved to where it is
/// multiplied, and it is computed there (`hoistConvertDotOperand`).
pub fn is_made_of_loads(function: &Function, factor: Value) -> bool {
    let leaves = leaves(function, factor, is_elementwise);
    let is_known = |&leaf: &Value| function.constant(leaf).is_some() || is_loaded(function, leaf);
    !is_loaded(function, factor)
        && leaves.iter().any(|&leaf| is_loaded(function, leaf))
        && leaves.iter().all(is_known)
}

/// Rows and columns of the last product of those that one value leads to from the other, in the same block
/// (`warpsPerTileV2`); nothing where there is one. Patterns are applied from the end, and the others take the warps of
/// the product that has its layout already.
fn last_of_chain(function: &Function, node: &Node) -> Option<[u32; 2]> {
    let own = function.values[node.results[0].0].node?;
    let mut blocks = function.blocks.iter();
    let block = blocks.find(|block| block.nodes.contains(&own))?;
    let mut open = vec![own];
    let mut slice = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !slice.insert(id) {
            continue;
        }
        let of = &function.nodes[id.0];
        let is_next = |other: &&NodeId| {
            let other = &function.nodes[other.0];
            let reads = |from: &Node, by: &Node| {
                from.results.iter().any(|value| by.operands.contains(value))
            };
            !matches!(other.op, Op::Transpose(_)) && (reads(of, other) || reads(other, of))
        };
        open.extend(block.nodes.iter().filter(is_next));
    }
    let products = slice.iter().map(|id| &function.nodes[id.0]);
    let mut products = products.filter(|node| matches!(node.op, Op::Dot(_)));
    let (last, _) = (products.next_back()?, products.next_back()?);
    Some([
        function.ty(last.operands[0]).shape[0],
        function.ty(last.operands[1]).shape[1],
    ])
}
