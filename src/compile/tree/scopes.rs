//! Where each variable of a function can be named: from its declaration to the end of the block
//! that declares it.

use crate::cuda::{Function, Stmt, StmtKind};
use crate::source::Span;

/// The scope of each local of `function`: of parameters, and of what no statement declares, the
/// whole function.
pub(crate) fn scopes(function: &Function) -> Vec<Span> {
    let end = end_of(&function.body).unwrap_or(function.span.end);
    let whole = Span {
        start: function.span.start,
        end,
    };
    let mut scopes = vec![whole; function.locals.len()];
    walk(&function.body, &mut scopes);
    scopes
}

fn walk(stmts: &[Stmt], scopes: &mut [Span]) {
    for (at, stmt) in stmts.iter().enumerate() {
        if let StmtKind::Declare { local, .. } = stmt.kind {
            let end = end_of(&stmts[at..]).unwrap_or(stmt.span.end);
            scopes[local] = Span {
                start: stmt.span.start,
                end,
            };
        }
        for nested in nested(stmt) {
            walk(nested, scopes);
        }
        declare_in_head(stmt, scopes);
    }
}

/// What the head of a loop declares lives as long as the loop.
fn declare_in_head(stmt: &Stmt, scopes: &mut [Span]) {
    let StmtKind::Loop { init, .. } = &stmt.kind else {
        return;
    };
    let end = end_of(std::slice::from_ref(stmt)).unwrap_or(stmt.span.end);
    for declared in init {
        if let StmtKind::Declare { local, .. } = declared.kind {
            scopes[local].end = end;
        }
    }
}

/// The lists of statements inside a statement.
fn nested(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::Block(body) => vec![body],
        StmtKind::If {
            then, otherwise, ..
        } => vec![then, otherwise],
        StmtKind::Loop { init, body, .. } => vec![init, body],
        StmtKind::Switch { sections, .. } => {
            sections.iter().map(|section| &section.body[..]).collect()
        }
        _ => Vec::new(),
    }
}

/// Where the last of these statements ends, with all that it holds.
fn end_of(stmts: &[Stmt]) -> Option<u32> {
    let of_one = |stmt: &Stmt| {
        let inside = nested(stmt).into_iter().filter_map(end_of).max();
        stmt.span.end.max(inside.unwrap_or(0))
    };
    stmts.iter().map(of_one).max()
}
