//! In which layouts each value is needed: computed again where that is cheap, converted where it is not.
//!
//! The backward half of `lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp` of
//! <https://github.com/triton-lang/triton>: rematerialisation, and conversions hoisted on top of broadcasts.

use std::collections::{BTreeMap, BTreeSet};

use super::coalesce::is_expensive;
use super::infer::operand_layout;
use super::product::{is_made_of_loads, product};
use super::repetition::Repetition;
use crate::triton::layout::{Layout, convert};
use crate::triton::tile::{BlockId, Element, Function, Node, NodeId, Op, Precision, Value};

/// A layout, by its number in [`Placement::layouts`]; none of a number.
pub type LayoutId = Option<usize>;

/// In which layouts every value is computed, and what is converted.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// All layouts.
    pub layouts: Vec<Layout>,
    /// The layout that an access takes place in.
    pub accesses: BTreeMap<NodeId, LayoutId>,
    /// The own layout of every tile.
    pub own: BTreeMap<Value, LayoutId>,
    /// The layouts in which a value is computed.
    pub computed: BTreeMap<Value, Vec<LayoutId>>,
    /// The layouts to which a value is converted from its own.
    pub converted: BTreeMap<Value, Vec<LayoutId>>,
    /// How many operations ask for a value in a layout that it is converted to.
    pub asked: BTreeMap<(Value, LayoutId), u32>,
    /// The layouts of factors that get to a product in registers, by the product's result and their place.
    pub held_factors: BTreeMap<(Value, usize), LayoutId>,
    /// What is computed again for a value that is: decided for all of it at once.
    repeated: BTreeSet<(Value, LayoutId)>,
    /// Values that somebody needs in their own layout.
    kept: BTreeSet<Value>,
    /// What was converted when all of it was placed before, though nobody needed it in its own layout.
    only_converted: BTreeSet<(Value, LayoutId)>,
    /// Joined tiles that are converted anyway: one conversion leads to whatever is made of them.
    free_joins: BTreeSet<Value>,
    warps: u32,
}

impl Placement {
    /// The layouts in which a value is computed; none for numbers and what nobody needs.
    pub fn computed_in(&self, value: Value) -> Vec<LayoutId> {
        self.computed.get(&value).cloned().unwrap_or_default()
    }

    /// Follows what `function` stores back to what it is made of.
    pub fn new(
        function: &Function,
        accesses: &BTreeMap<NodeId, Layout>,
        own: &BTreeMap<Value, Layout>,
        free_joins: &BTreeSet<Value>,
        warps: u32,
    ) -> Self {
        let follow = |only_converted| {
            let mut placement = Placement {
                warps,
                free_joins: free_joins.clone(),
                only_converted,
                ..Placement::default()
            };
            placement.follow(function, accesses, own);
            placement
        };
        let first = follow(BTreeSet::new());
        let only_converted = first.converted.iter().filter_map(|(value, layouts)| {
            let is_kept = first.kept.contains(value);
            match layouts[..] {
                [layout] if !is_kept => Some((*value, layout)),
                _ => None,
            }
        });
        // The pass runs again when equal conversions have become one, after which a value has one user.
        let only_converted: BTreeSet<_> = only_converted.collect();
        match only_converted.is_empty() {
            true => first,
            false => follow(only_converted),
        }
    }

    fn follow(
        &mut self,
        function: &Function,
        accesses: &BTreeMap<NodeId, Layout>,
        own: &BTreeMap<Value, Layout>,
    ) {
        for (&value, layout) in own {
            let id = self.id(layout.clone());
            self.own.insert(value, id);
        }
        for (&node, layout) in accesses {
            let id = self.id(layout.clone());
            self.accesses.insert(node, id);
        }
        self.block(function, BlockId(0));
    }

    /// The number of a layout.
    pub fn id(&mut self, layout: Layout) -> LayoutId {
        let found = self.layouts.iter().position(|known| *known == layout);
        Some(found.unwrap_or_else(|| {
            self.layouts.push(layout);
            self.layouts.len() - 1
        }))
    }

    /// The own layout of a value; none of a number.
    pub fn own(&self, value: Value) -> LayoutId {
        self.own.get(&value).copied().flatten()
    }

    /// A layout by its number.
    pub fn layout(&self, id: LayoutId) -> Option<&Layout> {
        self.layouts.get(id?)
    }

    /// The layout that an operand is needed in for a result in `layout`.
    pub fn operand(
        &mut self,
        function: &Function,
        node: &Node,
        operand: Value,
        layout: LayoutId,
    ) -> LayoutId {
        if function.ty(operand).is_scalar() {
            return None;
        }
        let wanted = self.layout(layout).cloned();
        match wanted.and_then(|layout| operand_layout(function, node, operand, &layout)) {
            Some(layout) => self.id(layout),
            None => self.own(operand),
        }
    }

    fn block(&mut self, function: &Function, block: BlockId) {
        // From the end: who uses a value says in which layout before the value's own operation is met.
        for &id in function.blocks[block.0].nodes.iter().rev() {
            let node = &function.nodes[id.0];
            match node.op {
                Op::Store(_) => {
                    let layout = self.accesses.get(&id).copied().flatten();
                    for &operand in &node.operands {
                        self.demand(function, operand, layout);
                    }
                }
                // It changes memory, whether or not anybody reads what was there.
                Op::Atomic(..) => self.anchored(function, id),
                Op::Print(_) | Op::Assert(_) => {
                    for &operand in &node.operands {
                        let layout = self.own(operand);
                        self.demand(function, operand, layout);
                    }
                }
                Op::For { .. } | Op::While | Op::If => self.control(function, node),
                _ => {}
            }
        }
    }

    fn control(&mut self, function: &Function, node: &Node) {
        // Bounds, steps and conditions are numbers, and decide for the whole block; what is carried is asked for by
        // its users.
        let plain = match node.op {
            Op::For { .. } => 3,
            Op::If => 1,
            _ => 0,
        };
        for &operand in &node.operands[..plain] {
            self.demand(function, operand, None);
        }
        for &block in &node.blocks {
            self.block(function, block);
        }
        if matches!(node.op, Op::While) {
            self.demand(function, function.blocks[node.blocks[0].0].results[0], None);
        }
    }

    /// Asks for `value` in `layout`.
    pub fn demand(&mut self, function: &Function, value: Value, layout: LayoutId) {
        let layout = if function.ty(value).is_scalar() {
            None
        } else {
            layout
        };
        // In another layout where it can be made of what is cheap, or is larger than what it is made of, which is then
        // converted.
        let own = self.own(value);
        if layout == own {
            self.kept.insert(value);
        }
        if layout == own
            || self.can_compute(function, value, layout)
            || self.is_hoisted(function, value, layout)
        {
            self.compute(function, value, layout);
            return;
        }
        // Users in the same layout share one conversion.
        *self.asked.entry((value, layout)).or_default() += 1;
        let converted = self.converted.entry(value).or_default();
        if !converted.contains(&layout) {
            converted.push(layout);
            self.compute(function, value, own);
        }
    }

    fn compute(&mut self, function: &Function, value: Value, layout: LayoutId) {
        let computed = self.computed.entry(value).or_default();
        if computed.contains(&layout) {
            return;
        }
        // Before its operands are asked: what a loop carries leads back to itself.
        computed.push(layout);
        let Some(id) = function.values[value.0].node else {
            self.carried(function, value, layout);
            return;
        };
        let node = &function.nodes[id.0];
        match node.op {
            Op::For { .. } | Op::While | Op::If => self.results(function, node, value, layout),
            Op::Atomic(..) | Op::Load(_)
                if self.own(value) == layout && self.accesses.contains_key(&id) =>
            {
                self.anchored(function, id)
            }
            Op::Reduce(_) | Op::Scan(..) | Op::Dot(_) | Op::Gather(_) => {
                for (at, &operand) in node.operands.iter().enumerate() {
                    let wanted = match self.held_factor(function, node, at) {
                        None => self.operand(function, node, operand, layout),
                        held => held,
                    };
                    self.demand(function, operand, wanted);
                }
                // Results come together.
                self.computed_together(node, layout);
            }
            _ => {
                for &operand in &node.operands {
                    let wanted = self.operand(function, node, operand, layout);
                    self.demand(function, operand, wanted);
                }
            }
        }
    }

    /// The layout in which tensor cores take a factor of a product from registers: where it is computed there of what is
    /// loaded; the left one where it gets there without shared memory, which is all that `ReduceDataDuplication.cpp` makes
    /// of a conversion to a factor otherwise; and for `wgmma` where no load gives it (`comesFromLoadOrBlockArg` of
    /// `AccelerateMatmul.cpp`).
    fn held_factor(&mut self, function: &Function, node: &Node, at: usize) -> LayoutId {
        let (Op::Dot(precision), 0 | 1) = (&node.op, at) else {
            return None;
        };
        let factor = node.operands[at];
        let ty = function.ty(factor);
        let dot = product(function, node, self.warps);
        let is_split = *precision == Precision::Tf32x3 && ty.element == Element::F32;
        if is_split || !dot.fills_instructions() || !ty.element.is_float() {
            return None;
        }
        let own = self.layout(self.own(factor))?.linear(&ty.shape);
        let layout = dot.fragment(at);
        let way = convert(&own, &layout.linear(&ty.shape), ty.element.bits());
        let is_held = match dot.is_of_warp_groups() {
            true => at == 0 && (way.shared_bytes() == 0 || is_computed(function, factor)),
            false => (at == 0 && way.shared_bytes() == 0) || is_made_of_loads(function, factor),
        };
        if !is_held {
            return None;
        }
        let id = self.id(layout);
        self.held_factors.insert((node.results[0], at), id);
        if !dot.is_of_warp_groups() && is_made_of_loads(function, factor) {
            self.repeat(function, factor, id);
        }
        id
    }

    /// Has all that a value is made of computed in `layout`, but for loads.
    fn repeat(&mut self, function: &Function, value: Value, layout: LayoutId) {
        let node = function.definition(value);
        let Some(node) = node.filter(|node| !matches!(node.op, Op::Load(_))) else {
            return;
        };
        if !self.repeated.insert((value, layout)) {
            return;
        }
        for &operand in &node.operands {
            let wanted = self.operand(function, node, operand, layout);
            self.repeat(function, operand, wanted);
        }
    }

    /// An access, whose operands are in its layout.
    fn anchored(&mut self, function: &Function, id: NodeId) {
        let layout = self.accesses.get(&id).copied().flatten();
        let node = &function.nodes[id.0];
        for &operand in &node.operands {
            self.demand(function, operand, layout);
        }
        self.computed_together(node, layout);
    }

    /// Notes that all results of an operation are computed in `layout`.
    fn computed_together(&mut self, node: &Node, layout: LayoutId) {
        for &result in &node.results {
            let known = self.computed.entry(result).or_default();
            if !known.contains(&layout) {
                known.push(layout);
            }
        }
    }

    /// What goes into a carried value before a loop and at the end of its body.
    fn carried(&mut self, function: &Function, value: Value, layout: LayoutId) {
        let Some((node, at)) = carrier(function, value) else {
            return;
        };
        // The first argument of a `for` is its counter, and its first three operands say how that goes.
        let first = if matches!(node.op, Op::For { .. }) {
            1
        } else {
            0
        };
        let Some(at) = at.checked_sub(first) else {
            return;
        };
        let before = node.operands[if first == 1 { at + 3 } else { at }];
        let body = node.blocks.last().map(|block| &function.blocks[block.0]);
        self.demand(function, before, layout);
        if let Some(body) = body {
            self.demand(function, body.results[at], layout);
        }
        for &block in &node.blocks {
            let argument = function.blocks[block.0].arguments[at + first];
            self.compute(function, argument, layout);
        }
        self.compute(function, node.results[at], layout);
    }

    /// What a loop or condition gives.
    fn results(&mut self, function: &Function, node: &Node, value: Value, layout: LayoutId) {
        let Some(at) = node.results.iter().position(|&result| result == value) else {
            return;
        };
        for &block in &node.blocks {
            let block = &function.blocks[block.0];
            match node.op {
                Op::If => self.demand(function, block.results[at], layout),
                Op::For { .. } => self.compute(function, block.arguments[at + 1], layout),
                _ => self.compute(function, block.arguments[at], layout),
            }
        }
    }

    /// Whether `value` can be computed in `layout` from what is cheap.
    fn can_compute(&mut self, function: &Function, value: Value, layout: LayoutId) -> bool {
        if self.repeated.contains(&(value, layout)) {
            return true;
        }
        let mut slice = Slice::new(function, None);
        if !self.slice(value, layout, &mut slice) {
            return false;
        }
        let again = slice.seen.iter();
        let again = again.filter(|(value, layout)| self.own(*value) != *layout);
        let again = again.map(|(value, _)| *value).collect();
        let is_moved_once = self.only_converted.contains(&(value, layout));
        let is_cheap = Repetition::new(function, again).is_cheap(value, is_moved_once);
        if is_cheap {
            self.repeated.extend(slice.seen);
        }
        is_cheap
    }

    /// Whether `value` is computed in `layout` from what is cheap and one value that is converted before it is made larger
    /// (`hoistConvertOnTopOfExtOrBroadcast`): of 16-bit numbers half as much is moved as of the floats made of them.
    fn is_hoisted(&mut self, function: &Function, value: Value, layout: LayoutId) -> bool {
        let mut slice = Slice::new(function, Some(BTreeSet::new()));
        if !self.slice(value, layout, &mut slice) {
            return false;
        }
        let enlarged = slice.enlarged.into_iter().flatten();
        let converted =
            enlarged.filter(|&(value, layout)| !self.can_compute(function, value, layout));
        // With several, a conversion would become as many.
        converted.count() == 1
    }

    fn slice(&mut self, value: Value, layout: LayoutId, slice: &mut Slice) -> bool {
        let function = slice.function;
        // What is being looked at already, as a value that a loop carries, is no objection: the rest decides.
        if function.ty(value).is_scalar()
            || self.own(value) == layout
            || !slice.seen.insert((value, layout))
        {
            return true;
        }
        if let (Some(enlarged), true) = (&mut slice.enlarged, is_enlarged(function, value)) {
            enlarged.insert((value, layout));
            return true;
        }
        let Some(node) = function.definition(value) else {
            return self.slice_of_carried(value, layout, slice);
        };
        match node.op {
            // Made from nothing: each thread makes what it holds of them in any layout.
            Op::Constant(_) | Op::Range(_) | Op::Splat => return true,
            _ if !self.can_repeat(function, node) => return false,
            _ => {}
        }
        let Some(wanted) = self.layout(layout).cloned() else {
            return false;
        };
        let mut tiles = node
            .operands
            .iter()
            .filter(|operand| !function.ty(**operand).is_scalar());
        let only_moves = slice.only_moves();
        tiles.all(|&operand| {
            operand_layout(function, node, operand, &wanted).is_some_and(|layout| {
                let layout = self.id(layout);
                let is_converted = only_moves && self.free_joins.contains(&operand)
                    || self.is_converted_before(node, operand);
                is_converted || self.slice(operand, layout, slice)
            })
        })
    }

    /// Whether a conversion stands before a tile gets a side: from the layout of what comes out of memory to a slice of the
    /// one that the larger tile has. Another one takes its place (`canFoldIntoConversion`).
    fn is_converted_before(&self, node: &Node, operand: Value) -> bool {
        let Op::ExpandDims(axis) = node.op else {
            return false;
        };
        let of_result = self.layout(self.own(node.results[0]));
        let slice = of_result.map(|layout| layout.slice(axis));
        slice.as_ref() != self.layout(self.own(operand))
    }

    /// The same for what a loop carries.
    fn slice_of_carried(&mut self, value: Value, layout: LayoutId, slice: &mut Slice) -> bool {
        let function = slice.function;
        let Some((node, at)) =
            carrier(function, value).filter(|(node, _)| matches!(node.op, Op::For { .. }))
        else {
            return false;
        };
        // The first argument is the counter, which three operands bound and the body gives no result for.
        let body = &function.blocks[node.blocks[0].0];
        self.slice(node.operands[at + 2], layout, slice)
            && self.slice(body.results[at - 1], layout, slice)
    }

    /// Whether doing an operation again in another layout may be cheaper than moving its result.
    fn can_repeat(&self, function: &Function, node: &Node) -> bool {
        match node.op {
            // A small load that lanes repeat costs less than shuffles or shared memory; a large one would be read
            // twice.
            Op::Load(_) => !is_expensive(function, node.operands[0], self.warps),
            Op::Atomic(..) | Op::Dot(_) | Op::Gather(_) => false,
            Op::For { .. } | Op::While | Op::If => false,
            Op::Reduce(_) => node.results.len() == 1,
            _ => true,
        }
    }
}

/// What a value is made of, in the layouts that it is needed in.
struct Slice<'a> {
    function: &'a Function,
    seen: BTreeSet<(Value, LayoutId)>,
    /// The values that are larger than what they are made of, where those end it.
    enlarged: Option<BTreeSet<(Value, LayoutId)>>,
}

impl<'a> Slice<'a> {
    fn new(function: &'a Function, enlarged: Option<BTreeSet<(Value, LayoutId)>>) -> Self {
        Slice {
            function,
            seen: BTreeSet::new(),
            enlarged,
        }
    }

    /// Whether nothing was met but changes of shape.
    fn only_moves(&self) -> bool {
        self.seen.iter().all(|&(value, _)| {
            let node = self.function.definition(value);
            node.is_some_and(|node| matches!(node.op, Op::Transpose(_) | Op::Reshape))
        })
    }
}

/// Whether a value is larger than what it is made of.
fn is_enlarged(function: &Function, value: Value) -> bool {
    let Some(node) = function.definition(value) else {
        return false;
    };
    match node.op {
        Op::Broadcast | Op::ExpandDims(_) => true,
        // `isExtOrBroadcastOp`: an integer that becomes a float is converted first and moved after.
        Op::Cast => {
            let (from, to) = (
                function.ty(node.operands[0]).element,
                function.ty(value).element,
            );
            to.bits() > from.bits() && to.is_float() == from.is_float()
        }
        _ => false,
    }
}

/// Whether a tile is neither loaded nor carried by a loop, but for transpositions.
fn is_computed(function: &Function, value: Value) -> bool {
    match function.definition(value) {
        Some(node) if matches!(node.op, Op::Transpose(_)) => {
            is_computed(function, node.operands[0])
        }
        Some(node) => !matches!(node.op, Op::Load(_)),
        None => false,
    }
}

/// The loop that carries a value, and the value's place among the arguments of its block.
pub fn carrier(function: &Function, value: Value) -> Option<(&Node, usize)> {
    function.nodes.iter().find_map(|node| {
        let mut blocks = node.blocks.iter();
        let at = blocks.find_map(|block| {
            let arguments = &function.blocks[block.0].arguments;
            arguments.iter().position(|&argument| argument == value)
        });
        at.map(|at| (node, at))
    })
}
