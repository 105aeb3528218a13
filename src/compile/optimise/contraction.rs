//! Multiplications that feed additions, as fused multiply-adds.

use crate::compile::lower::{Lower, words};
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
            let negated = self.fused(&fused, fused.negate, &[subtrahend], None);
            return Some(self.fused(&fused, fused.fma, &[x, y, negated], into));
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
            x = self.fused(&fused, fused.negate, &[x], None);
        }
        self.fused(&fused, fused.fma, &[x, y, addend], into)
    }

    /// One of the operations, on each component.
    fn fused(
        &mut self,
        fused: &Fused,
        op: Op,
        operands: &[Register],
        into: Option<Register>,
    ) -> Register {
        let component = Type::Scalar(fused.scalar);
        let size = words(&component);
        if fused.lanes == 1 {
            return self.operation(op, size, operands, into);
        }
        self.each(fused.lanes, &component, into, |lower, i, into| {
            let operands: Vec<Register> = operands.iter().map(|first| first + i).collect();
            lower.operation(op, size, &operands, into)
        })
    }
}

/// The operations that fuse in a floating-point type.
struct Fused {
    fma: Op,
    negate: Op,
    scalar: Scalar,
    /// Components; 1 for scalars.
    lanes: u32,
}

fn fused(ty: &Type) -> Option<Fused> {
    let (scalar, lanes) = match ty {
        Type::Scalar(scalar) => (*scalar, 1),
        Type::Vector(scalar, lanes) => (*scalar, *lanes),
        _ => return None,
    };
    let (fma, negate) = match scalar {
        Scalar::F16 => (Op::FmaF16, Op::NegB16),
        Scalar::Bf16 => (Op::FmaBf16, Op::NegB16),
        Scalar::F32 => (Op::FmaF32, Op::NegF32),
        Scalar::F64 => (Op::FmaF64, Op::NegF64),
        _ => return None,
    };
    Some(Fused {
        fma,
        negate,
        scalar,
        lanes,
    })
}

/// Whether `term` is a product, or ends with one (an exponential does), that `op` can take in.
pub(crate) fn fuses(op: BinaryOp, term: &Expr) -> bool {
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
