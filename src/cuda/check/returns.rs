//! `return`, and whether the end of a function can be reached.

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::convert::Operand;
use super::pass::address;
use super::switch::always_leaves;
use crate::cuda::ast;
use crate::cuda::typed::{ExprKind, Stmt, StmtKind, Type};

impl Checker {
    pub(super) fn return_statement(
        &mut self,
        value: Option<&ast::Expr>,
        span: Span,
    ) -> Option<StmtKind> {
        if let (true, None, Some(value)) = (self.frame.deduces, &self.frame.returns, value) {
            let deduced = self.value(value)?;
            self.frame.returns = Some(deduced.ty.clone());
            let has_value = deduced.ty != Type::Void;
            return Some(StmtKind::Return(has_value.then_some(deduced)));
        }
        let returns = self.frame.returns.clone();
        let name = self.frame.name.clone();
        if let (Some(is_const), Some(value), Some(returns)) =
            (self.frame.reference, value, &returns)
        {
            return self.return_reference(value, returns, is_const);
        }
        match (value, returns) {
            (None, Some(Type::Void) | None) => Some(StmtKind::Return(None)),
            (None, Some(ty)) => self.error(
                span,
                format!("`{name}` returns a `{ty}`, but this returns nothing"),
            ),
            (Some(value), Some(Type::Void)) => {
                let value = self.value(value)?;
                if value.ty == Type::Void {
                    let error = Diagnostic::error(
                        value.span,
                        "`return` of a `void` value is not supported",
                    );
                    self.report(error.help("call it before, then `return;`"));
                    return None;
                }
                let what = if self.frame.is_kernel {
                    "a kernel"
                } else {
                    "a `void` function"
                };
                let error = Diagnostic::error(value.span, format!("{what} returns no value"));
                self.report(error.help("write `return;`, and store results through a pointer"));
                None
            }
            (Some(value), returns) => {
                let value = self.value_of_type(value, &returns?)?;
                Some(StmtKind::Return(Some(value)))
            }
        }
    }

    pub(super) fn return_reference(
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
            operand => {
                let message = format!("`{}` cannot be returned as a `{returns}&`", operand.ty());
                let error = Diagnostic::error(value.span, message);
                self.report(error.help("return a value instead of a reference"));
                None
            }
        }
    }
}

/// Whether the end of a list of statements cannot be reached.
pub fn always_returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(body) => always_returns(body),
        StmtKind::If {
            then, otherwise, ..
        } => always_returns(then) && always_returns(otherwise),
        StmtKind::Switch { sections, .. } => always_leaves(sections, always_returns),
        StmtKind::Loop {
            condition, body, ..
        } => {
            let for_ever = condition
                .as_ref()
                .is_none_or(|condition| matches!(condition.kind, ExprKind::Constant(1)));
            for_ever && !leaves(body)
        }
        _ => false,
    })
}

/// Whether a `break` leaves the loop that has this body.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(body) => leaves(body),
        StmtKind::If {
            then, otherwise, ..
        } => leaves(then) || leaves(otherwise),
        _ => false,
    })
}
