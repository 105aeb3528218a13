//! What both branches of an `if` do, which `nvcc` does once, around them.

use super::common_subexpressions::{same, same_place};
use super::sinking::Door;
use crate::compile::analysis::Region;
use crate::compile::lower::Lower;
use crate::compile::lower::{Address, Located};
use crate::compile::tree::words;
use crate::compile::tree::{Part, everything};
use crate::cuda::{Expr, ExprKind, Initializer, Place, PlaceKind, Stmt, StmtKind};
use crate::ir::{Op, Register, Space};
use crate::source::Span;

/// Two branches that store to one place: the place, and each branch's statement and value.
pub(crate) struct Both<'a> {
    place: &'a Place,
    sides: [(Span, &'a Expr); 2],
}

/// Whether each branch is one statement that stores to the same place.
pub(crate) fn both<'a>(then: &'a [Stmt], otherwise: &'a [Stmt]) -> Option<Both<'a>> {
    let (first, place, value) = stores(then)?;
    let (second, other, chosen) = stores(otherwise)?;
    same_place(place, other).then_some(Both {
        place,
        sides: [(first, value), (second, chosen)],
    })
}

fn stores(stmts: &[Stmt]) -> Option<(Span, &Place, &Expr)> {
    match only(stmts)? {
        Stmt {
            kind:
                StmtKind::Expr(Expr {
                    kind: ExprKind::Assign(place, value),
                    ..
                }),
            span,
        } => Some((*span, place, value)),
        _ => None,
    }
}

/// The only statement of a branch, out of its braces.
fn only(stmts: &[Stmt]) -> Option<&Stmt> {
    match stmts {
        [
            Stmt {
                kind: StmtKind::Block(body),
                ..
            },
        ] => only(body),
        [stmt] => Some(stmt),
        _ => None,
    }
}

/// The expression that a branch begins with.
pub(crate) fn begins(stmts: &[Stmt]) -> Option<&Expr> {
    match &stmts.first()?.kind {
        StmtKind::Block(body) => begins(body),
        StmtKind::Expr(expr) => Some(expr),
        StmtKind::Declare {
            init: Some(Initializer::Value(value)),
            ..
        } => Some(value),
        _ => None,
    }
}

impl<'s> Lower<'s> {
    /// Loads that both expressions make, made before either.
    pub fn load_common(&mut self, a: &Expr, b: &Expr) {
        if self.as_written {
            return;
        }
        let (first, second) = (self.certain_loads(a), self.certain_loads(b));
        for load in first {
            if second.iter().any(|other| same(load, other)) {
                self.expr(load, None);
            }
        }
    }

    /// The loads of memory that evaluating `expr` is sure to make; none if it has other effects
    /// than one store at its end.
    fn certain_loads<'a>(&self, expr: &'a Expr) -> Vec<&'a Expr> {
        let mut loads = Vec::new();
        let mut is_certain = true;
        let value = match &expr.kind {
            ExprKind::Assign(place, value) | ExprKind::AssignOp { place, value, .. } => {
                is_certain &= self.place_is_simple(place);
                value
            }
            _ => expr,
        };
        everything(value, &mut |part| {
            let Part::Expr(expr) = part else { return };
            match &expr.kind {
                ExprKind::Load(place) if !self.is_in_register(place) => loads.push(expr),
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
        if is_certain { loads } else { Vec::new() }
    }

    /// Of two values that both lie in memory, the one whose address `condition` chooses: `nvcc` makes
    /// one load of them.
    pub fn load_either(
        &mut self,
        condition: Register,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Option<Register> {
        let (ExprKind::Load(first), ExprKind::Load(second)) = (&a.kind, &b.kind) else {
            return None;
        };
        if self.as_written {
            return None;
        }
        for place in [first, second] {
            let is_simple = !self.is_in_register(place) && self.place_is_simple(place);
            let is_alias =
                matches!(&place.kind, PlaceKind::Deref(pointer) if self.is_alias(pointer));
            let is_volatile = self.region_of(place) == Region::Volatile;
            if !is_simple || is_alias || is_volatile || self.is_known(place) {
                return None;
            }
        }
        let regions = [first, second].map(|place| self.region_of(place));
        if regions[0].is_shared() != regions[1].is_shared() {
            return None;
        }
        let region = if regions[0] == regions[1] {
            regions[0]
        } else {
            Region::Unknown
        };
        let [first_at, second_at] = [first, second].map(|place| self.pointer_to(place, None));
        let operands = [condition, first_at, second_at];
        let chosen = self.operation(Op::Select64, 2, &operands, None);
        let address = Address::new(Space::Generic, region, chosen, 0);
        Some(self.load(Located::Memory(address), &a.ty, first.span, into))
    }

    /// Whether the store can wait for the end of both branches.
    pub fn may_store_behind(&self, both: &Both) -> bool {
        let size = words(&both.place.ty);
        !self.as_written
            && (1..=4).contains(&size)
            && !self.is_in_register(both.place)
            && self.place_is_simple(both.place)
    }

    /// An `if` whose branches store to one place; the frame of the `if` is open.
    pub fn store_behind(&mut self, both: &Both, stmt: &'s Stmt) {
        let size = words(&both.place.ty);
        let result = self.emitter.registers(size);
        for (side, (span, value)) in both.sides.iter().enumerate() {
            let door = match side {
                0 => Door::Then,
                _ => Door::Else,
            };
            if door == Door::Else {
                self.emitter.otherwise();
            }
            self.surface(stmt, door, &[]);
            self.joins.next_statement();
            self.emitter.statement(*span);
            let mark = self.emitter.mark();
            self.expr(value, Some(result));
            self.emitter.release(mark);
        }
        self.emitter.close();
        self.emitter.rest_of(stmt.span);
        let at = self.locate(both.place);
        self.store_to(both.place, at, result);
    }
}
