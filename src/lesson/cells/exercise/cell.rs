//! Exercises: a kernel that the learner completes, mends or makes cheaper, with what it has to compute and may cost.

use simulator::named;
use std::collections::BTreeMap;

use crate::launch::Measure;
use crate::lesson::cells::run::{FormulaCheck, InitTemplate, RunCell};
use crate::lesson::chosen_number::chosen_number;
use crate::lesson::formula::Formula;
use crate::lesson::markdown::Markdown;
use crate::lesson::sizes::{Size, Sizes};
use crate::lesson::starting_point::StartingPoint;
use crate::source::{SourceFile, is_python};

/// An exercise of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct ExerciseCell {
    /// What the learner runs: at first the starting point. It has the exercise's name, title, buffers, launches and
    /// reference.
    pub run: RunCell,
    /// What the solution counts.
    pub formulas: Vec<FormulaCheck>,
    /// What the learner begins with.
    pub start: StartingPoint,
    /// What it is about.
    pub concept: Concept,
    /// What the learner does.
    pub kind: ExerciseKind,
    /// What is asked.
    pub question: Markdown,
    /// What the starting point gets when it is checked.
    pub fails: FindingKind,
    /// What an answer may cost.
    pub bounds: Vec<Bound>,
    /// What is asked of a count, of an exercise that is explained.
    pub asked: Option<Asked>,
    /// Numbers that the learner chooses in the text, as sizes.
    pub numbers: Vec<Size>,
    /// At which sizes and on which inputs it is checked.
    pub trials: Trials,
    /// Help for a learner who is stuck.
    pub help: ExerciseHelp,
}

/// At which sizes and on which inputs an exercise is checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// Its own sizes in place of the lesson's defaults.
    pub at: Sizes,
    /// Those that its author chose.
    pub chosen: Vec<CaseTemplate>,
    /// Sizes that are always as in `at`.
    pub fixed: Vec<String>,
}

/// Sizes and inputs that an author chose.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseTemplate {
    /// What is special about them.
    pub title: String,
    /// Sizes other than the exercise's own.
    pub sizes: Sizes,
    /// What buffers begin with, by their indices.
    pub inits: BTreeMap<usize, InitTemplate>,
}

/// Help for a learner who is stuck.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExerciseHelp {
    /// The concept, then where to look, then what to do.
    pub hints: Vec<Markdown>,
    /// Why the solution is as it is.
    pub reasons: Markdown,
    /// Exercises that are better solved before it, by id.
    pub builds_on: Vec<String>,
}

/// A question about a count: the learner says how many, and which line causes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// What a run of the kernel counts.
    Counted(Measure),
    /// The value of a formula.
    Formula(Formula),
}

/// A limit on what an answer costs, at every size.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// What is limited.
    pub of: Bounded,
    /// From which side.
    pub side: BoundSide,
    /// The limit.
    pub limit: Formula,
}

/// What a bound limits.
#[derive(Clone, Debug, PartialEq)]
pub enum Bounded {
    /// A count of the run.
    Counted(Measure),
    /// What follows from numbers that the learner chooses, by its name.
    Computed(String, Formula),
}

impl Bounded {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Bounded::Counted(measure) => measure.name(),
            Bounded::Computed(name, _) => name,
        }
    }
}

named! {
    /// From which side a bound limits.
    pub enum BoundSide {
        /// No more than the limit.
        AtMost = "at most",
        /// No less than it.
        AtLeast = "at least",
    }
}

impl BoundSide {
    /// Whether `value` keeps to `limit`.
    pub fn holds(self, value: u64, limit: u64) -> bool {
        match self {
            BoundSide::AtMost => value <= limit,
            BoundSide::AtLeast => value >= limit,
        }
    }

    /// Whether `value` is better than `other`.
    pub fn is_better(self, value: u64, other: u64) -> bool {
        value != other && self.holds(value, other)
    }
}

named! {
    /// What the learner does.
    pub enum ExerciseKind {
        /// Writes what is missing.
        Fill = "fill",
        /// Finds and mends a bug.
        Mend = "mend",
        /// Gets the same result at less cost.
        Beat = "beat",
        /// Puts lines in order.
        Order = "order",
        /// Chooses numbers of the launch.
        Launch = "launch",
        /// Says how much is counted, and which line causes it.
        Explain = "explain",
        /// Writes a kernel.
        Write = "write",
    }
}

named! {
    /// What an exercise is about, as progress tells it.
    pub enum Concept {
        /// Which element a thread takes.
        Indexing = "indexing",
        /// Guards, tails, indices that overflow.
        Bounds = "bounds",
        /// Which addresses a warp accesses together.
        Coalescing = "coalescing",
        /// Wide loads and stores.
        VectorLoads = "vector loads",
        /// Lanes of a warp that take different paths.
        Divergence = "divergence",
        /// Shuffles, votes and other exchanges within a warp.
        WarpExchange = "warp exchange",
        /// Words of shared memory that share a bank.
        BankConflicts = "bank conflicts",
        /// Where threads of a block wait for each other.
        Barriers = "barriers",
        /// Accesses in no order.
        Races = "races",
        /// Operations that nobody comes between.
        Atomics = "atomics",
        /// Many values to one.
        Reductions = "reductions",
        /// Parts of matrices in shared memory.
        Tiling = "tiling",
        /// Data that is loaded once and used again.
        Reuse = "reuse",
        /// Kernels joined into one.
        Fusion = "fusion",
        /// Rounding, infinities, overflow.
        Numerics = "numerics",
        /// Warps that an SM holds.
        Occupancy = "occupancy",
        /// Blocks over the SMs of a GPU.
        Waves = "waves",
        /// Tensor cores.
        TensorCores = "tensor cores",
        /// Tiles of Triton, their masks and their programs.
        TritonTiles = "Triton tiles",
    }
}

named! {
    /// What a check of an answer finds.
    pub enum FindingKind {
        /// It does not compile.
        Uncompiled = "does not compile",
        /// A number that the learner chooses is missing or out of its range.
        Number = "number out of range",
        /// An access outside of its buffer, or to nothing.
        OutOfBounds = "out of bounds",
        /// Accesses in no order.
        Race = "race",
        /// A value that nobody set.
        Unset = "unset value",
        /// A barrier that not all threads reach.
        DivergentBarrier = "divergent barrier",
        /// It takes far more instructions than the solution, perhaps for ever.
        Endless = "takes too long",
        /// Any other fault of the run.
        Fault = "fault",
        /// An element is not what it should be.
        WrongResult = "wrong result",
        /// An element was not written.
        Unwritten = "element not written",
        /// Another legal order gives another result.
        OrderDependent = "depends on the order",
        /// It is right, and costs too much.
        OverBound = "over a bound",
        /// The question has no answer yet.
        Unanswered = "no answer",
        /// The number is not right.
        WrongAnswer = "wrong answer",
        /// No line is chosen, or one that does not cause it.
        WrongLine = "wrong line",
        /// All is right.
        Passed = "passed",
    }
}

impl ExerciseCell {
    /// Its name on the command line.
    pub fn id(&self) -> &str {
        &self.run.id
    }

    /// The solution as a run, with formulas that its counts equal.
    pub fn solution(&self) -> RunCell {
        let mut run = self.run.clone();
        run.source = self.start.solution.clone();
        run.formulas.clone_from(&self.formulas);
        let numbers = self.numbers.iter();
        run.choices
            .extend(numbers.map(|number| (number.name.clone(), number.default)));
        run
    }

    /// Puts the learner's text in the place of the one before. A number that it does not set stays as it was.
    pub fn put_text(&mut self, text: &str) {
        self.run.source = self.run.source.with_text(text);
        for number in &self.numbers {
            let chosen = chosen_number(&self.run.source, &number.name);
            let value = chosen.and_then(|chosen| chosen.value);
            if let Some(value) = value.filter(|&value| number.takes(value)) {
                self.run.choices.insert(number.name.clone(), value);
            }
        }
    }

    /// A text that solves it: the solution, with the answer to its question if it has one.
    pub fn solved(&self) -> SourceFile {
        let solution = &self.start.solution;
        let answer = match &self.asked {
            None => return solution.clone(),
            Some(Asked::Formula(formula)) => Some(formula),
            Some(Asked::Counted(measure)) => {
                let mut checks = self.formulas.iter();
                let check = checks.find(|check| check.measure == *measure);
                check.map(|check| &check.formula)
            }
        };
        let answer = answer.map_or("", Formula::text);
        self.start.explained(answer)
    }

    /// The name of the learner's file.
    pub fn file_name(&self) -> String {
        let ending = match is_python(self.run.source.name()) {
            true => "py",
            false => "cu",
        };
        format!("{}.{ending}", self.id())
    }
}
