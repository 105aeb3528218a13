//! What goes into a kernel's run and comes out of it besides its arguments: variables that are set, buffers that are
//! written, and buffers that are held against files.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::output::{Output, Stop};
use crate::compile::Compiled;
use crate::document::thousands;
use crate::engine::{Verified, compare_with};
use crate::ir::{Kernel, ParameterType, Symbol};
use crate::launch::{BufferSpec, BufferValues, ElementType, Init, Number, Outcome, Value};
use crate::runtime::write_file;
use crate::source::nearest;

/// Options about variables of the file and about buffers.
#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Set a variable of the file, `__constant__` or `__device__`, before the kernel runs: to numbers with commas
    /// between them, to a .npy file, or to what a buffer may begin with, such as `ramp`. May be given several times.
    #[arg(long = "symbol", value_name = "NAME=VALUES", value_parser = named)]
    pub symbols: Vec<(String, String)>,
    /// Write a buffer to a .npy file after the run, by the name of its parameter or variable; may be given several times.
    #[arg(long, value_name = "NAME=FILE.npy", value_parser = output)]
    pub out: Vec<(String, PathBuf)>,
    /// Compare a buffer with a .npy file after the run: every element may differ by TOLERANCE, 0 if none is given.
    /// May be given several times.
    #[arg(long, value_name = "NAME=FILE.npy[:TOLERANCE]", value_parser = expectation)]
    pub expect: Vec<Expectation>,
}

/// What a buffer should hold in the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expectation {
    name: String,
    file: PathBuf,
    tolerance: f64,
}

/// `NAME=REST`.
fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() && !rest.is_empty() => {
            Ok((name.trim().to_owned(), rest.to_owned()))
        }
        _ => Err("expected NAME=VALUES, such as weights=0.25,0.5,0.25 or weights=w.npy".to_owned()),
    }
}

/// `NAME=FILE.npy`.
fn output(text: &str) -> Result<(String, PathBuf), String> {
    match named(text) {
        Ok((name, file)) if file.ends_with(".npy") => Ok((name, file.into())),
        _ => Err("expected NAME=FILE.npy, such as y=y.npy".to_owned()),
    }
}

/// `NAME=FILE.npy` or `NAME=FILE.npy:TOLERANCE`.
fn expectation(text: &str) -> Result<Expectation, String> {
    let expected =
        || "expected NAME=FILE.npy or NAME=FILE.npy:TOLERANCE, such as y=y.npy:1e-6".to_owned();
    let (name, rest) = named(text).map_err(|_| expected())?;
    // A path may have colons: the tolerance stands behind the last one.
    let (file, tolerance) = match rest.rsplit_once(':') {
        Some((file, tolerance)) if file.ends_with(".npy") => (file, tolerance),
        _ => (rest.as_str(), "0"),
    };
    let tolerance: f64 = tolerance.parse().map_err(|_| expected())?;
    if !file.ends_with(".npy") || tolerance.is_nan() || tolerance < 0.0 {
        return Err(expected());
    }
    Ok(Expectation {
        name,
        file: file.into(),
        tolerance,
    })
}

/// What [`DataArguments`] mean for a file that is compiled, and for the buffers of a plan: names looked up, and files
/// read before anything runs.
pub(crate) struct Data<'a> {
    arguments: &'a DataArguments,
    /// What variables begin with.
    pub symbols: Vec<BufferSpec>,
    /// What buffers should hold, with the tolerance, in the order of the arguments.
    expected: Vec<(BufferValues, &'a Expectation)>,
}

/// The variables of a file: those that the command line sets, and those that a run gives back.
#[derive(Default)]
pub(crate) struct Variables {
    /// What some begin with.
    set: Vec<BufferSpec>,
    /// Those that a kernel can write: path, type and length.
    written: Vec<(String, ElementType, usize)>,
}

impl Variables {
    /// For a launch of `kernel`; what it does not use is told by a message.
    pub fn of_kernel(
        arguments: &DataArguments,
        compiled: &Compiled,
        kernel: &Kernel,
        output: &Output,
    ) -> Result<Self, Stop> {
        let used = used(kernel, compiled);
        let set = symbols(&arguments.symbols, compiled)?;
        let unused = set
            .iter()
            .filter(|set| !used.iter().any(|of| of.path == set.name));
        for BufferSpec { name, .. } in unused {
            // A message, not an error: scripts pass the same options for several kernels.
            output.message(&format!(
                "--symbol {name}: `{}` does not use it",
                kernel.name
            ));
        }
        // No kernel can write constant memory, so there is nothing to compare or to save.
        let written = used.iter().filter(|symbol| !symbol.is_constant);
        let written = written.map(|symbol| (symbol.path.clone(), symbol.element, length(symbol)));
        Ok(Variables {
            written: written.collect(),
            set,
        })
    }
}

impl<'a> Data<'a> {
    /// For a launch over `buffers` that uses `variables`.
    pub fn new(
        arguments: &'a DataArguments,
        variables: Variables,
        buffers: &[BufferSpec],
    ) -> Result<Self, Stop> {
        let written = variables.written.iter();
        let written = written.map(|(path, element, length)| (path.as_str(), *element, *length));
        let given = buffers
            .iter()
            .map(|of| (of.name.as_str(), of.element, of.length));
        let all: Vec<(&str, ElementType, usize)> = given.chain(written).collect();
        for (name, _) in &arguments.out {
            // Looked up before the run: a misspelt name must not cost all of it.
            buffer_called("--out", name, &all)?;
        }
        let expected = arguments.expect.iter().map(|expectation| {
            let (element, length) = buffer_called("--expect", &expectation.name, &all)?;
            Ok((read(expectation, element, length)?, expectation))
        });
        Ok(Data {
            expected: expected.collect::<Result<_, Stop>>()?,
            arguments,
            symbols: variables.set,
        })
    }

    /// Holds what the run left against what it should have left.
    pub fn compare(&self, outcome: &Outcome) -> Vec<Verified> {
        let compared = self.expected.iter().filter_map(|(expected, of)| {
            let output = outcome
                .buffers
                .iter()
                .find(|buffer| buffer.name == of.name)?;
            Some(compare_with(output, expected, of.tolerance))
        });
        compared.collect()
    }

    /// Writes what the run left.
    pub fn write(&self, outcome: &Outcome, output: &Output) -> Result<(), Stop> {
        for (name, file) in &self.arguments.out {
            let found = outcome.buffers.iter().find(|buffer| buffer.name == *name);
            let Some(buffer) = found else { continue };
            let path = file.display();
            write_file(file, &buffer.to_npy(), true)
                .map_err(|error| Stop::Failed(format!("--out {name}: {path}: {error}")))?;
            let (length, element) = (thousands(buffer.len() as u64), buffer.element.name());
            output.message(&format!("{path}: {length} elements of {element}"));
        }
        Ok(())
    }
}

/// What `arguments`, names and values, set variables of a file to.
fn symbols(arguments: &[(String, String)], compiled: &Compiled) -> Result<Vec<BufferSpec>, Stop> {
    let variables: Vec<&Symbol> = compiled.symbols.iter().filter(|s| !s.is_shared).collect();
    let mut symbols: Vec<BufferSpec> = Vec::new();
    for (name, values) in arguments {
        let symbol = find(&variables, name)?;
        // By path: `w` and `lib::w` may be the same variable.
        if symbols.iter().any(|set| set.name == symbol.path) {
            return Err(Stop::Usage(format!("--symbol {name} is given twice")));
        }
        let spec = set(symbol, values);
        symbols.push(spec.map_err(|why| Stop::Usage(format!("--symbol {name}: {why}")))?);
    }
    Ok(symbols)
}

/// The variables that a kernel uses, besides those in shared memory.
fn used<'c>(kernel: &Kernel, compiled: &'c Compiled) -> Vec<&'c Symbol> {
    let parameters = kernel.parameters.iter();
    let used = parameters.filter_map(|parameter| match parameter.parameter_type {
        ParameterType::Symbol(at) => Some(&compiled.symbols[at as usize]),
        _ => None,
    });
    used.collect()
}

/// The variable called `name`, with its namespaces or, where only one is called so, without.
fn find<'c>(variables: &[&'c Symbol], name: &str) -> Result<&'c Symbol, Stop> {
    // The full path first: `w` outside of namespaces is meant, where `lib::w` exists too.
    if let Some(found) = variables.iter().find(|symbol| symbol.path == name) {
        return Ok(found);
    }
    let alike: Vec<&&Symbol> = variables.iter().filter(|s| s.name == name).collect();
    if let [only] = alike[..] {
        return Ok(only);
    }
    let names: Vec<&str> = variables.iter().map(|symbol| &*symbol.path).collect();
    Err(Stop::Usage(format!(
        "--symbol: the file has no variable `{name}` in global or constant memory{}",
        among(name, &names)
    )))
}

/// Type and length of the buffer called `name`.
fn buffer_called(
    option: &str,
    name: &str,
    all: &[(&str, ElementType, usize)],
) -> Result<(ElementType, usize), Stop> {
    if let Some((_, element, length)) = all.iter().find(|of| of.0 == name) {
        return Ok((*element, *length));
    }
    let names: Vec<&str> = all.iter().map(|of| of.0).collect();
    Err(Stop::Usage(format!(
        "{option}: the kernel has no buffer `{name}`{}",
        among(name, &names)
    )))
}

/// What else `name` may mean, as the end of a message.
fn among(name: &str, names: &[&str]) -> String {
    match (nearest(name, names.iter().copied()).first(), names) {
        (_, []) => "; there is none".to_owned(),
        (Some(guess), _) => format!("; perhaps `{guess}`"),
        (None, _) => format!("; there are {}", names.join(", ")),
    }
}

fn length(symbol: &Symbol) -> usize {
    symbol.size_bytes as usize / symbol.element.size_bytes()
}

/// What `symbol` begins with, by the text of its values.
fn set(symbol: &Symbol, values: &str) -> Result<BufferSpec, String> {
    let init = match Init::parse(values) {
        Ok(init) => init,
        Err(error) => {
            let texts: Vec<&str> = values.split(',').map(str::trim).collect();
            // `ramps` is a wrong word, `1,2,x` a list with a wrong number.
            if number(texts[0]).is_none() {
                return Err(format!("{error}; or numbers with commas between them"));
            }
            Init::Listed(listed(symbol, &texts)?)
        }
    };
    Ok(BufferSpec {
        name: symbol.path.clone(),
        element: symbol.element,
        length: length(symbol),
        init,
    })
}

/// The numbers `texts` as elements of `symbol`.
fn listed(symbol: &Symbol, texts: &[&str]) -> Result<Vec<u8>, String> {
    let (element, wanted) = (symbol.element, length(symbol));
    if texts.len() != wanted {
        let (given, element) = (texts.len(), element.name());
        return Err(format!(
            "it has {wanted} elements of {element}, but {given} values are given"
        ));
    }
    let mut bytes = Vec::with_capacity(symbol.size_bytes as usize);
    for text in texts {
        let fits = number(text).and_then(|number| match number {
            Number::Float(float) => element.is_float().then_some(Value::Float(float)),
            Number::Integer(integer) => {
                let value = Value::Integer(integer);
                // There and back: 300 for a `u8` must be refused, not wrapped.
                let is_exact = element.value(element.bits(value)) == value;
                (element.is_float() || is_exact).then_some(value)
            }
        });
        let value =
            fits.ok_or_else(|| format!("`{text}` is not a value of type {}", element.name()))?;
        bytes.extend(&element.bits(value).to_le_bytes()[..element.size_bytes()]);
    }
    Ok(bytes)
}

/// An integer or a decimal number.
fn number(text: &str) -> Option<Number> {
    // An integer first: 2^53 + 1 has no double of its own.
    let integer = text.parse().ok().map(Number::Integer);
    integer.or_else(|| text.parse().ok().map(Number::Float))
}

/// What the file of an expectation holds: as many elements as the buffer has.
fn read(of: &Expectation, element: ElementType, length: usize) -> Result<BufferValues, Stop> {
    let wrong = |why: String| Stop::Usage(format!("--expect {}: {why}", of.name));
    let values = BufferValues::from_npy(Path::new(&of.file), element, length);
    let values = values.map_err(|error| wrong(error.to_string()))?;
    if values.len() != length {
        let (file, found) = (&values.name, values.len());
        return Err(wrong(format!(
            "{file}: holds {found} elements, but the buffer {length}"
        )));
    }
    Ok(values)
}
