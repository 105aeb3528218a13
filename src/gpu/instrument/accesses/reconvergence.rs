//! Where lanes that parted come together again. Hardware since compute capability 7.0 may leave them apart
//! behind a branch or a loop until something makes them wait (CUDA C++ Programming Guide, "Independent
//! Thread Scheduling"), and would then make two accesses of what is written as one: behind each statement
//! at which lanes may part, those that came to it wait for each other.

use crate::compile::bodies;
use crate::cuda::{Stmt, StmtKind};
use crate::gpu::instrument::rewrite::{Original, Refused};
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::Span;

/// What is put around the statements at which lanes may part and that all of them leave at the end;
/// `others` are what else is put into the text. `if (c) f();` becomes
/// `{ const unsigned lanes_0 = __activemask(); if (c) f(); __syncwarp(lanes_0); }`.
pub(super) fn reconvergence(original: &Original, others: &[Wrap], refused: &Refused) -> Vec<Wrap> {
    let mut heads = Vec::new();
    for &id in &original.functions {
        diverging_statements(&original.program.functions[id].body, &mut heads);
    }
    let insertion = &original.insertion;
    let spans = heads.into_iter();
    let mut spans: Vec<Span> = spans.filter_map(|head| insertion.statement(head)).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans.retain(|&span| {
        let crosses = others.iter().any(|wrap| cross(wrap.span, span));
        // `#pragma unroll` is about the loop that follows it, and would stand before a block.
        let before = &insertion.file.text()[..span.start as usize];
        let line_before = before.trim_end().lines().next_back();
        let has_pragma = line_before.is_some_and(|line| line.trim_start().starts_with("#pragma"));
        insertion.fits(span) && !crosses && !has_pragma && !refused.contains(span)
    });
    let wrap = |(number, span)| Wrap {
        span,
        before: format!("{{ const unsigned @lanes_{number} = __activemask(); "),
        behind: format!(" __syncwarp(@lanes_{number}); }}"),
    };
    spans.into_iter().enumerate().map(wrap).collect()
}

/// The spans of the statements, in each other too, that are to be wrapped.
fn diverging_statements(list: &[Stmt], spans: &mut Vec<Span>) {
    for stmt in list {
        let parts = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Loop { .. });
        if parts && !may_leave(stmt, false) {
            spans.push(stmt.span);
        }
        for body in bodies(stmt) {
            diverging_statements(body, spans);
        }
    }
}

/// Whether a lane may leave a statement other than at its end; inside a loop, `break` and `continue`
/// stay in it.
fn may_leave(stmt: &Stmt, in_loop: bool) -> bool {
    let in_loop = match &stmt.kind {
        StmtKind::Return(_) => return true,
        StmtKind::Break | StmtKind::Continue => return !in_loop,
        // A `break` in it ends it, but a `continue` does not: neither is looked into.
        StmtKind::Switch { .. } => return true,
        StmtKind::Loop { .. } => true,
        _ => in_loop,
    };
    let mut inside = bodies(stmt).into_iter().flatten();
    inside.any(|stmt| may_leave(stmt, in_loop))
}
