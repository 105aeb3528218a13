//! Operations in order, each in every layout that is asked for.

use super::index::Index;
use super::lowering::Lowering;
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Access, BlockId, Node, NodeId, Op, Value};

impl Lowering<'_> {
    /// A block of operations.
    pub fn block(&mut self, block: BlockId) {
        let function = self.function;
        let late = self.before_last_store();
        let last = self.last_operation();
        let is_late =
            |id: &NodeId| last == Some(*id) || late.as_ref().is_some_and(|late| late.has(*id));
        for id in function.blocks[block.0]
            .nodes
            .iter()
            .filter(|&id| !is_late(id))
        {
            self.node(*id);
        }
    }

    /// One operation, and its results in the layouts that they are converted to.
    pub fn node(&mut self, id: NodeId) {
        let function = self.function;
        let node = &function.nodes[id.0];
        if self.rounds.before.contains(&id) {
            return;
        }
        self.writer.span = node.span;
        let access = self.placement.accesses.get(&id).copied().flatten();
        let arrays = self.writer.shared_count();
        match &node.op {
            Op::Store(how) => self.store(id, *how, access),
            Op::Atomic(atomic, how) => self.atomic(node, *atomic, *how, access),
            Op::For { .. } => self.for_loop(node),
            Op::If => self.choice(node),
            Op::While => self.while_loop(node),
            Op::Barrier => self.writer.line("__syncthreads();"),
            Op::Print(_) => self.print(node),
            Op::Assert(message) => self.assert(node, message),
            _ => self.computed(node),
        }
        for &result in &node.results {
            self.conversions(result);
        }
        // A combined number may be loaded only where it is stored.
        let is_late = matches!(node.op, Op::Reduce(_)) && !self.is_in_loop();
        if !is_late {
            self.writer.end_shared(arrays);
        }
        for &result in &node.results {
            self.stage_once(result);
        }
    }

    /// An operation in every layout that it is needed in.
    fn computed(&mut self, node: &Node) {
        let first = node.results.first();
        let layouts = first.map(|&first| self.placement.computed_in(first));
        let layouts = layouts.unwrap_or_default();
        for (at, &layout) in layouts.iter().enumerate() {
            match &node.op {
                Op::Load(_) if self.load_copied(node, layout) => {}
                Op::Load(access) if self.is_loaded(node, *access, layout, &layouts[..at]) => {}
                Op::Load(access) => self.load(node, *access, layout),
                Op::Reduce(axis) => self.reduce(node, *axis, layout, None),
                Op::Scan(axis, is_reverse) => self.scan(node, *axis, *is_reverse, layout),
                Op::Dot(precision) => self.dot(node, *precision, layout),
                Op::Gather(axis) => self.gather(node, *axis, layout),
                // Written where it is used.
                _ if self.is_inline(node.results[0]) => {}
                _ => self.elementwise(node, node.results[0], layout),
            }
        }
    }

    /// Whether the same threads load the same elements in a layout `before`: two loads under no predicate are one to `ptxas`.
    fn is_loaded(
        &mut self,
        node: &Node,
        access: Access,
        layout: LayoutId,
        before: &[LayoutId],
    ) -> bool {
        let value = node.results[0];
        let own = self.linear(value, layout);
        let mut same = before
            .iter()
            .filter(|&&other| self.linear(value, other) == own);
        let name = same
            .next()
            .and_then(|&other| self.names.get(&(value, other)));
        let name = name.filter(|_| !access.is_masked).cloned();
        if let Some(name) = &name {
            self.bind(value, layout, name);
        }
        name.is_some()
    }

    /// A variable for what is computed element by element.
    fn elementwise(&mut self, node: &Node, value: Value, layout: LayoutId) {
        let name = self.name_of(value, otherwise(&node.op));
        let count = self.registers(value, layout);
        let declaration = self.declaration(value, layout, &name);
        if count == 1 {
            let text = self.definition(node, value, layout, &Index::Known(0));
            let constant = if self.function.ty(value).is_pointer {
                ""
            } else {
                "const "
            };
            self.writer
                .line(format!("{constant}{declaration} = {text};"));
        } else {
            self.writer.line(format!("{declaration};"));
            let needed = self.needed_registers(value, layout);
            self.writer.unrolled("i", needed, 1);
            let text = self.definition(node, value, layout, &Index::Text("i".to_owned()));
            self.writer.line(format!("{name}[i] = {text};"));
            self.writer.close();
        }
        self.bind(value, layout, &name);
    }

    /// `tl.device_assert` of each element that a thread holds.
    fn assert(&mut self, node: &Node, message: &str) {
        let condition = node.operands[0];
        let layout = self.placement.own(condition);
        let count = self.registers(condition, layout);
        let index = self.each(count, 1);
        let text = self.operand(condition, layout, &index);
        // It stands between quotes of C++, on one line.
        let message = message.replace(['"', '\\', '\n'], "'");
        let message = match message.is_empty() {
            true => String::new(),
            false => format!(" && \"{message}\""),
        };
        self.writer.line(format!("assert({text}{message});"));
        self.end_each(count, 1);
        if layout.is_some() {
            // As Triton does: nobody goes on to what the assertion guards before all have made it.
            self.writer.line("__syncthreads();");
        }
    }

    fn print(&mut self, node: &Node) {
        let Op::Print(prefix) = &node.op else {
            return;
        };
        for &operand in &node.operands {
            let layout = self.placement.own(operand);
            let count = self.registers(operand, layout);
            let index = self.each(count, 1);
            let text = self.expression(operand, layout, &index);
            let ty = self.function.ty(operand);
            let (format, cast) = match ty.element.is_float() {
                true => ("%f", "(double)"),
                false => ("%lld", "(long long)"),
            };
            let prefix = prefix.replace(['"', '\\'], "'");
            self.writer.line(format!("printf(\"pid (%d, %d, %d) {prefix}{format}\\n\", blockIdx.x, blockIdx.y, blockIdx.z, {cast}({text}));"));
            self.end_each(count, 1);
        }
    }
}

/// What a value is called that the text has no name for.
fn otherwise(op: &Op) -> &'static str {
    match op {
        Op::Compare(_) => "holds",
        Op::Offset => "pointer",
        Op::Select => "chosen",
        Op::Cast => "cast",
        Op::ProgramId(_) => "program",
        Op::ProgramCount(_) => "programs",
        _ => "value",
    }
}
