//! Single-precision instructions that `nvcc` does not where the source has them: their costs, put
//! right. The code stays as it is, so every variable still has its value when it is looked at.
//!
//! - What nobody needs is not computed.
//! - A product that only sums take in becomes part of them, also across statements.
//! - What only the last branch of a kernel needs is computed there: of the last addition of a warp's
//!   sum, often only lane 0's remains.
//! - Of two short branches that compute one value, both are computed by all lanes, but for the last
//!   step of the second.
//! - Multiplications by 1 and arithmetic on constants, as in the first rounds of unrolled loops, are
//!   none; multiplications by 2 are additions.
//!
//! As nvcc 13.0 does it for compute capability 9.0, seen in its code.

mod flow;

use std::collections::HashMap;

use self::flow::{Flow, Place, Source, Value, flow};
use crate::ir::{Kernel, Op, fp32_cost};
use crate::launch::Fp32Counts;

/// Most instructions of two branches that are computed by all lanes.
const MOST_CHOSEN: usize = 4;
/// Most sums that one product is repeated for.
const MOST_SUMS: usize = 4;

/// The instructions of `kernel` that do not cost what their operation does, with what they cost.
pub(super) fn recosted(kernel: &Kernel) -> Vec<(u32, Fp32Counts)> {
    let flow = flow(kernel);
    let mut recost = Recost {
        kernel,
        live: Vec::new(),
        constants: HashMap::new(),
        uses: HashMap::new(),
        costs: kernel.code.iter().map(|i| fp32_cost(i.op)).collect(),
        moved: HashMap::new(),
        flow,
    };
    recost.simplify();
    recost.find_uses();
    recost.contract();
    recost.double();
    recost.choose();
    recost.sink();
    recost.changes()
}

struct Recost<'a> {
    kernel: &'a Kernel,
    flow: Flow,
    live: Vec<bool>,
    /// Values that are known, as single precision.
    constants: HashMap<Value, f32>,
    /// Who reads each value: instructions, or nothing for a join.
    uses: HashMap<Value, Vec<Option<usize>>>,
    costs: Vec<Fp32Counts>,
    /// Where instructions went.
    moved: HashMap<usize, usize>,
}

/// Whether an instruction matters for nothing but the value that it computes.
fn is_pure(op: Op) -> bool {
    let cost = fp32_cost(op);
    let counts = cost.add + cost.mul + cost.fma + cost.special > 0;
    counts
        || matches!(
            op,
            Op::NegF32 | Op::AbsF32 | Op::MaxF32 | Op::MinF32 | Op::Mov32
        )
        || matches!(op, Op::Select32 | Op::Const32 | Op::Const64)
}

/// The values that somebody needs.
fn live(kernel: &Kernel, flow: &Flow) -> Vec<bool> {
    let mut live = vec![false; flow.sources.len()];
    let mut work: Vec<Value> = Vec::new();
    for (pc, i) in kernel.code.iter().enumerate() {
        if !is_pure(i.op) {
            work.extend(&flow.reads[pc].all);
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value], true) {
            continue;
        }
        match flow.sources[value] {
            Source::Start => {}
            Source::At(pc) => work.extend(&flow.reads[pc].all),
            Source::Joined => work.extend(&flow.joined[&value]),
        }
    }
    live
}

impl Recost<'_> {
    fn is_live(&self, pc: usize) -> bool {
        self.flow.writes[pc].is_none_or(|value| self.live[value])
    }

    /// What is known or nobody needs costs nothing.
    fn simplify(&mut self) {
        for pc in 0..self.kernel.code.len() {
            self.fold(pc);
        }
        self.live = live(self.kernel, &self.flow);
        for pc in 0..self.kernel.code.len() {
            if is_pure(self.kernel.code[pc].op) && !self.is_live(pc) {
                self.costs[pc] = Fp32Counts::default();
            }
        }
    }

    /// Arithmetic on constants, and multiplications by 1.
    fn fold(&mut self, pc: usize) {
        let i = self.kernel.code[pc];
        let Some(value) = self.flow.writes[pc] else {
            return;
        };
        let operands = self.flow.reads[pc].operands;
        let known = operands.map(|operand| self.constants.get(&operand?).copied());
        let result = match (i.op, known) {
            (Op::Const32, _) => Some(f32::from_bits(i.imm)),
            (Op::AddF32, [Some(a), Some(b), _]) => Some(a + b),
            (Op::SubF32, [Some(a), Some(b), _]) => Some(a - b),
            (Op::MulF32, [Some(a), Some(b), _]) => Some(a * b),
            (Op::FmaF32, [Some(a), Some(b), Some(c)]) => Some(a.mul_add(b, c)),
            _ => None,
        };
        if let Some(result) = result {
            self.constants.insert(value, result);
            self.costs[pc] = Fp32Counts::default();
            return;
        }
        let is_one = |known: Option<f32>| known == Some(1.0);
        match i.op {
            Op::MulF32 if is_one(known[0]) || is_one(known[1]) => {
                let same = if is_one(known[0]) {
                    operands[1]
                } else {
                    operands[0]
                };
                self.costs[pc] = Fp32Counts::default();
                if let Some(same) = same {
                    self.flow.replace(pc, value, same);
                }
            }
            Op::FmaF32 if is_one(known[0]) || is_one(known[1]) => {
                self.costs[pc].fma = 0;
                self.costs[pc].add = 1;
            }
            _ => {}
        }
    }

    /// `x * 2` is `x + x`, and `x * -1` is `-x + -0`.
    fn double(&mut self) {
        for pc in 0..self.kernel.code.len() {
            let known = self.flow.reads[pc].operands;
            let is_known = |operand: Option<Value>| {
                let known = operand.and_then(|operand| self.constants.get(&operand));
                known.is_some_and(|&known| known == 2.0 || known == -1.0)
            };
            let multiplies = self.kernel.code[pc].op == Op::MulF32 && self.costs[pc].mul == 1;
            if multiplies && (is_known(known[0]) || is_known(known[1])) {
                self.costs[pc].mul = 0;
                self.costs[pc].add = 1;
            }
        }
    }

    /// Two short branches that only compute.
    fn choose(&mut self) {
        for pc in 0..self.kernel.code.len() {
            if self.kernel.code[pc].op != Op::If {
                continue;
            }
            let is_end = |op: Op| !is_pure(op);
            let end_from = |from: usize| {
                let rest = self.kernel.code[from..].iter();
                from + rest.take_while(|i| !is_end(i.op)).count()
            };
            let between = end_from(pc + 1);
            let end = end_from(between + 1);
            let op = |at: usize| self.kernel.code.get(at).map(|i| i.op);
            if op(between) != Some(Op::Else) || op(end) != Some(Op::EndIf) {
                continue;
            }
            let counts = |at: &usize| self.costs[*at] != Fp32Counts::default();
            let then: Vec<usize> = (pc + 1..between).filter(counts).collect();
            let mut otherwise: Vec<usize> = (between + 1..end).filter(counts).collect();
            let is_short = then.len() + otherwise.len() <= MOST_CHOSEN;
            if then.is_empty() || otherwise.pop().is_none() || !is_short {
                continue;
            }
            for at in then.into_iter().chain(otherwise) {
                let cost = std::mem::take(&mut self.costs[at]);
                self.costs[pc] += cost;
            }
        }
    }

    fn find_uses(&mut self) {
        for (pc, reads) in self.flow.reads.iter().enumerate() {
            let is_move = self.kernel.code[pc].op == Op::Mov32;
            if is_move || (is_pure(self.kernel.code[pc].op) && !self.is_live(pc)) {
                continue;
            }
            for &value in &reads.all {
                self.uses.entry(value).or_default().push(Some(pc));
            }
        }
        for (value, inputs) in &self.flow.joined {
            if self.live[*value] {
                for &input in inputs {
                    self.uses.entry(input).or_default().push(None);
                }
            }
        }
    }

    fn users(&self, pc: usize) -> Option<Vec<usize>> {
        let value = self.flow.writes[pc]?;
        self.uses.get(&value)?.iter().copied().collect()
    }

    /// Products, and exponentials, whose last step is one, that only sums take in.
    fn contract(&mut self) {
        for pc in 0..self.kernel.code.len() {
            let op = self.kernel.code[pc].op;
            if !matches!(op, Op::MulF32 | Op::ExpF32) {
                continue;
            }
            let Some(users) = self.users(pc).filter(|users| users.len() <= MOST_SUMS) else {
                continue;
            };
            let is_sum = |&user: &usize| {
                let op = self.kernel.code[user].op;
                let repeats = users.iter().filter(|&&other| other == user).count() > 1;
                matches!(op, Op::AddF32 | Op::SubF32) && self.costs[user].add == 1 && !repeats
            };
            if users.is_empty() || !users.iter().all(is_sum) {
                continue;
            }
            for &user in &users {
                self.costs[user].add = 0;
                self.costs[user].fma = 1;
            }
            self.costs[pc].mul = self.costs[pc].mul.saturating_sub(1);
        }
    }

    /// What only instructions of one branch need goes there, last ones first.
    fn sink(&mut self) {
        for pc in (0..self.kernel.code.len()).rev() {
            if self.costs[pc] == Fp32Counts::default() {
                continue;
            }
            let Some(users) = self.users(pc).filter(|users| !users.is_empty()) else {
                continue;
            };
            let places = users.iter().map(|&user| self.place_of(user));
            let Some(around) = places.reduce(|a, b| self.flow.around(a, b)) else {
                continue;
            };
            if let Some(around) = self.flow.last_within(around, self.flow.places[pc]) {
                let first = self.flow.regions[around].first;
                let direct = users
                    .iter()
                    .map(|user| self.moved.get(user).unwrap_or(user));
                let to = direct
                    .copied()
                    .filter(|&user| self.flow.places[user] == around)
                    .min();
                let to = to.unwrap_or(first);
                let cost = std::mem::take(&mut self.costs[pc]);
                self.costs[to] += cost;
                self.moved.insert(pc, to);
            }
        }
    }

    fn place_of(&self, pc: usize) -> Place {
        let at = self.moved.get(&pc).copied().unwrap_or(pc);
        self.flow.places[at]
    }

    fn changes(&self) -> Vec<(u32, Fp32Counts)> {
        let costs = self.costs.iter().zip(&self.kernel.code).enumerate();
        let changed = costs.filter(|(_, (cost, i))| **cost != fp32_cost(i.op));
        changed.map(|(pc, (cost, _))| (pc as u32, *cost)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::launch::Fp32Counts;
    use crate::source::SourceFile;

    /// What one lane that goes through all of a kernel's code computes.
    fn costs(body: &str) -> (u64, u64, u64) {
        let text = format!(
            "__global__ void k(float* x, float* y) {{ int i = threadIdx.x; float a = x[i], b = x[i + 1];\n{body}\n}}"
        );
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        let kernel = &compiled.kernels[0];
        let sum = |sum: Fp32Counts, pc| sum + kernel.fp32_cost(pc);
        let total = (0..kernel.code.len()).fold(Fp32Counts::default(), sum);
        (total.add, total.mul, total.fma)
    }

    #[test]
    fn a_product_that_only_sums_take_in_is_part_of_them() {
        assert_eq!(costs("float p = a * b; y[i] = p + a;"), (0, 0, 1));
        assert_eq!(
            costs("float p = a * b; y[i] = p + a; y[i + 1] = p - b;"),
            (0, 0, 2)
        );
        assert_eq!(
            costs("float p = a * b; y[i] = p; y[i + 1] = p + b;"),
            (1, 1, 0)
        );
    }

    #[test]
    fn what_nobody_needs_and_what_is_known_costs_nothing() {
        assert_eq!(costs("float p = a * b; y[i] = a;"), (0, 0, 0));
        assert_eq!(costs("float p = 1.0f; p *= a; y[i] = p;"), (0, 0, 0));
    }

    #[test]
    fn branches_of_one_step_are_computed_by_all_but_for_the_last_step() {
        assert_eq!(
            costs("float r; if (a > b) r = a * 3.0f; else r = a + b; y[i] = r;"),
            (1, 1, 0)
        );
    }
}
