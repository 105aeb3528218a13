//! How often a loop runs: the values of its counter, where the compiler can know them.

use super::asked::names_warp_size;
use super::body::{changes, departs, without_continue};
use super::fold::{Bound, known, stepped};
use crate::cuda::{Expr, ExprKind, Function, Initializer, PlaceKind, Stmt, StmtKind, Storage};
use crate::source::SourceFile;

/// Most iterations that are looked at.
const MOST_ITERATIONS: usize = 4096;

/// The iterations of a loop.
pub(super) struct Iterations {
    /// The counter, with its value behind the last iteration.
    pub counter: Bound,
    /// Its value in each.
    pub values: Vec<u64>,
}

impl Iterations {
    /// The iterations of a loop of `function`, where they are known.
    pub fn of(stmt: &Stmt, function: &Function, file: &SourceFile) -> Option<Iterations> {
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
        // Of `for (int n = 8, i = 0; i < n; ++i)` the last one is taken for the counter.
        let first = init.last()?;
        let mut heads = [first.span, condition.span, step.span].into_iter();
        if heads.any(|span| names_warp_size(file, span)) {
            return None;
        }
        let mut counter = starts(first)?;
        let local = &function.locals[counter.local];
        let is_own = local.storage == Storage::Thread && !local.is_reference;
        let is_integer = local.ty.scalar().is_some_and(|scalar| scalar.is_integer());
        if !is_own || !is_integer || changes(body, counter.local) {
            return None;
        }
        // After a `break`, further copies must not run.
        if departs(body) && without_continue(body).is_none() {
            return None;
        }
        let mut values = Vec::new();
        while known(condition, counter)? != 0 {
            values.push(counter.bits);
            counter.bits = stepped(step, counter)?;
            // Also ends loops that never end.
            if values.len() > MOST_ITERATIONS {
                return None;
            }
        }
        Some(Iterations { counter, values })
    }
}

/// The variable that a loop begins with, and its value.
pub(super) fn starts(init: &Stmt) -> Option<Bound> {
    let (local, value) = match &init.kind {
        StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } => (*local, value),
        StmtKind::Expr(Expr {
            kind: ExprKind::Assign(place, value),
            ..
        }) => match place.kind {
            PlaceKind::Local(local) => (local, &**value),
            _ => return None,
        },
        _ => return None,
    };
    match value.kind {
        ExprKind::Constant(bits) => Some(Bound { local, bits }),
        _ => None,
    }
}
