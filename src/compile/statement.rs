//! Statements: control flow as frames, declarations, barriers.

use super::emit::FrameKind;
use super::lower::{Home, Lower, words};
use super::place::Located;
use crate::cuda::{Expr, Initializer, LocalId, Place, PlaceKind, Stmt, StmtKind, Storage, Type};
use crate::ir::{Op, Register};
use crate::source::Span;

impl Lower<'_> {
    pub fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let mark = self.emitter.mark();
            self.one_statement(stmt);
            self.emitter.release(mark);
        }
    }

    fn one_statement(&mut self, stmt: &Stmt) {
        if !matches!(stmt.kind, StmtKind::Block(_) | StmtKind::Loop { .. }) {
            self.emitter.statement(stmt.span);
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Declare {
                local,
                init: Some(init),
            } => self.declare(*local, init, stmt.span),
            StmtKind::Declare { init: None, .. } => {}
            StmtKind::Block(body) => self.statements(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.if_statement(condition, then, otherwise);
            }
            StmtKind::Loop { .. } => self.loop_statement(stmt),
            StmtKind::Break => self.emitter.depart(Op::Leave, FrameKind::Loop),
            StmtKind::Continue => self.emitter.depart(Op::Continue, FrameKind::Loop),
            StmtKind::Return(value) => self.return_statement(value.as_ref()),
            StmtKind::Barrier => self.emitter.op(Op::Barrier, 0, &[], 0),
            StmtKind::SyncWarp(mask) => {
                let mask = self.expr(mask, None);
                self.emitter.op(Op::SyncWarp, 0, &[mask], 0);
            }
        }
    }

    fn if_statement(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.expr(condition, None);
        self.emitter.open_if(condition);
        self.statements(then);
        if !otherwise.is_empty() {
            self.emitter.otherwise();
            self.statements(otherwise);
        }
        self.emitter.close();
    }

    fn loop_statement(&mut self, stmt: &Stmt) {
        let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = &stmt.kind
        else {
            unreachable!("callers looked")
        };
        self.statements(init);
        self.emitter.open_scope(FrameKind::Loop);
        let head = self.emitter.here();
        if *test_first {
            self.test(condition.as_ref());
        }
        self.statements(body);
        if continues(body) {
            self.emitter.rejoin();
        }
        if let Some(step) = step {
            let mark = self.emitter.mark();
            self.emitter.statement(step.span);
            self.effect(step);
            self.emitter.release(mark);
        }
        if !*test_first {
            self.test(condition.as_ref());
        }
        self.emitter.jump(head);
        self.emitter.close();
    }

    fn test(&mut self, condition: Option<&Expr>) {
        let Some(condition) = condition else { return };
        let mark = self.emitter.mark();
        self.emitter.statement(condition.span);
        let condition = self.expr(condition, None);
        self.emitter.leave_unless(condition);
        self.emitter.release(mark);
    }

    fn return_statement(&mut self, value: Option<&Expr>) {
        if self.program.functions[self.context.function].is_kernel {
            self.emitter.exit();
            return;
        }
        if let Some(value) = value {
            let result = self.context.result;
            self.expr(value, Some(result));
        }
        if self.context.has_frame {
            self.emitter.depart(Op::Leave, FrameKind::Function);
        }
    }

    fn declare(&mut self, id: LocalId, init: &Initializer, span: Span) {
        let program = self.program;
        let local = &program.functions[self.context.function].locals[id];
        debug_assert_eq!(
            local.storage,
            Storage::Thread,
            "shared variables have no initialiser"
        );
        let place = Place {
            kind: PlaceKind::Local(id),
            ty: local.ty.clone(),
            span,
        };
        match init {
            Initializer::Value(value) => {
                let at = self.locate(&place);
                let into = match self.home(id) {
                    Home::Register(home) if words(&local.ty) == 1 => Some(home),
                    _ => None,
                };
                let register = self.expr(value, into);
                self.store(at, &local.ty, register, span);
                if let Home::Register(home) = self.home(id) {
                    self.remember(value, home);
                }
            }
            Initializer::List(values) => self.declare_list(&place, values),
        }
    }

    /// Stores the values of a braced list one scalar after the other, then zeros.
    fn declare_list(&mut self, place: &Place, values: &[Expr]) {
        let Some((scalar, count)) = scalars(&place.ty) else {
            self.refuse(
                place.span,
                "this list has no scalars",
                "initialise it with a loop",
            );
            return;
        };
        let ty = Type::Scalar(scalar);
        let at = self.locate(place);
        for i in 0..count {
            let mark = self.emitter.mark();
            let register = match values.get(i as usize) {
                Some(value) => self.expr(value, None),
                None => self.constant(0, words(&ty)),
            };
            let at = match at {
                Located::Register(first) => Located::Register(first + (i * words(&ty)) as Register),
                Located::Memory(address) => Located::Memory(address.plus(i * ty.size_bytes())),
            };
            self.store(at, &ty, register, place.span);
            self.emitter.release(mark);
        }
    }
}

/// The scalar that an array or vector consists of, and how many of it.
fn scalars(ty: &Type) -> Option<(crate::cuda::Scalar, u32)> {
    match ty {
        Type::Scalar(scalar) => Some((*scalar, 1)),
        Type::Vector(scalar, lanes) => Some((*scalar, *lanes)),
        Type::Array(element, length) => {
            let (scalar, count) = scalars(element)?;
            Some((scalar, count * length))
        }
        Type::Void | Type::Pointer { .. } => None,
    }
}

/// Whether a `continue` of the loop with this body stands in it.
fn continues(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::Block(body) => continues(body),
        StmtKind::If {
            then, otherwise, ..
        } => continues(then) || continues(otherwise),
        _ => false,
    })
}
