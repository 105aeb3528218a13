//! Loops whose loads are copied to shared memory rounds ahead, asynchronously.
//!
//! As the passes of Triton have it (`LowerLoops.cpp` and `PipelineExpander.cpp` under
//! `lib/Dialect/TritonGPU/Transforms/Pipeliner`): before the loop, the copies of the first `stages - 1` rounds are
//! begun; each round waits for its own, uses them, and begins those of the round `stages - 1` behind. What addresses and
//! masks are made of is computed twice: for the round at hand, and for the one ahead.

use std::collections::BTreeMap;

use super::index::first_of_replicas;
use super::lowering::{Copied, Lowering, Staging};
use super::memory::order;
use super::shared::{AccessLoop, SharedPlace};
use crate::triton::analysis::Ahead;
use crate::triton::layout::{
    DotKind, Instruction, LinearLayout, SharedLayout, SharedSide, copy_access, shared_access,
};
use crate::triton::placement::{LayoutId, is_made_of_loads, product};
use crate::triton::tile::{Constant, Element, Node, NodeId, Op, Type, Value};

/// Bytes that one asynchronous copy may have.
// What `cp.async` takes (PTX ISA, `cp-size`); Triton makes no narrower copies either.
const COPY_BYTES: [u32; 3] = [4, 8, 16];

/// A load that is made ahead.
#[derive(Clone, Debug)]
struct Copy {
    load: NodeId,
    layout: LayoutId,
    staging: Staging,
    /// Where a thread copies to.
    side: SharedSide,
    /// The buffers, one behind another.
    memory: String,
    /// What a thread adds to their addresses.
    thread: String,
    /// Bytes of one buffer.
    bytes: u64,
}

/// A loop with copies ahead.
#[derive(Clone, Debug)]
pub struct Pipeline {
    ahead: Ahead,
    copies: Vec<Copy>,
    buffers: u32,
    /// Variables: the number that the loop counts, ahead; the buffers that are read and written.
    counter: String,
    read: String,
    write: String,
    /// What is carried, ahead: names by value and layout.
    carried: BTreeMap<(Value, LayoutId), String>,
    /// Whether there is a round for the counter.
    in_time: String,
    step: String,
}

/// A product that reads a tile.
pub struct Reader<'a> {
    /// The product.
    pub node: &'a Node,
    /// Which of its factors.
    pub at: usize,
    /// Whether it reads the transposed tile.
    pub is_turned: bool,
}

impl Lowering<'_> {
    /// Begins the copies of the first rounds of a loop, if it has any; `bounds` are its start, stop and step.
    pub fn begin_pipeline(&mut self, each: &Node, bounds: &[String; 3]) -> Option<Pipeline> {
        let Op::For { stages } = each.op else {
            return None;
        };
        let stages = stages.unwrap_or(self.stages);
        let ahead = Ahead::of(self.function, each, stages, &|load| self.can_copy(load));
        let is_moved = |id: &NodeId| {
            let results = &self.function.nodes[id.0].results;
            let mut moved = results
                .iter()
                .map(|result| self.placement.converted.get(result));
            moved.any(|layouts| layouts.is_some_and(|layouts| !layouts.is_empty()))
        };
        // A change of layout in what is computed ahead would be written into the round at hand.
        if ahead.loads.is_empty() || ahead.slice.iter().any(is_moved) {
            return None;
        }
        let mut loads = ahead.loads.iter();
        // While `wgmma` reads the buffers of one round, copies of another begin already.
        let more = u32::from(loads.any(|&load| self.is_read_by_warp_groups(load)));
        let buffers = ahead.distance + more;
        let loads: Vec<NodeId> = ahead.loads.iter().copied().collect();
        let copies = loads.into_iter().map(|load| self.buffer(load, buffers));
        let copies: Vec<Copy> = copies.collect();
        let [counter, read, write] = ["ahead", "read", "write"].map(|wish| self.fresh(wish));
        let sign = if self.counts_down(each) { ">" } else { "<" };
        let mut pipeline = Pipeline {
            in_time: format!("{counter} {sign} {}", bounds[1]),
            step: bounds[2].clone(),
            ahead,
            copies,
            buffers,
            counter,
            read,
            write,
            carried: BTreeMap::new(),
        };
        self.begin_ahead(each, &mut pipeline, &bounds[0]);
        Some(pipeline)
    }

    /// Whether the step of a loop is known to be negative.
    pub fn counts_down(&self, each: &Node) -> bool {
        // Only a step known now says which way to compare; Triton's `scf.for` counts up otherwise.
        let step = self.function.constant(each.operands[2]);
        matches!(step, Some(Constant::Integer(step)) if step < 0)
    }

    /// Variables of the rounds ahead, and the copies of those before the first.
    fn begin_ahead(&mut self, each: &Node, pipeline: &mut Pipeline, start: &str) {
        let function = self.function;
        let body = &function.blocks[each.blocks[0].0];
        let element = function.ty(body.arguments[0]).element.cuda();
        let (counter, distance) = (&pipeline.counter, pipeline.ahead.distance);
        self.writer.line(format!("{element} {counter} = {start};"));
        // One buffer needs no number: it is read and written again and again.
        if pipeline.buffers > 1 {
            let (read, write) = (&pipeline.read, &pipeline.write);
            self.writer.line(format!("int {read} = 0, {write} = 0;"));
        }
        for &at in &pipeline.ahead.carried {
            let (argument, before) = (body.arguments[at + 1], each.operands[at + 3]);
            for layout in self.placement.computed_in(argument) {
                let wish = function.values[argument.0].name.as_deref();
                let name = self.fresh(&format!("{}_ahead", wish.unwrap_or("carried")));
                let declaration = self.declaration(argument, layout, &name);
                self.writer.line(format!("{declaration};"));
                self.assign(before, layout, &name);
                pipeline.carried.insert((argument, layout), name);
            }
        }
        // A block of its own all the same: names made in it must not be seen by the loop's body.
        if distance > 1 {
            self.writer.unrolled("stage", distance, 1);
        } else {
            self.writer.open("");
        }
        self.copy_ahead(each, pipeline);
        self.writer.close();
    }

    /// Waits for the copies of the round that begins.
    pub fn begin_round(&mut self, pipeline: &Pipeline) {
        // Copies of later rounds may still be on their way: those of `distance - 1` rounds.
        let rounds = pipeline.ahead.distance - 1;
        self.writer
            .line(format!("__pipeline_wait_prior({rounds});"));
        // A thread waits only for copies of its own; the barrier is for those of all others.
        self.writer.line("__syncthreads();");
        for copy in &pipeline.copies {
            let result = self.function.nodes[copy.load.0].results[0];
            let copied = Copied {
                is_from_registers: false,
                memory: pipeline.place(copy, &pipeline.read),
                staging: copy.staging.clone(),
            };
            self.rounds.copied.insert(result, copied);
        }
        self.rounds.before = pipeline.ahead.loads_before(self.function);
    }

    /// Begins the copies of a later round.
    pub fn end_round(&mut self, each: &Node, pipeline: &Pipeline) {
        // All have read what the copies go over.
        self.writer.line("__syncthreads();");
        if pipeline.buffers > 1 {
            self.writer.line(pipeline.next(&pipeline.read));
        }
        self.writer.open("");
        self.copy_ahead(each, pipeline);
        self.writer.close();
    }

    /// Behind the loop nothing is on its way: others may use the memory.
    pub fn end_pipeline(&mut self, pipeline: &Pipeline) {
        self.writer.line("__pipeline_wait_prior(0);");
        self.writer.line("__syncthreads();");
        for copy in &pipeline.copies {
            let result = self.function.nodes[copy.load.0].results[0];
            self.rounds.copied.remove(&result);
        }
        self.rounds.before.clear();
    }

    /// A tile that was copied, in registers, unless products alone read it. Says whether it was.
    pub fn load_copied(&mut self, node: &Node, layout: LayoutId) -> bool {
        let result = node.results[0];
        let Some(copied) = self.rounds.copied.get(&result).cloned() else {
            return false;
        };
        if !copied.staging.has_others {
            return true;
        }
        let name = self.name_of(result, "loaded");
        self.load_staged(result, layout, &copied, &name);
        if let Some(other) = self.filled_with(node) {
            // Copies leave zeros where the mask does not hold.
            let count = self.registers(result, layout);
            let index = self.each(count, 1);
            let target = self.register(result, layout, &name, &index);
            let mask = self.operand(node.operands[1], layout, &index);
            let other = self.expression(other, layout, &index);
            self.writer
                .line(format!("{target} = {mask} ? {target} : {other};"));
            self.end_each(count, 1);
        }
        self.bind(result, layout, &name);
        true
    }

    /// A variable with what a thread needs of a copied tile in a layout.
    pub fn load_staged(&mut self, value: Value, layout: LayoutId, copied: &Copied, name: &str) {
        let ty = self.function.ty(value).clone();
        let linear = copied.staging.turned(&self.staged(value, layout));
        let bits = ty.element.bits().max(8);
        let loads = shared_access(&linear, &copied.staging.shared, bits);
        let is_turned = loads.instruction == Instruction::MatrixTransposed;
        let loads = loads.words(ty.element.bytes());
        let declaration = self.declaration(value, layout, name);
        self.writer.line(format!("{declaration};"));
        let place = SharedPlace {
            element: ty.element.cuda().to_owned(),
            thread: self.shared_thread(&format!("{name}_from"), &loads),
            memory: copied.memory.clone(),
            is_turned,
        };
        for round in &loads.rounds {
            self.load_side(&place, round, None, &mut |lowering, register| {
                lowering.register(value, layout, name, register)
            });
        }
    }

    fn is_zero(&self, value: Value) -> bool {
        match self.function.constant(value) {
            Some(Constant::Integer(value)) => value == 0,
            Some(Constant::Float(value)) => value == 0.0,
            None => false,
        }
    }

    /// The layout of what is staged: a number is a tile of one.
    fn staged(&self, value: Value, layout: LayoutId) -> LinearLayout {
        let mut linear = self.linear(value, layout);
        if linear.shape.is_empty() {
            linear.shape.push(1);
        }
        linear
    }

    /// Whether copies of 4 bytes or more can make a load (`canBeConvertedToAsyncLoad`, `getCopyVecBytes`).
    fn can_copy(&self, load: NodeId) -> bool {
        let node = &self.function.nodes[load.0];
        let result = node.results[0];
        // Truth values are bytes in memory and bits in registers.
        let is_bool = self.function.ty(result).element == Element::Bool;
        // A load that is wanted in two layouts would have to be copied twice.
        if is_bool || self.placement.computed_in(result).len() != 1 {
            return false;
        }
        let Some(staging) = self.staging(load) else {
            return false;
        };
        let side = self.copy_side(load, &staging);
        let bytes = self.function.ty(result).element.bytes();
        COPY_BYTES.contains(&side.width_bytes(&side.rounds[0][0], bytes))
    }

    /// The layout that a load takes place in: a small one where it is needed, and not where its access would be best.
    fn access(&self, load: NodeId) -> LayoutId {
        let result = self.function.nodes[load.0].results[0];
        if let &[one] = self.placement.computed_in(result).as_slice() {
            return one;
        }
        let access = self.placement.accesses.get(&load).copied();
        access.unwrap_or_else(|| self.placement.own(result))
    }

    /// Where a thread copies to.
    fn copy_side(&self, load: NodeId, staging: &Staging) -> SharedSide {
        let node = &self.function.nodes[load.0];
        let (result, pointer) = (node.results[0], node.operands[0]);
        let mask = match node.op {
            Op::Load(access) if access.is_masked => Some(node.operands[1]),
            _ => None,
        };
        let layout = self.access(load);
        let width = self.width(pointer, mask, layout);
        let bits = self.function.ty(result).element.bits().max(8);
        let linear = staging.turned(&self.staged(result, layout));
        copy_access(&linear, &staging.shared, bits, width)
    }

    /// The products that read a value out of shared memory, and whether anything else uses it.
    pub fn readers(&self, value: Value) -> (Vec<Reader<'_>>, bool) {
        let function = self.function;
        let mut has_others = function
            .blocks
            .iter()
            .any(|block| block.results.contains(&value));
        let mut readers = Vec::new();
        let nodes = function.blocks.iter().flat_map(|block| &block.nodes);
        for node in nodes.map(|id| &function.nodes[id.0]) {
            for at in (0..node.operands.len()).filter(|&at| node.operands[at] == value) {
                match &node.op {
                    Op::Dot(_) if at < 2 && self.is_read_in_place(node, at) => {
                        readers.push(Reader {
                            node,
                            at,
                            is_turned: false,
                        });
                    }
                    // `tl.dot(a, b.T)`: nothing is moved, the product reads the same bytes by columns.
                    Op::Transpose(order) if order[..] == [1, 0] => {
                        let (inner, others) = self.readers(node.results[0]);
                        has_others |= others;
                        readers.extend(inner.into_iter().map(|reader| Reader {
                            is_turned: !reader.is_turned,
                            ..reader
                        }));
                    }
                    _ => match self.factor_made_of(node) {
                        Some(made) => readers.extend(made),
                        None => has_others = true,
                    },
                }
            }
        }
        (readers, has_others)
    }

    /// The products that hold what an operation makes of a tile of their factor's shape, element by element; nothing if it
    /// is used otherwise, too.
    fn factor_made_of(&self, node: &Node) -> Option<Vec<Reader<'_>>> {
        let &[result] = node.results.as_slice() else {
            return None;
        };
        let is_made = !matches!(node.op, Op::Dot(_) | Op::ExpandDims(_) | Op::Broadcast)
            && is_made_of_loads(self.function, result);
        let (readers, has_others) = is_made.then(|| self.readers(result))?;
        let are_held = readers.iter().all(|reader| {
            let dot = product(self.function, reader.node, self.warps);
            self.is_held(reader) && !dot.is_of_warp_groups()
        });
        (are_held && !has_others && !readers.is_empty()).then_some(readers)
    }

    /// Those of a copied tile. What a copy leaves out is zero: any other value is filled in in registers, for all.
    fn copy_readers(&self, load: NodeId) -> (Vec<Reader<'_>>, bool) {
        let node = &self.function.nodes[load.0];
        match self.filled_with(node) {
            Some(_) => (Vec::new(), true),
            None => self.readers(node.results[0]),
        }
    }

    /// What a load has where its mask does not hold, unless that is zero.
    pub fn filled_with(&self, load: &Node) -> Option<Value> {
        let Op::Load(access) = load.op else {
            return None;
        };
        let other = access.has_other.then(|| load.operands[2]);
        other.filter(|&other| !self.is_zero(other))
    }

    fn is_read_by_warp_groups(&self, load: NodeId) -> bool {
        let (readers, has_others) = self.copy_readers(load);
        let is_of_groups =
            |reader: &Reader| product(self.function, reader.node, self.warps).is_of_warp_groups();
        !has_others && readers.iter().any(is_of_groups)
    }

    /// How a copied tile lies (`getSharedEncoding`); none where products want it in different ways.
    fn staging(&self, load: NodeId) -> Option<Staging> {
        let value = self.function.nodes[load.0].results[0];
        let (readers, has_others) = self.copy_readers(load);
        let layout = self.access(load);
        let order = match self.function.ty(value).is_scalar() {
            true => vec![0],
            false => order(&self.linear(value, layout), self.placement.layout(layout)),
        };
        let wanted = |reader: &Reader| {
            let dot = product(self.function, reader.node, self.warps);
            let bits = self.function.ty(value).element.bits().max(8);
            let staging = self.read_staging_of(reader, order[0], has_others, bits);
            (staging, dot.is_of_warp_groups())
        };
        let mut wanted = readers.iter().map(wanted);
        // Only `wgmma` insists on its arrangement where others read the tile too.
        let first = wanted.next().filter(|(_, insists)| *insists || !has_others);
        let Some((first, insists)) = first else {
            let is_column = |reader: &Reader| {
                let dot = product(self.function, reader.node, self.warps);
                reader.at == 0 && !reader.is_turned && dot.kind == DotKind::MultiplyAdd
            };
            // Where threads multiply and add, the left factor lies in columns, as they read it.
            let order = match readers.iter().any(is_column) {
                true => vec![0, 1],
                false => order,
            };
            return Some(Staging {
                shared: SharedLayout::plain(order),
                is_turned: false,
                has_others,
            });
        };
        // Tiles of 16 bits lie for `wgmma` as they were read, whichever way round it multiplies them.
        let is_free = insists && self.function.ty(value).element.bits() == 16;
        let agrees = |(other, other_insists): (Staging, bool)| {
            other.lies_as(&first) || (is_free && other_insists)
        };
        wanted.all(agrees).then_some(first)
    }

    /// How a tile whose accesses go along dimension `fastest` lies for a product that reads it.
    pub fn read_staging(&self, reader: &Reader, fastest: usize, has_others: bool) -> Staging {
        let bits = product(self.function, reader.node, self.warps).element_bits;
        self.read_staging_of(reader, fastest, has_others, bits)
    }

    /// The same for elements of so many bits, of which the factor is made.
    pub fn read_staging_of(
        &self,
        reader: &Reader,
        fastest: usize,
        has_others: bool,
        bits: u32,
    ) -> Staging {
        let dot = product(self.function, reader.node, self.warps);
        let fastest = match reader.is_turned {
            true => 1 - fastest,
            false => fastest,
        };
        Staging {
            shared: dot.shared_of(reader.at, fastest, bits),
            is_turned: reader.is_turned,
            has_others,
        }
    }

    /// Declares the buffers of a load.
    fn buffer(&mut self, load: NodeId, buffers: u32) -> Copy {
        let function = self.function;
        let result = function.nodes[load.0].results[0];
        let staging = self.staging(load).unwrap_or_else(|| Staging {
            shared: SharedLayout::plain(vec![0]),
            is_turned: false,
            has_others: true,
        });
        let side = self.copy_side(load, &staging);
        let ty = function.ty(result);
        let bytes = ty.count() * u64::from(ty.element.bytes());
        // The widest copy is of 16 bytes.
        let bytes = if buffers > 1 {
            bytes.next_multiple_of(16)
        } else {
            bytes
        };
        let name = function.values[result.0].name.as_deref();
        let wish = format!("{}_buffers", name.unwrap_or("tile"));
        let byte = Type::scalar(Element::U8);
        let memory = self.shared_array(&wish, &byte, bytes * u64::from(buffers));
        self.writer.reuse();
        Copy {
            thread: self.shared_thread(&format!("{memory}_to"), &side),
            layout: self.access(load),
            load,
            staging,
            side,
            memory,
            bytes,
        }
    }

    /// One round of copies, and what is carried goes on by one.
    fn copy_ahead(&mut self, each: &Node, pipeline: &Pipeline) {
        let function = self.function;
        let body = &function.blocks[each.blocks[0].0];
        // What the round at hand calls things is put aside: the same nodes are written once more under other names.
        let (names, tensors) = (self.names.clone(), self.tensors.len());
        let copied = std::mem::take(&mut self.rounds.copied);
        self.rounds.in_time = Some(pipeline.in_time.clone());
        let before = std::mem::take(&mut self.rounds.before);
        let carried = pipeline.carried.iter();
        self.names
            .extend(carried.map(|(key, name)| (*key, name.clone())));
        self.names
            .insert((body.arguments[0], None), pipeline.counter.clone());
        for &id in &body.nodes {
            if pipeline.ahead.slice.contains(&id) {
                self.node(id);
            }
            if let Some(copy) = pipeline.copies.iter().find(|copy| copy.load == id) {
                self.writer.span = function.nodes[id.0].span;
                self.begin_copies(copy, pipeline);
            }
        }
        // In every round, also where nothing is copied: `__pipeline_wait_prior` counts commits.
        self.writer.line("__pipeline_commit();");
        self.carry_ahead(each, pipeline);
        let (counter, step) = (&pipeline.counter, &pipeline.step);
        self.writer.line(format!("{counter} += {step};"));
        if pipeline.buffers > 1 {
            self.writer.line(pipeline.next(&pipeline.write));
        }
        self.names = names;
        self.rounds.copied = copied;
        self.rounds.in_time = None;
        self.rounds.before = before;
        // Tensors are listed once, as the round at hand has them.
        self.tensors.truncate(tensors);
    }

    /// The copies of one load. A copy whose mask does not hold reads nothing and leaves zeros.
    fn begin_copies(&mut self, copy: &Copy, pipeline: &Pipeline) {
        let node = &self.function.nodes[copy.load.0];
        let (result, pointer) = (node.results[0], node.operands[0]);
        let mask = match node.op {
            Op::Load(access) if access.is_masked => Some(node.operands[1]),
            _ => None,
        };
        let first = first_of_replicas(&self.staged(result, copy.layout));
        let bytes = self.function.ty(result).element.bytes();
        let place = SharedPlace {
            element: String::new(),
            memory: pipeline.place(copy, &pipeline.write),
            thread: copy.thread.clone(),
            is_turned: false,
        };
        for round in &copy.side.rounds {
            let all = AccessLoop::of(round);
            let index = self.each(all.count, 1);
            let register = all.register(&index, 0);
            let from = self.operand(pointer, copy.layout, &register);
            let mask = mask.map(|mask| self.operand(mask, copy.layout, &register));
            let condition = match mask.filter(|mask| mask != "true") {
                Some(mask) => format!("{} && {mask}", pipeline.in_time),
                None => pipeline.in_time.clone(),
            };
            let to = place.address(&all.offset(&index));
            if let Some(first) = &first {
                self.writer.open(format!("if ({first})"));
            }
            self.copy_or_zeros(&to, &from, all.width * bytes, &condition);
            if first.is_some() {
                self.writer.close();
            }
            self.end_each(all.count, 1);
        }
    }

    /// A copy of so many bytes, or as many zeros.
    fn copy_or_zeros(&mut self, to: &str, from: &str, bytes: u32, condition: &str) {
        let name = self.fresh("to");
        self.writer
            .line(format!("unsigned char* const {name} = {to};"));
        let copy = format!("__pipeline_memcpy_async({name}, {from}, {bytes}");
        // The last argument says how many bytes are zeros in place of what is read: all of them reads nothing.
        self.writer.line(format!("if ({condition}) {copy});"));
        self.writer.line(format!("else {copy}, {bytes});"));
    }

    /// What is carried ahead becomes what the next round begins with.
    fn carry_ahead(&mut self, each: &Node, pipeline: &Pipeline) {
        let body = &self.function.blocks[each.blocks[0].0];
        let mut moves = Vec::new();
        for ((argument, layout), name) in &pipeline.carried {
            let at = body.arguments.iter().position(|other| other == argument);
            let Some(result) = at.map(|at| body.results[at - 1]) else {
                continue;
            };
            // As in `carry`: all new values before the first variable is set.
            let next = self.fresh(&format!("next_{name}"));
            let declaration = self.declaration(*argument, *layout, &next);
            self.writer.line(format!("{declaration};"));
            self.assign(result, *layout, &next);
            moves.push((*argument, *layout, name, next));
        }
        for (argument, layout, name, next) in moves {
            let count = self.registers(argument, layout);
            let index = self.each(count, 1);
            let to = self.register(argument, layout, name, &index);
            let from = self.register(argument, layout, &next, &index);
            self.writer.line(format!("{to} = {from};"));
            self.end_each(count, 1);
        }
    }
}

impl Pipeline {
    /// A buffer of a load.
    fn place(&self, copy: &Copy, which: &str) -> String {
        match self.buffers {
            1 => copy.memory.clone(),
            _ => format!("{} + {which} * {}", copy.memory, copy.bytes),
        }
    }

    /// Goes on to the next buffer.
    fn next(&self, which: &str) -> String {
        format!(
            "{which} = {which} == {} ? 0 : {which} + 1;",
            self.buffers - 1
        )
    }
}
