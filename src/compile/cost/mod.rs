//! Single-precision instructions that `nvcc` does not where the source has them: their costs, put
//! right. The code stays as it is, so every variable still has its value when it is looked at.
//!
//! - What nobody needs is not computed.
//! - A product that only sums take in becomes part of them, also across statements.
//! - What only the last branch of a kernel needs is computed there: of the last addition of a warp's
//!   sum, often only lane 0's remains.
//! - Of two short branches that compute one value, both are computed by all lanes, but for the last
//!   step of the second.
//! - Multiplications by 1, arithmetic on constants, as in the first rounds of unrolled loops, and what
//!   has been computed before (`known`) are none; multiplications by 2 are additions, divisions by
//!   powers of two multiplications.
//! - Functions do once what they share, and what a loop does not change (`functions`).
//!
//! As nvcc 13.0 does it for compute capability 9.0, seen in its code.

mod flow;
mod functions;
mod known;
mod signs;

use std::collections::HashMap;

use crate::ir::{Kernel, Op, fp32_cost};
use crate::launch::Fp32Counts;
use flow::{Flow, Place, Source, Value, flow, is_move};
use known::Known;

/// Most instructions of two branches that are computed by all lanes.
const MOST_CHOSEN: usize = 4;
/// Most sums that one product is repeated for.
const MOST_SUMS: usize = 4;

/// The instructions of `kernel` that do not cost what their operation does, with what they cost.
pub(crate) fn recosted(kernel: &Kernel) -> Vec<(u32, Fp32Counts)> {
    let flow = flow(kernel);
    let mut recost = Recost {
        kernel,
        live: Vec::new(),
        known: Known::new(&flow),
        ops: kernel.code.iter().map(|i| i.op).collect(),
        uses: HashMap::new(),
        costs: kernel.code.iter().map(|i| fp32_cost(i.op)).collect(),
        moved: HashMap::new(),
        flow,
    };
    recost.simplify();
    recost.share();
    recost.find_uses();
    recost.pay_for_signs();
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
    known: Known,
    /// What instructions are to `nvcc`.
    ops: Vec<Op>,
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
        || matches!(op, Op::NegF32 | Op::AbsF32 | Op::MaxF32 | Op::MinF32)
        || is_move(op)
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
        self.known.finish(&mut self.flow);
        self.live = live(self.kernel, &self.flow);
        for pc in 0..self.kernel.code.len() {
            if is_pure(self.kernel.code[pc].op) && !self.is_live(pc) {
                self.costs[pc] = Fp32Counts::default();
            }
        }
    }

    /// `x * 2` is `x + x`, and `x * -1` is `-x + -0`.
    fn double(&mut self) {
        for pc in 0..self.kernel.code.len() {
            let multiplies = self.ops[pc] == Op::MulF32 && self.costs[pc].mul == 1;
            let [a, b, _] = self.known.single(&self.flow.reads[pc]);
            let is_sum = match self.kernel.code[pc].op {
                Op::DivF32 => b == Some(0.5) || b == Some(-1.0),
                _ => [a, b].into_iter().flatten().any(|x| x == 2.0 || x == -1.0),
            };
            if multiplies && is_sum {
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
            let op = self.kernel.code[pc].op;
            if is_move(op) || (is_pure(op) && !self.is_live(pc)) {
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
            if !matches!(self.ops[pc], Op::MulF32 | Op::ExpF32) {
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
    fn dividing_by_a_power_of_two_is_multiplying() {
        assert_eq!(costs("y[i] = a / 8.0f;"), (0, 1, 0));
        assert_eq!(costs("y[i] = a / 8.0f + b;"), (0, 0, 1));
        assert_eq!(costs("y[i] = a / 0.5f;"), (1, 0, 0));
        assert_eq!(costs("y[i] = a / sqrtf(16.0f);"), (0, 1, 0));
        assert_eq!(costs("y[i] = a / 3.0f;"), (0, 0, 5));
    }

    #[test]
    fn what_is_computed_twice_is_done_once_where_the_first_is_sure_to_have_been() {
        assert_eq!(
            costs("float p = a * b; float q = b * a; y[i] = p; y[i + 1] = q;"),
            (0, 1, 0)
        );
        assert_eq!(
            costs("if (a > 1.0f) y[i] = a * b; if (b > 1.0f) y[i + 1] = a * b;"),
            (0, 2, 0)
        );
        assert_eq!(costs("y[i] = expf(-0.5f) * a;"), (0, 1, 0));
    }

    #[test]
    fn waves_of_one_angle_share_its_reduction() {
        // Each with both of the instructions that only some quarters need.
        assert_eq!(costs("y[i] = sinf(a);"), (0, 2, 9));
        assert_eq!(costs("y[i] = sinf(a); y[i + 1] = cosf(a);"), (0, 3, 15));
        assert_eq!(costs("sincosf(a, &y[i], &y[i + 1]);"), (0, 2, 11));
    }

    #[test]
    fn the_logarithm_of_a_base_is_taken_before_the_loop() {
        let text = "for (int k = 0; k < n; ++k) y[k] = powf(10000.0f, x[k]);";
        let text = format!("__global__ void k(float* x, float* y, int n) {{ {text} }}");
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        let kernel = &compiled.kernels[0];
        let head = kernel.code.iter().find(|i| i.op == crate::ir::Op::Jump);
        let before = head.expect("loops").imm as usize - 1;
        let cost = kernel.fp32_cost(before);
        assert_eq!((cost.add, cost.mul, cost.fma), (4, 3, 11));
    }

    #[test]
    fn branches_of_one_step_are_computed_by_all_but_for_the_last_step() {
        assert_eq!(
            costs("float r; if (a > b) r = a * 3.0f; else r = a + b; y[i] = r;"),
            (1, 1, 0)
        );
    }
}
