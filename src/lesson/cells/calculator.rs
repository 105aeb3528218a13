//! Calculator cells: how many blocks of a kernel an SM holds, for inputs that the learner moves.

use super::scope::Scope;
use crate::device::{
    ComputeCapability, Gpu, Occupancy, compute_capabilities, compute_capability, gpu, gpu_ids,
    occupancy,
};
use crate::lesson::formula::Formula;
use crate::lesson::reader::{Placed, Table};
use crate::lesson::sizes::{Sizes, completed};
use crate::source::Span;

/// An occupancy calculator in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct CalculatorCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Limits of the compute capability that it begins with.
    pub limits: &'static ComputeCapability,
    /// What the numbers begin with: threads, registers and bytes of shared memory.
    pub begins: [Formula; 3],
    /// Sizes that take listed values, at their defaults.
    pub defaults: Sizes,
}

impl CalculatorCell {
    /// What it begins with at `sizes` on `gpu`, as far as its compute capability takes that.
    pub fn inputs(&self, sizes: &Sizes, gpu: &Gpu) -> Inputs {
        let all = completed(&self.defaults, sizes);
        let pairs = NUMBERS.into_iter().zip(&self.begins);
        pairs.fold(Inputs::least(self.limits), |inputs, (input, formula)| {
            // A formula without a value there begins at the least: the calculator works at all sizes.
            let value = formula.evaluate(&all, gpu).unwrap_or_default();
            inputs.with(input, u32::try_from(value).unwrap_or(u32::MAX))
        })
    }
}

/// What an SM's occupancy depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Limits of the compute capability: a row of the table.
    pub limits: &'static ComputeCapability,
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

/// One of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Input {
    Threads,
    Registers,
    Shared,
    ComputeCapability,
}

/// The inputs that are numbers.
const NUMBERS: [Input; 3] = [Input::Threads, Input::Registers, Input::Shared];

/// Bytes by which keys move shared memory.
const SHARED_STEP: u32 = 1024;

impl Input {
    /// All of them, in the order shown.
    pub const ALL: [Input; 4] = [
        Input::Threads,
        Input::Registers,
        Input::Shared,
        Input::ComputeCapability,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Input::Threads => "threads per block",
            Input::Registers => "registers per thread",
            Input::Shared => "shared bytes per block",
            Input::ComputeCapability => "compute capability",
        }
    }
}

/// Values of a number that are worth trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRange {
    /// The least.
    pub min: u32,
    /// The most.
    pub max: u32,
    /// By how much a key moves it.
    pub step: u32,
}

impl Inputs {
    /// The smallest block.
    fn least(limits: &'static ComputeCapability) -> Self {
        Inputs {
            limits,
            threads: 1,
            registers: 1,
            shared_bytes: 0,
        }
    }

    /// How full an SM is.
    pub fn occupancy(&self) -> Occupancy {
        occupancy(self.limits, self.threads, self.registers, self.shared_bytes)
    }

    /// GPUs of the table that have this compute capability.
    pub fn gpus(&self) -> impl Iterator<Item = &'static Gpu> {
        let cc = &self.limits.cc;
        let gpus = gpu_ids().filter_map(|id| gpu(id).ok());
        gpus.filter(move |gpu| gpu.compute_capability == *cc)
    }

    /// What a number may be; nothing for the compute capability.
    pub fn range(&self, input: Input) -> Option<InputRange> {
        let (min, max, step) = match input {
            Input::Threads => (
                1,
                self.limits.max_threads_per_block,
                self.limits.threads_per_warp,
            ),
            Input::Registers => (1, self.limits.max_registers_per_thread, 1),
            Input::Shared => (0, self.limits.shared_per_block_optin_bytes, SHARED_STEP),
            Input::ComputeCapability => return None,
        };
        Some(InputRange { min, max, step })
    }

    /// The value of a number; 0 for the compute capability, which is none.
    pub fn value(&self, input: Input) -> u32 {
        match input {
            Input::Threads => self.threads,
            Input::Registers => self.registers,
            Input::Shared => self.shared_bytes,
            Input::ComputeCapability => 0,
        }
    }

    /// With a number set, clamped to its range.
    pub fn with(&self, input: Input, value: u32) -> Self {
        let mut inputs = self.clone();
        if let Some(range) = self.range(input) {
            let value = value.clamp(range.min, range.max);
            match input {
                Input::Threads => inputs.threads = value,
                Input::Registers => inputs.registers = value,
                Input::Shared => inputs.shared_bytes = value,
                Input::ComputeCapability => {}
            }
        }
        inputs
    }

    /// With an input moved by so many steps: numbers land on multiples of their step, compute
    /// capabilities go by the table.
    pub fn stepped(&self, input: Input, steps: i64) -> Self {
        let Some(InputRange { step, .. }) = self.range(input) else {
            let all: Vec<_> = compute_capabilities().collect();
            let at = all.iter().position(|row| row.cc == self.limits.cc);
            let at = at.unwrap_or(0) as i64 + steps;
            let at = at.clamp(0, all.len() as i64 - 1) as usize;
            return self.on(all[at]);
        };
        let (value, step) = (i64::from(self.value(input)), i64::from(step));
        // From 100 threads one step up is 128 and one step down 96: both land on multiples of the step.
        let base = match steps > 0 {
            true => value / step,
            false => (value + step - 1) / step,
        };
        let moved = (base + steps).max(0) * step;
        self.with(input, u32::try_from(moved).unwrap_or(u32::MAX))
    }

    /// On another compute capability, with numbers clamped to its ranges.
    pub fn on(&self, limits: &'static ComputeCapability) -> Self {
        let moved = Inputs {
            limits,
            ..self.clone()
        };
        NUMBERS.into_iter().fold(moved, |moved, input| {
            let value = moved.value(input);
            moved.with(input, value)
        })
    }

    /// What if: occupancy at `points` values of a number over its range, the last its most; empty
    /// for the compute capability.
    pub fn strip(&self, input: Input, points: usize) -> Vec<(u32, Occupancy)> {
        let Some(InputRange { min, max, step }) = self.range(input) else {
            return Vec::new();
        };
        let at = |point: usize| {
            let share = (point + 1) as f64 / points as f64;
            let value = f64::from(max) * share;
            // A strip has fewer points than there are values: each is one that keys can reach.
            let value = (value / f64::from(step)).round() as u32 * step;
            value.clamp(min, max)
        };
        let values = (0..points).map(at);
        values
            .map(|value| (value, self.with(input, value).occupancy()))
            .collect()
    }
}

/// The cell, if what it needs is there.
pub(crate) fn read_calculator(id: &str, mut table: Table, scope: &Scope) -> Option<CalculatorCell> {
    let (title, head) = (table.required("title"), table.span);
    let named = table.optional("gpu");
    let cc = table.optional("cc");
    let begins = ["threads", "registers", "shared"].map(|key| table.required(key));
    table.finish();
    let limits = read_limits(head, named, cc, scope)?;
    let [Some(threads), Some(registers), Some(shared)] = begins else {
        return None;
    };
    let begins: [Placed<Formula>; 3] = [threads, registers, shared];
    for (input, formula) in NUMBERS.into_iter().zip(&begins) {
        check_range(limits, input, formula, scope);
    }
    Some(CalculatorCell {
        id: id.to_owned(),
        title: title?,
        limits,
        begins: begins.map(|formula| scope.formula(formula)),
        defaults: scope.defaults(),
    })
}

/// Complains about a number that the compute capability does not take. What depends on sizes may leave its
/// range, and is held back at the end of it.
fn check_range(
    limits: &'static ComputeCapability,
    input: Input,
    formula: &Placed<Formula>,
    scope: &Scope,
) {
    let Ok(number) = formula.value.text().parse::<u64>() else {
        return;
    };
    let Some(range) = Inputs::least(limits).range(input) else {
        return;
    };
    if !(u64::from(range.min)..=u64::from(range.max)).contains(&number) {
        let (name, InputRange { min, max, .. }) = (input.name(), range);
        let message = format!("{name} go from {min} to {max} on {}", limits.cc);
        scope.findings.error(formula.span, message);
    }
}

/// The limits of the GPU or of the compute capability that is named.
fn read_limits(
    head: Span,
    named: Option<Placed<String>>,
    cc: Option<Placed<String>>,
    scope: &Scope,
) -> Option<&'static ComputeCapability> {
    match (named, cc) {
        (Some(named), None) => match gpu(&named.value) {
            Ok(gpu) => Some(gpu.limits()),
            Err(unknown) => {
                scope.findings.error(named.span, unknown.to_string());
                None
            }
        },
        (None, Some(cc)) => compute_capability(&cc.value).or_else(|| {
            let message = format!("there is no compute capability `{}`", cc.value);
            let all = compute_capabilities().map(|row| row.cc.as_str());
            scope.findings.unknown(&cc, message, all)
        }),
        _ => {
            let message = "a calculator needs either `gpu` or `cc`";
            scope.findings.error(head, message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(threads: u32, registers: u32, shared_bytes: u32) -> Inputs {
        Inputs {
            limits: compute_capability("9.0").expect("is in the table"),
            threads,
            registers,
            shared_bytes,
        }
    }

    #[test]
    fn steps_land_on_multiples_and_stay_in_range() {
        let start = inputs(100, 40, 1500);
        assert_eq!(start.stepped(Input::Threads, 1).threads, 128);
        assert_eq!(start.stepped(Input::Threads, -1).threads, 96);
        assert_eq!(start.stepped(Input::Threads, 100).threads, 1024);
        assert_eq!(start.stepped(Input::Threads, -100).threads, 1);
        assert_eq!(start.stepped(Input::Shared, -2).shared_bytes, 0);
        assert_eq!(start.stepped(Input::Registers, 500).registers, 255);
    }

    #[test]
    fn another_compute_capability_clamps_what_does_not_fit_it() {
        let most = inputs(1024, 255, 232_448);
        let turing = most.on(compute_capability("7.5").expect("is in the table"));
        assert_eq!(
            turing.shared_bytes,
            turing.limits.shared_per_block_optin_bytes
        );
        let last = most.stepped(Input::ComputeCapability, 1000);
        assert_eq!(
            last.stepped(Input::ComputeCapability, 1).limits.cc,
            last.limits.cc
        );
    }

    #[test]
    fn a_strip_is_the_occupancy_at_each_of_its_values() {
        let start = inputs(256, 64, 0);
        let strip = start.strip(Input::Threads, 32);
        assert_eq!(strip.len(), 32);
        assert_eq!((strip[0].0, strip[31].0), (32, 1024));
        for (threads, found) in strip {
            assert_eq!(found, inputs(threads, 64, 0).occupancy());
        }
        assert!(start.strip(Input::ComputeCapability, 8).is_empty());
    }
}
