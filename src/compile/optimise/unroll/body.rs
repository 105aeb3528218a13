//! What the body of a loop does, as far as unrolling has to know.

use super::fold::{is_load_of, is_local};
use crate::compile::tree::{Part, bodies, everything, expressions};
use crate::cuda::{Expr, ExprKind, LocalId, Stmt, StmtKind};

/// Whether a `break` or `continue` of the loop with this body stands in it.
pub(crate) fn departs(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(body) => departs(body),
        StmtKind::If {
            then, otherwise, ..
        } => departs(then) || departs(otherwise),
        StmtKind::Switch { sections, .. } => sections.iter().any(|section| departs(&section.body)),
        _ => false,
    })
}

/// Whether threads wait for each other in these statements.
pub(crate) fn waits(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Barrier | StmtKind::SyncWarp(_))
            || bodies(stmt).into_iter().any(|body| waits(body))
    })
}

/// Whether these statements may change a variable, or take its address.
pub(crate) fn changes(body: &[Stmt], local: LocalId) -> bool {
    let mut found = declares(body, local);
    expressions(body, &mut |expr| {
        everything(expr, &mut |part| {
            let Part::Expr(expr) = part else { return };
            found |= match &expr.kind {
                ExprKind::AddressOf(place) => is_local(place, local),
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => is_local(place, local),
                _ => false,
            };
        });
    });
    found
}

fn declares(body: &[Stmt], local: LocalId) -> bool {
    body.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Declare { local: declared, .. } if declared == local)
            || bodies(stmt).into_iter().any(|body| declares(body, local))
    })
}

/// Whether `expr` loads a variable.
pub(crate) fn loads(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    everything(expr, &mut |part| {
        found |= matches!(part, Part::Expr(expr) if is_load_of(expr, local));
    });
    found
}

/// How many statements these are, with those inside others.
pub(crate) fn statements(body: &[Stmt]) -> u32 {
    let own = body.len() as u32;
    let inner = body.iter().flat_map(bodies).map(|body| statements(body));
    inner.fold(own, u32::saturating_add)
}
