//! Functions of which `nvcc` does a part once: what two share, and what a loop does not change.
//!
//! ```text
//! sinf(a) + cosf(a)                            the angle is reduced once
//! __sinf(a) + __cosf(a)                        the angle is divided by 2 pi once
//! for (…) powf(10000.0f, x[k])                 the logarithm of 10000 is taken before the loop
//! ```

use std::collections::HashMap;

use super::cost_model::CostModel;
use super::values::{Definition, RegionId, Value};
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

/// Looks for functions that can be done in part.
pub(super) fn run(model: &mut CostModel) {
    let (mut angles, mut scaled) = (HashMap::new(), HashMap::new());
    let mut bases = HashMap::new();
    for pc in 0..model.kernel.code.len() {
        // Dead, known or computed before: other passes have taken the cost away.
        if model.costs[pc] == Fp32Counts::default() {
            continue;
        }
        match (model.kernel.code[pc].op, model.flow.reads[pc].operands) {
            (Op::SinF32 | Op::CosF32, [Some(angle), ..]) => model.turn(pc, angle, &mut angles),
            (Op::FastSinF32 | Op::FastCosF32, [Some(angle), ..]) => {
                model.scaled(pc, angle, &mut scaled);
            }
            (Op::PowF32, [Some(base), Some(exponent), _]) => {
                model.costs[pc] = Fp32Counts::default();
                model.base(pc, base, &mut bases);
                model.done_at(pc, &[base, exponent], POWER);
            }
            _ => {}
        }
    }
}

impl CostModel<'_> {
    /// Functions of one angle share its reduction; of a sine and a cosine that are asked for at once,
    /// both polynomials follow.
    fn turn(&mut self, pc: usize, angle: Value, angles: &mut HashMap<Value, usize>) {
        let Some(before) = self.done_before(pc, angle, angles) else {
            self.costs[pc] = WAVE;
            self.done_at(pc, &[angle], REDUCTION);
            return;
        };
        // `sincosf` writes both in a row: then even the angle's square is shared.
        let at_once = before + 1 == pc && self.kernel.code[before].op != self.kernel.code[pc].op;
        self.costs[pc] = if at_once { POLYNOMIAL } else { WAVE };
    }

    /// Quick functions of one angle share its division by 2 pi.
    fn scaled(&mut self, pc: usize, angle: Value, scaled: &mut HashMap<Value, usize>) {
        if self.done_before(pc, angle, scaled).is_some() {
            self.costs[pc].mul = 0;
        }
    }

    /// Powers of one base share its logarithm.
    fn base(&mut self, pc: usize, base: Value, bases: &mut HashMap<Value, usize>) {
        if self.done_before(pc, base, bases).is_none() {
            let cost = match self.numbers.is_constant(base) {
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
        let before = done.get(&operand).copied();
        // What a branch has done is not there for lanes that passed it by.
        let before = before.filter(|&before| self.flow.dominates(before, pc));
        if before.is_none() {
            done.insert(operand, pc);
        }
        before
    }

    /// What only `deciding` values decide is done at `pc`, or before the loops around it that do not
    /// change them.
    fn done_at(&mut self, pc: usize, deciding: &[Value], cost: Fp32Counts) {
        let mut region: RegionId = self.flow.region_of[pc];
        let mut at = pc;
        while region != 0
            && deciding
                .iter()
                .all(|&value| self.is_from_outside(value, region))
        {
            let around = self.flow.regions[region];
            // Out of an `if` nothing is gained and nothing moved, but a loop further out may still count.
            if around.repeats {
                at = around.first.saturating_sub(1);
            }
            region = around.parent;
        }
        self.costs[at] += cost;
    }

    /// Whether a value is known before lanes enter `region`.
    fn is_from_outside(&self, value: Value, region: RegionId) -> bool {
        match self.flow.definitions[value] {
            // A constant is known everywhere, even if the instruction that makes it stands within.
            _ if self.numbers.is_constant(value) => true,
            Definition::Start => true,
            Definition::At(at) => {
                // For what stands within, the region itself is what both have around them.
                self.flow.common_region(region, self.flow.region_of[at]) != region
            }
            // Where a phi's ways meet is not recorded: it may be within.
            Definition::Phi(_) => false,
        }
    }
}
