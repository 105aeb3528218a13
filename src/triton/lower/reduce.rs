//! Reductions: within a thread, then between lanes by shuffles, then between warps through shared memory.
//!
//! After `lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp` of <https://github.com/triton-lang/triton>: what a thread
//! holds is combined in the order of its registers; lanes exchange at halving distances; the first lane of each warp
//! writes to shared memory, the first threads of the block combine what the warps wrote, and all read it.

use super::index::{Index, LANE_BITS, register_bits, scattered, shared_offset, threads_without};
use super::lowering::Lowering;
use super::memory::LastAccess;
use crate::triton::layout::{LinearLayout, WarpReduction, reduce};
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Binary, BlockId, Constant, Element, Node, NodeId, Op, Value};

/// A reduction being written.
struct Reduction<'a> {
    node: &'a Node,
    axis: usize,
    source: LinearLayout,
    /// For each register of a result, the number of its value.
    groups: Vec<u32>,
    /// Names of the results' variables.
    names: Vec<String>,
    /// Registers of each result.
    count: u32,
    result_layout: LayoutId,
    /// Whether each warp has a part of the results.
    has_parts: bool,
    /// The access that alone needs the results, if it may be left out.
    last: Option<&'a LastAccess>,
}

/// Numbers that one truth value leaves in a sum, or makes zeroes of.
struct SummedChoice {
    condition: Value,
    value: Value,
    /// Elements of a thread that it chooses together, from the first on.
    same: u32,
}

impl Lowering<'_> {
    /// A reduction whose result only an access needs that may be left out.
    pub fn reduction(&mut self, id: NodeId, layout: LayoutId, last: Option<&LastAccess>) {
        let node = &self.function.nodes[id.0];
        self.writer.span = node.span;
        if let Op::Reduce(axis) = node.op {
            self.reduce(node, axis, layout, last);
        }
    }

    /// A reduction along `axis` whose results are needed in `layout`, by any use or by an access that may be left out.
    pub fn reduce(
        &mut self,
        node: &Node,
        axis: usize,
        layout: LayoutId,
        last: Option<&LastAccess>,
    ) {
        let wanted = self.wanted(node, node.operands[0], layout);
        let source = self.linear(node.operands[0], wanted);
        let mut names = Vec::new();
        for &result in &node.results {
            let name = self.name_of(result, "reduced");
            let declaration = self.declaration(result, layout, &name);
            self.writer.line(format!("{declaration};"));
            names.push(name);
        }
        let steps = reduce(&source, axis);
        let mut reduction = Reduction {
            groups: steps.results.clone(),
            has_parts: steps.across_warps.is_some(),
            node,
            axis,
            names,
            count: self.registers(node.results[0], layout),
            source,
            result_layout: layout,
            last,
        };
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
        // The first register is what the others are combined into.
        let inner = 1u32 << inside.len();
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        // Registers off the axis keep their bits; those along it are 0 here, and run through all values below.
        let base = scattered(&index, &outside);
        let choice = self.summed_choice(reduction, &inside);
        for (target, &operand) in targets.iter().zip(&node.operands) {
            let first = choice.as_ref().map_or(operand, |choice| choice.value);
            let text = self.expression(first, wanted, &base);
            self.writer.line(format!("{target} = {text};"));
        }
        let first = match choice {
            Some(choice) => self.add_chosen(&choice, wanted, &base, &targets[0], &inside),
            None => 1,
        };
        if inner > first {
            self.writer.margin("#pragma unroll");
            self.writer
                .open(format!("for (int j = {first}; j < {inner}; j++)"));
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

    /// The choice between numbers and zeroes that a sum takes in, if the same truth value chooses several of a thread's
    /// first elements: LLVM adds these before it chooses (`SimplifySelectsFeedingBinaryOp`).
    fn summed_choice(&self, reduction: &Reduction, inside: &[usize]) -> Option<SummedChoice> {
        let operand = reduction.node.operands[0];
        let combines = &self.function.blocks[reduction.node.blocks[0].0].nodes;
        let is_sum = matches!(combines[..], [only]
            if self.function.nodes[only.0].op == Op::Binary(Binary::Add));
        let node = self.function.definition(operand)?;
        let is_choice = node.op == Op::Select && self.is_used_once(operand);
        let is_float = self.function.ty(operand).element == Element::F32;
        if !(is_sum && is_choice && is_float) {
            return None;
        }
        let zero = Some(Constant::Float(0.0));
        if self.function.constant(node.operands[2]) != zero {
            return None;
        }
        let condition = node.operands[0];
        // Neighbours along the axis, as far as they share their truth value.
        let constancy = self.axes.get(condition).constancy[reduction.axis];
        let source = &reduction.source;
        let step = |&bit: &usize| source.indices(source.registers[bit])[reduction.axis];
        let neighbours = inside.iter().zip(0..);
        let neighbours = neighbours.take_while(|&(bit, at)| step(bit) == 1 << at);
        let same = constancy.min(1 << neighbours.count()).max(1) as u32;
        let value = node.operands[1];
        (same > 1).then_some(SummedChoice {
            condition,
            value,
            same,
        })
    }

    /// The first elements that are chosen together are added to the first of them; how many they are.
    fn add_chosen(
        &mut self,
        choice: &SummedChoice,
        wanted: LayoutId,
        base: &Index,
        target: &str,
        inside: &[usize],
    ) -> u32 {
        let SummedChoice {
            condition,
            value,
            same,
        } = *choice;
        self.writer.margin("#pragma unroll");
        self.writer
            .open(format!("for (int j = 1; j < {same}; j++)"));
        let place = base.plus(&scattered(&Index::Text("j".to_owned()), inside));
        let other = self.operand(value, wanted, &place);
        self.writer.line(format!("{target} = {target} + {other};"));
        self.writer.close();
        let condition = self.expression(condition, wanted, base);
        self.writer.line(format!(
            "{target} = where<float>({condition}, {target}, 0.0f);"
        ));
        same
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
        match distances.split_last() {
            Some((&last, others)) if self.is_stored_by_first_thread(reduction) => {
                self.shuffles(reduction.node.blocks[0], &targets, others);
                self.last_shuffle(reduction.node.blocks[0], &targets, last);
            }
            _ => self.shuffles(reduction.node.blocks[0], &targets, distances),
        }
        self.end_each(reduction.count, 1);
    }

    /// Whether a sum is all that the kernel's last store needs, of one number: `ptxas` ends the threads that do not store
    /// before the last addition.
    fn is_stored_by_first_thread(&self, reduction: &Reduction) -> bool {
        let function = self.function;
        let result = reduction.node.results[0];
        let ty = function.ty(result);
        let combines = &function.blocks[reduction.node.blocks[0].0].nodes;
        let is_sum = match combines[..] {
            [only] => function.nodes[only.0].op == Op::Binary(Binary::Add),
            _ => false,
        };
        let is_number = ty.is_scalar() && ty.element == Element::F32 && !self.is_in_loop();
        is_sum && is_number && !reduction.has_parts && self.last_number() == Some(result)
    }

    /// What the last store of the kernel is computed of, if it is one number and nothing but functions of it stands between.
    fn last_number(&self) -> Option<Value> {
        let function = self.function;
        let mut last = &function.nodes[function.blocks[0].nodes.last()?.0];
        // The store may stand at the end of a condition.
        if last.op == Op::If {
            last = &function.nodes[function.blocks[last.blocks[0].0].nodes.last()?.0];
        }
        let Op::Store(access) = last.op else {
            return None;
        };
        let mut value = last.operands[1];
        while let Some(node) = function.definition(value)
            && matches!(node.op, Op::Unary(_) | Op::Cast)
            && self.is_used_once(value)
        {
            value = node.operands[0];
        }
        let is_one = !access.is_masked && function.ty(last.operands[0]).is_scalar();
        (is_one && self.is_used_once(value)).then_some(value)
    }

    /// The last exchange of a warp, of which the first thread alone needs the result.
    fn last_shuffle(&mut self, block: BlockId, targets: &[String], distance: u32) {
        let target = &targets[0];
        let other = self.fresh("other");
        self.writer.line(format!(
            "const float {other} = __shfl_xor_sync(0xffffffff, {target}, {distance});"
        ));
        self.writer.open("if (threadIdx.x == 0)");
        self.combine(block, targets, &[other]);
        self.writer.close();
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
        let shared = self.shared(reduction, across.elements);
        // Of lanes and warps that hold the same only the first stores.
        let idle = across.idle_lanes | across.idle_warps << LANE_BITS;
        let condition = threads_without(idle, 32 * self.warps)
            .map_or(String::new(), |condition| format!("if ({condition}) "));
        self.begin_reuse();
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        let groups = reduction.bases(|register| {
            let group = reduction.groups[register as usize];
            across.stores.values[group as usize]
        });
        let place = shared_offset(&across.stores, &groups, &index);
        for (name, target) in shared.iter().zip(&targets) {
            self.writer
                .line(format!("{condition}{name}[{place}] = {target};"));
        }
        self.end_each(reduction.count, 1);
        self.writer.line("__syncthreads();");
        self.combine_partials(reduction, &shared, across);
        self.writer.line("__syncthreads();");
        self.load_results(reduction, &shared, across);
    }

    /// All read what the first threads left; what is used once is read there, and what nobody uses not at all.
    fn load_results(
        &mut self,
        reduction: &mut Reduction,
        shared: &[String],
        across: &WarpReduction,
    ) {
        // In a loop the array is written again before the number may be used.
        let is_number = reduction.count == 1 && !self.is_in_loop() && reduction.last.is_none();
        let index = self.each(reduction.count, 1);
        let targets = self.targets(reduction, &index);
        let registers = reduction.bases(|register| across.loads.values[register as usize]);
        let place = shared_offset(&across.loads, &registers, &index);
        for (at, (name, target)) in shared.iter().zip(&targets).enumerate() {
            let (result, place) = (reduction.node.results[at], format!("{name}[{place}]"));
            match is_number && self.is_only_stored(result) {
                true => reduction.names[at] = place,
                false if !self.is_used(result) => {}
                false => match reduction.last.and_then(|last| last.needs(&index)) {
                    Some(condition) => {
                        self.writer.line(format!("{target} = 0;"));
                        let load = format!("if ({condition}) {target} = {place};");
                        self.writer.line(load);
                    }
                    None => self.writer.line(format!("{target} = {place};")),
                },
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
        let condition = match count < threads {
            true => format!("if (threadIdx.x < {count}) "),
            false => String::new(),
        };
        let partials = self.partials(node, shared, &place, &condition);
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

    /// Variables with what is at a place of each array, for threads that a condition chooses.
    fn partials(
        &mut self,
        node: &Node,
        shared: &[String],
        place: &str,
        condition: &str,
    ) -> Vec<String> {
        let mut partials = Vec::new();
        for (name, &result) in shared.iter().zip(&node.results) {
            let partial = self.fresh("partial");
            let element = self.function.ty(result).element.cuda();
            self.writer
                // `float()` is 0: a thread without a part has something to shuffle, which nobody reads.
                .line(format!("{element} {partial} = {element}();"));
            self.writer
                .line(format!("{condition}{partial} = {name}[{place}];"));
            partials.push(partial);
        }
        partials
    }

    /// `targets = combine(targets, others)`.
    pub fn combine(&mut self, block: BlockId, targets: &[String], others: &[String]) {
        self.combine_into(block, [targets, others], targets);
    }

    /// `targets = combine(left, right)`.
    pub fn combine_into(
        &mut self,
        block: BlockId,
        [left, right]: [&[String]; 2],
        targets: &[String],
    ) {
        let function = self.function;
        let inner = &function.blocks[block.0];
        for (&argument, text) in inner.arguments.iter().zip(left.iter().chain(right)) {
            // The combining function has one block; each call gives its arguments other names.
            self.names.insert((argument, None), text.clone());
        }
        self.fetch_once(block, left.len(), right);
        let count = targets.len();
        let mut results = Vec::new();
        for &result in &inner.results {
            let text = self.expression(result, None, &Index::Known(0));
            // One result can be put in place of the call; two must both be computed before either target changes, as in
            // an arg max.
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
                // They belong to this call: the next one computes them anew.
                self.names.remove(&(result, None));
            }
        }
    }

    /// What another lane holds is fetched once, where it is used again.
    fn fetch_once(&mut self, block: BlockId, count: usize, others: &[String]) {
        let function = self.function;
        let inner = &function.blocks[block.0];
        // A single operation reads each operand once.
        if inner.nodes.len() < 2 {
            return;
        }
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

    fn value_of_combination(&mut self, node: &Node, value: Value) {
        let text = self.definition(node, value, None, &Index::Known(0));
        let name = self.fresh("either");
        let element = self.function.ty(value).element.cuda();
        self.writer
            .line(format!("const {element} {name} = {text};"));
        self.names.insert((value, None), name);
    }
}

impl Reduction<'_> {
    /// What each bit of the number of a result's register makes of an offset.
    fn bases(&self, of: impl Fn(u32) -> u32) -> Vec<u32> {
        let (_, outside) = register_bits(&self.source, self.axis);
        (0..outside.len()).map(|at| of(1 << at)).collect()
    }
}
