//! Statements.

use crate::cuda::{
    Expr, ExprKind, FileVariableId, HostStmt, Initializer, LocalId, Section, Stmt, StmtKind,
};
use crate::host::code::{Op, Slot};
use crate::source::Span;

use super::function::{Exits, Label, Lowering, VariableLocation};
use super::place::Address;
use super::unit::is_aggregate;

impl Lowering<'_, '_> {
    /// Statements with a scope of their own: what begins in it ends with it.
    pub fn statements(&mut self, body: &[Stmt]) {
        self.scope(body, |lowering| {
            body.iter()
                .for_each(|statement| lowering.statement(statement));
        });
    }

    /// A scope in which the objects end that begin in these statements.
    fn scope(&mut self, body: &[Stmt], lower: impl FnOnce(&mut Self)) {
        let begins = |statement: &Stmt| match &statement.kind {
            StmtKind::Host(host) => matches!(**host, HostStmt::ObjectBegins(_)),
            _ => false,
        };
        // Most blocks have nothing to end, and loops run through them often.
        if self.flow.until_exit || !body.iter().any(begins) {
            return lower(self);
        }
        let span = body.last().map_or_else(Span::default, |last| last.span);
        let mark = self.temporary();
        self.emit(Op::Mark { to: mark }, span);
        self.flow.marks.push(mark);
        lower(self);
        self.flow.marks.pop();
        self.emit(Op::EndTo { mark }, span);
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        let mark = self.slots.next;
        match &statement.kind {
            StmtKind::Expr(expr) => self.full(expr, span, |lowering| lowering.effect(expr)),
            StmtKind::Declare { local, init } => self.declare(*local, init.as_ref(), span),
            StmtKind::Block(body) => self.statements(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.if_statement(condition, then, otherwise, span);
            }
            StmtKind::Loop {
                init,
                condition,
                step,
                body,
                test_first,
            } => self.scope(init, |lowering| {
                // What the first part of a `for` makes ends behind the loop.
                init.iter().for_each(|first| lowering.statement(first));
                let (condition, step) = (condition.as_ref(), step.as_ref());
                lowering.loop_statement(condition, step, body, *test_first, span);
            }),
            StmtKind::Switch { value, sections } => self.switch(value, sections, span),
            StmtKind::Break => self.break_statement(span),
            StmtKind::Continue => self.continue_statement(span),
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            StmtKind::Barrier | StmtKind::SyncWarp(_) => {
                self.refuse("only a kernel can wait for other threads".to_owned(), span);
            }
            StmtKind::Host(host) => self.host_statement(host, span),
        }
        // Slots of marks and loops are kept by those who took them; the rest is free again.
        self.slots.next = mark;
    }

    fn break_statement(&mut self, span: Span) {
        if let Some(exits) = self.flow.exits.last().copied() {
            self.leave(exits.after, exits.marks, span);
        }
    }

    /// `continue` belongs to the innermost loop, whatever `switch` stands in between.
    fn continue_statement(&mut self, span: Span) {
        let loops = self.flow.exits.iter().rev();
        // A `switch` ends by `break` alone: `continue` goes on with the loop around it.
        let found = loops.copied().find(|exits| exits.next.is_some());
        if let Some((exits, next)) = found.and_then(|exits| Some((exits, exits.next?))) {
            self.leave(next, exits.marks, span);
        }
    }

    /// A full expression: the temporary objects that begin in it end behind it.
    fn full(&mut self, expr: &Expr, span: Span, lower: impl FnOnce(&mut Self)) {
        self.flow.expressions += 1;
        let number = self.flow.expressions;
        // Only calls make objects.
        let may_begin = !matches!(expr.kind, ExprKind::Step { .. } | ExprKind::Constant(_));
        if !may_begin || !self.known.with_temporaries.contains(&number) {
            return lower(self);
        }
        let mark = self.temporary();
        self.emit(Op::Mark { to: mark }, span);
        self.flow.marks.push(mark);
        lower(self);
        self.flow.marks.pop();
        self.emit(Op::EndTo { mark }, span);
    }

    /// Jumps out of scopes: what began in them ends first.
    fn leave(&mut self, to: Label, marks: usize, span: Span) {
        // The outermost mark inside: all that began in further scopes lies behind it.
        if let Some(&mark) = self.flow.marks.get(marks) {
            self.emit(Op::EndTo { mark }, span);
        }
        self.jump(to, span);
    }

    fn declare(&mut self, local: LocalId, init: Option<&Initializer>, span: Span) {
        let Some(init) = init else {
            return;
        };
        let ty = &self.function.locals[local].ty;
        let location = self.locations[local];
        let lower = |lowering: &mut Self| match location {
            VariableLocation::Frame(offset) if is_aggregate(ty) => {
                let to = lowering.temporary();
                lowering.offset(to, 0, offset, span);
                lowering.initialize(init, ty, to, span);
            }
            VariableLocation::Indirect(slot) => lowering.initialize(init, ty, slot, span),
            location => {
                let at = match location {
                    VariableLocation::Frame(offset) => Address::At(0, offset),
                    VariableLocation::Slot(slot) | VariableLocation::Indirect(slot) => {
                        Address::Slot(slot)
                    }
                };
                lowering.begin_scalar(at, init, local, span);
            }
        };
        match init {
            Initializer::Value(value) => self.full(value, span, lower),
            Initializer::List(values) => match values.first() {
                Some(value) => self.full(value, span, lower),
                None => lower(self),
            },
        }
    }

    fn begin_scalar(&mut self, at: Address, init: &Initializer, local: LocalId, span: Span) {
        let ty = &self.function.locals[local].ty;
        let first = match init {
            Initializer::Value(value) => Some(value),
            Initializer::List(values) => values.first(),
        };
        let want = match at {
            Address::Slot(slot) => Some(slot),
            _ => None,
        };
        let value = match first {
            Some(value) => self.value(value, want),
            None => self.constant(0),
        };
        self.store(at, value, ty, span);
    }

    /// Goes to `label` where the condition is what `when` says.
    fn test(&mut self, condition: &Expr, when: bool, label: Label) {
        let span = condition.span;
        if !self
            .known
            .with_temporaries
            .contains(&(self.flow.expressions + 1))
        {
            return self.full(condition, span, |lowering| {
                lowering.branch(condition, when, label)
            });
        }
        // What the condition made ends before it is known where to go on.
        let a = self.temporary();
        self.full(condition, span, |lowering| {
            lowering.value(condition, Some(a));
        });
        self.jump_when(a, when, label, span);
    }

    fn if_statement(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], span: Span) {
        let (other, end) = (self.label(), self.label());
        self.test(condition, false, other);
        self.statements(then);
        if !otherwise.is_empty() {
            self.jump(end, span);
        }
        self.bind(other);
        self.statements(otherwise);
        self.bind(end);
    }

    /// The condition stands behind the body, so that each round takes one jump.
    fn loop_statement(
        &mut self,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Stmt],
        test_first: bool,
        span: Span,
    ) {
        let [start, next, test, after] = [(); 4].map(|()| self.label());
        // The test stands at the end: one jump per iteration instead of two.
        if test_first && condition.is_some() {
            self.jump(test, span);
        }
        self.bind(start);
        let marks = self.flow.marks.len();
        let next_round = Some(next);
        self.flow.exits.push(Exits {
            after,
            next: next_round,
            marks,
        });
        self.statements(body);
        self.flow.exits.pop();
        self.bind(next);
        if let Some(step) = step {
            self.full(step, step.span, |lowering| lowering.effect(step));
        }
        self.bind(test);
        match condition {
            Some(condition) => self.test(condition, true, start),
            None => self.jump(start, span),
        }
        self.bind(after);
    }

    fn switch(&mut self, value: &Expr, sections: &[Section], span: Span) {
        let slot = self.temporary();
        self.full(value, span, |lowering| {
            lowering.value(value, Some(slot));
        });
        let after = self.label();
        let labels: Vec<Label> = sections.iter().map(|_| self.label()).collect();
        let mut default = after;
        for (section, label) in sections.iter().zip(&labels) {
            for case in &section.cases {
                let b = self.constant(*case);
                self.emit(
                    Op::JumpEq {
                        a: slot,
                        b,
                        target: label.0,
                    },
                    section.span,
                );
            }
            if section.is_default {
                default = *label;
            }
        }
        self.jump(default, span);
        let marks = self.flow.marks.len();
        self.flow.exits.push(Exits {
            after,
            next: None,
            marks,
        });
        for (section, label) in sections.iter().zip(&labels) {
            // No jump between sections: without `break` one runs on into the next.
            self.bind(*label);
            self.statements(&section.body);
        }
        self.flow.exits.pop();
        self.bind(after);
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) {
        let Some(value) = value else {
            if let Some(&mark) = self.flow.marks.first() {
                self.emit(Op::EndTo { mark }, span);
            }
            return self.emit(Op::ReturnNothing, span);
        };
        let ty = &self.function.returns;
        // A slot of its own: destructors run between the value and the return.
        let result = self.temporary();
        self.full(value, span, |lowering| {
            if is_aggregate(ty) {
                // The caller's address of the result is the first parameter.
                lowering.fill(value, 1);
                lowering.move_slot(result, 1, span);
            } else {
                lowering.value(value, Some(result));
            }
        });
        if let Some(&mark) = self.flow.marks.first() {
            self.emit(Op::EndTo { mark }, span);
        }
        self.emit(Op::Return { a: result }, span);
    }

    fn host_statement(&mut self, host: &HostStmt, span: Span) {
        match host {
            HostStmt::ObjectBegins(object) => {
                let until_exit = self.flow.until_exit;
                self.object_begins(object, until_exit, span);
            }
            HostStmt::Once(variable, body) => self.once(*variable, body, span),
            HostStmt::Try { body, handlers } => self.try_statement(body, handlers, span),
            HostStmt::Label(number) => {
                let label = self.named_label(*number);
                self.bind(label);
                // A `goto` out of blocks ends the objects that began in them: it has to know how many are open here.
                self.flow.depths.insert(*number, self.flow.marks.len());
            }
            HostStmt::Goto(number) => self.goto(*number, span),
        }
    }

    /// What runs the first time alone: a byte of the data says whether it has. What begins in it ends with the program.
    fn once(&mut self, variable: FileVariableId, body: &[Stmt], span: Span) {
        let flag = self.constant(self.unit.data.variables[variable]);
        let end = self.label();
        let is_done = self.temporary();
        self.emit(
            Op::LoadU8 {
                to: is_done,
                base: flag,
                offset: 0,
            },
            span,
        );
        self.jump_when(is_done, true, end, span);
        // Objects of a `static` live until the program ends, not until the end of this block.
        let before = std::mem::replace(&mut self.flow.until_exit, true);
        self.statements(body);
        self.flow.until_exit = before;
        // Set last ([stmt.dcl]): if the initialiser throws, it runs again the next time.
        let from = self.constant(1);
        self.emit(
            Op::Store8 {
                from,
                base: flag,
                offset: 0,
            },
            span,
        );
        self.bind(end);
    }

    fn named_label(&mut self, number: u32) -> Label {
        if let Some(&label) = self.flow.named.get(&number) {
            return label;
        }
        let label = self.label();
        self.flow.named.insert(number, label);
        label
    }

    /// `goto`; which objects end is known once the label is found.
    fn goto(&mut self, number: u32, span: Span) {
        let label = self.named_label(number);
        let marks: Vec<Slot> = self.flow.marks.clone();
        if !marks.is_empty() {
            self.flow.gotos.push((number, self.ops.len(), marks));
            // Nothing, until it is filled in.
            self.move_slot(0, 0, span);
        }
        self.jump(label, span);
    }

    /// Fills in what each `goto` ends.
    pub fn finish_gotos(&mut self) {
        for (number, at, marks) in std::mem::take(&mut self.flow.gotos) {
            let depth = self.flow.depths.get(&number).copied().unwrap_or(0);
            if let Some(&mark) = marks.get(depth) {
                self.ops[at] = Op::EndTo { mark };
            }
        }
    }
}
