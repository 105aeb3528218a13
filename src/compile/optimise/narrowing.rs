//! Narrowing: double precision that a constant such as `0.5` brings in, and that the result does not
//! keep.
//!
//! ```text
//! v = (float)((double)x * 0.5);     →      v = x * 0.5f;
//! ```
//!
//! Double precision has more than twice the digits of single precision: rounding twice changes nothing.
//! `nvcc` computes it in single precision. Not of `0.1`, which is no `float`.

use crate::compile::tree::{expressions_mut, rewrite};
use crate::cuda::{BinaryOp, Expr, ExprKind, Program, Scalar, Type};

const SINGLE: Type = Type::Scalar(Scalar::F32);
const DOUBLE: Type = Type::Scalar(Scalar::F64);

/// Does arithmetic in single precision where that gives the same.
pub(crate) fn run(program: &mut Program) {
    for function in &mut program.functions {
        expressions_mut(&mut function.body, &mut |expr| rewrite(expr, &mut narrow));
    }
}

fn narrow(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Convert(wide) if expr.ty == SINGLE => {
            if let Some(narrow) = narrowed(wide) {
                expr.kind = narrow;
            }
        }
        ExprKind::AssignOp {
            place,
            op,
            value,
            computed,
        } if place.ty == SINGLE && *computed == DOUBLE && is_arithmetic(*op) => {
            if let Some(narrow) = operand(value) {
                **value = narrow;
                // `v *= 0.5` has no conversion around it: the type that it is computed in changes instead.
                *computed = SINGLE;
            }
        }
        _ => {}
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    // Rounded to 53 digits and then to 24, these four give what rounding once gives, since 53 ≥ 2 · 24 + 2 (Figueroa,
    // "When is double rounding innocuous?").
    use BinaryOp::{Add, Div, Mul, Sub};
    matches!(op, Add | Sub | Mul | Div)
}

/// An operation on two numbers of single precision, of which only single precision is wanted.
fn narrowed(wide: &Expr) -> Option<ExprKind> {
    match &wide.kind {
        // One operation only: of `v * 0.5 + 1.0` the product would be rounded to single precision in between.
        ExprKind::Binary(op, a, b) if wide.ty == DOUBLE && is_arithmetic(*op) => {
            let (a, b) = (operand(a)?, operand(b)?);
            Some(ExprKind::Binary(*op, Box::new(a), Box::new(b)))
        }
        _ => None,
    }
}

/// A number of double precision that is one of single precision.
fn operand(wide: &Expr) -> Option<Expr> {
    match &wide.kind {
        ExprKind::Convert(inner) if wide.ty == DOUBLE && inner.ty == SINGLE => {
            Some((**inner).clone())
        }
        ExprKind::Constant(bits) if wide.ty == DOUBLE => {
            // 0.5 and 3.0 are singles; 0.1 is none.
            let value = f64::from_bits(*bits);
            let single = value as f32;
            let is_same = f64::from(single).to_bits() == *bits;
            is_same.then(|| Expr {
                kind: ExprKind::Constant(u64::from(single.to_bits())),
                ty: SINGLE,
                span: wide.span,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::ir::Op;
    use crate::source::SourceFile;

    fn ops(statement: &str) -> Vec<Op> {
        let text =
            format!("__global__ void k(float* x) {{ float v = x[0]; {statement} x[0] = v; }}");
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        let code = compiled.kernels[0].code.iter();
        code.map(|i| i.op).collect()
    }

    #[test]
    fn a_double_literal_that_is_a_float_computes_in_single_precision() {
        assert!(ops("v = v * 0.5;").contains(&Op::MulF32));
        assert!(ops("v += 1.0;").contains(&Op::AddF32));
        assert!(ops("v = v / 3.0;").contains(&Op::DivF32));
    }

    #[test]
    fn what_needs_double_precision_has_it() {
        assert!(ops("v = v * 0.1;").contains(&Op::MulF64));
        assert!(ops("v = v * 0.5 + 1.0;").contains(&Op::FmaF64));
        assert!(ops("v *= 0.1;").contains(&Op::MulF64));
    }
}
