//! Places: their addresses, and what changes them.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::check::calls::pointed_function;
use crate::cuda::resolve::{
    Checker, FUNCTION_OBJECT, Operand, Side, constant, convert, load, name_of, operation_types,
    pointer, scalar,
};
use crate::cuda::typed::{BinaryOp, Bits, Expr, ExprKind, Place, PlaceKind, Scalar, Type};

/// Whether a type is that of a function in a kernel.
fn is_function_object(ty: &Type) -> bool {
    matches!(ty, Type::Struct(of) if of.name().ends_with(FUNCTION_OBJECT))
}

/// The word and the bits of a bit-field.
fn bits_of(operand: &Operand) -> Option<(Expr, Bits)> {
    match operand {
        Operand::Value(value) => Bits::of_read(value),
        Operand::Place { .. } => None,
    }
}

impl Checker {
    pub fn address_of(&mut self, inner: &ast::Expr, span: Span) -> Option<Expr> {
        let operand = self.addressed(inner)?;
        let is_name = matches!(inner.kind, ast::ExprKind::Name(_) | ast::ExprKind::Path(_));
        self.address_of_operand(operand, is_name, inner.span, span)
    }

    /// The address of what `is_name` says to be written as a name, or not.
    pub fn address_of_operand(
        &mut self,
        operand: Operand,
        is_name: bool,
        inner: Span,
        span: Span,
    ) -> Option<Expr> {
        match operand {
            // `&f` of a function is what `f` is.
            Operand::Value(value)
                if pointed_function(&value.ty).is_some() || is_function_object(&value.ty) =>
            {
                Some(value)
            }
            // A constant that lies nowhere gets a place.
            Operand::Value(value) if is_name && self.frame.side == Side::Host => {
                let address = self.frame.address_of_value(value);
                let ty = match &address.ty {
                    Type::Pointer { to, .. } => pointer((**to).clone(), true),
                    ty => ty.clone(),
                };
                Some(Expr { ty, ..address })
            }
            Operand::Place {
                place, is_const, ..
            } => Some(Expr {
                ty: pointer(place.ty.clone(), is_const),
                kind: ExprKind::AddressOf(place),
                span,
            }),
            Operand::Value(_) => {
                let message = "this is a value, which has no address";
                let error = Diagnostic::error(inner, message);
                self.refuse(error.help("store it in a variable first"))
            }
        }
    }

    /// What a pointer points to, which may be changed.
    pub fn changeable_through(&mut self, pointer: Expr, at: Span) -> Option<Place> {
        let span = pointer.span;
        let operand = self.deref_value(pointer, span)?;
        self.changeable_operand(operand, span, at)
    }

    fn changeable_operand(&mut self, operand: Operand, written: Span, at: Span) -> Option<Place> {
        let (place, is_const) = match operand {
            Operand::Place {
                place, is_const, ..
            } => (place, is_const),
            Operand::Value(_) => {
                let error = Diagnostic::error(written, "this cannot be assigned to")
                    .label("a value, not a variable")
                    .also(at, "assigned here");
                return self.refuse(error);
            }
        };
        if matches!(place.ty, Type::Array(..)) {
            let message = format!("an array, `{}`, cannot be assigned as a whole", place.ty);
            let error = Diagnostic::error(written, message);
            return self.refuse(error.help("assign its elements in a loop"));
        }
        match is_const || self.is_in_constant_memory(&place) {
            true => self.refuse_change(&place, written),
            false => Some(place),
        }
    }

    /// Of `const float* p`, the elements are `const`, and `p` itself may change: the message says which it is.
    fn refuse_change<T>(&mut self, place: &Place, written: Span) -> Option<T> {
        let name = name_of(place, &self.frame.locals).map(str::to_string);
        // The last of that name, which hides those before it.
        let declared = name.as_deref().and_then(|name| {
            let mut locals = self.frame.locals.iter().rev();
            locals
                .find(|local| local.name == name)
                .map(|local| local.span)
        });
        let message = match (&place.kind, &name) {
            (PlaceKind::Local(_), Some(name)) => {
                format!("`{name}` is `const`, so it cannot be changed")
            }
            (_, Some(name)) => format!("the elements of `{name}` are `const`"),
            (_, None) => "this is `const`, so it cannot be changed".to_string(),
        };
        let mut error = Diagnostic::error(written, message).label("changed here");
        if let Some(declared) = declared {
            error = error.also(declared, "declared `const` here");
        }
        self.refuse(error)
    }

    pub fn step(
        &mut self,
        inner: &ast::Expr,
        up: bool,
        prefix: bool,
        span: Span,
    ) -> Option<Operand> {
        let operand = self.operand(inner)?;
        let symbol = if up { "++" } else { "--" };
        if let Type::Struct(_) = operand.ty() {
            // `x++` passes a number that tells it from `++x`.
            let mark = constant(scalar(Scalar::I32), 0, span);
            let mut operands = vec![operand.clone()];
            operands.extend((!prefix).then_some(Operand::Value(mark)));
            if let Some(called) = self.own_operator(symbol, &operands, span, span) {
                return called;
            }
        }
        if let Some((word, bits)) = bits_of(&operand) {
            let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
            let stepped = self.step_bits(word, bits, op, prefix, span);
            return stepped.map(Operand::Value);
        }
        let place = self.changeable_operand(operand, inner.span, span)?;
        self.step_place(place, up, prefix, span).map(Operand::Value)
    }

    fn step_place(&mut self, place: Place, up: bool, prefix: bool, span: Span) -> Option<Expr> {
        let symbol = if up { "++" } else { "--" };
        match &place.ty {
            // [expr.pre.incr]: since C++17 there is no `++` of `bool`.
            Type::Scalar(Scalar::Bool)
            | Type::Vector(..)
            | Type::Struct(_)
            | Type::Void
            | Type::Array(..) => {
                let message = format!("`{symbol}` is not defined for `{}`", place.ty);
                self.error(span, message)
            }
            Type::Pointer { to, .. } if **to == Type::Void => {
                self.error(span, "`void*` does not move: it points to no type")
            }
            Type::Pointer { to, .. } if !self.has_size(to, span) => None,
            ty => Some(Expr {
                ty: ty.clone(),
                kind: ExprKind::Step {
                    place: Box::new(place),
                    up,
                    prefix,
                },
                span,
            }),
        }
    }

    /// `=` or `op=`.
    pub fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        at: Span,
        to: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let Some(op) = op else {
            return self.assign(at, to, value, span);
        };
        // Both are looked at before either is given up, so that what is wrong with each is told.
        let (target, operand) = (self.operand(to), self.operand(value));
        let (target, operand) = (target?, operand?);
        let symbol = format!("{}=", op.spelling());
        let operands = [target, operand];
        if let Some(called) = self.own_operator(&symbol, &operands, at, span) {
            return called;
        }
        let [target, operand] = operands;
        if let Some((word, bits)) = bits_of(&target) {
            let changed = self.change_bits(word, bits, span, |checker, old| {
                checker.binary_values(op, at, old, load(operand), span)
            });
            return changed.map(Operand::Value);
        }
        let place = self.changeable_operand(target, to.span, at)?;
        let value = Expr {
            span: value.span,
            ..load(operand)
        };
        self.assign_op(op, at, place, value, span)
            .map(Operand::Value)
    }

    fn assign(
        &mut self,
        at: Span,
        to: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let target = self.operand(to);
        // Also of what is no variable: an object may stand for another, as `std::tie(a, b)` does.
        if let Some(Type::Struct(of)) = target.as_ref().map(Operand::ty)
            && self.types.methods(of, "operator=").is_some()
            && !matches!(value.kind, ast::ExprKind::Braces(_))
        {
            let operands = [target?, self.operand(value)?];
            return self.own_operator("=", &operands, at, span)?;
        }
        if let Some((word, bits)) = target.as_ref().and_then(bits_of) {
            let value = self.value(value)?;
            let changed = self.change_bits(word, bits, span, |_, _| Some(value));
            return changed.map(Operand::Value);
        }
        let place = target.and_then(|target| self.changeable_operand(target, to.span, at));
        let Some(place) = place else {
            // What is wrong on the right is reported even if the left side cannot be assigned to.
            if !matches!(value.kind, ast::ExprKind::Braces(_)) {
                self.value(value);
            }
            return None;
        };
        let value = self.assigned_value(value, &place.ty)?;
        Some(Operand::Value(Expr {
            ty: place.ty.clone(),
            kind: ExprKind::Assign(Box::new(place), Box::new(value)),
            span,
        }))
    }

    /// What a variable of type `ty` gets. An object without an `operator=` of its own gets fields as they are
    /// ([class.copy.assign]): that calls no constructor that copies, and an object made to be assigned ends with the full
    /// expression ([class.temporary]).
    fn assigned_value(&mut self, value: &ast::Expr, ty: &Type) -> Option<Expr> {
        let is_object = self.types.is_by_address(ty);
        if !is_object || matches!(value.kind, ast::ExprKind::Braces(_)) {
            return self.value_of_type(value, ty);
        }
        let span = value.span;
        let object = match self.operand(value)? {
            place @ Operand::Place { .. } if place.ty() == ty => place,
            other => {
                let made = self.operand_of_type(other, ty, span)?;
                self.materialised(made)
            }
        };
        Some(Expr {
            span,
            ..load(object)
        })
    }

    fn assign_op(
        &mut self,
        op: BinaryOp,
        at: Span,
        place: Place,
        value: Expr,
        span: Span,
    ) -> Option<Expr> {
        // [over.match.oper]: an object that converts to a number is one, as on the right of `+`.
        let value = self.built_in_operand(value)?;
        let (value, computed) = self.operand_of_update(op, at, &place.ty, value)?;
        Some(Expr {
            ty: place.ty.clone(),
            kind: ExprKind::AssignOp {
                place: Box::new(place),
                op,
                value: Box::new(value),
                computed,
            },
            span,
        })
    }

    /// The right side of `x op= y`, converted, and the type that it is computed in.
    fn operand_of_update(
        &mut self,
        op: BinaryOp,
        at: Span,
        ty: &Type,
        value: Expr,
    ) -> Option<(Expr, Type)> {
        // [expr.ass]: `x op= y` is `x = x op y` with `x` looked up once: `i += 0.5f` adds in `float`, then converts
        // back.
        Some(match (ty, value.ty.scalar()) {
            // The operators of 16-bit floats take their own type, to which others convert.
            (Type::Scalar(x), Some(_)) if x.is_half() && !op.takes_integers_only() => {
                (convert(value, ty), ty.clone())
            }
            (Type::Vector(x, 2), None)
                if x.is_half() && value.ty == *ty && !op.takes_integers_only() =>
            {
                (value, ty.clone())
            }
            (Type::Scalar(x), Some(y)) => {
                if op.takes_integers_only() && (x.is_float() || y.is_float()) {
                    return self.floats_refused(op, at, ty, &value.ty);
                }
                let (computed, right) = operation_types(op, *x, y);
                (convert(value, &scalar(right)), scalar(computed))
            }
            (Type::Pointer { to, .. }, _) if !self.has_size(to, at) => return None,
            (Type::Pointer { to, .. }, Some(y))
                if y.is_integer()
                    && **to != Type::Void
                    && matches!(op, BinaryOp::Add | BinaryOp::Sub) =>
            {
                (value, ty.clone())
            }
            _ => {
                let symbol = format!("{}=", op.spelling());
                return self.no_operator(&symbol, ty, &value.ty, at);
            }
        })
    }
}
