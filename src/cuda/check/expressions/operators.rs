//! Operators: C++'s conversions of their operands, and what may stand where.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, PrefixOp};
use crate::cuda::resolve::{
    Checker, Operand, Side, address, constant as constant_expr, convert, load, node,
    operation_types, pointer, promoted, scalar, usual,
};
use crate::cuda::typed::{BinaryOp, Expr, ExprKind, Scalar, Type, UnaryOp, arithmetic};

impl Checker {
    /// An operator before its operand: of the file's own, or of C++.
    pub fn prefix(&mut self, op: PrefixOp, inner: &ast::Expr, span: Span) -> Option<Operand> {
        let symbol = match op {
            PrefixOp::Minus => "-",
            PrefixOp::Not => "!",
            PrefixOp::BitNot => "~",
            PrefixOp::Plus => "+",
            PrefixOp::Increment => return self.step(inner, true, true, span),
            PrefixOp::Decrement => return self.step(inner, false, true, span),
            PrefixOp::AddressOf if self.frame.side == Side::Host => {
                return self.address_by_operator(inner, span);
            }
            _ => return self.built_in_prefix(op, inner, span).map(Operand::Value),
        };
        let operand = self.operand(inner)?;
        // [over.match.oper]: an operator that the file defines for its structs is looked for first.
        let own = self.own_operator(symbol, std::slice::from_ref(&operand), span, span);
        match own {
            Some(called) => called,
            None => {
                let value = Expr {
                    span: inner.span,
                    ..load(operand)
                };
                self.sign(op, value, span).map(Operand::Value)
            }
        }
    }

    /// `&x`, where the type of `x` may say what that is.
    fn address_by_operator(&mut self, inner: &ast::Expr, span: Span) -> Option<Operand> {
        let operand = self.addressed(inner)?;
        if matches!(operand.ty(), Type::Struct(_))
            && let Some(called) = self.own_operator("&", std::slice::from_ref(&operand), span, span)
        {
            return called;
        }
        let is_plain = matches!(inner.kind, ast::ExprKind::Name(_) | ast::ExprKind::Path(_));
        self.address_of_operand(operand, is_plain, inner.span, span)
            .map(Operand::Value)
    }

    fn built_in_prefix(&mut self, op: PrefixOp, inner: &ast::Expr, span: Span) -> Option<Expr> {
        match op {
            PrefixOp::AddressOf => self.address_of(inner, span),
            op => {
                let value = self.value(inner)?;
                self.sign(op, value, span)
            }
        }
    }

    /// `-`, `+`, `~` and `!`.
    fn sign(&mut self, op: PrefixOp, value: Expr, span: Span) -> Option<Expr> {
        let (op, symbol) = match op {
            PrefixOp::Not => {
                let value = self.truth(value)?;
                return Some(unary(UnaryOp::LogicalNot, value, span));
            }
            PrefixOp::Minus => (Some(UnaryOp::Negate), "-"),
            PrefixOp::BitNot => (Some(UnaryOp::BitNot), "~"),
            _ => (None, "+"),
        };
        let value = self.built_in_operand(value)?;
        // `half2` has a `-` in cuda_fp16.h; CUDA's other vectors have no operators.
        if let (Type::Vector(of, 2), Some(UnaryOp::Negate)) = (&value.ty, op)
            && of.is_half()
        {
            return Some(unary(UnaryOp::Negate, value, span));
        }
        if op.is_none()
            && let Some(pointer) = self.as_pointer(&value, span)
        {
            return Some(pointer);
        }
        let Some(of) = value.ty.scalar() else {
            let message = format!("`{symbol}` is not defined for `{}`", value.ty);
            return self.error(span, message);
        };
        if op == Some(UnaryOp::BitNot) && of.is_float() {
            let message = format!("`~` is not defined for `{}`", value.ty);
            return self.error(span, message);
        }
        // [expr.unary.op]: the operand is promoted: `-c` of a `char` is an `int`.
        let value = convert(value, &scalar(promoted(of)));
        Some(match op {
            Some(op) => unary(op, value, span),
            None => Expr { span, ..value },
        })
    }

    /// What `+` leaves a pointer, and makes of a lambda that keeps nothing ([over.built]).
    fn as_pointer(&mut self, value: &Expr, span: Span) -> Option<Expr> {
        match &value.ty {
            Type::Pointer { .. } => Some(value.clone()),
            Type::Struct(of) => {
                let function = self.function_of_lambda(of)?;
                let to = pointer(Type::Function(Box::new(function)), false);
                self.lambda_as_pointer(of, &to, span)
            }
            _ => None,
        }
    }

    pub fn logical(
        &mut self,
        is_or: bool,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        // Both sides are checked before a failure ends this, so that what is wrong in either is reported.
        let (a, b) = (self.condition(a), self.condition(b));
        let (a, b) = (a?, b?);
        if let ExprKind::Constant(known) = a.kind {
            // `true || x` is true though `x` is unknown: `if constexpr` and array lengths count on it.
            let decides = (known != 0) == is_or;
            return Some(if decides {
                Expr { span, ..a }
            } else {
                Expr { span, ..b }
            });
        }
        let (a, b) = (Box::new(a), Box::new(b));
        let kind = match is_or {
            true => ExprKind::Or(a, b),
            false => ExprKind::And(a, b),
        };
        let ty = scalar(Scalar::Bool);
        Some(Expr { kind, ty, span })
    }

    pub fn conditional(
        &mut self,
        c: &ast::Expr,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let (c, a, b) = (self.condition(c), self.operand(a), self.operand(b));
        let (c, a, b) = (c?, a?, b?);
        if let Some(pointer) = self.address_chosen(&c, &a, &b, span) {
            return self.deref_value(pointer, span);
        }
        if self.types.is_by_address(a.ty()) || self.types.is_by_address(b.ty()) {
            return self.conditional_object(c, a, b, span);
        }
        let (mut a, mut b) = (load(a), load(b));
        if a.ty != b.ty && self.frame.side == Side::Gpu {
            (a, b) = (self.decayed(a), self.decayed(b));
        }
        self.conditional_value(c, a, b, span).map(Operand::Value)
    }

    /// [expr.cond]: of two variables of one type the result is a place, which can be assigned to: its address.
    fn address_chosen(&self, c: &Expr, a: &Operand, b: &Operand, span: Span) -> Option<Expr> {
        let is_const = a.is_const() || b.is_const();
        let variable = |operand: &Operand| match operand {
            Operand::Place { place, value, .. } if value.is_none() => Some(place.clone()),
            _ => None,
        };
        let (a, b) = (variable(a)?, variable(b)?);
        let has_address = match &a.ty {
            Type::Array(..) => false,
            // Of a struct that kernels keep in registers only the value is wanted.
            ty @ Type::Struct(_) => self.frame.side == Side::Host || self.types.is_by_address(ty),
            _ => true,
        };
        if a.ty != b.ty || !has_address {
            return None;
        }
        let [a, b] = [a, b].map(|place| Box::new(address(place, is_const)));
        let ty = a.ty.clone();
        let kind = ExprKind::Conditional(Box::new(c.clone()), a, b);
        Some(node(kind, ty, span))
    }

    fn conditional_value(&mut self, c: Expr, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        let ty = match (&a.ty, &b.ty) {
            (Type::Void, Type::Void) if self.frame.side != Side::Gpu => Type::Void,
            (Type::Void, _) | (_, Type::Void) => {
                let message = "`?:` chooses between values, and one is `void`";
                return self.refuse(Diagnostic::error(span, message).help("write `if` and `else`"));
            }
            (a, b) if a == b => a.clone(),
            (Type::Scalar(x), Type::Scalar(y)) => {
                let ty = scalar(usual(*x, *y));
                self.not_mixed("?:", &a, &b, span)?;
                ty
            }
            _ => self.common_pointer(&a, &b, "?:", span)?,
        };
        let [a, b] = [a, b].map(|value| self.converted(value, &ty));
        if let ExprKind::Constant(known) = c.kind
            && let (ExprKind::Constant(_), ExprKind::Constant(_)) = (&a.kind, &b.kind)
        {
            return Some(Expr {
                span,
                ..if known != 0 { a } else { b }
            });
        }
        let kind = ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b));
        Some(Expr { kind, ty, span })
    }

    /// The type to which two pointers, or a pointer and null, convert.
    fn common_pointer(&mut self, a: &Expr, b: &Expr, symbol: &str, span: Span) -> Option<Type> {
        // [conv.ptr]: null is the constant 0, or `nullptr`, which is a `void*` here.
        let is_null = |expr: &Expr| {
            let void = pointer(Type::Void, false);
            let null_type = expr.ty == void || expr.ty.scalar().is_some_and(Scalar::is_integer);
            matches!(expr.kind, ExprKind::Constant(0)) && null_type
        };
        match (&a.ty, &b.ty) {
            (ty @ Type::Pointer { .. }, _) if is_null(b) => return Some(ty.clone()),
            (_, ty @ Type::Pointer { .. }) if is_null(a) => return Some(ty.clone()),
            (Type::Pointer { to: x, is_const: c }, Type::Pointer { to: y, is_const: d }) => {
                if x == y {
                    // [conv.qual]: what both can become is `const` if one of them is.
                    return Some(pointer((**x).clone(), *c || *d));
                }
                if **x == Type::Void || **y == Type::Void {
                    return Some(pointer(Type::Void, *c || *d));
                }
                // [expr.type]: pointers to a class and to its base meet at the base.
                let [of_a, of_b] = [x, y].map(|to| pointer((**to).clone(), *c || *d));
                if self.pointer_to_base(a, &of_b).is_some() {
                    return Some(of_b);
                }
                if self.pointer_to_base(b, &of_a).is_some() {
                    return Some(of_a);
                }
            }
            _ => {}
        }
        self.no_operator(symbol, &a.ty, &b.ty, span)
    }

    /// Refuses a 16-bit float beside another type, as CUDA's headers make that ambiguous.
    pub fn not_mixed(&mut self, symbol: &str, a: &Expr, b: &Expr, at: Span) -> Option<()> {
        let is_half = |expr: &Expr| expr.ty.scalar().is_some_and(Scalar::is_half);
        if a.ty == b.ty || !(is_half(a) || is_half(b)) {
            return Some(());
        }
        let (half, other) = if is_half(a) { (a, b) } else { (b, a) };
        let message = format!("`{symbol}` of `{}` and `{}` is ambiguous", a.ty, b.ty);
        let error = Diagnostic::error(at, message);
        let help = format!(
            "convert one: `{}(…)`, or the other to `{}`",
            half.ty, other.ty
        );
        self.refuse(error.help(help))
    }

    pub fn no_operator<T>(&mut self, symbol: &str, a: &Type, b: &Type, span: Span) -> Option<T> {
        let message = format!("`{symbol}` is not defined for `{a}` and `{b}`");
        let mut error = Diagnostic::error(span, message);
        if matches!(a, Type::Vector(..)) || matches!(b, Type::Vector(..)) {
            error = error.help("CUDA's vectors have no arithmetic: compute component by component");
        } else if matches!(a, Type::Struct(_)) || matches!(b, Type::Struct(_)) {
            error = error.help(format!("define `operator{symbol}` for it"));
        }
        self.refuse(error)
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let operands = (self.operand(a), self.operand(b));
        let operands = [operands.0?, operands.1?];
        if let Some(called) = self.own_operator(op.spelling(), &operands, at, span) {
            return called;
        }
        let [left, right] = operands;
        let left = self.value_or_pointer(left, a.span)?;
        let right = self.value_or_pointer(right, b.span)?;
        self.binary_values(op, at, left, right, span)
            .map(Operand::Value)
    }

    /// An operand's value; of an object that converts to a pointer, that.
    fn value_or_pointer(&mut self, operand: Operand, span: Span) -> Option<Expr> {
        match self.pointer_of_object(&operand, span) {
            Some(pointer) => pointer,
            None => Some(Expr {
                span,
                ..load(operand)
            }),
        }
    }

    pub fn binary_values(
        &mut self,
        op: BinaryOp,
        at: Span,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<Expr> {
        let (a, b) = (self.built_in_operand(a)?, self.built_in_operand(b)?);
        // cuda_fp16.h gives `half2` the operators `+ - * /`, which work on both parts.
        if let Type::Vector(of, 2) = a.ty
            && of.is_half()
            && a.ty == b.ty
            && !op.is_comparison()
            && !op.takes_integers_only()
        {
            let ty = a.ty.clone();
            let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
            return Some(Expr { kind, ty, span });
        }
        let (Some(x), Some(y)) = (a.ty.scalar(), b.ty.scalar()) else {
            return self.pointer_binary(op, at, a, b, span);
        };
        if op.takes_integers_only() && (x.is_float() || y.is_float()) {
            return self.floats_refused(op, at, &a.ty, &b.ty);
        }
        self.not_mixed(op.spelling(), &a, &b, at)?;
        // Only a warning, as the statement may never be reached.
        if matches!(op, BinaryOp::Div | BinaryOp::Rem)
            && matches!(b.kind, ExprKind::Constant(0))
            && x.is_integer()
            && y.is_integer()
        {
            self.report(Diagnostic::warning(b.span, "this divides by zero"));
        }
        let (computed, right) = operation_types(op, x, y);
        let (a, b) = (convert(a, &scalar(computed)), convert(b, &scalar(right)));
        Some(computed_binary(op, computed, right, a, b, span))
    }

    pub fn floats_refused<T>(&mut self, op: BinaryOp, at: Span, a: &Type, b: &Type) -> Option<T> {
        let symbol = op.spelling();
        let message = format!("`{symbol}` is not defined for `{a}` and `{b}`");
        let error = Diagnostic::error(at, message);
        self.refuse(match op {
            BinaryOp::Rem => error.help("use `fmodf` for `float`, `fmod` for `double`"),
            _ => error.help("convert to an integer, or look at the bits: `__float_as_uint(x)`"),
        })
    }

    fn pointer_binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<Expr> {
        let integer = |expr: &Expr| expr.ty.scalar().is_some_and(Scalar::is_integer);
        let points = |expr: &Expr| match &expr.ty {
            // [expr.add]: `void` has no size, so a pointer to it does not move.
            Type::Pointer { to, .. } => **to != Type::Void,
            _ => false,
        };
        let symbol = op.spelling();
        if op.is_comparison() {
            return self.compare_pointers(op, at, a, b, span);
        }
        self.pointee_has_size(&a)?;
        self.pointee_has_size(&b)?;
        let (base, offset) = match op {
            BinaryOp::Add if points(&a) && integer(&b) => (a, b),
            // [expr.add]: `i + p` is `p + i`.
            BinaryOp::Add if integer(&a) && points(&b) => (b, a),
            BinaryOp::Sub if points(&a) && integer(&b) => (a, negated(b)),
            BinaryOp::Sub if points(&a) && points(&b) => {
                let [a, b] = self.as_common_pointers(a, b, symbol, at)?;
                let kind = ExprKind::PointerDifference(a, b);
                // [expr.add]: the result is a `ptrdiff_t`, which has 64 bits.
                let ty = scalar(Scalar::I64);
                return Some(Expr { kind, ty, span });
            }
            _ => return self.no_operator(symbol, &a.ty, &b.ty, at),
        };
        let ty = base.ty.clone();
        let kind = ExprKind::PointerOffset(Box::new(base), Box::new(offset));
        Some(Expr { kind, ty, span })
    }

    /// Nothing, and a report, where an address cannot be counted in elements.
    fn pointee_has_size(&mut self, operand: &Expr) -> Option<()> {
        match &operand.ty {
            Type::Pointer { to, .. } => self.has_size(to, operand.span).then_some(()),
            _ => Some(()),
        }
    }

    fn compare_pointers(
        &mut self,
        op: BinaryOp,
        at: Span,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<Expr> {
        let is_pointer = |expr: &Expr| matches!(expr.ty, Type::Pointer { .. });
        if !is_pointer(&a) && !is_pointer(&b) {
            return self.no_operator(op.spelling(), &a.ty, &b.ty, at);
        }
        let [a, b] = self.as_common_pointers(a, b, op.spelling(), at)?;
        let ty = scalar(Scalar::Bool);
        let kind = ExprKind::Binary(op, a, b);
        Some(Expr { kind, ty, span })
    }

    /// Both converted to the type of pointers that they have in common.
    fn as_common_pointers(
        &mut self,
        a: Expr,
        b: Expr,
        symbol: &str,
        at: Span,
    ) -> Option<[Box<Expr>; 2]> {
        let ty = self.common_pointer(&a, &b, symbol, at)?;
        Some([a, b].map(|pointer| Box::new(self.converted(pointer, &ty))))
    }

    /// A value as the type that it has in common with another.
    fn converted(&mut self, value: Expr, ty: &Type) -> Expr {
        match self.pointer_to_base(&value, ty) {
            Some(of_base) => of_base,
            None => convert(value, ty),
        }
    }

    /// What `p` points to, as `__ldg(p)` reads it.
    pub fn load_through(&mut self, pointer: Expr, span: Span) -> Option<Expr> {
        let operand = self.deref_value(pointer, span)?;
        Some(load(operand))
    }
}

/// An operation on two numbers in the type `computed`, its right side of type `right`; done now if both are known.
fn computed_binary(
    op: BinaryOp,
    computed: Scalar,
    right: Scalar,
    a: Expr,
    b: Expr,
    span: Span,
) -> Expr {
    let ty = scalar(match op.is_comparison() {
        true => Scalar::Bool,
        false => computed,
    });
    if let (ExprKind::Constant(x), ExprKind::Constant(y)) = (&a.kind, &b.kind) {
        let amount = match op.is_shift() {
            true => arithmetic::integer(right, *y),
            false => 0,
        };
        if let Some(bits) = arithmetic::binary(op, computed, *x, *y, amount) {
            return constant_expr(ty, bits, span);
        }
    }
    let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
    Expr { kind, ty, span }
}

/// Widened before the sign is changed: `p - 1u` moves back by one, not by 2^32 - 1 on.
fn negated(offset: Expr) -> Expr {
    let wide = convert(offset, &scalar(Scalar::I64));
    let span = wide.span;
    unary(UnaryOp::Negate, wide, span)
}

fn unary(op: UnaryOp, value: Expr, span: Span) -> Expr {
    if let (ExprKind::Constant(bits), Some(of)) = (&value.kind, value.ty.scalar())
        && let Some(bits) = arithmetic::unary(op, of, *bits)
    {
        return constant_expr(value.ty.clone(), bits, span);
    }
    Expr {
        ty: value.ty.clone(),
        kind: ExprKind::Unary(op, Box::new(value)),
        span,
    }
}
