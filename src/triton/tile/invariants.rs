//! Numbers that a loop does not change are computed before it, once: the loop-invariant code motion of Triton and LLVM, as
//! far as instructions are counted of it.

use std::collections::BTreeSet;

use super::function::{BlockId, Function, Node, NodeId, Op, Value};

/// Moves floats that loops do not change in front of these.
pub fn hoist_invariants(function: &mut Function) {
    hoist(function, BlockId(0));
}

fn hoist(function: &mut Function, block: BlockId) {
    let mut nodes = Vec::new();
    for id in std::mem::take(&mut function.blocks[block.0].nodes) {
        // Inner loops first: what comes out of them may go on.
        for inner in function.nodes[id.0].blocks.clone() {
            hoist(function, inner);
        }
        if let Op::For { .. } = function.nodes[id.0].op {
            let body = function.nodes[id.0].blocks[0];
            nodes.extend(invariants(function, body));
        }
        nodes.push(id);
    }
    function.blocks[block.0].nodes = nodes;
}

/// Takes what does not change out of a loop's body.
fn invariants(function: &mut Function, body: BlockId) -> Vec<NodeId> {
    let block = &function.blocks[body.0];
    let mut inside: BTreeSet<Value> = block.arguments.iter().copied().collect();
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for &id in &block.nodes {
        let node = &function.nodes[id.0];
        let is_same = !node.operands.iter().any(|operand| inside.contains(operand));
        if is_same && is_moved(function, node) {
            moved.push(id);
        } else {
            inside.extend(&node.results);
            kept.push(id);
        }
    }
    function.blocks[body.0].nodes = kept;
    moved
}

/// Whether an operation computes a single float.
fn is_moved(function: &Function, node: &Node) -> bool {
    let &[result] = node.results.as_slice() else {
        return false;
    };
    let ty = function.ty(result);
    let computes = match node.op {
        Op::Constant(_) => true,
        Op::Unary(_) | Op::Binary(_) | Op::Select | Op::Fma | Op::Cast => ty.element.is_float(),
        _ => false,
    };
    computes && ty.is_scalar() && !ty.is_pointer
}
