//! `throw`, `try` and `catch`.

use crate::source::Span;

use crate::cuda::ast;
use crate::cuda::resolve::{Checker, Facts, Symbol, load, pointer};
use crate::cuda::typed::{Expr, Handler, HostExpr, HostStmt, StmtKind, Storage, Thrown, Type};

impl Checker {
    /// `throw e`
    pub fn throw_expression(&mut self, written: Option<&ast::Expr>, span: Span) -> Option<Expr> {
        self.only_on_host("exceptions are", span)?;
        let thrown = match written {
            None => None,
            Some(written) => {
                let operand = self.operand(written)?;
                let ty = load(operand.clone()).ty;
                let value = match &ty {
                    Type::Struct(of) if self.types.is_by_address(&ty) => {
                        let value = self.object_value(operand, &of.clone(), span)?;
                        let place = self.frame.temporary(ty.clone(), span);
                        let init = self.settle(value, &place);
                        super::initialise::comma(
                            init,
                            load(crate::cuda::resolve::Operand::place(place, false)),
                        )
                    }
                    _ => load(operand),
                };
                let mut catchable = vec![(ty.clone(), 0)];
                self.add_bases(&ty, 0, &mut catchable);
                let value = Box::new(value);
                Some(Thrown { value, catchable })
            }
        };
        Some(self.host(HostExpr::Throw(thrown), Type::Void, span))
    }

    fn add_bases(&self, ty: &Type, offset: u32, out: &mut Vec<(Type, u32)>) {
        let Type::Struct(of) = ty else {
            return;
        };
        let Some(record) = self.types.record_of(of) else {
            return;
        };
        for base in &record.class.bases {
            let at = base.field.and_then(|field| of.fields().get(field));
            let offset = offset + at.map_or(0, |field| field.offset_bytes);
            let ty = Type::Struct(self.types.records[base.record].ty.clone());
            out.push((ty.clone(), offset));
            self.add_bases(&ty, offset, out);
        }
    }

    /// `try {…} catch (…) {…}`
    pub fn try_statement(
        &mut self,
        body: &[ast::Stmt],
        handlers: &[ast::Handler],
        span: Span,
    ) -> Option<StmtKind> {
        self.only_on_host("exceptions are", span)?;
        let body = self.scoped(|checker| checker.statements(body));
        let mut all = Vec::new();
        for handler in handlers {
            all.push(self.scoped(|checker| checker.handler(handler))?);
        }
        let handlers = all;
        let tried = HostStmt::Try { body, handlers };
        self.frame.uses_host = true;
        Some(StmtKind::Host(Box::new(tried)))
    }

    fn handler(&mut self, written: &ast::Handler) -> Option<Handler> {
        let Some(param) = &written.param else {
            let body = self.statements(&written.body);
            return Some(Handler {
                catches: None,
                local: None,
                body,
            });
        };
        let caught = self.parameter_type(&param.ty)?;
        let name = param.name.as_ref().map_or("", |name| &name.name);
        // An object that is more than its bytes is not copied here: nobody else looks at it.
        let by_address = caught.is_reference || self.types.is_by_address(&caught.ty);
        let local = match by_address {
            true => {
                let ty = pointer(caught.ty.clone(), caught.is_const);
                self.frame.reference(name, ty, param.span)
            }
            false => {
                let (ty, facts) = (caught.ty.clone(), Facts::default());
                self.frame
                    .local(name, ty, Storage::Thread, param.span, facts)
            }
        };
        if let Some(name) = &param.name {
            self.declare(name, Symbol::Local(local));
        }
        let body = self.statements(&written.body);
        Some(Handler {
            catches: Some(caught.ty),
            local: Some(local),
            body,
        })
    }
}
