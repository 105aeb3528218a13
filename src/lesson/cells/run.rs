//! Run cells: kernels over named buffers, with formulas for all that depends on the lesson's sizes. Also which of
//! the sizes a cell uses: its runs at sizes that are equal but for the others are the same run, so that what is
//! recorded of one holds for the other.

use std::collections::BTreeSet;

use super::first_look::FirstLook;
use crate::launch::Measure;
use crate::launch::{BufferSpec, ElementType, Init, Number, Operation};
use crate::lesson::formula::{ConstantTemplate, Formula};
use crate::lesson::sizes::{Sizes, completed};
use crate::source::SourceFile;

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
    /// Variables at file scope that begin with something else than their file says.
    pub symbols: Vec<BufferSpec>,
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
    /// What it shows first.
    pub first_look: FirstLook,
}

/// Whether `tap`, as a lesson writes it, means the variable called `name`: the whole of it, one of its elements
/// or members (`v[0]`, `v.x`), or that of a function which the kernel calls (`row_sum<4>::v`).
pub fn taps(tap: &str, name: &str) -> bool {
    // The compiler's names of variables in functions that were inlined: `row_sum<4>::v`.
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
    pub shape: Vec<Formula>,
    /// What it begins with.
    pub init: InitTemplate,
}

/// A launch whose grid depends on the sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchTemplate {
    /// Name of the kernel.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [Formula; 3],
    /// Threads in x, y, z.
    pub block: [Formula; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: Formula,
    /// Where this is 0, the launch is left out: what a program launches may depend on its sizes.
    pub when: Option<Formula>,
    /// One a parameter.
    pub arguments: Vec<ArgumentTemplate>,
    /// Of a Triton kernel, its constants by name.
    pub meta: Vec<(String, ConstantTemplate)>,
}

/// What a buffer begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum InitTemplate {
    /// The same at all sizes.
    Fixed(Init),
    /// A content such as `rope_cos` that takes a number.
    Numbered(String, Formula),
}

/// What a parameter of a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentTemplate {
    /// A buffer of the cell, by its index.
    Buffer(usize),
    /// A whole number.
    Formula(Formula),
    /// A number that is the same at all sizes: one with a sign or a fraction.
    Number(Number),
    /// A tensor map of a buffer.
    TensorMap(BoxTemplate),
}

/// Boxes of a buffer that copies in bulk take, as `map:a:128x64` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxTemplate {
    /// A buffer of the cell, by its index: a matrix whose rows are its innermost extent.
    pub buffer: usize,
    /// Rows of a box.
    pub rows: u32,
    /// Elements of a row of a box.
    pub columns: u32,
}

/// An operation of NVIDIA's libraries whose sizes depend on the lesson's.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineTemplate {
    /// The operation.
    pub operation: Operation,
    /// As many as it takes.
    pub sizes: Vec<Formula>,
    /// Where this is 0, it is left out.
    pub when: Option<Formula>,
}

/// A formula that a count must equal at every size.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaCheck {
    /// What is counted.
    pub measure: Measure,
    /// What it must be.
    pub formula: Formula,
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
    pub sizes: Vec<Formula>,
    /// Largest difference of an element.
    pub tolerance: f64,
    /// What it is multiplied by, where it is to grow with the sizes.
    pub per: Option<Formula>,
}

impl RunCell {
    /// `sizes` with a value for everything that formulas may name.
    pub fn complete(&self, sizes: &Sizes) -> Sizes {
        completed(&self.choices, sizes)
    }

    /// The names in all of its formulas: shapes, grids, blocks, shared memory, arguments, what counts
    /// must equal, what the reference and the baselines take.
    pub fn used_sizes(&self) -> BTreeSet<String> {
        let buffers = self.buffers.iter().flat_map(|buffer| &buffer.shape);
        let launches = self.launches.iter().flat_map(|launch| {
            let dimensions = launch.grid.iter().chain(&launch.block);
            let meta = launch.meta.iter();
            let meta = meta.filter_map(|(_, constant)| constant.formula());
            let formulas = dimensions.chain([&launch.shared_bytes]).chain(&launch.when);
            formulas.chain(meta)
        });
        let checks = self.formulas.iter().map(|check| &check.formula);
        let verify = self.verify.iter();
        let verify = verify.flat_map(|verify| verify.sizes.iter().chain(&verify.per));
        let baselines = self.baselines.iter();
        let baselines = baselines.flat_map(|baseline| baseline.sizes.iter().chain(&baseline.when));
        let formulas = buffers.chain(launches).chain(checks);
        let formulas = formulas.chain(verify).chain(baselines);
        let arguments = self.launches.iter().flat_map(|launch| &launch.arguments);
        let arguments = arguments.filter_map(|argument| match argument {
            ArgumentTemplate::Formula(formula) => Some(formula),
            _ => None,
        });
        let inits = self.buffers.iter().filter_map(|buffer| match &buffer.init {
            InitTemplate::Numbered(_, formula) => Some(formula),
            InitTemplate::Fixed(_) => None,
        });
        formulas
            .chain(arguments)
            .chain(inits)
            .flat_map(Formula::uses)
            .collect()
    }

    /// The cell with every launch at all sizes, those too that some of them leave out.
    pub fn with_all_launches(&self) -> RunCell {
        let mut all = self.clone();
        all.launches
            .iter_mut()
            .for_each(|launch| launch.when = None);
        all
    }

    /// What it uses of `sizes`, each with a value: listed sizes at their default stand here too. Runs of
    /// this cell are the same where these are equal.
    pub fn own_sizes(&self, sizes: &Sizes) -> Sizes {
        let used = self.used_sizes();
        let mut own = self.complete(sizes);
        own.retain(|name, _| used.contains(name));
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load;

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

    fn cell(change: impl FnOnce(&mut RunCell)) -> RunCell {
        let lesson = load("softmax").expect("reads");
        let mut cell = lesson.run_cell("fused").expect("is there").clone();
        change(&mut cell);
        cell
    }

    fn used(cell: &RunCell) -> Vec<String> {
        cell.used_sizes().into_iter().collect()
    }

    fn formula(text: &str) -> Formula {
        Formula::parse(text).expect("reads")
    }

    #[test]
    fn a_size_is_used_wherever_a_formula_of_the_cell_names_it() {
        let before = used(&cell(|_| ()));
        assert!(
            ["M", "N"]
                .iter()
                .all(|name| before.contains(&(*name).to_owned()))
        );
        let changes: [fn(&mut RunCell); 9] = [
            |cell| cell.buffers[0].shape.push(formula("Z")),
            |cell| cell.launches[0].grid[1] = formula("Z"),
            |cell| cell.launches[0].block[2] = formula("Z"),
            |cell| cell.launches[0].shared_bytes = formula("4*Z"),
            |cell| {
                let argument = ArgumentTemplate::Formula(formula("2*Z"));
                cell.launches[0].arguments.push(argument);
            },
            |cell| {
                let columns = InitTemplate::Numbered("rope_cos".to_owned(), formula("Z/2"));
                cell.buffers[0].init = columns;
            },
            |cell| {
                let verify = cell.verify.as_mut().expect("is verified");
                verify.per = Some(formula("Z"));
            },
            |cell| cell.formulas[0].formula = formula("Z"),
            |cell| cell.baselines[0].sizes.push(formula("Z")),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(used(&cell(change)).contains(&"Z".to_owned()), "change {at}");
        }
    }

    #[test]
    fn own_sizes_have_the_defaults_and_nothing_that_is_not_used() {
        let cell = cell(|cell| {
            cell.launches[0].block[0] = formula("B");
            cell.choices = Sizes::from([("B".to_owned(), 256), ("P".to_owned(), 3)]);
        });
        let sizes = |list: &[(&str, u64)]| -> Sizes {
            let owned = list.iter().map(|&(name, value)| (name.to_owned(), value));
            owned.collect()
        };
        let recorded = sizes(&[("M", 2), ("N", 5), ("K", 7)]);
        let own = sizes(&[("B", 256), ("M", 2), ("N", 5)]);
        assert_eq!(cell.own_sizes(&recorded), own);
        let chosen = sizes(&[("M", 2), ("N", 5), ("K", 8), ("P", 4), ("B", 256)]);
        assert_eq!(cell.own_sizes(&chosen), own);
        let other = sizes(&[("M", 2), ("N", 5), ("B", 128)]);
        assert_ne!(cell.own_sizes(&other), own);
    }
}
