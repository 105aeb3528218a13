//! What expressions, places and statements are made of, to look at and to change.
//!
//! `children` go one step down, `walk` goes all the way. Statements are walked in the order of the
//! source, but for a loop's condition and step, which come before what its head declares.

use crate::cuda::{Expr, ExprKind, Initializer, Place, PlaceKind, Stmt, StmtKind};

// Rust cannot be generic over `&` and `&mut`.
/// Declares the walks once over `&` and once over `&mut`.
macro_rules! walks {
    ($Node:ident, $children:ident, $place_children:ident, $own_expressions:ident, $bodies:ident,
     $iter:ident $(, $mutable:ident)?) => {
        /// An expression or a place: what expressions are made of.
        pub enum $Node<'a> {
            /// An expression.
            Expr(&'a $($mutable)? Expr),
            /// A place.
            Place(&'a $($mutable)? Place),
        }

        /// Shows `visit` the expressions and places directly inside an expression.
        pub fn $children<'a>(
            expr: &'a $($mutable)? Expr,
            visit: &mut dyn FnMut($Node<'a>),
        ) {
            use ExprKind::*;
            match & $($mutable)? expr.kind {
                // No pass looks into what only the host does.
                Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) | Host(_) => {}
                Load(place) | AddressOf(place) => visit($Node::Place(place)),
                Step { place, .. } => visit($Node::Place(place)),
                Convert(a)
                | Unary(_, a)
                | Component(a, _)
                | Member(a, _)
                | BarrierVote(_, a)
                | Trap(Some(a)) => visit($Node::Expr(a)),
                MathTo { outputs, operand, .. } => {
                    outputs.$iter().for_each(|(_, a)| visit($Node::Expr(a)));
                    visit($Node::Expr(operand));
                }
                Binary(_, a, b)
                | PointerOffset(a, b)
                | PointerDifference(a, b)
                | And(a, b)
                | Or(a, b)
                | Comma(a, b)
                | Vote { mask: a, predicate: b, .. }
                | Reduce { mask: a, value: b, .. } => {
                    visit($Node::Expr(a));
                    visit($Node::Expr(b));
                }
                Conditional(a, b, c) | Shuffle { mask: a, value: b, lane: c, .. } => {
                    [a, b, c].into_iter().for_each(|a| visit($Node::Expr(a)));
                }
                Match { mask, value, all } => {
                    let parts = [mask, value].into_iter().chain(all);
                    parts.for_each(|a| visit($Node::Expr(a)));
                }
                Assign(place, value) | AssignOp { place, value, .. } => {
                    visit($Node::Place(place));
                    visit($Node::Expr(value));
                }
                Atomic { pointer, operands, .. } => {
                    visit($Node::Expr(pointer));
                    operands.$iter().for_each(|a| visit($Node::Expr(a)));
                }
                Call(_, operands)
                | Math(_, operands)
                | Matrix(_, operands)
                | Texture(_, operands)
                | Launch(_, operands)
                | Nothing(operands)
                | Order(_, operands)
                | Vector(operands)
                | Struct(operands)
                | Print { values: operands, .. } => {
                    operands.$iter().for_each(|a| visit($Node::Expr(a)));
                }
            }
        }

        /// Shows `visit` what is directly inside a place.
        pub fn $place_children<'a>(
            place: &'a $($mutable)? Place,
            visit: &mut dyn FnMut($Node<'a>),
        ) {
            match & $($mutable)? place.kind {
                PlaceKind::Local(_) | PlaceKind::File(_) => {}
                PlaceKind::Deref(pointer) => visit($Node::Expr(pointer)),
                PlaceKind::Index(base, index) => {
                    visit($Node::Place(base));
                    visit($Node::Expr(index));
                }
                PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                    visit($Node::Place(base));
                }
            }
        }

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

walks!(
    Node,
    children,
    place_children,
    own_expressions,
    bodies,
    iter
);
walks!(
    NodeMut,
    children_mut,
    place_children_mut,
    own_expressions_mut,
    bodies_mut,
    iter_mut,
    mut
);

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

/// Whether an expression, or one inside it, is what `is_it` looks for.
pub(crate) fn any_expr(expr: &Expr, mut is_it: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        found |= matches!(node, Node::Expr(expr) if is_it(expr));
    });
    found
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
pub(crate) fn any_stmt(stmts: &[Stmt], is_it: fn(&StmtKind) -> bool) -> bool {
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
