//! How an instrumented text comes to be: read, changed, and read again.

use thiserror::Error;

use super::insertion::InsertionPoints;
use super::walk::called_functions;
use super::wraps::{Wrap, apply};
use crate::cuda::{FunctionId, Parsed, Program, parse_kernels, tokens};
use crate::launch::KernelSource;
use crate::source::{Diagnostic, Severity, SourceFile, Span, is_python};

/// What all names begin with that are put in, unless the text has such names.
const PREFIX: &str = "tutor_";

/// Why a text cannot be instrumented.
#[derive(Debug, Error)]
pub enum InstrumentError {
    /// A Triton kernel: the places of the text that runs are not those of the Python.
    #[error("values and accesses of Triton kernels are seen on the simulated GPU alone")]
    Triton,
    /// The text has errors; they point into it.
    #[error("the text has errors")]
    Source(Vec<Diagnostic>),
    /// A macro from outside changes a name that is put in.
    #[error("the macro `{0}` changes the text that is put in: give it another name")]
    Macro(String),
    /// The text has no errors before and some after; they point into the second.
    #[error("the instrumented text is not understood: {0}")]
    Result(String),
}

/// A text that is being instrumented.
pub(super) struct Original<'a> {
    pub source: &'a KernelSource,
    pub insertion: InsertionPoints<'a>,
    pub program: Program,
    /// The kernels that were asked for.
    pub kernels: Vec<FunctionId>,
    /// All functions that run, with a text of their own.
    pub functions: Vec<FunctionId>,
}

/// Around which parts of the text nothing may be put: on some of its lines, or on all, what macros make.
///
/// That a macro's expansion cannot be wrapped is seen only when the result is parsed again.
pub(super) struct Refused<'a> {
    original: &'a Original<'a>,
    /// None are all lines.
    lines: Option<&'a [u32]>,
}

impl Refused<'_> {
    pub fn contains(&self, span: Span) -> bool {
        let line = self.original.source.file.line(span.start);
        let is_refused = self.lines.is_none_or(|lines| lines.contains(&line));
        is_refused && self.original.insertion.ends_in_macro(span)
    }
}

/// What was found in a text, and is put into it.
pub(super) trait Findings {
    fn wraps(&self) -> &[Wrap];
    /// What comes before the text.
    fn head(&self) -> String;
}

/// An instrumented text.
pub(super) struct Changed<T> {
    pub source: KernelSource,
    /// Lines put before the first.
    pub lines_before: u32,
    /// What names that were put in begin with.
    pub prefix: String,
    /// What was found in the text.
    pub found: T,
}

impl<'a> Original<'a> {
    /// Reads a text.
    pub fn new(source: &'a KernelSource, kernels: &[&str]) -> Result<Self, InstrumentError> {
        if is_python(source.file.name()) {
            return Err(InstrumentError::Triton);
        }
        let parsed = parse_kernels(&source.file, &source.defines, kernels);
        if parsed.has_errors() {
            return Err(InstrumentError::Source(errors(&parsed)));
        }
        // As launches name them: `softmax<float, 4>` is an instance.
        let named = parsed.requests.into_iter().collect::<Result<Vec<_>, _>>();
        let kernels = named.map_err(|error| InstrumentError::Source(vec![error]))?;
        Ok(Original {
            source,
            insertion: InsertionPoints::new(&source.file, &source.defines),
            functions: called_functions(&parsed.program, &kernels),
            program: parsed.program,
            kernels,
        })
    }

    /// The text with what `find` finds put in. At first `find` may use all of the text; where the result
    /// has errors, nothing that macros make on those lines; and if that does not help, nothing that they
    /// make anywhere.
    pub fn change<T: Findings>(
        &self,
        names: &[&str],
        find: impl Fn(&Refused) -> T,
    ) -> Result<Changed<T>, InstrumentError> {
        let find_without = |lines: Option<&[u32]>| {
            find(&Refused {
                original: self,
                lines,
            })
        };
        let mut lines: Vec<u32> = Vec::new();
        loop {
            let changed = self.with(find_without(Some(&lines)))?;
            let errors = errors_of(&changed.source, names);
            if errors.is_empty() {
                return Ok(changed);
            }
            let mut new = lines_of(&errors, &changed);
            new.retain(|line| !lines.contains(line));
            // The same lines fail again: what is wrong does not come from macros on them.
            if new.is_empty() {
                break;
            }
            lines.append(&mut new);
        }
        let changed = self.with(find_without(None))?;
        match errors_of(&changed.source, names).first() {
            None => Ok(changed),
            Some(error) => {
                let place = changed.source.file.slice(error.span());
                let message = format!("{}: `{place}`", error.message);
                Err(InstrumentError::Result(message))
            }
        }
    }

    fn with<T: Findings>(&self, found: T) -> Result<Changed<T>, InstrumentError> {
        let prefix = self.prefix();
        let head = found.head().replace(PREFIX, &prefix);
        self.check_macros(&head)?;
        let wraps = found.wraps().iter().map(|wrap| wrap.with_prefix(&prefix));
        let text = rolled(&apply(self.source.file.text(), &wraps.collect::<Vec<_>>()));
        let lines_before = head.matches('\n').count() as u32;
        let file = self.source.file.with_text(&format!("{head}{text}"));
        Ok(Changed {
            source: KernelSource::new(file, self.source.defines.clone()),
            lines_before,
            prefix,
            found,
        })
    }

    /// A beginning that no name of the text has.
    fn prefix(&self) -> String {
        let numbered = (2..).map(|number| format!("{PREFIX}{number}_"));
        let mut all = std::iter::once(PREFIX.to_owned()).chain(numbered);
        let is_free = |prefix: &String| {
            let mut defines = self.source.defines.iter();
            !self.insertion.has_name_with_prefix(prefix)
                // A macro's value becomes text as well, which the file itself does not show.
                && !defines.any(|(_, value)| value.contains(prefix))
        };
        all.find(is_free).unwrap_or_else(|| PREFIX.to_owned())
    }

    /// No macro from outside may change the head: with `-D lane=3`, its variable `lane` would be `3`.
    fn check_macros(&self, head: &str) -> Result<(), InstrumentError> {
        let words = tokens(head).0;
        let file = SourceFile::new("", head);
        let is_word = |name: &str| words.iter().any(|word| file.slice(*word) == name);
        let name = |define: &(String, String)| define.0.split('(').next().map(str::to_owned);
        let mut names = self.source.defines.iter().filter_map(name);
        match names.find(|name| is_word(name)) {
            Some(name) => Err(InstrumentError::Macro(name)),
            None => Ok(()),
        }
    }
}

/// `text` with loops that stay loops: unrolled, each turn has what was put in once more, and a product on tensor cores
/// compiles for minutes. What its statements do is the same.
fn rolled(text: &str) -> String {
    let is_unrolled = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let pragma = directive.and_then(|directive| directive.strip_prefix("pragma"));
        pragma.is_some_and(|pragma| pragma.trim_start().starts_with("unroll"))
    };
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| match is_unrolled(line) {
        true => "#pragma unroll 1\n",
        false => line,
    });
    lines.collect()
}

/// The lines of the original that errors are about; none of those in what was put before it.
fn lines_of<T>(errors: &[Diagnostic], changed: &Changed<T>) -> Vec<u32> {
    let lines = errors
        .iter()
        .map(|error| changed.source.file.line(error.span().start));
    let lines = lines.map(|line| line.saturating_sub(changed.lines_before));
    lines.filter(|&line| line > 0).collect()
}

fn errors(parsed: &Parsed) -> Vec<Diagnostic> {
    let all = parsed.diagnostics.iter();
    let errors = all.filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.cloned().collect()
}

fn errors_of(source: &KernelSource, names: &[&str]) -> Vec<Diagnostic> {
    errors(&parse_kernels(&source.file, &source.defines, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_not_unrolled_and_stay_on_their_lines() {
        let text = "x = 1; // #pragma unroll\n  # pragma unroll 4\nfor (;;) {}\n#pragma nounroll\n";
        let same = "x = 1; // #pragma unroll\n#pragma unroll 1\nfor (;;) {}\n#pragma nounroll\n";
        assert_eq!(rolled(text), same);
    }
}
