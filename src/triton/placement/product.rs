//! What a `tl.dot` takes: the unit that computes it, and with it the layouts of its tiles.

use std::collections::BTreeSet;

use crate::triton::layout::{Dot, DotKind};
use crate::triton::tile::{Element, Function, Node, NodeId, Op, Precision};

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
        kind,
        warps,
        chain: last_of_chain(function, node),
    }
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
