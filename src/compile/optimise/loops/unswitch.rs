//! Loop unswitching: a branch that is the same in all iterations, and for all threads, is taken before the loop.
//!
//! ```text
//! for (…) {                        if (mode == 0) for (…) s += a[i] * 0.5f;
//!     v = a[i] * 0.5f;             else           for (…) b[i] = a[i] * 0.5f;
//!     if (mode == 0) s += v;   →
//!     else b[i] = v;
//! }
//! ```
//!
//! In each copy what the branch joined is one piece of straight code: the product is part of the sum. As nvcc 13.0
//! does it: not on a condition in which a thread's number is, and not where the loop waits at a barrier.

use super::body::{changes, waits};
use super::size::Sizes;
use crate::compile::tree::{
    any_stmt, bodies, bodies_mut, expressions_mut, is_arithmetic_of, is_negation, rewrite,
    same_value, walk_expressions,
};
use crate::cuda::{Coordinate, Expr, ExprKind, LocalId, PlaceKind, Stmt, StmtKind};

/// Largest body of which there are two copies.
const MOST_UNSWITCHED: u32 = 60;

/// Unswitches the loops of one kernel.
pub(super) struct Unswitcher<'a> {
    sizes: Sizes<'a>,
    /// Parameters that the kernel does not change: the same for all threads.
    uniform: Vec<LocalId>,
}

impl<'a> Unswitcher<'a> {
    pub fn new(sizes: Sizes<'a>) -> Self {
        let function = sizes.function;
        let parameters = 0..function.parameter_count;
        let uniform = parameters.filter(|&local| !changes(&function.body, local));
        Unswitcher {
            sizes,
            uniform: uniform.collect(),
        }
    }

    /// Unswitches the innermost loops in these statements.
    pub fn stmts(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            bodies_mut(stmt)
                .into_iter()
                .for_each(|body| self.stmts(body));
            if let Some(condition) = self.condition(stmt) {
                self.unswitch(stmt, condition);
            }
        }
    }

    /// The first condition in an innermost loop that is decided before it.
    fn condition(&self, stmt: &Stmt) -> Option<Expr> {
        let StmtKind::Loop { body, .. } = &stmt.kind else {
            return None;
        };
        let has_loop = any_stmt(body, |kind| matches!(kind, StmtKind::Loop { .. }));
        if has_loop || waits(body) || self.sizes.of(body) > MOST_UNSWITCHED {
            return None;
        }
        let mut chosen = Vec::new();
        walk_expressions(body, &mut |expr| {
            if let ExprKind::Conditional(condition, ..) = &expr.kind {
                chosen.push(&**condition);
            }
        });
        branches(body, &mut chosen);
        chosen
            .into_iter()
            .find(|condition| self.is_uniform(condition))
            .cloned()
    }

    /// Whether a condition is computed from parameters and numbers of the block alone.
    fn is_uniform(&self, condition: &Expr) -> bool {
        is_arithmetic_of(condition, |expr| match &expr.kind {
            ExprKind::Load(place) => {
                matches!(&place.kind, PlaceKind::Local(local) if self.uniform.contains(local))
            }
            ExprKind::Coordinate(coordinate, _) => *coordinate != Coordinate::ThreadIdx,
            _ => true,
        })
    }

    /// Makes two loops of one, and those of further conditions.
    fn unswitch(&self, stmt: &mut Stmt, condition: Expr) {
        let copy = |holds: bool| {
            let mut copy = stmt.clone();
            for body in bodies_mut(&mut copy) {
                decide(body, &condition, holds);
            }
            let mut copies = vec![copy];
            self.stmts(&mut copies);
            copies
        };
        let (then, otherwise) = (copy(true), copy(false));
        stmt.kind = StmtKind::If {
            condition,
            then,
            otherwise,
        };
    }
}

/// The conditions of the branches in these statements.
fn branches<'s>(stmts: &'s [Stmt], found: &mut Vec<&'s Expr>) {
    for stmt in stmts {
        if let StmtKind::If { condition, .. } = &stmt.kind {
            found.push(condition);
        }
        bodies(stmt)
            .into_iter()
            .for_each(|body| branches(body, found));
    }
}

/// Leaves of each branch on `condition` the side that is taken.
fn decide(stmts: &mut [Stmt], condition: &Expr, holds: bool) {
    for stmt in &mut *stmts {
        if let StmtKind::If {
            condition: asked,
            then,
            otherwise,
        } = &mut stmt.kind
            && let Some(is_taken) = decided(asked, condition, holds)
        {
            let side = if is_taken { then } else { otherwise };
            stmt.kind = StmtKind::Block(std::mem::take(side));
        }
        for body in bodies_mut(stmt) {
            decide(body, condition, holds);
        }
    }
    expressions_mut(stmts, &mut |expr| {
        rewrite(expr, &mut |expr| {
            if let ExprKind::Conditional(asked, a, b) = &mut expr.kind
                && let Some(is_taken) = decided(asked, condition, holds)
            {
                let side = if is_taken { a } else { b };
                *expr = (**side).clone();
            }
        });
    });
}

/// Which way a branch on `asked` goes where `condition` is known.
fn decided(asked: &Expr, condition: &Expr, holds: bool) -> Option<bool> {
    match same_value(asked, condition) {
        true => Some(holds),
        false => is_negation(asked, condition).then_some(!holds),
    }
}
