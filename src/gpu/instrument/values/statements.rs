//! The statements that assign variables, and what is put behind them.

use std::collections::{BTreeMap, HashMap};

use super::assignments::{Assigned, assigned_by};
use super::recorder::{FoundAssignments, Recorder};
use crate::compile::bodies;
use crate::cuda::{Expr, Initializer, Stmt, StmtKind, Storage, Type};
use crate::gpu::instrument::insertion::InsertionPoints;
use crate::gpu::instrument::rewrite::{Original, Refused};
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::Span;

/// Finds what the functions that run assign.
pub(super) fn find_assignments(original: &Original, refused: &Refused) -> FoundAssignments {
    let mut out = FoundAssignments::default();
    // By the end of a statement.
    // Two statements may end at one semicolon, as in `int a = 1, b = 2;`: their calls go behind it together.
    let mut behind = BTreeMap::new();
    for &id in &original.functions {
        let functions = &original.program.functions;
        let span = functions[id].span;
        let mut others = original.functions.iter().filter(|&&other| other != id);
        if others.any(|&other| functions[other].span == span) {
            // One text stands for several functions, whose variables may have different types.
            let message = "variables of this function are not captured";
            out.skip(span, message, "it is made for several types or numbers");
            continue;
        }
        let mut visitor = StatementVisitor {
            refused,
            insertion: &original.insertion,
            recorder: Recorder::new(original, id, &mut out),
            at_span: HashMap::new(),
            behind: &mut behind,
        };
        // All are counted before the first is wrapped: a place of the text that two share is left as it is.
        visitor.count(&functions[id].body);
        visitor.statements(&functions[id].body);
    }
    out.wraps
        .extend(behind.into_iter().map(|(end, behind)| behind.wrap(end)));
    out
}

/// What goes behind a statement.
struct CallsBehind {
    start: u32,
    text: String,
    in_braces: bool,
}

impl CallsBehind {
    /// Around a statement that is all that an `if` or a loop governs, braces are needed.
    fn wrap(self, end: u32) -> Wrap {
        let (before, after) = match self.in_braces {
            true => ("{ ", " }"),
            false => ("", ""),
        };
        let start = self.start;
        Wrap {
            span: Span { start, end },
            before: before.to_owned(),
            behind: format!("{}{after}", self.text),
        }
    }
}

struct StatementVisitor<'a> {
    refused: &'a Refused<'a>,
    insertion: &'a InsertionPoints<'a>,
    recorder: Recorder<'a>,
    /// How many statements of the function stand at a place of the text: `int a = 1, b = 2;` is two, and
    /// what a macro makes may be several.
    at_span: HashMap<Span, u32>,
    behind: &'a mut BTreeMap<u32, CallsBehind>,
}

impl StatementVisitor<'_> {
    fn count(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            // `int x;` sets nothing.
            if !matches!(stmt.kind, StmtKind::Declare { init: None, .. }) {
                *self.at_span.entry(stmt.span).or_default() += 1;
            }
            for body in bodies(stmt) {
                self.count(body);
            }
        }
    }

    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Expr(expr) => self.expression(expr, stmt.span),
                StmtKind::Declare { .. } => self.declaration(stmt),
                StmtKind::If { condition, .. } => self.condition(condition, stmt.span),
                StmtKind::Switch { value, .. } => self.condition(value, stmt.span),
                StmtKind::Loop {
                    init,
                    condition,
                    step,
                    body,
                    ..
                } => {
                    init.iter().for_each(|stmt| self.loop_init(stmt));
                    if let Some(condition) = condition {
                        self.condition(condition, condition.span);
                    }
                    if let Some(step) = step {
                        self.in_head(step);
                    }
                    self.statements(body);
                    continue;
                }
                StmtKind::Return(Some(value)) if !self.assigned_by(value).is_empty() => {
                    // Behind a `return` nothing runs.
                    self.skip(stmt.span, "it leaves the function");
                }
                _ => {}
            }
            bodies(stmt)
                .into_iter()
                .for_each(|body| self.statements(body));
        }
    }

    fn assigned_by(&self, expr: &Expr) -> Vec<Assigned> {
        assigned_by(self.recorder.function, expr)
    }

    fn skip(&mut self, span: Span, why: &str) {
        self.recorder.skip(span, why);
    }

    /// Whether text may go around `span`, which belongs to the statement at `statement`.
    fn may_wrap(&mut self, span: Span, statement: Span) -> bool {
        let is_alone = self.at_span.get(&statement).is_none_or(|&count| count == 1);
        let mut wraps = self.recorder.out.wraps.iter();
        let crosses = wraps.any(|wrap| cross(wrap.span, span));
        let fits = self.insertion.fits(span) && !crosses && !self.refused.contains(statement);
        match (fits, is_alone) {
            (false, _) => self.skip(statement, "it is made by a macro"),
            (true, false) => self.skip(statement, "it sets several things, each for itself"),
            (true, true) => {}
        }
        fits && is_alone
    }

    /// A statement that is an expression.
    fn expression(&mut self, expr: &Expr, span: Span) {
        let assigned = self.assigned_by(expr);
        if assigned.is_empty() {
            return;
        }
        let Some(end) = self.insertion.semicolon(span) else {
            return self.skip(span, "it has no `;` of its own");
        };
        let start = span.start;
        if self.may_wrap(Span { start, end }, span) {
            let text = self.recorder.calls(&assigned, span);
            // Behind these a statement stands among others; behind `)` or `else` it is governed.
            let is_listed = matches!(self.insertion.before(start), ";" | "{" | "}" | ":");
            self.put_behind(end, start, &text, !is_listed);
        }
    }

    fn put_behind(&mut self, end: u32, start: u32, calls: &[String], in_braces: bool) {
        let behind = self.behind.entry(end).or_insert(CallsBehind {
            start,
            text: String::new(),
            in_braces,
        });
        for call in calls {
            behind.text.push_str(&format!(" {call};"));
        }
    }

    /// What a declaration sets.
    fn declared(&self, stmt: &Stmt) -> Vec<Assigned> {
        let StmtKind::Declare {
            local,
            init: Some(init),
        } = &stmt.kind
        else {
            return Vec::new();
        };
        let values = match init {
            Initializer::Value(value) => std::slice::from_ref(value),
            Initializer::List(values) => values,
        };
        let mut all: Vec<Assigned> = values.iter().flat_map(|v| self.assigned_by(v)).collect();
        let declared = &self.recorder.function.locals[*local];
        if declared.storage == Storage::Thread && !declared.is_reference {
            // `int x = x = 3;`: what the declaration gives it comes last.
            all.retain(|assigned| assigned.local() != *local);
            let is_named = !declared.name.is_empty() && !declared.name.starts_with('(');
            all.extend(is_named.then_some(Assigned::Whole(*local)));
        }
        all
    }

    fn declaration(&mut self, stmt: &Stmt) {
        let assigned = self.declared(stmt);
        if assigned.is_empty() {
            return;
        }
        // `else int x = f();` would need braces, in which nobody behind it could see `x`.
        let is_governed = matches!(self.insertion.before(stmt.span.start), "else" | "do");
        let end = self.insertion.semicolon(stmt.span).filter(|_| !is_governed);
        let Some(end) = end else {
            return self.skip(stmt.span, "it stands in a head, or names parts of a value");
        };
        let start = stmt.span.start;
        if self.may_wrap(Span { start, end }, stmt.span) {
            let text = self.recorder.calls(&assigned, stmt.span);
            self.put_behind(end, start, &text, false);
        }
    }

    /// The first part of a `for`.
    fn loop_init(&mut self, stmt: &Stmt) {
        if let StmtKind::Expr(expr) = &stmt.kind {
            return self.in_head(expr);
        }
        let assigned = self.declared(stmt);
        let (StmtKind::Declare { local, .. }, [only]) = (&stmt.kind, &assigned[..]) else {
            return;
        };
        let declared = &self.recorder.function.locals[*local];
        let word = self.insertion.before(declared.span.start);
        let is_scalar = matches!(declared.ty, Type::Scalar(_) | Type::Pointer { .. });
        // Of `float* __restrict__ p = a`, the word before the name does not show the star that a second
        // declarator needs.
        let is_qualified = matches!(word, "const" | "__restrict__" | "__restrict");
        let is_pointer = matches!(declared.ty, Type::Pointer { .. });
        if !is_scalar || is_pointer && is_qualified || only.local() != *local {
            return self.skip(stmt.span, "it stands in the head of a loop");
        }
        let span = stmt.span;
        if !matches!(self.insertion.behind(span.end), "," | ";") {
            return self.skip(span, "it names the elements of a range");
        }
        if self.may_wrap(span, span) {
            // `int i = 0` becomes `int i = 0, tutor_3 = tutor_begin<3>(i)`: a declaration has no room for a call.
            let number = self.recorder.out.sites.len();
            let star = if word == "*" { "*" } else { "" };
            let name = declared.name.clone();
            self.recorder.calls(&assigned, span);
            self.recorder.out.wraps.push(Wrap {
                span,
                before: String::new(),
                behind: format!(", {star}@{number} = @begin<{number}>({name})"),
            });
        }
    }

    /// An expression that is a statement without `;`, in the head of a `for`.
    fn in_head(&mut self, expr: &Expr) {
        let assigned = self.assigned_by(expr);
        if !assigned.is_empty() && self.may_wrap(expr.span, expr.span) {
            let calls = self.recorder.calls(&assigned, expr.span);
            self.recorder.out.wraps.push(Wrap {
                span: expr.span,
                before: String::new(),
                behind: format!(", {}", calls.join(", ")),
            });
        }
    }

    /// A condition of the statement at `span`.
    fn condition(&mut self, condition: &Expr, span: Span) {
        let assigned = self.assigned_by(condition);
        if assigned.is_empty() || !self.may_wrap(condition.span, span) {
            return;
        }
        // One around the other: the condition's value goes through all of them.
        for one in &assigned {
            let Some(parts) = self.recorder.parts(one, span) else {
                continue;
            };
            let name = self.recorder.function.locals[one.local()].name.clone();
            for part in parts {
                let recorded = std::slice::from_ref(&part);
                let number = self.recorder.site(span, one, recorded, false);
                self.recorder.out.wraps.push(Wrap {
                    span: condition.span,
                    before: format!("@after<{number}>("),
                    behind: format!(", {name}{})", part.suffix),
                });
            }
        }
    }
}
