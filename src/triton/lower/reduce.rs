//! Reductions: within a thread, then between lanes by shuffles, then between warps through shared memory.
//!
//! After `lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp` of <https://github.com/triton-lang/triton>: what a thread
//! holds is combined in the order of its registers; lanes exchange at halving distances; the first lane of each warp
//! writes to shared memory, the first threads of the block combine what the warps wrote, and all read it.

use super::index::{Index, first_of_replicas, register_bits, scattered, thread_part};
use super::lowering::Lowering;
use crate::triton::layout::{LinearLayout, WarpReduction, reduce};
use crate::triton::placement::LayoutId;
use crate::triton::tile::{BlockId, Node, Value};

/// A reduction being written.
struct Reduction<'a> {
    node: &'a Node,
    axis: usize,
    source: LinearLayout,
    /// Names of the results' variables.
    names: Vec<String>,
    /// Registers of each result.
    count: u32,
    result_layout: LayoutId,
}

impl Lowering<'_> {
    /// A reduction along `axis` whose results are needed in `layout`.
    pub fn reduce(&mut self, node: &Node, axis: usize, layout: LayoutId) {
        let wanted = self.wanted(node, node.operands[0], layout);
        let source = self.linear(node.operands[0], wanted);
        let mut names = Vec::new();
        for &result in &node.results {
            let name = self.name_of(result, "reduced");
            let declaration = self.declaration(result, layout, &name);
            self.writer.line(format!("{declaration};"));
            names.push(name);
        }
        let mut reduction = Reduction {
            node,
            axis,
            names,
            count: self.registers(node.results[0], layout),
            source,
            result_layout: layout,
        };
        let steps = reduce(&reduction.source, axis);
        self.within_threads(&reduction, wanted);
        self.within_warps(&reduction, &steps.shuffles);
        if let Some(across) = &steps.across_warps {
            self.between_warps(&mut reduction, across);
        }
        for (&result, name) in node.results.iter().zip(&reduction.names) {
            self.bind(result, layout, name);
        }
    }

    /// What one thread holds.
    fn within_threads(&mut self, reduction: &Reduction, wanted: LayoutId) {
        let node = reduction.node;
        let (inside, outside) = register_bits(&reduction.source, reduction.axis);
        let inner = 1u32 << inside.len();
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        let base = scattered(&index, &outside);
        for (target, &operand) in targets.iter().zip(&node.operands) {
            let text = self.expression(operand, wanted, &base);
            self.writer.line(format!("{target} = {text};"));
        }
        if inner > 1 {
            self.writer.margin("#pragma unroll");
            self.writer
                .open(format!("for (int j = 1; j < {inner}; j++)"));
            let place = base.plus(&scattered(&Index::Text("j".to_owned()), &inside));
            let others: Vec<String> = node
                .operands
                .iter()
                .map(|&operand| self.operand(operand, wanted, &place))
                .collect();
            self.combine(node.blocks[0], &targets, &others);
            self.writer.close();
        }
        self.end_each(reduction.count, 1);
    }

    fn targets(&self, reduction: &Reduction, index: &Index) -> Vec<String> {
        let pairs = reduction.node.results.iter().zip(&reduction.names);
        let targets = pairs
            .map(|(&result, name)| self.register(result, reduction.result_layout, name, index));
        targets.collect()
    }

    /// What the lanes of a warp hold, at halving distances.
    fn within_warps(&mut self, reduction: &Reduction, distances: &[u32]) {
        if distances.is_empty() {
            return;
        }
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        self.shuffles(reduction.node.blocks[0], &targets, distances);
        self.end_each(reduction.count, 1);
    }

    /// Each target with that of the lanes at these distances, which halve.
    fn shuffles(&mut self, block: BlockId, targets: &[String], distances: &[u32]) {
        let (Some(from), Some(to)) = (distances.first(), distances.last()) else {
            return;
        };
        self.writer.margin("#pragma unroll");
        self.writer.open(format!(
            "for (int distance = {from}; distance >= {to}; distance /= 2)"
        ));
        let others: Vec<String> = targets
            .iter()
            .map(|target| format!("__shfl_xor_sync(0xffffffff, {target}, distance)"))
            .collect();
        self.combine(block, targets, &others);
        self.writer.close();
    }

    /// What the warps of the block hold, through shared memory.
    fn between_warps(&mut self, reduction: &mut Reduction, across: &WarpReduction) {
        let (source, axis) = (&reduction.source.clone(), reduction.axis);
        let warps = across.parts;
        let shared = self.shared(reduction, across.elements);
        let representative = LinearLayout {
            // The lanes of the axis hold the same by now.
            lanes: source
                .lanes
                .iter()
                .map(|&basis| {
                    if along(source, basis, axis) != 0 {
                        0
                    } else {
                        basis
                    }
                })
                .collect(),
            ..source.clone()
        };
        let condition = first_of_replicas(&representative)
            .map_or(String::new(), |condition| format!("if ({condition}) "));
        let warp = warp_along(source, axis);
        if self.is_in_loop() {
            // All have read what the round before left there.
            self.writer.line("__syncthreads();");
        }
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        let row = self.other_place(reduction, &index, warps);
        for (name, target) in shared.iter().zip(&targets) {
            let place = [row.clone(), warp.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" + ");
            self.writer
                .line(format!("{condition}{name}[{place}] = {target};"));
        }
        self.end_each(reduction.count, 1);
        self.writer.line("__syncthreads();");
        self.combine_partials(reduction, &shared, across);
        self.writer.line("__syncthreads();");
        self.load_results(reduction, &shared, warps);
    }

    /// All read what the first threads left; what is used once is read there.
    fn load_results(&mut self, reduction: &mut Reduction, shared: &[String], warps: u32) {
        let is_number = reduction.count == 1 && !self.is_in_loop();
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        let row = self
            .other_place(reduction, &index, warps)
            .unwrap_or_else(|| "0".to_owned());
        for (at, (name, target)) in shared.iter().zip(&targets).enumerate() {
            let place = format!("{name}[{row}]");
            match is_number && self.is_only_stored(reduction.node.results[at]) {
                true => reduction.names[at] = place,
                false => self.writer.line(format!("{target} = {place};")),
            }
        }
        self.end_each(reduction.count, 1);
    }

    fn shared(&mut self, reduction: &Reduction, count: u32) -> Vec<String> {
        let mut names = Vec::new();
        for (at, &result) in reduction.node.results.iter().enumerate() {
            let ty = self.function.ty(result);
            let wish = format!("{}_of_warps", reduction.names[at]);
            names.push(self.shared_array(&wish, ty, u64::from(count)));
        }
        names
    }

    /// The first threads combine what the warps wrote.
    fn combine_partials(
        &mut self,
        reduction: &Reduction,
        shared: &[String],
        across: &WarpReduction,
    ) {
        let node = reduction.node;
        let threads = 32 * self.warps;
        let (warps, count, rounds) = (across.parts, across.elements, across.rounds);
        if rounds > 1 {
            self.writer.unrolled("round", rounds, 1);
        } else {
            self.writer.open("");
        }
        let place = if rounds > 1 {
            format!("round * {threads} + threadIdx.x")
        } else {
            "threadIdx.x".to_owned()
        };
        let mut partials = Vec::new();
        for (name, &result) in shared.iter().zip(&node.results) {
            let partial = self.fresh("partial");
            let element = self.function.ty(result).element.cuda();
            self.writer
                .line(format!("{element} {partial} = {element}();"));
            let condition = if count < threads {
                format!("if (threadIdx.x < {count}) ")
            } else {
                String::new()
            };
            self.writer
                .line(format!("{condition}{partial} = {name}[{place}];"));
            partials.push(partial);
        }
        self.shuffles(node.blocks[0], &partials, &across.shuffles);
        let mut conditions = Vec::new();
        if count < threads {
            conditions.push(format!("threadIdx.x < {count}"));
        }
        conditions.push(format!("threadIdx.x % {warps} == 0"));
        let condition = conditions.join(" && ");
        for (name, partial) in shared.iter().zip(&partials) {
            self.writer
                .line(format!("if ({condition}) {name}[{place}] = {partial};"));
        }
        self.writer.close();
    }

    /// Where in shared memory the row of a result's register is.
    fn other_place(&mut self, reduction: &Reduction, index: &Index, warps: u32) -> Option<String> {
        let source = reduction.source.without(reduction.axis);
        let mut terms = Vec::new();
        let mut scale = warps;
        // The side that neighbours lie along comes first.
        for dim in (0..source.shape.len()).rev() {
            let place = self.coordinate(&source, dim, index);
            if place != "0" {
                terms.push(format!("({place}) * {scale}"));
            }
            scale *= source.shape[dim];
        }
        (!terms.is_empty()).then(|| terms.join(" + "))
    }

    /// `targets = combine(targets, others)`.
    pub fn combine(&mut self, block: BlockId, targets: &[String], others: &[String]) {
        let function = self.function;
        let inner = &function.blocks[block.0];
        for (&argument, text) in inner.arguments.iter().zip(targets.iter().chain(others)) {
            self.names.insert((argument, None), text.clone());
        }
        // What another lane holds is fetched once.
        let count = targets.len();
        let is_used_again = inner.nodes.len() > 1;
        if is_used_again {
            for (at, other) in others.iter().enumerate() {
                let argument = inner.arguments[count + at];
                let name = self.fresh("other");
                let element = function.ty(argument).element.cuda();
                self.writer
                    .line(format!("const {element} {name} = {other};"));
                self.names.insert((argument, None), name);
            }
            for &id in &inner.nodes {
                let node = &function.nodes[id.0];
                if node.results.len() == 1 && !self.is_inline(node.results[0]) {
                    self.value_of_combination(node, node.results[0]);
                }
            }
        }
        let mut results = Vec::new();
        for &result in &inner.results {
            let text = self.expression(result, None, &Index::Known(0));
            if count == 1 {
                results.push(text);
                continue;
            }
            let name = self.fresh("both");
            let element = function.ty(result).element.cuda();
            self.writer
                .line(format!("const {element} {name} = {text};"));
            results.push(name);
        }
        for (target, result) in targets.iter().zip(&results) {
            self.writer.line(format!("{target} = {result};"));
        }
        for node in inner.nodes.iter().map(|id| &function.nodes[id.0]) {
            for &result in &node.results {
                self.names.remove(&(result, None));
            }
        }
    }

    fn value_of_combination(&mut self, node: &Node, value: Value) {
        let text = self.definition(node, value, None, &Index::Known(0));
        let name = self.fresh("either");
        let element = self.function.ty(value).element.cuda();
        self.writer
            .line(format!("const {element} {name} = {text};"));
        self.names.insert((value, None), name);
    }
}

/// How far a basis goes along a side.
fn along(layout: &LinearLayout, basis: u32, axis: usize) -> u32 {
    layout.indices(basis)[axis]
}

/// The number of a warp among those along `axis`.
fn warp_along(source: &LinearLayout, axis: usize) -> Option<String> {
    let mut next = 0;
    let warps: Vec<u32> = source
        .warps
        .iter()
        .map(|&basis| match along(source, basis, axis) {
            0 => 0,
            _ => {
                next += 1;
                1 << (next - 1)
            }
        })
        .collect();
    let counted = LinearLayout {
        shape: vec![1 << next],
        registers: Vec::new(),
        lanes: vec![0; source.lanes.len()],
        warps,
    };
    let text = thread_part(&counted, 0);
    (!text.is_empty()).then_some(text)
}
