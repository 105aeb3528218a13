//! The layout that each value has of its own: that of the access that it comes from, as far as it can be carried on.
//!
//! The forward half of `lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp` of
//! <https://github.com/triton-lang/triton>: anchors, propagation, conflicts.

use std::collections::{BTreeMap, BTreeSet};

use super::infer::result_layout;
use super::product::product;
use crate::triton::layout::{Layout, default_blocked};
use crate::triton::tile::{Block, Function, Node, NodeId, Op, Value};

/// Who uses a value.
enum Use {
    Node(NodeId),
    /// It becomes these: what a loop carries, what a condition gives.
    Becomes(Vec<Value>),
}

/// The own layout of every tile; and the joined tiles that no anchor's layout reaches, behind which a conversion to the
/// default of their shape stands at first.
pub fn own_layouts(
    function: &Function,
    accesses: &BTreeMap<NodeId, Layout>,
    warps: u32,
) -> (BTreeMap<Value, Layout>, BTreeSet<Value>) {
    let mut own = defaults(function, accesses, warps);
    joined(function, &mut own);
    let propagated = propagated(function, anchors(function, accesses, warps));
    let joins = function.nodes.iter().filter(|node| node.op == Op::Join);
    let joins = joins.map(|node| node.results[0]);
    let free = joins
        .filter(|join| !propagated.contains_key(join))
        .collect();
    for (value, layouts) in propagated {
        own.extend(resolved(function, value, &layouts).map(|layout| (value, layout.clone())));
    }
    reduced(function, &mut own);
    // Last, as it copies what the steps before have found.
    tied(function, &mut own);
    (own, free)
}

/// Which of several layouts a value keeps (`resolveConflicts`): the first, but that of a product wherever one is among them,
/// and none of it where memory is read.
fn resolved<'a>(function: &Function, value: Value, layouts: &'a [Layout]) -> Option<&'a Layout> {
    let node = function.definition(value).map(|node| &node.op);
    let is_access = matches!(node, Some(Op::Load(_) | Op::Atomic(..)));
    let is_preferred = |layout: &&Layout| match layout {
        Layout::Blocked(_) => is_access,
        Layout::Mma(_) => !is_access,
        _ => false,
    };
    layouts.iter().find(is_preferred).or(layouts.first())
}

/// The results whose layouts are worth keeping: of expensive loads and atomic operations, then of products.
fn anchors(
    function: &Function,
    accesses: &BTreeMap<NodeId, Layout>,
    warps: u32,
) -> Vec<(Value, Layout)> {
    let mut anchors = Vec::new();
    for (&id, layout) in accesses {
        let results = function.nodes[id.0].results.iter();
        anchors.extend(results.map(|&result| (result, layout.clone())));
    }
    for node in &function.nodes {
        if matches!(node.op, Op::Dot(_)) {
            let layout = product(function, node, warps).result();
            anchors.push((node.results[0], layout));
        }
    }
    anchors
}

/// The layouts that reach each value from the anchors, in the order in which they do.
fn propagated(function: &Function, anchors: Vec<(Value, Layout)>) -> BTreeMap<Value, Vec<Layout>> {
    let uses = uses(function);
    // The last anchor goes first; with the order of arrival, this decides which of several layouts a value keeps.
    let mut queue: Vec<Value> = anchors.iter().map(|(value, _)| *value).collect();
    let anchored = anchors
        .into_iter()
        .map(|(value, layout)| (value, vec![layout]));
    let mut candidates: BTreeMap<Value, Vec<Layout>> = anchored.collect();
    while let Some(value) = queue.pop() {
        let layouts = candidates[&value].clone();
        for target in targets(function, &uses, value) {
            let known = candidates.entry(target.0).or_default();
            let before = known.len();
            for layout in &layouts {
                let layout = match target.1 {
                    Some(node) => result_layout(function, &function.nodes[node.0], value, layout),
                    None => Some(layout.clone()),
                };
                known.extend(layout.filter(|layout| !known.contains(layout)));
            }
            // Only what is new goes on, or a loop's carried values would go round for ever.
            if known.len() > before {
                queue.push(target.0);
            }
        }
    }
    candidates
}

/// What each tile has before anything is known: its access's layout, or the default of its shape.
fn defaults(
    function: &Function,
    accesses: &BTreeMap<NodeId, Layout>,
    warps: u32,
) -> BTreeMap<Value, Layout> {
    let mut own = BTreeMap::new();
    for (at, facts) in function.values.iter().enumerate() {
        if facts.ty.is_scalar() {
            continue;
        }
        let access = facts.node.and_then(|node| accesses.get(&node));
        let layout = match access {
            Some(layout) => layout.clone(),
            None => Layout::Blocked(default_blocked(&facts.ty.shape, warps)),
        };
        own.insert(Value(at), layout);
    }
    own
}

/// A thread that holds an element of two joined tiles holds that of the other as well (`TritonJoinOpPattern`).
fn joined(function: &Function, own: &mut BTreeMap<Value, Layout>) {
    for node in &function.nodes {
        if let Op::Join = node.op
            && let Some(layout) = own.get(&node.operands[0])
            && let Some(both) = result_layout(function, node, node.operands[0], layout)
        {
            own.insert(node.results[0], both);
        }
    }
}

/// Whatever a reduction's operand is in, its result is in a slice of; what is expanded comes out of one.
fn reduced(function: &Function, own: &mut BTreeMap<Value, Layout>) {
    for node in &function.nodes {
        if let Op::Reduce(axis) = node.op
            && let Some(layout) = own.get(&node.operands[0]).cloned()
        {
            for &result in node
                .results
                .iter()
                .filter(|&&result| !function.ty(result).is_scalar())
            {
                own.insert(result, layout.slice(axis));
            }
            // All operands are reduced together.
            for &operand in &node.operands[1..] {
                own.insert(operand, layout.clone());
            }
        }
    }
}

/// What a loop carries has one layout before, in and behind it.
fn tied(function: &Function, own: &mut BTreeMap<Value, Layout>) {
    for node in &function.nodes {
        let carried = match node.op {
            Op::For { .. } => &function.blocks[node.blocks[0].0].arguments[1..],
            Op::While => &function.blocks[node.blocks[1].0].arguments[..],
            _ => continue,
        };
        for (at, (argument, result)) in carried.iter().zip(&node.results).enumerate() {
            if let Some(layout) = own.get(argument).cloned() {
                own.insert(*result, layout.clone());
                if matches!(node.op, Op::While) {
                    own.insert(function.blocks[node.blocks[0].0].arguments[at], layout);
                }
            }
        }
    }
}

/// What a value becomes, with the operation that does it, if it is one.
fn targets(
    function: &Function,
    uses: &BTreeMap<Value, Vec<Use>>,
    value: Value,
) -> Vec<(Value, Option<NodeId>)> {
    let mut targets = Vec::new();
    for user in uses.get(&value).into_iter().flatten() {
        match user {
            Use::Becomes(values) => targets.extend(values.iter().map(|&value| (value, None))),
            Use::Node(id) => {
                let results = function.nodes[id.0].results.iter();
                targets.extend(results.map(|&result| (result, Some(*id))));
            }
        }
    }
    targets.retain(|(value, _)| !function.ty(*value).is_scalar());
    targets
}

fn uses(function: &Function) -> BTreeMap<Value, Vec<Use>> {
    let mut uses: BTreeMap<Value, Vec<Use>> = BTreeMap::new();
    let reached = function.blocks.iter().flat_map(|block| block.nodes.iter());
    for &id in reached {
        let node = &function.nodes[id.0];
        if !matches!(node.op, Op::For { .. } | Op::While | Op::If) {
            for &operand in &node.operands {
                uses.entry(operand).or_default().push(Use::Node(id));
            }
            continue;
        }
        for (at, &result) in node.results.iter().enumerate() {
            for (value, values) in becoming(function, node, at, result) {
                uses.entry(value).or_default().push(Use::Becomes(values));
            }
        }
    }
    uses
}

/// What becomes `result`, number `at` of a loop or condition, and what else each of these values becomes on the way.
fn becoming(
    function: &Function,
    node: &Node,
    at: usize,
    result: Value,
) -> [(Value, Vec<Value>); 2] {
    let block = |at: usize| -> &Block { &function.blocks[node.blocks[at].0] };
    match node.op {
        Op::For { .. } => {
            let body = block(0);
            let both = vec![body.arguments[at + 1], result];
            [
                (node.operands[at + 3], both.clone()),
                (body.results[at], both),
            ]
        }
        Op::While => {
            let (test, body) = (block(0), block(1));
            let all = vec![test.arguments[at], body.arguments[at], result];
            [(node.operands[at], all.clone()), (body.results[at], all)]
        }
        _ => [0, 1].map(|branch| (block(branch).results[at], vec![result])),
    }
}
