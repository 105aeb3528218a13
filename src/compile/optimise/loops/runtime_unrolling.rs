//! Loops that `nvcc` unrolls though how often they run is known only when they begin.
//!
//! Of `n` iterations, `n % 4` are done one by one, and the rest four at a time; those are unrolled once more, to
//! sixteen at a time, then eight, then four:
//!
//! ```text
//! for (j = lane; j < n; j += 32)   left = (n - lane + 31) / 32;
//!     s += x[j];                   while (left > (left & ~3)) s += x[j], …      1 at a time
//!                           →      while (left > (left & 15)) s += x[j], …     16 at a time
//!                                  while (left > (left & 7))  s += x[j], …      8
//!                                  while (left > 0)           s += x[j], …      4
//! ```
//!
//! The lanes of a warp wait for each other behind each stage. So of lanes that have 15 and 16 iterations, the first do
//! 3, 8 and 4, and the others 16, none of them together: 31 requests, where 16 would do.
//!
//! Seen in the machine code that nvcc 13.0 makes for compute capability 9.0 of some hundred loops.

use super::asked::Asked;
use super::body::{changes, waits};
use super::fold::{Bound, is_load_of, stepped};
use super::size::{MOST_BY_FOUR, Sizes};
use crate::compile::analysis::Iteration;
use crate::compile::tree::{any_expr, any_expr_of, any_stmt, walk, walk_expressions};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, LocalId, MathFunction, Node, Place, PlaceKind, Scalar, Stmt, StmtKind,
};

/// Largest body of a loop, in instructions of LLVM, of which two iterations are done together.
const MOST_BY_TWO: u32 = 102;
/// Largest body, in instructions, of a loop that is unrolled a second time.
const MOST_TWICE: u32 = 10;
/// Most iterations that a `#pragma unroll` may ask for: those of a stage are counted in a byte.
const MOST_ASKED: u32 = 64;

/// A loop that is unrolled so.
pub(crate) struct RuntimeUnrolling<'a> {
    /// The value of the counter.
    pub counter: &'a Expr,
    pub local: LocalId,
    pub limit: &'a Expr,
    /// Whether the counter may be as large, or as small, as the limit.
    pub reaches_limit: bool,
    /// What each iteration adds to the counter.
    pub step: i32,
    /// Iterations that are done together: a power of two.
    pub factor: u32,
    /// Whether that is done twice.
    twice: bool,
}

impl<'a> RuntimeUnrolling<'a> {
    /// How a loop of `sizes.function` is unrolled, if its limit stays the same.
    pub fn of(iteration: Iteration<'a>, asked: Asked, sizes: Sizes<'_>) -> Option<Self> {
        let condition = iteration.condition?;
        let (step, rest) = step_of(iteration)?;
        let ExprKind::Binary(op, a, limit) = &condition.kind else {
            return None;
        };
        let counter = unconverted(a);
        let ExprKind::Load(Place {
            kind: PlaceKind::Local(local),
            ..
        }) = counter.kind
        else {
            return None;
        };
        let step = stepped(step, Bound { local, bits: 0 })? as i32;
        let (goes_up, reaches_limit) = direction(*op)?;
        let has_word = |of| matches!(of, Some(Scalar::I32 | Scalar::U32));
        let fits = has_word(a.ty.scalar()) && has_word(counter.ty.scalar());
        // A sum that may wrap, or a limit that may be the largest number, could make it run for ever.
        let is_signed = a.ty.scalar() == Some(Scalar::I32);
        let is_counted = step.unsigned_abs() == 1 || is_signed && !reaches_limit;
        let is_simple = !changes(rest, local) && runs_through(iteration.body);
        let is_meant = fits && is_counted && is_simple && sizes.is_own(local);
        if !is_meant || step == 0 || goes_up != (step > 0) {
            return None;
        }
        let body = Body { sizes, iteration };
        let (factor, twice) = body.factor(local, asked)?;
        Some(RuntimeUnrolling {
            counter,
            local,
            limit,
            reaches_limit,
            step,
            factor,
            twice,
        })
    }

    /// The stages as bytes, the first the lowest: which of the bits of the iterations that are left stay, with the
    /// sign for all above. Single iterations come last where a number begins as a constant.
    pub fn stages(&self, begins_with_constant: bool) -> u32 {
        let below = |times: u32| self.factor * times - 1;
        let twice: &[u32] = match self.twice {
            true => &[below(4), below(2)],
            false => &[],
        };
        let (first, last) = match begins_with_constant {
            true => (None, Some(below(1))),
            false => (Some(!below(1) & 0xff), None),
        };
        let all = first.into_iter().chain(twice.iter().copied()).chain(last);
        // The last of all, which leaves nothing, is what follows the others anyway.
        all.enumerate().map(|(at, mask)| mask << (8 * at)).sum()
    }
}

/// Whether a loop with this comparison counts up, and reaches its limit.
fn direction(op: BinaryOp) -> Option<(bool, bool)> {
    Some(match op {
        BinaryOp::Lt => (true, false),
        BinaryOp::Le => (true, true),
        BinaryOp::Gt => (false, false),
        BinaryOp::Ge => (false, true),
        _ => return None,
    })
}

/// What a loop does in an iteration.
struct Body<'s, 'a> {
    sizes: Sizes<'s>,
    iteration: Iteration<'a>,
}

impl Body<'_, '_> {
    /// How many iterations are done together, and whether those are once more.
    fn factor(&self, counter: LocalId, asked: Asked) -> Option<(u32, bool)> {
        let size = self.sizes.in_llvm(self.iteration.body);
        let factor = match asked {
            Asked::Nothing if size <= MOST_BY_FOUR => 4,
            Asked::Nothing if size <= MOST_BY_TWO => 2,
            Asked::Whole => 4,
            Asked::Times(times) if (2..=MOST_ASKED).contains(&times) => times,
            _ => return None,
        };
        let twice = asked == Asked::Nothing && factor == 4 && self.is_short(counter);
        factor.is_power_of_two().then_some((factor, twice))
    }

    /// Whether the machine code of an iteration is short and has no branch.
    fn is_short(&self, counter: LocalId) -> bool {
        let body = self.iteration.body;
        let size = self.sizes.in_machine(body) + self.sizes.places(body).saturating_sub(1);
        size <= MOST_TWICE && !self.branches() && !self.has_wrapping_index(counter)
    }

    /// Whether lanes part in an iteration: before a store that not all of them make, or in a quotient or a root.
    fn branches(&self) -> bool {
        let body = self.iteration.body;
        let stores = |stmts: &[Stmt]| any_expr_of(stmts, |expr| self.stores(expr));
        let some_store = any_stmt(body, |kind| match kind {
            StmtKind::If {
                then, otherwise, ..
            } => stores(then) || stores(otherwise),
            StmtKind::Switch { sections, .. } => {
                sections.iter().any(|section| stores(&section.body))
            }
            _ => false,
        });
        some_store
            || any_expr_of(body, |expr| match &expr.kind {
                ExprKind::Atomic { .. } | ExprKind::Call(..) => true,
                ExprKind::Binary(BinaryOp::Div, a, _) => a.ty.scalar() == Some(Scalar::F32),
                ExprKind::Math(function, _) => {
                    *function == MathFunction::Sqrt || function.row().has_branches
                }
                _ => false,
            })
    }

    fn stores(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Assign(place, _) | ExprKind::AssignOp { place, .. } => {
                self.sizes.is_in_memory(place)
            }
            ExprKind::Atomic { .. } => true,
            _ => false,
        }
    }

    /// Whether an index of 32 bits that may wrap is computed from the counter: each address is then computed anew.
    fn has_wrapping_index(&self, counter: LocalId) -> bool {
        any_expr_of(self.iteration.body, |expr| {
            let ExprKind::PointerOffset(_, index) = &expr.kind else {
                return false;
            };
            let index = unconverted(index);
            index.ty.scalar() == Some(Scalar::U32)
                && matches!(index.kind, ExprKind::Binary(..))
                && any_expr(index, |expr| is_load_of(expr, counter))
        })
    }
}

/// What changes the counter, and the statements of the body without it: of a `while`, the last one.
fn step_of<'a>(iteration: Iteration<'a>) -> Option<(&'a Expr, &'a [Stmt])> {
    if let Some(step) = iteration.step {
        return Some((step, iteration.body));
    }
    let (last, rest) = iteration.body.split_last()?;
    // Behind a `continue` it would not be made.
    let continues = any_stmt(rest, |kind| matches!(kind, StmtKind::Continue));
    match &last.kind {
        StmtKind::Expr(step) if !continues => Some((step, rest)),
        _ => None,
    }
}

/// Whether an iteration goes through all of these statements, and waits for no other thread.
fn runs_through(body: &[Stmt]) -> bool {
    let leaves = any_stmt(body, |kind| {
        matches!(
            kind,
            StmtKind::Break | StmtKind::Return(_) | StmtKind::Loop { .. } | StmtKind::Host(_)
        )
    });
    let exchanges = any_expr_of(body, |expr| {
        matches!(
            expr.kind,
            ExprKind::Shuffle { .. }
                | ExprKind::Vote { .. }
                | ExprKind::Reduce { .. }
                | ExprKind::Match { .. }
                | ExprKind::Matrix(..)
                | ExprKind::BarrierVote(..)
        )
    });
    !leaves && !exchanges && !waits(body)
}

/// The variables of integers that an iteration leaves changed.
pub(crate) fn changed_integers(iteration: Iteration) -> Vec<LocalId> {
    let mut changed = Vec::new();
    let mut add = |expr: &Expr| {
        if let ExprKind::Assign(place, _)
        | ExprKind::AssignOp { place, .. }
        | ExprKind::Step { place, .. } = &expr.kind
            && let PlaceKind::Local(local) = place.kind
            && place.ty.scalar().is_some_and(|of| of.is_integer())
        {
            changed.push(local);
        }
    };
    walk_expressions(iteration.body, &mut add);
    // What a loop's head does is an expression: `i++, j += 2`.
    iteration.step.into_iter().for_each(|step| {
        walk(step, &mut |node| {
            if let Node::Expr(expr) = node {
                add(expr);
            }
        });
    });
    changed
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}
