//! The variables of all functions, and where each can be named: from its declaration to the end of
//! the block that declares it.

use super::walk::bodies;
use crate::cuda::{Function, FunctionId, LocalId, Stmt, StmtKind};
use crate::source::Span;

/// A variable of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VariableId {
    pub function: FunctionId,
    pub local: LocalId,
}

impl VariableId {
    pub fn new(function: FunctionId, local: LocalId) -> Self {
        VariableId { function, local }
    }
}

/// The scope of each local of `function`: of parameters, and of what no statement declares, the
/// whole function.
pub(crate) fn scopes(function: &Function) -> Vec<Span> {
    let end = end_of(&function.body).unwrap_or(function.span.end);
    let whole = Span {
        start: function.span.start,
        end,
    };
    let mut scopes = vec![whole; function.locals.len()];
    declare(&function.body, &mut scopes);
    scopes
}

fn declare(stmts: &[Stmt], scopes: &mut [Span]) {
    // Backwards: the block ends where its last statement does, and what follows is a brace.
    let mut end = 0;
    for stmt in stmts.iter().rev() {
        end = end.max(end_of(std::slice::from_ref(stmt)).unwrap_or(0));
        if let StmtKind::Declare { local, .. } = stmt.kind {
            scopes[local] = Span {
                start: stmt.span.start,
                end,
            };
        }
        for body in bodies(stmt) {
            declare(body, scopes);
        }
        // Last, as it puts right what was found for declarations in the head as for those in a block.
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

/// Where the last of these statements ends, with all that it holds.
fn end_of(stmts: &[Stmt]) -> Option<u32> {
    let of_one = |stmt: &Stmt| {
        let inside = bodies(stmt)
            .into_iter()
            .filter_map(|body| end_of(body))
            .max();
        stmt.span.end.max(inside.unwrap_or(0))
    };
    stmts.iter().map(of_one).max()
}
