//! Speculation: branches so short that all lanes compute them and choose, so that nothing is moved into them.

use crate::compile::analysis::Context;
use crate::cuda::{BinaryOp, Expr, ExprKind, Initializer, Place, Stmt, StmtKind};

/// Most operations of LLVM in a branch without another side, or in the second side: `SpeculativelyExecuteBB` of its
/// `SimplifyCFG`, with the limits that nvcc's code for some 140 kernels showed.
pub(crate) const MOST_SPECULATED: usize = 5;
/// Most in the first of two sides, which is tried last.
pub(crate) const MOST_SPECULATED_FIRST: usize = 3;

/// Whether all lanes compute both sides of an `if`.
pub(super) fn is_speculated(context: &Context, then: &[Stmt], otherwise: &[Stmt]) -> bool {
    let count = |stmts| operations_of_all(context, stmts);
    match (count(then), count(otherwise)) {
        (Some(first), Some(_)) if otherwise.is_empty() => first <= MOST_SPECULATED,
        (Some(first), Some(second)) => first <= MOST_SPECULATED_FIRST && second <= MOST_SPECULATED,
        _ => false,
    }
}

/// The operations in these statements; nothing if they do more than compute variables in registers.
fn operations_of_all(context: &Context, stmts: &[Stmt]) -> Option<usize> {
    let counts = stmts.iter().map(|stmt| match &stmt.kind {
        StmtKind::Block(body) => operations_of_all(context, body),
        StmtKind::Expr(expr) => operations(context, expr),
        StmtKind::Declare {
            init: Some(Initializer::Value(value)),
            ..
        } => operations(context, value),
        StmtKind::Declare { init: None, .. } => Some(0),
        _ => None,
    });
    counts.sum()
}

/// The operations of an expression; calls of functions, among them `fmaxf` and `fabsf`, end the search.
fn operations(context: &Context, expr: &Expr) -> Option<usize> {
    let of = |operand: &Expr| operations(context, operand);
    let of_place = |place: &Place| context.is_in_register(place).then_some(0);
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Coordinate(..) => Some(0),
        ExprKind::Load(place) => of_place(place),
        ExprKind::Convert(a) => Some(of(a)? + usize::from(expr.ty != a.ty)),
        // The sign is part of what reads it.
        ExprKind::Unary(_, a) => of(a),
        ExprKind::Binary(op, a, b) if !divides(*op) => Some(of(a)? + of(b)? + 1),
        ExprKind::Assign(place, value) => Some(of_place(place)? + of(value)?),
        ExprKind::AssignOp {
            place, op, value, ..
        } if !divides(*op) => Some(of_place(place)? + of(value)? + 1),
        ExprKind::Step { place, .. } => Some(of_place(place)? + 1),
        _ => None,
    }
}

/// A quotient takes more than a short branch does.
fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::Rem)
}
