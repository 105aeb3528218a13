//! Conversions: those that C++ makes by itself, and those that are written.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{CONVERSION, CastKind};
use crate::cuda::check::calls::{Method, pointed_function};
use crate::cuda::resolve::{
    Candidate, Checker, FUNCTION_OBJECT, Operand, ParamType, Side, constant, convert, load, node,
    scalar,
};
use crate::cuda::typed::{BinaryOp, Expr, ExprKind, HostExpr, Scalar, Struct, Type};

/// [over.ics.rank]: worse than all that needs no function of a class, as what a constructor makes is.
const CONVERSION_RANK: u8 = 5;

impl Checker {
    /// The value as C++ converts it by itself to `to`: in assignments, arguments, returns.
    pub fn coerce(&mut self, expr: Expr, to: &Type) -> Option<Expr> {
        if let Type::Struct(of) = to
            && self.types.is_by_address(to)
        {
            let span = expr.span;
            return self.object_value(Operand::Value(expr), of, span);
        }
        if let Some(converted) = self.pointer_to_base(&expr, to) {
            return Some(converted);
        }
        if let Some(converted) = self.by_own_conversion(&expr, to) {
            return converted;
        }
        if let Type::Struct(of) = &expr.ty
            && pointed_function(to).is_some()
            && let Some(made) = self.as_pointer_to_function(&of.clone(), to, expr.span)
        {
            return Some(made);
        }
        if is_text_for(&expr, to) {
            let ty = to.clone();
            return Some(Expr { ty, ..expr });
        }
        self.refuse_function(&expr, to)?;
        match (&expr.ty, to) {
            // [conv.bool]: `if (p)` asks whether `p` is not null.
            (Type::Pointer { .. }, Type::Scalar(Scalar::Bool)) => Some(self.truth_of_pointer(expr)),
            (from, Type::Struct(of))
                if from != to && self.converts(&Operand::Value(expr.clone()), to) =>
            {
                let span = expr.span;
                self.constructed(of, vec![Operand::Value(expr)], span)
            }
            // [conv.ptr]: the constant 0 is a null pointer; no other integer converts.
            (from, to) => match fits(from, to, matches!(expr.kind, ExprKind::Constant(0))) {
                true => Some(convert(expr, to)),
                false => self.mismatch(&expr, to),
            },
        }
    }

    /// A lambda, or in a kernel a function, as a pointer.
    fn as_pointer_to_function(&mut self, of: &Struct, to: &Type, span: Span) -> Option<Expr> {
        match self.frame.side {
            Side::Gpu => self.device_function(of, to, span),
            Side::Both | Side::Host => self.lambda_as_pointer(of, to, span),
        }
    }

    /// Reports a function where a number stands, or a pointer to others.
    fn refuse_function(&mut self, expr: &Expr, to: &Type) -> Option<()> {
        let Type::Struct(of) = &expr.ty else {
            return Some(());
        };
        let Some(name) = of.name().strip_suffix(FUNCTION_OBJECT) else {
            return Some(());
        };
        if expr.ty == *to {
            return Some(());
        }
        let (message, help) = match pointed_function(to) {
            Some(_) => (
                format!("`{name}` is no `__device__` function of this type"),
                format!("a `{to}` leads to another"),
            ),
            None => (
                format!("`{name}` is a function, not a value"),
                format!("call it: `{name}(…)`"),
            ),
        };
        self.refuse(Diagnostic::error(expr.span, message).help(help))
    }

    /// What an `operator T()` of a struct makes of it ([class.conv.fct]); nothing if it has none for the type.
    fn by_own_conversion(&mut self, expr: &Expr, to: &Type) -> Option<Option<Expr>> {
        let Type::Struct(of) = &expr.ty else {
            return None;
        };
        let candidates = (expr.ty != *to).then(|| self.conversions(of, to))??;
        let span = expr.span;
        let method = Method::plain(CONVERSION, &candidates, span);
        let called = self.call_on(Operand::Value(expr.clone()), &method, Vec::new(), span);
        let to_truth = *to == scalar(Scalar::Bool);
        Some(called.map(load).map(|called| match called.ty {
            Type::Pointer { .. } if to_truth => self.truth_of_pointer(called),
            _ => convert(called, to),
        }))
    }

    /// The functions of a struct that convert it to a type, exactly or else to what converts to it.
    fn conversions(&self, of: &Struct, to: &Type) -> Option<Vec<Candidate>> {
        let all = self.types.methods(of, CONVERSION)?;
        let returns = |candidate: &Candidate| match candidate {
            Candidate::Function(index) => self.functions.signatures[*index].returns.ty.clone(),
            Candidate::Template(_) | Candidate::Host(_) => None,
        };
        // [over.best.ics]: a standard conversion may follow: `operator float()` serves where a `double` is wanted.
        let exact = |candidate: &&Candidate| returns(candidate).as_ref() == Some(to);
        let number = |candidate: &&Candidate| {
            let from = returns(candidate);
            to.scalar().is_some() && from.is_some_and(|ty| ty.scalar().is_some())
        };
        // The same for `operator T*()` where a `const T*`, a `void*` or a truth is wanted.
        let pointer = |candidate: &&Candidate| {
            let from = returns(candidate).filter(|ty| matches!(ty, Type::Pointer { .. }));
            from.is_some_and(|from| *to == scalar(Scalar::Bool) || fits(&from, to, false))
        };
        let found = all.iter().find(exact);
        let found = found.or_else(|| all.iter().find(number));
        let found = found.or_else(|| all.iter().find(pointer))?;
        Some(vec![*found])
    }

    /// The rank of passing what the argument's class converts it to, or a lambda as a pointer to a function.
    pub fn rank_of_conversion(&self, argument: &Operand, param: &ParamType) -> Option<u8> {
        let Type::Struct(of) = argument.ty() else {
            return None;
        };
        let may_be_value = !param.is_reference || param.is_const || param.is_rvalue;
        if !may_be_value || argument.ty() == &param.ty {
            return None;
        }
        if let Some(wanted) = pointed_function(&param.ty) {
            let fits = self.is_lambda_for(of, wanted.params.len());
            return fits.then_some(CONVERSION_RANK);
        }
        let [conversion] = self.conversions(of, &param.ty)?[..] else {
            return None;
        };
        let Candidate::Function(index) = conversion else {
            return None;
        };
        // [over.ics.rank]: of two that are the class's own, the one that needs no further conversion.
        let is_exact = self.functions.signatures[index].returns.ty.as_ref() == Some(&param.ty);
        Some(CONVERSION_RANK + u8::from(!is_exact))
    }

    /// An operand of a built-in operator: an object that converts to one number or pointer is converted
    /// ([over.match.oper]); all else stays as it is.
    pub fn built_in_operand(&mut self, expr: Expr) -> Option<Expr> {
        let Type::Struct(of) = &expr.ty else {
            return Some(expr);
        };
        let all = self.types.methods(of, CONVERSION).unwrap_or_default();
        let implicit = all.iter().filter_map(|candidate| match candidate {
            Candidate::Function(index) => Some(&self.functions.signatures[*index]),
            Candidate::Template(_) | Candidate::Host(_) => None,
        });
        let mut types = implicit
            .filter(|signature| !signature.function.traits.is_explicit)
            .filter_map(|signature| signature.returns.ty.clone())
            .filter(|ty| matches!(ty, Type::Scalar(_) | Type::Pointer { .. }));
        match (types.next(), types.next()) {
            (Some(to), None) => self.coerce(expr, &to),
            // With several, C++ finds the operator ambiguous unless one fits better: it is refused below.
            _ => Some(expr),
        }
    }

    /// The pointer that an object converts to, as an operand of a built-in operator: `operator T*()`, which may have one
    /// beside it that is `const`. Nothing of objects that convert to none.
    pub fn pointer_of_object(&mut self, object: &Operand, span: Span) -> Option<Option<Expr>> {
        let Type::Struct(of) = object.ty() else {
            return None;
        };
        let mut candidates = self.types.methods(of, CONVERSION)?;
        candidates.retain(|candidate| match candidate {
            Candidate::Function(index) => {
                let signature = &self.functions.signatures[*index];
                let is_pointer = matches!(signature.returns.ty, Some(Type::Pointer { .. }));
                is_pointer && !signature.function.traits.is_explicit
            }
            Candidate::Template(_) | Candidate::Host(_) => false,
        });
        if candidates.is_empty() {
            return None;
        }
        let method = Method::plain(CONVERSION, &candidates, span);
        let called = self.call_on(object.clone(), &method, Vec::new(), span);
        Some(called.map(load))
    }

    fn mismatch(&mut self, expr: &Expr, to: &Type) -> Option<Expr> {
        let message = match &expr.ty {
            Type::Void => "this has no value".to_string(),
            from => format!("`{from}` does not convert to `{to}`"),
        };
        let mut error = Diagnostic::error(expr.span, message).label(format!("expected `{to}`"));
        error = match (&expr.ty, to) {
            (
                Type::Pointer {
                    to: a,
                    is_const: true,
                },
                Type::Pointer {
                    to: b,
                    is_const: false,
                },
            ) if a == b => error.note("what it points to is `const`"),
            (Type::Pointer { .. }, Type::Pointer { .. }) => {
                error.help(format!("if it is meant, write `reinterpret_cast<{to}>(…)`"))
            }
            (Type::Pointer { to: pointee, .. }, to) if **pointee == *to => {
                error.help("read what it points to: `*p` or `p[i]`")
            }
            (Type::Vector(..), Type::Scalar(_)) => {
                error.help("choose a component: `.x`, `.y`, `.z` or `.w`")
            }
            (Type::Scalar(_), Type::Vector(of, lanes)) => {
                error.help(format!("write `make_{}(…)`", Type::Vector(*of, *lanes)))
            }
            _ => error,
        };
        self.refuse(error)
    }

    fn truth_of_pointer(&mut self, expr: Expr) -> Expr {
        let span = expr.span;
        let null = constant(expr.ty.clone(), 0, span);
        Expr {
            kind: ExprKind::Binary(BinaryOp::Ne, Box::new(expr), Box::new(null)),
            ty: scalar(Scalar::Bool),
            span,
        }
    }

    /// The value as a condition.
    pub fn truth(&mut self, expr: Expr) -> Option<Expr> {
        match &expr.ty {
            // [conv]: in a condition `explicit operator bool` counts, too.
            Type::Struct(of) if self.types.methods(of, CONVERSION).is_some() => {
                self.coerce(expr, &scalar(Scalar::Bool))
            }
            Type::Scalar(_) => Some(convert(expr, &scalar(Scalar::Bool))),
            Type::Pointer { .. } => Some(self.truth_of_pointer(expr)),
            Type::Void => self.error(expr.span, "this has no value, so it is no condition"),
            ty => {
                let message = format!("`{ty}` is neither true nor false");
                self.error(expr.span, message)
            }
        }
    }

    /// The value as a conversion that is written makes it.
    pub fn cast(&mut self, kind: CastKind, expr: Expr, to: &Type, span: Span) -> Option<Expr> {
        let from = expr.ty.clone();
        let is_null = matches!(expr.kind, ExprKind::Constant(0));
        if kind != CastKind::Reinterpret
            && let Some(cast) = self.cast_in_hierarchy(&expr, to)
        {
            return Some(Expr { span, ..cast });
        }
        if let (Type::Pointer { .. }, Type::Scalar(Scalar::Bool)) = (&from, to) {
            let truth = self.truth_of_pointer(expr);
            return Some(Expr { span, ..truth });
        }
        // [expr.static.cast]: the value is dropped.
        if *to == Type::Void && self.frame.side != Side::Gpu {
            return Some(node(ExprKind::Nothing(vec![expr]), Type::Void, span));
        }
        if kind != CastKind::Reinterpret
            && let Some(converted) = self.by_own_conversion(&expr, to)
        {
            return converted;
        }
        if let Some(help) = cast_problem(kind, &from, to, is_null) {
            let message = format!("`{from}` does not convert to `{to}` this way");
            return self.refuse(Diagnostic::error(span, message).help(help));
        }
        let expr = match (&from, to) {
            // Left to compilers by [expr.reinterpret.cast]: GCC and Clang widen an `int` first, with its sign.
            (Type::Scalar(of), Type::Pointer { .. }) if of.is_integer() && !is_null => {
                convert(expr, &scalar(Scalar::U64))
            }
            _ => expr,
        };
        let cast = convert(expr, to);
        Some(Expr { span, ..cast })
    }
}

/// Whether it is a string for a `char*`: GCC and nvcc only warn of `char* s = "text"`.
fn is_text_for(expr: &Expr, to: &Type) -> bool {
    match (&expr.kind, to) {
        (ExprKind::Host(of), Type::Pointer { to, .. }) => {
            matches!(**of, HostExpr::Text(_)) && **to == scalar(Scalar::Char)
        }
        _ => false,
    }
}

/// What to write in place of a conversion that is not allowed; nothing for one that is.
fn cast_problem(kind: CastKind, from: &Type, to: &Type, is_null: bool) -> Option<&'static str> {
    let wide = |of: &Scalar| matches!(of, Scalar::I64 | Scalar::U64);
    let reinterprets = matches!(kind, CastKind::Plain | CastKind::Reinterpret);
    match (from, to) {
        (from, to) if from == to && kind != CastKind::Const => None,
        (Type::Scalar(_), Type::Scalar(_)) => {
            (!matches!(kind, CastKind::Plain | CastKind::Static)).then_some("write `static_cast`")
        }
        // [expr.reinterpret.cast]: an integer must be wide enough for all of the address.
        (Type::Pointer { .. }, Type::Scalar(of)) if wide(of) => {
            (!reinterprets).then_some("write `reinterpret_cast`")
        }
        (Type::Scalar(_), Type::Pointer { .. }) if is_null => None,
        (Type::Scalar(of), Type::Pointer { .. }) if of.is_integer() => {
            (!reinterprets).then_some("write `reinterpret_cast`")
        }
        (
            Type::Pointer {
                to: a,
                is_const: was_const,
            },
            Type::Pointer { to: b, is_const },
        ) => pointer_cast_problem(
            kind,
            a == b || kind == CastKind::Const && differs_in_const(a, b),
            **a == Type::Void || **b == Type::Void,
            *was_const && !is_const,
        ),
        _ => Some("there is no such conversion"),
    }
}

/// Whether types are the same but for `const` of what their pointers point to ([conv.qual]).
fn differs_in_const(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Pointer { to: a, .. }, Type::Pointer { to: b, .. }) => differs_in_const(a, b),
        (a, b) => a == b,
    }
}

/// Whether a value converts by itself, without a function of its struct's.
fn fits(from: &Type, to: &Type, is_null: bool) -> bool {
    match (from, to) {
        (Type::Void, _) | (_, Type::Void) => false,
        (from, to) if from == to => true,
        // Also to a narrower type, as in `int i = 2.5f;`.
        (Type::Scalar(_), Type::Scalar(_)) => true,
        (Type::Scalar(of), Type::Pointer { .. }) => is_null && of.is_integer(),
        // `nullptr`, which is a `void*` here.
        (Type::Pointer { to: from, .. }, Type::Pointer { .. })
            if is_null && **from == Type::Void =>
        {
            true
        }
        // A pointer may gain `const` and lose its type to `void*`, never the other way ([conv.qual], [conv.ptr]).
        (
            Type::Pointer { is_const, .. },
            Type::Pointer {
                to: b,
                is_const: to_const,
            },
        ) => from.may_become(to) || **b == Type::Void && (*to_const || !is_const),
        _ => false,
    }
}

fn pointer_cast_problem(
    kind: CastKind,
    same: bool,
    through_void: bool,
    drops_const: bool,
) -> Option<&'static str> {
    match kind {
        // [expr.cast]: `(T*)p` does what any of the named casts would.
        CastKind::Plain => None,
        CastKind::Const => (!same).then_some("`const_cast` only adds or removes `const`"),
        // Only `const_cast` takes `const` away ([expr.static.cast], [expr.reinterpret.cast]).
        _ if drops_const => Some("it would drop `const`: convert to a pointer to `const`"),
        CastKind::Reinterpret => None,
        // [expr.static.cast]: to and from `void*`, but not between two other types.
        CastKind::Static | CastKind::Dynamic => {
            (!same && !through_void).then_some("write `reinterpret_cast`")
        }
    }
}
