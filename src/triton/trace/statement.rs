//! Statements that neither loop nor choose.

use ruff_python_ast::{Expr, Stmt, StmtAssert};

use super::builder::{Traceable, refuse};
use super::tracer::Tracer;
use super::value::Traced;
use crate::triton::python::span_of;

/// Said of imports in a kernel.
const IMPORTS: &str = "a kernel imports nothing: write it at the top of the file";

impl Tracer<'_> {
    /// `assert`: of what is known now at once, else on the GPU.
    fn assertion(&mut self, assert: &StmtAssert) -> Traceable<()> {
        let condition = self.expression(&assert.test)?;
        if condition.truth() == Some(false) {
            return refuse(span_of(&*assert.test), "this assertion fails");
        }
        let message = assert.msg.as_deref().map(|text| self.expression(text));
        self.device_assert(&condition, message.transpose()?, None, span_of(assert))
    }

    /// One statement.
    pub fn statement(&mut self, statement: &Stmt) -> Traceable<()> {
        match statement {
            Stmt::Assign(assign) => {
                let value = self.expression(&assign.value)?;
                assign
                    .targets
                    .iter()
                    .try_for_each(|target| self.assign_to(target, value.clone()))
            }
            Stmt::AnnAssign(assign) => match &assign.value {
                Some(value) => {
                    let value = self.expression(value)?;
                    self.assign_to(&assign.target, value)
                }
                None => Ok(()),
            },
            Stmt::AugAssign(assign) => {
                let before = self.expression(&assign.target)?;
                let by = self.expression(&assign.value)?;
                let value = self.operator(assign.op, &before, &by)?;
                self.assign_to(&assign.target, value)
            }
            // What a function says about itself.
            Stmt::Expr(text) if text.value.is_string_literal_expr() => Ok(()),
            Stmt::Expr(expression) => self.expression(&expression.value).map(drop),
            Stmt::Assert(assert) => self.assertion(assert),
            Stmt::Pass(_) => Ok(()),
            Stmt::Import(_) | Stmt::ImportFrom(_) => refuse(span_of(statement), IMPORTS),
            other => {
                let place = span_of(other);
                let text = self.slice(place).lines().next().unwrap_or("").to_owned();
                refuse(
                    place,
                    format!("`{text}` is not supported in a Triton kernel"),
                )
            }
        }
    }

    fn assign_to(&mut self, target: &Expr, value: Traced) -> Traceable<()> {
        match (target, value) {
            (Expr::Name(name), value) => {
                self.assign(name.id.as_str(), value);
                Ok(())
            }
            (Expr::Tuple(targets), Traced::Tuple(parts)) if targets.elts.len() == parts.len() => {
                let mut pairs = targets.elts.iter().zip(parts);
                pairs.try_for_each(|(target, part)| self.assign_to(target, part))
            }
            (other, _) => refuse(span_of(other), "assign to names, one for each value"),
        }
    }
}
