//! Kernel cells: the source of a kernel, to be read before it runs, with what the compiler knows of
//! it.

use super::scope::Scope;
use crate::compile::{Compiled, Fidelity, compile_kernels};
use crate::ir::{Allocation, Kernel, Space};
use crate::lesson::reader::{Findings, Placed, Table};
use crate::source::{Diagnostic, Severity, SourceFile, Span, is_python};
use crate::triton::{KernelParameter, kernel_parameters, kernel_place};

/// A kernel to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The kernel's file.
    pub source: SourceFile,
    /// First and last line to read, from 1.
    pub lines: (u32, u32),
    /// What the compiler knows of the kernel.
    pub facts: KernelFacts,
    /// What to look for, in Markdown; may be empty.
    pub note: String,
}

/// What the compiler knows of a kernel before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// Its name.
    pub kernel: String,
    /// Its parameters: type and name.
    pub parameters: Vec<(String, String)>,
    /// Its variables in shared memory: type, name and bytes; 0 bytes for what the launch gives.
    pub shared: Vec<(String, String, u32)>,
    /// Static shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Most threads a block may have, where the source says so.
    pub max_threads: Option<u32>,
    /// Whether Triton compiles it, once it is launched: types and shared memory are not known before.
    pub is_triton: bool,
}

impl KernelFacts {
    fn of_python(kernel: &str, parameters: Vec<KernelParameter>) -> Self {
        let word = |is_constexpr| if is_constexpr { "constant" } else { "argument" };
        let parameters = parameters.into_iter();
        KernelFacts {
            kernel: kernel.to_owned(),
            parameters: parameters
                .map(|parameter| (word(parameter.is_constexpr).to_owned(), parameter.name))
                .collect(),
            shared: Vec::new(),
            shared_bytes: 0,
            max_threads: None,
            is_triton: true,
        }
    }

    fn new(kernel: &Kernel) -> Self {
        let allocations = kernel.memory.allocations.iter();
        let shared = allocations.filter(|allocation| allocation.space == Space::Shared);
        KernelFacts {
            kernel: kernel.name.clone(),
            parameters: parameters(kernel),
            shared: shared
                .map(|at| (shared_type(at), at.name.clone(), at.size_bytes))
                .collect(),
            shared_bytes: kernel.memory.shared_bytes,
            max_threads: kernel.max_threads,
            is_triton: false,
        }
    }
}

/// Type and name of each parameter; of a structure, whose parts the compiler takes one by one, once.
fn parameters(kernel: &Kernel) -> Vec<(String, String)> {
    let parts = kernel.written_parameters().iter();
    let parameters = parts.map(|part| match part.name.split_once('.') {
        Some((structure, _)) => ("struct".to_owned(), structure.to_owned()),
        None => (part.type_name.clone(), part.name.clone()),
    });
    let mut parameters: Vec<_> = parameters.collect();
    parameters.dedup();
    parameters
}

/// The type as it is written: `float[]` of what the launch gives its size.
fn shared_type(at: &Allocation) -> String {
    let name = &at.type_name;
    // `extern __shared__ float part[]` is an array of no elements to the compiler.
    match at.lengths[..] {
        [0] => name.replace("[0]", "[]"),
        _ => name.clone(),
    }
}

/// The cell, if what it needs is there.
pub(crate) fn read_kernel_cell(id: &str, mut table: Table, scope: &Scope) -> Option<KernelCell> {
    let title = table.required("title");
    let source: Option<Placed<String>> = table.required("source");
    let kernel: Option<Placed<String>> = table.required("kernel");
    let lines = table.optional_numbers("lines");
    let note: Option<String> = table.optional("note");
    table.finish();
    let (source_name, kernel) = (source?, kernel?);
    let source = scope.kernel_file(&source_name)?;
    let (own_lines, facts) = match is_python(&source_name.value) {
        true => read_python(&source, &kernel, scope.findings)?,
        false => {
            // What is declared is the same however the kernel's statements are compiled, and this is quicker.
            let compiled =
                compile_kernels(&source, &[], &[&kernel.value], Fidelity::AsWritten).for_hardware();
            let found = find_kernel(&compiled, &source_name, &kernel, scope.findings)?;
            (extent(&source, found.span), KernelFacts::new(found))
        }
    };
    let lines = match lines {
        Some(lines) => read_lines(&lines, &source, scope.findings)?,
        None => own_lines,
    };
    Some(KernelCell {
        id: id.to_owned(),
        title: title?,
        source,
        lines,
        facts,
        note: note.unwrap_or_default(),
    })
}

/// The lines of a Triton kernel. What it is compiled to depends on its launch: nothing more is known of it here.
fn read_python(
    source: &SourceFile,
    kernel: &Placed<String>,
    findings: &Findings,
) -> Option<((u32, u32), KernelFacts)> {
    match kernel_place(source, &kernel.value) {
        Ok(place) => {
            let lines = (source.line(place.start), source.line(place.end));
            let parameters = kernel_parameters(source, &kernel.value).unwrap_or_default();
            Some((lines, KernelFacts::of_python(&kernel.value, parameters)))
        }
        Err(wrong) => {
            let error = Diagnostic::error(kernel.span, wrong.message);
            findings.add(Diagnostic {
                help: wrong.help,
                ..error
            });
            None
        }
    }
}

fn find_kernel<'a>(
    compiled: &'a Compiled,
    source: &Placed<String>,
    kernel: &Placed<String>,
    findings: &Findings,
) -> Option<&'a Kernel> {
    let mut errors = compiled.diagnostics.iter();
    if let Some(error) = errors.find(|found| found.severity == Severity::Error) {
        let message = format!("this file does not compile: {}", error.message);
        findings.error(source.span, message);
        return None;
    }
    match compiled.kernel(&kernel.value) {
        Ok(kernel) => Some(kernel),
        Err(wrong) => {
            let error = Diagnostic::error(kernel.span, wrong.message.clone());
            findings.add(match wrong.help {
                Some(help) => error.help(help),
                None => error,
            });
            None
        }
    }
}

fn read_lines(
    lines: &[Placed<u64>],
    source: &SourceFile,
    findings: &Findings,
) -> Option<(u32, u32)> {
    let count = source.line_count();
    match lines {
        [first, last]
            if 1 <= first.value && first.value <= last.value && last.value <= u64::from(count) =>
        {
            Some((first.value as u32, last.value as u32))
        }
        [first, ..] => {
            let last = lines.last().unwrap_or(first);
            let message =
                format!("expected the first and the last line here; the file has {count}");
            findings.error(first.span.to(last.span), message);
            None
        }
        [] => None,
    }
}

/// The lines of the kernel whose name stands at `name`: from the comment above it to its last brace.
fn extent(source: &SourceFile, name: Span) -> (u32, u32) {
    let lines: Vec<&str> = source.text().lines().collect();
    let at = source.line(name.start) as usize - 1;
    let above = lines[..at].iter().rev();
    // The comment and `template <…>` lines above belong to the kernel; a function before it does not.
    let joined = above.take_while(|line| !line.trim().is_empty() && line.trim() != "}");
    let first = at - joined.count();
    let mut depth = 0_i64;
    let closes = |line: &&str| {
        // A brace in a comment closes nothing.
        let code = line.split("//").next().unwrap_or("");
        let count = |brace: char| code.matches(brace).count() as i64;
        depth += count('{') - count('}');
        depth == 0 && code.contains('}')
    };
    let end = lines[at..].iter().position(closes);
    let last = end.map_or(lines.len() - 1, |end| at + end);
    (first as u32 + 1, last as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_goes_from_its_comment_to_its_last_brace() {
        let text = "// File.\n\n// One { thread.\n__global__ void f(\n    int n) {\n  if (n) { }\n}\n\nvoid g() {}\n";
        let source = SourceFile::new("f.cu", text);
        let at = text.find("f(").expect("is there");
        assert_eq!(extent(&source, Span::new(at, at + 1)), (3, 7));
    }
}
