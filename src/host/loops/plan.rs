//! Finds out how a loop can run many iterations at a time, if it can: one way through its operations, with registers
//! instead of slots, and what carries values from one iteration to the next.

use std::collections::{BTreeSet, HashMap};

use crate::host::code::{Op, Slot, all_rows, binary_rows, unary_rows};

use super::step::{Access, Branch, Counter, Guard, Reduction, Register, Step, WordKind};

/// Longer ways through a loop are left to the interpreter: their columns would not stay in the first cache.
const MOST_STEPS: usize = 96;

/// How branches within a loop are expected to go: they skip what stands behind them, or they do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prediction {
    #[default]
    Skips,
    Enters,
}

/// How a loop runs many iterations at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopPlan {
    /// How many registers it has.
    pub registers: usize,
    /// Slots that no iteration changes.
    pub entering: Vec<(Slot, Register)>,
    pub counters: Vec<Counter>,
    /// What is the same in all iterations.
    pub once: Vec<Step>,
    /// What needs nothing of memory: it tells how many iterations there are, before anything is loaded.
    pub early: Vec<Step>,
    pub late: Vec<Step>,
    /// What numbers are drawn, in the order of an iteration; then nothing may go wrong any more.
    pub draws: Vec<Step>,
    /// What is computed of them.
    pub drawn: Vec<Step>,
    pub stores: Vec<Access>,
    pub reductions: Vec<Reduction>,
    /// What slots hold when an iteration has ended.
    pub leaving: Vec<(Slot, Register)>,
    /// Jumps of an iteration.
    pub jumps: u32,
}

/// A loop as it stands in the program.
#[derive(Clone, Copy)]
pub struct Loop<'p> {
    pub ops: &'p [Op],
    /// Its first operation.
    pub head: usize,
    /// Its last one, which jumps to the first.
    pub tail: usize,
    /// Whether a call of a library, by its site, only gives the next of a row of numbers.
    pub draws: &'p dyn Fn(u32) -> bool,
}

impl LoopPlan {
    /// The plan of a loop.
    pub fn of(of: &Loop<'_>, prediction: Prediction) -> Option<LoopPlan> {
        let mut path = Path {
            prediction,
            ..Path::default()
        };
        path.walk(of)?;
        path.planned()
    }
}

/// One way through a loop.
#[derive(Default)]
struct Path {
    prediction: Prediction,
    registers: Register,
    /// Which register holds what a slot holds at this point.
    current: HashMap<Slot, Register>,
    /// Slots that are read before they are written.
    entering: Vec<(Slot, Register)>,
    /// How often each slot is written; a copy counts more, since nothing is computed.
    writes: HashMap<Slot, u32>,
    steps: Vec<Step>,
    stores: Vec<Access>,
    /// Registers of addresses by the operations that compute them: equal addresses are one register.
    addresses: Vec<(Op, Register)>,
    jumps: u32,
    accesses: u32,
}

impl Path {
    /// Goes through an iteration, until it jumps to its beginning.
    fn walk(&mut self, of: &Loop<'_>) -> Option<()> {
        let &Loop {
            ops, head, tail, ..
        } = of;
        let mut at = head;
        while at <= tail && self.steps.len() < MOST_STEPS {
            let op = ops.get(at)?.alone();
            let next = at + 1;
            if let Op::Jump { target } = op {
                self.jumps += 1;
                match target as usize {
                    target if target == head => return Some(()),
                    target if target > at && target <= tail => at = target,
                    _ => return None,
                }
                continue;
            }
            if let Some(branch) = Branch::of(op) {
                let target = branch.target as usize;
                let jumps = self.expects(&branch, at, of)?;
                self.guard(&branch, jumps);
                if jumps && target == head {
                    return Some(());
                }
                at = if jumps { target } else { next };
                continue;
            }
            match op {
                Op::CallLibrary { first, site } if (of.draws)(site) => {
                    let to = self.write(first);
                    self.steps.push(Step::Draw { to, site });
                }
                op => self.operation(op)?,
            }
            at = next;
        }
        None
    }

    /// Whether a branch is expected to jump; nothing where it leads to another loop within this one.
    fn expects(&self, branch: &Branch, at: usize, of: &Loop<'_>) -> Option<bool> {
        match branch.target as usize {
            target if target == of.head => Some(true),
            // A way out of the loop is not taken as long as it runs.
            target if target < of.head || target > of.tail => Some(false),
            target if target > at => Some(self.prediction == Prediction::Skips),
            _ => None,
        }
    }

    fn guard(&mut self, branch: &Branch, jumps: bool) {
        self.jumps += u32::from(jumps);
        let (a, b) = (self.read(branch.a), self.read(branch.b));
        self.steps.push(Step::Guard(Guard {
            test: branch.test,
            a,
            b,
            expected: jumps == branch.jumps_if,
        }));
    }

    fn new_register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    fn read(&mut self, slot: Slot) -> Register {
        if let Some(&register) = self.current.get(&slot) {
            return register;
        }
        let register = self.new_register();
        self.current.insert(slot, register);
        self.entering.push((slot, register));
        register
    }

    fn write(&mut self, slot: Slot) -> Register {
        let register = self.new_register();
        self.current.insert(slot, register);
        *self.writes.entry(slot).or_default() += 1;
        register
    }

    /// Adds an operation that neither jumps nor calls; nothing of any other.
    fn operation(&mut self, op: Op) -> Option<()> {
        match op {
            Op::Move { to, a } => {
                let register = self.read(a);
                self.current.insert(to, register);
                *self.writes.entry(to).or_default() += 2;
            }
            Op::Math { to, first, site } => {
                // Arguments are put in place in front of the call; what is not there is no argument.
                let register = self.read(first);
                let known = |at| self.current.get(&(first + at)).copied();
                let operands = [0, 1, 2].map(|at| known(at).unwrap_or(register));
                let to = self.write(to);
                self.steps.push(Step::Math { to, operands, site });
            }
            op => return self.accesses_memory(op).or_else(|| self.compute(op)),
        }
        Some(())
    }

    /// Adds a load or a store; nothing of any other operation.
    fn accesses_memory(&mut self, op: Op) -> Option<()> {
        match op {
            Op::LoadI8 { to, base, offset } => self.load(to, base, offset, WordKind::I8),
            Op::LoadU8 { to, base, offset } => self.load(to, base, offset, WordKind::U8),
            Op::LoadI16 { to, base, offset } => self.load(to, base, offset, WordKind::I16),
            Op::LoadU16 { to, base, offset } => self.load(to, base, offset, WordKind::U16),
            Op::LoadI32 { to, base, offset } => self.load(to, base, offset, WordKind::I32),
            Op::LoadU32 { to, base, offset } => self.load(to, base, offset, WordKind::U32),
            Op::Load64 { to, base, offset } => self.load(to, base, offset, WordKind::Whole),
            Op::LoadIndexI32 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::I32)
            }
            Op::LoadIndexU32 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::U32)
            }
            Op::LoadIndex64 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::Whole);
            }
            Op::Store8 { from, base, offset } => self.store(from, base, offset, WordKind::U8),
            Op::Store16 { from, base, offset } => self.store(from, base, offset, WordKind::U16),
            Op::Store32 { from, base, offset } => self.store(from, base, offset, WordKind::U32),
            Op::Store64 { from, base, offset } => self.store(from, base, offset, WordKind::Whole),
            Op::StoreIndex32 { from, base, index } => {
                self.store_index(from, [base, index], WordKind::U32);
            }
            Op::StoreIndex64 { from, base, index } => {
                self.store_index(from, [base, index], WordKind::Whole);
            }
            _ => return None,
        }
        Some(())
    }

    fn compute(&mut self, op: Op) -> Option<()> {
        let with = match pure(op)? {
            Pure::Binary(make, to, a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                make(self.write(to), a, b)
            }
            Pure::Unary(make, to, a) => {
                let a = self.read(a);
                make(self.write(to), a)
            }
            Pure::Other => self.other(op)?,
        };
        self.steps.push(Step::Compute(with));
        Some(())
    }

    /// Operations that have more than slots.
    fn other(&mut self, op: Op) -> Option<Op> {
        Some(match op {
            Op::Offset { to, base, offset } => {
                let base = self.read(base);
                let to = self.write(to);
                Op::Offset { to, base, offset }
            }
            Op::Element {
                to,
                base,
                index,
                size,
            } => {
                let (base, index) = (self.read(base), self.read(index));
                let to = self.write(to);
                Op::Element {
                    to,
                    base,
                    index,
                    size,
                }
            }
            Op::Convert { to, a, from, into } => {
                let a = self.read(a);
                let to = self.write(to);
                Op::Convert { to, a, from, into }
            }
            _ => return None,
        })
    }

    /// The register of an address, which `op` computes with a result of 0.
    fn address(&mut self, op: Op, with: impl Fn(Register) -> Op) -> Register {
        let mut known = self.addresses.iter();
        if let Some(&(_, register)) = known.find(|(other, _)| *other == op) {
            return register;
        }
        let register = self.new_register();
        self.steps.push(Step::Compute(with(register)));
        self.addresses.push((op, register));
        register
    }

    fn behind(&mut self, base: Slot, offset: i32) -> Register {
        let base = self.read(base);
        let with = |to| Op::Offset { to, base, offset };
        match offset {
            0 => base,
            _ => self.address(with(0), with),
        }
    }

    fn element(&mut self, [base, index]: [Slot; 2], word: WordKind) -> Register {
        let (base, index) = (self.read(base), self.read(index));
        let with = |to| match word {
            WordKind::Whole => Op::Element8 {
                to,
                a: base,
                b: index,
            },
            _ => Op::Element4 {
                to,
                a: base,
                b: index,
            },
        };
        self.address(with(0), with)
    }

    fn load(&mut self, to: Slot, base: Slot, offset: i32, word: WordKind) {
        let address = self.behind(base, offset);
        self.loaded(to, address, word);
    }

    fn load_index(&mut self, to: Slot, place: [Slot; 2], word: WordKind) {
        let address = self.element(place, word);
        self.loaded(to, address, word);
    }

    fn loaded(&mut self, to: Slot, address: Register, word: WordKind) {
        let value = self.write(to);
        let access = self.access(address, value, word);
        self.steps.push(Step::Load(access));
    }

    fn store(&mut self, from: Slot, base: Slot, offset: i32, word: WordKind) {
        let address = self.behind(base, offset);
        let value = self.read(from);
        let access = self.access(address, value, word);
        self.stores.push(access);
    }

    fn store_index(&mut self, from: Slot, place: [Slot; 2], word: WordKind) {
        let address = self.element(place, word);
        let value = self.read(from);
        let access = self.access(address, value, word);
        self.stores.push(access);
    }

    fn access(&mut self, address: Register, value: Register, word: WordKind) -> Access {
        self.accesses += 1;
        Access {
            address,
            value,
            word,
            order: self.accesses,
        }
    }

    /// The plan, if all that an iteration leaves to the next one is counters and sums.
    fn planned(mut self) -> Option<LoopPlan> {
        let is_carried = |slot: &Slot| self.writes.contains_key(slot);
        let (carried, entering): (Vec<_>, Vec<_>) =
            self.entering.iter().partition(|(slot, _)| is_carried(slot));
        let changing = self.changing(&carried);
        let (mut counters, mut reductions) = (Vec::new(), Vec::new());
        for (slot, register) in carried {
            match self.carry(slot, register, &changing)? {
                Carried::Counter(counter) => counters.push(counter),
                Carried::Reduction(reduction) => {
                    // What it takes in is computed; the sum itself is not a column.
                    self.steps
                        .retain(|step| *step != Step::Compute(reduction.op));
                    reductions.push(reduction);
                }
            }
        }
        let mut leaving: Vec<(Slot, Register)> = Vec::new();
        for &slot in self.writes.keys() {
            if !reductions.iter().any(|reduction| reduction.slot == slot) {
                leaving.push((slot, self.current[&slot]));
            }
        }
        let mut plan = LoopPlan {
            registers: usize::from(self.registers),
            entering,
            counters,
            once: Vec::new(),
            early: Vec::new(),
            late: Vec::new(),
            draws: Vec::new(),
            drawn: Vec::new(),
            stores: self.stores,
            reductions,
            leaving,
            jumps: self.jumps,
        };
        plan.order(self.steps, &changing)?;
        Some(plan)
    }

    /// The registers that differ from iteration to iteration.
    fn changing(&self, carried: &[(Slot, Register)]) -> BTreeSet<Register> {
        let mut changing: BTreeSet<Register> = carried.iter().map(|carried| carried.1).collect();
        for step in &self.steps {
            let of_changing = operands(step)
                .iter()
                .any(|operand| changing.contains(operand));
            let changes = of_changing || matches!(step, Step::Draw { .. });
            if let Some(to) = result(step).filter(|_| changes) {
                changing.insert(to);
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
        if self.writes[&slot] != 1 {
            return None;
        }
        let mut writers = self.steps.iter().filter(|step| result(step) == Some(after));
        let Some(Step::Compute(op)) = writers.next() else {
            return None;
        };
        let Pure::Binary(_, _, a, b) = pure(*op)? else {
            return None;
        };
        let (operand, is_left) = match (a == register, b == register) {
            (true, false) => (b, true),
            (false, true) => (a, false),
            _ => return None,
        };
        if counts(op, is_left) && !changing.contains(&operand) {
            return Some(Carried::Counter(Counter {
                slot,
                register,
                op: *op,
                by: operand,
            }));
        }
        let is_sum = sums(op) && self.is_alone(register, after);
        is_sum.then_some(Carried::Reduction(Reduction {
            slot,
            op: *op,
            operand,
            is_left,
        }))
    }

    /// Whether nobody asks what a sum is on the way, but for the operation that makes `after` of `before`.
    fn is_alone(&self, before: Register, after: Register) -> bool {
        let reads = |asked| {
            let of_steps = self.steps.iter().flat_map(operands);
            let of_stores = self.stores.iter();
            let of_stores = of_stores.flat_map(|store| [store.address, store.value]);
            of_steps
                .chain(of_stores)
                .filter(|&read| read == asked)
                .count()
        };
        let copies = self.current.values().filter(|&&other| other == after);
        reads(before) == 1 && reads(after) == 0 && copies.count() == 1
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

/// Whether an operation has a result for all operands, so that it may wait until the others are done.
fn sums(op: &Op) -> bool {
    !matches!(
        op,
        Op::DivI32 { .. }
            | Op::DivI64 { .. }
            | Op::DivU { .. }
            | Op::RemI32 { .. }
            | Op::RemI64 { .. }
            | Op::RemU { .. }
    )
}

impl LoopPlan {
    /// Puts each step where it runs; nothing where what is drawn would decide where the loop goes.
    fn order(&mut self, steps: Vec<Step>, changing: &BTreeSet<Register>) -> Option<()> {
        let (mut loaded, mut drawn) = (BTreeSet::new(), BTreeSet::new());
        for step in steps {
            let reads = operands(&step);
            let is_of = |registers: &BTreeSet<Register>| {
                reads.iter().any(|operand| registers.contains(operand))
            };
            let to = result(&step);
            if matches!(step, Step::Draw { .. }) {
                drawn.extend(to);
                self.draws.push(step);
            } else if is_of(&drawn) {
                let divisor = divisor(&step);
                if matches!(step, Step::Load(_) | Step::Guard(_))
                    || divisor.is_some_and(|divisor| drawn.contains(&divisor))
                {
                    return None;
                }
                drawn.extend(to);
                self.drawn.push(step);
            } else if !is_of(changing) {
                self.once.push(step);
            } else if matches!(step, Step::Load(_)) || is_of(&loaded) {
                loaded.extend(to);
                self.late.push(step);
            } else {
                self.early.push(step);
            }
        }
        let mut addresses = self.stores.iter().map(|store| store.address);
        (!addresses.any(|address| drawn.contains(&address))).then_some(())
    }
}

/// What a step divides by, if it is a division that may have no result.
pub fn divisor(step: &Step) -> Option<Register> {
    match step {
        Step::Compute(op) if !sums(op) => operands(step).get(1).copied(),
        _ => None,
    }
}

/// The register that a step writes.
fn result(step: &Step) -> Option<Register> {
    match step {
        Step::Compute(op) => match pure(*op)? {
            Pure::Binary(_, to, ..) | Pure::Unary(_, to, _) => Some(to),
            Pure::Other => match *op {
                Op::Offset { to, .. } | Op::Element { to, .. } | Op::Convert { to, .. } => Some(to),
                _ => None,
            },
        },
        Step::Math { to, .. } => Some(*to),
        Step::Load(access) => Some(access.value),
        Step::Draw { to, .. } => Some(*to),
        Step::Guard(_) => None,
    }
}

/// The registers that a step reads.
fn operands(step: &Step) -> Vec<Register> {
    match step {
        Step::Compute(op) => match pure(*op) {
            Some(Pure::Binary(_, _, a, b)) => vec![a, b],
            Some(Pure::Unary(_, _, a)) => vec![a],
            _ => match *op {
                Op::Offset { base, .. } => vec![base],
                Op::Element { base, index, .. } => vec![base, index],
                Op::Convert { a, .. } => vec![a],
                _ => Vec::new(),
            },
        },
        Step::Math { operands, .. } => operands.to_vec(),
        Step::Load(access) => vec![access.address],
        Step::Draw { .. } => Vec::new(),
        Step::Guard(guard) => vec![guard.a, guard.b],
    }
}

/// An operation that only computes: how to make it of other slots, and its own.
enum Pure {
    Binary(fn(Slot, Slot, Slot) -> Op, Slot, Slot, Slot),
    Unary(fn(Slot, Slot) -> Op, Slot, Slot),
    /// It has more than slots.
    Other,
}

macro_rules! pure_operations {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
        /// The operation as one that only computes.
        fn pure(op: Op) -> Option<Pure> {
            macro_rules! binary {
                ($code:ident $to:ident $x:ident $y:ident) => {
                    Pure::Binary(|to, a, b| Op::$code { to, a, b }, $to, $x, $y)
                };
            }
            Some(match op {
                $(Op::$binary { to, a, b } => binary!($binary to a b),)*
                $(Op::$unary { to, a } => Pure::Unary(|to, a| Op::$unary { to, a }, to, a),)*
                Op::DivI32 { to, a, b } => binary!(DivI32 to a b),
                Op::DivI64 { to, a, b } => binary!(DivI64 to a b),
                Op::DivU { to, a, b } => binary!(DivU to a b),
                Op::RemI32 { to, a, b } => binary!(RemI32 to a b),
                Op::RemI64 { to, a, b } => binary!(RemI64 to a b),
                Op::RemU { to, a, b } => binary!(RemU to a b),
                Op::Offset { .. } | Op::Element { .. } | Op::Convert { .. } => Pure::Other,
                _ => return None,
            })
        }
    };
}

all_rows! { pure_operations }
