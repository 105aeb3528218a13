//! Multiplications that feed additions, as fused multiply-adds.

use super::lower::Lower;
use crate::cuda::{BinaryOp, Expr, ExprKind, MathFunction, Scalar, Type};
use crate::ir::{Op, Register};

impl Lower<'_> {
    /// A floating-point sum of which one side is a product, as a fused multiply-add. Where both
    /// are, the left one is fused.
    pub fn contracted(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Option<Register> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return None;
        }
        if op == BinaryOp::Add && fuses(op, a) {
            let addend = self.expr(b, None);
            return Some(self.add_product(op, addend, a, into));
        }
        if let (ExprKind::Binary(BinaryOp::Mul, x, y), Some(fused)) = (&a.kind, fused(&a.ty)) {
            let (x, y) = (self.expr(x, None), self.expr(y, None));
            let subtrahend = self.expr(b, None);
            let negated = self.operation(fused.negate, fused.words, &[subtrahend], None);
            return Some(self.operation(fused.fma, fused.words, &[x, y, negated], into));
        }
        if !fuses(op, b) {
            return None;
        }
        let addend = self.expr(a, None);
        Some(self.add_product(op, addend, b, into))
    }

    /// `addend ± product`, where `product` fuses.
    pub fn add_product(
        &mut self,
        op: BinaryOp,
        addend: Register,
        product: &Expr,
        into: Option<Register>,
    ) -> Register {
        if let Some(exponent) = exponent(product) {
            let exponent = self.expr(exponent, None);
            return self.operation(Op::ExpAddF32, 1, &[exponent, addend], into);
        }
        let (ExprKind::Binary(_, x, y), Some(fused)) = (&product.kind, fused(&product.ty)) else {
            unreachable!("callers looked")
        };
        let (mut x, y) = (self.expr(x, None), self.expr(y, None));
        if op == BinaryOp::Sub {
            x = self.operation(fused.negate, fused.words, &[x], None);
        }
        self.operation(fused.fma, fused.words, &[x, y, addend], into)
    }
}

/// The operations that fuse in a floating-point type.
struct Fused {
    fma: Op,
    negate: Op,
    words: u32,
}

fn fused(ty: &Type) -> Option<Fused> {
    let (fma, negate, words) = match ty.scalar()? {
        Scalar::F32 => (Op::FmaF32, Op::NegF32, 1),
        Scalar::F64 => (Op::FmaF64, Op::NegF64, 2),
        _ => return None,
    };
    Some(Fused { fma, negate, words })
}

/// Whether `term` is a product, or ends with one (an exponential does), that `op` can take in.
pub(super) fn fuses(op: BinaryOp, term: &Expr) -> bool {
    let is_product =
        matches!(term.kind, ExprKind::Binary(BinaryOp::Mul, ..)) && fused(&term.ty).is_some();
    match op {
        BinaryOp::Add => is_product || exponent(term).is_some(),
        BinaryOp::Sub => is_product,
        _ => false,
    }
}

/// The exponent, if `expr` is a single-precision exponential.
fn exponent(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Math(MathFunction::Exp, operands) if expr.ty == Type::Scalar(Scalar::F32) => {
            operands.first()
        }
        _ => None,
    }
}
