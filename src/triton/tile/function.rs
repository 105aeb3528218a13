//! A kernel as a list of operations on tiles, in static single assignment form: what the text of a Triton function
//! becomes before anybody asks which thread holds what.

use super::element::Element;
use crate::source::Span;

/// A value, as an index into [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub usize);

/// A block of operations, as an index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub usize);

/// An operation, as an index into [`Function::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub usize);

/// The type of a value: a tile, or one number if it has no sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Its sides.
    pub shape: Vec<u32>,
    /// What it holds, or what its pointers lead to.
    pub element: Element,
    /// Whether it holds pointers.
    pub is_pointer: bool,
}

impl Type {
    /// One number.
    pub fn scalar(element: Element) -> Self {
        Self::tile(&[], element)
    }

    /// A tile of numbers.
    pub fn tile(shape: &[u32], element: Element) -> Self {
        Type {
            shape: shape.to_vec(),
            element,
            is_pointer: false,
        }
    }

    /// The same of another shape.
    pub fn shaped(&self, shape: &[u32]) -> Self {
        Type {
            shape: shape.to_vec(),
            ..self.clone()
        }
    }

    /// Numbers of another type in the same shape.
    pub fn of(&self, element: Element) -> Self {
        Type::tile(&self.shape, element)
    }

    /// Whether it is one number or pointer.
    pub fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    /// Elements of the tile.
    pub fn count(&self) -> u64 {
        self.shape.iter().map(|&side| u64::from(side)).product()
    }

    /// As messages write it: `int32[64, 32]`, `pointer<float32>`.
    pub fn words(&self) -> String {
        let element = match self.is_pointer {
            true => format!("pointer<{}>", self.element.name()),
            false => self.element.name().to_owned(),
        };
        match self.is_scalar() {
            true => element,
            false => format!("{element}{:?}", self.shape),
        }
    }
}

/// A number that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An integer, or a truth value as 0 or 1.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

/// Functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the functions")]
pub enum Unary {
    Negate,
    Not,
    Abs,
    Exp,
    Exp2,
    Log,
    Log2,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Tanh,
    Erf,
    Floor,
    Ceil,
}

/// Functions of two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the functions")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Min,
    Max,
    MulHigh,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the comparisons")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the operations")]
pub enum Atomic {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
}

impl Atomic {
    /// Values that it is given beside the pointer.
    pub fn values(self) -> usize {
        match self {
            Atomic::CompareAndSwap => 2,
            _ => 1,
        }
    }
}

/// How a product of tiles is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the precisions")]
pub enum Precision {
    Ieee,
    Tf32,
    Tf32x3,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// An argument of the launch, by its number among those that are not known.
    Parameter(usize),
    /// A known number, or a tile full of it.
    Constant(Constant),
    /// `tl.program_id` of an axis.
    ProgramId(u8),
    /// `tl.num_programs` of an axis.
    ProgramCount(u8),
    /// `start, start + 1, …`: as many as the result is long.
    Range(u32),
    /// A tile of one number.
    Splat,
    /// A side of length 1 more, in front of side number so and so.
    ExpandDims(usize),
    /// Sides of length 1 made longer.
    Broadcast,
    /// The same elements, in row-major order, in another shape.
    Reshape,
    /// Sides in another order.
    Transpose(Vec<usize>),
    /// Two tiles along a new last side of length 2.
    Join,
    /// The two halves of a last side of length 2.
    Split,
    /// Elements of the first at the second's places along a side.
    Gather(usize),
    /// Of one operand.
    Unary(Unary),
    /// A function of the GPU's library, as CUDA calls that of float64.
    Call(&'static str),
    /// PTX that the text has, element by element.
    Assembly(Box<Assembly>),
    /// Of two operands.
    Binary(Binary),
    /// A truth value.
    Compare(Comparison),
    /// The second where the first holds, else the third.
    Select,
    /// A product and a sum, rounded once.
    Fma,
    /// Numbers as another type.
    Cast,
    /// Bits as another type.
    Bitcast,
    /// A pointer and a number of elements.
    Offset,
    /// From memory: a pointer, then a mask if there is one, then what masked elements are.
    Load(Access),
    /// To memory: a pointer, a value, and a mask if there is one.
    Store(Access),
    /// A pointer, one or two values, and a mask if there is one.
    Atomic(Atomic, Access),
    /// All elements along a side combined by a block of two arguments for each operand.
    Reduce(usize),
    /// Like it, with every result on the way; in reverse if so.
    Scan(usize, bool),
    /// The product of two tiles, added to a third.
    Dot(Precision),
    /// From, to, step, then what is carried; the block's arguments are the number and what is carried.
    For {
        /// How many stages its loads are spread over, where it says so.
        stages: Option<u32>,
    },
    /// A condition and two blocks.
    If,
    /// What is carried; a block for the condition, whose first result it is, and one for the body.
    While,
    /// `tl.device_print`.
    Print(String),
    /// `tl.device_assert`.
    Assert(String),
    /// `tl.debug_barrier`.
    Barrier,
}

/// PTX for each element: `tl.inline_asm_elementwise`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// What the thread program calls the function that holds it.
    pub name: String,
    /// The text, in which `$0` is the result and `$1` the first operand.
    pub text: String,
    /// The letters of PTX for the types of the result and of each operand.
    pub letters: Vec<char>,
    /// Whether it does nothing but compute.
    pub is_pure: bool,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether there is a mask.
    pub is_masked: bool,
    /// Whether masked elements have a value.
    pub has_other: bool,
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Of what.
    pub operands: Vec<Value>,
    /// What it gives.
    pub results: Vec<Value>,
    /// Loops' bodies and the like.
    pub blocks: Vec<BlockId>,
    /// Where it is written.
    pub span: Span,
}

/// Operations in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// What it is given.
    pub arguments: Vec<Value>,
    /// What it does.
    pub nodes: Vec<NodeId>,
    /// What it gives.
    pub results: Vec<Value>,
}

/// Hints that the text gives about a value: `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// Powers of two that the first elements of runs are divisible by, side by side.
    pub divisibility: Vec<i64>,
    /// Lengths of runs, side by side.
    pub contiguity: Vec<i64>,
    /// Lengths of stretches of equal elements, side by side.
    pub constancy: Vec<i64>,
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFacts {
    /// Its type.
    pub ty: Type,
    /// What the text calls it.
    pub name: Option<String>,
    /// Where it comes from; none for arguments of blocks.
    pub node: Option<NodeId>,
    /// What the text says about it.
    pub hints: Hints,
}

/// A parameter that is left at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What the text calls it.
    pub name: String,
    /// Its number among the arguments of the launch.
    pub argument: usize,
    /// Its type.
    pub ty: Type,
    /// A power of two that it is divisible by.
    pub divisibility: i64,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Arguments that are not known before the launch.
    pub parameters: Vec<Parameter>,
    /// All values.
    pub values: Vec<ValueFacts>,
    /// All operations.
    pub nodes: Vec<Node>,
    /// All blocks; the first is the kernel's body.
    pub blocks: Vec<Block>,
}

impl Function {
    /// The type of a value.
    pub fn ty(&self, value: Value) -> &Type {
        &self.values[value.0].ty
    }

    /// The operation that gives a value; none for arguments of blocks.
    pub fn definition(&self, value: Value) -> Option<&Node> {
        self.values[value.0].node.map(|node| &self.nodes[node.0])
    }

    /// Whether a loop's body gives `value` for what `carried` is in the next round.
    pub fn is_next_of(&self, value: Value, carried: Value) -> bool {
        self.blocks.iter().any(|block| {
            // The first argument of a `for` is its number.
            let first = block.arguments.len().saturating_sub(block.results.len());
            let mut pairs = block.arguments.iter().skip(first).zip(&block.results);
            pairs.any(|pair| pair == (&carried, &value))
        })
    }

    /// The number that a value is known to be, in every element.
    pub fn constant(&self, value: Value) -> Option<Constant> {
        let node = self.definition(value)?;
        match &node.op {
            Op::Constant(constant) => Some(*constant),
            Op::Splat | Op::Broadcast | Op::ExpandDims(_) => self.constant(node.operands[0]),
            _ => None,
        }
    }

    /// A new value.
    pub fn value(&mut self, ty: Type, node: Option<NodeId>) -> Value {
        self.values.push(ValueFacts {
            ty,
            name: None,
            node,
            hints: Hints::default(),
        });
        Value(self.values.len() - 1)
    }

    /// A new block with arguments of these types.
    pub fn block(&mut self, arguments: &[Type]) -> BlockId {
        let arguments = arguments.iter().map(|ty| self.value(ty.clone(), None));
        let block = Block {
            arguments: arguments.collect(),
            ..Block::default()
        };
        self.blocks.push(block);
        BlockId(self.blocks.len() - 1)
    }
}

impl Op {
    /// Whether leaving it out would be noticed, whatever becomes of its results.
    pub fn has_effect(&self) -> bool {
        use Op::{Assert, Atomic, Barrier, Print, Store};
        match self {
            Op::Assembly(assembly) => !assembly.is_pure,
            _ => matches!(self, Store(_) | Atomic(..) | Print(_) | Assert(_) | Barrier),
        }
    }

    /// Whether it computes each element of its result of those at the same place; addresses and bits aside.
    pub fn computes_elements(&self) -> bool {
        use Op::{Binary, Call, Cast, Compare, Fma, Select, Unary};
        matches!(
            self,
            Unary(_) | Binary(_) | Compare(_) | Select | Fma | Cast | Call(_)
        )
    }

    /// Whether it may be computed again, or once for two that are alike.
    pub fn is_pure(&self) -> bool {
        let has_blocks = matches!(self, Op::For { .. } | Op::If | Op::While);
        !self.has_effect() && !has_blocks && !matches!(self, Op::Load(_))
    }
}
