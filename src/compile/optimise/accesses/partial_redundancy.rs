//! Partial redundancy elimination: what a side of an `if` leaves in a register is not loaded after the `if`; a side that
//! does not have it loads it at its end.
//!
//! ```text
//! if (c) y[i] = a;                 if (c) y[i] = t = a;
//! z[i] = y[i] + 1;         →       else   t = y[i];
//!                                  z[i] = t + 1;
//! ```
//!
//! If the first side loads it before it stores anything, both would: where the sides are short enough that `ptxas` has
//! all lanes go through them, one load comes before the `if`.
//!
//! As LLVM's global value numbering does it (`PerformLoadPRE`): a load is moved into one side only where it directly
//! follows the `if`; what both sides have is known wherever nothing has changed it.

use super::access_groups::AccessKey;
use crate::compile::analysis::{ByteRange, Context, Region};
use crate::compile::tree::{any_expr, any_expr_of, same_place};
use crate::cuda::{BinaryOp, Expr, ExprKind, Initializer, Place, Stmt, StmtKind};

/// Most places that are known after `if`s.
const MOST_KNOWN: usize = 64;

/// Bytes of memory that a register holds.
#[derive(Clone, Debug)]
pub(crate) struct KnownRange {
    pub range: ByteRange,
    pub region: Region,
}

/// A load that the sides of an `if` make for the code after it.
#[derive(Clone, Debug)]
pub(crate) struct MergedLoad {
    /// The `if`.
    pub branch: AccessKey,
    pub place: Place,
}

/// What a side of an `if` that has ended knows, or both.
#[derive(Debug)]
struct Candidate {
    branch: AccessKey,
    known: KnownRange,
    on_both: bool,
    /// Open frames around the `if`.
    depth: usize,
}

/// What sides of `if`s know, at one point of the code after them.
#[derive(Debug, Default)]
pub(crate) struct MergeCandidates {
    candidates: Vec<Candidate>,
}

impl MergeCandidates {
    /// An `if` has ended in so many open frames, of whose sides these are known.
    pub fn end_if(&mut self, branch: AccessKey, sides: [Vec<KnownRange>; 2], depth: usize) {
        self.meet();
        let [then, otherwise] = sides;
        let has = |side: &[KnownRange], range: &ByteRange| {
            side.iter().any(|known| known.range.is_same(range))
        };
        let on_both: Vec<bool> = then
            .iter()
            .map(|known| has(&otherwise, &known.range))
            .collect();
        let others = otherwise
            .into_iter()
            .filter(|known| !has(&then, &known.range))
            .map(|known| (known, false))
            .collect::<Vec<_>>();
        for (known, on_both) in then.into_iter().zip(on_both).chain(others) {
            self.candidates.push(Candidate {
                branch,
                known,
                on_both,
                depth,
            });
        }
        let excess = self.candidates.len().saturating_sub(MOST_KNOWN);
        self.candidates.drain(..excess);
    }

    /// Ways meet, of another `if` or of a loop: no load after that directly follows the `if`s before.
    pub fn meet(&mut self) {
        self.candidates.retain(|candidate| candidate.on_both);
    }

    /// The `if` of which at least one side knows what `range` holds, for a load in so many open frames.
    pub fn find(&mut self, range: &ByteRange, depth: usize) -> Option<AccessKey> {
        let at = self.candidates.iter().position(|candidate| {
            let follows = candidate.on_both || candidate.depth == depth;
            follows && candidate.known.range.is_same(range)
        })?;
        Some(self.candidates.remove(at).branch)
    }

    /// Something in `region` may have changed: what lies at `stored`, if that is known.
    pub fn stored(&mut self, region: Region, stored: Option<&ByteRange>) {
        self.candidates.retain(|candidate| {
            let known = &candidate.known;
            let is_apart = stored.is_some_and(|stored| known.range.is_disjoint(stored));
            !known.region.changes_with(region) || is_apart
        });
    }

    /// Other threads may have written.
    pub fn synchronized(&mut self) {
        self.candidates
            .retain(|candidate| !candidate.known.region.changes_at_barriers());
    }

    /// Only lanes of `depth` open frames go on.
    pub fn leave(&mut self, depth: usize) {
        self.candidates.retain(|candidate| candidate.depth <= depth);
    }
}

/// Whether a side of an `if` is without branches, and loads from `place` before it stores anything.
pub(crate) fn is_loaded_first(context: &Context, side: &[Stmt], place: &Place) -> bool {
    !any_expr_of(side, branches) && loads_before_stores(context, side, place)
}

/// Whether an operation's code has branches.
fn branches(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Math(function, _) => function.row().has_branches,
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
            !matches!(by.kind, ExprKind::Constant(_))
        }
        _ => false,
    }
}

fn loads_before_stores(context: &Context, side: &[Stmt], place: &Place) -> bool {
    let mut found = None;
    for stmt in side {
        found = found.or(match &stmt.kind {
            StmtKind::Block(body) => return loads_before_stores(context, body, place),
            StmtKind::Declare { init: None, .. } => None,
            StmtKind::Declare {
                init: Some(Initializer::Value(value)),
                ..
            }
            | StmtKind::Expr(value) => loads_or_stores(context, value, place),
            _ => Some(false),
        });
    }
    found.unwrap_or(false)
}

/// Whether evaluating an expression loads from `place`; nothing if it neither does nor stores to memory.
fn loads_or_stores(context: &Context, expr: &Expr, place: &Place) -> Option<bool> {
    let loads = any_expr(expr, |expr| match &expr.kind {
        ExprKind::Load(other) => same_place(other, place),
        ExprKind::AssignOp { place: other, .. } => same_place(other, place),
        _ => false,
    });
    let has_effect = any_expr(expr, |expr| match &expr.kind {
        ExprKind::Assign(other, _)
        | ExprKind::AssignOp { place: other, .. }
        | ExprKind::Step { place: other, .. } => !context.is_in_register(other),
        ExprKind::Atomic { .. } | ExprKind::Call(..) => true,
        _ => false,
    });
    (loads || has_effect).then_some(loads)
}
