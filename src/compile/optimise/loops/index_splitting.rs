//! Index-set splitting: a loop that leaves one index out runs up to it, and goes on behind it.
//!
//! ```text
//! if (i >= n) return;                   if (i >= n) return;
//! for (j = 0; j < n; ++j) {             for (j = 0; j < i; ++j) f(j);
//!     if (j == i) continue;       →     if (j == i) ++j;
//!     f(j);                             for (; j < n; ++j) f(j);
//! }
//! ```
//!
//! As nvcc 13.0 does with loops from 0 on that stand behind a test and in no other loop, seen in its code for 40 of them;
//! here only where the test says that the index is one of the loop's. Lanes make different numbers of iterations of both
//! parts, so they part where those are unrolled.

use super::body::{is_assigned, passed_over, waits};
use super::fold::{Bound, is_load_of, stepped};
use super::iterations::starts;
use crate::compile::tree::any_stmt;
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Function, LocalId, PlaceKind, Scalar, Stmt, StmtKind, Storage, Type,
};

/// A variable that is less than another.
type Below = [LocalId; 2];

/// Splits the loops of one kernel.
pub(super) struct IndexSplitter<'a> {
    function: &'a Function,
    /// What is known at the statement at hand.
    known: Vec<Below>,
}

impl<'a> IndexSplitter<'a> {
    pub fn new(function: &'a Function) -> Self {
        IndexSplitter {
            function,
            known: Vec::new(),
        }
    }

    /// Splits the loops in these statements, but for those in other loops.
    pub fn stmts(&mut self, stmts: &mut [Stmt]) {
        let around = self.known.len();
        for stmt in stmts {
            if let StmtKind::If {
                condition,
                then,
                otherwise,
            } = &mut stmt.kind
            {
                let before = self.known.len();
                self.know(condition, true);
                self.stmts(then);
                self.known.truncate(before);
                self.stmts(otherwise);
                if otherwise.is_empty() && returns(then) {
                    self.know(condition, false);
                }
                continue;
            }
            if let StmtKind::Block(body) = &mut stmt.kind {
                self.stmts(body);
            } else if let Some(parts) = self.split(stmt) {
                stmt.kind = StmtKind::Block(parts);
            }
        }
        self.known.truncate(around);
    }

    /// Knows what it means that a condition holds, or does not.
    fn know(&mut self, condition: &Expr, holds: bool) {
        match (&condition.kind, holds) {
            (ExprKind::And(a, b), true) | (ExprKind::Or(a, b), false) => {
                self.know(a, holds);
                self.know(b, holds);
            }
            (ExprKind::Binary(BinaryOp::Lt, a, b), true)
            | (ExprKind::Binary(BinaryOp::Gt, b, a), true)
            | (ExprKind::Binary(BinaryOp::Ge, a, b), false)
            | (ExprKind::Binary(BinaryOp::Le, b, a), false) => {
                let below = self.fixed(a).zip(self.fixed(b));
                self.known.extend(below.map(|(a, b)| [a, b]));
            }
            _ => {}
        }
    }

    /// The variable that an expression loads, if it is a word that keeps its value.
    fn fixed(&self, expr: &Expr) -> Option<LocalId> {
        let local = variable(expr)?;
        let declared = &self.function.locals[local];
        let is_own = declared.storage == Storage::Thread && !declared.is_reference;
        (is_own && !is_assigned(&self.function.body, local)).then_some(local)
    }

    /// The parts of a loop that leaves one index out.
    fn split(&self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let StmtKind::Loop {
            init,
            condition: Some(condition),
            step: Some(step),
            body,
            test_first: true,
        } = &stmt.kind
        else {
            return None;
        };
        let ExprKind::Binary(BinaryOp::Lt, counter, limit) = &condition.kind else {
            return None;
        };
        let local = variable(counter)?;
        let zero = Bound { local, bits: 0 };
        let is_from_zero = starts(init.last()?).is_some_and(|first| {
            first.local == local && first.bits == 0 && stepped(step, zero) == Some(1)
        });
        let (test, rest) = without_one(body)?;
        let index = left_out(test, local)?;
        let is_below = self
            .known
            .contains(&[self.fixed(index)?, self.fixed(limit)?]);
        let leaves = any_stmt(&rest, |kind| {
            matches!(kind, StmtKind::Break | StmtKind::Return(_))
        });
        if !is_from_zero || !is_below || leaves || is_assigned(body, local) || waits(&rest) {
            return None;
        }
        let up_to = up_to(stmt, index, rest.clone());
        Some(vec![
            up_to,
            pass_over(test, index, counter, step),
            behind(stmt, rest),
        ])
    }
}

/// The loop with another body and limit.
fn up_to(whole: &Stmt, index: &Expr, rest: Vec<Stmt>) -> Stmt {
    let mut part = whole.clone();
    if let StmtKind::Loop {
        condition: Some(condition),
        body,
        ..
    } = &mut part.kind
    {
        *body = rest;
        if let ExprKind::Binary(_, _, limit) = &mut condition.kind {
            **limit = index.clone();
        }
    }
    part
}

/// The loop with another body, from where the counter is.
fn behind(whole: &Stmt, rest: Vec<Stmt>) -> Stmt {
    let mut part = whole.clone();
    if let StmtKind::Loop { init, body, .. } = &mut part.kind {
        init.clear();
        *body = rest;
    }
    part
}

/// `if (j == i) ++j;` where `test` compares both.
fn pass_over(test: &Expr, index: &Expr, counter: &Expr, step: &Expr) -> Stmt {
    let kind = ExprKind::Binary(
        BinaryOp::Eq,
        Box::new(counter.clone()),
        Box::new(index.clone()),
    );
    let step = Stmt {
        kind: StmtKind::Expr(step.clone()),
        span: step.span,
    };
    Stmt {
        kind: StmtKind::If {
            condition: Expr {
                kind,
                ..test.clone()
            },
            then: vec![step],
            otherwise: Vec::new(),
        },
        span: test.span,
    }
}

/// The test of a body that does nothing for one index, and what it does for the others.
fn without_one(body: &[Stmt]) -> Option<(&Expr, Vec<Stmt>)> {
    let (first, rest) = body.split_first()?;
    let StmtKind::If {
        condition,
        then,
        otherwise,
    } = &first.kind
    else {
        return None;
    };
    let ExprKind::Binary(op, ..) = &condition.kind else {
        return None;
    };
    let is_alone = otherwise.is_empty();
    match op {
        BinaryOp::Eq if is_alone && passed_over(then).is_some_and(|before| before.is_empty()) => {
            Some((condition, rest.to_vec()))
        }
        BinaryOp::Ne if is_alone && rest.is_empty() => Some((condition, then.clone())),
        _ => None,
    }
}

/// What a test compares the counter with.
fn left_out(test: &Expr, counter: LocalId) -> Option<&Expr> {
    let ExprKind::Binary(_, a, b) = &test.kind else {
        return None;
    };
    match (is_load_of(a, counter), is_load_of(b, counter)) {
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => None,
    }
}

/// The variable, an integer of one word, that an expression loads.
fn variable(expr: &Expr) -> Option<LocalId> {
    let is_word = matches!(expr.ty, Type::Scalar(Scalar::I32 | Scalar::U32));
    match &expr.kind {
        ExprKind::Load(place) if is_word => match place.kind {
            PlaceKind::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the last of these statements ends the function.
fn returns(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(inner) => returns(inner),
        _ => false,
    })
}
