//! What it costs to compute a value again in another layout, against moving it there.
//!
//! After `backwardRematerialization` of `lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp` of Triton 3.6, in
//! thousandths of a cycle of an SM.

use std::collections::{BTreeMap, BTreeSet};

use crate::triton::tile::{Binary, Function, Node, Op, Unary, Value};

/// What a byte that goes through shared memory costs: a store and a load of 8 each, twice for the barriers.
const COST_OF_MOVED_BYTE: u64 = 32;
/// What a byte costs that is loaded again, from L1, or computed by several instructions.
const COST_OF_SLOW_BYTE: u64 = 8;
/// Fewer elements than a warp's cost as many, of a bank's width each.
const LEAST_BYTES: u64 = 32 * 4;

/// Values that would be computed again.
pub struct Repetition<'a> {
    function: &'a Function,
    values: BTreeSet<Value>,
    users: BTreeMap<Value, Vec<&'a Node>>,
}

impl<'a> Repetition<'a> {
    /// Of these values.
    pub fn new(function: &'a Function, values: BTreeSet<Value>) -> Self {
        let live = live(function);
        let mut users: BTreeMap<Value, Vec<&Node>> = BTreeMap::new();
        let is_live = |node: &&Node| node.results.iter().any(|result| live.contains(result));
        let nodes = function.nodes.iter();
        for node in nodes.filter(|node| !node.op.is_pure() || is_live(node)) {
            for &operand in &node.operands {
                users.entry(operand).or_default().push(node);
            }
        }
        Repetition {
            function,
            values,
            users,
        }
    }

    /// Whether it costs no more than moving `result`, which they lead to; by one conversion for all who need it, or none
    /// but one who does.
    pub fn is_cheap(&self, result: Value, is_moved_once: bool) -> bool {
        let ty = self.function.ty(result);
        let bits = if ty.is_pointer { 64 } else { ty.element.bits() };
        let moved = ty.count().max(32) * u64::from(bits.max(32)) / 8;
        let mut alone = BTreeMap::new();
        if is_moved_once {
            alone.insert(result, true);
        }
        let costs = self.values.iter().map(|&value| {
            match self.is_computed_once(value, result, &mut alone) {
                true => 0,
                false => self.cost(value),
            }
        });
        costs.sum::<u64>() <= COST_OF_MOVED_BYTE * moved.max(LEAST_BYTES)
    }

    /// Whether nobody needs a value but for what is computed again: then it is not computed twice.
    fn is_computed_once(
        &self,
        value: Value,
        result: Value,
        known: &mut BTreeMap<Value, bool>,
    ) -> bool {
        if let Some(&is_once) = known.get(&value) {
            return is_once;
        }
        // A loop leads back to what it carries: until it is known, it counts as needed elsewhere.
        known.insert(value, false);
        let is_once = match self.users.get(&value).map(Vec::as_slice) {
            Some([_]) if value == result => true,
            Some(users) => users.iter().all(|user| {
                let mut results = user.results.iter();
                results.any(|&next| {
                    self.values.contains(&next) && self.is_computed_once(next, result, known)
                })
            }),
            None => false,
        };
        known.insert(value, is_once);
        is_once
    }

    fn cost(&self, value: Value) -> u64 {
        let ty = self.function.ty(value);
        let Some(node) = self.function.definition(value).filter(|_| !ty.is_scalar()) else {
            return 0;
        };
        let bytes = ty.count() * u64::from(ty.element.bits()) / 8;
        match &node.op {
            Op::Load(_) => COST_OF_SLOW_BYTE * bytes,
            // `tt.mulhiui`: only operations of the dialects `arith` and `math` cost anything.
            Op::Binary(Binary::MulHigh) => 0,
            op if is_slow(op) => COST_OF_SLOW_BYTE * bytes,
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Fma | Op::Cast => {
                bytes
            }
            _ => 0,
        }
    }
}

/// Values that somebody needs.
fn live(function: &Function) -> BTreeSet<Value> {
    let effects = function.nodes.iter().filter(|node| !node.op.is_pure());
    let mut open: Vec<Value> = effects.flat_map(|node| &node.operands).copied().collect();
    open.extend(function.blocks.iter().flat_map(|block| &block.results));
    let mut live = BTreeSet::new();
    while let Some(value) = open.pop() {
        if live.insert(value)
            && let Some(node) = function.definition(value)
        {
            open.extend(&node.operands);
        }
    }
    live
}

/// Functions of several instructions (`isExpensiveMathOp`).
fn is_slow(op: &Op) -> bool {
    match op {
        Op::Unary(unary) => matches!(unary, Unary::Sin | Unary::Cos | Unary::Tanh | Unary::Erf),
        Op::Binary(Binary::Div) => true,
        Op::Call(_) => true,
        _ => false,
    }
}
