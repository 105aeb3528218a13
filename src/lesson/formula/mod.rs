//! Whole-number formulas over the sizes of a lesson and the figures of a GPU.
//!
//! A formula is read once, with the lesson; a formula that reads is evaluated without panics: a
//! missing size, a figure that is not known, a division by zero and a result that does not fit are
//! errors. Values between are 128-bit and may be negative; the result may not.

mod evaluate;
mod fact;
mod parse;
mod textbook;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::Sizes;
use crate::device::Gpu;
use fact::Fact;
use parse::parse;

/// A formula such as `5*M*N + 2*M`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    text: String,
    root: Node,
}

/// A formula with a name, which others use by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// Its name in formulas.
    pub name: String,
    /// What it stands for.
    pub formula: Formula,
}

/// An operation on two values. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A function by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    CeilDiv,
    Min,
    Max,
    NextPow2,
    Gcd,
    If,
    BlocksPerSm,
}

/// Every function with its name and number of arguments.
const FUNCTIONS: [(Function, &str, usize); 7] = [
    (Function::CeilDiv, "ceil_div", 2),
    (Function::Min, "min", 2),
    (Function::Max, "max", 2),
    (Function::NextPow2, "next_pow2", 1),
    (Function::Gcd, "gcd", 2),
    (Function::If, "if", 3),
    (Function::BlocksPerSm, "blocks_per_sm", 3),
];

/// A part of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Number(u64),
    Name(String),
    Value(Arc<NamedValue>),
    Fact(&'static Fact),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// What is wrong with the text of a formula, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FormulaError {
    /// Bytes of the text.
    pub at: std::ops::Range<usize>,
    /// One sentence without a full stop.
    pub message: String,
}

/// Why a formula has no value at some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// It uses a name that is no size.
    #[error("`{0}` is not a size")]
    UnknownName(String),
    /// It uses a figure that the table does not have of this GPU.
    #[error("`{0}` is not known of the {1}")]
    UnknownFact(&'static str, String),
    /// It divides by zero.
    #[error("it divides by zero")]
    DivisionByZero,
    /// A value on the way has more than 127 bits, or the result more than 64.
    #[error("the result is too large")]
    TooLarge,
    /// The result is below zero.
    #[error("the result is negative: {0}")]
    Negative(i128),
}

impl Formula {
    /// Reads a formula: whole numbers, names, `+ - * / %`, comparisons, parentheses, the functions
    /// `ceil_div(a, b)`, `min(a, b)`, `max(a, b)`, `gcd(a, b)`, `next_pow2(a)`, `if(c, a, b)` and
    /// `blocks_per_sm(threads, registers, shared_bytes)`, and figures of the GPU such as `gpu.sm_count` and
    /// `cc.max_warps_per_sm`. Division rounds towards zero.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        Self::parse_with(text, &[])
    }

    /// The same, where names may also be those of `values`.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse_with(text: &str, values: &[Arc<NamedValue>]) -> Result<Self, FormulaError> {
        let text = text.to_owned();
        let root = parse(&text, values)?;
        Ok(Formula { text, root })
    }

    /// The formula of one number.
    pub fn constant(number: u64) -> Self {
        Formula {
            text: number.to_string(),
            root: Node::Number(number),
        }
    }

    /// Whether it is a plain number, with nothing to compute.
    pub fn is_number(&self) -> bool {
        matches!(self.root, Node::Number(_))
    }

    /// The formula as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As a textbook writes it: `5MN + 2M`.
    pub fn textbook(&self) -> String {
        textbook::write(&self.root)
    }

    /// Every size it uses, in order, repeated where it is; those behind named values too.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.visit(&mut |node| {
            if let Node::Name(name) = node {
                names.push(name.as_str());
            }
        });
        names
    }

    /// Every size and named value that it uses.
    pub fn uses(&self) -> BTreeSet<String> {
        let mut uses = BTreeSet::new();
        self.root.visit(&mut |node| match node {
            Node::Name(name) => _ = uses.insert(name.clone()),
            Node::Value(value) => _ = uses.insert(value.name.clone()),
            _ => {}
        });
        uses
    }

    /// Its value at `sizes`, on `gpu`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn evaluate(&self, sizes: &Sizes, gpu: &Gpu) -> Result<u64, EvaluateError> {
        let value = evaluate::Place { sizes, gpu }.value(&self.root)?;
        match u64::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) if value < 0 => Err(EvaluateError::Negative(value)),
            Err(_) => Err(EvaluateError::TooLarge),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Node {
    /// Calls `look` with the node and all in it, what named values stand for included.
    fn visit<'a>(&'a self, look: &mut impl FnMut(&'a Node)) {
        look(self);
        match self {
            Node::Number(_) | Node::Name(_) | Node::Fact(_) => {}
            Node::Value(value) => value.formula.root.visit(look),
            Node::Binary(_, left, right) => {
                left.visit(look);
                right.visit(look);
            }
            Node::Call(_, arguments) => {
                for argument in arguments {
                    argument.visit(look);
                }
            }
        }
    }

    /// Nodes that it has, written out.
    fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }
}

#[cfg(test)]
mod tests;
