//! Expressions: values into registers.

use super::lowering::Lower;
use super::place::{Address, Located};
use crate::compile::optimise::{FrameFacts, can_be_chosen, common_loads};
use crate::compile::tree::{field, words};
use crate::cuda::{Expr, ExprKind, Place, Type};
use crate::ir::{Op, Register, Space};

/// The value of a condition, and what only some lanes know behind it.
pub(super) struct Condition {
    pub register: Register,
    /// The lanes that evaluated the last part: behind `a && b` those where it holds are among them, behind `a || b`
    /// those where it does not.
    known_where: bool,
    known: FrameFacts,
}

impl Lower<'_> {
    /// Evaluates `expr` into `into`, or wherever its value comes to be. That may be the register of
    /// a variable: the value must be used before the variable changes.
    pub fn expr(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        // Variables and integers are as cheap to evaluate as to look for.
        if !self.optimises() || !self.context.is_candidate(expr) {
            return self.compute(expr, into);
        }
        let (function, size) = (self.context.function, words(&expr.ty));
        if let Some(known) = self.emitter.facts.expressions.find(function, expr) {
            return self.copy_to(known, size, into);
        }
        if let ExprKind::Load(place) = &expr.kind
            && let Some(known) = self.known_load(place)
        {
            return self.copy_to(known, size, into);
        }
        let register = self.compute(expr, into);
        // `into` is a variable or a temporary that changes soon: who assigns remembers it.
        if into.is_none() {
            self.remember(expr, register);
        }
        register
    }

    fn compute(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        let size = words(&expr.ty);
        match &expr.kind {
            ExprKind::Constant(bits) => {
                let register = self.constant(*bits, size);
                self.copy_to(register, size, into)
            }
            ExprKind::Load(_) if self.context.is_bound(expr) => self.pointer_plus(expr, into),
            ExprKind::Load(place) => self.load_place(place, into),
            ExprKind::AddressOf(place) => self.pointer_to(place, into),
            ExprKind::PointerOffset(..) => self.pointer_plus(expr, into),
            ExprKind::PointerDifference(a, b) => self.difference(a, b, into),
            ExprKind::Convert(operand) => self.converted(operand, &expr.ty, into),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, into),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, into),
            ExprKind::And(a, b) => self.logical(a, b, true, into).register,
            ExprKind::Or(a, b) => self.logical(a, b, false, into).register,
            ExprKind::Conditional(condition, a, b) => self.conditional(condition, a, b, into),
            ExprKind::Assign(place, value) => self.assign(place, value, into),
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => self.assign_op(place, *op, value, computed, into),
            ExprKind::Step { place, up, prefix } => self.step(place, *up, *prefix, into),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, into),
            ExprKind::Math(function, operands) => self.math(*function, operands, expr, into),
            ExprKind::Vector(components) => self.vector(components, size, into),
            ExprKind::Component(vector, lane) => self.part(vector, lane * size, size, into),
            ExprKind::Struct(parts) => self.structure(parts, size, into),
            ExprKind::Member(object, index) => self.member(object, *index, size, into),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.expr(second, into)
            }
            _ => self.special(expr, into),
        }
    }

    fn load_place(&mut self, place: &Place, into: Option<Register>) -> Register {
        let at = self.locate(place);
        self.about_to_read(place);
        let declared = place.ty.align_bytes();
        let align_bytes = match self.known_alignment(place) {
            known if known > declared && self.is_needed_whole(place) => known,
            _ => declared,
        };
        self.load_aligned(at, &place.ty, align_bytes, place.span, into)
    }

    fn converted(&mut self, operand: &Expr, to: &Type, into: Option<Register>) -> Register {
        let register = self.expr(operand, None);
        self.convert(register, &operand.ty, to, into)
    }

    fn member(
        &mut self,
        object: &Expr,
        index: usize,
        size: u32,
        into: Option<Register>,
    ) -> Register {
        let part = field(&object.ty, index).expect("the checker found the field");
        self.part(object, part.word, size, into)
    }

    /// So many words of a vector or struct, from word `first` on.
    fn part(&mut self, whole: &Expr, first: u32, size: u32, into: Option<Register>) -> Register {
        let register = self.expr(whole, None) + first as Register;
        self.copy_to(register, size, into)
    }

    /// Evaluates expressions, in order.
    pub fn operands(&mut self, operands: &[Expr]) -> Vec<Register> {
        let operands = operands.iter();
        operands.map(|operand| self.expr(operand, None)).collect()
    }

    /// Evaluates `expr` for what it does only.
    pub fn effect(&mut self, expr: &Expr) {
        match &expr.kind {
            // As a prefix, which needs no copy of the old value: `i++;` is `++i;`.
            ExprKind::Step { place, up, .. } => self.step(place, *up, true, None),
            ExprKind::Atomic { .. } => self.atomic(expr, false, None),
            _ => self.expr(expr, None),
        };
    }

    fn difference(&mut self, a: &Expr, b: &Expr, into: Option<Register>) -> Register {
        let size_bytes = match &a.ty {
            Type::Pointer { to, .. } => to.size_bytes().max(1),
            _ => 1,
        };
        let (a, b) = (self.expr(a, None), self.expr(b, None));
        let bytes = self.operation(Op::SubI64, 2, &[a, b], None);
        let size_bytes = self.emitter.registers.const64(u64::from(size_bytes));
        self.operation(Op::DivI64, 2, &[bytes, size_bytes], into)
    }

    /// Evaluates what an `if` or a loop asks for.
    pub(super) fn condition(&mut self, expr: &Expr) -> Condition {
        let (a, b, is_and) = match &expr.kind {
            ExprKind::And(a, b) => (a, b, true),
            ExprKind::Or(a, b) => (a, b, false),
            _ => return self.plain_condition(expr),
        };
        let known = &self.emitter.facts.expressions;
        if known.find(self.context.function, expr).is_some() {
            return self.plain_condition(expr);
        }
        let condition = self.logical(a, b, is_and, None);
        self.remember(expr, condition.register);
        condition
    }

    fn plain_condition(&mut self, expr: &Expr) -> Condition {
        Condition {
            register: self.expr(expr, None),
            known_where: true,
            known: FrameFacts::default(),
        }
    }

    /// Only lanes go on where a condition holds, or does not: what they alone know is known here.
    pub(super) fn know_where(&mut self, condition: &mut Condition, holds: bool) {
        if condition.known_where == holds {
            let known = std::mem::take(&mut condition.known);
            self.emitter.facts.know(known);
        }
    }

    /// `a && b`, or `a || b`.
    fn logical(&mut self, a: &Expr, b: &Expr, is_and: bool, into: Option<Register>) -> Condition {
        let mut first = self.condition(a);
        // No branch where evaluating `b` for all lanes is free.
        if self.context.is_speculatable(b) {
            let b = self.expr(b, None);
            // Both are 0 or 1.
            let op = if is_and { Op::And32 } else { Op::Or32 };
            let register = self.operation(op, 1, &[first.register, b], into);
            let known = (first.known_where == is_and).then_some(first.known);
            return Condition {
                register,
                known_where: is_and,
                known: known.unwrap_or_default(),
            };
        }
        let result = self.emitter.registers.take(1);
        self.copy_to(first.register, 1, Some(result));
        let condition = if is_and {
            result
        } else {
            // `a || b` evaluates `b` for lanes where `a` is 0.
            let zero = self.emitter.registers.const32(0);
            self.operation(Op::Eq32, 1, &[result, zero], None)
        };
        self.emitter.open_if(condition);
        self.know_where(&mut first, is_and);
        self.expr(b, Some(result));
        let known = self.emitter.facts.of_frame();
        self.emitter.close();
        Condition {
            register: self.copy_to(result, 1, into),
            known_where: is_and,
            known,
        }
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Register {
        let size = words(&a.ty);
        let mut chosen = self.condition(condition);
        let condition = chosen.register;
        if self.context.is_speculatable(a) && self.context.is_speculatable(b) {
            let op = if size == 2 {
                Op::Select64
            } else {
                Op::Select32
            };
            let (a, b) = (self.expr(a, None), self.expr(b, None));
            return self.operation(op, size, &[condition, a, b], into);
        }
        if let Some(result) = self.load_either(condition, a, b, into) {
            return result;
        }
        self.load_common(a, b);
        // Not `into`: it may be the register of a variable that the arms still read.
        let result = self.emitter.registers.take(size);
        self.emitter.open_if(condition);
        self.know_where(&mut chosen, true);
        self.expr(a, Some(result));
        self.emitter.otherwise();
        self.know_where(&mut chosen, false);
        self.expr(b, Some(result));
        self.emitter.close();
        self.copy_to(result, size, into)
    }

    /// Loads what evaluating both expressions loads, before either.
    pub fn load_common(&mut self, a: &Expr, b: &Expr) {
        if self.optimises() {
            for load in common_loads(&self.context, a, b) {
                self.expr(load, None);
            }
        }
    }

    /// Whether a place is loaded from, by an address that may be chosen.
    fn is_chosen(&mut self, place: &Place) -> bool {
        can_be_chosen(&self.context, place) && !self.is_known(place)
    }

    /// Of two values that both lie in memory, the one whose address `condition` chooses.
    fn load_either(
        &mut self,
        condition: Register,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Option<Register> {
        let (ExprKind::Load(first), ExprKind::Load(second)) = (&a.kind, &b.kind) else {
            return None;
        };
        if !self.optimises() || !self.is_chosen(first) || !self.is_chosen(second) {
            return None;
        }
        let [x, y] = [first, second].map(|place| self.context.region_of(place));
        if x.is_shared() != y.is_shared() {
            return None;
        }
        let [first_at, second_at] = [first, second].map(|place| self.pointer_to(place, None));
        let operands = [condition, first_at, second_at];
        let chosen = self.operation(Op::Select64, 2, &operands, None);
        let address = Address::new(Space::Generic, x.joined(y), chosen, 0);
        Some(self.load(Located::Memory(address), &a.ty, first.span, into))
    }

    fn vector(&mut self, components: &[Expr], size: u32, into: Option<Register>) -> Register {
        // Not `into`: a component may still read the variable whose register it is.
        let result = self.emitter.registers.take(size);
        let mut next = result;
        for component in components {
            self.expr(component, Some(next));
            next += words(&component.ty) as Register;
        }
        self.copy_to(result, size, into)
    }

    /// A struct from its parts; what they leave is zero.
    fn structure(&mut self, parts: &[Expr], size: u32, into: Option<Register>) -> Register {
        // Not `into`: a part may still read the variable whose register it is.
        let result = self.emitter.registers.take(size);
        let mut next = 0;
        for part in parts {
            self.expr(part, Some(result + next as Register));
            next += words(&part.ty);
        }
        let zero = self.emitter.registers.const32(0);
        for word in next..size {
            self.copy_to(zero, 1, Some(result + word as Register));
        }
        self.copy_to(result, size, into)
    }
}
