//! Hoisting: what both branches of an `if` load is loaded once, before them.
//!
//! ```text
//! if (c) y[i] = x[i] * 2;          t = x[i];
//! else   y[j] = x[i];      →       if (c) y[i] = t * 2;
//!                                  else   y[j] = t;
//! ```
//!
//! Also, of `c ? a[i] : b[i]` the address is chosen and then loaded from: one request instead of two.

use crate::compile::analysis::{Context, Region};
use crate::compile::tree::{same_value, walk};
use crate::cuda::{Expr, ExprKind, Initializer, Node, Place, PlaceKind, Stmt, StmtKind};

/// The expression that a branch begins with.
pub(crate) fn first_expression(stmts: &[Stmt]) -> Option<&Expr> {
    match &stmts.first()?.kind {
        StmtKind::Block(body) => first_expression(body),
        StmtKind::Expr(expr) => Some(expr),
        StmtKind::Declare {
            init: Some(Initializer::Value(value)),
            ..
        } => Some(value),
        _ => None,
    }
}

/// The loads that both expressions make.
pub(crate) fn common_loads<'a>(context: &Context, a: &'a Expr, b: &Expr) -> Vec<&'a Expr> {
    // In the order of `a`, the branch that is written first: both branches then find the values as they come to them.
    let mut loads = certain_loads(context, a);
    let others = certain_loads(context, b);
    loads.retain(|load| others.iter().any(|other| same_value(load, other)));
    loads
}

/// The loads of memory that evaluating `expr` is sure to make; none if it has other effects than one
/// store at its end.
fn certain_loads<'a>(context: &Context, expr: &'a Expr) -> Vec<&'a Expr> {
    let value = match &expr.kind {
        // The address of a place such as `y[f(i)]` has effects of its own, which would come before the loads.
        ExprKind::Assign(place, _) | ExprKind::AssignOp { place, .. }
            if !context.is_simple_place(place) =>
        {
            return Vec::new();
        }
        ExprKind::Assign(_, value) | ExprKind::AssignOp { value, .. } => value,
        _ => expr,
    };
    let mut loads = Vec::new();
    let mut is_certain = true;
    walk(value, &mut |node| {
        let Node::Expr(expr) = node else { return };
        match &expr.kind {
            ExprKind::Load(place) if !context.is_in_register(place) => loads.push(expr),
            ExprKind::Load(_)
            | ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Convert(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::PointerOffset(..)
            | ExprKind::AddressOf(_)
            | ExprKind::Math(..)
            | ExprKind::Component(..)
            | ExprKind::Member(..) => {}
            _ => is_certain = false,
        }
    });
    // `c && x[i]`, calls and assignments may not come to the load, or change what it gives.
    if is_certain { loads } else { Vec::new() }
}

/// Whether a place can be loaded from by an address that is chosen when the kernel runs.
pub(crate) fn can_be_chosen(context: &Context, place: &Place) -> bool {
    // A bound reference stands for a place of the caller, which may be in registers and have no address.
    let is_bound = matches!(&place.kind, PlaceKind::Deref(pointer) if context.is_bound(pointer));
    let is_plain = !context.is_in_register(place) && context.is_simple_place(place);
    is_plain && !is_bound && context.region_of(place) != Region::Volatile
}
