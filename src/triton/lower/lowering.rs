//! What is known while the thread program is written: names, layouts, how often values are used.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{register_part, thread_part};
use super::text::{SharedArray, Writer};
use crate::launch::{Holder, TileTensor};
use crate::triton::analysis::Axes;
use crate::triton::layout::{LinearLayout, Place, SharedLayout};
use crate::triton::lower::index::Index;
use crate::triton::placement::{LayoutId, Needed, Placement};
use crate::triton::tile::{BlockId, Element, Function, Node, NodeId, Op, Type, Unary, Value};

/// Elements of a tensor whose holders are listed; of larger ones, those of the first so many.
const MOST_HOLDERS: u32 = 1 << 14;

/// The lowest place that holds each element, the last index running fastest.
fn holders(layout: &LinearLayout) -> Vec<Holder> {
    let mut holders = vec![Holder::default(); layout.elements().min(MOST_HOLDERS) as usize];
    // From the highest place down, so that the lowest stays.
    // All combinations of register, lane and warp: several lead to one element where a layout repeats itself.
    for bits in (0..1_u64 << layout.bases().count()).rev() {
        let place = layout.place_of_bits(bits);
        let Place {
            warp,
            lane,
            register,
        } = place;
        // Its lowest bits are of the first index; people read the last index fastest.
        let indices = layout.apply(place).into_iter().zip(&layout.shape);
        let at = indices.fold(0, |at, (index, side)| at * side + index);
        if let Some(holder) = holders.get_mut(at as usize) {
            *holder = Holder {
                warp,
                lane,
                register,
            };
        }
    }
    holders
}

/// How a tile lies in shared memory that loops copy it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staging {
    /// Its layout.
    pub shared: SharedLayout,
    /// Whether that is the layout of the transposed tile.
    pub is_turned: bool,
    /// Whether anything but products reads it, which needs it in registers.
    pub has_others: bool,
}

impl Staging {
    /// Whether elements lie in the same places, whichever way round they are read.
    pub fn lies_as(&self, other: &Staging) -> bool {
        match self.is_turned == other.is_turned {
            true => self.shared == other.shared,
            false => self.shared.turned().as_ref() == Some(&other.shared),
        }
    }

    /// A layout of the tile as one of what lies in shared memory.
    pub fn turned(&self, linear: &LinearLayout) -> LinearLayout {
        match self.is_turned {
            true => linear.transposed(&[1, 0]),
            false => linear.clone(),
        }
    }
}

/// A tile that got to shared memory before the round that uses it.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Where it begins, an address.
    pub memory: String,
    /// How it lies there.
    pub staging: Staging,
    /// Whether threads stored it, who hold it too, or else it was copied past them.
    pub is_from_registers: bool,
}

/// What of a loop's rounds is done before them.
#[derive(Debug, Default)]
pub struct Rounds {
    /// What the loop around copies ahead, by the loads' results, and what products of inner loops find there.
    pub copied: BTreeMap<Value, Copied>,
    /// While a later round's addresses are computed: whether there is such a round.
    pub in_time: Option<String>,
    /// Loads that are made rounds before, and never in their own.
    pub before: BTreeSet<NodeId>,
}

/// Who uses values, and where.
#[derive(Debug, Default)]
struct Uses {
    counts: BTreeMap<Value, usize>,
    homes: BTreeMap<Value, BlockId>,
    /// Whether what is written now leaves all its operands as they are.
    are_kept: bool,
    /// Values of whose elements a larger tile is made.
    enlarged: BTreeSet<Value>,
    /// Registers that stores need.
    needed: Needed,
}

/// Writes the thread program of one function.
#[derive(Debug)]
pub struct Lowering<'a> {
    /// What it does.
    pub function: &'a Function,
    /// What is known of values.
    pub axes: &'a Axes,
    /// Who holds what.
    pub placement: Placement,
    /// The text so far.
    pub writer: Writer,
    /// What values are called in a layout.
    pub names: BTreeMap<(Value, LayoutId), String>,
    /// What tensors are called and how they lie.
    pub tensors: Vec<TileTensor>,
    /// Warps of a block.
    pub warps: u32,
    /// Stages of loops that do not say how many they have.
    pub stages: u32,
    /// Loops around what is written now.
    pub loops: u32,
    /// What of the rounds of a loop is done before them.
    pub rounds: Rounds,
    taken: BTreeSet<String>,
    uses: Uses,
}

/// Words that no variable may be called.
const KEYWORDS: [&str; 30] = [
    "auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "delete",
    "do", "double", "else", "float", "for", "if", "int", "long", "new", "private", "register",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "this", "while",
];

/// What loops of the text count with, and functions that it calls: a variable of the kernel that was called so would
/// stand for something else inside.
const OWN_NAMES: [&str; 28] = [
    "i", "j", "k", "part", "reach", "round", "stage", "distance", "abs", "assert", "ceil", "cos",
    "erf", "exp", "exp2", "floor", "fma", "fmod", "log", "log2", "max", "min", "printf", "rsqrt",
    "sin", "sqrt", "tanh", "where",
];

impl Uses {
    fn of(function: &Function) -> Self {
        let mut uses = Uses::default();
        let is_larger = |op: &Op| matches!(op, Op::ExpandDims(_) | Op::Broadcast);
        let makers = function.nodes.iter().filter(|node| is_larger(&node.op));
        uses.enlarged = makers.flat_map(|node| &node.operands).copied().collect();
        for (at, block) in function.blocks.iter().enumerate() {
            let nodes = block
                .nodes
                .iter()
                .flat_map(|node| function.nodes[node.0].operands.iter());
            for &value in nodes.chain(&block.results) {
                *uses.counts.entry(value).or_default() += 1;
                let home = uses.homes.entry(value).or_insert(BlockId(at));
                // Used in two blocks: as good as used twice.
                if *home != BlockId(at) {
                    *uses.counts.entry(value).or_default() += 1;
                }
            }
        }
        uses
    }
}

impl<'a> Lowering<'a> {
    /// Nothing is written yet.
    pub fn new(function: &'a Function, axes: &'a Axes, placement: Placement, warps: u32) -> Self {
        let uses = Uses {
            needed: Needed::of(function, &placement),
            ..Uses::of(function)
        };
        Lowering {
            function,
            axes,
            placement,
            writer: Writer::default(),
            names: BTreeMap::new(),
            tensors: Vec::new(),
            warps,
            stages: 1,
            loops: 0,
            rounds: Rounds::default(),
            taken: KEYWORDS
                .iter()
                .chain(&OWN_NAMES)
                .map(|word| (*word).to_owned())
                .collect(),
            uses,
        }
    }

    /// The layout of a value in its shape, without registers that hold the same.
    pub fn linear(&self, value: Value, layout: LayoutId) -> LinearLayout {
        let shape = &self.function.ty(value).shape;
        let whole = self
            .placement
            .layout(layout)
            .map(|layout| layout.linear(shape));
        whole.map_or_else(
            || nowhere(self.warps),
            // Registers that repeat others would be computed and stored twice; lanes and warps that do so cannot be
            // left out.
            |layout| layout.without_register_replicas(),
        )
    }

    /// Registers of a thread for a value.
    pub fn registers(&self, value: Value, layout: LayoutId) -> u32 {
        match self.function.ty(value).is_scalar() {
            true => 1,
            false => self.linear(value, layout).registers(),
        }
    }

    /// As many of a value's registers as anybody needs.
    pub fn needed_registers(&self, value: Value, layout: LayoutId) -> u32 {
        let count = self.registers(value, layout);
        let needed = self.uses.needed.values.get(&value);
        needed.map_or(count, |needed| count.min(*needed))
    }

    /// As many registers as a store needs, of `count`, in accesses of `width`.
    pub fn stored_registers(&self, store: NodeId, count: u32, width: u32) -> u32 {
        let needed = self.uses.needed.stores.get(&store);
        needed.map_or(count, |needed| needed.next_multiple_of(width).min(count))
    }

    /// Whether shared memory may have been used before by the same code.
    pub fn is_in_loop(&self) -> bool {
        self.loops > 0
    }

    /// Before the first store to an array: all have read what the round before left there.
    pub fn begin_reuse(&mut self) {
        match self.is_in_loop() {
            true => self.writer.line("__syncthreads();"),
            false => self.writer.reuse(),
        }
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut count = 1;
        // The program is one function with everything in sight: a name of Python used twice would shadow the first.
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wish}_{count}");
        }
        name
    }

    /// What the parameter of that number is called from here on.
    pub fn parameter(&mut self, number: usize) -> String {
        let name = self.fresh(&self.function.parameters[number].name);
        let is_it = |node: &&Node| node.op == Op::Parameter(number);
        for node in self.function.nodes.iter().filter(is_it) {
            self.names.insert((node.results[0], None), name.clone());
        }
        name
    }

    /// An array in shared memory for elements of a type; gives its name.
    pub fn shared_array(&mut self, wish: &str, ty: &Type, count: u64) -> String {
        let name = self.fresh(wish);
        let (element, bytes) = match ty.is_pointer {
            true => (format!("{}*", ty.element.cuda()), 8),
            false => (ty.element.cuda().to_owned(), ty.element.bits().div_ceil(8)),
        };
        self.writer.shared(SharedArray {
            name: name.clone(),
            element,
            count,
            bytes: count * u64::from(bytes),
        });
        name
    }

    /// What a value is called that the text may have a name for.
    pub fn name_of(&mut self, value: Value, otherwise: &str) -> String {
        let wish = self.function.values[value.0].name.clone();
        self.fresh(wish.as_deref().unwrap_or(otherwise))
    }

    /// Gives a value a name in a layout, and notes how it lies.
    pub fn bind(&mut self, value: Value, layout: LayoutId, name: &str) {
        self.names.insert((value, layout), name.to_owned());
        let ty = self.function.ty(value);
        if let Some(known) = self.placement.layout(layout)
            && !ty.is_scalar()
        {
            let linear = self.linear(value, layout);
            self.tensors.push(TileTensor {
                name: name.to_owned(),
                type_name: ty.words(),
                is_bool: ty.element == Element::Bool && !ty.is_pointer,
                notation: known.to_string(),
                words: known.in_words(),
                registers: linear.registers(),
                holders: holders(&linear),
                shape: linear.shape,
            });
        }
    }

    /// The declaration of a variable for a value, without its initialiser.
    pub fn declaration(&self, value: Value, layout: LayoutId, name: &str) -> String {
        let ty = self.function.ty(value);
        let element = match ty.is_pointer {
            true => format!("{}*", stored(ty.element)),
            false => ty.element.cuda().to_owned(),
        };
        match self.registers(value, layout) {
            1 => format!("{element} {name}"),
            count => format!("{element} {name}[{count}]"),
        }
    }

    /// A register of a variable.
    pub fn register(&self, value: Value, layout: LayoutId, name: &str, index: &Index) -> String {
        match self.registers(value, layout) {
            1 => name.to_owned(),
            _ => format!("{name}[{}]", index.text()),
        }
    }

    /// Along `dim`, the place of the element that a register holds.
    pub fn coordinate(&mut self, layout: &LinearLayout, dim: usize, index: &Index) -> String {
        let thread = thread_part(layout, dim);
        let register = register_part(layout, dim, index);
        let thread = self.place(&thread, layout.shape.len(), dim);
        match (thread.is_empty(), register.is_empty()) {
            (true, true) => "0".to_owned(),
            (false, true) => thread,
            (true, false) => register,
            (false, false) => format!("{thread} + {register}"),
        }
    }

    /// Declarations of the variables of a thread that are set once, at the top.
    pub fn header(&self) -> Vec<String> {
        let places = self.writer.places.iter();
        let header = places.map(|(text, name)| format!("const int {name} = {text};"));
        header.collect()
    }

    /// A variable for what only the thread decides.
    fn place(&mut self, text: &str, rank: usize, dim: usize) -> String {
        if text.is_empty() {
            return String::new();
        }
        // Tiles of the same layout share it, as a compiler would.
        if let Some((_, name)) = self.writer.places.iter().find(|(known, _)| known == text) {
            return name.clone();
        }
        let wish = match (rank, dim) {
            (1, _) => "first".to_owned(),
            (2, 0) => "first_row".to_owned(),
            (2, 1) => "first_column".to_owned(),
            _ => format!("first_{dim}"),
        };
        let name = self.fresh(&wish);
        self.writer.places.push((text.to_owned(), name.clone()));
        name
    }

    /// Whether a value is written where it is used, and not kept in a variable.
    pub fn is_inline(&self, value: Value) -> bool {
        let Some(node) = self.function.definition(value) else {
            return false;
        };
        match &node.op {
            Op::Constant(_) | Op::Splat | Op::Broadcast | Op::ExpandDims(_) | Op::Range(_) => true,
            Op::Transpose(_) | Op::Reshape | Op::Join | Op::Split | Op::Parameter(_) => true,
            Op::Unary(_)
            | Op::Call(_)
            | Op::Assembly(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select
            | Op::Fma
            | Op::Cast
            | Op::Bitcast
            | Op::Offset => {
                let is_named = self.function.values[value.0].name.is_some();
                // Of a number once, and not for each element that it is used for; so, too, of a row for a tile.
                let is_alike = self.function.ty(value).is_scalar();
                if is_function(&node.op) && (is_alike || self.uses.enlarged.contains(&value)) {
                    return false;
                }
                let uses = self.uses.counts.get(&value).copied().unwrap_or(0);
                // Written twice it would be computed twice; in a loop's body, again each time; and a name of the
                // source is to be seen.
                uses <= 1 && !is_named && self.is_at_home(value)
            }
            // Read from a special register wherever it stands, at no cost; only a name that the source gives it is
            // kept.
            Op::ProgramId(_) | Op::ProgramCount(_) => self.function.values[value.0].name.is_none(),
            _ => false,
        }
    }

    /// Whether anything reads a value.
    pub fn is_used(&self, value: Value) -> bool {
        self.uses.counts.contains_key(&value)
    }

    /// Whether one operation of the block that computes a value uses it, once.
    pub fn is_used_once(&self, value: Value) -> bool {
        self.uses.counts.get(&value) == Some(&1) && self.is_at_home(value)
    }

    /// Says whether all operands of what is written are needed after.
    pub fn keep_operands(&mut self, are_kept: bool) {
        self.uses.are_kept = are_kept;
    }

    /// Whether all operands of what is written are needed after.
    pub fn are_kept(&self) -> bool {
        self.uses.are_kept
    }

    /// Whether two operations of the block that computes a value use it.
    pub fn is_used_twice(&self, value: Value) -> bool {
        self.uses.counts.get(&value) == Some(&2) && self.is_at_home(value)
    }

    /// Whether a number is used nowhere but in one access of one thread, in the block that it is computed in, behind which
    /// nothing comes but such accesses: `ptxas` ends all other threads before them.
    pub fn is_only_stored(&self, value: Value) -> bool {
        let is_access = |node: &Node| {
            let is_one = matches!(node.op, Op::Store(_) | Op::Atomic(..));
            is_one && self.function.ty(node.operands[0]).is_scalar()
        };
        use Op::*;
        let is_between_threads =
            |node: &Node| matches!(node.op, Reduce(_) | Scan(..) | Dot(_) | Gather(_));
        // By a thread alone: nobody waits for others, and no memory is looked at.
        let is_computed = |node: &Node| {
            let is_flow = matches!(
                node.op,
                For { .. } | If | While | Barrier | Print(_) | Assert(_)
            );
            !is_between_threads(node)
                && !is_flow
                && !matches!(node.op, Load(_) | Store(_) | Atomic(..))
        };
        let is_last = || {
            self.function.blocks.iter().any(|block| {
                let nodes = block
                    .nodes
                    .iter()
                    .map(|id| &self.function.nodes[id.0])
                    .rev();
                // All threads read it before a later exchange goes over it.
                let mut behind = nodes
                    .clone()
                    .take_while(|node| !node.results.contains(&value));
                let mut last = nodes.take_while(|node| is_access(node) || is_computed(node));
                !behind.any(is_between_threads)
                    && last.any(|node| is_access(node) && node.operands.contains(&value))
            })
        };
        !self.is_used(value) || (self.is_used_once(value) && is_last())
    }

    /// Whether a value is used in the block that it is computed in, and not again and again in a loop.
    pub fn is_at_home(&self, value: Value) -> bool {
        let Some(home) = self.uses.homes.get(&value) else {
            return true;
        };
        let node = self.function.values[value.0].node;
        node.is_some_and(|node| self.function.blocks[home.0].nodes.contains(&node))
    }
}

/// Whether an operation is a function that takes several instructions.
fn is_function(op: &Op) -> bool {
    use Unary::*;
    matches!(
        op,
        Op::Unary(Exp | Exp2 | Log | Log2 | Sin | Cos | Tanh | Erf)
    )
}

/// How an element lies in memory: a truth value takes a byte.
pub fn stored(element: Element) -> &'static str {
    match element {
        Element::Bool => "unsigned char",
        other => other.cuda(),
    }
}

/// The layout of a number, which every thread holds.
fn nowhere(warps: u32) -> LinearLayout {
    LinearLayout {
        shape: Vec::new(),
        registers: Vec::new(),
        // Bases of 0: every lane and warp holds the same.
        lanes: vec![0; 5],
        warps: vec![0; warps.ilog2() as usize],
    }
}
