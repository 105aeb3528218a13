//! Assignments: values into places.

use super::lowering::Lower;
use super::place::Located;
use crate::compile::analysis::{Affine, Location};
use crate::compile::optimise::{Origin, Product};
use crate::compile::tree::words;
use crate::cuda::{BinaryOp, Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    pub fn assign(&mut self, place: &Place, value: &Expr, into: Option<Register>) -> Register {
        let size = words(&value.ty);
        if let PlaceKind::Local(local) = place.kind
            && let Location::Register(variable) = self.context.location(local)
        {
            // Straight into the variable where only the value's last instruction writes it: all that reads the old
            // one has run by then.
            let target = self.writes_last(value).then_some(variable);
            // Before the variable changes: `i = i + 1` is one more than the old `i`.
            let affine = self.affine(value);
            let register = self.assigned_value(value, target);
            self.copy_to(register, size, Some(variable));
            // After the copy, since writing a register makes it forgotten what it held.
            self.holds(variable, size, affine);
            self.remember(value, variable);
            return self.copy_to(variable, size, into);
        }
        if self.context.is_in_register(place) && self.writes_last(value) {
            let Located::Register(variable) = self.locate(place) else {
                unreachable!("it is in a register")
            };
            let register = self.expr(value, Some(variable));
            self.copy_to(register, size, Some(variable));
            return self.copy_to(variable, size, into);
        }
        let mut register = self.expr(value, None);
        if !self.context.is_simple_place(place) {
            // The place's own effects come after the value.
            let copy = self.emitter.registers.take(size);
            register = self.copy_to(register, size, Some(copy));
        }
        let at = self.locate(place);
        self.store_to(place, at, register);
        self.copy_to(register, size, into)
    }

    /// Whether the value's last instruction writes it whole, after everything that it reads: only
    /// then may it be written straight to the variable that it is assigned to. Not so
    /// `x = c ? f(x) : x`.
    fn writes_last(&self, value: &Expr) -> bool {
        let is_free = |expr: &Expr| self.context.is_speculatable(expr);
        match &value.kind {
            ExprKind::Load(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(_)
            | ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Math(..) => words(&value.ty) == 1,
            ExprKind::And(_, b) | ExprKind::Or(_, b) => is_free(b),
            ExprKind::Conditional(_, a, b) => words(&value.ty) == 1 && is_free(a) && is_free(b),
            _ => false,
        }
    }

    /// `place = place op value`, in the type `computed`.
    pub fn assign_op(
        &mut self,
        place: &Place,
        op: BinaryOp,
        value: &Expr,
        computed: &Type,
        into: Option<Register>,
    ) -> Register {
        if let Type::Pointer { to, .. } = &place.ty {
            return self.move_pointer(place, to, op == BinaryOp::Sub, value, into);
        }
        // C++17: the value is computed before the place.
        let product = match value.ty == *computed {
            true => Product::of(op, value),
            false => None,
        };
        let operand = match product {
            Some(_) => None,
            None => Some(self.expr(value, None)),
        };
        let affine = self.affine_after(place, op, value);
        let at = self.locate(place);
        let old = self.load_or_known(place, at);
        let old = self.convert(old, &place.ty, computed, None);
        // Straight into the variable, where nothing is converted on the way.
        let direct = match at {
            Located::Register(variable) if place.ty == *computed => Some(variable),
            _ => None,
        };
        let new = match (product, operand) {
            (Some(product), _) => self.add_product(op, old, product, direct),
            (None, Some(operand)) => self.binary_of(op, old, operand, computed, direct),
            (None, None) => unreachable!("one of them is there"),
        };
        let new = self.convert(new, computed, &place.ty, None);
        self.store_to(place, at, new);
        self.holds_at(at, &place.ty, affine);
        self.copy_to(new, words(&place.ty), into)
    }

    /// What a place holds, which lies `at`.
    fn load_or_known(&mut self, place: &Place, at: Located) -> Register {
        let is_simple = self.context.is_simple_place(place);
        if is_simple && let Some(known) = self.known_load(place) {
            return known;
        }
        self.about_to_read(place);
        let register = self.load(at, &place.ty, place.span, None);
        // The value that is added may be computed from it: `p[i] -= rate * p[i]` loads once.
        if is_simple && self.optimises() {
            let facts = &mut self.emitter.facts;
            facts.remember_place(&self.context, place, register, Origin::Load);
        }
        register
    }

    /// What a variable holds after `op` with `value`, as an affine expression.
    fn affine_after(&mut self, place: &Place, op: BinaryOp, value: &Expr) -> Option<Affine> {
        let facts = &mut self.emitter.facts;
        facts.evaluator(&self.context).updated(place, op, value)
    }

    /// What lies `at` holds `value` from here on.
    fn holds_at(&mut self, at: Located, ty: &Type, value: Option<Affine>) {
        if let Located::Register(variable) = at {
            self.holds(variable, words(ty), value);
        }
    }

    /// `++place` and its kin.
    pub fn step(
        &mut self,
        place: &Place,
        up: bool,
        prefix: bool,
        into: Option<Register>,
    ) -> Register {
        let size = words(&place.ty);
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        // An `int`, which every arithmetic type and pointer takes, so that facts follow one rule for `+= 1`.
        let one = Expr {
            kind: ExprKind::Constant(1),
            ty: Type::Scalar(Scalar::I32),
            span: place.span,
        };
        let affine = self.affine_after(place, op, &one);
        let at = self.locate(place);
        let old = self.load_or_known(place, at);
        let before = if prefix {
            old
        } else {
            // `i++` gives the old value, and the variable changes before that is used.
            let copy = self.result(size, into);
            self.copy_to(old, size, Some(copy))
        };
        let new = self.stepped(old, op, &place.ty);
        self.store_to(place, at, new);
        self.holds_at(at, &place.ty, affine);
        if prefix {
            self.copy_to(new, size, into)
        } else {
            before
        }
    }

    /// `old` of type `ty`, one more or less.
    fn stepped(&mut self, old: Register, op: BinaryOp, ty: &Type) -> Register {
        let size = words(ty);
        if let Type::Pointer { to, .. } = ty {
            // A pointer steps by elements.
            let element = self.constant(to.size_bytes().into(), size);
            return self.binary_of(op, old, element, &Type::Scalar(Scalar::I64), None);
        }
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let one = self.constant(one_of(scalar), size);
        let new = self.binary_of(op, old, one, &Type::Scalar(scalar), None);
        // Narrower integers are computed as `int`.
        let promoted = match size == 1 && scalar.is_integer() {
            true => Scalar::I32,
            false => scalar,
        };
        self.convert(new, &Type::Scalar(promoted), ty, None)
    }

    /// Adds or subtracts a number of elements to the pointer in a place.
    fn move_pointer(
        &mut self,
        place: &Place,
        to: &Type,
        is_back: bool,
        value: &Expr,
        into: Option<Register>,
    ) -> Register {
        let count = self.expr(value, None);
        // Signed: `p += -1` moves back.
        let count = self.convert(count, &value.ty, &Type::Scalar(Scalar::I64), None);
        let moved = if is_back {
            BinaryOp::Sub
        } else {
            BinaryOp::Add
        };
        let affine = self.affine_after(place, moved, value);
        let size_bytes = self.emitter.registers.const64(u64::from(to.size_bytes()));
        let bytes = self.operation(Op::MulI64, 2, &[count, size_bytes], None);
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let op = if is_back { Op::SubI64 } else { Op::AddI64 };
        let new = self.operation(op, 2, &[old, bytes], None);
        self.store_to(place, at, new);
        self.holds_at(at, &place.ty, affine);
        self.copy_to(new, 2, into)
    }
}

/// 1 as the bits of a type.
fn one_of(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::Bf16 => 0x3f80,
        Scalar::F32 => u64::from(1.0_f32.to_bits()),
        Scalar::F64 => 1.0_f64.to_bits(),
        _ => 1,
    }
}
