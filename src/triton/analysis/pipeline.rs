//! Which loads of a loop are copied to shared memory rounds before they are used.
//!
//! After `AssignLatencies.cpp` and `PipeliningUtility.cpp` (`lib/Dialect/TritonGPU/Transforms/Pipeliner` of Triton 3.6):
//! loads that end in factors of products, and every load of a loop that says `num_stages` itself. A load that gives another
//! one its address is made where that one is, rounds before; Triton copies it too, in fewer rounds.

use std::collections::{BTreeMap, BTreeSet};

use crate::triton::tile::{Block, Function, Node, NodeId, Op, Value};

/// Loads that are made ahead, and what their addresses and masks take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// The loads.
    pub loads: BTreeSet<NodeId>,
    /// Operations of the body that lead to addresses and masks.
    pub slice: BTreeSet<NodeId>,
    /// What is carried that they take: places among the results of the body.
    pub carried: BTreeSet<usize>,
    /// Rounds that the loads are ahead.
    pub distance: u32,
}

impl Ahead {
    /// What a loop of so many stages loads ahead, of what `can_copy` says can be copied.
    pub fn of(
        function: &Function,
        each: &Node,
        stages: u32,
        can_copy: &dyn Fn(NodeId) -> bool,
    ) -> Self {
        let body = &function.blocks[each.blocks[0].0];
        if stages < 2 || !is_pipelined(function, body) {
            return Ahead::default();
        }
        let search = Search {
            function,
            body: body.nodes.iter().copied().collect(),
            can_copy,
            levels: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        let levels = search.run(each, stages);
        let deepest = levels.values().max().copied().unwrap_or(0);
        let mut ahead = Ahead {
            // Loads that wait for loads share the stages.
            distance: (stages - 1) / (deepest + 1),
            ..Ahead::default()
        };
        for load in levels.keys() {
            let mut found = ahead.clone();
            let mut operands = function.nodes[load.0].operands.iter();
            if operands.all(|&operand| found.follow(function, body, operand)) {
                found.loads.insert(*load);
                ahead = found;
            }
        }
        ahead.loads = ahead.loads.difference(&ahead.slice).copied().collect();
        ahead
    }

    /// Loads that nothing but what is ahead reads.
    pub fn loads_before(&self, function: &Function) -> BTreeSet<NodeId> {
        let all = function.blocks.iter().flat_map(|block| &block.nodes);
        let others = all.filter(|id| !self.slice.contains(id) && !self.loads.contains(id));
        let read = others.flat_map(|id| &function.nodes[id.0].operands);
        let given = function.blocks.iter().flat_map(|block| &block.results);
        let read: BTreeSet<&Value> = read.chain(given).collect();
        let is_before = |id: &&NodeId| {
            let node = &function.nodes[id.0];
            let is_read = node.results.iter().any(|result| read.contains(result));
            matches!(node.op, Op::Load(_)) && !is_read
        };
        self.slice.iter().filter(is_before).copied().collect()
    }

    /// Collects what a value of the body is made of; whether all of it can be computed rounds before.
    fn follow(&mut self, function: &Function, body: &Block, value: Value) -> bool {
        let argument = body.arguments.iter().position(|&other| other == value);
        if let Some(at) = argument {
            return match at.checked_sub(1) {
                Some(at) if self.carried.insert(at) => {
                    self.follow(function, body, body.results[at])
                }
                _ => true,
            };
        }
        let Some(id) = function.values[value.0].node else {
            return true;
        };
        if !body.nodes.contains(&id) || !self.slice.insert(id) {
            return true;
        }
        let node = &function.nodes[id.0];
        let has_exchange = matches!(
            node.op,
            Op::Dot(_) | Op::Reduce(_) | Op::Scan(..) | Op::Gather(_)
        );
        let mut operands = node.operands.iter();
        (node.op.is_pure() || matches!(node.op, Op::Load(_)))
            && !has_exchange
            && operands.all(|&operand| self.follow(function, body, operand))
    }
}

/// Whether Triton would spread such a body over stages (`preCondition`, `isSafeToPipeline`): no loop stands in it and no
/// barrier, and nothing is carried over more than one round.
fn is_pipelined(function: &Function, body: &Block) -> bool {
    let stops = |node: &NodeId| {
        let op = &function.nodes[node.0].op;
        matches!(op, Op::For { .. } | Op::While | Op::Barrier)
    };
    let is_late = |(at, result): (usize, &Value)| {
        body.arguments.contains(result) && body.arguments.get(at + 1) != Some(result)
    };
    !body.nodes.iter().any(stops) && !body.results.iter().enumerate().any(is_late)
}

struct Search<'a> {
    function: &'a Function,
    body: BTreeSet<NodeId>,
    can_copy: &'a dyn Fn(NodeId) -> bool,
    /// For each load the loads between it and its last user; none where users differ.
    levels: BTreeMap<NodeId, Option<u32>>,
    seen: BTreeSet<NodeId>,
}

impl Search<'_> {
    /// The loads that there are stages for, each with its level.
    fn run(mut self, each: &Node, stages: u32) -> BTreeMap<NodeId, u32> {
        let body = &self.function.blocks[each.blocks[0].0].nodes;
        for &id in body {
            if matches!(self.function.nodes[id.0].op, Op::Dot(_)) {
                self.seen.clear();
                self.users(id, 0);
            }
        }
        if matches!(each.op, Op::For { stages: Some(_) }) {
            for &id in body {
                if !matches!(self.function.nodes[id.0].op, Op::Load(_)) {
                    self.users(id, 0);
                }
            }
        }
        let known = self.levels.into_iter();
        let known = known.filter_map(|(load, level)| Some((load, level?)));
        known.filter(|(_, level)| level + 1 < stages).collect()
    }

    /// Follows operands back to loads, `level` loads from the last user.
    fn users(&mut self, id: NodeId, mut level: u32) {
        let is_excluded = self.levels.get(&id) == Some(&None);
        if !self.seen.insert(id) || is_excluded {
            return;
        }
        let node = &self.function.nodes[id.0];
        if matches!(node.op, Op::Load(_)) {
            if !(self.can_copy)(id) {
                return;
            }
            let known = self.levels.entry(id).or_insert(Some(level));
            if *known != Some(level) {
                *known = None;
                return;
            }
            level += 1;
        }
        // What a product is added to is not loaded ahead.
        let factors = if matches!(node.op, Op::Dot(_)) {
            2
        } else {
            node.operands.len()
        };
        let mut operands = node.operands[..factors].to_vec();
        self.nested(node, &mut operands);
        for operand in operands {
            let definition = self.function.values[operand.0].node;
            if let Some(definition) = definition.filter(|node| self.body.contains(node)) {
                self.users(definition, level);
            }
        }
    }

    /// What the blocks of an operation use.
    fn nested(&self, node: &Node, operands: &mut Vec<Value>) {
        for block in &node.blocks {
            let block = &self.function.blocks[block.0];
            operands.extend(&block.results);
            for inner in &block.nodes {
                let inner = &self.function.nodes[inner.0];
                operands.extend(&inner.operands);
                self.nested(inner, operands);
            }
        }
    }
}
