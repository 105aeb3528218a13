//! Induction variables: what a loop's counter is always a multiple of.
//!
//! Example: in `for (int k = 0; k < n; k += 4)`, `k` is a multiple of 4, so `s[k]` to `s[k + 3]` of
//! shared memory lie in the same aligned 16 bytes.

use super::dependences::Iteration;
use crate::compile::tree::{any_expr, bodies, expressions, own_expressions};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Initializer, LocalId, Place, PlaceKind, Stmt, StmtKind,
};

/// A loop's counter, and a power of two up to 16 that always divides it.
pub(crate) struct Counter {
    pub local: LocalId,
    pub multiple: i64,
}

/// The counter that a loop's head declares, if every iteration changes it by the same amount.
pub(crate) fn counter(init: &[Stmt], iteration: Iteration) -> Option<Counter> {
    let (local, start) = init.last().and_then(begins_at)?;
    let step = iteration.step.map(|step| change(step, local));
    let mut changes = changes(iteration.body, local).into_iter().chain(step);
    let total = changes.try_fold(0_i64, |total, change| Some(total.wrapping_add(change?)))?;
    let divisible = start.unsigned_abs() | total.unsigned_abs();
    (divisible > 0).then(|| Counter {
        local,
        multiple: 1 << divisible.trailing_zeros().min(4),
    })
}

/// The variable that a loop's head declares, and its first value.
fn begins_at(init: &Stmt) -> Option<(LocalId, i64)> {
    let StmtKind::Declare {
        local,
        init: Some(Initializer::Value(value)),
    } = &init.kind
    else {
        return None;
    };
    match value.kind {
        ExprKind::Constant(bits) if value.ty.scalar()?.is_integer() => Some((*local, bits as i64)),
        _ => None,
    }
}

/// By how much each statement changes a variable; nothing of one that does in another way.
fn changes(stmts: &[Stmt], local: LocalId) -> Vec<Option<i64>> {
    let mut found = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            // Unrolled bodies stand in blocks, with steps between.
            StmtKind::Block(body) => found.extend(changes(body, local)),
            StmtKind::Expr(expr) => found.push(change(expr, local)),
            StmtKind::Declare {
                local: declared, ..
            } if *declared == local => found.push(None),
            _ => {
                let mut exprs = own_expressions(stmt);
                for body in bodies(stmt) {
                    expressions(body, &mut |expr| exprs.push(expr));
                }
                let keeps = exprs.iter().all(|expr| change(expr, local) == Some(0));
                // A change in a branch is not made by every iteration.
                found.push(keeps.then_some(0));
            }
        }
    }
    found
}

/// By how much `expr` changes a variable.
fn change(expr: &Expr, local: LocalId) -> Option<i64> {
    let is_it = |place: &Place| place.kind == PlaceKind::Local(local);
    match &expr.kind {
        ExprKind::Step { place, up, .. } if is_it(place) => Some(if *up { 1 } else { -1 }),
        ExprKind::AssignOp {
            place, op, value, ..
        } if is_it(place) => match (op, &value.kind) {
            (BinaryOp::Add, ExprKind::Constant(bits)) => Some(*bits as i64),
            (BinaryOp::Sub, ExprKind::Constant(bits)) => Some((*bits as i64).wrapping_neg()),
            _ => None,
        },
        _ => {
            let may_change = any_expr(expr, |expr| match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => is_it(place),
                ExprKind::AddressOf(place) => is_it(place),
                _ => false,
            });
            (!may_change).then_some(0)
        }
    }
}
