//! Integers and addresses as affine expressions: sums of multiples of what is not known, and a
//! constant. `4 * row + k + 1` and `k + 1 + 4 * row` are the same, and lie one from `4 * row + k`.
//!
//! The registers of every variable hold an affine expression until something else writes them. Sums
//! wrap as the GPU's 64-bit addresses do; an index of 32 bits is taken not to overflow, as `nvcc` takes
//! it where it is signed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::context::{Context, Location};
use super::effects::RegisterRange;
use crate::compile::tree::{field, words};
use crate::cuda::{
    Axis, BinaryOp, Coordinate, Expr, ExprKind, FileVariableId, FunctionId, LocalId, Place,
    PlaceKind, Scalar, Type, arithmetic,
};
use crate::ir::Register;

/// Most atoms of an operation's operands: `x ^= x << 5` doubles them.
const MOST_ATOMS: usize = 32;

/// What an affine expression is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    /// A value that nothing is known of.
    Fresh(u32),
    /// `threadIdx.x` and its kin.
    Coordinate(Coordinate, Axis),
    /// Another operation.
    Operation(BinaryOp, Scalar, Box<Affine>, Box<Affine>),
    /// Where the block's shared memory begins.
    Shared,
    /// Where a variable at file scope begins.
    File(FileVariableId),
}

/// A sum of multiples of atoms, and a constant: `4 * row + k + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affine {
    pub terms: Vec<(Atom, i64)>,
    pub constant: i64,
}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Atom::Fresh(number) => number.hash(state),
            Atom::File(id) => id.hash(state),
            // Their operands' terms have no order.
            Atom::Operation(_, _, a, b) => (a.constant, b.constant).hash(state),
            Atom::Coordinate(..) | Atom::Shared => {}
        }
    }
}

impl Affine {
    pub fn constant(constant: i64) -> Self {
        Affine {
            terms: Vec::new(),
            constant,
        }
    }

    pub fn atom(atom: Atom) -> Self {
        Affine {
            terms: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// This and so many bytes more.
    pub fn offset(mut self, bytes: i64) -> Self {
        self.constant = self.constant.wrapping_add(bytes);
        self
    }

    /// This and `factor` times `other`.
    pub fn plus(mut self, other: &Affine, factor: i64) -> Self {
        self.constant = self
            .constant
            .wrapping_add(other.constant.wrapping_mul(factor));
        for (atom, times) in &other.terms {
            let times = times.wrapping_mul(factor);
            match self.terms.iter().position(|(known, _)| known == atom) {
                Some(at) => {
                    self.terms[at].1 = self.terms[at].1.wrapping_add(times);
                    if self.terms[at].1 == 0 {
                        // The order of terms means nothing: `distance` looks for each.
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

    /// A number that is the same for all that lie a known distance from this.
    pub fn hash_of_terms(&self) -> u64 {
        // Their order means nothing.
        let of_term = |term: &(Atom, i64)| {
            let mut hasher = DefaultHasher::new();
            term.hash(&mut hasher);
            hasher.finish()
        };
        self.terms.iter().map(of_term).fold(0, u64::wrapping_add)
    }

    /// How far this lies from `other`, if that is known: `4 * row + 3` lies 2 from `4 * row + 1`.
    pub fn distance(&self, other: &Affine) -> Option<i64> {
        let same = self.terms.len() == other.terms.len()
            && self.terms.iter().all(|term| other.terms.contains(term));
        same.then(|| self.constant.wrapping_sub(other.constant))
    }
}

/// What the registers of one variable hold.
#[derive(Debug)]
struct KnownValue {
    value: Affine,
    words: u32,
    /// Open frames where that became known.
    depth: usize,
}

/// The affine expression that the registers of each variable hold, at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct AffineValues {
    known: HashMap<Register, KnownValue>,
    /// Registers that became known in an open frame, with how many were open, the latest last.
    in_frames: Vec<(usize, Register)>,
    /// Of atoms of loop counters, what they are always a multiple of.
    multiples: HashMap<u32, i64>,
    /// Atoms up to this one are the same for all threads.
    uniform: u32,
    next: u32,
}

impl AffineValues {
    /// Registers are written.
    pub fn wrote(&mut self, written: RegisterRange) {
        let RegisterRange { first, words } = written;
        for register in first..first.saturating_add(words as Register) {
            self.known.remove(&register);
        }
        // The high word of a pair that begins before. Integers and pointers take one or two words: none begins further
        // before.
        let before = first.wrapping_sub(1);
        if self.known.get(&before).is_some_and(|known| known.words > 1) {
            self.known.remove(&before);
        }
    }

    /// Nothing is known of any register. What atoms stand for stays.
    pub fn forgotten(self) -> Self {
        AffineValues {
            known: HashMap::new(),
            in_frames: Vec::new(),
            ..self
        }
    }

    /// Only lanes of `depth` open frames go on: what others wrote is not known of them.
    pub fn leave(&mut self, depth: usize) {
        while let Some(&(opened, register)) = self.in_frames.last()
            && opened > depth
        {
            self.in_frames.pop();
            // It may have become known again since, further out.
            if self
                .known
                .get(&register)
                .is_some_and(|known| known.depth > depth)
            {
                self.known.remove(&register);
            }
        }
    }

    /// What registers hold, with so many open frames: of what is not known yet, a new atom.
    fn of(&mut self, registers: RegisterRange, depth: usize) -> Affine {
        // The atom stays until the register is written: two uses of `n` are the same `n`.
        if let Some(known) = self.known.get(&registers.first) {
            return known.value.clone();
        }
        self.next += 1;
        let value = Affine::atom(Atom::Fresh(self.next));
        self.set(registers, value.clone(), depth);
        value
    }

    /// Registers hold `value` from here on.
    pub fn set(&mut self, registers: RegisterRange, value: Affine, depth: usize) {
        let words = registers.words;
        let known = KnownValue {
            value,
            words,
            depth,
        };
        self.known.insert(registers.first, known);
        // Frames that are left have a depth of 1 at least: what is known outside of all stays.
        if depth > 0 {
            self.in_frames.push((depth, registers.first));
        }
    }

    /// `register` holds something new, a multiple of `multiple`.
    pub fn set_multiple(&mut self, register: Register, multiple: i64, depth: usize) {
        self.known.remove(&register);
        let value = self.of(RegisterRange::new(register, 1), depth);
        // It is new, so it is one atom.
        if let [(Atom::Fresh(atom), _)] = value.terms[..] {
            self.multiples.insert(atom, multiple);
        }
    }

    /// `register`, of a parameter, holds the same for all threads. Only before all else.
    pub fn set_uniform(&mut self, register: Register) {
        // Writing either word of a pair ends it.
        self.of(RegisterRange::new(register, 2), 0);
        self.uniform = self.next;
    }

    /// Whether `value` is the same for all threads of a block.
    pub fn is_uniform(&self, value: &Affine) -> bool {
        value.terms.iter().all(|(atom, _)| match atom {
            // `set_uniform` comes before all else, so these have the lowest numbers.
            Atom::Fresh(atom) => *atom <= self.uniform,
            Atom::Coordinate(what, _) => *what != Coordinate::ThreadIdx,
            Atom::Operation(_, _, a, b) => self.is_uniform(a) && self.is_uniform(b),
            Atom::Shared | Atom::File(_) => true,
        })
    }

    /// The largest power of two up to 16 that divides every term of `value`, but for its constant.
    pub fn alignment(&self, value: &Affine) -> i64 {
        let of_term = |(atom, times): &(Atom, i64)| {
            let own = match atom {
                Atom::Fresh(atom) => self.multiples.get(atom).copied().unwrap_or(1),
                // A block's shared memory begins aligned to 16 bytes at least.
                Atom::Shared => 16,
                _ => 1,
            };
            // `4 * k` with a `k` that is a multiple of 4 is one of 16.
            let bits = times.trailing_zeros() + own.trailing_zeros();
            1_i64 << bits.min(4)
        };
        value.terms.iter().map(of_term).min().unwrap_or(16)
    }
}

/// Turns expressions of a function into affine ones, given what variables hold.
pub(crate) struct Evaluator<'e, 'a> {
    pub context: &'e Context<'a>,
    /// The function that the expressions belong to.
    pub function: FunctionId,
    pub values: &'e mut AffineValues,
    /// Open frames.
    pub depth: usize,
}

impl Evaluator<'_, '_> {
    /// An integer as an affine expression.
    pub fn integer(&mut self, expr: &Expr) -> Option<Affine> {
        let scalar = expr.ty.scalar().filter(|scalar| scalar.is_integer())?;
        match &expr.kind {
            ExprKind::Constant(bits) => {
                let value = arithmetic::integer(scalar, *bits);
                Some(Affine::constant(i64::try_from(value).ok()?))
            }
            ExprKind::Coordinate(what, axis) => Some(Affine::atom(Atom::Coordinate(*what, *axis))),
            ExprKind::Convert(operand) => {
                let from = operand.ty.scalar()?;
                // `(char)i` cuts bits off; `(long long)i` does not.
                let keeps = from.is_integer() && scalar.size_bytes() >= 4.max(from.size_bytes());
                if keeps { self.integer(operand) } else { None }
            }
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => self.variable(*local),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.integer(a)?, self.integer(b)?);
                combined(*op, scalar, a, b)
            }
            _ => None,
        }
    }

    /// What a variable in registers holds.
    pub fn variable(&mut self, local: LocalId) -> Option<Affine> {
        let Location::Register(first) = self.context.location_in(self.function, local) else {
            return None;
        };
        let ty = &self.context.program.functions[self.function].locals[local].ty;
        let registers = RegisterRange::new(first, words(ty));
        Some(self.values.of(registers, self.depth))
    }

    /// The address of a place in memory, in bytes.
    pub fn address(&mut self, place: &Place) -> Option<Affine> {
        match &place.kind {
            PlaceKind::Local(local) => match self.context.location_in(self.function, *local) {
                Location::Shared(offset) => {
                    Some(Affine::atom(Atom::Shared).offset(i64::from(offset)))
                }
                _ => None,
            },
            PlaceKind::File(id) => Some(Affine::atom(Atom::File(*id))),
            PlaceKind::Deref(pointer) => match self.context.binding_in(self.function, pointer) {
                Some(bound) => {
                    // The place is written in the caller's variables: an `i` in it is the caller's `i`.
                    let own = std::mem::replace(&mut self.function, bound.function);
                    let address = self.address(&bound.place);
                    self.function = own;
                    address
                }
                None => self.pointer(pointer),
            },
            PlaceKind::Index(base, index) => {
                let base = self.address(base)?;
                let index = self.integer(index)?;
                Some(base.plus(&index, i64::from(place.ty.size_bytes())))
            }
            PlaceKind::Component(base, component) => {
                let offset = i64::from(component * place.ty.size_bytes());
                Some(self.address(base)?.offset(offset))
            }
            PlaceKind::Member(base, index) => {
                let offset = field(&base.ty, *index)?.offset_bytes;
                Some(self.address(base)?.offset(i64::from(offset)))
            }
        }
    }

    /// Where a pointer points, in bytes.
    pub fn pointer(&mut self, pointer: &Expr) -> Option<Affine> {
        let Type::Pointer { to, .. } = &pointer.ty else {
            return None;
        };
        match &pointer.kind {
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => self.variable(*local),
            ExprKind::AddressOf(place) => self.address(place),
            ExprKind::Convert(operand) => self.pointer(operand),
            ExprKind::PointerOffset(base, index) => {
                let base = self.pointer(base)?;
                let index = self.integer(index)?;
                Some(base.plus(&index, i64::from(to.size_bytes())))
            }
            _ => None,
        }
    }

    /// A value that a variable takes, if it is an integer or a pointer.
    pub fn value(&mut self, value: &Expr) -> Option<Affine> {
        match value.ty {
            Type::Pointer { .. } => self.pointer(value),
            _ => self.integer(value),
        }
    }

    /// What a variable holds after `op` with `value`, as in `p += 4`, where that is known.
    pub fn updated(&mut self, place: &Place, op: BinaryOp, value: &Expr) -> Option<Affine> {
        let PlaceKind::Local(local) = place.kind else {
            return None;
        };
        let old = self.variable(local)?;
        let change = self.integer(value)?;
        let size_bytes = match &place.ty {
            Type::Pointer { to, .. } => i64::from(to.size_bytes()),
            ty => {
                let scalar = ty.scalar().filter(|scalar| scalar.is_integer())?;
                // `c += 100` of a `char` wraps at 8 bits, which no sum of 64 bits says.
                let is_whole = scalar.size_bytes() >= 4;
                return is_whole.then(|| combined(op, scalar, old, change))?;
            }
        };
        match op {
            BinaryOp::Add => Some(old.plus(&change, size_bytes)),
            BinaryOp::Sub => Some(old.plus(&change, -size_bytes)),
            _ => None,
        }
    }
}

/// `a op b` on integers of type `of`, where that is no comparison.
pub(crate) fn combined(op: BinaryOp, of: Scalar, a: Affine, b: Affine) -> Option<Affine> {
    let fixed = |sum: &Affine| sum.terms.is_empty().then_some(sum.constant);
    match (op, fixed(&a), fixed(&b)) {
        (op, ..) if op.is_comparison() => None,
        (BinaryOp::Add, ..) => Some(a.plus(&b, 1)),
        (BinaryOp::Sub, ..) => Some(a.plus(&b, -1)),
        (BinaryOp::Mul, _, Some(factor)) => Some(Affine::default().plus(&a, factor)),
        (BinaryOp::Mul, Some(factor), _) => Some(Affine::default().plus(&b, factor)),
        (_, Some(a), Some(b)) => {
            let bits = |value| arithmetic::wrap(of, i128::from(value));
            let result = arithmetic::binary(op, of, bits(a), bits(b), i128::from(b))?;
            Some(Affine::constant(
                i64::try_from(arithmetic::integer(of, result)).ok()?,
            ))
        }
        // `row << 4` is `16 * row`.
        (BinaryOp::Shl, _, Some(bits @ 0..32)) => Some(Affine::default().plus(&a, 1 << bits)),
        // Of what is no sum, as in `i / 32`, the operation itself is an atom.
        _ if a.size() + b.size() > MOST_ATOMS => None,
        // `i % w` is `i - i / w * w`, so that with `row = i / w` and `col = i % w`, `row * w + col` is `i`.
        (BinaryOp::Rem, ..) => {
            let quotient = operation(BinaryOp::Div, of, a.clone(), b.clone());
            let product = combined(BinaryOp::Mul, of, quotient, b)?;
            Some(a.plus(&product, -1))
        }
        // `a * b` is `b * a`.
        (BinaryOp::Mul, ..) if a.hash_of_terms() > b.hash_of_terms() => {
            Some(operation(op, of, b, a))
        }
        _ => Some(operation(op, of, a, b)),
    }
}

fn operation(op: BinaryOp, of: Scalar, a: Affine, b: Affine) -> Affine {
    Affine::atom(Atom::Operation(op, of, Box::new(a), Box::new(b)))
}
