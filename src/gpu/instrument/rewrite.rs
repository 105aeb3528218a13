//! How an instrumented text comes to be: read, changed, and read again.

use thiserror::Error;

use super::call_graph::reached;
use super::insertion_points::Lexical;
use super::wraps::{Wrap, apply};
use crate::cuda::{FunctionId, Parsed, Program, parse_kernels, tokens};
use crate::launch::KernelSource;
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// What all names begin with that are put in, unless the text has such names.
const PREFIX: &str = "tutor_";

/// Why a text cannot be instrumented.
#[derive(Debug, Error)]
pub enum InstrumentError {
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
pub(crate) struct Original<'a> {
    pub source: &'a KernelSource,
    pub lexical: Lexical<'a>,
    pub program: Program,
    /// The kernels that were asked for.
    pub kernels: Vec<FunctionId>,
    /// All functions that run, with a text of their own.
    pub functions: Vec<FunctionId>,
}

/// An instrumented text.
pub(crate) struct Changed<T> {
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
        let parsed = parse_kernels(&source.file, &source.defines, kernels);
        if parsed.has_errors() {
            return Err(InstrumentError::Source(errors(&parsed)));
        }
        let named = parsed.requests.into_iter().collect::<Result<Vec<_>, _>>();
        let kernels = named.map_err(|error| InstrumentError::Source(vec![error]))?;
        Ok(Original {
            source,
            lexical: Lexical::new(&source.file, &source.defines),
            functions: reached(&parsed.program, &kernels),
            program: parsed.program,
            kernels,
        })
    }

    /// The text with what `find` finds put in, behind what `head` makes of it. `find` is told around
    /// which spans nothing may be put: none at first; where the result has errors, what macros make on
    /// those lines; and if that does not help, what macros make anywhere.
    pub fn change<T>(
        &self,
        names: &[&str],
        find: impl Fn(&dyn Fn(Span) -> bool) -> (Vec<Wrap>, T),
        head: impl Fn(&T) -> String,
    ) -> Result<Changed<T>, InstrumentError> {
        let line = |span: Span| self.source.file.line(span.start);
        let mut lines: Vec<u32> = Vec::new();
        loop {
            let refused = |span| lines.contains(&line(span)) && self.lexical.ends_in_macro(span);
            let changed = self.with(find(&refused), &head)?;
            let errors = errors_of(&changed.source, names);
            if errors.is_empty() {
                return Ok(changed);
            }
            let before = lines.len();
            for error in &errors {
                let place = changed.source.file.line(error.span().start);
                let original = place.saturating_sub(changed.lines_before);
                if original > 0 && !lines.contains(&original) {
                    lines.push(original);
                }
            }
            if lines.len() == before {
                break;
            }
        }
        let changed = self.with(find(&|span| self.lexical.ends_in_macro(span)), &head)?;
        match errors_of(&changed.source, names).first() {
            None => Ok(changed),
            Some(error) => {
                let place = changed.source.file.slice(error.span());
                let message = format!("{}: `{place}`", error.message);
                Err(InstrumentError::Result(message))
            }
        }
    }

    fn with<T>(
        &self,
        (wraps, found): (Vec<Wrap>, T),
        head: &impl Fn(&T) -> String,
    ) -> Result<Changed<T>, InstrumentError> {
        let prefix = self.prefix();
        let head = head(&found).replace(PREFIX, &prefix);
        self.check_macros(&head)?;
        let wraps: Vec<Wrap> = wraps
            .into_iter()
            .map(|wrap| renamed(wrap, &prefix))
            .collect();
        let text = apply(self.source.file.text(), &wraps);
        let lines_before = head.matches('\n').count() as u32;
        let file = SourceFile::new(self.source.file.name(), &format!("{head}{text}"));
        Ok(Changed {
            source: KernelSource {
                file,
                defines: self.source.defines.clone(),
            },
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
            !self.lexical.has_prefix(prefix) && !defines.any(|(_, value)| value.contains(prefix))
        };
        all.find(is_free).unwrap_or_else(|| PREFIX.to_owned())
    }

    /// No macro from outside may change the head.
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

/// A wrap with `prefix` where it has `@`, which stands in no C++ but in strings.
fn renamed(wrap: Wrap, prefix: &str) -> Wrap {
    Wrap {
        before: wrap.before.replace('@', prefix),
        behind: wrap.behind.replace('@', prefix),
        ..wrap
    }
}

fn errors(parsed: &Parsed) -> Vec<Diagnostic> {
    let all = parsed.diagnostics.iter();
    let errors = all.filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.cloned().collect()
}

fn errors_of(source: &KernelSource, names: &[&str]) -> Vec<Diagnostic> {
    errors(&parse_kernels(&source.file, &source.defines, names))
}
