//! The data of a lesson.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::{CalculatorCell, KernelCell, PredictionCell, Size, Sizes, TableCell};
use crate::engine::Verified;
use crate::launch::{ElementType, Ending, Init, Number, Operation, Outcome, Recorded};
use crate::source::SourceFile;

/// A lesson, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// One sentence: what one learns.
    pub summary: String,
    /// Minutes it takes.
    pub minutes: u32,
    /// Where it stands among the others.
    pub course: super::Course,
    /// Sizes that the learner may change; all run cells share them.
    pub sizes: Vec<Size>,
    /// Formulas that the others use by their names, in the order in which they stand.
    pub values: Vec<Arc<super::NamedValue>>,
    /// Sizes that the notebook begins with in place of the defaults.
    pub begins: Sizes,
    /// Sizes at which it is recorded on real GPUs, beside the defaults: each with a value for every size.
    /// They may lie beyond what the learner may choose.
    pub recordings: Vec<Sizes>,
    /// Cells in order.
    pub cells: Vec<Cell>,
    /// What a speaker says of a cell, in Markdown, by the cell's index.
    pub notes: BTreeMap<usize, String>,
    /// Of each cell that its author named, what changes when the cell or its kernels do.
    pub digests: BTreeMap<String, String>,
}

/// A part of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Prose(ProseCell),
    /// Kernels to run.
    Run(Box<RunCell>),
    /// A question about what a run will count.
    Prediction(Box<PredictionCell>),
    /// Rows and columns of known figures, or of counts.
    Table(TableCell),
    /// How full an SM is.
    Calculator(CalculatorCell),
    /// A kernel to be read.
    Kernel(Box<KernelCell>),
    /// A picture of what runs gave.
    Figure(Box<super::FigureCell>),
}

/// Text of a lesson: at most one heading and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProseCell {
    /// What it says.
    pub markdown: super::Markdown,
}

/// Kernels to run over named buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The kernels' file.
    pub source: SourceFile,
    /// Buffers.
    pub buffers: Vec<BufferTemplate>,
    /// Launches in order.
    pub launches: Vec<LaunchTemplate>,
    /// The lesson's sizes that take listed values only, at their defaults.
    pub choices: Sizes,
    /// Formulas that counts must equal.
    pub formulas: Vec<FormulaCheck>,
    /// What the output must equal.
    pub verify: Option<VerifyTemplate>,
    /// What a real GPU times beside them.
    pub baselines: Vec<BaselineTemplate>,
    /// Names of buffers and variables worth looking at first.
    pub taps: Vec<String>,
}

/// Whether `tap`, as a lesson writes it, means the variable called `name`: the whole of it, one of its elements
/// or members (`v[0]`, `v.x`), or that of a function which the kernel calls (`row_sum<4>::v`).
pub fn taps(tap: &str, name: &str) -> bool {
    let own = name.rsplit("::").next().unwrap_or(name);
    let rest = own.strip_prefix(tap);
    name == tap || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A buffer whose length depends on the sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferTemplate {
    /// Its name in launches.
    pub name: String,
    /// Type of its elements.
    pub element: ElementType,
    /// Elements in a row and number of rows are what the learner thinks in: the shape, outermost
    /// first, as formulas.
    pub shape: Vec<super::Formula>,
    /// What it begins with.
    pub init: InitTemplate,
}

/// A launch whose grid depends on the sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchTemplate {
    /// Name of the kernel.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [super::Formula; 3],
    /// Threads in x, y, z.
    pub block: [super::Formula; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: super::Formula,
    /// One a parameter.
    pub arguments: Vec<ArgumentTemplate>,
}

/// What a buffer begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum InitTemplate {
    /// The same at all sizes.
    Fixed(Init),
    /// A content such as `rope_cos` that takes a number.
    Numbered(String, super::Formula),
}

/// What a parameter of a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentTemplate {
    /// A buffer of the cell, by its index.
    Buffer(usize),
    /// A whole number.
    Formula(super::Formula),
    /// A number that is the same at all sizes: one with a sign or a fraction.
    Number(Number),
}

/// An operation of NVIDIA's libraries whose sizes depend on the lesson's.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineTemplate {
    /// The operation.
    pub operation: Operation,
    /// As many as it takes.
    pub sizes: Vec<super::Formula>,
}

/// A formula that a count must equal at every size.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaCheck {
    /// What is counted.
    pub measure: super::Measure,
    /// What it must be.
    pub formula: super::Formula,
}

/// What an output buffer must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyTemplate {
    /// The output buffer.
    pub buffer: String,
    /// Name of the reference.
    pub against: String,
    /// Buffers the reference reads, as they were before the run.
    pub inputs: Vec<String>,
    /// Sizes the reference takes.
    pub sizes: Vec<super::Formula>,
    /// Largest difference of an element.
    pub tolerance: f64,
    /// What it is multiplied by, where it is to grow with the sizes.
    pub per: Option<super::Formula>,
}

/// A formula held against its count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormulaResult {
    /// What is counted.
    pub name: String,
    /// The formula as written.
    pub formula: String,
    /// What the formula gives at these sizes.
    pub expected: u64,
    /// What the run counted.
    pub counted: u64,
    /// Whether they are equal.
    pub ok: bool,
}

/// What is said of a run with checks that found nothing.
pub const CLEAN: &str = "no races, and nothing was read before it was set (counted)";

impl CellResult {
    /// Whether it ran to its end with checks that found nothing.
    pub fn is_clean(&self) -> bool {
        self.checked && self.outcome.ending == Ending::Finished && self.outcome.reports.is_empty()
    }
}

/// What a run of a cell gave: all that the notebook and the reports show.
#[derive(Clone, Debug, PartialEq)]
pub struct CellResult {
    /// The sizes it ran at.
    pub sizes: Sizes,
    /// What came back.
    pub outcome: Outcome,
    /// Formulas against counts; empty unless the run finished.
    pub formulas: Vec<FormulaResult>,
    /// The output against its reference; nothing unless the run finished.
    pub verified: Option<Verified>,
    /// Whether it finished, and every formula and output is right.
    pub ok: bool,
    /// Whether it was watched for races and for reads of what was never set.
    pub checked: bool,
    /// What is recorded of the cell; nothing where a real GPU ran, or nobody asked.
    pub recorded: Option<Recorded>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tap_means_all_of_a_variable_and_of_no_other() {
        for name in [
            "v",
            "v[0]",
            "v.x",
            "v[1].x",
            "row_sum<4>::v",
            "row_sum<4>::v[2]",
        ] {
            assert!(taps("v", name), "{name}");
        }
        for name in ["value", "w.v", "v::w", "row_sum<4>::value"] {
            assert!(!taps("v", name), "{name}");
        }
        assert!(taps("v.x", "v.x") && !taps("v.x", "v.y"));
    }
}
