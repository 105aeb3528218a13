//! CUDA C++ in, typed program out.
//!
//! Text becomes tokens (`lex`), macros are expanded (`preprocess`), tokens become a tree as written
//! (`parse`, `ast`), and the tree becomes a [`Program`] whose every expression has its type and every
//! conversion is explicit (`resolve`, `check`, `typed`). No stage ever fails: each returns what it
//! could make of its input, and diagnostics. A program with an error among its diagnostics must not
//! be compiled further.
//!
//! Names in brackets, such as `[conv.prom]`, are sections of the C++17 standard, which nvcc follows by default.
//!
//! Nothing here knows the bytecode or the machine.

mod typed;

mod builtin;

mod lex;

mod preprocess;

mod imports;

mod linkage;

mod local_headers;

mod local_values;

mod ast;

mod parse;

mod resolve;

mod check;

mod host_writes;

mod reached;

pub use builtin::{FunctionHelp, constants, function_help};
pub use local_headers::{including_file, read_source, read_sources, with_headers};
use resolve::NO_NAMESPACE;

pub use preprocess::{
    HARDWARE_ONLY, RUNTIME_ERRORS, STANDARD_LIBRARY, empty_headers, is_host_header,
    of_cub_in_kernels as cub_headers_in_kernels,
};
/// Arithmetic on the bits that [`ExprKind::Constant`] holds.
pub use typed::arithmetic;
pub use typed::*;

use crate::source::{Diagnostic, Severity, SourceFile, Span, on_deep_stack};

/// What a text is made of, as far as it could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Its functions. Not to be used if there is an error among the diagnostics.
    pub program: Program,
    /// What is wrong, in order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The kernel of each name that was asked for, in that order, or what is wrong with the name;
    /// such a diagnostic stands nowhere in the text.
    pub requests: Vec<Result<FunctionId, Diagnostic>>,
    /// What was skipped because it is for the host, or would read a file, in order of the text.
    pub skipped: Vec<Span>,
    /// What the kernels that were asked for do not need, in order of the text: that, and more.
    pub unreached: Vec<Span>,
    /// The templates of kernels: their names, and their parameters as in `typename T, int N`.
    pub templates: Vec<(String, String)>,
    /// What kernels use that only a GPU has: the program can be checked, and must not run here.
    pub hardware_only: Option<Diagnostic>,
}

impl Parsed {
    /// Whether the program must not be used.
    pub fn has_errors(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The places of the tokens of a text, in order and apart, and what is no token.
pub fn tokens(text: &str) -> (Vec<Span>, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lex::lex(text);
    (tokens.iter().map(|token| token.span).collect(), diagnostics)
}

/// Reads a file of kernels. `defines` are macros from outside: names and values, as `-D NAME=VALUE`
/// gives them. Never fails: what is wrong with any text is in the diagnostics, whose spans lie in it.
pub fn parse(file: &SourceFile, defines: &[(String, String)]) -> Parsed {
    parse_kernels(file, defines, &[])
}

/// Like [`parse`], with kernels made from their templates: `kernels` are names as a launch writes
/// them, such as `softmax<float, 4>`.
pub fn parse_kernels(file: &SourceFile, defines: &[(String, String)], kernels: &[&str]) -> Parsed {
    on_deep_stack(|| read(file, defines, kernels))
}

/// Reads a whole program: `main` and all that it reaches, kernels that it launches included. What it does not reach
/// need not be understood.
pub fn parse_program(file: &SourceFile, defines: &[(String, String)]) -> Parsed {
    on_deep_stack(|| read_program(file, defines))
}

fn read_program(file: &SourceFile, defines: &[(String, String)]) -> Parsed {
    let preprocess::Preprocessed {
        tokens,
        mut diagnostics,
        unread,
        missing,
    } = preprocess::preprocess(file, defines, true);
    let plain = preprocess::without_ptx(tokens);
    // Programs run here or nowhere.
    diagnostics.extend(plain.hardware_only);
    let (unit, more, _) = parse::parse(
        preprocess::with_prelude(plain.tokens, true),
        Vec::new(),
        true,
    );
    diagnostics.extend(more);
    let checked = check::check_program(&unit, &diagnostics);
    diagnostics.extend(checked.diagnostics);
    put_in_order(&mut diagnostics);
    note_missing(&mut diagnostics, &missing);
    Parsed {
        program: checked.program,
        diagnostics,
        requests: Vec::new(),
        skipped: unread,
        unreached: Vec::new(),
        templates: checked.templates,
        hardware_only: None,
    }
}

fn read(file: &SourceFile, defines: &[(String, String)], kernels: &[&str]) -> Parsed {
    let preprocess::Preprocessed {
        tokens,
        mut diagnostics,
        unread,
        missing,
    } = preprocess::preprocess(file, defines, false);
    let names = kernels.iter().map(|name| tokens_of_name(name));
    let names = names.map(|name| local_values::with_local_values(&name, &tokens));
    let names: Vec<_> = names.collect();
    let writes = host_writes::HostWrites::new(&tokens);
    let plain = preprocess::without_ptx(tokens.clone());
    let read = preprocess::with_prelude(plain.tokens, false);
    let (mut unit, more, paths) = parse::parse(read, names.clone(), false);
    if !kernels.is_empty() {
        // Who asks for some kernels need not hear what is wrong with what those do not reach.
        diagnostics = unit.keep(diagnostics);
    }
    diagnostics.extend(more);
    let good: Vec<ast::Path> = paths.iter().flatten().cloned().collect();
    let checked = check::check(&unit, &good, &diagnostics);
    diagnostics.extend(checked.diagnostics);
    put_in_order(&mut diagnostics);
    note_missing(&mut diagnostics, &missing);
    let requests = in_order_of_names(checked.requests, &paths, kernels);
    let mut skipped = [unit.skipped.clone(), checked.left_to_host, unread].concat();
    skipped.sort_by_key(|span| span.start);
    let mut program = checked.program;
    writes.mark(&mut program.variables, &skipped);
    let unreached = reached::Declarations::new(&unit, &tokens).unreached(&names, &skipped);
    Parsed {
        program,
        diagnostics,
        requests,
        skipped,
        unreached,
        templates: checked.templates,
        hardware_only: plain.hardware_only,
    }
}

/// Has diagnostics stand as in the text, each cause once: what is wrong inside of a template is found again with each use
/// of it.
fn put_in_order(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    diagnostics
        .dedup_by(|a, b| (a.severity, a.span(), &a.message) == (b.severity, b.span(), &b.message));
}

/// What the checker made for each path that could be parsed, put back in the order of `kernels`.
fn in_order_of_names(
    made: Vec<Result<typed::FunctionId, Diagnostic>>,
    paths: &[Option<ast::Path>],
    kernels: &[&str],
) -> Vec<Result<typed::FunctionId, Diagnostic>> {
    let mut made = made.into_iter();
    let requests = paths.iter().zip(kernels).map(|(path, name)| {
        let made = path.as_ref().and_then(|_| made.next());
        made.unwrap_or_else(|| Err(no_kernel(name)))
    });
    requests.collect()
}

fn no_kernel(name: &str) -> Diagnostic {
    let message = format!("`{name}` is not the name of a kernel, nor one with `<…>` after it");
    Diagnostic::error(Span::default(), message)
}

/// Whether a diagnostic tells of a name that stands for nothing, which something that is read before may define.
pub fn is_unknown_name(diagnostic: &Diagnostic) -> bool {
    let message = &diagnostic.message;
    message.ends_with("is not defined") || message.starts_with("unknown type")
}

/// Says of each name that stands for nothing that it may come from a header which was not read.
fn note_missing(diagnostics: &mut [Diagnostic], missing: &[String]) {
    let Some((first, rest)) = missing.split_first() else {
        return;
    };
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" or {count} more"),
    };
    let is_unknown = |diagnostic: &Diagnostic| {
        diagnostic.severity == Severity::Error && is_unknown_name(diagnostic)
    };
    let note = format!("it may come from `{first}`{more}, which was not read");
    for diagnostic in diagnostics.iter_mut() {
        if diagnostic.message.starts_with(NO_NAMESPACE) {
            // Opening it changes nothing by itself: what is used of it is told where it is used.
            diagnostic.severity = Severity::Warning;
            diagnostic.notes.push(note.clone());
        } else if is_unknown(diagnostic) {
            diagnostic.notes.push(note.clone());
        }
    }
}

/// The tokens of a kernel's name, which stands nowhere in the text.
fn tokens_of_name(name: &str) -> Vec<lex::Token> {
    let (mut tokens, _) = lex::lex(name);
    for token in &mut tokens {
        token.span = Span::default();
    }
    tokens
}

#[cfg(test)]
mod tests;
