//! Operations whose results nobody uses are left out, loads included: a load that nobody uses is no access.

use std::collections::BTreeSet;

use super::function::{BlockId, Function, NodeId, Op, Value};

/// Takes what is unused out of every block of `function`.
pub fn remove_unused(function: &mut Function) {
    let mut used = BTreeSet::new();
    // What a loop carries keeps itself alive, so use is followed until nothing more is found.
    loop {
        let before = used.len();
        mark(function, BlockId(0), &mut used);
        if used.len() == before {
            break;
        }
    }
    for block in 0..function.blocks.len() {
        let nodes = std::mem::take(&mut function.blocks[block].nodes);
        let used = nodes
            .into_iter()
            .filter(|&node| is_used(function, node, &used));
        function.blocks[block].nodes = used.collect();
    }
}

fn is_used(function: &Function, node: NodeId, used: &BTreeSet<Value>) -> bool {
    let node = &function.nodes[node.0];
    let mut results = node.results.iter();
    node.op.has_effect()
        || results.any(|result| used.contains(result))
        || node.blocks.iter().any(|&block| has_effect(function, block))
}

fn has_effect(function: &Function, block: BlockId) -> bool {
    function.blocks[block.0].nodes.iter().any(|node| {
        let node = &function.nodes[node.0];
        let inner = &node.blocks;
        node.op.has_effect() || inner.iter().any(|&block| has_effect(function, block))
    })
}

fn mark(function: &Function, block: BlockId, used: &mut BTreeSet<Value>) {
    for &id in function.blocks[block.0].nodes.iter().rev() {
        if !is_used(function, id, used) {
            continue;
        }
        let node = &function.nodes[id.0];
        let carries = matches!(node.op, Op::For { .. } | Op::If | Op::While);
        if !carries {
            used.extend(&node.operands);
        } else if !matches!(node.op, Op::While) {
            let plain = if matches!(node.op, Op::If) { 1 } else { 3 };
            used.extend(&node.operands[..plain]);
        }
        for &inner in &node.blocks {
            mark_results(function, id, inner, used);
            mark(function, inner, used);
        }
    }
}

/// What a loop or a condition carries is used if its result is, or if its body reads it.
fn mark_results(function: &Function, id: NodeId, inner: BlockId, used: &mut BTreeSet<Value>) {
    let node = &function.nodes[id.0];
    let block = &function.blocks[inner.0];
    match node.op {
        Op::For { .. } => {
            for (at, &result) in node.results.iter().enumerate() {
                let argument = block.arguments[at + 1];
                if used.contains(&result) || used.contains(&argument) {
                    used.extend([block.results[at], node.operands[at + 3], result]);
                }
            }
        }
        Op::If => {
            for (at, result) in node.results.iter().enumerate() {
                if used.contains(result) {
                    used.insert(block.results[at]);
                }
            }
        }
        // A condition may depend on all that a `while` carries.
        Op::While => {
            used.extend(&block.results);
            used.extend(&node.operands);
            used.extend(&node.results);
        }
        _ => used.extend(&block.results),
    }
}
