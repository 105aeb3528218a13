//! Finds out how a loop can run many iterations at a time, if it can: what carries values from one iteration to the next.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::host::code::{Op, Slot};

use super::path::{Loop, Path, Prediction};
use super::pure::{Pure, divisor, operands, pure, result, sums};
use super::step::{Access, Counter, Reduction, Register, Start, Step, WordKind};

/// How a loop runs many iterations at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopPlan {
    /// How many registers it has.
    pub registers: usize,
    /// Slots that no iteration changes.
    pub entering: Vec<(Slot, Register)>,
    pub constants: Vec<(u64, Register)>,
    pub counters: Vec<Counter>,
    pub steps: OrderedSteps,
    pub stores: Vec<Access>,
    pub reductions: Vec<Reduction>,
    /// What slots hold when an iteration has ended.
    pub leaving: Vec<(Slot, Register)>,
    /// Jumps and calls of an iteration.
    pub jumps: u32,
    /// What the functions that it calls take of the stack.
    pub stack_bytes: u32,
}

/// The steps of an iteration, in the order in which they run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderedSteps {
    /// What is the same in all iterations.
    pub once: Vec<Step>,
    /// What needs nothing of memory: it tells how many iterations there are, before anything is loaded.
    pub early: Vec<Step>,
    pub late: Vec<Step>,
    /// What numbers are drawn, in the order of an iteration; then nothing may go wrong any more.
    pub draws: Vec<Step>,
    /// What is computed of them.
    pub drawn: Vec<Step>,
}

impl LoopPlan {
    /// The plan of a loop.
    pub fn of(of: &Loop<'_>, prediction: Prediction) -> Option<LoopPlan> {
        Path::of(of, prediction)?.planned()
    }
}

impl Path {
    /// The plan, if all that an iteration leaves to the next one is counters and sums.
    fn planned(mut self) -> Option<LoopPlan> {
        let is_carried = |&(slot, register): &(Slot, Register)| self.current[&slot] != register;
        let (carried, entering): (Vec<_>, Vec<_>) =
            self.entering.iter().partition(|at| is_carried(at));
        let changing = self.changing(&carried);
        self.share(&changing);
        let (mut counters, mut reductions) = (Vec::new(), Vec::new());
        for (slot, register) in carried {
            match self.carry(slot, register, &changing)? {
                Carried::Counter(counter) => counters.push(counter),
                Carried::Reduction(reduction) => reductions.push(reduction),
            }
        }
        let stores: Vec<Access> = self.stores.iter().map(|store| store.access).collect();
        let in_words = stores
            .iter()
            .filter_map(|store| self.sum_in_word(store, &changing));
        reductions.extend(in_words);
        // What a sum takes in is computed; the sum itself is not a column.
        self.steps
            .retain(|step| !reductions.iter().any(|reduction| reduction.is_of(step)));
        let steps = OrderedSteps::of(self.steps, &stores, &changing)?;
        Some(LoopPlan {
            registers: usize::from(self.registers),
            entering,
            constants: self.constants,
            counters,
            steps,
            stores,
            reductions,
            leaving: self.current.into_iter().collect(),
            jumps: self.jumps,
            stack_bytes: self.stack_bytes,
        })
    }

    /// Sets apart what loops within compute once for all iterations.
    fn share(&mut self, changing: &BTreeSet<Register>) {
        for step in &mut self.steps {
            if let Step::Nest(nest) = step
                && let Some(nest) = Rc::get_mut(nest)
            {
                nest.share(changing);
            }
        }
    }

    /// The registers that differ from iteration to iteration.
    fn changing(&self, carried: &[(Slot, Register)]) -> BTreeSet<Register> {
        let mut changing: BTreeSet<Register> = carried.iter().map(|carried| carried.1).collect();
        for step in &self.steps {
            let of_changing = operands(step)
                .iter()
                .any(|operand| changing.contains(operand));
            let changes = of_changing || matches!(step, Step::Draw { .. });
            changing.extend(result(step).filter(|_| changes));
            if let Step::Nest(nest) = step {
                changing.extend(nest.writes.clone());
            }
        }
        changing
    }

    /// How a slot goes from one iteration to the next.
    fn carry(
        &self,
        slot: Slot,
        register: Register,
        changing: &BTreeSet<Register>,
    ) -> Option<Carried> {
        let after = self.current[&slot];
        let (op, operand, is_left) = self.takes_in(register, after)?;
        if counts(&op, is_left) && !changing.contains(&operand) {
            return Some(Carried::Counter(Counter {
                slot,
                register,
                op,
                by: operand,
            }));
        }
        // Nobody asks what a sum is on the way.
        let is_alone = self.reads(register) == 1 && self.reads(after) == 0;
        (sums(&op) && is_alone).then_some(Carried::Reduction(Reduction {
            start: Start::Slot(slot),
            after,
            op,
            operand,
            is_left,
        }))
    }

    /// The sum that a store leaves at an address which is the same in all iterations, as in `c[i] += a[k] * b[k]`.
    fn sum_in_word(&self, store: &Access, changing: &BTreeSet<Register>) -> Option<Reduction> {
        let load = self.steps.iter().find_map(|step| match step {
            Step::Load(load) if load.address == store.address && load.order < store.order => {
                Some(*load)
            }
            _ => None,
        })?;
        let (op, operand, is_left) = self.takes_in(load.value, store.value)?;
        let is_alone = self.reads(load.value) == 1 && self.reads(store.value) == 1;
        let is_same_word = load.word.bytes() == store.word.bytes() && fits(&op, load.word);
        let is_one = !changing.contains(&store.address) && is_same_word;
        (is_one && sums(&op) && is_alone).then_some(Reduction {
            start: Start::Word(load),
            after: store.value,
            op,
            operand,
            is_left,
        })
    }

    /// The operation that makes `after` of `before` and another register; whether `before` is its first operand.
    fn takes_in(&self, before: Register, after: Register) -> Option<(Op, Register, bool)> {
        let mut writers = self.steps.iter().filter(|step| result(step) == Some(after));
        let Some(&Step::Compute(op)) = writers.next() else {
            return None;
        };
        let Pure::Binary(_, _, a, b) = pure(op)? else {
            return None;
        };
        match (a == before, b == before) {
            (true, false) => Some((op, b, true)),
            (false, true) => Some((op, a, false)),
            _ => None,
        }
    }

    /// How often an iteration reads a register.
    fn reads(&self, asked: Register) -> usize {
        let of_steps = self.steps.iter().flat_map(operands);
        let of_stores = self.stores.iter().map(|store| store.access);
        let of_stores = of_stores.flat_map(|store| [store.address, store.value]);
        of_steps
            .chain(of_stores)
            .filter(|&read| read == asked)
            .count()
    }
}

/// Whether what an operation computes is, when it was stored and loaded again, the same.
pub fn fits(op: &Op, word: WordKind) -> bool {
    match word {
        WordKind::Whole => true,
        WordKind::I32 => matches!(
            op,
            Op::AddI32 { .. } | Op::SubI32 { .. } | Op::MulI32 { .. }
        ),
        WordKind::U32 => matches!(
            op,
            Op::AddU32 { .. }
                | Op::SubU32 { .. }
                | Op::MulU32 { .. }
                | Op::AddF32 { .. }
                | Op::SubF32 { .. }
                | Op::MulF32 { .. }
                | Op::DivF32 { .. }
        ),
        _ => false,
    }
}

/// Whether an operation makes the next number of a counter, whose number is its first operand or its second.
fn counts(op: &Op, is_left: bool) -> bool {
    match op {
        Op::AddI32 { .. } | Op::AddU32 { .. } | Op::Add64 { .. } => true,
        Op::SubI32 { .. } | Op::SubU32 { .. } | Op::Sub64 { .. } => is_left,
        _ => false,
    }
}

enum Carried {
    Counter(Counter),
    Reduction(Reduction),
}

impl OrderedSteps {
    /// Puts each step where it runs; nothing where what is drawn would decide where the loop goes.
    fn of(steps: Vec<Step>, stores: &[Access], changing: &BTreeSet<Register>) -> Option<Self> {
        let mut ordered = OrderedSteps::default();
        let (mut loaded, mut drawn) = (BTreeSet::new(), BTreeSet::new());
        for step in steps {
            let reads = operands(&step);
            let is_of = |registers: &BTreeSet<Register>| {
                reads.iter().any(|operand| registers.contains(operand))
            };
            let to = result(&step);
            if let Step::Nest(nest) = &step {
                // Last of all, since it takes longest.
                if is_of(&drawn) {
                    return None;
                }
                loaded.extend(nest.writes.clone());
                ordered.late.push(step);
            } else if matches!(step, Step::Draw { .. }) {
                drawn.extend(to);
                ordered.draws.push(step);
            } else if is_of(&drawn) {
                let divisor = divisor(&step);
                if matches!(step, Step::Load(_) | Step::Guard(_))
                    || divisor.is_some_and(|divisor| drawn.contains(&divisor))
                {
                    return None;
                }
                drawn.extend(to);
                ordered.drawn.push(step);
            } else if !is_of(changing) {
                ordered.once.push(step);
            } else if matches!(step, Step::Load(_)) || is_of(&loaded) {
                loaded.extend(to);
                ordered.late.push(step);
            } else {
                ordered.early.push(step);
            }
        }
        let mut addresses = stores.iter().map(|store| store.address);
        (!addresses.any(|address| drawn.contains(&address))).then_some(ordered)
    }
}
