//! Calls of CUDA's own functions: which they are, and those of numbers.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::builtin::{self, Builtin, unsupported};
use crate::cuda::check::calls::count;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Checker, Side, Topic, comma, constant, convert, math, node, promoted, scalar, usual,
};
use crate::cuda::typed::{BinaryOp, Expr, ExprKind, MathFunction, Scalar, Type, arithmetic};

impl Checker {
    /// A function of CUDA's own, by its whole name, as in `min` and `cooperative_groups::sync`;
    /// `template` are the template arguments that are written.
    pub fn call_builtin(
        &mut self,
        name: &Name,
        template: Option<&[ast::TemplateArgument]>,
        at: Span,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        // They look at their arguments themselves: elsewhere a string is no value.
        if matches!(&**name, "printf" | "assert") {
            return self.call_printing(name, arguments, span);
        }
        if &**name == "__assert" && self.host.is_program {
            return self.assertion(arguments, span);
        }
        // All arguments are looked at, so that each wrong one is reported.
        let values = arguments.iter();
        let values: Vec<Option<Expr>> = values.map(|a| self.builtin_argument(name, a)).collect();
        let values: Option<Vec<Expr>> = values.into_iter().collect();
        if let Some((of, lanes)) = builtin::made_vector(name) {
            let values = self.fixed(name, &vec![of; lanes as usize], values?, span)?;
            return Some(self.made_vector(of, values, span));
        }
        if let Some(now) = unsupported::with_mask(name) {
            return self.call_without_mask(name, now, values?, span);
        }
        let Some(builtin) = builtin::function(name) else {
            self.unknown(name, at, true);
            return None;
        };
        if let Some(template) = template {
            self.template_arguments(template)?;
            return self.no_template(name, at);
        }
        self.call_of_numbers(name, builtin, values?, span)
    }

    /// An argument of one of CUDA's functions. Those of a pair may be given it in braces: `__float22half2_rn({a, b})`.
    fn builtin_argument(&mut self, name: &str, argument: &ast::Expr) -> Option<Expr> {
        let function = builtin::function(name);
        match (&argument.kind, function) {
            (ast::ExprKind::Braces(_), Some(Builtin::PairTo(of, _) | Builtin::Part(of, ..))) => {
                self.value_of_type(argument, &Type::Vector(of, 2))
            }
            _ => self.value(argument),
        }
    }

    /// What `make_float4` and its kin make.
    fn made_vector(&mut self, of: Scalar, mut values: Vec<Expr>, span: Span) -> Expr {
        // The host calls a function, whose arguments g++ evaluates from the right.
        let before = match self.frame.side {
            Side::Gpu => None,
            _ => self.frame.evaluated_in_order(values.iter_mut().rev()),
        };
        let ty = Type::Vector(of, values.len() as u32);
        let vector = node(ExprKind::Vector(values), ty, span);
        before
            .into_iter()
            .fold(vector, |vector, before| comma(before, vector))
    }

    /// `__shfl(value, lane)`, which takes whatever lanes are active.
    fn call_without_mask(
        &mut self,
        name: &Name,
        now: &str,
        mut values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let topic = Topic::Unknown(self.frame.function.number, name.clone());
        self.reports.add_once(topic, || {
            let message =
                format!("`{name}` was removed from CUDA; it runs as `{now}` of the active lanes");
            let warning = Diagnostic::warning(span, message);
            warning.help(format!(
                "write `{now}(0xffffffff, …)`, and see that all lanes come here"
            ))
        });
        let kind = ExprKind::ActiveMask;
        let ty = scalar(Scalar::U32);
        values.insert(0, Expr { kind, ty, span });
        self.call_of_numbers(now, builtin::function(now)?, values, span)
    }

    /// A call of a function of numbers, whose parameters' types decide what it is.
    fn call_of_numbers(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let values = self.as_numbers(builtin, values)?;
        match builtin {
            Builtin::Fixed(function, params, result) => {
                let values = self.fixed(name, params, values, span)?;
                Some(math(function, values, result, span))
            }
            Builtin::Overloaded(function, wanted) => {
                let of = self.float_type(name, &values, wanted, span)?;
                Some(math(function, all_as(values, of), of, span))
            }
            Builtin::Test(function) => {
                let of = self.float_type(name, &values, 1, span)?;
                Some(math(function, all_as(values, of), Scalar::Bool, span))
            }
            Builtin::IsFinite => self.is_finite(name, values, span),
            Builtin::Abs => self.abs(name, values, span),
            Builtin::Extreme(function) => self.extreme(name, function, values, span),
            Builtin::Saturate => {
                let values = self.fixed(name, &[Scalar::F32], values, span)?;
                Some(saturate(values, span))
            }
            Builtin::Divide(of, reciprocal) => self.divide(name, of, reciprocal, values, span),
            other => self.call_of_warp(name, other, values, span),
        }
    }

    /// The arguments of a function whose overloads take numbers: an object that converts to one is passed as that
    /// ([over.best.ics]), as in `sqrt(vector[0])` of Thrust's.
    fn as_numbers(&mut self, builtin: Builtin, values: Vec<Expr>) -> Option<Vec<Expr>> {
        match builtin {
            Builtin::Overloaded(..)
            | Builtin::Test(_)
            | Builtin::IsFinite
            | Builtin::Abs
            | Builtin::Extreme(_) => {}
            _ => return Some(values),
        }
        let converted = values.into_iter().map(|value| self.built_in_operand(value));
        // All of them, before the first refused one ends it: each wrong argument is told.
        let converted: Vec<Option<Expr>> = converted.collect();
        converted.into_iter().collect()
    }

    /// A call of a function that looks at the lanes of a warp, or at memory.
    fn call_of_warp(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        match builtin {
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

    pub fn arity(&mut self, name: &str, wanted: usize, found: usize, span: Span) -> Option<()> {
        if wanted == found {
            return Some(());
        }
        let message = format!("`{name}` takes {}, not {found}", count(wanted));
        let error = Diagnostic::error(span, message);
        self.refuse(match builtin::function(name) {
            Some(function) => error.help(format!(
                "call it as `{}`",
                builtin::signature(name, function)
            )),
            None => error,
        })
    }

    /// The arguments, each converted to its parameter's type.
    pub fn fixed(
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

    pub fn scalars(&mut self, name: &str, values: &[Expr]) -> Option<Vec<Scalar>> {
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
        // As `<cmath>` overloads them: integers go to `double`, so `sqrt(2)` is one.
        let all = scalars.iter().all(|&scalar| scalar == Scalar::F32);
        Some(if all { Scalar::F32 } else { Scalar::F64 })
    }

    fn is_finite(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        let of = self.float_type(name, &values, 1, span)?;
        // Comparing with NaN is always false, so that NaN is not finite.
        let magnitude = math(MathFunction::Abs, all_as(values, of), of, span);
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
            return self.refuse(error.help("leave it out, or convert to a signed type: `(int)`"));
        }
        Some(math(MathFunction::Abs, all_as(values, of), of, span))
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
        // `min(int, float)` is ambiguous to nvcc: the headers have overloads of both, none better.
        let alike =
            a.is_float() == b.is_float() && (a.is_float() || a.size_bytes() == b.size_bytes());
        if !alike {
            let (a, b) = (scalar(scalars[0]), scalar(scalars[1]));
            let message = format!("`{name}` of `{a}` and `{b}` is ambiguous");
            let error = Diagnostic::error(span, message)
                .help(format!("convert one to the other's type: `({b})`"));
            return self.refuse(error);
        }
        let of = usual(a, b);
        let values = all_as(values, of);
        Some(match known_extreme(function, &values, of) {
            Some(known) => Expr { span, ..known },
            None => math(function, values, of, span),
        })
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

/// `std::min` of constants is one ([alg.min.max]): `constexpr int tile = std::min(N, 32);`
fn known_extreme(function: MathFunction, values: &[Expr], of: Scalar) -> Option<Expr> {
    let [first, second] = values else {
        return None;
    };
    let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&first.kind, &second.kind) else {
        return None;
    };
    let less = |a, b| arithmetic::binary(BinaryOp::Lt, of, a, b, 0);
    let is_second = match function {
        MathFunction::Min => less(*b, *a)?,
        _ => less(*a, *b)?,
    };
    // What is not a number is left to the machine: `min` and `std::min` choose otherwise.
    let is_known = !of.is_float()
        || !arithmetic::float(of, *a).is_nan() && !arithmetic::float(of, *b).is_nan();
    let chosen = if is_second == 0 { first } else { second };
    is_known.then(|| chosen.clone())
}

fn all_as(values: Vec<Expr>, of: Scalar) -> Vec<Expr> {
    let values = values.into_iter();
    values.map(|value| convert(value, &scalar(of))).collect()
}

/// `min(max(x, 0), 1)`: not a number becomes 0, as `fmaxf` has it.
fn saturate(mut values: Vec<Expr>, span: Span) -> Expr {
    let number = |value: f32| constant(scalar(Scalar::F32), u64::from(value.to_bits()), span);
    values.push(number(0.0));
    let positive = math(MathFunction::Max, values, Scalar::F32, span);
    math(
        MathFunction::Min,
        vec![positive, number(1.0)],
        Scalar::F32,
        span,
    )
}
