//! Calls of built-in functions of 16-bit floats, and of pairs of them.

use crate::source::Span;

use crate::cuda::builtin::Builtin;
use crate::cuda::resolve::{Checker, convert, node, scalar};
use crate::cuda::typed::{Expr, ExprKind, Scalar, Type, UnaryOp};

impl Checker {
    /// A call of a function that `special` leaves to this.
    pub fn half_call(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        match builtin {
            Builtin::HalfBinary(op, pairs) => {
                let ty = self.half_type(name, &values, 2, pairs, span)?;
                let mut values = self.all_as(values, &ty)?;
                let (b, a) = (values.pop()?, values.pop()?);
                let ty = if op.is_comparison() {
                    scalar(Scalar::Bool)
                } else {
                    ty
                };
                let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
                Some(node(kind, ty, span))
            }
            Builtin::HalfMath(function, count, pairs) => {
                let ty = self.half_type(name, &values, count, pairs, span)?;
                let values = self.all_as(values, &ty)?;
                Some(node(ExprKind::Math(function, values), ty, span))
            }
            Builtin::HalfNegate(pairs) => {
                let ty = self.half_type(name, &values, 1, pairs, span)?;
                let value = Box::new(self.all_as(values, &ty)?.pop()?);
                Some(node(ExprKind::Unary(UnaryOp::Negate, value), ty, span))
            }
            Builtin::HalfTest(function) => {
                let ty = self.half_type(name, &values, 1, false, span)?;
                let values = self.all_as(values, &ty)?;
                let ty = scalar(Scalar::Bool);
                Some(node(ExprKind::Math(function, values), ty, span))
            }
            other => self.pair_call(name, other, values, span),
        }
    }

    /// A call of a function that makes a pair, or takes one apart.
    fn pair_call(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        match builtin {
            Builtin::Pair(from, to) => {
                let values = self.fixed(name, &[from, from], values, span)?;
                let convert = |value| convert(value, &scalar(to));
                let kind = ExprKind::Vector(values.into_iter().map(convert).collect());
                Some(node(kind, Type::Vector(to, 2), span))
            }
            Builtin::Spread(from, to) => {
                let value = self.fixed(name, &[from], values, span)?.pop()?;
                // A number that is converted to a pair stands in both parts.
                let kind = ExprKind::Convert(Box::new(convert(value, &scalar(to))));
                Some(node(kind, Type::Vector(to, 2), span))
            }
            Builtin::PairTo(from, to) => {
                let value = self.pair(name, from, values, span)?;
                let kind = ExprKind::Convert(Box::new(value));
                Some(node(kind, Type::Vector(to, 2), span))
            }
            Builtin::Part(from, at, to) => {
                let value = self.pair(name, from, values, span)?;
                let kind = ExprKind::Component(Box::new(value), at);
                Some(convert(node(kind, scalar(from), span), &scalar(to)))
            }
            Builtin::PartToFloat(at) => {
                let ty = self.half_type(name, &values, 1, true, span)?;
                let of = self.half_of(&ty)?;
                let value = self.all_as(values, &ty)?.pop()?;
                let kind = ExprKind::Component(Box::new(value), at);
                Some(convert(node(kind, scalar(of), span), &scalar(Scalar::F32)))
            }
            other => unreachable!("{other:?} is handled where it is looked up"),
        }
    }

    /// The one argument, as a pair.
    fn pair(&mut self, name: &str, of: Scalar, values: Vec<Expr>, span: Span) -> Option<Expr> {
        self.arity(name, 1, values.len(), span)?;
        self.all_as(values, &Type::Vector(of, 2))?.pop()
    }

    fn all_as(&mut self, values: Vec<Expr>, ty: &Type) -> Option<Vec<Expr>> {
        let values: Vec<Option<Expr>> = values
            .into_iter()
            .map(|value| self.coerce(value, ty))
            .collect();
        values.into_iter().collect()
    }

    /// The 16-bit type, or pair of one, that the operands are of.
    fn half_type(
        &mut self,
        name: &str,
        values: &[Expr],
        wanted: usize,
        pairs: bool,
        span: Span,
    ) -> Option<Type> {
        self.arity(name, wanted, values.len(), span)?;
        let fits = |ty: &Type| match ty {
            Type::Scalar(of) => !pairs && of.is_half(),
            Type::Vector(of, 2) => pairs && of.is_half(),
            _ => false,
        };
        // `__hadd` and its kin exist for both 16-bit types: the first operand of one of them decides.
        if let Some(value) = values.iter().find(|value| fits(&value.ty)) {
            return Some(value.ty.clone());
        }
        let (two, first) = (if pairs { "2" } else { "" }, values.first()?);
        let message = format!(
            "`{name}` takes `__half{two}` or `__nv_bfloat16{two}`, not `{}`",
            first.ty
        );
        self.error(first.span, message)
    }

    fn half_of(&self, ty: &Type) -> Option<Scalar> {
        match ty {
            Type::Scalar(of) | Type::Vector(of, _) => Some(*of),
            _ => None,
        }
    }
}
