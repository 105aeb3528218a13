//! What the names in a cell may mean: sizes and named values, kernel files, and run cells with what they count.

use std::path::PathBuf;
use std::sync::Arc;

use super::run::RunCell;
use crate::launch::Measure;
use crate::lesson::formula::{Formula, NamedValue};
use crate::lesson::reader::{Findings, Placed};
use crate::lesson::sizes::{Size, Sizes, listed_defaults};
use crate::source::{Diagnostic, SourceFile};

/// The files that a lesson may name.
pub struct KernelFiles<'a> {
    /// What stands before their names where they are shown: `kernels/`.
    pub folder: &'a str,
    /// Names of kernels, for messages: `softmax/naive.cu`.
    pub names: Vec<String>,
    /// The text of one; nothing if there is none, or why it is not read.
    pub read: &'a dyn Fn(&str) -> Result<Option<String>, String>,
    /// Where a file of data lies that is called so beside the lesson, or why it is not read.
    pub data: &'a dyn Fn(&str) -> Result<PathBuf, String>,
}

/// What the names in a cell may mean. Run cells are read first, wherever they stand; while they are, there are
/// none that they could speak of.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    /// The lesson's id.
    pub lesson: &'a str,
    /// The lesson's sizes.
    pub sizes: &'a [Size],
    /// Its named values.
    pub values: &'a [Arc<NamedValue>],
    /// The kernels it may name.
    pub kernels: &'a KernelFiles<'a>,
    /// Ids of its run cells, those among them that do not read.
    pub run_ids: Vec<&'a str>,
    /// The run cells that read.
    pub runs: &'a [RunCell],
    /// Where mistakes go.
    pub findings: &'a Findings,
}

impl<'a> Scope<'a> {
    /// Names of the sizes.
    pub fn size_names(&self) -> impl Iterator<Item = &'a str> {
        self.sizes.iter().map(|size| size.name.as_str())
    }

    /// Names that formulas may use: of sizes and values.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let values = self.values.iter().map(|value| value.name.as_str());
        self.size_names().chain(values)
    }

    /// Sizes that take listed values, at their defaults.
    pub fn defaults(&self) -> Sizes {
        listed_defaults(self.sizes)
    }

    /// The formula, after complaints about names in it that are no sizes.
    pub fn formula(&self, formula: Placed<Formula>) -> Formula {
        check_names(&formula, self.names(), self.findings);
        formula.value
    }

    /// The same of several.
    pub fn formulas(&self, formulas: Vec<Placed<Formula>>) -> Vec<Formula> {
        let formulas = formulas.into_iter();
        formulas.map(|formula| self.formula(formula)).collect()
    }

    /// The run cell called so; nothing, too, where it has mistakes of its own.
    pub fn run(&self, id: &Placed<String>) -> Option<&'a RunCell> {
        if !self.run_ids.contains(&id.value.as_str()) {
            let message = format!("there is no run cell `{}`", id.value);
            let ids = self.run_ids.iter().copied();
            return self.findings.unknown(id, message, ids);
        }
        // One that is named and did not read has its own diagnostics: a second one would mislead.
        self.runs.iter().find(|run| run.id == id.value)
    }

    /// The measure called so.
    pub fn measure(&self, name: &Placed<String>) -> Option<Measure> {
        Measure::from_name(&name.value).or_else(|| {
            let message = format!("`{}` is not something that is counted", name.value);
            self.findings.unknown(name, message, Measure::names())
        })
    }

    /// The kernel file called so.
    pub fn kernel_file(&self, name: &Placed<String>) -> Option<SourceFile> {
        let text = match (self.kernels.read)(&name.value) {
            Ok(text) => text.or_else(|| {
                let message = format!("there is no kernel file `{}`", name.value);
                let names = self.kernels.names.iter().map(String::as_str);
                self.findings.unknown(name, message, names)
            }),
            Err(why) => self.not_read(name, why),
        };
        Some(SourceFile::new(
            &format!("{}{}", self.kernels.folder, name.value),
            &text?,
        ))
    }

    /// Where the file of data called so lies.
    pub fn data_file(&self, name: &Placed<String>) -> Option<PathBuf> {
        match (self.kernels.data)(&name.value) {
            Ok(path) => Some(path),
            Err(why) => self.not_read(name, why),
        }
    }

    fn not_read<T>(&self, name: &Placed<String>, why: String) -> Option<T> {
        let help = "a lesson reads regular files in its own folder and in the `kernels` beside it: copy the file there";
        self.findings
            .add(Diagnostic::error(name.span, why).help(help));
        None
    }
}

/// Complains about names in `formula` that are not among `names`.
pub(crate) fn check_names<'n>(
    formula: &Placed<Formula>,
    names: impl Iterator<Item = &'n str>,
    findings: &Findings,
) {
    let names: Vec<&str> = names.collect();
    let used = formula.value.names().into_iter();
    for name in used.filter(|name| !names.contains(name)) {
        let message = format!("`{name}` is not a size of this lesson");
        let unknown = Placed {
            value: name.to_owned(),
            span: formula.span,
        };
        let _: Option<()> = findings.unknown(&unknown, message, names.iter().copied());
    }
}
