//! Constant folding: a variable replaced by its value, and what becomes constant with it.

use crate::compile::tree::{expressions_mut, rewrite};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, LocalId, Place, PlaceKind, Scalar, Stmt, Type, arithmetic,
};

/// A variable and its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub local: LocalId,
    /// As [`ExprKind::Constant`] has it.
    pub bits: u64,
}

impl Bound {
    /// Replaces the variable wherever these statements load it.
    pub fn fold_all(self, stmts: &mut [Stmt]) {
        expressions_mut(stmts, &mut |expr| self.fold(expr));
    }

    /// Replaces the variable wherever `expr` loads it, and computes what can be.
    pub fn fold(self, expr: &mut Expr) {
        rewrite(expr, &mut |expr| {
            // From the inside out: `rewrite` comes to operands first, so `(i + 1) * 4` is folded in one walk.
            let bits = match is_load_of(expr, self.local) {
                true => Some(self.bits),
                false => value(expr),
            };
            if let Some(bits) = bits {
                expr.kind = ExprKind::Constant(bits);
            } else if let ExprKind::Binary(BinaryOp::BitXor, rest, nothing) = &expr.kind
                && matches!(nothing.kind, ExprKind::Constant(0))
                && rest.ty == expr.ty
            {
                // Addresses in shared memory are put together so, bit by bit.
                *expr = (**rest).clone();
            }
        });
    }
}

/// Whether `expr` is what the variable holds.
pub(crate) fn is_load_of(expr: &Expr, local: LocalId) -> bool {
    matches!(&expr.kind, ExprKind::Load(place) if is_local(place, local))
}

pub(crate) fn is_local(place: &Place, local: LocalId) -> bool {
    place.kind == PlaceKind::Local(local)
}

/// The value of an expression of integer constants; floats are left to the GPU.
fn value(expr: &Expr) -> Option<u64> {
    let integer = |expr: &Expr| expr.ty.scalar().filter(|scalar| scalar.is_integer());
    let constant = |expr: &Expr| match expr.kind {
        ExprKind::Constant(bits) => Some((integer(expr)?, bits)),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Convert(operand) => {
            let (from, bits) = constant(operand)?;
            arithmetic::convert(from, expr.ty.scalar()?, bits)
        }
        ExprKind::Unary(op, operand) => {
            let (of, bits) = constant(operand)?;
            arithmetic::unary(*op, of, bits)
        }
        ExprKind::Binary(op, a, b) => {
            let ((of, a), (other, b)) = (constant(a)?, constant(b)?);
            arithmetic::binary(*op, of, a, b, arithmetic::integer(other, b))
        }
        // Values of `bool` are 0 or 1.
        ExprKind::And(a, b) => Some(constant(a)?.1 & constant(b)?.1),
        ExprKind::Or(a, b) => Some(constant(a)?.1 | constant(b)?.1),
        _ => None,
    }
}

/// What `step` makes of the variable's value: nothing if it is no step of that variable by
/// constants.
pub(crate) fn stepped(step: &Expr, bound: Bound) -> Option<u64> {
    match &step.kind {
        ExprKind::Step { place, up, .. } if is_local(place, bound.local) => {
            let scalar = integer_type(&place.ty)?;
            let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
            // The amount of shifts, which neither of these is.
            arithmetic::binary(op, scalar, bound.bits, 1, 0)
        }
        ExprKind::Assign(place, value) if is_local(place, bound.local) => known(value, bound),
        ExprKind::AssignOp {
            place,
            op,
            value,
            computed,
        } if is_local(place, bound.local) => {
            let own = integer_type(&place.ty)?;
            let of = integer_type(computed)?;
            let operand = known(value, bound)?;
            let amount = arithmetic::integer(value.ty.scalar()?, operand);
            let old = arithmetic::convert(own, of, bound.bits)?;
            let new = arithmetic::binary(*op, of, old, operand, amount)?;
            arithmetic::convert(of, own, new)
        }
        _ => None,
    }
}

fn integer_type(ty: &Type) -> Option<Scalar> {
    ty.scalar().filter(|scalar| scalar.is_integer())
}

/// The value of `expr`, if the variable's value decides it.
pub(crate) fn known(expr: &Expr, bound: Bound) -> Option<u64> {
    let mut folded = expr.clone();
    bound.fold(&mut folded);
    match folded.kind {
        ExprKind::Constant(bits) => Some(bits),
        _ => None,
    }
}
