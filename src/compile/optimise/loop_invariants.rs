//! Loop-invariant code motion: what a loop does not change is loaded or computed once, before it.
//!
//! ```text
//! for (k = 0; k < n; ++k)          if (k < n) {
//!     s += x[row] * y[k];              t = x[row];
//!                          →           do { s += t * y[k]; } while (++k < n);
//!                                  }
//! ```
//!
//! The value is taken behind the loop's first test, so that a loop without iterations loads nothing: the
//! loop is inverted, as `nvcc` does, and tests at its end.

use crate::compile::analysis::{Context, Effects, Iteration};
use crate::compile::tree::{any_stmt, bodies, own_expressions, walk};
use crate::cuda::{Expr, ExprKind, Node, Stmt, StmtKind, children, place_children};

/// What a loop with these effects would load or compute again in every iteration, though it stays the
/// same: loads that each iteration is sure to make, and arithmetic.
pub(crate) fn invariants<'a>(
    context: &Context,
    body: &'a [Stmt],
    effects: &Effects,
) -> Vec<&'a Expr> {
    let mut finder = Finder {
        context,
        effects,
        found: Vec::new(),
    };
    // The body's first statement is reached by each iteration; `sure` turns false at the first way out.
    finder.stmts(body, true);
    finder.found
}

/// Whether something can be done once, behind the first test: one of the `invariants` of the body, or
/// a part of the condition.
pub(crate) fn is_worth_inverting(
    context: &Context,
    iteration: Iteration,
    invariants: &[&Expr],
    effects: &Effects,
) -> bool {
    let mut found = !invariants.is_empty();
    if let Some(condition) = iteration.condition {
        walk(condition, &mut |node| {
            if let Node::Expr(expr) = node {
                // The test has been evaluated once when the first iteration begins.
                found |= is_invariant(context, expr, effects, true);
            }
        });
    }
    found
}

/// Whether a candidate stays the same through iterations with these effects, and may be computed before
/// them: it is `sure` to be needed, or costs no access.
fn is_invariant(context: &Context, expr: &Expr, effects: &Effects, sure: bool) -> bool {
    let sources = match context.is_candidate(expr) {
        true => context.sources(expr),
        false => None,
    };
    sources.is_some_and(|sources| {
        // Constants have a register for the whole kernel.
        let is_constant = sources.memory.is_empty() && sources.registers.is_empty();
        !is_constant && (sure || sources.memory.is_empty()) && !effects.change(&sources)
    })
}

struct Finder<'a, 'b, 'c> {
    context: &'b Context<'c>,
    effects: &'b Effects,
    found: Vec<&'a Expr>,
}

impl<'a> Finder<'a, '_, '_> {
    /// Looks through statements; `sure` if every iteration comes to them. Whether every iteration comes
    /// to what follows.
    fn stmts(&mut self, stmts: &'a [Stmt], sure: bool) -> bool {
        stmts.iter().fold(sure, |sure, stmt| self.stmt(stmt, sure))
    }

    fn stmt(&mut self, stmt: &'a Stmt, sure: bool) -> bool {
        match &stmt.kind {
            StmtKind::Loop { init, body, .. } => {
                let sure = self.stmts(init, sure);
                // An inner loop may have no iteration.
                for expr in own_expressions(stmt) {
                    self.expr(expr, false);
                }
                self.stmts(body, false);
                sure && !departs(body)
            }
            StmtKind::Block(body) => self.stmts(body, sure),
            // Not every lane comes to what follows.
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
            _ => {
                for expr in own_expressions(stmt) {
                    self.expr(expr, sure);
                }
                let inner = bodies(stmt);
                let departs = inner.iter().any(|body| departs(body));
                for body in inner {
                    self.stmts(body, false);
                }
                sure && !departs
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr, sure: bool) {
        if is_invariant(self.context, expr, self.effects, sure) {
            // Its parts are computed with it: only the largest expression is listed.
            self.found.push(expr);
            return;
        }
        let guards = matches!(
            expr.kind,
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..)
        );
        // Of `a && b` and `a ? b : c`, only `a` is sure to be evaluated.
        let mut is_first = true;
        children(expr, &mut |node| {
            self.node(node, sure && (is_first || !guards));
            is_first = false;
        });
    }

    fn node(&mut self, node: Node<'a>, sure: bool) {
        match node {
            Node::Expr(expr) => self.expr(expr, sure),
            Node::Place(place) => place_children(place, &mut |node| self.node(node, sure)),
        }
    }
}

/// Whether a way out of these statements stands in them.
pub(crate) fn departs(stmts: &[Stmt]) -> bool {
    any_stmt(stmts, |kind| {
        matches!(
            kind,
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)
        )
    })
}
