//! Multiply-add contraction: a product that feeds a sum becomes part of it, rounded once.
//!
//! ```text
//! a * b + c                →       fma(a, b, c)
//! c - a * b                →       fma(-a, b, c)
//! a * b - c                →       fma(a, b, -c)
//! expf(a) + c              →       the last multiply-add of `expf` takes `c` in
//! ```
//!
//! Where both sides are products, the left one is taken in.

use crate::cuda::{BinaryOp, Expr, ExprKind, MathFunction, Scalar, Type};
use crate::ir::Op;

/// A sum that takes in a product.
pub(crate) enum Contraction<'a> {
    /// `addend ± product`.
    Sum {
        addend: &'a Expr,
        product: Product<'a>,
    },
    /// `x * y - subtrahend`.
    Difference {
        fused: FusedOps,
        factors: [&'a Expr; 2],
        subtrahend: &'a Expr,
    },
}

/// What a sum takes in.
pub(crate) enum Product<'a> {
    /// A product.
    Of {
        fused: FusedOps,
        factors: [&'a Expr; 2],
    },
    /// The last step of an exponential is a multiplication.
    Exponential { exponent: &'a Expr },
}

/// The operations that fuse in a floating-point type.
#[derive(Clone, Copy)]
pub(crate) struct FusedOps {
    pub fma: Op,
    pub negate: Op,
    pub scalar: Scalar,
    /// Components; 1 for scalars.
    pub lanes: u32,
}

impl<'a> Contraction<'a> {
    /// The contraction of `a op b`, if it is one.
    pub fn of(op: BinaryOp, a: &'a Expr, b: &'a Expr) -> Option<Self> {
        // Of `a * b + c * d`, `a * b` is taken in.
        let left = Product::of(op, a);
        match (op, left) {
            (BinaryOp::Add, Some(product)) => Some(Contraction::Sum { addend: b, product }),
            (BinaryOp::Sub, Some(Product::Of { fused, factors })) => {
                Some(Contraction::Difference {
                    fused,
                    factors,
                    subtrahend: b,
                })
            }
            _ => Product::of(op, b).map(|product| Contraction::Sum { addend: a, product }),
        }
    }
}

impl<'a> Product<'a> {
    /// What `op` can take in of `term`.
    pub fn of(op: BinaryOp, term: &'a Expr) -> Option<Self> {
        match (op, &term.kind) {
            (BinaryOp::Add | BinaryOp::Sub, ExprKind::Binary(BinaryOp::Mul, x, y)) => {
                let fused = fused_ops(&term.ty)?;
                let factors = [&**x, &**y];
                Some(Product::Of { fused, factors })
            }
            // `expf` scales its argument in a chain of multiply-adds and ends with a multiplication by a power of 2.
            (BinaryOp::Add, ExprKind::Math(MathFunction::Exp, operands))
                if term.ty == Type::Scalar(Scalar::F32) =>
            {
                let exponent = operands.first()?;
                Some(Product::Exponential { exponent })
            }
            _ => None,
        }
    }
}

fn fused_ops(ty: &Type) -> Option<FusedOps> {
    let (scalar, lanes) = match ty {
        Type::Scalar(scalar) => (*scalar, 1),
        Type::Vector(scalar, lanes) => (*scalar, *lanes),
        _ => return None,
    };
    // Integers have multiply-adds too, but these round nothing: whether they fuse shows in no counter of floats.
    let (fma, negate) = match scalar {
        Scalar::F16 => (Op::FmaF16, Op::NegB16),
        Scalar::Bf16 => (Op::FmaBf16, Op::NegB16),
        Scalar::F32 => (Op::FmaF32, Op::NegF32),
        Scalar::F64 => (Op::FmaF64, Op::NegF64),
        _ => return None,
    };
    Some(FusedOps {
        fma,
        negate,
        scalar,
        lanes,
    })
}
