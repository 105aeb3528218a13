//! Loops and conditions.

use super::index::Index;
use super::lowering::Lowering;
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Node, Value};

/// A variable for a result of a condition.
struct Chosen {
    /// The result's number.
    at: usize,
    layout: LayoutId,
    name: String,
}

impl Lowering<'_> {
    /// `for`.
    pub fn for_loop(&mut self, node: &Node) {
        let function = self.function;
        let body = &function.blocks[node.blocks[0].0];
        self.begin_carried(&node.operands[3..], &body.arguments[1..]);
        let counter = body.arguments[0];
        let name = self.name_of(counter, "step");
        let element = function.ty(counter).element.cuda();
        let bounds = [0, 1, 2].map(|at| self.operand(node.operands[at], None, &Index::Known(0)));
        let next = if bounds[2] == "1" {
            format!("{name}++")
        } else {
            format!("{name} += {}", bounds[2])
        };
        // `range(n, 0, -1)` goes on while the counter is above its end.
        let sign = if self.counts_down(node) { ">" } else { "<" };
        let pipeline = self.begin_pipeline(node, &bounds);
        let [start, stop, _] = bounds;
        let head = format!("for ({element} {name} = {start}; {name} {sign} {stop}; {next})");
        self.writer.open(head);
        self.bind(counter, None, &name);
        self.loops += 1;
        if let Some(pipeline) = &pipeline {
            self.begin_round(pipeline);
        }
        self.block(node.blocks[0]);
        self.writer.span = node.span;
        if let Some(pipeline) = &pipeline {
            self.end_round(node, pipeline);
        }
        self.loops -= 1;
        self.carry(&body.results, &body.arguments[1..]);
        self.writer.close();
        if let Some(pipeline) = &pipeline {
            self.end_pipeline(pipeline);
        }
        self.give(&body.arguments[1..], &node.results);
    }

    /// `while`.
    pub fn while_loop(&mut self, node: &Node) {
        let function = self.function;
        let [test, body] = [node.blocks[0], node.blocks[1]].map(|block| &function.blocks[block.0]);
        self.begin_carried(&node.operands, &body.arguments);
        self.give(&body.arguments, &test.arguments);
        // What is tested may take statements to compute, which have no room in the head of a `while`.
        self.writer.open("while (true)");
        self.loops += 1;
        self.block(node.blocks[0]);
        let condition = self.operand(test.results[0], None, &Index::Known(0));
        self.writer.line(format!("if (!{condition}) break;"));
        self.block(node.blocks[1]);
        self.loops -= 1;
        self.writer.span = node.span;
        self.carry(&body.results, &body.arguments);
        self.writer.close();
        self.give(&body.arguments, &node.results);
    }

    /// `if`.
    pub fn choice(&mut self, node: &Node) {
        let function = self.function;
        let chosen = self.declare_chosen(node);
        let condition = self.expression(node.operands[0], None, &Index::Known(0));
        self.writer.open(format!("if ({condition})"));
        for (at, &block) in node.blocks.iter().enumerate() {
            let inner: &[Value] = &function.blocks[block.0].results;
            if at == 1 {
                // Nothing happens in the other branch: no empty `else` for the reader.
                if inner.is_empty() && function.blocks[block.0].nodes.is_empty() {
                    break;
                }
                self.writer.other("else");
            }
            self.block(block);
            self.writer.span = node.span;
            for result in &chosen {
                self.assign(inner[result.at], result.layout, &result.name);
            }
        }
        self.writer.close();
        for result in &chosen {
            self.bind(node.results[result.at], result.layout, &result.name);
        }
    }

    /// Variables for what a condition gives, which both branches set and so stand before them.
    fn declare_chosen(&mut self, node: &Node) -> Vec<Chosen> {
        let mut chosen = Vec::new();
        // Where it is wanted in two layouts there is a variable for each: behind the `if` nobody knows which branch to
        // convert from.
        for (at, &result) in node.results.iter().enumerate() {
            for layout in self.placement.computed_in(result) {
                let name = self.name_of(result, "chosen");
                let declaration = self.declaration(result, layout, &name);
                self.writer.line(format!("{declaration};"));
                chosen.push(Chosen { at, layout, name });
            }
        }
        chosen
    }

    /// Variables for what a loop carries, as they begin.
    fn begin_carried(&mut self, before: &[Value], arguments: &[Value]) {
        for (&from, &to) in before.iter().zip(arguments) {
            for layout in self.placement.computed_in(to) {
                let name = self.name_of(to, "carried");
                let declaration = self.declaration(to, layout, &name);
                self.writer.line(format!("{declaration};"));
                self.assign(from, layout, &name);
                self.bind(to, layout, &name);
            }
        }
    }

    /// `name = value`, register by register.
    pub fn assign(&mut self, value: Value, layout: LayoutId, name: &str) {
        let count = self.registers(value, layout);
        let index = self.each(count, 1);
        let text = self.expression(value, layout, &index);
        let target = self.register(value, layout, name, &index);
        // A branch may give what the variable holds already.
        if text != target {
            self.writer.line(format!("{target} = {text};"));
        }
        self.end_each(count, 1);
    }

    /// What a body ends with becomes what it begins with.
    fn carry(&mut self, results: &[Value], arguments: &[Value]) {
        let mut moves = Vec::new();
        for (&from, &to) in results.iter().zip(arguments) {
            for layout in self.placement.computed_in(to) {
                moves.push((from, to, layout));
            }
        }
        let is_alone = moves.len() == 1;
        let mut late = Vec::new();
        for &(from, to, layout) in &moves {
            let name = self.names[&(to, layout)].clone();
            let is_variable =
                self.names.contains_key(&(from, layout)) && !arguments.contains(&from);
            if is_alone || is_variable {
                late.push((from, layout, name, None));
                continue;
            }
            // As in `a, b = b, a + b`: all that is made of old values is computed before the first variable is set.
            let next = self.fresh(&format!("next_{name}"));
            let declaration = self.declaration(to, layout, &next);
            self.writer.line(format!("{declaration};"));
            self.assign(from, layout, &next);
            late.push((from, layout, name, Some(next)));
        }
        for (from, layout, name, next) in late {
            match next {
                None => self.assign(from, layout, &name),
                Some(next) => {
                    let count = self.registers(from, layout);
                    let index = self.each(count, 1);
                    let (to, from) = (
                        self.register(from, layout, &name, &index),
                        self.register(from, layout, &next, &index),
                    );
                    self.writer.line(format!("{to} = {from};"));
                    self.end_each(count, 1);
                }
            }
        }
    }

    /// What a loop carried is what it gives.
    fn give(&mut self, arguments: &[Value], results: &[Value]) {
        for (&from, &to) in arguments.iter().zip(results) {
            // Under the same name, without a copy: nothing writes a loop's variable behind the loop.
            for layout in self.placement.computed_in(to) {
                if let Some(name) = self.names.get(&(from, layout)).cloned() {
                    self.names.insert((to, layout), name);
                }
            }
        }
    }
}
