//! What an expression stands for while a function is read: a number that is known, a value of the kernel, a name.

use crate::triton::python::FunctionName;
use crate::triton::tile::{Element, Value};

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Traced {
    /// `None`.
    Nothing,
    /// A truth value that is known.
    Truth(bool),
    /// An integer that is known.
    Integer(i128),
    /// A floating-point number that is known.
    Float(f64),
    /// A text.
    Text(String),
    /// Known only when it runs.
    Value(Value),
    /// Several.
    Tuple(Vec<Traced>),
    /// The type of elements, or of pointers to them.
    Type(Element, bool),
    /// A function under `@triton.jit`.
    Function(FunctionName),
    /// A file or a class, which has members: its file, and what their names begin with.
    Scope(usize, String),
    /// A name of Triton or Python, such as `triton.language.load`.
    Path(String),
    /// A method of a value.
    Method(Box<Traced>, String),
    /// What `range` and its kin stand for.
    Range(Box<LoopRange>),
    /// A block pointer or a tensor descriptor.
    Block(Box<TensorBlock>),
}

/// A tile of a tensor in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorBlock {
    /// Where the tensor begins.
    pub base: Traced,
    /// Elements of the tensor along each side.
    pub shape: Vec<Traced>,
    /// From one element to the next along each side.
    pub strides: Vec<Traced>,
    /// Where a block pointer points to; a descriptor is told when it is used.
    pub offsets: Vec<Traced>,
    /// Elements of the tile along each side.
    pub sides: Vec<u32>,
    /// Whether it is a tensor descriptor.
    pub is_descriptor: bool,
    /// What a descriptor gives outside of the tensor.
    pub padding: Option<Traced>,
}

/// The numbers that a loop goes through.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRange {
    /// The first.
    pub start: Traced,
    /// One past the last.
    pub stop: Traced,
    /// The distance.
    pub step: Traced,
    /// Whether it is written out, once for each number.
    pub is_static: bool,
    /// How many stages loads are spread over, where it says so.
    pub stages: Option<u32>,
}

impl Traced {
    /// What messages call it.
    pub fn words(&self) -> &'static str {
        match self {
            Traced::Nothing => "None",
            Traced::Truth(_) | Traced::Integer(_) | Traced::Float(_) => "a constexpr",
            Traced::Text(_) => "a text",
            Traced::Value(_) => "a tensor",
            Traced::Tuple(_) => "a tuple",
            Traced::Type(..) => "a type",
            Traced::Function(_) | Traced::Path(_) | Traced::Method(..) => "a function",
            Traced::Scope(_, class) if class.is_empty() => "a module",
            Traced::Scope(..) => "a class",
            Traced::Range(_) => "a range",
            Traced::Block(block) if block.is_descriptor => "a tensor descriptor",
            Traced::Block(_) => "a block pointer",
        }
    }

    /// The integer that it is known to be.
    pub fn integer(&self) -> Option<i128> {
        match self {
            Traced::Integer(value) => Some(*value),
            Traced::Truth(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// Whether it holds, if that is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Traced::Nothing => Some(false),
            Traced::Truth(value) => Some(*value),
            Traced::Integer(value) => Some(*value != 0),
            Traced::Float(value) => Some(*value != 0.0),
            Traced::Text(value) => Some(!value.is_empty()),
            Traced::Tuple(values) => Some(!values.is_empty()),
            Traced::Function(_) | Traced::Path(_) | Traced::Type(..) => Some(true),
            Traced::Block(_) | Traced::Scope(..) => Some(true),
            Traced::Value(_) | Traced::Method(..) | Traced::Range(_) => None,
        }
    }

    /// The parts that something is made of which a loop or a condition may change one by one; none of what is one.
    pub fn leaves(&self) -> Option<Vec<&Traced>> {
        let parts: Vec<&Traced> = match self {
            Traced::Tuple(parts) => parts.iter().collect(),
            Traced::Block(block) => {
                let TensorBlock {
                    base,
                    shape,
                    strides,
                    offsets,
                    ..
                } = &**block;
                let lists = shape.iter().chain(strides).chain(offsets);
                std::iter::once(base).chain(lists).collect()
            }
            _ => return None,
        };
        // In the order in which `with_leaves` puts them back.
        let leaves = parts
            .into_iter()
            .flat_map(|part| part.leaves().unwrap_or_else(|| vec![part]));
        Some(leaves.collect())
    }

    /// The same made of other parts.
    pub fn with_leaves(&self, next: &mut dyn FnMut() -> Option<Traced>) -> Traced {
        let mut each = |part: &Traced| match part.leaves() {
            Some(_) => part.with_leaves(next),
            None => next().unwrap_or_else(|| part.clone()),
        };
        match self {
            Traced::Tuple(parts) => Traced::Tuple(parts.iter().map(each).collect()),
            Traced::Block(block) => {
                let mut block = block.clone();
                block.base = each(&block.base);
                let lists = block.shape.iter_mut().chain(&mut block.strides);
                for part in lists.chain(&mut block.offsets) {
                    *part = each(part);
                }
                Traced::Block(block)
            }
            one => one.clone(),
        }
    }
}
