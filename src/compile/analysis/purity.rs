//! Expressions so simple that lanes may evaluate them without needing them, and values that may be
//! written straight to where they go.

use super::alias::Region;
use crate::compile::lower::has_branches;
use crate::compile::lower::{Home, Lower, words};
use crate::compile::optimise::Effects;
use crate::compile::optimise::Sources;
use crate::cuda::{BinaryOp, Expr, ExprKind, Place, PlaceKind};
use crate::ir::Register;

impl Lower<'_> {
    /// Whether evaluating it for lanes that do not need it costs little and changes nothing: no
    /// memory, no calls, no arithmetic that is counted.
    pub fn is_simple(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) => true,
            ExprKind::Load(place) => place.ty.scalar().is_some() && self.is_in_register(place),
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

    /// Whether a place is a variable in registers or a part of one.
    pub fn is_in_register(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => matches!(self.home(*local), Home::Register(_)),
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => self.is_in_register(base),
            PlaceKind::Index(base, _) => self.is_in_register(base),
            PlaceKind::Deref(_) | PlaceKind::File(_) => false,
        }
    }

    /// Whether its value should be kept for when the same is asked again: loads of memory, and
    /// arithmetic that is counted or slow.
    pub fn is_worth_knowing(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(place) => !self.is_in_register(place),
            ExprKind::Math(..) => !has_branches(expr),
            ExprKind::Binary(op, a, _) => {
                !op.is_comparison()
                    && (!is_integer(a) || matches!(op, BinaryOp::Div | BinaryOp::Rem))
            }
            _ => false,
        }
    }

    /// Keeps in mind that `register` holds the value of `expr`, if that is worth it and nothing but
    /// registers and memory decides it.
    pub fn remember(&mut self, expr: &Expr, register: Register) {
        let mut sources = Sources::default();
        let held = (register, words(&expr.ty));
        let is_worth_it = self.is_worth_knowing(expr) && held.1 > 0;
        if is_worth_it && self.sources(expr, &mut sources) && !sources.include(held) {
            let (function, depth) = (self.context.function, self.emitter.depth());
            let reuse = &mut self.emitter.reuse;
            reuse.remember(function, expr, held, sources, depth);
        }
    }

    /// Whether a value that is worth knowing stays the same through rounds with these effects, and
    /// may be computed before them: it is `sure` to be needed, or costs no access.
    pub fn is_invariant(&self, expr: &Expr, effects: &Effects, sure: bool) -> bool {
        let mut sources = Sources::default();
        let mut written = effects.registers.iter();
        self.is_worth_knowing(expr)
            && !matches!(expr.kind, ExprKind::Constant(_))
            && self.sources(expr, &mut sources)
            && (sure || sources.memory.is_empty())
            && !(sources.memory.is_empty() && sources.registers.is_empty())
            && !written.any(|&written| sources.include(written))
            && sources.memory.iter().all(|source| {
                let mut regions = effects.regions.iter();
                let by_others = effects.synchronizes && source.changes_at_barriers();
                !(by_others || regions.any(|&region| source.changes_with(region)))
            })
    }

    /// Collects what decides the value of `expr`; false if it has effects.
    pub fn sources(&self, expr: &Expr, sources: &mut Sources) -> bool {
        use ExprKind::*;
        match &expr.kind {
            Constant(_) | Coordinate(..) => true,
            Load(place) => {
                if !self.is_in_register(place) {
                    let region = self.region_of(place);
                    if region == Region::Volatile {
                        return false;
                    }
                    sources.memory.push(region);
                }
                self.sources_of_place(place, sources)
            }
            AddressOf(place) => self.sources_of_place(place, sources),
            Convert(operand) | Unary(_, operand) | Component(operand, _) | Member(operand, _) => {
                self.sources(operand, sources)
            }
            Binary(_, a, b) | PointerOffset(a, b) => {
                self.sources(a, sources) && self.sources(b, sources)
            }
            Math(_, operands) => {
                let mut operands = operands.iter();
                !has_branches(expr) && operands.all(|operand| self.sources(operand, sources))
            }
            _ => false,
        }
    }

    pub fn sources_of_place(&self, place: &Place, sources: &mut Sources) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => {
                if let Home::Register(home) = self.home(*local) {
                    sources.registers.push((home, words(&place.ty)));
                }
                true
            }
            PlaceKind::File(_) => true,
            // What a reference refers to is not known by its name.
            PlaceKind::Deref(pointer) => !self.is_alias(pointer) && self.sources(pointer, sources),
            PlaceKind::Index(base, index) => {
                self.sources_of_place(base, sources) && self.sources(index, sources)
            }
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                self.sources_of_place(base, sources)
            }
        }
    }

    /// Whether finding the place changes nothing.
    pub fn place_is_simple(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::File(_) => true,
            PlaceKind::Deref(pointer) => self.pointer_is_simple(pointer),
            PlaceKind::Index(base, index) => self.place_is_simple(base) && self.is_simple(index),
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                self.place_is_simple(base)
            }
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
