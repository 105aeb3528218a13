//! Statements: branches, declarations, barriers, returns.

use std::ops::Range;

use super::lowering::Lower;
use crate::compile::analysis::Location;
use crate::compile::emit::FrameKind;
use crate::compile::optimise::{
    InsertionPoint, MergedStore, SunkValue, Target, ends, first_expression, target,
};
use crate::compile::tree::{part_count, parts, words};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Initializer, LocalId, Place, PlaceKind, Section, Stmt, StmtKind,
    Storage,
};
use crate::ir::{CaseTable, Op, Register};
use crate::memory::AccessKind;
use crate::source::Span;

impl<'a> Lower<'a> {
    pub fn statements(&mut self, stmts: &'a [Stmt]) {
        let ends_kernel = self.inlining.ends_kernel;
        self.sinking.enter();
        for (at, stmt) in stmts.iter().enumerate() {
            // After an error, or when the work may take no more steps, nothing further is written.
            if !self.goes_on() {
                break;
            }
            // Temporaries end with their statement: the next one takes the same registers again.
            let mark = self.emitter.registers.mark();
            let (before, rest) = (&stmts[..at], &stmts[at + 1..]);
            self.inlining.ends_kernel = ends_kernel && rest.is_empty();
            self.sinking.at(at);
            if !self.sink(stmt, before, rest) {
                self.statement(stmt);
            }
            for value in self.sinking.take(InsertionPoint::Behind) {
                match self.further(&value, rest) {
                    Some(target) => self.sinking.wait_behind(target, value),
                    None => self.recompute(value),
                }
            }
            self.emitter.release(mark);
        }
        self.sinking.leave();
        self.inlining.ends_kernel = ends_kernel;
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        self.observed.next_statement();
        // Blocks and loops are no stops of their own.
        if !matches!(stmt.kind, StmtKind::Block(_) | StmtKind::Loop { .. }) {
            self.emitter.source.statement(stmt.span);
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
            } => self.if_statement(condition, then, otherwise, stmt.span),
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
            StmtKind::Host(_) => unreachable!("the checker lets no kernel reach it"),
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>) {
        // Threads that return from a kernel end: no barrier waits for them.
        if self.context.program.functions[self.context.function].is_kernel {
            self.emitter.exit();
            return;
        }
        if let Some(value) = value {
            let result = self.inlining.result;
            self.assigned_value(value, Some(result));
        }
        if self.inlining.has_frame {
            self.emitter.depart(Op::Leave, &[FrameKind::Function]);
        }
    }
}

/// Branches.
impl<'a> Lower<'a> {
    fn if_statement(
        &mut self,
        condition: &'a Expr,
        then: &'a [Stmt],
        otherwise: &'a [Stmt],
        span: Span,
    ) {
        if let Some(holds) = self.decided(condition) {
            return self.statements(if holds { then } else { otherwise });
        }
        let mut condition = self.condition(condition);
        if let (Some(first), Some(second)) = (first_expression(then), first_expression(otherwise)) {
            // `nvcc` moves what both branches load first in front of them, so that it counts once.
            self.load_common(first, second);
        }
        // At a kernel's end each branch ends it for itself.
        let merges = self.optimises() && !self.inlining.ends_kernel;
        let merged = MergedStore::of(&self.context, then, otherwise);
        if let Some(merged) = merged.filter(|_| merges) {
            self.emitter.open_if(condition.register);
            return self.merged_store(&merged, span);
        }
        let mut sides = self.begin_sides(span, then, otherwise);
        self.emitter.open_if(condition.register);
        self.know_where(&mut condition, true);
        self.branch(InsertionPoint::Then, then);
        self.end_side(&mut sides);
        if !otherwise.is_empty() || sides.needs_otherwise() {
            self.begin_otherwise(&sides);
            self.know_where(&mut condition, false);
            self.branch(InsertionPoint::Else, otherwise);
            self.end_side(&mut sides);
        }
        self.emitter.close();
        self.end_sides(sides);
        if ends(then) {
            self.know_where(&mut condition, false);
        }
    }

    /// One side of an `if`, with the values that are moved there.
    fn branch(&mut self, side: InsertionPoint, stmts: &'a [Stmt]) {
        for value in self.sinking.take(side) {
            match self.further(&value, stmts) {
                Some(target) => self.sinking.wait_inside(target, value),
                None => self.recompute(value),
            }
        }
        self.statements(stmts);
    }

    /// An `if` whose branches store to one place; its frame is open.
    fn merged_store(&mut self, merged: &MergedStore<'a>, span: Span) {
        let MergedStore { then, otherwise } = merged;
        let place = then.place;
        let result = self.emitter.registers.take(words(&place.ty));
        for (side, store) in [
            (InsertionPoint::Then, then),
            (InsertionPoint::Else, otherwise),
        ] {
            if side == InsertionPoint::Else {
                self.emitter.otherwise();
            }
            self.recompute_all(side);
            self.observed.next_statement();
            self.emitter.source.statement(store.span);
            let mark = self.emitter.registers.mark();
            self.expr(store.value, Some(result));
            self.emitter.release(mark);
        }
        self.emitter.close();
        // The store belongs to the `if`: stepping stops at no statement of its own.
        self.emitter.source.rest_of(span);
        let at = self.locate(place);
        self.store_to(place, at, result);
    }

    /// Which way a comparison in a function of a header goes, where the call decides it.
    fn decided(&mut self, condition: &Expr) -> Option<bool> {
        let ExprKind::Binary(BinaryOp::Eq, a, b) = &condition.kind else {
            return None;
        };
        let function = &self.context.program.functions[self.context.function];
        if !self.optimises() || !function.is_library {
            return None;
        }
        let (a, b) = (self.affine(a)?, self.affine(b)?);
        Some(a.distance(&b)? == 0)
    }
}

/// The sections of a `switch`, cut behind those that do not run on into the next.
///
/// A table says which section a lane goes to, and branches on the bits of its number lead there.
///
/// ```text
/// switch (v) {                     n = table[v];                  2 of `a`, 1 of `b`, 0 of `c`
/// case 3: a(); break;              if (n & 2) a();
/// case 5: b(); break;       →      else if (n & 1) b();
/// default: c();                    else c();
/// }
/// ```
///
/// So a lane takes as many branches as the number of sections has bits. Sections that run on into each
/// other share a number; above it stands at which of them the lane comes in.
struct Runs<'a> {
    runs: Vec<&'a [Section]>,
    /// Bits that tell the runs apart, and the lanes that go to none of them.
    bits: u32,
}

impl<'a> Runs<'a> {
    fn new(sections: &'a [Section]) -> Self {
        let runs = sections.split_inclusive(|section| ends(&section.body));
        let runs: Vec<&[Section]> = runs.collect();
        let bits = usize::BITS - runs.len().leading_zeros();
        Runs { runs, bits }
    }

    /// What the table gives for a section. The bits of its run are inverted: what comes first in the
    /// source then has the bit that is asked for.
    fn number(&self, run: usize, place: usize) -> u32 {
        let inverted = !(run as u32) & ((1 << self.bits) - 1);
        (place as u32) << self.bits | inverted
    }
}

impl<'a> Lower<'a> {
    /// Lanes enter at their label, and go on from section to section until they leave.
    fn switch_statement(&mut self, value: &Expr, sections: &'a [Section]) {
        let runs = Runs::new(sections);
        let register = self.expr(value, None);
        let is_wide = words(&value.ty) == 2;
        let table = self.emitter.tables.constants(table(&runs, is_wide));
        let op = if is_wide { Op::Case64 } else { Op::Case32 };
        let number = self.emitter.registers.take(1);
        self.emitter.op(op, number, &[register], table);
        self.emitter.open_scope(FrameKind::Switch);
        let has_default = sections.iter().any(|section| section.is_default);
        // Lanes that no label takes are one more run, without code.
        let all = 0..runs.runs.len() + usize::from(!has_default);
        self.some_runs(number, &runs, all);
        self.emitter.close();
    }

    /// Writes those runs which lanes with these numbers come to.
    fn some_runs(&mut self, number: Register, runs: &Runs<'a>, some: Range<usize>) {
        if some.len() <= 1 {
            if let Some(run) = runs.runs.get(some.start) {
                self.sections(number, runs.bits, run);
            }
            return;
        }
        // A power of two, so that one bit tells the halves apart.
        let half = some.len().next_power_of_two() / 2;
        let middle = some.start + half;
        let mark = self.emitter.registers.mark();
        let bit = self.emitter.registers.const32(half as u32);
        let is_before = self.operation(Op::And32, 1, &[number, bit], None);
        self.emitter.open_if(is_before);
        self.emitter.release(mark);
        self.some_runs(number, runs, some.start..middle);
        // The other half may be those lanes alone.
        if middle < runs.runs.len() {
            self.emitter.otherwise();
            self.some_runs(number, runs, middle..some.end);
        }
        self.emitter.close();
    }

    /// Writes sections that run on into each other.
    fn sections(&mut self, number: Register, bits: u32, sections: &'a [Section]) {
        let [before @ .., last] = sections else {
            return;
        };
        let bits = self.emitter.registers.const32(bits);
        let mut place = None;
        for (at, section) in before.iter().enumerate() {
            let place =
                *place.get_or_insert_with(|| self.operation(Op::ShrU32, 1, &[number, bits], None));
            // Who has come in further up is still there, unless it has left the `switch`.
            let at = self.emitter.registers.const32(at as u32);
            let comes = self.operation(Op::LeU32, 1, &[place, at], None);
            self.emitter.open_if(comes);
            self.section(section);
            self.emitter.close();
        }
        // The last one has no condition: every lane that came this far runs through it.
        self.section(last);
    }

    fn section(&mut self, section: &'a Section) {
        self.emitter.source.statement(section.span);
        self.statements(&section.body);
    }
}

/// The constants of the table that says where a value goes.
fn table(runs: &Runs, is_wide: bool) -> Vec<u64> {
    // A word's constant is kept with its sign.
    let bits = |case: u64| {
        if is_wide {
            case
        } else {
            u64::from(case as u32)
        }
    };
    let mut otherwise = runs.number(runs.runs.len(), 0);
    let mut cases = Vec::new();
    for (run, sections) in runs.runs.iter().enumerate() {
        for (place, section) in sections.iter().enumerate() {
            let number = runs.number(run, place);
            cases.extend(section.cases.iter().map(|&case| (bits(case), number)));
            if section.is_default {
                otherwise = number;
            }
        }
    }
    CaseTable::constants(cases, otherwise)
}

/// Values that are moved to where they are needed.
impl<'a> Lower<'a> {
    /// Lowers a statement whose value is needed at one place further on only, if it is.
    fn sink(&mut self, stmt: &'a Stmt, before: &[Stmt], rest: &'a [Stmt]) -> bool {
        if !self.moves_accesses() {
            return false;
        }
        let Some(value) = SunkValue::of(&self.context, stmt, before, rest) else {
            return false;
        };
        let SunkValue {
            function,
            value: expr,
            ..
        } = value;
        let Some(sources) = self.in_function(function, |lower| lower.context.sources(expr)) else {
            return false;
        };
        let value_registers = value.registers();
        // Only loads cost requests; arithmetic is sunk by the cost model.
        if sources.memory.is_empty()
            || value_registers.words > 4
            || sources.include(value_registers)
        {
            return false;
        }
        let Some(target) = target(&self.context, &value, &sources, rest) else {
            return false;
        };
        // Computed here all the same, so that the variable has its value when it is looked at, but counting nothing.
        self.sinking.silence(&value);
        self.statement(stmt);
        // Where the value is known already, it is loaded nowhere else.
        if !self.sinking.take_silenced() {
            self.emitter.facts.wrote(value_registers);
            // Its register is written where it is computed again, so nothing is known of it until then.
            self.sinking.wait_behind(target, value);
        }
        true
    }

    /// Evaluates what a variable is given, or a function returns; if it is a value that is moved, its
    /// loads count nothing, and it is not to be silenced again.
    pub fn assigned_value(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        let is_moved = self.sinking.is_silenced(self.context.function, expr);
        if !is_moved || self.emitter.facts.is_silent {
            return self.expr(expr, into);
        }
        let from = self.emitter.tables.sites.len();
        self.emitter.facts.is_silent = true;
        let register = self.expr(expr, into);
        self.emitter.facts.is_silent = false;
        if self.emitter.tables.silence(from, AccessKind::Load) {
            self.sinking.take_silenced();
        }
        register
    }

    /// Where in `rest` a value that has come here can be moved further.
    fn further(&mut self, value: &SunkValue, rest: &[Stmt]) -> Option<Target> {
        let expr = value.value;
        let sources = self.in_function(value.function, |lower| lower.context.sources(expr));
        target(&self.context, value, &sources?, rest)
    }

    /// Computes what waits at a part of the current statement.
    pub fn recompute_all(&mut self, point: InsertionPoint) {
        for value in self.sinking.take(point) {
            self.recompute(value);
        }
    }

    /// Computes a value that has been moved here.
    fn recompute(&mut self, moved: SunkValue<'a>) {
        let SunkValue {
            register: variable,
            function,
            value,
            ..
        } = moved;
        let register = self.in_function(function, |lower| lower.expr(value, None));
        self.copy_to(register, words(&value.ty), Some(variable));
        if function == self.context.function {
            self.remember(value, variable);
        }
    }
}

/// Declarations.
impl<'a> Lower<'a> {
    fn declare(&mut self, id: LocalId, init: &Initializer, span: Span) {
        let local = self.context.local(id);
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
        let value = match init {
            Initializer::Value(value) => value,
            Initializer::List(values) => return self.declare_list(&place, values),
        };
        let at = self.locate(&place);
        let location = self.context.location(id);
        let into = match location {
            // One word only: of a pair, the first half would be written while the second is still read.
            Location::Register(variable) if words(&local.ty) == 1 => Some(variable),
            _ => None,
        };
        let affine = self.affine(value);
        let register = self.assigned_value(value, into);
        self.store(at, &local.ty, register, span);
        if let Location::Register(variable) = location {
            self.holds(variable, words(&local.ty), affine);
            self.remember(value, variable);
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
            let mark = self.emitter.registers.mark();
            let register = self.expr(value, None);
            self.store(
                at.plus(first.offset_bytes, first.word),
                &value.ty,
                register,
                place.span,
            );
            self.emitter.release(mark);
            rest = after;
        }
        // `int a[4] = {1}`: what the list leaves is zero.
        for part in rest {
            let zero = self.constant(0, words(&part.ty));
            self.store(
                at.plus(part.offset_bytes, part.word),
                &part.ty,
                zero,
                place.span,
            );
        }
    }
}
