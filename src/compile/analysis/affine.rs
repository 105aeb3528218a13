//! Integers and addresses as sums of what is not known: `4 * row + k + 1` and `k + 1 + 4 * row` are
//! the same sum, and lie one from `4 * row + k`.
//!
//! Every register of a variable stands for a sum until something else writes it.

use std::collections::HashMap;

use crate::compile::lower::{Home, Lower};
use crate::compile::optimise::Words;
use crate::cuda::{Axis, BinaryOp, Coordinate, Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::cuda::{FileVariableId, LocalId, arithmetic};
use crate::ir::Register;

/// Most atoms of an operation's operands: `x ^= x << 5` doubles them.
const MOST_ATOMS: usize = 32;

/// What a sum is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    /// A value that nothing is known of.
    Fresh(u32),
    /// `threadIdx.x` and its kin.
    Coordinate(Coordinate, Axis),
    /// Another operation.
    Operation(BinaryOp, Scalar, Box<Sum>, Box<Sum>),
    /// Where the block's shared memory begins.
    Shared,
    /// Where a variable at file scope begins.
    File(FileVariableId),
}

/// A sum of multiples of atoms, and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    pub terms: Vec<(Atom, i64)>,
    pub constant: i64,
}

impl Sum {
    pub fn constant(constant: i64) -> Self {
        Sum {
            terms: Vec::new(),
            constant,
        }
    }

    pub fn atom(atom: Atom) -> Self {
        Sum {
            terms: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// This and `factor` times `other`.
    pub fn plus(mut self, other: &Sum, factor: i64) -> Self {
        self.constant = self
            .constant
            .wrapping_add(other.constant.wrapping_mul(factor));
        for (atom, times) in &other.terms {
            let times = times.wrapping_mul(factor);
            match self.terms.iter().position(|(known, _)| known == atom) {
                Some(at) => {
                    self.terms[at].1 = self.terms[at].1.wrapping_add(times);
                    if self.terms[at].1 == 0 {
                        self.terms.swap_remove(at);
                    }
                }
                None if times != 0 => self.terms.push((atom.clone(), times)),
                None => {}
            }
        }
        self
    }

    /// Atoms, those of operations inside too.
    fn size(&self) -> usize {
        let of_atom = |atom: &Atom| match atom {
            Atom::Operation(_, _, a, b) => 1 + a.size() + b.size(),
            _ => 1,
        };
        self.terms.iter().map(|(atom, _)| of_atom(atom)).sum()
    }

    /// How far this lies from `other`, if that is known.
    pub fn from(&self, other: &Sum) -> Option<i64> {
        let same = self.terms.len() == other.terms.len()
            && self.terms.iter().all(|term| other.terms.contains(term));
        same.then(|| self.constant.wrapping_sub(other.constant))
    }
}

/// What a variable's registers stand for.
#[derive(Debug)]
struct Symbol {
    sum: Sum,
    words: u32,
    /// Open frames where that became known.
    depth: usize,
}

/// What the registers of variables stand for.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    known: HashMap<Register, Symbol>,
    multiples: HashMap<u32, i64>,
    /// Atoms up to this one are the same for all threads.
    uniform: u32,
    next: u32,
}

impl Symbols {
    /// Registers are written.
    pub fn wrote(&mut self, (first, words): (Register, u32)) {
        for register in first..first.saturating_add(words as Register) {
            self.known.remove(&register);
        }
        let before = first.wrapping_sub(1);
        if self.known.get(&before).is_some_and(|known| known.words > 1) {
            self.known.remove(&before);
        }
    }

    /// Only lanes of `depth` open frames go on: what others wrote is not known of them.
    pub fn leave(&mut self, depth: usize) {
        self.known.retain(|_, known| known.depth <= depth);
    }

    /// What `register` stands for, with so many open frames.
    fn of(&mut self, (register, words): (Register, u32), depth: usize) -> Sum {
        if let Some(known) = self.known.get(&register) {
            return known.sum.clone();
        }
        self.next += 1;
        let sum = Sum::atom(Atom::Fresh(self.next));
        self.set((register, words), sum.clone(), depth);
        sum
    }

    /// `register` stands for `sum` from here on.
    pub fn set(&mut self, (register, words): (Register, u32), sum: Sum, depth: usize) {
        self.known.insert(register, Symbol { sum, words, depth });
    }

    /// `register` holds something new, a multiple of `multiple`.
    pub fn set_multiple(&mut self, register: Register, multiple: i64, depth: usize) {
        self.known.remove(&register);
        if let [(Atom::Fresh(atom), _)] = self.of((register, 1), depth).terms[..] {
            self.multiples.insert(atom, multiple);
        }
    }

    /// `register`, of a parameter, holds the same for all threads. Only before all else.
    pub fn set_uniform(&mut self, register: Register) {
        // Writing either word of a pair ends it.
        self.of((register, 2), 0);
        self.uniform = self.next;
    }

    /// Whether `sum` is the same for all threads of a block.
    pub fn is_uniform(&self, sum: &Sum) -> bool {
        sum.terms.iter().all(|(atom, _)| match atom {
            Atom::Fresh(atom) => *atom <= self.uniform,
            Atom::Coordinate(what, _) => *what != Coordinate::ThreadIdx,
            Atom::Operation(_, _, a, b) => self.is_uniform(a) && self.is_uniform(b),
            Atom::Shared | Atom::File(_) => true,
        })
    }

    /// The largest power of two up to 16 that divides every term of `sum`.
    pub fn alignment(&self, sum: &Sum) -> i64 {
        let of_term = |(atom, times): &(Atom, i64)| {
            let own = match atom {
                Atom::Fresh(atom) => self.multiples.get(atom).copied().unwrap_or(1),
                Atom::Shared => 16,
                _ => 1,
            };
            let bits = times.trailing_zeros() + own.trailing_zeros();
            1_i64 << bits.min(4)
        };
        sum.terms.iter().map(of_term).min().unwrap_or(16)
    }
}

impl Lower<'_> {
    /// An integer as a sum.
    pub fn sum(&mut self, expr: &Expr) -> Option<Sum> {
        let scalar = expr.ty.scalar().filter(|scalar| scalar.is_integer())?;
        match &expr.kind {
            ExprKind::Constant(bits) => {
                let value = arithmetic::integer(scalar, *bits);
                Some(Sum::constant(i64::try_from(value).ok()?))
            }
            ExprKind::Coordinate(what, axis) => Some(Sum::atom(Atom::Coordinate(*what, *axis))),
            ExprKind::Convert(operand) => {
                let from = operand.ty.scalar()?;
                let keeps = from.is_integer() && scalar.size_bytes() >= 4.max(from.size_bytes());
                if keeps { self.sum(operand) } else { None }
            }
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => self.sum_of_local(*local),
            ExprKind::Binary(op, a, b) => self.sum_of_binary(*op, scalar, a, b),
            _ => None,
        }
    }

    /// What a variable stands for.
    pub fn sum_of_local(&mut self, local: LocalId) -> Option<Sum> {
        let Home::Register(home) = self.home(local) else {
            return None;
        };
        let depth = self.emitter.depth();
        let ty = &self.program.functions[self.context.function].locals[local].ty;
        let home = (home, crate::compile::tree::words(ty));
        Some(self.emitter.reuse.symbols.of(home, depth))
    }

    fn sum_of_binary(&mut self, op: BinaryOp, of: Scalar, a: &Expr, b: &Expr) -> Option<Sum> {
        combined(op, of, self.sum(a)?, self.sum(b)?)
    }

    /// The address of a place in memory as a sum, in bytes.
    pub fn sum_of_place(&mut self, place: &Place) -> Option<Sum> {
        match &place.kind {
            PlaceKind::Local(local) => match self.home(*local) {
                Home::Shared(offset) => {
                    let begin = Sum::atom(Atom::Shared);
                    Some(begin.plus(&Sum::constant(i64::from(offset)), 1))
                }
                _ => None,
            },
            PlaceKind::File(id) => Some(Sum::atom(Atom::File(*id))),
            PlaceKind::Deref(pointer) => match self.alias(pointer) {
                Some((function, place)) => {
                    self.within(function, |lower| lower.sum_of_place(&place))
                }
                None => self.sum_of_pointer(pointer),
            },
            PlaceKind::Index(base, index) => {
                let base = self.sum_of_place(base)?;
                let index = self.sum(index)?;
                Some(base.plus(&index, i64::from(place.ty.size_bytes())))
            }
            PlaceKind::Component(base, component) => {
                let base = self.sum_of_place(base)?;
                let offset = i64::from(component * place.ty.size_bytes());
                Some(base.plus(&Sum::constant(offset), 1))
            }
            PlaceKind::Member(base, index) => {
                let offset = crate::compile::tree::field(&base.ty, *index)?.offset_bytes;
                let base = self.sum_of_place(base)?;
                Some(base.plus(&Sum::constant(i64::from(offset)), 1))
            }
        }
    }

    /// Where a pointer points, as a sum in bytes.
    pub fn sum_of_pointer(&mut self, pointer: &Expr) -> Option<Sum> {
        let Type::Pointer { to, .. } = &pointer.ty else {
            return None;
        };
        match &pointer.kind {
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => self.sum_of_local(*local),
            ExprKind::AddressOf(place) => self.sum_of_place(place),
            ExprKind::Convert(operand) => self.sum_of_pointer(operand),
            ExprKind::PointerOffset(base, index) => {
                let base = self.sum_of_pointer(base)?;
                let index = self.sum(index)?;
                Some(base.plus(&index, i64::from(to.size_bytes())))
            }
            _ => None,
        }
    }

    /// What a value that a variable takes stands for, if it is an integer or a pointer.
    pub fn sum_of_value(&mut self, value: &Expr) -> Option<Sum> {
        match value.ty {
            Type::Pointer { .. } => self.sum_of_pointer(value),
            _ => self.sum(value),
        }
    }

    /// A variable in `home` has taken a value that stands for `sum`.
    pub fn stands_for(&mut self, home: Words, sum: Option<Sum>) {
        if let Some(sum) = sum {
            let depth = self.emitter.depth();
            self.emitter.reuse.symbols.set(home, sum, depth);
        }
    }
}

/// `a op b` on integers of type `of`, where that is no comparison.
pub(crate) fn combined(op: BinaryOp, of: Scalar, a: Sum, b: Sum) -> Option<Sum> {
    let fixed = |sum: &Sum| sum.terms.is_empty().then_some(sum.constant);
    match (op, fixed(&a), fixed(&b)) {
        (op, ..) if op.is_comparison() => None,
        (BinaryOp::Add, ..) => Some(a.plus(&b, 1)),
        (BinaryOp::Sub, ..) => Some(a.plus(&b, -1)),
        (BinaryOp::Mul, _, Some(factor)) => Some(Sum::default().plus(&a, factor)),
        (BinaryOp::Mul, Some(factor), _) => Some(Sum::default().plus(&b, factor)),
        (_, Some(a), Some(b)) => {
            let bits = |value| arithmetic::wrap(of, i128::from(value));
            let result = arithmetic::binary(op, of, bits(a), bits(b), i128::from(b))?;
            Some(Sum::constant(
                i64::try_from(arithmetic::integer(of, result)).ok()?,
            ))
        }
        (BinaryOp::Shl, _, Some(bits @ 0..32)) => Some(Sum::default().plus(&a, 1 << bits)),
        _ if a.size() + b.size() > MOST_ATOMS => None,
        _ => Some(Sum::atom(Atom::Operation(op, of, Box::new(a), Box::new(b)))),
    }
}
