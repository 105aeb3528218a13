//! A choice between two operations that share an operand becomes one operation on a choice: `foldSelectOpOp` of LLVM's
//! InstCombine, for floats, whose operations are counted. And an operation on a choice between two numbers is a choice
//! between two others (`FoldOpIntoSelect`).
//!
//! ```text
//! tl.where(c, x + a, x - 0.5)  →  x + tl.where(c, a, -0.5)
//! tl.where(c, 0.5, -0.5) * 3   →  tl.where(c, 1.5, -1.5)
//! ```

use std::collections::BTreeMap;

use super::element::Element;
use super::function::{Binary, BlockId, Constant, Function, Node, NodeId, Op, Value, ValueFacts};

/// What stands in place of two operations.
struct Shared {
    op: Binary,
    /// The operand of both, and where it stands.
    operand: Value,
    at: usize,
    /// The others, where the condition holds and where it does not.
    others: [Other; 2],
}

/// An operand, or the number that it is the negative of.
#[derive(Clone, Copy)]
enum Other {
    Value(Value),
    Negated(Value, f64),
}

/// Makes one operation of every two between which a choice is made.
pub fn share_choices(function: &mut Function) {
    let counts = use_counts(function);
    for block in 0..function.blocks.len() {
        for id in function.blocks[block].nodes.clone() {
            if let Some(shared) = shared(function, &counts, id) {
                share(function, BlockId(block), id, &shared);
            } else if let Some((condition, numbers)) = known_arms(function, &counts, id) {
                choose(function, BlockId(block), id, condition, numbers);
            }
        }
    }
}

/// How often each value is used.
fn use_counts(function: &Function) -> BTreeMap<Value, u32> {
    let mut counts = BTreeMap::new();
    for block in &function.blocks {
        let nodes = block.nodes.iter().map(|id| &function.nodes[id.0]);
        let operands = nodes.flat_map(|node| &node.operands);
        for &value in operands.chain(&block.results) {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts
}

fn shared(function: &Function, counts: &BTreeMap<Value, u32>, id: NodeId) -> Option<Shared> {
    let node = &function.nodes[id.0];
    let (Op::Select, &[_, yes, no]) = (&node.op, node.operands.as_slice()) else {
        return None;
    };
    let is_float = function.ty(node.results[0]).element == Element::F32;
    let is_alone = [yes, no].iter().all(|arm| counts.get(arm) == Some(&1));
    if !is_float || !is_alone {
        return None;
    }
    let arms = [arm(function, yes)?, arm(function, no)?];
    let op = arms[0].0;
    let operands = arms.map(|(_, operands)| operands);
    if arms[1].0 != op {
        return None;
    }
    // Factors and summands may stand either way round.
    let places: &[[usize; 2]] = match op {
        Binary::Sub => &[[0, 0], [1, 1]],
        _ => &[[0, 0], [1, 1], [0, 1], [1, 0]],
    };
    places.iter().find_map(|&[left, right]| {
        let (Other::Value(one), Other::Value(other)) = (operands[0][left], operands[1][right])
        else {
            return None;
        };
        (one == other).then_some(Shared {
            op,
            operand: one,
            at: left,
            others: [operands[0][1 - left], operands[1][1 - right]],
        })
    })
}

/// An operation between whose kind a choice can be made; what subtracts a number adds its negative.
fn arm(function: &Function, value: Value) -> Option<(Binary, [Other; 2])> {
    let node = function.definition(value)?;
    let (&Op::Binary(op), &[a, b]) = (&node.op, node.operands.as_slice()) else {
        return None;
    };
    let plain = [Other::Value(a), Other::Value(b)];
    match (op, function.constant(b)) {
        (Binary::Add | Binary::Mul, _) => Some((op, plain)),
        (Binary::Sub, Some(Constant::Float(number))) => {
            Some((Binary::Add, [Other::Value(a), Other::Negated(b, number)]))
        }
        (Binary::Sub, None) => Some((op, plain)),
        _ => None,
    }
}

/// The condition of an operation on a choice between two numbers, and what the operation makes of either.
fn known_arms(
    function: &Function,
    counts: &BTreeMap<Value, u32>,
    id: NodeId,
) -> Option<(Value, [f64; 2])> {
    let node = &function.nodes[id.0];
    let (&Op::Binary(op), &[a, b]) = (&node.op, node.operands.as_slice()) else {
        return None;
    };
    let (left, right) = (numbers(function, a)?, numbers(function, b)?);
    let (chosen, condition) = match (left.0, right.0) {
        (Some(condition), None) => (a, condition),
        (None, Some(condition)) => (b, condition),
        _ => return None,
    };
    let is_float = function.ty(node.results[0]).element == Element::F32;
    if !is_float || counts.get(&chosen) != Some(&1) {
        return None;
    }
    let of = |a: f32, b: f32| match op {
        Binary::Add => Some(f64::from(a + b)),
        Binary::Sub => Some(f64::from(a - b)),
        Binary::Mul => Some(f64::from(a * b)),
        _ => None,
    };
    let of = |arm: usize| of(left.1[arm] as f32, right.1[arm] as f32);
    Some((condition, [of(0)?, of(1)?]))
}

/// What a value is where a condition holds and where it does not, if these are numbers; no condition if it is one number.
fn numbers(function: &Function, value: Value) -> Option<(Option<Value>, [f64; 2])> {
    let number = |value: Value| match function.constant(value)? {
        Constant::Float(number) => Some(number),
        Constant::Integer(_) => None,
    };
    if let Some(number) = number(value) {
        return Some((None, [number; 2]));
    }
    let node = function.definition(value)?;
    match (&node.op, node.operands.as_slice()) {
        (Op::Select, &[condition, yes, no]) => Some((Some(condition), [number(yes)?, number(no)?])),
        _ => None,
    }
}

/// Makes a choice between two numbers of an operation.
fn choose(
    function: &mut Function,
    block: BlockId,
    id: NodeId,
    condition: Value,
    numbers: [f64; 2],
) {
    let mut before = Vec::new();
    let result = function.nodes[id.0].results[0];
    let arms = numbers.map(|number| {
        let constant = Op::Constant(Constant::Float(number));
        add(function, &mut before, id, constant, Vec::new(), result)
    });
    let node = &mut function.nodes[id.0];
    (node.op, node.operands) = (Op::Select, vec![condition, arms[0], arms[1]]);
    insert(function, block, id, before);
}

fn share(function: &mut Function, block: BlockId, id: NodeId, shared: &Shared) {
    let mut before = Vec::new();
    let others = shared.others.map(|other| match other {
        Other::Value(value) => value,
        Other::Negated(like, number) => {
            let constant = Op::Constant(Constant::Float(-number));
            add(function, &mut before, id, constant, Vec::new(), like)
        }
    });
    let node = &function.nodes[id.0];
    let (condition, result) = (node.operands[0], node.results[0]);
    let operands = vec![condition, others[0], others[1]];
    let choice = add(function, &mut before, id, Op::Select, operands, result);
    let mut operands = vec![shared.operand, choice];
    if shared.at == 1 {
        operands.swap(0, 1);
    }
    let node = &mut function.nodes[id.0];
    (node.op, node.operands) = (Op::Binary(shared.op), operands);
    insert(function, block, id, before);
}

/// Puts operations before another one of a block.
fn insert(function: &mut Function, block: BlockId, id: NodeId, before: Vec<NodeId>) {
    let nodes = &mut function.blocks[block.0].nodes;
    let place = nodes.iter().position(|node| *node == id).unwrap_or(0);
    nodes.splice(place..place, before);
}

/// A new operation that stands where another does, whose result has the type of `like`.
fn add(
    function: &mut Function,
    before: &mut Vec<NodeId>,
    place: NodeId,
    op: Op,
    operands: Vec<Value>,
    like: Value,
) -> Value {
    let (id, value) = (NodeId(function.nodes.len()), Value(function.values.len()));
    function.values.push(ValueFacts {
        ty: function.ty(like).clone(),
        name: None,
        node: Some(id),
        hints: function.values[like.0].hints.clone(),
    });
    function.nodes.push(Node {
        op,
        operands,
        results: vec![value],
        blocks: Vec::new(),
        span: function.nodes[place.0].span,
    });
    before.push(id);
    value
}
