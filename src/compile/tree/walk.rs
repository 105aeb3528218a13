//! What expressions, places and statements are made of, to look at and to change.

use crate::cuda::{Expr, ExprKind, Initializer, Place, PlaceKind, Stmt, StmtKind};

/// Declares the walks once over `&` and once over `&mut`.
macro_rules! walks {
    ($Part:ident, $inside:ident, $inside_place:ident, $expressions:ident, $bodies:ident,
     $iter:ident $(, $mutable:ident)?) => {
        /// A part of an expression or a place.
        pub enum $Part<'a> {
            /// An expression.
            Expr(&'a $($mutable)? Expr),
            /// A place.
            Place(&'a $($mutable)? Place),
        }

        /// Shows `visit` the expressions and places directly inside an expression.
        pub fn $inside<'a>(
            expr: &'a $($mutable)? Expr,
            visit: &mut dyn FnMut($Part<'a>),
        ) {
            use ExprKind::*;
            match & $($mutable)? expr.kind {
                Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) => {}
                Load(place) | AddressOf(place) => visit($Part::Place(place)),
                Step { place, .. } => visit($Part::Place(place)),
                Convert(a)
                | Unary(_, a)
                | Component(a, _)
                | Member(a, _)
                | BarrierVote(_, a)
                | Trap(Some(a)) => visit($Part::Expr(a)),
                MathTo { outputs, operand, .. } => {
                    outputs.$iter().for_each(|(_, a)| visit($Part::Expr(a)));
                    visit($Part::Expr(operand));
                }
                Binary(_, a, b)
                | PointerOffset(a, b)
                | PointerDifference(a, b)
                | And(a, b)
                | Or(a, b)
                | Comma(a, b)
                | Vote { mask: a, predicate: b, .. }
                | Reduce { mask: a, value: b, .. } => {
                    visit($Part::Expr(a));
                    visit($Part::Expr(b));
                }
                Conditional(a, b, c) | Shuffle { mask: a, value: b, lane: c, .. } => {
                    [a, b, c].into_iter().for_each(|a| visit($Part::Expr(a)));
                }
                Match { mask, value, all } => {
                    let parts = [mask, value].into_iter().chain(all);
                    parts.for_each(|a| visit($Part::Expr(a)));
                }
                Assign(place, value) | AssignOp { place, value, .. } => {
                    visit($Part::Place(place));
                    visit($Part::Expr(value));
                }
                Atomic { pointer, operands, .. } => {
                    visit($Part::Expr(pointer));
                    operands.$iter().for_each(|a| visit($Part::Expr(a)));
                }
                Call(_, operands)
                | Math(_, operands)
                | Matrix(_, operands)
                | Nothing(operands)
                | Vector(operands)
                | Struct(operands)
                | Print { values: operands, .. } => {
                    operands.$iter().for_each(|a| visit($Part::Expr(a)));
                }
            }
        }

        /// Shows `visit` what is directly inside a place.
        pub fn $inside_place<'a>(
            place: &'a $($mutable)? Place,
            visit: &mut dyn FnMut($Part<'a>),
        ) {
            match & $($mutable)? place.kind {
                PlaceKind::Local(_) | PlaceKind::File(_) => {}
                PlaceKind::Deref(pointer) => visit($Part::Expr(pointer)),
                PlaceKind::Index(base, index) => {
                    visit($Part::Place(base));
                    visit($Part::Expr(index));
                }
                PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                    visit($Part::Place(base));
                }
            }
        }

        /// Shows `visit` every expression that stands directly in these statements or in those
        /// inside.
        pub fn $expressions<'a>(
            stmts: &'a $($mutable)? [Stmt],
            visit: &mut dyn FnMut(&'a $($mutable)? Expr),
        ) {
            for stmt in stmts {
                match & $($mutable)? stmt.kind {
                    StmtKind::Expr(expr)
                    | StmtKind::SyncWarp(expr)
                    | StmtKind::Return(Some(expr)) => visit(expr),
                    StmtKind::Declare { init: Some(Initializer::Value(value)), .. } => visit(value),
                    StmtKind::Declare { init: Some(Initializer::List(values)), .. } => {
                        values.$iter().for_each(&mut *visit);
                    }
                    StmtKind::If { condition, then, otherwise } => {
                        visit(condition);
                        $expressions(then, visit);
                        $expressions(otherwise, visit);
                    }
                    StmtKind::Loop { init, condition, step, body, .. } => {
                        condition.$iter().chain(step.$iter()).for_each(&mut *visit);
                        $expressions(init, visit);
                        $expressions(body, visit);
                    }
                    StmtKind::Switch { value, sections } => {
                        visit(value);
                        for section in sections {
                            $expressions(& $($mutable)? section.body, visit);
                        }
                    }
                    StmtKind::Block(body) => $expressions(body, visit),
                    _ => {}
                }
            }
        }

        /// The lists of statements inside a statement.
        pub fn $bodies(stmt: & $($mutable)? Stmt) -> Vec<& $($mutable)? Vec<Stmt>> {
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

walks!(Part, inside, inside_place, expressions, bodies, iter);
walks!(
    PartMut,
    inside_mut,
    inside_place_mut,
    expressions_mut,
    bodies_mut,
    iter_mut,
    mut
);

/// Shows `visit` an expression and all inside it, places too.
pub fn everything<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Part<'a>)) {
    visit(Part::Expr(expr));
    inside(expr, &mut |part| everything_in(part, visit));
}

fn everything_in<'a>(part: Part<'a>, visit: &mut dyn FnMut(Part<'a>)) {
    match part {
        Part::Expr(expr) => everything(expr, visit),
        Part::Place(place) => {
            visit(Part::Place(place));
            inside_place(place, &mut |part| everything_in(part, visit));
        }
    }
}
