//! Expressions so simple that lanes may evaluate them without needing them, and values that may be
//! written straight to where they go.

use super::lower::{Home, Lower, words};
use crate::cuda::{Expr, ExprKind, Place, PlaceKind};

impl Lower<'_> {
    /// Whether evaluating it for lanes that do not need it costs little and changes nothing: no
    /// memory, no calls, no arithmetic that is counted.
    pub fn is_simple(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) => true,
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Local(local) => {
                    place.ty.scalar().is_some() && matches!(self.home(local), Home::Register(_))
                }
                _ => false,
            },
            ExprKind::Convert(operand) => self.is_simple(operand),
            ExprKind::Unary(_, operand) => self.is_simple(operand) && is_integer(operand),
            ExprKind::Binary(op, a, b) => {
                self.is_simple(a) && self.is_simple(b) && (op.is_comparison() || is_integer(a))
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.is_simple(a) && self.is_simple(b),
            _ => false,
        }
    }

    /// Whether the value's last instruction writes it whole, after everything that it reads: only
    /// then may it be written straight to the variable that it is assigned to.
    pub fn writes_last(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Load(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(_)
            | ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Math(..) => words(&value.ty) == 1,
            ExprKind::And(_, b) | ExprKind::Or(_, b) => self.is_simple(b),
            ExprKind::Conditional(_, a, b) => {
                words(&value.ty) == 1 && self.is_simple(a) && self.is_simple(b)
            }
            _ => false,
        }
    }

    /// Whether finding the place changes nothing.
    pub fn place_is_simple(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(_) => true,
            PlaceKind::Deref(pointer) => self.pointer_is_simple(pointer),
            PlaceKind::Index(base, index) => self.place_is_simple(base) && self.is_simple(index),
            PlaceKind::Component(base, _) => self.place_is_simple(base),
        }
    }

    fn pointer_is_simple(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::PointerOffset(base, index) => {
                self.pointer_is_simple(base) && self.is_simple(index)
            }
            ExprKind::AddressOf(place) => self.place_is_simple(place),
            ExprKind::Load(Place {
                kind: PlaceKind::Local(_),
                ..
            }) => true,
            _ => false,
        }
    }
}

fn is_integer(expr: &Expr) -> bool {
    expr.ty.scalar().is_some_and(|scalar| scalar.is_integer())
}
