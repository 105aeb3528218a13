//! Whether two expressions or places, wherever they stand, mean the same.
//!
//! Only what has no effects is compared: of a call or an assignment each is its own.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::walk::walk;
use crate::cuda::{Expr, ExprKind, Node, Place, PlaceKind, UnaryOp};

/// Whether two expressions without effects say the same; where they stand does not matter.
pub(crate) fn same_value(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    let all_same = |a: &[Expr], b: &[Expr]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
    };
    // `(float)i` and `i` have the same operand and not the same value.
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (Constant(a), Constant(b)) => a == b,
            (Coordinate(what, axis), Coordinate(other, along)) => what == other && axis == along,
            // That nothing was written between two loads is for others to know: `Facts` forgets what a store changes.
            (Load(a), Load(b)) | (AddressOf(a), AddressOf(b)) => same_place(a, b),
            (Convert(a), Convert(b)) => same_value(a, b),
            (Unary(op, a), Unary(other, b)) => op == other && same_value(a, b),
            (Component(a, i), Component(b, j)) => i == j && same_value(a, b),
            (Member(a, i), Member(b, j)) => i == j && same_value(a, b),
            (Binary(op, a, b), Binary(other, c, d)) => {
                op == other && same_value(a, c) && same_value(b, d)
            }
            (PointerOffset(a, b), PointerOffset(c, d)) => same_value(a, c) && same_value(b, d),
            (Math(function, a), Math(other, b)) => function == other && all_same(a, b),
            _ => false,
        }
}

/// Whether one of two conditions is the other with a `!` before it.
pub(crate) fn is_negation(a: &Expr, b: &Expr) -> bool {
    let negates = |a: &Expr, b: &Expr| match &a.kind {
        ExprKind::Unary(UnaryOp::LogicalNot, a) => same_value(a, b),
        _ => false,
    };
    negates(a, b) || negates(b, a)
}

pub(crate) fn same_place(a: &Place, b: &Place) -> bool {
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (PlaceKind::Local(a), PlaceKind::Local(b)) => a == b,
            (PlaceKind::File(a), PlaceKind::File(b)) => a == b,
            (PlaceKind::Deref(a), PlaceKind::Deref(b)) => same_value(a, b),
            (PlaceKind::Index(a, i), PlaceKind::Index(b, j)) => {
                same_place(a, b) && same_value(i, j)
            }
            (PlaceKind::Member(a, i), PlaceKind::Member(b, j)) => i == j && same_place(a, b),
            (PlaceKind::Component(a, i), PlaceKind::Component(b, j)) => i == j && same_place(a, b),
            _ => false,
        }
}

/// A number that is the same for all expressions that say the same.
pub(crate) fn hash_of_value(expr: &Expr) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Kinds, constants and variables are enough: equal values have equal hashes, and others are told apart by
    // comparing.
    walk(expr, &mut |node| match node {
        Node::Expr(expr) => {
            std::mem::discriminant(&expr.kind).hash(&mut hasher);
            if let ExprKind::Constant(bits) = expr.kind {
                bits.hash(&mut hasher);
            }
        }
        Node::Place(place) => {
            std::mem::discriminant(&place.kind).hash(&mut hasher);
            if let PlaceKind::Local(id) = place.kind {
                id.hash(&mut hasher);
            }
        }
    });
    hasher.finish()
}
