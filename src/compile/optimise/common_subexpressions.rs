//! Common subexpressions: what has been loaded or computed is not loaded or computed again.
//!
//! `nvcc` loads `x[i]` once however often an expression names it, as long as nothing in between can
//! have changed it; counters show one request. So it is here, for loads and for arithmetic that counts:
//!
//! ```text
//! y[i] = x[i] * 2;                 t = x[i];
//! z[i] = x[i] + 1;         →       y[i] = t * 2;
//!                                  z[i] = t + 1;      if `y` cannot be `x`
//! ```
//!
//! A value stays known until an instruction writes a register that it was computed from, or memory
//! that it was loaded from may have changed, and as long as the lanes that want it are among those that
//! have it. What one branch of an `if` changes, the other still knows. A loop begins with what none of its
//! iterations changes.

use crate::compile::analysis::{Context, Region, RegisterRange, Sources, WatchedRegisters};
use crate::compile::tree::{hash_of_value, same_value, words};
use crate::cuda::{Expr, FunctionId};
use crate::ir::Register;

/// Most values that are known at once: a thread has 255 registers.
const MOST_KNOWN: usize = 1024;

/// A value that a register holds.
#[derive(Clone, Debug)]
pub(crate) struct Available {
    function: FunctionId,
    /// Of `expr`: equal values have equal ones.
    hash: u64,
    expr: Expr,
    value_registers: RegisterRange,
    sources: Sources,
    /// Open frames where it became known.
    depth: usize,
}

/// The expressions whose values registers hold, at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct AvailableExpressions {
    /// What was known first comes first, so what is known in inner frames comes last.
    known: Vec<Available>,
    watched: WatchedRegisters,
    /// The `if`s around, the innermost last.
    branches: Vec<Branches>,
}

/// The branches of an `if` while they are written.
#[derive(Debug)]
struct Branches {
    /// Open frames around the `if`.
    depth: usize,
    /// What was known before the `if`, until a branch changed it.
    changed: Vec<Available>,
}

impl AvailableExpressions {
    /// The register that holds the value of `expr` in `function`.
    pub fn find(&self, function: FunctionId, expr: &Expr) -> Option<Register> {
        let hash = hash_of_value(expr);
        // Variables are numbered by function: `x` of two functions are not the same.
        let is_same = |known: &&Available| {
            known.hash == hash && known.function == function && same_value(&known.expr, expr)
        };
        Some(self.known.iter().find(is_same)?.value_registers.first)
    }

    /// Remembers that `register` holds the value of `expr`, if that is worth it and nothing but
    /// registers and memory decides it.
    pub fn remember(&mut self, context: &Context, expr: &Expr, register: Register, depth: usize) {
        let value_registers = RegisterRange::new(register, words(&expr.ty));
        // An expression of no words is a call that gives nothing.
        if value_registers.words == 0 || !context.is_candidate(expr) {
            return;
        }
        // `x = x + 1` leaves no register that holds `x + 1`.
        let sources = context
            .sources(expr)
            .filter(|sources| !sources.include(value_registers));
        let Some(sources) = sources else {
            return;
        };
        if self.known.len() >= MOST_KNOWN {
            // The oldest ones, many at once: each time costs a walk over all.
            let mut age = 0;
            self.retain(|_| {
                age += 1;
                age > MOST_KNOWN / 4
            });
        }
        self.add(Available {
            // Without the hash each expression would be compared, node by node, with all that is known.
            function: context.function,
            hash: hash_of_value(expr),
            expr: expr.clone(),
            value_registers,
            sources,
            depth,
        });
    }

    fn add(&mut self, known: Available) {
        self.watched.add(known.value_registers);
        let registers = known.sources.registers.iter();
        registers.for_each(|&source| self.watched.add(source));
        self.known.push(known);
    }

    fn retain(&mut self, mut stays: impl FnMut(&Available) -> bool) {
        for gone in self.known.extract_if(.., |known| !stays(known)) {
            self.watched.remove(gone.value_registers);
            let registers = gone.sources.registers.iter();
            registers.for_each(|&source| self.watched.remove(source));
            if let Some(branches) = self.branches.last_mut() {
                branches.keep([gone]);
            }
        }
    }

    /// An `if` begins in so many open frames.
    pub fn begin_branches(&mut self, depth: usize) {
        let changed = Vec::new();
        self.branches.push(Branches { depth, changed });
    }

    /// The other branch begins. Its lanes have not gone through the first: they know what was known before.
    pub fn other_branch(&mut self) {
        let Some(branches) = self.branches.last() else {
            return;
        };
        let depth = branches.depth + 1;
        for known in branches.changed.clone() {
            // Behind the `if` it is not known.
            self.add(Available { depth, ..known });
        }
    }

    /// The innermost `if` ends.
    pub fn end_branches(&mut self) {
        let ended = self.branches.pop();
        if let (Some(ended), Some(around)) = (ended, self.branches.last_mut()) {
            around.keep(ended.changed);
        }
    }

    /// Registers are written.
    pub fn wrote(&mut self, written: RegisterRange) {
        // Nearly every instruction writes a register that no known value has to do with: one look at a bit set, not a
        // walk.
        if self.watched.any(written) {
            self.retain(|known| {
                !known.value_registers.overlaps(written) && !known.sources.include(written)
            });
        }
    }

    /// Something in `region` may have changed.
    pub fn wrote_memory(&mut self, region: Region) {
        self.retain(|known| !known.sources.change_with(region));
    }

    /// Other threads may have written.
    pub fn synchronized(&mut self) {
        self.retain(|known| !known.sources.change_at_barriers());
    }

    /// What has become known in at least `depth` open frames.
    pub fn known_from(&self, depth: usize) -> Vec<Available> {
        let inner = self.known.iter().filter(|known| known.depth >= depth);
        inner.cloned().collect()
    }

    /// Makes values known again, in `depth` open frames.
    pub fn know(&mut self, values: Vec<Available>, depth: usize) {
        for known in values {
            self.add(Available { depth, ..known });
        }
    }

    /// Only lanes of `depth` open frames go on.
    pub fn leave(&mut self, depth: usize) {
        // The last ones are the deepest: if they stay, so do all.
        if self.known.last().is_some_and(|known| known.depth > depth) {
            self.retain(|known| known.depth <= depth);
        }
    }

    /// The registers that hold known values.
    pub fn registers(&self) -> impl Iterator<Item = RegisterRange> {
        self.known.iter().map(|known| known.value_registers)
    }
}

impl Branches {
    /// Keeps those of the values that were known before the `if`.
    fn keep(&mut self, gone: impl IntoIterator<Item = Available>) {
        let gone = gone.into_iter();
        self.changed
            .extend(gone.filter(|gone| gone.depth <= self.depth));
    }
}
