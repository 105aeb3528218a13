//! What is known of every value of a function: rules along its blocks, loops until nothing changes.

use super::axis::{Axis, MOST, gcd};
use super::rules;
use crate::triton::tile::{BlockId, Function, Hints, Node, Op, Type, Value};

/// What is known of every value, by its number.
#[derive(Clone, Debug)]
pub struct Axes(Vec<Axis>);

impl Axes {
    /// Looks at a function.
    pub fn of(function: &Function) -> Self {
        let values = function.values.iter();
        let mut axes = Axes(
            values
                .map(|value| Axis::unknown(value.ty.shape.len()))
                .collect(),
        );
        axes.block(function, BlockId(0));
        axes
    }

    /// What is known of a value.
    pub fn get(&self, value: Value) -> &Axis {
        &self.0[value.0]
    }

    fn set(&mut self, function: &Function, value: Value, mut axis: Axis) {
        let Hints {
            divisibility,
            contiguity,
            constancy,
        } = &function.values[value.0].hints;
        // `tl.multiple_of` and its kin are promises: they replace what was found, as Triton does it.
        for (known, hint) in axis.divisibility.iter_mut().zip(divisibility) {
            *known = *hint;
        }
        for (known, hint) in axis.contiguity.iter_mut().zip(contiguity) {
            *known = *hint;
        }
        for (known, hint) in axis.constancy.iter_mut().zip(constancy) {
            *known = *hint;
        }
        self.0[value.0] = axis;
    }

    fn block(&mut self, function: &Function, block: BlockId) {
        for &node in &function.blocks[block.0].nodes {
            let node = &function.nodes[node.0];
            match node.op {
                Op::For { .. } => self.for_loop(function, node),
                Op::While => self.while_loop(function, node),
                Op::If => self.condition(function, node),
                Op::Parameter(number) => {
                    let mut axis = Axis::unknown(0);
                    axis.divisibility[0] = function.parameters[number].divisibility;
                    self.set(function, node.results[0], axis);
                }
                _ => self.plain(function, node),
            }
        }
    }

    fn plain(&mut self, function: &Function, node: &Node) {
        for &result in &node.results {
            let ty = function.ty(result);
            let of: Vec<(&Axis, &Type)> = node
                .operands
                .iter()
                .map(|&operand| (self.get(operand), function.ty(operand)))
                .collect();
            let axis = rules::result(&node.op, &of, ty);
            self.set(function, result, axis);
        }
    }

    fn for_loop(&mut self, function: &Function, node: &Node) {
        let block = &function.blocks[node.blocks[0].0];
        let (from, step) = (self.get(node.operands[0]), self.get(node.operands[2]));
        let mut counter = Axis::unknown(0);
        counter.divisibility[0] = gcd(from.divisibility[0], step.divisibility[0]).min(MOST);
        self.set(function, block.arguments[0], counter);
        for (&argument, &before) in block.arguments[1..].iter().zip(&node.operands[3..]) {
            self.0[argument.0] = self.get(before).clone();
        }
        self.until_settled(function, node.blocks[0], &block.arguments[1..]);
        for (&result, &argument) in node.results.iter().zip(&block.arguments[1..]) {
            self.0[result.0] = self.get(argument).clone();
        }
    }

    fn while_loop(&mut self, function: &Function, node: &Node) {
        let [test, body] = [node.blocks[0], node.blocks[1]];
        let arguments = &function.blocks[body.0].arguments;
        for (&argument, &before) in arguments.iter().zip(&node.operands) {
            self.0[argument.0] = self.get(before).clone();
        }
        self.until_settled(function, body, arguments);
        for (at, &argument) in arguments.iter().enumerate() {
            let axis = self.get(argument).clone();
            self.0[function.blocks[test.0].arguments[at].0] = axis.clone();
            self.0[node.results[at].0] = axis;
        }
        self.block(function, test);
    }

    /// Goes through a body until what it carries is known of no less.
    fn until_settled(&mut self, function: &Function, body: BlockId, carried: &[Value]) {
        loop {
            self.block(function, body);
            let mut has_changed = false;
            for (&argument, &result) in carried.iter().zip(&function.blocks[body.0].results) {
                let joint = self.get(argument).join(self.get(result));
                // A join only ever knows less, so this comes to an end.
                has_changed |= joint != *self.get(argument);
                self.0[argument.0] = joint;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn condition(&mut self, function: &Function, node: &Node) {
        for &block in &node.blocks {
            self.block(function, block);
        }
        let [yes, no] =
            [node.blocks[0], node.blocks[1]].map(|block| &function.blocks[block.0].results);
        for (at, &result) in node.results.iter().enumerate() {
            self.0[result.0] = self.get(yes[at]).join(self.get(no[at]));
        }
    }
}
