//! Scalar promotion: what a loop stores to one place in every iteration stays in a register.
//!
//! ```text
//! for (k = 0; k < n; ++k)          t = y[i];
//!     y[i] += x[k];        →       for (k = 0; k < n; ++k) t += x[k];
//!                                  y[i] = t;
//! ```
//!
//! - What an iteration stores is not loaded by the next, if nothing else in the loop may write there.
//! - Where nothing else in the loop may read or write there, because the pointer is `__restrict__` or
//!   it is shared memory, only the last iteration's value is stored, behind the loop. Every iteration
//!   still stores, so that memory is as the source has it, but those stores count nothing.

use super::facts::Facts;
use super::loop_invariants::departs;
use crate::compile::analysis::{ByteRange, Context, Effects, Iteration, Region, reference};
use crate::compile::tree::{any_expr, any_stmt, expressions, same_place, walk};
use crate::cuda::{Expr, ExprKind, Node, Place, PlaceKind, Stmt, StmtKind};
use crate::ir::Register;

/// Most stores of a loop that are looked at.
const MOST_STORES: usize = 16;

/// A place that a loop keeps in a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promotion<'a> {
    pub place: &'a Place,
    /// Whether an iteration begins with what is there.
    pub is_loaded: bool,
    /// Whether only the last value is stored.
    pub stores_once: bool,
}

/// A place that a register holds while its loop is lowered.
#[derive(Debug)]
pub(crate) struct Promoted {
    pub place: Place,
    pub range: ByteRange,
    pub register: Register,
    pub region: Region,
    pub is_loaded: bool,
    pub stores_once: bool,
}

/// A store that every iteration makes.
struct SureStore<'a> {
    place: &'a Place,
    /// The assignment.
    expr: &'a Expr,
}

/// What expressions of a loop do with a place and others that may be the same.
#[derive(Debug, Default)]
struct Uses {
    stores: usize,
    /// Whether others may be written.
    aliases_store: bool,
    /// Whether others may be read.
    aliases_load: bool,
}

/// Looks for promotions in a loop that is about to begin.
pub(crate) struct Promoter<'p, 'c, 'a> {
    pub context: &'p Context<'c>,
    pub facts: &'p mut Facts,
    pub iteration: Iteration<'a>,
    pub effects: &'p Effects,
}

impl<'a> Promoter<'_, '_, 'a> {
    /// The places that the loop keeps in registers.
    pub fn run(mut self) -> Vec<Promotion<'a>> {
        let mut found: Vec<Promotion> = Vec::new();
        // A loop that stores nothing keeps nothing.
        if self.effects.regions.is_empty() {
            return found;
        }
        let mut sure = Vec::new();
        sure_stores(self.iteration.body, &mut sure);
        sure.retain(|store| !self.context.is_in_register(store.place));
        // Each is held against every expression of the loop: an unrolled body of hundreds would take quadratic time.
        sure.truncate(MOST_STORES);
        for store in &sure {
            if found
                .iter()
                .any(|known| same_place(known.place, store.place))
            {
                continue;
            }
            let same = sure
                .iter()
                .filter(|other| same_place(other.place, store.place));
            let count = same.count();
            found.extend(self.promotion(store, count));
        }
        found
    }

    /// The promotion of a place that every iteration stores to so many times.
    fn promotion(&mut self, store: &SureStore<'a>, count: usize) -> Option<Promotion<'a>> {
        let (context, place) = (self.context, store.place);
        let region = context.region_of(place);
        // Behind a barrier other threads' stores are visible: what a register holds may be old.
        let stays = !(self.effects.synchronizes && region.changes_at_barriers());
        let is_simple = context.is_simple_place(place);
        // An array of a thread's own counts no request of global or shared memory that could be saved.
        if !is_simple || !stays || matches!(region, Region::Volatile | Region::Local) {
            return None;
        }
        // `y[k]` with the loop's own `k` is another place in each iteration.
        if self.effects.change(&context.sources_of_place(place)?) {
            return None;
        }
        let range = self.facts.evaluator(context).byte_range(place)?;
        // A register, or a pair of them, is what nvcc keeps; a whole vector stays in memory.
        if range.size_bytes > 8 {
            return None;
        }
        let uses = self.uses(place, &range, region);
        // A store under a condition as well is not made by every iteration.
        if uses.aliases_store || uses.stores != count {
            return None;
        }
        let is_loaded = match &store.expr.kind {
            // `y[i] = k` does not need what was there; `y[i] += k` does.
            ExprKind::Assign(_, value) => loads(value, place),
            _ => true,
        };
        let is_own = region.is_shared() || matches!(region, Region::Restricted(_));
        let stores_once = is_own && !uses.aliases_load && !leaves(self.iteration.body);
        (is_loaded || stores_once).then_some(Promotion {
            place,
            is_loaded,
            stores_once,
        })
    }

    fn uses(&mut self, place: &Place, range: &ByteRange, region: Region) -> Uses {
        let Iteration {
            condition,
            step,
            body,
        } = self.iteration;
        let mut all: Vec<&Expr> = condition.into_iter().chain(step).collect();
        expressions(body, &mut |expr| all.push(expr));
        let mut uses = Uses::default();
        for expr in all {
            walk(expr, &mut |node| {
                let Node::Expr(expr) = node else { return };
                match &expr.kind {
                    ExprKind::Assign(other, _)
                    | ExprKind::AssignOp { place: other, .. }
                    | ExprKind::Step { place: other, .. } => {
                        if same_place(other, place) {
                            uses.stores += 1;
                        } else {
                            uses.aliases_store |= self.may_alias(other, range, region);
                        }
                    }
                    ExprKind::Load(other) if !same_place(other, place) => {
                        uses.aliases_load |= self.may_alias(other, range, region);
                    }
                    ExprKind::Atomic { .. }
                    | ExprKind::MathTo { .. }
                    | ExprKind::Match { .. }
                    | ExprKind::Call(..) => {
                        let written = self.context.effects_of(expr).regions;
                        let mut written = written.into_iter();
                        uses.aliases_store |= written.any(|written| region.changes_with(written));
                        uses.aliases_load |= matches!(expr.kind, ExprKind::Call(..));
                    }
                    _ => {}
                }
            });
        }
        uses
    }

    /// Whether a place may be part of `range`, or it of the place.
    fn may_alias(&mut self, other: &Place, range: &ByteRange, region: Region) -> bool {
        if self.context.is_in_register(other) {
            return false;
        }
        let met = self.context.region_of(other);
        // Both ways: through either of them a store may change what a load through the other gives.
        if !region.changes_with(met) && !met.changes_with(region) {
            return false;
        }
        let is_bound = matches!(&other.kind, PlaceKind::Deref(pointer)
            if reference(pointer).is_some() && self.context.is_bound(pointer));
        let other = match is_bound {
            true => None,
            false => self.facts.evaluator(self.context).byte_range(other),
        };
        !other.is_some_and(|other| other.is_disjoint(range))
    }
}

/// The places that every iteration of a loop with this body stores to; false if iterations may end
/// before the body does.
fn sure_stores<'a>(body: &'a [Stmt], found: &mut Vec<SureStore<'a>>) -> bool {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(body) if sure_stores(body, found) => {}
            // Something in it ends the iteration: what follows is not sure to be stored.
            StmtKind::Block(_) => return false,
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => found.push(SureStore { place, expr }),
                _ => {}
            },
            _ if departs(std::slice::from_ref(stmt)) => return false,
            _ => {}
        }
    }
    true
}

/// Whether a loop's lanes may leave it elsewhere than at its test.
fn leaves(body: &[Stmt]) -> bool {
    any_stmt(body, |kind| {
        matches!(kind, StmtKind::Break | StmtKind::Return(_))
    })
}

/// Whether a value is computed from what lies at `place`.
fn loads(value: &Expr, place: &Place) -> bool {
    any_expr(
        value,
        |expr| matches!(&expr.kind, ExprKind::Load(other) if same_place(other, place)),
    )
}
