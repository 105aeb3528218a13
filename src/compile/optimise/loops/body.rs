//! What the body of a loop does, as far as unrolling has to know.

use super::fold::{is_load_of, is_local};
use crate::compile::tree::{any_expr, any_expr_of, any_stmt, bodies};
use crate::cuda::{Expr, ExprKind, LocalId, Stmt, StmtKind};

/// Whether a `break` or `continue` of the loop with this body stands in it.
pub(crate) fn departs(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        // A `break` in a `switch` leaves only that, a `continue` in it leaves the loop. Both count: at worst a loop
        // stays as it is.
        StmtKind::Block(body) => departs(body),
        StmtKind::If {
            then, otherwise, ..
        } => departs(then) || departs(otherwise),
        StmtKind::Switch { sections, .. } => sections.iter().any(|section| departs(&section.body)),
        // A loop in the body takes its own `break` and `continue`.
        _ => false,
    })
}

/// Whether threads wait for each other in these statements.
pub(super) fn waits(body: &[Stmt]) -> bool {
    any_stmt(body, |kind| {
        matches!(kind, StmtKind::Barrier | StmtKind::SyncWarp(_))
    })
}

/// Whether these statements may change a variable, or take its address.
pub(crate) fn changes(body: &[Stmt], local: LocalId) -> bool {
    // Declared in the body, it has a new value in each iteration.
    declares(body, local) || is_assigned(body, local)
}

/// Whether they may give a variable another value than that of its declaration, or take its address.
pub(super) fn is_assigned(body: &[Stmt], local: LocalId) -> bool {
    any_expr_of(body, |expr| match &expr.kind {
        ExprKind::AddressOf(place) => is_local(place, local),
        ExprKind::Assign(place, _)
        | ExprKind::AssignOp { place, .. }
        | ExprKind::Step { place, .. } => is_local(place, local),
        _ => false,
    })
}

fn declares(body: &[Stmt], local: LocalId) -> bool {
    body.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Declare { local: declared, .. } if declared == local)
            || bodies(stmt).into_iter().any(|body| declares(body, local))
    })
}

/// Whether `expr` loads a variable.
pub(super) fn loads(expr: &Expr, local: LocalId) -> bool {
    any_expr(expr, |expr| is_load_of(expr, local))
}

/// How many statements these are, with those inside others.
pub(crate) fn statements(body: &[Stmt]) -> u32 {
    let own = body.len() as u32;
    let inner = body.iter().flat_map(bodies).map(|body| statements(body));
    inner.fold(own, u32::saturating_add)
}

/// The body of a loop with what follows `if (c) continue;` in the branch of those who stay, as in
/// `if (c) {} else { … }`: an iteration without a way out. Nothing if there is another one.
pub(crate) fn without_continue(body: &[Stmt]) -> Option<Vec<Stmt>> {
    for (at, stmt) in body.iter().enumerate() {
        let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &stmt.kind
        else {
            continue;
        };
        let Some(then) = passed_over(then) else {
            continue;
        };
        let (before, after) = (&body[..at], &body[at + 1..]);
        if departs(before) || departs(&then) {
            return None;
        }
        let rest = without_continue(&[otherwise.as_slice(), after].concat())?;
        let kind = StmtKind::If {
            condition: condition.clone(),
            then,
            otherwise: rest,
        };
        let span = stmt.span;
        return Some([before, &[Stmt { kind, span }]].concat());
    }
    (!departs(body)).then(|| body.to_vec())
}

/// What precedes the `continue` at the end of a branch.
pub(super) fn passed_over(branch: &[Stmt]) -> Option<Vec<Stmt>> {
    let (last, before) = branch.split_last()?;
    match &last.kind {
        StmtKind::Continue => Some(before.to_vec()),
        StmtKind::Block(inner) => Some([before, &passed_over(inner)?].concat()),
        _ => None,
    }
}
