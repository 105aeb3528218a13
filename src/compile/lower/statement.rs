//! Statements: control flow as frames, declarations, barriers.

use super::kernel::{Home, Lower, words};
use super::place::Located;
use crate::compile::emit::FrameKind;
use crate::compile::optimise::Door;
use crate::compile::optimise::Repeated;
use crate::compile::optimise::{begins, both};
use crate::compile::tree::{ValuePart, part_count, parts};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Initializer, LocalId, Place, PlaceKind, Section, Stmt, StmtKind,
    Storage, Type,
};
use crate::ir::{Op, Register};
use crate::source::Span;

impl<'a> Lower<'a> {
    pub fn statements(&mut self, stmts: &'a [Stmt]) {
        let is_last = self.is_last;
        for (at, stmt) in stmts.iter().enumerate() {
            let mark = self.emitter.mark();
            self.is_last = is_last && at + 1 == stmts.len();
            let (before, rest) = (&stmts[..at], &stmts[at + 1..]);
            if !self.sink(stmt, before, rest) {
                self.one_statement(stmt);
            }
            self.surface(stmt, Door::Behind, rest);
            self.emitter.release(mark);
        }
        self.is_last = is_last;
    }

    pub fn one_statement(&mut self, stmt: &'a Stmt) {
        self.joins.next_statement();
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
            StmtKind::If { .. } => self.if_statement(stmt),
            StmtKind::Loop { .. } => self.loop_statement(stmt),
            StmtKind::Switch { value, sections } => self.switch_statement(value, sections),
            StmtKind::Break => {
                let around = [FrameKind::Loop, FrameKind::Switch];
                self.emitter.depart(Op::Leave, &around);
            }
            StmtKind::Continue => self.emitter.depart(Op::Continue, &[FrameKind::Loop]),
            StmtKind::Return(value) => self.return_statement(value.as_ref()),
            StmtKind::Barrier => self.emitter.op(Op::Barrier, 0, &[], 0),
            StmtKind::SyncWarp(mask) => {
                let mask = self.expr(mask, None);
                self.emitter.op(Op::SyncWarp, 0, &[mask], 0);
            }
        }
    }

    fn if_statement(&mut self, stmt: &'a Stmt) {
        let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &stmt.kind
        else {
            unreachable!("callers looked")
        };
        if let Some(holds) = self.decided(condition) {
            return self.statements(if holds { then } else { otherwise });
        }
        let condition = self.expr(condition, None);
        if let (Some(first), Some(second)) = (begins(then), begins(otherwise)) {
            self.load_common(first, second);
        }
        self.emitter.open_if(condition);
        // At a kernel's end each branch ends it for itself.
        let both = both(then, otherwise).filter(|both| self.may_store_behind(both));
        if let (Some(both), false) = (both, self.is_last) {
            self.store_behind(&both, stmt);
            return;
        }
        self.surface(stmt, Door::Then, then);
        self.statements(then);
        if !otherwise.is_empty() {
            self.emitter.otherwise();
            self.surface(stmt, Door::Else, otherwise);
            self.statements(otherwise);
        }
        self.emitter.close();
    }

    /// Which way a comparison in a function of a header goes, where the call decides it.
    fn decided(&mut self, condition: &Expr) -> Option<bool> {
        let ExprKind::Binary(BinaryOp::Eq, a, b) = &condition.kind else {
            return None;
        };
        if self.as_written || !self.program.functions[self.context.function].is_library {
            return None;
        }
        let (a, b) = (self.sum_of_value(a)?, self.sum_of_value(b)?);
        Some(a.from(&b)? == 0)
    }

    /// Lanes enter at their label, and go on from section to section until they leave.
    fn switch_statement(&mut self, value: &Expr, sections: &'a [Section]) {
        let size = words(&value.ty);
        let register = self.expr(value, None);
        let kept = self.emitter.registers(size);
        let register = self.settle(register, size, Some(kept));
        let matches: Vec<Register> = sections
            .iter()
            .map(|section| self.any_case(section, register, &value.ty))
            .collect();
        let zero = self.emitter.const32(0);
        let inside = self.emitter.registers(1);
        self.settle(zero, 1, Some(inside));
        let none = self.emitter.registers(1);
        self.settle(zero, 1, Some(none));
        for &matched in &matches {
            self.operation(Op::Or32, 1, &[none, matched], Some(none));
        }
        self.operation(Op::Eq32, 1, &[none, zero], Some(none));
        self.emitter.open_scope(FrameKind::Switch);
        for (section, matched) in sections.iter().zip(matches) {
            self.emitter.statement(section.span);
            self.operation(Op::Or32, 1, &[inside, matched], Some(inside));
            if section.is_default {
                self.operation(Op::Or32, 1, &[inside, none], Some(inside));
            }
            self.emitter.open_if(inside);
            self.statements(&section.body);
            self.emitter.close();
        }
        self.emitter.close();
    }

    /// Whether the value is one of a section's cases.
    fn any_case(&mut self, section: &Section, value: Register, ty: &Type) -> Register {
        let result = self.emitter.registers(1);
        let zero = self.emitter.const32(0);
        self.settle(zero, 1, Some(result));
        for &case in &section.cases {
            let case = self.constant(case, words(ty));
            let equal = self.binary_of(BinaryOp::Eq, value, case, ty, None);
            self.operation(Op::Or32, 1, &[result, equal], Some(result));
        }
        result
    }

    fn loop_statement(&mut self, stmt: &'a Stmt) {
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
        self.is_last = false;
        self.statements(init);
        let repeated = Repeated {
            condition: condition.as_ref(),
            step: step.as_ref(),
            body,
        };
        let effects = self.effects(repeated);
        let invariants = self.invariants(body, &effects);
        let carrying = self.carrying(repeated, &effects);
        let is_worth = self.is_worth_turning(repeated, &invariants, &effects)
            || !carrying.is_empty()
            || self.sinks.has(stmt, Door::Loop);
        let test_twice = *test_first && is_worth;
        let guard = self.open_promoted(&carrying, condition.as_ref(), *test_first);
        self.emitter.open_scope(FrameKind::Loop);
        if test_twice && !guard {
            self.test(condition.as_ref());
        }
        self.surface(stmt, Door::Loop, &[]);
        if test_twice || !*test_first {
            for invariant in invariants {
                self.expr(invariant, None);
            }
        }
        let carried = self.carried.len();
        self.carry(&carrying);
        self.emitter.repeat(&effects);
        self.know_carried(carried);
        self.count_rounds(init, repeated);
        let head = self.emitter.here();
        if *test_first && !test_twice {
            self.test(condition.as_ref());
        }
        self.statements(body);
        if continues(body) {
            self.emitter.rejoin();
        }
        if let Some(step) = step {
            let mark = self.emitter.mark();
            self.emitter.statement(step.span);
            self.joins.next_statement();
            self.effect(step);
            self.emitter.release(mark);
        }
        if !*test_first || test_twice {
            self.test(condition.as_ref());
        }
        self.emitter.jump(head);
        self.emitter.close();
        self.close_promoted(carried, guard);
    }

    fn test(&mut self, condition: Option<&Expr>) {
        let Some(condition) = condition else { return };
        self.joins.next_statement();
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
            self.expr_maybe_silent(value, Some(result));
        }
        if self.context.has_frame {
            self.emitter.depart(Op::Leave, &[FrameKind::Function]);
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
                let sum = self.sum_of_value(value);
                let register = self.expr_maybe_silent(value, into);
                self.store(at, &local.ty, register, span);
                if let Home::Register(home) = self.home(id) {
                    self.stands_for((home, words(&local.ty)), sum);
                    self.remember(value, home);
                    self.remember_load(value, home);
                }
            }
            Initializer::List(values) => self.declare_list(&place, values),
        }
    }

    /// Stores the values of a braced list one after the other, then zeros.
    fn declare_list(&mut self, place: &Place, values: &[Expr]) {
        let at = self.locate(place);
        let parts = parts(&place.ty);
        let mut rest = &parts[..];
        for value in values {
            let count = part_count(&value.ty) as usize;
            let (Some(first), Some(after)) = (rest.first(), rest.get(count..)) else {
                return;
            };
            let mark = self.emitter.mark();
            let register = self.expr(value, None);
            self.store(part_at(at, first), &value.ty, register, place.span);
            self.emitter.release(mark);
            rest = after;
        }
        for part in rest {
            let zero = self.constant(0, words(&part.ty));
            self.store(part_at(at, part), &part.ty, zero, place.span);
        }
    }
}

fn part_at(at: Located, part: &ValuePart) -> Located {
    match at {
        Located::Register(first) => Located::Register(first + part.word as Register),
        Located::Memory(address) => Located::Memory(address.plus(part.offset_bytes)),
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
        StmtKind::Switch { sections, .. } => {
            sections.iter().any(|section| continues(&section.body))
        }
        _ => false,
    })
}
