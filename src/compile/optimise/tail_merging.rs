//! Tail merging: where both branches of an `if` end with a store to one place, one store follows them.
//!
//! ```text
//! if (c) y[i] = a;                 if (c) t = a;
//! else   y[i] = b;         →       else   t = b;
//!                                  y[i] = t;
//! ```

use crate::compile::analysis::Context;
use crate::compile::tree::{same_place, words};
use crate::cuda::{Expr, ExprKind, Place, Stmt, StmtKind};
use crate::source::Span;

/// Most registers of a value that is stored once.
const MOST_WORDS: u32 = 4;

/// The store that one branch makes.
#[derive(Clone, Copy)]
pub(crate) struct BranchStore<'a> {
    /// The statement.
    pub span: Span,
    pub place: &'a Place,
    pub value: &'a Expr,
}

/// Two branches, each one statement, that store to one place.
pub(crate) struct MergedStore<'a> {
    pub then: BranchStore<'a>,
    pub otherwise: BranchStore<'a>,
}

impl<'a> MergedStore<'a> {
    /// The store of two branches, if it can wait for the end of both.
    pub fn of(context: &Context, then: &'a [Stmt], otherwise: &'a [Stmt]) -> Option<Self> {
        let (then, otherwise) = (only_store(then)?, only_store(otherwise)?);
        let place = then.place;
        let is_merged = same_place(place, otherwise.place)
            // A larger value would take more registers than the store saves requests.
            && (1..=MOST_WORDS).contains(&words(&place.ty))
            && !context.is_in_register(place)
            && context.is_simple_place(place);
        is_merged.then_some(MergedStore { then, otherwise })
    }
}

/// The store that a branch is, out of its braces.
fn only_store(stmts: &[Stmt]) -> Option<BranchStore<'_>> {
    let [stmt] = stmts else {
        return None;
    };
    match &stmt.kind {
        // `{ y[i] = a; }` is the same branch as `y[i] = a;`.
        StmtKind::Block(body) => only_store(body),
        StmtKind::Expr(Expr {
            kind: ExprKind::Assign(place, value),
            ..
        }) => Some(BranchStore {
            span: stmt.span,
            place,
            value,
        }),
        _ => None,
    }
}
