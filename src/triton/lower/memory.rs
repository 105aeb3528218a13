//! Loads and stores: as wide as pointers and masks allow, each by those threads whose mask holds.
//!
//! After `LoadStoreOpToLLVM.cpp` of Triton's NVIDIA back end: the width is the least of what the pointers' rows, the
//! layout and the mask allow; where several threads hold an element, the first of them stores it.

use super::index::{Index, first_of_replicas};
use super::lowering::{Lowering, stored};
use super::text::PART_OF_ACCESS;
use crate::triton::layout::{Conversion, Layout, LinearLayout};
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Access, Atomic, Binary, Constant, Element, Node, NodeId, Op, Value};

/// The widest access of a thread.
const WIDEST_BITS: u32 = 128;

/// A load of one or several registers.
struct Load<'a> {
    result: Value,
    /// What masked elements are.
    other: Option<Value>,
    layout: LayoutId,
    condition: Option<String>,
    address: String,
    name: &'a str,
}

/// An atomic operation on each element that a thread holds.
struct AtomicAccess<'a> {
    node: &'a Node,
    atomic: Atomic,
    mask: Option<Value>,
    layout: LayoutId,
    /// Which of several threads that hold an element makes the access.
    first: Option<String>,
    /// The variable of what was there before, where it is used.
    name: Option<String>,
}

/// What only the kernel's last store needs: `ptxas` ends the threads that do not store before it, and puts the rest behind
/// that end, so that warps of which no thread stores read nothing of it from shared memory.
#[derive(Default)]
pub struct BeforeLastStore {
    /// A reduction that is read for it alone.
    pub reduced: Option<NodeId>,
    /// The tile that is exchanged for it, if one is.
    pub exchanged: Option<Value>,
    /// What is computed of the one or the other, last first.
    pub nodes: Vec<NodeId>,
}

impl BeforeLastStore {
    /// Whether an operation waits for the store.
    pub fn has(&self, node: NodeId) -> bool {
        self.reduced == Some(node) || self.nodes.contains(&node)
    }
}

/// When the last access of a store takes place.
pub struct LastAccess {
    pub condition: String,
    /// The first of the registers that it stores.
    pub first_register: u32,
}

impl LastAccess {
    /// When what a register holds is needed; nothing if always.
    pub fn needs(&self, register: &Index) -> Option<String> {
        let (first, condition) = (self.first_register, &self.condition);
        match register {
            Index::Known(register) => (*register >= first).then(|| condition.clone()),
            Index::Text(_) if first == 0 => Some(condition.clone()),
            Index::Text(register) => Some(format!("{register} < {first} || {condition}")),
        }
    }
}

impl Lowering<'_> {
    /// What only the kernel's last store needs, with an exchange or a reduction at its beginning.
    pub fn before_last_store(&self) -> Option<BeforeLastStore> {
        let last = *self.function.blocks[0].nodes.last()?;
        let store = &self.function.nodes[last.0];
        let Op::Store(_) = store.op else {
            return None;
        };
        let layout = self.placement.accesses.get(&last).copied().flatten();
        let (mut value, mut before) = (store.operands[1], BeforeLastStore::default());
        loop {
            let ty = self.function.ty(value);
            // Bytes are put together into words by all threads.
            let is_whole = !ty.is_pointer && ty.element.bits() >= 16;
            let is_alone = self.is_used_once(value);
            let node = self.function.definition(value)?;
            // Of an arg max the values are gone where nobody asks for them.
            let mut used = node.results.iter().filter(|result| self.is_used(**result));
            let is_reduced = is_alone
                && matches!(node.op, Op::Reduce(_))
                && (used.next(), used.next()) == (Some(&value), None);
            let reduced = self.function.values[value.0].node.filter(|_| is_reduced);
            if self.is_converted_once(value, layout) {
                before.exchanged = Some(value);
                before.reduced = reduced.filter(|_| self.stays_in_warps(value, layout));
                return is_whole.then_some(before);
            }
            if !is_alone || self.placement.computed_in(value) != [layout] {
                return None;
            }
            if is_reduced {
                before.reduced = reduced;
                return is_whole.then_some(before);
            }
            before.nodes.extend(self.function.values[value.0].node);
            match node.op {
                Op::Unary(_) | Op::Binary(_) | Op::Cast => value = self.only_tile(node)?,
                _ => return None,
            }
        }
    }

    /// Whether a value is converted to this layout alone, for one operation; others may use it as it is.
    fn is_converted_once(&self, value: Value, layout: LayoutId) -> bool {
        let to = self.placement.converted.get(&value);
        to.is_some_and(|to| *to == [layout])
            && self.placement.asked.get(&(value, layout)) == Some(&1)
            && self.is_at_home(value)
    }

    /// Whether a value that nothing else needs is converted without shared memory.
    fn stays_in_warps(&self, value: Value, layout: LayoutId) -> bool {
        self.placement.computed_in(value) == [self.placement.own(value)]
            && !matches!(self.way(value, layout), Conversion::Shared(_))
    }

    /// The operand that is no constant, if there is one: `x` of `x * s`.
    fn only_tile(&self, node: &Node) -> Option<Value> {
        let is_constant = |value: &Value| {
            let node = self.function.definition(*value);
            node.is_some_and(|node| matches!(node.op, Op::Constant(_) | Op::Splat))
        };
        let mut tiles = node.operands.iter().filter(|value| !is_constant(value));
        tiles.next().filter(|_| tiles.next().is_none()).copied()
    }

    /// What only the kernel's last store needs, written before it; the store's last access, which begins with
    /// `first_register`, takes place under a condition if there is one.
    fn finish_before(&mut self, layout: LayoutId, condition: Option<String>, first_register: u32) {
        let Some(before) = self.before_last_store() else {
            return;
        };
        let access = condition.map(|condition| LastAccess {
            condition,
            first_register,
        });
        let span = self.writer.span;
        if let Some(id) = before.reduced {
            // Shuffles read lanes that need not store themselves.
            let of_warp = access.as_ref().map(|access| LastAccess {
                condition: format!("__any_sync(0xffffffff, {})", access.condition),
                first_register: 0,
            });
            let (layout, access) = match before.exchanged {
                Some(value) => (self.placement.own(value), &of_warp),
                None => (layout, &access),
            };
            self.reduction(id, layout, access.as_ref());
        }
        if let Some(value) = before.exchanged {
            self.conversion(value, layout, access.as_ref());
        }
        for &id in before.nodes.iter().rev() {
            self.node(id);
        }
        self.writer.span = span;
    }

    /// Elements of one access.
    pub fn width(&self, pointer: Value, mask: Option<Value>, layout: LayoutId) -> u32 {
        let ty = self.function.ty(pointer);
        if ty.is_scalar() {
            return 1;
        }
        let linear = self.linear(pointer, layout);
        let order = order(&linear, self.placement.layout(layout));
        let axis = self.axes.get(pointer);
        let side = order[0];
        let aligned = (axis.divisibility[side] / i64::from(ty.element.bytes())).max(1);
        // What a thread holds side by side may be more than what lies side by side in memory, and the other way
        // round.
        let alignment = aligned.min(axis.contiguity[side]);
        let contiguity = alignment.min(i64::from(linear.contiguous(side)));
        // An access happens or not as a whole, so its elements have to share their truth value.
        let masked = mask.map_or(i64::MAX, |mask| self.axes.get(mask).constancy[side].max(1));
        // As many elements as 16 bytes have.
        let widest = i64::from(WIDEST_BITS / (ty.element.bytes() * 8));
        contiguity.min(masked).min(widest).max(1) as u32
    }

    /// A load into a variable.
    pub fn load(&mut self, node: &Node, access: Access, layout: LayoutId) {
        let (result, pointer) = (node.results[0], node.operands[0]);
        let mask = access.is_masked.then(|| node.operands[1]);
        let name = self.name_of(result, "loaded");
        let count = self.registers(result, layout);
        let width = self.width(pointer, mask, layout);
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        let same = match mask {
            None => self.same_registers(pointer, layout),
            Some(_) => 0,
        };
        if same > 0 && width == 1 {
            self.load_differing(node, layout, &name, same);
            return;
        }
        let index = self.each(count, width);
        let load = Load {
            result,
            other: access.has_other.then(|| node.operands[2]),
            layout,
            condition: self.condition(mask, layout, &index, None),
            address: self.operand(pointer, layout, &index),
            name: &name,
        };
        match width {
            1 => self.load_one(&load, &index),
            width => self.load_several(&load, &index, width),
        }
        self.end_each(count, width);
        self.bind(result, layout, &name);
    }

    /// Bits of a register's number that do not change the address: registers of a thread that lie in one constant stretch of
    /// the pointers.
    fn same_registers(&self, pointer: Value, layout: LayoutId) -> u32 {
        if self.function.ty(pointer).is_scalar() {
            return 0;
        }
        let linear = self.linear(pointer, layout);
        let constancy = &self.axes.get(pointer).constancy;
        let is_same = |&&basis: &&u32| {
            let moved = linear.indices(basis);
            let mut moved = moved.iter().zip(constancy);
            moved.all(|(&by, &constant)| i64::from(by) < constant)
        };
        let bits = linear.registers.iter().enumerate();
        let same = bits.filter(|(_, basis)| is_same(basis));
        same.fold(0, |bits, (bit, _)| bits | 1 << bit)
    }

    /// A load of which `ptxas` makes one where registers have the same address.
    fn load_differing(&mut self, node: &Node, layout: LayoutId, name: &str, same: u32) {
        let (result, pointer) = (node.results[0], node.operands[0]);
        for at in 0..self.registers(result, layout) {
            let index = Index::Known(at);
            if at & same == 0 {
                let load = Load {
                    result,
                    other: None,
                    layout,
                    condition: self.condition(None, layout, &index, None),
                    address: self.operand(pointer, layout, &index),
                    name,
                };
                self.load_one(&load, &index);
                continue;
            }
            let [to, from] =
                [at, at & !same].map(|at| self.register(result, layout, name, &Index::Known(at)));
            self.writer.line(format!("{to} = {from};"));
        }
        self.bind(result, layout, name);
    }

    fn load_one(&mut self, load: &Load, index: &Index) {
        let target = self.register(load.result, load.layout, load.name, index);
        let address = &load.address;
        let Some(condition) = &load.condition else {
            let is_bool = self.function.ty(load.result).element == Element::Bool;
            // The byte in memory may hold any number, a `bool` of C++ only 0 and 1.
            let truth = if is_bool { " != 0" } else { "" };
            self.writer.line(format!("{target} = *{address}{truth};"));
            return;
        };
        // Set before the load: a lane whose mask is false must not touch the address, and still needs a value.
        let fallback = self.fallback(load, index);
        self.writer.line(format!("{target} = {fallback};"));
        self.writer
            .line(format!("if ({condition}) {target} = *{address};"));
    }

    fn load_several(&mut self, load: &Load, index: &Index, width: u32) {
        let several = self.fresh("several");
        let element = self.function.ty(load.result).element.cuda();
        let vector = format!("Vector<{element}, {width}>");
        let places = (0..width).map(|at| index.plus(&Index::Known(at)));
        let places: Vec<Index> = places.collect();
        self.writer.line(format!("{vector} {several};"));
        let read = format!("{several} = *(const {vector}*){};", load.address);
        match &load.condition {
            None => self.writer.line(read),
            Some(condition) => {
                for (at, place) in places.iter().enumerate() {
                    let text = self.fallback(load, place);
                    self.writer.line(format!("{several}.at[{at}] = {text};"));
                }
                self.writer.line(format!("if ({condition}) {read}"));
            }
        }
        for (at, place) in places.iter().enumerate() {
            let target = self.register(load.result, load.layout, load.name, place);
            self.writer.line(format!("{target} = {several}.at[{at}];"));
        }
    }

    /// What a masked element is.
    fn fallback(&mut self, load: &Load, index: &Index) -> String {
        match load.other {
            Some(other) => self.expression(other, load.layout, index),
            None => {
                let element = self.function.ty(load.result).element;
                super::expressions::literal(Constant::Integer(0), element)
            }
        }
    }

    /// A store.
    pub fn store(&mut self, id: NodeId, access: Access, layout: LayoutId) {
        let node = &self.function.nodes[id.0];
        let (pointer, value) = (node.operands[0], node.operands[1]);
        let mask = access.is_masked.then(|| node.operands[2]);
        let element = self.function.ty(pointer).element;
        let count = self.registers(pointer, layout);
        let width = self.width(pointer, mask, layout);
        let first = first_of_replicas(&self.linear(pointer, layout));
        let is_last = self.function.blocks[0].nodes.last() == Some(&id);
        let count = self.stored_registers(id, count, width);
        if is_last {
            let condition =
                self.condition(mask, layout, &Index::Known(count - width), first.clone());
            self.finish_before(layout, condition, count - width);
        }
        let index = self.each(count, width);
        let condition = self.condition(mask, layout, &index, first);
        let address = self.operand(pointer, layout, &index);
        let condition = condition.map_or(String::new(), |condition| format!("if ({condition}) "));
        let several = self.fresh("several");
        if width == 1 {
            let text = match self.last_operation().filter(|_| is_last) {
                Some(operation) => self.last_computed(operation),
                None => self.given(value, layout, &index, !condition.is_empty()),
            };
            self.writer.line(format!("{condition}*{address} = {text};"));
        } else {
            let vector = format!("Vector<{}, {width}>", stored(element));
            self.writer.line(format!("{vector} {several};"));
            for at in 0..width {
                let value = self.expression(value, layout, &index.plus(&Index::Known(at)));
                self.writer.line(format!("{several}.at[{at}] = {value};"));
            }
            self.writer
                .line(format!("{condition}*({vector}*){address} = {several};"));
        }
        self.end_each(count, width);
    }

    /// What an access is given for one register: what all threads compute, also those that a condition keeps from it.
    fn given(
        &mut self,
        value: Value,
        layout: LayoutId,
        index: &Index,
        is_conditional: bool,
    ) -> String {
        let text = self.expression(value, layout, index);
        match is_conditional {
            true => self.computed_by_all(value, text),
            false => text,
        }
    }

    /// A variable for a value, which all threads look at.
    fn read_by_all(&mut self, value: Value, layout: LayoutId, index: &Index) -> String {
        let text = self.expression(value, layout, index);
        self.variable_of(value, text)
    }

    /// A variable for what all threads compute of a value.
    fn computed_by_all(&mut self, value: Value, text: String) -> String {
        match text.contains([' ', '(']) {
            true => self.variable_of(value, text),
            false => text,
        }
    }

    fn variable_of(&mut self, value: Value, text: String) -> String {
        let name = self.fresh("stored");
        let element = stored(self.function.ty(value).element);
        self.writer
            .line(format!("const {element} {name} = {text};"));
        name
    }

    /// The last operation on a number that the kernel stores, or adds to memory, at its end. `ptxas` puts it behind the end of the threads that
    /// do not store; what it computes with is computed by all.
    pub fn last_operation(&self) -> Option<NodeId> {
        let last = *self.function.blocks[0].nodes.last()?;
        let store = &self.function.nodes[last.0];
        match store.op {
            Op::Store(_) => {}
            Op::Atomic(Atomic::Add, access)
                if !access.is_masked && !self.is_used(store.results[0]) => {}
            _ => return None,
        }
        let value = store.operands[1];
        let ty = self.function.ty(value);
        let is_number = ty.is_scalar() && !ty.is_pointer && ty.element == Element::F32;
        let defines = |value: Value| self.function.definition(value).map(|node| &node.op);
        let node = self.function.definition(value)?;
        let is_sunk = match node.op {
            // A product becomes part of the sum.
            Op::Binary(Binary::Add | Binary::Sub) => !node
                .operands
                .iter()
                .any(|&operand| matches!(defines(operand), Some(Op::Binary(Binary::Mul)))),
            Op::Binary(Binary::Div) => true,
            _ => false,
        };
        let id = self.function.values[value.0].node?;
        (is_number && is_sunk && self.is_used_once(value)).then_some(id)
    }

    /// The last operation's text, behind what it computes with.
    fn last_computed(&mut self, operation: NodeId) -> String {
        let function = self.function;
        let node = &function.nodes[operation.0];
        for &operand in &node.operands {
            let text = self.expression(operand, None, &Index::Known(0));
            let name = self.computed_by_all(operand, text.clone());
            if name != text {
                self.bind(operand, None, &name);
            }
        }
        self.definition(node, node.results[0], None, &Index::Known(0))
    }

    /// Opens a loop over registers if there are several; gives the one at hand.
    pub fn each(&mut self, count: u32, step: u32) -> Index {
        match count == step {
            // One access is all: no loop around it, and a register's number that is known.
            true => Index::Known(0),
            false => {
                self.writer.unrolled("i", count, step);
                Index::Text("i".to_owned())
            }
        }
    }

    /// Ends what `each` began.
    pub fn end_each(&mut self, count: u32, step: u32) {
        if count != step {
            self.writer.close();
        }
    }

    /// When a thread makes an access, if not always.
    fn condition(
        &mut self,
        mask: Option<Value>,
        layout: LayoutId,
        index: &Index,
        first: Option<String>,
    ) -> Option<String> {
        let mask = mask.map(|mask| self.operand(mask, layout, index));
        // A mask that is always true is no condition, or every access would look guarded.
        let mask = mask.filter(|mask| mask != "true");
        // Of a round that never comes nothing is loaded.
        let conditions = [self.rounds.in_time.clone(), first, mask];
        let conditions: Vec<String> = conditions.into_iter().flatten().collect();
        (!conditions.is_empty()).then(|| conditions.join(" && "))
    }

    /// An atomic operation. Where its result is used, all threads that hold an element get it from the one that made the
    /// access, through shared memory; what is masked is 0.
    pub fn atomic(&mut self, node: &Node, atomic: Atomic, access: Access, layout: LayoutId) {
        let (pointer, result) = (node.operands[0], node.results[0]);
        let mask = access.is_masked.then(|| node.operands[atomic.values() + 1]);
        let count = self.registers(pointer, layout);
        let first = first_of_replicas(&self.linear(pointer, layout));
        let name = self.declared_before(result, layout);
        if self.function.ty(pointer).is_scalar() {
            // Warps of a GPU go side by side: what was read before one thread's access is read by all of them.
            self.writer.line("__syncthreads();");
        }
        let width = self.atomic_width(atomic, pointer, mask, layout);
        let access = AtomicAccess {
            node,
            atomic,
            mask,
            layout,
            first: first.clone(),
            name: name.clone(),
        };
        let index = self.each(count, width);
        for at in 0..width {
            let index = match at {
                0 => index.clone(),
                _ => index.plus(&Index::Known(at)),
            };
            let lines = self.atomic_lines(&access, &index);
            let mark = part_of_access(at);
            for line in lines {
                self.writer.line(format!("{line}{mark}"));
            }
        }
        self.end_each(count, width);
        if let Some(name) = name {
            if let Some(first) = first {
                self.give_replicas(result, layout, &name, &first);
            }
            self.bind(result, layout, &name);
        }
    }

    /// A variable for what was there before an atomic operation, if it is used.
    fn declared_before(&mut self, result: Value, layout: LayoutId) -> Option<String> {
        if !self.is_used(result) {
            return None;
        }
        let name = self.name_of(result, "before");
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        Some(name)
    }

    /// What makes an atomic access for one register.
    fn atomic_lines(&mut self, access: &AtomicAccess, index: &Index) -> Vec<String> {
        let (node, layout) = (access.node, access.layout);
        let condition = self.condition(access.mask, layout, index, access.first.clone());
        let given = self.given_to_atomic(node, access.atomic, layout, index, condition.is_some());
        let call = self.atomic_call(node.operands[0], access.atomic, given);
        let name = access.name.as_ref();
        let target = name.map(|name| self.register(node.results[0], layout, name, index));
        let mut lines = Vec::new();
        // Triton leaves what a masked atomic gives undefined; 0 is the same in every run.
        if let Some(target) = target.as_ref().filter(|_| access.mask.is_some()) {
            lines.push(format!("{target} = 0;"));
        }
        let if_held = condition.map_or(String::new(), |held| format!("if ({held}) "));
        let target = target.map_or(String::new(), |target| format!("{target} = "));
        lines.push(format!("{if_held}{target}{call};"));
        lines
    }

    /// Registers that one instruction adds: 16 bytes at most, of those floats that Hopper adds several of at once
    /// (`atom.add.v4.f32`, `atom.add.noftz.v8.f16`).
    fn atomic_width(
        &self,
        atomic: Atomic,
        pointer: Value,
        mask: Option<Value>,
        layout: LayoutId,
    ) -> u32 {
        let element = self.function.ty(pointer).element;
        match (atomic, element) {
            (Atomic::Add, Element::F32 | Element::F16 | Element::Bf16) => {
                self.width(pointer, mask, layout)
            }
            _ => 1,
        }
    }

    /// The address and the values of an access for one register.
    fn given_to_atomic(
        &mut self,
        node: &Node,
        atomic: Atomic,
        layout: LayoutId,
        index: &Index,
        is_conditional: bool,
    ) -> Vec<String> {
        let pointer = node.operands[0];
        let mut given = vec![self.expression(pointer, layout, index)];
        let is_float = self.function.ty(pointer).element.is_float();
        // Which of two operations on integers it is, all threads ask.
        let is_asked = is_float && matches!(atomic, Atomic::Min | Atomic::Max);
        let last = self.last_operation();
        let last = last.filter(|last| self.function.nodes[last.0].results[0] == node.operands[1]);
        for &value in &node.operands[1..=atomic.values()] {
            given.push(match last {
                Some(operation) => self.last_computed(operation),
                None if is_asked => self.read_by_all(value, layout, index),
                None => self.given(value, layout, index, is_conditional),
            });
        }
        given
    }

    /// The call that makes the access for one register, with its address and values.
    fn atomic_call(&self, pointer: Value, atomic: Atomic, mut given: Vec<String>) -> String {
        let element = self.function.ty(pointer).element;
        if element == Element::I64 && !matches!(atomic, Atomic::Min | Atomic::Max) {
            // CUDA has these for numbers without a sign only; the bits are the same.
            given[0] = format!("(unsigned long long*)({})", given[0]);
        }
        format!("{}({})", atomic_function(atomic, element), given.join(", "))
    }

    /// What the first of those threads has that hold an element is given to the others.
    fn give_replicas(&mut self, value: Value, layout: LayoutId, name: &str, first: &str) {
        let ty = self.function.ty(value);
        let memory = self.shared_array(&format!("{name}_tile"), ty, ty.count());
        self.begin_reuse();
        let count = self.registers(value, layout);
        // First each element's one holder writes it, then all of its holders read it.
        for is_read in [false, true] {
            let index = self.each(count, 1);
            let place = self.row_major(value, layout, &index, None);
            let register = self.register(value, layout, name, &index);
            self.writer.line(match is_read {
                false => format!("if ({first}) {memory}[{place}] = {register};"),
                true => format!("{register} = {memory}[{place}];"),
            });
            self.end_each(count, 1);
            if !is_read {
                self.writer.line("__syncthreads();");
            }
        }
    }
}

/// What stands behind an addition that the instruction of the one before makes, too.
fn part_of_access(at: u32) -> String {
    match at {
        0 => String::new(),
        _ => format!(" {PART_OF_ACCESS}"),
    }
}

/// The function that makes an atomic access to such elements.
fn atomic_function(atomic: Atomic, element: Element) -> &'static str {
    match atomic {
        Atomic::Min if element.is_float() => "atomic_min",
        Atomic::Max if element.is_float() => "atomic_max",
        Atomic::Add => "atomicAdd",
        Atomic::Min => "atomicMin",
        Atomic::Max => "atomicMax",
        Atomic::And => "atomicAnd",
        Atomic::Or => "atomicOr",
        Atomic::Xor => "atomicXor",
        Atomic::Exchange => "atomicExch",
        Atomic::CompareAndSwap => "atomicCAS",
    }
}

/// Sides by how fast a thread's registers go along them.
pub fn order(linear: &LinearLayout, layout: Option<&Layout>) -> Vec<usize> {
    // Registers first, then lanes, then warps: the side that a thread goes along first is the fastest.
    let rank = linear.shape.len();
    let bases = linear.bases();
    let mut order: Vec<usize> = Vec::new();
    for basis in bases {
        if basis == 0 {
            continue;
        }
        let side = linear.indices(basis).iter().position(|&index| index != 0);
        if let Some(side) = side.filter(|side| !order.contains(side)) {
            order.push(side);
        }
    }
    // A blocked layout says its order itself: where a side has one element, bases cannot tell.
    if let Some(Layout::Blocked(blocked)) = layout {
        order.clone_from(&blocked.order);
    }
    order.extend(
        (0..rank)
            .rev()
            .filter(|side| !order.contains(side))
            .collect::<Vec<_>>(),
    );
    order
}
