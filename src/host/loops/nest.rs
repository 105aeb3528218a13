//! A loop within an iteration: the iterations go through it in step, so that each of its turns is a column.
//!
//! ```text
//! for j: { sum = 0; for k: sum += a[k] * b[k * n + j]; }    →    for k: 64 sums, of 64 words of `b` that lie side by side
//! ```
//!
//! Invariant: it only loads and computes. What would go another way in one of the iterations gives up all of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::host::code::Slot;

use super::access::Reached;
use super::path::{Loop, Path};
use super::promotion::Promoted;
use super::pure::{operands, result, sums};
use super::run::{Iterations, Places, Surroundings};
use super::step::{Branch, Guard, Nest, Register, Step};

/// Turns after which the iterations are left to the interpreter, which looks whether somebody still waits.
const MOST_TURNS: u32 = 1 << 16;

impl Path {
    /// Goes through a loop whose last operation, at `tail`, is a branch back; what stands behind it.
    pub fn nest(&mut self, branch: &Branch, tail: usize, of: &Loop<'_>) -> Option<usize> {
        let (a, b) = (self.read(branch.a), self.read(branch.b));
        self.steps.push(Step::Guard(Guard {
            test: branch.test,
            a,
            b,
            expected: branch.jumps_if,
        }));
        let head = branch.target as usize;
        let mut turn = self.turn(&Loop { head, tail, ..*of })?;
        // Above all registers of the turn.
        let first = std::mem::replace(&mut self.registers, turn.registers);
        let promoted = self.promote(&mut turn)?;
        let nest = self.behind_turn(turn, first, &promoted)?;
        self.steps.push(Step::Nest(Rc::new(nest)));
        self.store_promoted(&promoted)?;
        Some(tail + 1)
    }

    /// The loop that has such turns, whose last step is the branch back; slots hold what the last turn leaves.
    fn behind_turn(
        &mut self,
        mut turn: Path,
        first: Register,
        promoted: &[Promoted],
    ) -> Option<Nest> {
        let writes = first..turn.registers;
        let slots = std::mem::take(&mut turn.entering);
        let base = self.base;
        let entering = slots
            .iter()
            .map(|&(slot, within)| (self.read(slot - base), within));
        let begins = promoted.iter().map(|word| (word.begin, word.before));
        let entering = entering.chain(begins).collect();
        let carried = carried_by(&turn, &slots, promoted)?;
        let Some(Step::Guard(again)) = turn.steps.pop() else {
            return None;
        };
        for (&slot, &register) in &turn.current {
            if !slots.contains(&(slot, register)) {
                self.set(slot - base, register);
            }
        }
        self.constants.append(&mut turn.constants);
        self.takes_stack(turn.stack_bytes)?;
        let (once, steps) = divided(turn.steps, &carried);
        Some(Nest {
            entering,
            carried,
            once,
            shared: Vec::new(),
            steps,
            again,
            writes,
            jumps: turn.jumps,
        })
    }

    /// One turn of the loop, if it only loads, computes and stores, and its last operation is what begins the next one.
    fn turn(&self, of: &Loop<'_>) -> Option<Path> {
        let mut turn = self.within();
        let is_whole = turn.walk(of)? == of.tail;
        let is_plain = |step: &Step| !matches!(step, Step::Draw { .. } | Step::Nest(_));
        (is_whole && turn.steps.iter().all(is_plain)).then_some(turn)
    }
}

/// What a turn leaves and the next one finds, in slots and in words that wait in registers.
fn carried_by(
    turn: &Path,
    slots: &[(Slot, Register)],
    promoted: &[Promoted],
) -> Option<Vec<(Register, Register)>> {
    let left = slots
        .iter()
        .map(|&(slot, within)| (turn.current[&slot], within));
    let left = left.filter(|(after, before)| after != before);
    let waiting = promoted.iter().map(|word| (word.after, word.before));
    let carried: Vec<_> = left.chain(waiting).collect();
    // Values that change places would have to move at once.
    let is_before = |register| carried.iter().any(|&(_, before)| before == register);
    let is_in_place = !carried.iter().any(|&(after, _)| is_before(after));
    is_in_place.then_some(carried)
}

/// Steps that are the same in all turns, and the others.
fn divided(steps: Vec<Step>, carried: &[(Register, Register)]) -> (Vec<Step>, Vec<Step>) {
    let mut changing: BTreeSet<Register> = carried.iter().map(|&(_, before)| before).collect();
    steps.into_iter().partition(|step| {
        let changes = operands(step)
            .iter()
            .any(|operand| changing.contains(operand));
        changing.extend(result(step).filter(|_| changes));
        !changes
    })
}

/// What a turn has loaded: no turn's address stands for those of the others.
fn in_any_turn(load: &Reached) -> Reached {
    let mut all = *load;
    all.access.order = usize::MAX;
    all
}

impl Nest {
    /// Sets apart what is the same in all iterations, which differ in the registers that are `changing`.
    pub fn share(&mut self, changing: &BTreeSet<Register>) {
        let differs = self
            .entering
            .iter()
            .filter(|(outside, _)| changing.contains(outside));
        let mut differing: BTreeSet<Register> = differs.map(|&(_, within)| within).collect();
        let mut before = usize::MAX;
        // What differs in one turn may make more differ in the next one.
        while differing.len() != before {
            before = differing.len();
            for step in self.once.iter().chain(&self.steps) {
                if operands(step).iter().any(|read| differing.contains(read)) {
                    differing.extend(result(step));
                }
            }
            for (after, begin) in &self.carried {
                if differing.contains(after) {
                    differing.insert(*begin);
                }
            }
        }
        let is_shared = |step: &Step| !operands(step).iter().any(|read| differing.contains(read));
        let steps = std::mem::take(&mut self.steps);
        (self.shared, self.steps) = steps.into_iter().partition(is_shared);
    }
}

impl<'a, S: Surroundings<'a>> Iterations<'_, S> {
    /// Carries out a loop within the first `lanes` iterations; whether all of them went through it alike.
    pub fn turns(&mut self, nest: &Nest, loaded: &mut Places, lanes: usize) -> bool {
        for &(from, to) in &nest.entering {
            *self.columns.of_mut(to) = *self.columns.of(from);
        }
        let mut turn = Places::new();
        if self.steps(&nest.once, &mut turn, lanes) < lanes {
            return false;
        }
        loaded.extend(turn.iter().map(in_any_turn));
        // What a turn loads lies behind what was loaded before, one for each of its loads.
        let begin = loaded.len();
        for turns in 1..MOST_TURNS {
            turn.clear();
            let is_alike = self.shared(&nest.shared, &mut turn);
            if !is_alike || self.steps(&nest.steps, &mut turn, lanes) < lanes {
                return false;
            }
            if turns == 1 {
                // Words that lie apart are had faster one iteration after the other.
                let lies_together =
                    |load: &Reached| load.length <= load.access.word.bytes() * lanes as u64;
                if !turn.iter().all(lies_together) {
                    return false;
                }
                loaded.extend(turn.iter().map(in_any_turn));
            }
            let before = loaded[begin..].iter_mut();
            before.zip(&turn).for_each(|(all, one)| all.include(one));
            if self.columns.passed(&nest.again, lanes) < lanes {
                self.jumps_within += u64::from(turns) * u64::from(nest.jumps);
                return self.columns.passed(&nest.again.otherwise(), lanes) == lanes;
            }
            for &(after, before) in &nest.carried {
                *self.columns.of_mut(before) = *self.columns.of(after);
            }
        }
        false
    }

    /// Carries out what is the same in all iterations: operations compute whole columns, and all else is asked once.
    fn shared(&mut self, steps: &[Step], turn: &mut Places) -> bool {
        steps.iter().all(|step| {
            let is_done = self.steps(std::slice::from_ref(step), turn, 1) == 1;
            let is_column = matches!(step, Step::Compute(op) if sums(op));
            if let Some(to) = result(step).filter(|_| !is_column) {
                let column = self.columns.of_mut(to);
                let first = column[0];
                column.fill(first);
            }
            is_done
        })
    }
}
