//! Assignments: values into places.

use super::kernel::{Home, Lower, words};
use super::place::Located;
use crate::compile::analysis::spot;
use crate::compile::analysis::{Sum, combined};
use crate::compile::optimise::fuses;
use crate::cuda::{BinaryOp, Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    pub fn assign(&mut self, place: &Place, value: &Expr, into: Option<Register>) -> Register {
        let size = words(&value.ty);
        if let PlaceKind::Local(local) = place.kind
            && let Home::Register(home) = self.home(local)
        {
            let target = if self.writes_last(value) {
                Some(home)
            } else {
                None
            };
            let sum = self.sum_of_value(value);
            let register = self.expr_maybe_silent(value, target);
            self.settle(register, size, Some(home));
            self.stands_for((home, size), sum);
            self.remember(value, home);
            self.remember_load(value, home);
            return self.settle(home, size, into);
        }
        if self.is_in_register(place) && self.writes_last(value) {
            let Located::Register(home) = self.locate(place) else {
                unreachable!("it is in a register")
            };
            let register = self.expr(value, Some(home));
            self.settle(register, size, Some(home));
            return self.settle(home, size, into);
        }
        let mut register = self.expr(value, None);
        if !self.place_is_simple(place) {
            // The place's own effects come after the value.
            let copy = self.emitter.registers(size);
            register = self.settle(register, size, Some(copy));
        }
        let at = self.locate(place);
        self.store_to(place, at, register);
        self.settle(register, size, into)
    }

    /// Stores to a place, which lies `at`, and keeps in mind what it holds now.
    pub fn store_to(&mut self, place: &Place, at: Located, register: Register) {
        let is_simple = self.place_is_simple(place);
        let sum = match at {
            Located::Memory(_) if is_simple => self.sum_of_place(place),
            _ => None,
        };
        let Some(sum) = sum else {
            self.store(at, &place.ty, register, place.span);
            return;
        };
        let spot = spot(place, sum, place.ty.size_bytes());
        self.emitter.reuse.storing = Some(spot.clone());
        let is_word = self.spot(place).is_some() && matches!(spot.size_bytes, 4 | 8);
        let carried = self.carried_at(&spot);
        let register = match carried {
            Some((home, _)) => self.settle(register, words(&place.ty), Some(home)),
            None => register,
        };
        match carried {
            Some((_, true)) => self.store_silently(place, at, register),
            _ if is_word => self.store_spot(place, at, register, &spot),
            _ => self.store(at, &place.ty, register, place.span),
        }
        self.emitter.reuse.storing = None;
        self.remember_place(place, register);
    }

    pub fn assign_op(
        &mut self,
        place: &Place,
        op: BinaryOp,
        value: &Expr,
        computed: &Type,
        into: Option<Register>,
    ) -> Register {
        let size = words(&place.ty);
        if matches!(place.ty, Type::Pointer { .. }) {
            let count = self.expr(value, None);
            let count = self.convert(count, &value.ty, &Type::Scalar(Scalar::I64), None);
            return self.move_pointer(place, (value, count), op == BinaryOp::Sub, into);
        }
        // C++17: the value is computed before the place.
        let fuses = value.ty == *computed && fuses(op, value);
        let operand = if fuses {
            None
        } else {
            Some(self.expr(value, None))
        };
        let sum = self.sum_after(place, op, value);
        let at = self.locate(place);
        let known = match self.place_is_simple(place) {
            true => self.known_load(place),
            false => None,
        };
        let old = known.unwrap_or_else(|| {
            self.reads(place);
            self.load(at, &place.ty, place.span, None)
        });
        let old = self.convert(old, &place.ty, computed, None);
        let direct = match at {
            Located::Register(home) if place.ty == *computed => Some(home),
            _ => None,
        };
        let new = match operand {
            None => self.add_product(op, old, value, direct),
            Some(operand) => self.binary_of(op, old, operand, computed, direct),
        };
        let new = self.convert(new, computed, &place.ty, None);
        self.store_to(place, at, new);
        self.takes(at, &place.ty, sum);
        self.settle(new, size, into)
    }

    /// What a variable stands for after `op` with `value`, where that is a sum.
    fn sum_after(&mut self, place: &Place, op: BinaryOp, value: &Expr) -> Option<Sum> {
        let PlaceKind::Local(local) = place.kind else {
            return None;
        };
        let old = self.sum_of_local(local)?;
        let change = self.sum(value)?;
        let size_bytes = match &place.ty {
            Type::Pointer { to, .. } => i64::from(to.size_bytes()),
            ty => {
                let scalar = ty.scalar().filter(|scalar| scalar.is_integer())?;
                let is_whole = scalar.size_bytes() >= 4;
                return is_whole.then(|| combined(op, scalar, old, change))?;
            }
        };
        match op {
            BinaryOp::Add => Some(old.plus(&change, size_bytes)),
            BinaryOp::Sub => Some(old.plus(&change, -size_bytes)),
            _ => None,
        }
    }

    /// What lies `at` stands for `sum` from here on.
    fn takes(&mut self, at: Located, ty: &Type, sum: Option<Sum>) {
        if let Located::Register(home) = at {
            self.stands_for((home, words(ty)), sum);
        }
    }

    pub fn step(
        &mut self,
        place: &Place,
        up: bool,
        prefix: bool,
        into: Option<Register>,
    ) -> Register {
        let size = words(&place.ty);
        let one = Expr {
            kind: ExprKind::Constant(1),
            ty: Type::Scalar(Scalar::I32),
            span: place.span,
        };
        let stepped = if up { BinaryOp::Add } else { BinaryOp::Sub };
        let sum = self.sum_after(place, stepped, &one);
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let kept = if prefix {
            old
        } else {
            let copy = self.result(size, into);
            self.settle(old, size, Some(copy))
        };
        let (op, one, computed) = match &place.ty {
            Type::Pointer { to, .. } => (BinaryOp::Add, to.size_bytes().into(), Scalar::I64),
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I32);
                (BinaryOp::Add, one_of(scalar), scalar)
            }
        };
        let op = if up { op } else { BinaryOp::Sub };
        let one = self.constant(one, size);
        let new = self.binary_of(op, old, one, &Type::Scalar(computed), None);
        let promoted = Type::Scalar(if size == 1 && computed.is_integer() {
            Scalar::I32
        } else {
            computed
        });
        let new = match place.ty {
            Type::Pointer { .. } => new,
            _ => self.convert(new, &promoted, &place.ty, None),
        };
        self.store_to(place, at, new);
        self.takes(at, &place.ty, sum);
        if prefix {
            self.settle(new, size, into)
        } else {
            kept
        }
    }

    /// Adds or subtracts `count` elements, 64 bits, to the pointer in `place`.
    fn move_pointer(
        &mut self,
        place: &Place,
        (by, count): (&Expr, Register),
        back: bool,
        into: Option<Register>,
    ) -> Register {
        let Type::Pointer { to, .. } = &place.ty else {
            unreachable!("callers looked")
        };
        let stepped = if back { BinaryOp::Sub } else { BinaryOp::Add };
        let sum = self.sum_after(place, stepped, by);
        let size_bytes = self.emitter.const64(u64::from(to.size_bytes()));
        let bytes = self.operation(Op::MulI64, 2, &[count, size_bytes], None);
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let op = if back { Op::SubI64 } else { Op::AddI64 };
        let new = self.operation(op, 2, &[old, bytes], None);
        self.store_to(place, at, new);
        self.takes(at, &place.ty, sum);
        self.settle(new, 2, into)
    }
}

fn one_of(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::Bf16 => 0x3f80,
        Scalar::F32 => u64::from(1.0_f32.to_bits()),
        Scalar::F64 => 1.0_f64.to_bits(),
        _ => 1,
    }
}
