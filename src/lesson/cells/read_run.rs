//! The TOML of a run cell to a [`RunCell`]: every name in it is looked up here.

use super::quote::one_of;
use super::scope::{Subjects, check_sizes};
use crate::engine::{reference, reference_names};
use crate::launch::{ElementType, Evidence, Init, Operation};
use crate::lesson::parse::KernelFiles;
use crate::lesson::reader::{Findings, Placed, Table};
use crate::lesson::sizes::listed_defaults;
use crate::lesson::{
    ArgumentTemplate, BaselineTemplate, BufferTemplate, Formula, FormulaCheck, InitTemplate,
    LaunchTemplate, RunCell, Size, VerifyTemplate,
};
use crate::source::{Diagnostic, SourceFile, Span};

/// What names in a cell may mean.
struct Scope<'a> {
    /// Of sizes and values.
    names: Vec<&'a str>,
    buffers: Vec<String>,
}

/// The cell, if what it needs is there; what is wrong goes to `findings`.
pub(crate) fn read_run_cell(
    id: &str,
    head: Span,
    mut table: Table,
    sizes: &[Size],
    kernels: &KernelFiles,
    findings: &mut Findings,
) -> Option<RunCell> {
    table.span = head;
    let values = table.values().iter().map(|value| value.name.as_str());
    let sizes_named = sizes.iter().map(|size| size.name.as_str());
    let mut scope = Scope {
        names: sizes_named.chain(values).collect(),
        buffers: Vec::new(),
    };
    let title = table.string("title", findings);
    let source = table.string("source", findings);
    let buffers = table.tables("buffers", "a buffer", true, findings);
    let launches = table.tables("launches", "a launch", true, findings);
    let formulas = table.optional_table("formulas", "the list of formulas", findings);
    let verify = table.optional_table("verify", "`verify`", findings);
    let baselines = table.tables("baselines", "a baseline", false, findings);
    let taps = table.optional_strings("taps", findings);
    table.finish(findings);

    let source = source.and_then(|source| find_source(&source, kernels, findings));
    let buffers = buffers
        .into_iter()
        .filter_map(|table| read_buffer(table, &mut scope, findings))
        .collect();
    let launches = launches
        .into_iter()
        .filter_map(|table| read_launch(table, &scope, findings))
        .collect();
    let formulas = formulas.map(|table| read_formulas(table, &scope, findings));
    let verify = verify.and_then(|table| read_verify(table, &scope, findings));
    let baselines = baselines
        .into_iter()
        .filter_map(|table| read_baseline(table, &scope, findings))
        .collect();
    Some(RunCell {
        id: id.to_owned(),
        title: title?.value,
        source: source?,
        buffers,
        launches,
        choices: listed_defaults(sizes),
        formulas: formulas.unwrap_or_default(),
        verify,
        baselines,
        taps: taps.into_iter().map(|tap| tap.value).collect(),
    })
}

/// The kernel file called so.
pub(crate) fn find_source(
    name: &Placed<String>,
    kernels: &KernelFiles,
    findings: &mut Findings,
) -> Option<SourceFile> {
    let text = (kernels.read)(&name.value);
    if text.is_none() {
        let names: Vec<&str> = kernels.names.iter().map(String::as_str).collect();
        let message = format!("there is no kernel file `{}`", name.value);
        findings.add(Diagnostic::error(name.span, message).help(one_of(&name.value, &names)));
    }
    Some(SourceFile::new(&format!("kernels/{}", name.value), &text?))
}

fn read_buffer(
    mut table: Table,
    scope: &mut Scope,
    findings: &mut Findings,
) -> Option<BufferTemplate> {
    let name = table.string("name", findings);
    let element = table.string("type", findings);
    let shape = table.formulas("shape", findings);
    let init = table.string("init", findings);
    if let Some(name) = &name {
        let taken = scope.buffers.contains(&name.value);
        if taken || scope.names.contains(&name.value.as_str()) {
            let mut values = table.values().iter();
            let what = match values.any(|value| value.name == name.value) {
                _ if taken => "buffer",
                true => "value",
                false => "size",
            };
            let message = format!("there is a {what} `{}` already", name.value);
            findings.add(Diagnostic::error(name.span, message));
        }
        scope.buffers.push(name.value.clone());
    }
    let element = element.and_then(|name| {
        let element = ElementType::from_name(&name.value);
        if element.is_none() {
            let names: Vec<&str> = ElementType::names().collect();
            let message = format!("`{}` is not a type of elements", name.value);
            findings.add(Diagnostic::error(name.span, message).help(one_of(&name.value, &names)));
        }
        element
    });
    let init = init.and_then(|init| read_init(&table, &init, scope, findings));
    table.finish(findings);
    let shape = shape?.value;
    for formula in &shape {
        scope.check(formula, findings);
    }
    Some(BufferTemplate {
        name: name?.value,
        element: element?,
        shape: shape.into_iter().map(|formula| formula.value).collect(),
        init: init?,
    })
}

/// `normal:1` or `rope_cos:D/2`: a content, and behind the colon a formula where it takes a number.
fn read_init(
    table: &Table,
    init: &Placed<String>,
    scope: &Scope,
    findings: &mut Findings,
) -> Option<InitTemplate> {
    let numbered = init.value.split_once(':').map(|(name, _)| name);
    if let Some(name) = numbered.filter(|name| Init::with_number(name, 1).is_some()) {
        let number = table.formula_from(init, name.len() + 1, table.values(), findings)?;
        scope.check(&number, findings);
        return Some(InitTemplate::Numbered(name.to_owned(), number.value));
    }
    match Init::parse(&init.value) {
        Ok(value) => Some(InitTemplate::Fixed(value)),
        Err(error) => {
            findings.add(Diagnostic::error(init.span, error.to_string()));
            None
        }
    }
}

fn read_launch(mut table: Table, scope: &Scope, findings: &mut Findings) -> Option<LaunchTemplate> {
    let kernel = table.string("kernel", findings);
    let grid = table.formulas("grid", findings);
    let block = table.formulas("block", findings);
    let shared = table.optional_formula("shared", findings);
    let arguments = table.strings("arguments", findings);
    let arguments = arguments.map(|arguments| {
        let arguments = arguments.iter();
        let read = arguments.filter_map(|argument| scope.argument(&table, argument, findings));
        read.collect::<Vec<_>>()
    });
    table.finish(findings);
    let grid = grid.and_then(|grid| scope.dimensions(grid, findings));
    let block = block.and_then(|block| scope.dimensions(block, findings));
    if let Some(shared) = &shared {
        scope.check(shared, findings);
    }
    Some(LaunchTemplate {
        kernel: kernel?.value,
        grid: grid?,
        block: block?,
        shared_bytes: shared.map_or_else(|| Formula::constant(0), |shared| shared.value),
        arguments: arguments?,
    })
}

fn read_baseline(
    mut table: Table,
    scope: &Scope,
    findings: &mut Findings,
) -> Option<BaselineTemplate> {
    let name = table.string("operation", findings);
    let sizes = table.formulas("sizes", findings);
    table.finish(findings);
    for size in sizes.iter().flat_map(|sizes| &sizes.value) {
        scope.check(size, findings);
    }
    let (name, sizes) = (name?, sizes?);
    let Some(operation) = Operation::from_name(&name.value) else {
        let names: Vec<&str> = Operation::names().collect();
        let message = format!("there is no baseline `{}`", name.value);
        findings.add(Diagnostic::error(name.span, message).help(one_of(&name.value, &names)));
        return None;
    };
    let (takes, found) = (operation.size_names(), sizes.value.len());
    if takes.len() != found {
        let message = format!(
            "`{}` takes {} sizes, not {found}",
            operation.name(),
            takes.len()
        );
        let help = format!("they are {}", takes.join(", "));
        findings.add(Diagnostic::error(sizes.span, message).help(help));
    }
    Some(BaselineTemplate {
        operation,
        sizes: sizes.value.into_iter().map(|size| size.value).collect(),
    })
}

fn read_formulas(table: Table, scope: &Scope, findings: &mut Findings) -> Vec<FormulaCheck> {
    let mut checks = Vec::new();
    for (name, formula) in table.formulas_by_key(findings) {
        scope.check(&formula, findings);
        let Some(measure) = Subjects::measure(&name, findings) else {
            continue;
        };
        if measure.evidence() != Evidence::Counted {
            let message = format!("{} are modelled: no formula has to equal them", name.value);
            findings.add(Diagnostic::error(name.span, message));
        }
        checks.push(FormulaCheck {
            measure,
            formula: formula.value,
        });
    }
    checks
}

fn read_verify(mut table: Table, scope: &Scope, findings: &mut Findings) -> Option<VerifyTemplate> {
    let buffer = table.string("buffer", findings);
    let against = table.string("against", findings);
    let inputs = table.strings("inputs", findings);
    let sizes = table.formulas("sizes", findings);
    let tolerance = table.number("tolerance", findings);
    let per = table.optional_formula("per", findings);
    table.finish(findings);
    let inputs = inputs?;
    for name in buffer.iter().chain(&inputs) {
        scope.check_buffer(name, findings);
    }
    let (against, sizes) = (against?, sizes?);
    for formula in sizes.value.iter().chain(&per) {
        scope.check(formula, findings);
    }
    check_reference(&against, inputs.len(), &sizes, findings);
    Some(VerifyTemplate {
        buffer: buffer?.value,
        against: against.value,
        inputs: inputs.into_iter().map(|input| input.value).collect(),
        sizes: sizes.value.into_iter().map(|size| size.value).collect(),
        tolerance: tolerance?,
        per: per.map(|per| per.value),
    })
}

/// Complains about a reference that there is not, or that takes other than so many inputs and those sizes.
fn check_reference(
    against: &Placed<String>,
    inputs: usize,
    sizes: &Placed<Vec<Placed<Formula>>>,
    findings: &mut Findings,
) {
    let Some(reference) = reference(&against.value) else {
        let names: Vec<&str> = reference_names().collect();
        let message = format!("there is no reference `{}`", against.value);
        let help = one_of(&against.value, &names);
        return findings.add(Diagnostic::error(against.span, message).help(help));
    };
    let (takes, given) = (
        (reference.inputs, reference.sizes),
        (inputs, sizes.value.len()),
    );
    if takes != given {
        let message = format!(
            "`{}` takes {} inputs and {} sizes, not {} and {}",
            reference.name, takes.0, takes.1, given.0, given.1
        );
        findings.add(Diagnostic::error(sizes.span, message));
    }
}

impl Scope<'_> {
    /// Complains about names in `formula` that are no sizes.
    fn check(&self, formula: &Placed<Formula>, findings: &mut Findings) {
        check_sizes(formula, &self.names, findings);
    }

    fn check_buffer(&self, name: &Placed<String>, findings: &mut Findings) {
        if !self.buffers.contains(&name.value) {
            let names: Vec<&str> = self.buffers.iter().map(String::as_str).collect();
            let message = format!("there is no buffer `{}`", name.value);
            let help = one_of(&name.value, &names);
            findings.add(Diagnostic::error(name.span, message).help(help));
        }
    }

    /// An argument is a buffer, a formula over the sizes, or a number of another kind.
    fn argument(
        &self,
        table: &Table,
        argument: &Placed<String>,
        findings: &mut Findings,
    ) -> Option<ArgumentTemplate> {
        let read = ArgumentTemplate::read(&argument.value, &self.buffers, table.values());
        let message = match read {
            Ok(ArgumentTemplate::Formula(formula)) => {
                let known = |name: &&str| self.names.contains(name);
                if formula.names().iter().all(known) {
                    return Some(ArgumentTemplate::Formula(formula));
                }
                format!("`{}` is neither a buffer nor a size", argument.value)
            }
            Ok(template) => return Some(template),
            Err(error) => format!("this is neither a buffer nor a formula nor a number: {error}"),
        };
        let names = self.buffers.iter().map(String::as_str);
        let names: Vec<&str> = names.chain(self.names.iter().copied()).collect();
        let help = one_of(&argument.value, &names);
        findings.add(Diagnostic::error(argument.span, message).help(help));
        None
    }

    /// Up to three formulas, filled up with 1.
    fn dimensions(
        &self,
        formulas: Placed<Vec<Placed<Formula>>>,
        findings: &mut Findings,
    ) -> Option<[Formula; 3]> {
        for formula in &formulas.value {
            self.check(formula, findings);
        }
        if !(1..=3).contains(&formulas.value.len()) {
            let message = "one to three numbers are expected here: x, y and z";
            findings.add(Diagnostic::error(formulas.span, message));
            return None;
        }
        let mut dimensions = formulas.value.into_iter().map(|formula| formula.value);
        let mut next = || dimensions.next().unwrap_or_else(|| Formula::constant(1));
        Some([next(), next(), next()])
    }
}
