//! The TOML of a run cell to a [`RunCell`]: every name in it is looked up here.

use super::first_look::{FirstLook, FirstView};
use super::gutter_metric::GutterMetric;
use super::run::{
    ArgumentTemplate, BaselineTemplate, BoxTemplate, BufferTemplate, FormulaCheck, InitTemplate,
    LaunchTemplate, RunCell, VerifyTemplate,
};
use super::scope::Scope;
use crate::engine::{reference, reference_names};
use crate::launch::{ElementType, Evidence, Init, Number, Operation, Value};
use crate::lesson::formula::{ConstantTemplate, Formula};
use crate::lesson::reader::{Placed, Table, TomlText};
use crate::source::{Diagnostic, SourceFile, Span, is_python};
use crate::triton::USUAL_WARPS;

/// What `read` makes of the tables; those with mistakes, which it has reported, are left out.
fn each<T>(tables: Vec<Table>, read: impl FnMut(Table) -> Option<T>) -> Vec<T> {
    tables.into_iter().filter_map(read).collect()
}

/// The cell, if what it needs is there.
pub(crate) fn read_run_cell(id: &str, mut table: Table, scope: &Scope) -> Option<RunCell> {
    let baselines = table.optional_tables("baselines", "a baseline");
    let line: Option<Placed<u64>> = table.optional("line");
    let run = read_run(id, &mut table, scope);
    table.finish();
    let baselines = each(baselines, |table| read_baseline(table, scope));
    let source = run.as_ref().map(|run| &run.source);
    let line = read_line(line, source, scope);
    let run = run?;
    Some(RunCell {
        baselines,
        first_look: FirstLook {
            line,
            ..run.first_look
        },
        ..run
    })
}

/// What a run cell and an exercise have in common; the other keys of the table are left.
pub(super) fn read_run(id: &str, table: &mut Table, scope: &Scope) -> Option<RunCell> {
    let title = table.required("title");
    let source: Option<Placed<String>> = table.required("source");
    let mut names = RunNames {
        scope,
        buffers: Vec::new(),
        is_python: source.as_ref().is_some_and(|file| is_python(&file.value)),
    };
    let buffers = table.required_tables("buffers", "a buffer");
    let launches = table.required_tables("launches", "a launch");
    let formulas = table.optional_table("formulas", "the list of formulas");
    let verify = table.optional_table("verify", "`verify`");
    let taps = table.optional("taps").unwrap_or_default();
    let first_look = read_first_look(table, scope);

    let source = source.and_then(|source| scope.kernel_file(&source));
    // Buffers first: the others speak of them.
    let buffers = each(buffers, |table| names.read_buffer(table));
    let launches = each(launches, |table| names.read_launch(table));
    Some(RunCell {
        id: id.to_owned(),
        buffers,
        symbols: Vec::new(),
        launches,
        choices: scope.defaults(),
        formulas: formulas.map_or_else(Vec::new, |table| read_formulas(table, scope)),
        verify: verify.and_then(|table| names.read_verify(table)),
        baselines: Vec::new(),
        taps,
        first_look,
        title: title?,
        source: source?,
    })
}

/// What the cell shows first, of what is named.
fn read_first_look(table: &mut Table, scope: &Scope) -> FirstLook {
    let view: Option<Placed<String>> = table.optional("view");
    let margin: Option<Placed<String>> = table.optional("margin");
    FirstLook {
        view: view.and_then(|name| {
            FirstView::from_name(&name.value).or_else(|| {
                let message = format!("`{}` is not a view of a run", name.value);
                scope.findings.unknown(&name, message, FirstView::names())
            })
        }),
        margin: margin.and_then(|name| {
            GutterMetric::from_name(&name.value).or_else(|| {
                let message = format!("the margin has no `{}`", name.value);
                let names = GutterMetric::all().map(GutterMetric::name);
                scope.findings.unknown(&name, message, names)
            })
        }),
        line: None,
    }
}

/// A line of the source, if it is named and the source has it.
fn read_line(line: Option<Placed<u64>>, file: Option<&SourceFile>, scope: &Scope) -> Option<u32> {
    let (line, file) = (line?, file?);
    let lines = file.text().lines().count() as u64;
    if (1..=lines).contains(&line.value) {
        return u32::try_from(line.value).ok();
    }
    let message = format!("`{}` has no line {}", file.name(), line.value);
    let help = format!("its lines are 1 to {lines}");
    let error = Diagnostic::error(line.span, message).help(help);
    scope.findings.add(error);
    None
}

/// What names in a run cell may mean.
struct RunNames<'a> {
    scope: &'a Scope<'a>,
    /// Names of its buffers.
    buffers: Vec<String>,
    /// Whether its kernels are Triton's.
    is_python: bool,
}

impl RunNames<'_> {
    fn read_buffer(&mut self, mut table: Table) -> Option<BufferTemplate> {
        let name: Option<Placed<String>> = table.required("name");
        let element: Option<Placed<String>> = table.required("type");
        let shape = table.required("shape");
        let init: Option<Placed<String>> = table.required("init");
        // Known even if the rest is wrong: an argument that names it is not to be reported as well.
        if let Some(name) = &name {
            self.add_buffer(name);
        }
        let element: Option<ElementType> = element.and_then(|name| {
            ElementType::from_name(&name.value).or_else(|| {
                let message = format!("`{}` is not a type of elements", name.value);
                let findings = self.scope.findings;
                findings.unknown(&name, message, ElementType::names())
            })
        });
        let init = init.and_then(|init| read_init(&table.text, &init, element?, self.scope));
        table.finish();
        Some(BufferTemplate {
            shape: self.scope.formulas(shape?),
            name: name?.value,
            element: element?,
            init: init?,
        })
    }

    /// Formulas name sizes and values, arguments name them and buffers: the names have to differ.
    fn add_buffer(&mut self, name: &Placed<String>) {
        let is = |other: &str| other == name.value;
        let what = if self.buffers.contains(&name.value) {
            Some("buffer")
        } else if self.scope.values.iter().any(|value| is(&value.name)) {
            Some("value")
        } else {
            self.scope.size_names().any(is).then_some("size")
        };
        if let Some(what) = what {
            let message = format!("there is a {what} `{}` already", name.value);
            self.scope.findings.error(name.span, message);
        }
        self.buffers.push(name.value.clone());
    }

    fn read_launch(&self, mut table: Table) -> Option<LaunchTemplate> {
        let kernel = table.required("kernel");
        let grid = table.required("grid");
        let block = match self.is_python {
            true => self.read_warps(&mut table),
            false => {
                let block = table.required("block");
                block.and_then(|block| self.dimensions(block))
            }
        };
        let meta = match self.is_python {
            true => table.optional_table("meta", "the constants of a launch"),
            false => None,
        };
        let shared = table.optional("shared");
        let when = table.optional("when");
        let arguments: Option<Vec<Placed<String>>> = table.required("arguments");
        table.finish();
        let grid = grid.and_then(|grid| self.dimensions(grid));
        let shared = shared.map(|shared| self.scope.formula(shared));
        let arguments = arguments?.into_iter();
        Some(LaunchTemplate {
            arguments: arguments
                .filter_map(|argument| self.argument(&argument))
                .collect(),
            kernel: kernel?,
            grid: grid?,
            block: block?,
            shared_bytes: shared.unwrap_or_else(|| Formula::constant(0)),
            when: when.map(|when| self.scope.formula(when)),
            meta: meta.map_or_else(Vec::new, |meta| self.read_meta(meta)),
        })
    }

    /// Warps per program as threads of a block: 4 where nothing is said, as in Triton.
    fn read_warps(&self, table: &mut Table) -> Option<[Formula; 3]> {
        let one = || Formula::constant(1);
        let warps: Option<Placed<Formula>> = table.optional("warps");
        let threads = match warps {
            None => Formula::constant(u64::from(USUAL_WARPS) * 32),
            Some(warps) => {
                let text = format!("32*({})", self.scope.formula(warps).text());
                // Nothing new can be wrong with it.
                Formula::parse_with(&text, self.scope.values).ok()?
            }
        };
        Some([threads, one(), one()])
    }

    /// Constants, by name.
    fn read_meta(&self, table: Table) -> Vec<(String, ConstantTemplate)> {
        let entries: Vec<(Placed<String>, Placed<ConstantTemplate>)> = table.entries();
        let constants = entries.into_iter().map(|(name, constant)| {
            let span = constant.span;
            let constant = match constant.value {
                ConstantTemplate::Formula(value) => {
                    ConstantTemplate::Formula(self.scope.formula(Placed { value, span }))
                }
                a_type => a_type,
            };
            (name.value, constant)
        });
        constants.collect()
    }

    /// Up to three formulas, filled up with 1.
    fn dimensions(&self, formulas: Placed<Vec<Placed<Formula>>>) -> Option<[Formula; 3]> {
        let count = formulas.value.len();
        let mut formulas_checked = self.scope.formulas(formulas.value);
        if !(1..=3).contains(&count) {
            let message = "one to three numbers are expected here: x, y and z";
            self.scope.findings.error(formulas.span, message);
            return None;
        }
        // As in CUDA: `dim3(8)` is 8 by 1 by 1.
        formulas_checked.resize(3, Formula::constant(1));
        formulas_checked.try_into().ok()
    }

    /// An argument is a buffer, a formula over the sizes, or a number of another kind.
    fn argument(&self, argument: &Placed<String>) -> Option<ArgumentTemplate> {
        let text = &argument.value;
        // Buffers first: no size or value may have the name of one.
        if let Some(buffer) = self.buffers.iter().position(|buffer| buffer == text) {
            return Some(ArgumentTemplate::Buffer(buffer));
        }
        if let Some(map) = text.strip_prefix("map:") {
            return self.tensor_map(map, argument);
        }
        let formula = Formula::parse_with(text, self.scope.values);
        let message = match formula {
            Ok(formula) => {
                let is_known = |name: &&str| self.scope.names().any(|known| known == *name);
                if formula.names().iter().all(is_known) {
                    return Some(ArgumentTemplate::Formula(formula));
                }
                format!("`{text}` is neither a buffer nor a size")
            }
            Err(error) => {
                // Formulas have whole numbers from 0 only; a kernel may take `-1` or `0.5`.
                if let Some(number) = signed_or_decimal(text) {
                    return Some(ArgumentTemplate::Number(number));
                }
                format!("this is neither a buffer nor a formula nor a number: {error}")
            }
        };
        let buffers = self.buffers.iter().map(String::as_str);
        let names = buffers.chain(self.scope.names());
        self.scope.findings.unknown(argument, message, names)
    }

    /// `a:128x64`: boxes of 128 rows of 64 elements of a buffer.
    fn tensor_map(&self, map: &str, argument: &Placed<String>) -> Option<ArgumentTemplate> {
        let (name, extents) = map.split_once(':').unwrap_or((map, ""));
        let Some(buffer) = self.buffers.iter().position(|buffer| buffer == name) else {
            let message = format!("there is no buffer `{name}`");
            let buffers = self.buffers.iter().map(String::as_str);
            return self.scope.findings.unknown(argument, message, buffers);
        };
        let extents = extents.split_once('x');
        let extents = extents.and_then(|(rows, columns)| {
            let extent = |text: &str| text.parse().ok().filter(|of| (1..=256).contains(of));
            Some((extent(rows)?, extent(columns)?))
        });
        let Some((rows, columns)) = extents else {
            let message =
                "a tensor map is `map:BUFFER:ROWSxCOLUMNS`, with at most 256 of each in a box";
            self.scope.findings.error(argument.span, message);
            return None;
        };
        Some(ArgumentTemplate::TensorMap(BoxTemplate {
            buffer,
            rows,
            columns,
        }))
    }

    fn read_verify(&self, mut table: Table) -> Option<VerifyTemplate> {
        let buffer: Option<Placed<String>> = table.required("buffer");
        let against: Option<Placed<String>> = table.required("against");
        let inputs: Option<Vec<Placed<String>>> = table.required("inputs");
        let sizes = table.required("sizes");
        let tolerance = table.required("tolerance");
        let per = table.optional("per");
        table.finish();
        let inputs = inputs?;
        for name in buffer.iter().chain(&inputs) {
            self.check_buffer(name);
        }
        let (against, sizes): (_, Placed<Vec<_>>) = (against?, sizes?);
        let sizes = Placed {
            value: self.scope.formulas(sizes.value),
            span: sizes.span,
        };
        self.check_reference(&against, inputs.len(), &sizes);
        Some(VerifyTemplate {
            buffer: buffer?.value,
            against: against.value,
            inputs: inputs.into_iter().map(|input| input.value).collect(),
            sizes: sizes.value,
            tolerance: tolerance?,
            per: per.map(|per| self.scope.formula(per)),
        })
    }

    fn check_buffer(&self, name: &Placed<String>) {
        if !self.buffers.contains(&name.value) {
            let message = format!("there is no buffer `{}`", name.value);
            let buffers = self.buffers.iter().map(String::as_str);
            let _: Option<()> = self.scope.findings.unknown(name, message, buffers);
        }
    }

    /// Complains about a reference that there is not, or that takes other than so many inputs and those sizes.
    fn check_reference(
        &self,
        against: &Placed<String>,
        inputs: usize,
        sizes: &Placed<Vec<Formula>>,
    ) -> Option<()> {
        let findings = self.scope.findings;
        let Some(reference) = reference(&against.value) else {
            let message = format!("there is no reference `{}`", against.value);
            return findings.unknown(against, message, reference_names());
        };
        let count = sizes.value.len();
        if (reference.inputs, reference.sizes) != (inputs, count) {
            let message = format!(
                "`{}` takes {} inputs and {} sizes, not {inputs} and {count}",
                reference.name, reference.inputs, reference.sizes
            );
            findings.error(sizes.span, message);
        }
        Some(())
    }
}

/// What a buffer of such elements begins with: a content such as `normal:1`, or listed values.
pub(super) fn read_init(
    text: &TomlText,
    init: &Placed<String>,
    element: ElementType,
    scope: &Scope,
) -> Option<InitTemplate> {
    match init.value.strip_prefix("values:") {
        Some(values) => listed(element, values, init.span, scope),
        None => read_content(text, init, scope),
    }
}

/// `values:1,1,-inf`: the elements from the first on, with zeros behind them.
fn listed(element: ElementType, values: &str, span: Span, scope: &Scope) -> Option<InitTemplate> {
    let mut bytes = Vec::new();
    for text in values.split(',').map(str::trim) {
        // A double holds every integer of 32 bits, and lists are written by hand.
        let value: Option<f64> = text.parse().ok();
        let Some(value) = value.filter(|value| element.is_float() || value.fract() == 0.0) else {
            let message = format!("`{text}` is not a value of type {}", element.name());
            scope.findings.error(span, message);
            return None;
        };
        let bits = element.bits(Value::Float(value)).to_le_bytes();
        bytes.extend(&bits[..element.size_bytes()]);
    }
    Some(InitTemplate::Fixed(Init::Listed(bytes)))
}

/// `normal:1` or `rope_cos:D/2`: a content, and behind the colon a formula where it takes a number.
fn read_content(text: &TomlText, init: &Placed<String>, scope: &Scope) -> Option<InitTemplate> {
    let name = init.value.split_once(':').map(|(name, _)| name);
    // Any number tells whether this content takes one at all.
    if let Some(name) = name.filter(|name| Init::with_number(name, 1).is_some()) {
        let number = text.formula(init, name.len() + 1)?;
        let number = scope.formula(number);
        return Some(InitTemplate::Numbered(name.to_owned(), number));
    }
    match Init::parse(&init.value) {
        Ok(Init::Npy(_)) => {
            let path = scope.data_file(init)?;
            Some(InitTemplate::Fixed(Init::Npy(path)))
        }
        Ok(value) => Some(InitTemplate::Fixed(value)),
        Err(error) => {
            scope.findings.error(init.span, error.to_string());
            None
        }
    }
}

/// A number that is no formula, having a sign, a fraction or an exponent: `-1`, `0.5`, `1e-6`.
fn signed_or_decimal(text: &str) -> Option<Number> {
    let begins = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    // Rust also reads `inf` and `nan`, which no kernel is given by a lesson.
    let text = Some(text.trim()).filter(|text| text.starts_with(begins))?;
    let float = || Some(text.parse().ok()?).filter(|float: &f64| float.is_finite());
    let integer = text.parse().ok().map(Number::Integer);
    integer.or_else(|| float().map(Number::Float))
}

fn read_baseline(mut table: Table, scope: &Scope) -> Option<BaselineTemplate> {
    let name: Option<Placed<String>> = table.required("operation");
    // Triton's own code has the sizes of the cell.
    let sizes: Option<Placed<Vec<_>>> = table.optional("sizes");
    let when = table.optional("when");
    table.finish();
    let name = name?;
    let (sizes, span) = sizes.map_or_else(
        || (Vec::new(), name.span),
        |sizes| (scope.formulas(sizes.value), sizes.span),
    );
    let operation = Operation::from_name(&name.value).or_else(|| {
        let message = format!("there is no baseline `{}`", name.value);
        scope.findings.unknown(&name, message, Operation::names())
    })?;
    let takes = operation.size_names();
    if takes.len() != sizes.len() {
        let (name, expected) = (operation.name(), takes.len());
        let message = format!("`{name}` takes {expected} sizes, not {}", sizes.len());
        let help = format!("they are {}", takes.join(", "));
        scope
            .findings
            .add(Diagnostic::error(span, message).help(help));
    }
    Some(BaselineTemplate {
        operation,
        sizes,
        when: when.map(|when| scope.formula(when)),
    })
}

fn read_formulas(table: Table, scope: &Scope) -> Vec<FormulaCheck> {
    let check = |(name, formula): (Placed<String>, Placed<Formula>)| {
        let formula = scope.formula(formula);
        let measure = scope.measure(&name)?;
        // A model of caches is right within some per cent: a formula that has to equal it would fail for no reason.
        if measure.evidence() != Evidence::Counted {
            let message = format!(
                "{} are modelled, so no formula has to equal them",
                name.value
            );
            scope.findings.error(name.span, message);
        }
        Some(FormulaCheck { measure, formula })
    };
    table.entries().into_iter().filter_map(check).collect()
}
