//! Functions of which `nvcc` does a part once: what two share, and what a loop does not change.

use std::collections::HashMap;

use super::Recost;
use super::flow::{Place, Source, Value};
use crate::ir::Op;
use crate::launch::Fp32Counts;

/// How far an angle is from the nearest quarter turn.
const REDUCTION: Fp32Counts = counts(0, 1, 3);
/// Sine or cosine, given that.
const WAVE: Fp32Counts = counts(0, 1, 4);
/// The same, given its square too.
const POLYNOMIAL: Fp32Counts = counts(0, 0, 4);
/// The logarithm of a base, in two parts.
const BASE: Fp32Counts = Fp32Counts {
    special: 1,
    ..counts(9, 6, 11)
};
/// The same of a base that is known.
const KNOWN_BASE: Fp32Counts = counts(4, 3, 11);
/// The power of 2 of that logarithm times the exponent.
const POWER: Fp32Counts = counts(2, 3, 8);

const fn counts(add: u64, mul: u64, fma: u64) -> Fp32Counts {
    Fp32Counts {
        add,
        mul,
        fma,
        special: 0,
    }
}

impl Recost<'_> {
    /// Looks for functions that can be done in part.
    pub(crate) fn share(&mut self) {
        let (mut angles, mut bases) = (HashMap::new(), HashMap::new());
        for pc in 0..self.kernel.code.len() {
            if self.costs[pc] == Fp32Counts::default() {
                continue;
            }
            let operands = self.flow.reads[pc].operands;
            match (self.kernel.code[pc].op, operands) {
                (Op::SinF32 | Op::CosF32, [Some(angle), ..]) => self.turn(pc, angle, &mut angles),
                (Op::PowF32, [Some(base), Some(exponent), _]) => {
                    self.costs[pc] = Fp32Counts::default();
                    self.base(pc, base, &mut bases);
                    self.done_at(pc, &[base, exponent], POWER);
                }
                _ => {}
            }
        }
    }

    /// Functions of one angle share its reduction; of a sine and a cosine that are asked for at once,
    /// both polynomials follow.
    fn turn(&mut self, pc: usize, angle: Value, angles: &mut HashMap<Value, usize>) {
        let Some(before) = self.done_before(pc, angle, angles) else {
            self.costs[pc] = WAVE;
            self.done_at(pc, &[angle], REDUCTION);
            return;
        };
        let at_once = before + 1 == pc && self.kernel.code[before].op != self.kernel.code[pc].op;
        self.costs[pc] = if at_once { POLYNOMIAL } else { WAVE };
    }

    /// Powers of one base share its logarithm.
    fn base(&mut self, pc: usize, base: Value, bases: &mut HashMap<Value, usize>) {
        if self.done_before(pc, base, bases).is_none() {
            let cost = match self.known.is_constant(base) {
                true => KNOWN_BASE,
                false => BASE,
            };
            self.done_at(pc, &[base], cost);
        }
    }

    /// Where, on the way of all lanes to `pc`, something was done with `operand`; else it is now.
    fn done_before(
        &self,
        pc: usize,
        operand: Value,
        done: &mut HashMap<Value, usize>,
    ) -> Option<usize> {
        let before = done.get(&operand).copied().filter(|&before| {
            let first = self.flow.places[before];
            self.flow.around(first, self.flow.places[pc]) == first
        });
        if before.is_none() {
            done.insert(operand, pc);
        }
        before
    }

    /// What only `deciding` values decide is done at `pc`, or before the loops around it that do not
    /// change them.
    fn done_at(&mut self, pc: usize, deciding: &[Value], cost: Fp32Counts) {
        let mut place: Place = self.flow.places[pc];
        let mut at = pc;
        while place != 0
            && deciding
                .iter()
                .all(|&value| self.is_from_outside(value, place))
        {
            let region = self.flow.regions[place];
            if region.repeats {
                at = region.first.saturating_sub(1);
            }
            place = region.parent;
        }
        self.costs[at] += cost;
    }

    /// Whether a value is known before lanes enter `place`.
    fn is_from_outside(&self, value: Value, place: Place) -> bool {
        match self.flow.sources[value] {
            _ if self.known.is_constant(value) => true,
            Source::Start => true,
            Source::At(at) => self.flow.around(place, self.flow.places[at]) != place,
            Source::Joined => false,
        }
    }
}
