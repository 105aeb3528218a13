//! Rounds of a loop that are passed over by `continue`.

use super::body::departs;
use crate::cuda::{Stmt, StmtKind};

/// The body of a loop with what follows `if (…) continue;` in the branch of those who stay: a round
/// without a way out. Nothing if there is another one.
pub(crate) fn without_continue(body: &[Stmt]) -> Option<Vec<Stmt>> {
    for (at, stmt) in body.iter().enumerate() {
        let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &stmt.kind
        else {
            continue;
        };
        let Some(then) = passed_over(then) else {
            continue;
        };
        let (before, after) = (&body[..at], &body[at + 1..]);
        if departs(before) || departs(&then) {
            return None;
        }
        let rest = without_continue(&[otherwise.as_slice(), after].concat())?;
        let kind = StmtKind::If {
            condition: condition.clone(),
            then,
            otherwise: rest,
        };
        let span = stmt.span;
        return Some([before, &[Stmt { kind, span }]].concat());
    }
    (!departs(body)).then(|| body.to_vec())
}

/// What precedes the `continue` at the end of a branch.
fn passed_over(branch: &[Stmt]) -> Option<Vec<Stmt>> {
    let (last, before) = branch.split_last()?;
    match &last.kind {
        StmtKind::Continue => Some(before.to_vec()),
        StmtKind::Block(inner) => Some([before, &passed_over(inner)?].concat()),
        _ => None,
    }
}
