//! What a loop is made of: operations on registers, each of which is written once in an iteration.

use std::ops::Range;
use std::rc::Rc;

use crate::host::code::{Op, Slot};

/// What one operation gives in each iteration, by its number. Operands have lower numbers than the result.
pub type Register = u16;

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An operation whose slots are registers.
    Compute(Op),
    /// A function of numbers.
    Math {
        to: Register,
        operands: [Register; 3],
        site: u32,
    },
    Load(Access),
    /// The next of a row of numbers that a library's function gives, as `rand` does.
    Draw {
        to: Register,
        site: u32,
    },
    /// A branch, and the way that it is expected to go.
    Guard(Guard),
    /// A loop within the iteration.
    Nest(Rc<Nest>),
}

/// A loop within an iteration.
#[derive(Debug, PartialEq)]
pub struct Nest {
    /// What its slots hold before it begins, and the registers that hold it then.
    pub entering: Vec<(Register, Register)>,
    /// What a turn leaves, and what the next one finds.
    pub carried: Vec<(Register, Register)>,
    /// What is the same in all turns.
    pub once: Vec<Step>,
    /// What is, in each turn, the same in all iterations.
    pub shared: Vec<Step>,
    pub steps: Vec<Step>,
    /// Whether another turn follows.
    pub again: Guard,
    /// The registers that it writes.
    pub writes: Range<Register>,
    /// Jumps and calls of a turn.
    pub jumps: u32,
}

/// A word that is loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub address: Register,
    /// What is loaded or stored.
    pub value: Register,
    pub word: WordKind,
    /// How many steps stand before it.
    pub order: usize,
}

/// How a word lies in memory, and how a slot holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    Whole,
}

impl WordKind {
    pub fn bytes(self) -> u64 {
        match self {
            WordKind::I8 | WordKind::U8 => 1,
            WordKind::I16 | WordKind::U16 => 2,
            WordKind::I32 | WordKind::U32 => 4,
            WordKind::Whole => 8,
        }
    }
}

/// A branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    pub test: Test,
    pub a: Register,
    pub b: Register,
    /// What the test gives as long as iterations go this way.
    pub expected: bool,
}

impl Guard {
    /// The same branch, expected to go the other way.
    pub fn otherwise(&self) -> Guard {
        Guard {
            expected: !self.expected,
            ..*self
        }
    }
}

/// What a branch asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    IsSet,
    Eq,
    LtI,
    LeI,
    LtU,
    LeU,
}

impl Test {
    pub fn of(self, a: u64, b: u64) -> bool {
        match self {
            Test::IsSet => a != 0,
            Test::Eq => a == b,
            Test::LtI => (a as i64) < b as i64,
            Test::LeI => a as i64 <= b as i64,
            Test::LtU => a < b,
            Test::LeU => a <= b,
        }
    }
}

/// A conditional jump: what it asks of which slots, what makes it jump, and where it leads.
pub struct Branch {
    pub test: Test,
    pub a: Slot,
    pub b: Slot,
    pub jumps_if: bool,
    pub target: u32,
}

impl Branch {
    /// The branch that an operation is, if it is one.
    pub fn of(op: Op) -> Option<Branch> {
        let (test, a, b, jumps_if, target) = match op {
            Op::JumpIf { a, target } => (Test::IsSet, a, a, true, target),
            Op::JumpUnless { a, target } => (Test::IsSet, a, a, false, target),
            Op::JumpEq { a, b, target } => (Test::Eq, a, b, true, target),
            Op::JumpNe { a, b, target } => (Test::Eq, a, b, false, target),
            Op::JumpLtI { a, b, target } => (Test::LtI, a, b, true, target),
            Op::JumpLeI { a, b, target } => (Test::LeI, a, b, true, target),
            Op::JumpLtU { a, b, target } => (Test::LtU, a, b, true, target),
            Op::JumpLeU { a, b, target } => (Test::LeU, a, b, true, target),
            _ => return None,
        };
        Some(Branch {
            test,
            a,
            b,
            jumps_if,
            target,
        })
    }
}

/// A counter: a slot that each iteration changes by the same amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counter {
    pub slot: Slot,
    /// What it is when the iteration begins.
    pub register: Register,
    /// The operation that changes it, on registers.
    pub op: Op,
    /// By how much.
    pub by: Register,
}

/// A slot or a word that gathers something of each iteration, in their order: a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    pub start: Start,
    /// What it is when the iteration has ended.
    pub after: Register,
    /// The operation that takes something in.
    pub op: Op,
    /// What it takes in.
    pub operand: Register,
    /// Whether the sum is the operation's first operand.
    pub is_left: bool,
}

impl Reduction {
    /// Whether a step computes the sum, or loads what it begins with.
    pub fn is_of(&self, step: &Step) -> bool {
        match (step, self.start) {
            (Step::Load(load), Start::Word(start)) => *load == start,
            _ => *step == Step::Compute(self.op),
        }
    }
}

/// What a sum is before the first iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    Slot(Slot),
    /// What is loaded from the address that the iterations store to.
    Word(Access),
}
