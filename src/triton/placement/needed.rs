//! Which of a thread's registers the stores of a kernel need: of a mask that compares known numbers, LLVM knows elements
//! that it leaves out in every program, and computes nothing for them.
//!
//! ```text
//! columns = tl.arange(0, 2048)
//! tl.store(y_ptr + columns, f(x), mask=columns < 1100)  →  256 threads compute five of their eight elements
//! ```

use std::collections::BTreeMap;

use super::demand::{LayoutId, Placement};
use crate::triton::tile::{
    Binary, BlockId, Comparison, Constant, Function, Node, NodeId, Op, Value,
};

/// As many of the first registers as are needed, where they are not all.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// By values.
    pub values: BTreeMap<Value, u32>,
    /// By stores.
    pub stores: BTreeMap<NodeId, u32>,
}

/// What no count of registers reaches.
const ALL: u32 = u32::MAX;

impl Needed {
    /// Of a function that is placed so.
    pub fn of(function: &Function, placement: &Placement) -> Self {
        let mut needed = Needed::default();
        needed.stores(function, placement);
        if !needed.stores.is_empty() {
            needed.block(function, placement, BlockId(0));
            needed.values.retain(|_, count| *count < ALL);
        }
        needed
    }

    /// The stores that leave registers out.
    fn stores(&mut self, function: &Function, placement: &Placement) {
        for (&id, &layout) in &placement.accesses {
            let node = &function.nodes[id.0];
            let (Op::Store(_), [pointer, _, mask]) = (&node.op, node.operands.as_slice()) else {
                continue;
            };
            let Some(layout) = placement.layout(layout) else {
                continue;
            };
            let linear = layout.linear(&function.ty(*pointer).shape);
            let linear = linear.without_register_replicas();
            let is_left_out = |&register: &u32| {
                let bits = linear.registers.iter().enumerate();
                let mine = bits.filter(|(bit, _)| register >> bit & 1 == 1);
                let first = mine.fold(0, |first, (_, basis)| first ^ basis);
                is_false(function, *mask, &linear.indices(first))
            };
            let count = linear.registers();
            let left_out = (0..count).rev().take_while(is_left_out).count() as u32;
            // One is kept, so that no loop is empty.
            if left_out > 0 {
                self.stores.insert(id, (count - left_out).max(1));
            }
        }
    }

    /// From the end: who uses a value says what it needs before the value's own operation is met.
    fn block(&mut self, function: &Function, placement: &Placement, block: BlockId) {
        let block = &function.blocks[block.0];
        for &result in &block.results {
            self.values.insert(result, ALL);
        }
        for &id in block.nodes.iter().rev() {
            let node = &function.nodes[id.0];
            let count = self.of_operands(placement, id, node);
            for &operand in &node.operands {
                let known = self.values.entry(operand).or_default();
                *known = count.max(*known);
            }
            for &inner in &node.blocks {
                self.block(function, placement, inner);
            }
        }
        for &argument in &block.arguments {
            self.values.insert(argument, ALL);
        }
    }

    /// What an operation needs of what it takes.
    fn of_operands(&self, placement: &Placement, id: NodeId, node: &Node) -> u32 {
        if let Op::Store(_) = node.op {
            let is_in_place = |value: &Value| {
                let layout = placement.accesses.get(&id).copied().flatten();
                is_only_in(placement, *value, layout)
            };
            let count = self.stores.get(&id).copied().unwrap_or(ALL);
            return match node.operands.iter().all(is_in_place) {
                true => count,
                false => ALL,
            };
        }
        let [result] = node.results[..] else {
            return ALL;
        };
        let layout = placement.computed_in(result).first().copied().flatten();
        let is_in_place = |value: &Value| is_only_in(placement, *value, layout);
        let is_same = is_elementwise(&node.op)
            && layout.is_some()
            && is_in_place(&result)
            && node.operands.iter().all(is_in_place);
        match is_same {
            true => self.values.get(&result).copied().unwrap_or(ALL),
            false => ALL,
        }
    }
}

/// Whether a value is in one layout, and nothing moves it from there; of numbers there is one.
fn is_only_in(placement: &Placement, value: Value, layout: LayoutId) -> bool {
    let computed = placement.computed_in(value);
    computed == [None]
        || computed.is_empty()
        || (computed == [layout] && !placement.converted.contains_key(&value))
}

/// Whether an operation computes each element of its result of those at the same place.
fn is_elementwise(op: &Op) -> bool {
    op.computes_elements() || matches!(op, Op::Bitcast | Op::Offset)
}

/// Whether a truth value is false wherever its element's indices are no smaller than these.
fn is_false(function: &Function, value: Value, indices: &[u32]) -> bool {
    let Some(node) = function.definition(value) else {
        return false;
    };
    match &node.op {
        Op::Binary(Binary::And) => {
            let mut operands = node.operands.iter();
            operands.any(|&operand| is_false(function, operand, indices))
        }
        Op::Compare(Comparison::Lt) => {
            let least = least(function, node.operands[0], indices);
            let bound = function.constant(node.operands[1]);
            matches!((least, bound), (Some(least), Some(Constant::Integer(bound))) if least >= bound)
        }
        Op::Broadcast | Op::ExpandDims(_) => {
            let indices = indices_of_operand(function, node, indices);
            is_false(function, node.operands[0], &indices)
        }
        _ => false,
    }
}

/// The least that an integer is whose element's indices are no smaller than these, if that is known.
fn least(function: &Function, value: Value, indices: &[u32]) -> Option<i128> {
    if let Some(Constant::Integer(known)) = function.constant(value) {
        return Some(known);
    }
    let node = function.definition(value)?;
    match &node.op {
        Op::Range(start) => Some(i128::from(*start) + i128::from(*indices.first()?)),
        Op::Cast => least(function, node.operands[0], indices),
        Op::Binary(Binary::Add) => {
            let [a, b] = [0, 1].map(|at| least(function, node.operands[at], indices));
            Some(a? + b?)
        }
        Op::Broadcast | Op::ExpandDims(_) => {
            let indices = indices_of_operand(function, node, indices);
            least(function, node.operands[0], &indices)
        }
        _ => None,
    }
}

/// Where the element of an operand lies that becomes the one at `indices`.
fn indices_of_operand(function: &Function, node: &Node, indices: &[u32]) -> Vec<u32> {
    let mut indices = indices.to_vec();
    if let Op::ExpandDims(axis) = node.op {
        indices.remove(axis);
    }
    let sides = &function.ty(node.operands[0]).shape;
    for (index, &side) in indices.iter_mut().zip(sides) {
        *index = if side == 1 { 0 } else { *index };
    }
    indices
}
