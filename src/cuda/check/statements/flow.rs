//! Whether the end of a list of statements can be reached.

use crate::cuda::typed::{ExprKind, Section, Stmt, StmtKind};

/// Whether the end of a list of statements cannot be reached.
pub fn always_returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(body) => always_returns(body),
        StmtKind::If {
            then, otherwise, ..
        } => always_returns(then) && always_returns(otherwise),
        StmtKind::Switch { sections, .. } => always_leaves(sections, always_returns),
        StmtKind::Loop {
            condition, body, ..
        } => {
            // A loop that never ends by itself is left only by `break` or `return`.
            let for_ever = condition
                .as_ref()
                .is_none_or(|condition| matches!(condition.kind, ExprKind::Constant(1)));
            for_ever && !leaves(body)
        }
        _ => false,
    })
}

/// Whether a `break` leaves the loop or `switch` that has this body.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(body) => leaves(body),
        StmtKind::If {
            then, otherwise, ..
        } => leaves(then) || leaves(otherwise),
        // An inner loop's or `switch`'s `break` leaves only that, so they are not looked into.
        _ => false,
    })
}

/// Whether the end of a `switch` cannot be reached, where `returns` says it of statements.
pub fn always_leaves(sections: &[Section], returns: impl Fn(&[Stmt]) -> bool) -> bool {
    // Without `default` a value may match no label; each section runs on into the next, up to the last.
    let has_default = sections.iter().any(|section| section.is_default);
    let last = sections
        .last()
        .is_some_and(|section| returns(&section.body));
    has_default && last && !sections.iter().any(|section| leaves(&section.body))
}
