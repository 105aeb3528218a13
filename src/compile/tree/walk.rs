//! Walks over expressions, places and statements, to look at and to change.
//!
//! `cuda`'s `children` go one step down, `walk` goes all the way. Statements are walked in the order of the
//! source, but for a loop's condition and step, which come before what its head declares.

use crate::cuda::{
    Expr, ExprKind, Initializer, Node, NodeMut, Place, Stmt, StmtKind, children, children_mut,
    place_children, place_children_mut,
};

// Rust cannot be generic over `&` and `&mut`.
/// Declares the walks once over `&` and once over `&mut`.
macro_rules! walks {
    ($own_expressions:ident, $bodies:ident, $iter:ident $(, $mutable:ident)?) => {
        /// The expressions that stand directly in a statement, and not in the statements inside it.
        pub fn $own_expressions(stmt: & $($mutable)? Stmt) -> Vec<& $($mutable)? Expr> {
            match & $($mutable)? stmt.kind {
                StmtKind::Expr(expr)
                | StmtKind::SyncWarp(expr)
                | StmtKind::Return(Some(expr))
                | StmtKind::Declare { init: Some(Initializer::Value(expr)), .. }
                | StmtKind::If { condition: expr, .. }
                | StmtKind::Switch { value: expr, .. } => vec![expr],
                StmtKind::Declare { init: Some(Initializer::List(values)), .. } => {
                    values.$iter().collect()
                }
                StmtKind::Loop { condition, step, .. } => {
                    condition.$iter().chain(step.$iter()).collect()
                }
                _ => Vec::new(),
            }
        }

        /// The lists of statements inside a statement.
        pub fn $bodies(stmt: & $($mutable)? Stmt) -> Vec<& $($mutable)? Vec<Stmt>> {
            // Bodies only: a section's cases are constants.
            match & $($mutable)? stmt.kind {
                StmtKind::Block(body) => vec![body],
                StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
                StmtKind::Loop { init, body, .. } => vec![init, body],
                StmtKind::Switch { sections, .. } => {
                    let sections = sections.$iter();
                    sections.map(|section| & $($mutable)? section.body).collect()
                }
                _ => Vec::new(),
            }
        }
    };
}

walks!(own_expressions, bodies, iter);
walks!(own_expressions_mut, bodies_mut, iter_mut, mut);

/// Shows `visit` every expression that stands directly in these statements or in those inside.
pub fn expressions<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    for stmt in stmts {
        own_expressions(stmt).into_iter().for_each(&mut *visit);
        for body in bodies(stmt) {
            expressions(body, visit);
        }
    }
}

/// The same, to change them.
pub(crate) fn expressions_mut(stmts: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
    for stmt in stmts {
        own_expressions_mut(stmt).into_iter().for_each(&mut *visit);
        for body in bodies_mut(stmt) {
            expressions_mut(body, visit);
        }
    }
}

/// Shows `visit` an expression and all inside it, places too.
pub fn walk<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Node<'a>)) {
    walk_node(Node::Expr(expr), visit);
}

fn walk_node<'a>(node: Node<'a>, visit: &mut dyn FnMut(Node<'a>)) {
    match node {
        Node::Expr(expr) => {
            visit(Node::Expr(expr));
            children(expr, &mut |node| walk_node(node, visit));
        }
        Node::Place(place) => {
            visit(Node::Place(place));
            place_children(place, &mut |node| walk_node(node, visit));
        }
    }
}

/// Shows `visit` every expression in these statements, those inside others too.
pub(crate) fn walk_expressions<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    expressions(stmts, &mut |expr| {
        walk(expr, &mut |node| {
            if let Node::Expr(expr) = node {
                visit(expr);
            }
        });
    });
}

/// Whether an expression in these statements is what `is_it` looks for.
pub(crate) fn any_expr_of(stmts: &[Stmt], mut is_it: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    walk_expressions(stmts, &mut |expr| found |= is_it(expr));
    found
}

/// Whether an expression, or one inside it, is what `is_it` looks for.
pub(crate) fn any_expr(expr: &Expr, mut is_it: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        found |= matches!(node, Node::Expr(expr) if is_it(expr));
    });
    found
}

/// Whether a value is made by arithmetic alone, of constants and of variables and coordinates that are all `meant`.
pub(crate) fn is_arithmetic_of(expr: &Expr, mut meant: impl FnMut(&Expr) -> bool) -> bool {
    !any_expr(expr, |expr| match &expr.kind {
        ExprKind::Load(_) | ExprKind::Coordinate(..) => !meant(expr),
        ExprKind::Constant(_)
        | ExprKind::Convert(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..) => false,
        _ => true,
    })
}

/// Whether a place in these statements is what `is_it` looks for.
pub(crate) fn any_place(stmts: &[Stmt], mut is_it: impl FnMut(&Place) -> bool) -> bool {
    let mut found = false;
    expressions(stmts, &mut |expr| found |= names(expr, &mut is_it));
    found
}

/// Whether a place in an expression is what `is_it` looks for.
pub(crate) fn names(expr: &Expr, mut is_it: impl FnMut(&Place) -> bool) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        found |= matches!(node, Node::Place(place) if is_it(place));
    });
    found
}

/// Whether a statement, or one inside it, is what `is_it` looks for.
pub(crate) fn any_stmt(stmts: &[Stmt], is_it: impl Fn(&StmtKind) -> bool + Copy) -> bool {
    stmts
        .iter()
        .any(|stmt| is_it(&stmt.kind) || bodies(stmt).into_iter().any(|body| any_stmt(body, is_it)))
}

/// Changes an expression from inside out: what it holds first.
pub(crate) fn rewrite(expr: &mut Expr, change: &mut dyn FnMut(&mut Expr)) {
    children_mut(expr, &mut |node| rewrite_node(node, change));
    change(expr);
}

fn rewrite_node(node: NodeMut, change: &mut dyn FnMut(&mut Expr)) {
    match node {
        NodeMut::Expr(expr) => rewrite(expr, change),
        NodeMut::Place(place) => {
            place_children_mut(place, &mut |node| rewrite_node(node, change));
        }
    }
}
