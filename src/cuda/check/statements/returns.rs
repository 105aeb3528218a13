//! `return`.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::resolve::{Checker, Operand, Symbol, address, constant};
use crate::cuda::typed::{Expr, Stmt, StmtKind, Type};

impl Checker {
    pub fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        // [dcl.spec.auto]: the first `return` says what `auto` stands for.
        if let (true, None, Some(value)) =
            (self.frame.returns.is_deduced, &self.frame.returns.ty, value)
        {
            if self.frame.returns.reference.is_some() {
                return self.deduced_reference(value);
            }
            let deduced = self.value(value)?;
            self.frame.returns.ty = Some(deduced.ty.clone());
            return Some(match &deduced.ty {
                ty if self.types.is_by_address(ty) => StmtKind::Return(None),
                Type::Void => returned_void(deduced, span),
                _ => StmtKind::Return(Some(deduced)),
            });
        }
        let returns = self.frame.returns.ty.clone();
        let name = self.frame.function.name.clone();
        if let (Some(is_const), Some(value), Some(returns)) =
            (self.frame.returns.reference, value, &returns)
        {
            return self.return_reference(value, returns, is_const);
        }
        match (value, returns) {
            (None, Some(Type::Void) | None) => Some(StmtKind::Return(None)),
            (None, Some(ty)) => self.return_without_value(&name, ty, span),
            (Some(value), Some(Type::Void)) => self.return_from_void(value, span),
            (Some(value), returns) => {
                if self.frame.objects.result.is_some() {
                    return self.return_object(value, span);
                }
                let value = self.value_of_type(value, &returns?)?;
                Some(StmtKind::Return(Some(value)))
            }
        }
    }

    fn return_without_value(&mut self, name: &str, ty: Type, span: Span) -> Option<StmtKind> {
        // nvcc takes it, as if the end of `main` were reached.
        if name == "main" {
            return Some(StmtKind::Return(Some(constant(ty, 0, span))));
        }
        self.error(
            span,
            format!("`{name}` returns a `{ty}`, but this returns nothing"),
        )
    }

    /// The first `return` of a function that returns `auto&`.
    fn deduced_reference(&mut self, value: &ast::Expr) -> Option<StmtKind> {
        let operand = self.operand(value)?;
        let is_const = operand.is_const() || self.frame.returns.reference == Some(true);
        self.frame.returns.reference = Some(is_const);
        self.frame.returns.ty = Some(operand.ty().clone());
        let Operand::Place { place, .. } = operand else {
            let error = Diagnostic::error(value.span, "a reference to this value is not possible");
            return self.refuse(error.help("return a value instead of a reference"));
        };
        Some(StmtKind::Return(Some(address(place, is_const))))
    }

    /// `return value;` of an object, which is made where the caller says.
    fn return_object(&mut self, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        let place = self.result_place(span)?;
        let Type::Struct(of) = place.ty.clone() else {
            return None;
        };
        if self.is_elided(value) {
            return Some(StmtKind::Return(None));
        }
        let value = match self.own_local(value) {
            // [class.copy.elision]: a variable of the function is moved, as nobody looks at it any more.
            Some(local) => self.object_value(local.expiring(), &of, span)?,
            None => self.value_of_type(value, &place.ty)?,
        };
        let init = self.settle(value, &place);
        let kinds = [StmtKind::Expr(init), StmtKind::Return(None)];
        let stmts = kinds.map(|kind| Stmt { kind, span });
        Some(StmtKind::Block(stmts.into()))
    }

    /// Whether what is returned was made where it is to be.
    fn is_elided(&self, value: &ast::Expr) -> bool {
        let (ast::ExprKind::Name(name), Some((_, Some(made)))) =
            (&value.kind, &self.frame.objects.elided)
        else {
            return false;
        };
        let found = self.names.find(name).map(|entry| &entry.symbol);
        matches!(found, Some(Symbol::Local(id)) if id == made)
    }

    /// What is returned, if it is a variable of the function itself, or a parameter by value.
    fn own_local(&mut self, value: &ast::Expr) -> Option<Operand> {
        let ast::ExprKind::Name(name) = &value.kind else {
            return None;
        };
        let Some(Symbol::Local(id)) = self.names.find(name).map(|entry| &entry.symbol) else {
            return None;
        };
        let id = *id;
        let local = &self.frame.locals[id];
        let is_own = !local.is_reference || self.frame.facts[id].is_own;
        is_own.then(|| self.frame.local_operand(id, value.span))
    }

    /// `return value;` where nothing is returned: [stmt.return] allows it of what is `void` itself.
    fn return_from_void(&mut self, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        let value = self.value(value)?;
        if value.ty == Type::Void {
            return Some(returned_void(value, span));
        }
        let what = match self.frame.function.is_kernel {
            true => "a kernel",
            false => "a `void` function",
        };
        let error = Diagnostic::error(value.span, format!("{what} returns no value"));
        self.refuse(error.help("write `return;`, and store results through a pointer"))
    }

    pub fn return_reference(
        &mut self,
        value: &ast::Expr,
        returns: &Type,
        is_const: bool,
    ) -> Option<StmtKind> {
        match self.operand(value)? {
            Operand::Place {
                place,
                is_const: found_const,
                ..
            } if place.ty == *returns && (is_const || !found_const) => {
                Some(StmtKind::Return(Some(address(place, is_const))))
            }
            // The reference would refer to a copy that is gone when the function is left.
            operand => {
                let message = format!("`{}` cannot be returned as a `{returns}&`", operand.ty());
                let error = Diagnostic::error(value.span, message);
                self.refuse(error.help("return a value instead of a reference"))
            }
        }
    }
}

/// `return f();` of a function that gives nothing: it is called all the same.
fn returned_void(value: Expr, span: Span) -> StmtKind {
    let kinds = [StmtKind::Expr(value), StmtKind::Return(None)];
    let stmts = kinds.map(|kind| Stmt { kind, span });
    StmtKind::Block(stmts.into())
}
