//! Words that a loop within an iteration changes where they lie: they wait in a register until the loop has ended.
//!
//! ```text
//! for j: for k: c[i * n + j] += a[i * n + k] * b[k * n + j];    →    for j: { r = c[…]; for k: r += …; c[…] = r; }
//! ```
//!
//! Invariant: no turn changes where such a word lies. That nothing else of an iteration lies there is looked at when the
//! iteration stores it, as for every store.

use std::collections::HashMap;

use super::path::{Path, Place, Store};
use super::plan::fits;
use super::pure::{Pure, pure, result};
use super::step::{Access, Register, Step, WordKind};
use crate::host::code::Op;

/// A word that waits in a register.
pub struct Promoted {
    /// Where it lies, by registers of the iteration.
    place: Place,
    word: WordKind,
    /// What it is when the loop begins, by registers of the iteration.
    pub begin: Register,
    /// What it is when a turn begins, and when it has ended.
    pub before: Register,
    pub after: Register,
}

impl Path {
    /// Takes the stores of a turn out of it, and the loads of what they change; nothing where one cannot wait.
    pub fn promote(&mut self, turn: &mut Path) -> Option<Vec<Promoted>> {
        if turn.stores.is_empty() {
            return Some(Vec::new());
        }
        let outside = self.invariants(turn);
        let stores = std::mem::take(&mut turn.stores);
        stores
            .iter()
            .map(|store| self.promoted(store, turn, &outside))
            .collect()
    }

    fn promoted(
        &mut self,
        store: &Store,
        turn: &mut Path,
        outside: &HashMap<Register, Register>,
    ) -> Option<Promoted> {
        let Access {
            address,
            value,
            word,
            order,
        } = store.access;
        let is_of = |step: &Step| matches!(step, Step::Load(load) if load.address == address);
        let at = turn.steps.iter().position(is_of)?;
        let Step::Load(load) = turn.steps[at] else {
            return None;
        };
        let is_one = turn.steps.iter().filter(|step| is_of(step)).count() == 1;
        let is_same_word = load.word.bytes() == word.bytes() && load.order < order;
        // What is stored is what the next turn would load.
        let makes = turn.steps.iter().find(|step| result(step) == Some(value));
        let is_kept = matches!(makes, Some(Step::Compute(op)) if fits(op, load.word));
        if !is_one || !is_same_word || !is_kept {
            return None;
        }
        turn.steps.remove(at);
        let place = Place {
            base: *outside.get(&store.place.base)?,
            ..store.place
        };
        Some(Promoted {
            place,
            word,
            begin: self.loaded(place, load.word)?,
            before: load.value,
            after: value,
        })
    }

    /// The registers of a turn that are the same in all turns and only computed, with those of the iteration that are the
    /// same.
    fn invariants(&mut self, turn: &Path) -> HashMap<Register, Register> {
        let mut outside = HashMap::new();
        let base = self.base;
        for &(slot, within) in &turn.entering {
            if turn.current[&slot] == within {
                outside.insert(within, self.read(slot - base));
            }
        }
        for &(bits, within) in &turn.constants {
            outside.insert(within, self.constant(bits));
        }
        for step in &turn.steps {
            if let Step::Compute(op) = step
                && let Some(to) = result(step)
                && let Some(same) = self.computed_outside(*op, &outside)
            {
                outside.insert(to, same);
            }
        }
        outside
    }

    /// What an operation of a turn computes, computed by the iteration.
    fn computed_outside(
        &mut self,
        op: Op,
        outside: &HashMap<Register, Register>,
    ) -> Option<Register> {
        let of = |register| outside.get(&register).copied();
        match pure(op)? {
            Pure::Binary(make, _, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Some(self.computed(|to| make(to, a, b)))
            }
            Pure::Unary(make, _, a) => {
                let a = of(a)?;
                Some(self.computed(|to| make(to, a)))
            }
            Pure::Other => match op {
                Op::Offset { base, offset, .. } => self.behind(of(base)?, offset),
                Op::Element {
                    base, index, size, ..
                } => {
                    let (base, index) = (of(base)?, of(index)?);
                    Some(self.computed(|to| Op::Element {
                        to,
                        base,
                        index,
                        size,
                    }))
                }
                Op::Convert { a, from, into, .. } => {
                    let a = of(a)?;
                    Some(self.computed(|to| Op::Convert { to, a, from, into }))
                }
                _ => None,
            },
        }
    }

    /// Stores what waited, when the loop has ended.
    pub fn store_promoted(&mut self, promoted: &[Promoted]) -> Option<()> {
        promoted
            .iter()
            .try_for_each(|word| self.stored(word.place, word.after, word.word))
    }
}
