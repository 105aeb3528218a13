//! Hoisting: what both branches of an `if` load is loaded once, before them.
//!
//! ```text
//! if (c) y[i] = x[i] * 2;          t = x[i];
//! else   y[j] = x[i];      →       if (c) y[i] = t * 2;
//!                                  else   y[j] = t;
//! ```
//!
//! An `if` behind one with the opposite condition is its other branch: LLVM's jump threading sees to that.
//!
//! Also, of `c ? a[i] : b[i]` the address is chosen and then loaded from: one request instead of two.

use super::loops::changes;
use crate::compile::analysis::{Context, Region};
use crate::compile::tree::{bodies_mut, is_arithmetic_of, is_negation, same_value, walk};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Initializer, Node, Place, PlaceKind, Program, Stmt, StmtKind, Type,
};

/// Makes one `if` of two on opposite conditions.
pub(crate) fn run(program: &mut Program) {
    for function in &mut program.functions {
        join_opposite(&mut function.body);
    }
}

fn join_opposite(stmts: &mut Vec<Stmt>) {
    for stmt in &mut *stmts {
        bodies_mut(stmt).into_iter().for_each(join_opposite);
    }
    let mut at = 1;
    while at < stmts.len() {
        if is_other_branch(&stmts[at - 1], &stmts[at]) {
            let next = stmts.remove(at);
            if let StmtKind::If { otherwise, .. } = &mut stmts[at - 1].kind
                && let StmtKind::If { then, .. } = next.kind
            {
                *otherwise = then;
            }
        }
        at += 1;
    }
}

/// Whether `next` is an `if` whose body is entered just where that of `first` is not.
fn is_other_branch(first: &Stmt, next: &Stmt) -> bool {
    let (Some((condition, then)), Some((opposite, _))) = (only_branch(first), only_branch(next))
    else {
        return false;
    };
    // What the branch changes would decide the second condition anew.
    are_opposite(condition, opposite) && is_fixed_by(condition, then)
}

/// Condition and body of an `if` without `else`.
fn only_branch(stmt: &Stmt) -> Option<(&Expr, &[Stmt])> {
    match &stmt.kind {
        StmtKind::If {
            condition,
            then,
            otherwise,
        } if otherwise.is_empty() => Some((condition, then)),
        _ => None,
    }
}

/// Whether one of two conditions holds wherever the other does not.
fn are_opposite(a: &Expr, b: &Expr) -> bool {
    let compare = match (&a.kind, &b.kind) {
        (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) => {
            // What is no number is neither less nor not less.
            let is_float = matches!(&a.ty, Type::Scalar(scalar) if scalar.is_float());
            let is_ordered = !is_float || matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            is_ordered && op.opposite() == Some(*other) && same_value(a, c) && same_value(b, d)
        }
        _ => false,
    };
    compare || is_negation(a, b)
}

/// Whether a condition is computed from variables alone, of which these statements change none.
fn is_fixed_by(condition: &Expr, stmts: &[Stmt]) -> bool {
    is_arithmetic_of(condition, |expr| match &expr.kind {
        ExprKind::Load(place) => {
            matches!(place.kind, PlaceKind::Local(local) if !changes(stmts, local))
        }
        _ => true,
    })
}

/// The expression that a branch begins with.
pub(crate) fn first_expression(stmts: &[Stmt]) -> Option<&Expr> {
    match &stmts.first()?.kind {
        StmtKind::Block(body) => first_expression(body),
        StmtKind::Expr(expr)
        | StmtKind::If {
            condition: expr, ..
        } => Some(expr),
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
