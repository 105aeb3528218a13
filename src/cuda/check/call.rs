//! Calls: of the file's functions and of CUDA's.

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::builtin::{self, Builtin};
use super::convert::{Operand, constant, convert, promoted, usual};
use super::overload::Callee;
use super::scope::Symbol;
use super::types::scalar;
use crate::cuda::ast;
use crate::cuda::ast::ExprKind as Written;
use crate::cuda::token::Name;
use crate::cuda::typed::{BinaryOp, Expr, ExprKind, MathFunction, Scalar, Type};

impl Checker {
    /// A call; a place where it gives a reference.
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let (name, found): (Name, _) = match &callee.kind {
            Written::Name(name) => (name.clone(), self.find(name).cloned()),
            Written::Path(path) => match self.static_member(path)? {
                Some(entry) => (path.joined().into(), Some(entry)),
                None => (self.canonical(path).into(), self.find_path(path).cloned()),
            },
            Written::Member(base, member, template) => {
                let template = template.as_deref();
                return self.call_method(base, member, template, arguments, span);
            }
            _ => return self.call_object(callee, arguments, span),
        };
        let template = match &callee.kind {
            Written::Path(path) => path.arguments(),
            _ => None,
        };
        let found = self.known(&name, found, callee.span)?;
        match found.map(|entry| (entry.symbol, entry.span)) {
            Some((Symbol::Functions(candidates), _)) => {
                let arguments = self.operands(arguments);
                let callee = Callee {
                    name: &name,
                    candidates: &candidates,
                    template,
                    this: self.this_place(callee.span),
                    at: callee.span,
                };
                self.call_candidates(&callee, arguments?, span)
            }
            Some((Symbol::Refused, _)) => {
                self.operands(arguments);
                None
            }
            Some((Symbol::Local(_) | Symbol::Field(_) | Symbol::File(..), _)) => {
                self.call_object(callee, arguments, span)
            }
            Some((_, declared)) => {
                let message = format!("`{name}` is not a function");
                let error = Diagnostic::error(callee.span, message).also(declared, "declared here");
                self.report(error);
                None
            }
            None => {
                let name = match &callee.kind {
                    Written::Path(path) if &*path.segments[0].name.name == "cuda" => {
                        name.strip_prefix("std::").unwrap_or(&name).into()
                    }
                    _ => self.without_std(name, callee.span)?,
                };
                let called = self.call_builtin(&name, template, callee.span, arguments, span);
                called.map(Operand::Value)
            }
        }
    }

    /// What arguments give, all of them looked at.
    pub(super) fn operands(&mut self, arguments: &[ast::Expr]) -> Option<Vec<Operand>> {
        let all: Vec<Option<Operand>> = arguments.iter().map(|a| self.operand(a)).collect();
        all.into_iter().collect()
    }

    /// `std::sqrt` is CUDA's `sqrt`; `std::max` and its kin run on the host only.
    fn without_std(&mut self, name: Name, at: Span) -> Option<Name> {
        let Some(rest) = name.strip_prefix("std::") else {
            return Some(name);
        };
        if !matches!(rest, "min" | "max" | "swap" | "clamp") {
            return Some(rest.into());
        }
        let error = Diagnostic::error(at, format!("`{name}` runs on the host"));
        self.report(error.help(match rest {
            "min" | "max" => "leave `std::` out: CUDA has the function without it",
            _ => "write it out",
        }));
        None
    }

    /// A function of CUDA's own, by its whole name, as in `min` and `cooperative_groups::sync`;
    /// `template` are the template arguments that are written.
    fn call_builtin(
        &mut self,
        name: &Name,
        template: Option<&[ast::TemplateArgument]>,
        at: Span,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        if matches!(&**name, "printf" | "assert") {
            return self.call_printing(name, arguments, span);
        }
        let values: Option<Vec<Expr>> = {
            let all: Vec<Option<Expr>> = arguments.iter().map(|a| self.value(a)).collect();
            all.into_iter().collect()
        };
        if let Some((of, lanes)) = builtin::made_vector(name) {
            let values = self.fixed(name, &vec![of; lanes as usize], values?, span)?;
            let kind = ExprKind::Vector(values);
            let ty = Type::Vector(of, lanes);
            return Some(Expr { kind, ty, span });
        }
        let Some(builtin) = builtin::function(name) else {
            self.unknown(name, at, true);
            return None;
        };
        if let Some(template) = template {
            self.template_arguments(template)?;
            return self.no_template(name, at);
        }
        let values = values?;
        match builtin {
            Builtin::Fixed(function, params, result) => {
                let values = self.fixed(name, params, values, span)?;
                Some(math(function, values, result, span))
            }
            Builtin::Overloaded(function, wanted) => {
                let ty = self.float_type(name, &values, wanted, span)?;
                let values = values
                    .into_iter()
                    .map(|v| convert(v, &scalar(ty)))
                    .collect();
                Some(math(function, values, ty, span))
            }
            Builtin::Test(function) => {
                let ty = self.float_type(name, &values, 1, span)?;
                let values = values
                    .into_iter()
                    .map(|v| convert(v, &scalar(ty)))
                    .collect();
                Some(math(function, values, Scalar::Bool, span))
            }
            Builtin::IsFinite => self.is_finite(name, values, span),
            Builtin::Abs => self.abs(name, values, span),
            Builtin::Extreme(function) => self.extreme(name, function, values, span),
            Builtin::Saturate => {
                let values = self.fixed(name, &[Scalar::F32], values, span)?;
                Some(super::special::saturate(values, span))
            }
            Builtin::Divide(of, reciprocal) => self.divide(name, of, reciprocal, values, span),
            Builtin::Shuffle(kind) => self.shuffle(name, kind, values, span),
            Builtin::Vote(kind) => self.vote(name, kind, values, span),
            Builtin::ActiveMask => {
                self.fixed(name, &[], values, span)?;
                let kind = ExprKind::ActiveMask;
                let ty = scalar(Scalar::U32);
                Some(Expr { kind, ty, span })
            }
            Builtin::Ldg => {
                self.arity(name, 1, values.len(), span)?;
                let pointer = values.into_iter().next()?;
                self.load_through(pointer, span)
            }
            Builtin::Statement => {
                let message = format!("`{name}` must be a statement of its own");
                self.error(span, message)
            }
            special => self.special(name, special, values, span),
        }
    }

    pub(super) fn arity(
        &mut self,
        name: &str,
        wanted: usize,
        found: usize,
        span: Span,
    ) -> Option<()> {
        if wanted == found {
            return Some(());
        }
        self.error(
            span,
            format!("`{name}` takes {}, not {found}", count(wanted)),
        )
    }

    /// The arguments, each converted to its parameter's type.
    pub(super) fn fixed(
        &mut self,
        name: &str,
        params: &[Scalar],
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        self.arity(name, params.len(), values.len(), span)?;
        let converted: Vec<Option<Expr>> = values
            .into_iter()
            .zip(params)
            .map(|(value, param)| self.coerce(value, &scalar(*param)))
            .collect();
        converted.into_iter().collect()
    }

    pub(super) fn scalars(&mut self, name: &str, values: &[Expr]) -> Option<Vec<Scalar>> {
        let mut found = Vec::with_capacity(values.len());
        for value in values {
            match value.ty.scalar() {
                Some(scalar) => found.push(scalar),
                None => {
                    let message = format!("`{name}` is not defined for `{}`", value.ty);
                    return self.error(value.span, message);
                }
            }
        }
        Some(found)
    }

    /// `float` if all arguments are, else `double`.
    fn float_type(
        &mut self,
        name: &str,
        values: &[Expr],
        wanted: usize,
        span: Span,
    ) -> Option<Scalar> {
        self.arity(name, wanted, values.len(), span)?;
        let scalars = self.scalars(name, values)?;
        let all = scalars.iter().all(|&scalar| scalar == Scalar::F32);
        Some(if all { Scalar::F32 } else { Scalar::F64 })
    }

    fn is_finite(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        let of = self.float_type(name, &values, 1, span)?;
        let values = values
            .into_iter()
            .map(|v| convert(v, &scalar(of)))
            .collect();
        let magnitude = math(MathFunction::Abs, values, of, span);
        let bits = match of {
            Scalar::F32 => u64::from(f32::INFINITY.to_bits()),
            _ => f64::INFINITY.to_bits(),
        };
        let infinity = constant(scalar(of), bits, span);
        self.binary_values(BinaryOp::Lt, span, magnitude, infinity, span)
    }

    fn abs(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        self.arity(name, 1, values.len(), span)?;
        let of = promoted(*self.scalars(name, &values)?.first()?);
        if matches!(of, Scalar::U32 | Scalar::U64) {
            let ty = scalar(of);
            let error = Diagnostic::error(span, format!("`abs` of `{ty}` is ambiguous"))
                .note("an unsigned value is never negative");
            self.report(error.help("leave it out, or convert to a signed type: `(int)`"));
            return None;
        }
        let values = values
            .into_iter()
            .map(|v| convert(v, &scalar(of)))
            .collect();
        Some(math(MathFunction::Abs, values, of, span))
    }

    /// `min` and `max`, for the pairs of types for which CUDA has one best overload.
    fn extreme(
        &mut self,
        name: &str,
        function: MathFunction,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        self.arity(name, 2, values.len(), span)?;
        let scalars = self.scalars(name, &values)?;
        let (a, b) = (promoted(scalars[0]), promoted(scalars[1]));
        let alike =
            a.is_float() == b.is_float() && (a.is_float() || a.size_bytes() == b.size_bytes());
        if !alike {
            let (a, b) = (scalar(scalars[0]), scalar(scalars[1]));
            let message = format!("`{name}` of `{a}` and `{b}` is ambiguous");
            let error = Diagnostic::error(span, message)
                .help(format!("convert one to the other's type: `({b})`"));
            self.report(error);
            return None;
        }
        let of = usual(a, b);
        let values = values
            .into_iter()
            .map(|v| convert(v, &scalar(of)))
            .collect();
        Some(math(function, values, of, span))
    }

    fn divide(
        &mut self,
        name: &str,
        of: Scalar,
        reciprocal: bool,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let params = if reciprocal { vec![of] } else { vec![of; 2] };
        let mut values = self.fixed(name, &params, values, span)?;
        if reciprocal {
            let one = constant(scalar(Scalar::I32), 1, span);
            values.insert(0, convert(one, &scalar(of)));
        }
        let divisor = values.pop()?;
        let dividend = values.pop()?;
        self.binary_values(BinaryOp::Div, span, dividend, divisor, span)
    }
}

pub fn count(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        many => format!("{many} arguments"),
    }
}

pub(super) fn math(function: MathFunction, values: Vec<Expr>, result: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Math(function, values),
        ty: scalar(result),
        span,
    }
}
