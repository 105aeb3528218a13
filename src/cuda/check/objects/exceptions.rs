//! `throw`, `try` and `catch`.

use crate::source::Span;

use crate::cuda::ast;
use crate::cuda::resolve::{Checker, Facts, Operand, Symbol, comma, load, pointer};
use crate::cuda::typed::{
    Expr, Handler, HostExpr, HostStmt, LocalId, Place, PlaceKind, Stmt, StmtKind, Storage, Thrown,
    Type,
};

impl Checker {
    /// `throw e`
    pub fn throw_expression(&mut self, written: Option<&ast::Expr>, span: Span) -> Option<Expr> {
        self.only_on_host("exceptions are", span)?;
        let thrown = match written {
            None => None,
            Some(written) => Some(self.thrown(written, span)?),
        };
        Some(self.host(HostExpr::Throw(thrown), Type::Void, span))
    }

    /// What is thrown: a copy, which ends where its handler does ([except.throw]).
    fn thrown(&mut self, written: &ast::Expr, span: Span) -> Option<Thrown> {
        let operand = self.operand(written)?;
        // The type of the value: arrays and functions are thrown as pointers ([except.throw]).
        let ty = load(operand.clone()).ty;
        let (mut value, mut destructor) = (load(operand.clone()), None);
        if let (Type::Struct(of), true) = (&ty, self.types.is_by_address(&ty)) {
            let made = self.object_value(operand, of, span)?;
            let place = self.frame.temporary(ty.clone(), span);
            destructor = self.object_at(&place).map(|object| object.destructor);
            let init = self.settle(made, &place);
            value = comma(init, load(Operand::place(place, false)));
        }
        // Known here, so that nothing need be looked up while an exception is on its way.
        let mut catchable = vec![(ty.clone(), 0)];
        self.add_bases(&ty, 0, &mut catchable);
        Some(Thrown {
            value: Box::new(value),
            catchable,
            destructor,
        })
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
        let is_copied = !caught.is_reference && self.types.is_by_address(&caught.ty);
        let by_address = caught.is_reference || is_copied;
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
        let mut body = Vec::new();
        let own = match is_copied {
            true => self.copy_of_caught(local, param, &mut body)?,
            false => local,
        };
        if let Some(name) = &param.name {
            self.declare(name, Symbol::Local(own));
        }
        body.extend(self.statements(&written.body));
        Some(Handler {
            catches: Some(caught.ty),
            local: Some(local),
            body,
        })
    }

    /// The variable of a handler that catches an object by value: a copy of what was thrown ([except.handle]).
    fn copy_of_caught(
        &mut self,
        caught: LocalId,
        param: &ast::Param,
        body: &mut Vec<Stmt>,
    ) -> Option<LocalId> {
        let span = param.span;
        let from = self.frame.local_operand(caught, span);
        let ty = from.ty().clone();
        let name = param.name.as_ref().map_or("", |name| &name.name);
        let facts = Facts::default();
        let local = self
            .frame
            .local(name, ty.clone(), Storage::Thread, span, facts);
        let kind = StmtKind::Declare { local, init: None };
        body.push(Stmt { kind, span });
        let kind = PlaceKind::Local(local);
        let place = Place { kind, ty, span };
        self.copy_part(&place, from, body)?;
        self.begins(&place, body);
        Some(local)
    }
}
