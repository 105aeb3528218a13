//! A formula as a tree, and the names in it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::fact::Fact;

/// A formula such as `5*M*N + 2*M`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(super) text: String,
    pub(super) root: Node,
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
pub(super) enum Operator {
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
pub(super) enum Function {
    CeilDiv,
    Min,
    Max,
    NextPow2,
    Gcd,
    If,
    BlocksPerSm,
}

/// Every function with its name and number of arguments.
pub(super) const FUNCTIONS: [(Function, &str, usize); 7] = [
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
pub(super) enum Node {
    Number(u64),
    Name(String),
    Value(Arc<NamedValue>),
    Fact(&'static Fact),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

impl Formula {
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
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Node {
    /// Calls `look` with the node and all in it, what named values stand for included.
    pub fn visit<'a>(&'a self, look: &mut impl FnMut(&'a Node)) {
        look(self);
        match self {
            Node::Number(_) | Node::Name(_) | Node::Fact(_) => {}
            // What a named value stands for is used wherever its name is.
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
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }
}
