//! Where lanes that parted come together again. Hardware may leave them apart behind a branch or a loop
//! until something makes them wait, and would then make two accesses of what is written as one: behind
//! each statement at which lanes may part, those that came to it wait for each other.

use crate::compile::bodies;
use crate::cuda::{FunctionId, Program, Stmt, StmtKind};
use crate::gpu::instrument::insertion_points::Lexical;
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::{SourceFile, Span};

/// What is put around the statements of `functions` at which lanes may part and that all of them leave
/// at the end; `others` are what else is put into the text.
pub(crate) fn convergence(
    program: &Program,
    functions: &[FunctionId],
    (file, lexical): (&SourceFile, &Lexical),
    others: &[Wrap],
    refused: &dyn Fn(Span) -> bool,
) -> Vec<Wrap> {
    let mut heads = Vec::new();
    for &id in functions {
        statements(&program.functions[id].body, &mut heads);
    }
    let mut spans: Vec<Span> = heads
        .into_iter()
        .filter_map(|head| lexical.statement(head))
        .collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans.retain(|&span| {
        let crosses = others.iter().any(|wrap| cross(wrap.span, span));
        // A pragma is about the statement that follows it.
        let is_told = file.text()[..span.start as usize]
            .trim_end()
            .lines()
            .next_back();
        let is_told = is_told.is_some_and(|line| line.trim_start().starts_with("#pragma"));
        lexical.fits(span) && !crosses && !is_told && !refused(span)
    });
    let wrap = |(number, span)| Wrap {
        span,
        before: format!("{{ const unsigned @lanes_{number} = __activemask(); "),
        behind: format!(" __syncwarp(@lanes_{number}); }}"),
    };
    spans.into_iter().enumerate().map(wrap).collect()
}

/// The spans of the statements, in each other too, that are to be wrapped.
fn statements(list: &[Stmt], spans: &mut Vec<Span>) {
    for stmt in list {
        let parts = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Loop { .. });
        if parts && !leaves(stmt, false) {
            spans.push(stmt.span);
        }
        for body in bodies(stmt) {
            statements(body, spans);
        }
    }
}

/// Whether a lane may leave a statement other than at its end; inside a loop, `break` and `continue`
/// stay in it.
fn leaves(stmt: &Stmt, in_loop: bool) -> bool {
    let in_loop = match &stmt.kind {
        StmtKind::Return(_) => return true,
        StmtKind::Break | StmtKind::Continue => return !in_loop,
        // A `break` in it ends it, but a `continue` does not: neither is looked into.
        StmtKind::Switch { .. } => return true,
        StmtKind::Loop { .. } => true,
        _ => in_loop,
    };
    let mut inside = bodies(stmt).into_iter().flatten();
    inside.any(|stmt| leaves(stmt, in_loop))
}
