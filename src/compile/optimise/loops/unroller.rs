//! Loops, replaced by copies of their bodies.

use super::asked::{Asked, asked};
use super::body::{changes, departs, loads, statements, waits, without_continue};
use super::fold::{Bound, is_load_of, stepped};
use super::iterations::{Iterations, starts};
use super::size::{MOST_BY_FOUR, Sizes};
use crate::compile::tree::{any_place, bodies_mut, walk};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, LocalId, Node, Place, PlaceKind, Scalar, Stmt, StmtKind, Storage,
    Type,
};
use crate::source::SourceFile;

/// Largest loop that is unrolled whole without being asked.
const MOST_WHOLE: u32 = 260;
/// The same of a loop whose variable is an index of the thread's own array.
const MOST_OVER_ARRAY: u32 = 1440;
/// Largest body of a loop that is unrolled in part.
const MOST_PARTIAL: u32 = 102;
/// Largest loop that is unrolled because the source asks for it.
const MOST_ASKED: u32 = 4096;
/// Most statements that a loop is unrolled to, however little they do: loops in loops multiply.
const MOST_STATEMENTS: u32 = 4096;
/// Iterations of a loop of unknown length that are done together.
const UNROLL_FACTOR: u32 = 4;

/// Unrolls the loops of one function.
pub(super) struct Unroller<'a> {
    pub sizes: Sizes<'a>,
    pub file: &'a SourceFile,
}

impl Unroller<'_> {
    /// Unrolls the loops in these statements, inner ones first.
    pub fn stmts(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            for body in bodies_mut(stmt) {
                self.stmts(body);
            }
            match Iterations::of(stmt, self.sizes.function, self.file) {
                Some(iterations) => self.known_loop(stmt, iterations),
                None => self.unknown_loop(stmt),
            }
        }
    }

    /// A loop whose iterations are known: unrolled whole, in part, or not.
    fn known_loop(&self, stmt: &mut Stmt, iterations: Iterations) {
        let asked = asked(self.file, stmt.span);
        let StmtKind::Loop {
            step: Some(step),
            body,
            ..
        } = &mut stmt.kind
        else {
            return;
        };
        let count = iterations.values.len() as u32;
        if self.is_worth_whole(body, &iterations, asked) {
            self.unroll_whole(stmt, iterations);
            return;
        }
        // Never 0: it is divided by.
        let size = self.sizes.of(body).max(1);
        let times = match asked {
            Asked::Nothing => largest_divisor(count, MOST_PARTIAL / size),
            Asked::Times(times) if count.is_multiple_of(times.max(1)) => times,
            _ => 1,
        };
        // Copies run one after the other: a way out of one would have to lead out of all.
        if times > 1
            && !departs(body)
            // A test that is saved shows in no counter. What shows is that neighbours in shared memory are loaded
            // together.
            && self.may_join(body)
            && times.saturating_mul(size) <= MOST_ASKED
        {
            repeat(body, step, times);
        }
    }

    fn is_worth_whole(&self, body: &[Stmt], iterations: &Iterations, asked: Asked) -> bool {
        let count = iterations.values.len() as u32;
        let counter = iterations.counter.local;
        let sizes = Sizes {
            counter: Some(counter),
            ..self.sizes
        };
        let total = sizes.of(body).max(1).saturating_mul(count);
        let is_worth = match asked {
            Asked::Nothing if self.indexes_array(body, counter) => total <= MOST_OVER_ARRAY,
            Asked::Nothing => total <= MOST_WHOLE,
            Asked::Whole => total <= MOST_ASKED,
            Asked::Times(times) => times >= count && total <= MOST_ASKED,
        };
        is_worth && statements(body).saturating_mul(count) <= MOST_STATEMENTS
    }

    /// A copy of the body for each value of the counter, with the steps between.
    fn unroll_whole(&self, stmt: &mut Stmt, iterations: Iterations) {
        let span = stmt.span;
        let StmtKind::Loop {
            init,
            step: Some(step),
            body,
            ..
        } = &mut stmt.kind
        else {
            return;
        };
        let mut copies = std::mem::take(init);
        if departs(body)
            && let Some(straight) = without_continue(body)
        {
            *body = straight;
        }
        for bits in iterations.values {
            let bound = Bound {
                bits,
                ..iterations.counter
            };
            let mut copy = body.clone();
            bound.fold_all(&mut copy);
            // With the counter known, loops inside may be unrolled too.
            self.stmts(&mut copy);
            copies.push(Stmt {
                kind: StmtKind::Block(copy),
                span,
            });
            let mut next = step.clone();
            bound.fold(&mut next);
            copies.push(statement(next));
        }
        stmt.kind = StmtKind::Block(copies);
    }

    /// A loop of unknown length over shared memory: four iterations at a time, then the rest one by one.
    fn unknown_loop(&self, stmt: &mut Stmt) {
        let StmtKind::Loop {
            init,
            condition: Some(condition),
            step: Some(step),
            body,
            test_first: true,
        } = &stmt.kind
        else {
            return;
        };
        let Some(bound) = init.last().and_then(starts) else {
            return;
        };
        if asked(self.file, stmt.span) != Asked::Nothing || !self.may_interleave(step, body, bound)
        {
            return;
        }
        let Some(ahead) = ahead(condition, bound.local, body, &self.sizes) else {
            return;
        };
        let mut together = body.clone();
        repeat(&mut together, step, UNROLL_FACTOR);
        let new_loop = |init, condition, body| Stmt {
            kind: StmtKind::Loop {
                init,
                condition: Some(condition),
                step: Some(step.clone()),
                body,
                test_first: true,
            },
            span: stmt.span,
        };
        let main = new_loop(init.clone(), ahead, together);
        // It goes on with the counter where the first loop left it.
        let rest = new_loop(Vec::new(), condition.clone(), body.clone());
        stmt.kind = StmtKind::Block(vec![main, rest]);
    }

    /// Whether iterations of a loop with this counter, from its first value on, can be done together.
    fn may_interleave(&self, step: &Expr, body: &[Stmt], counter: Bound) -> bool {
        // From 0 a step by one gives 1, however it is written: `++k`, `k += 1`, `k = k + 1`.
        let steps_by_one = stepped(step, Bound { bits: 0, ..counter }) == Some(1);
        let is_small = self.sizes.in_llvm(body) <= MOST_BY_FOUR;
        steps_by_one
            // From a multiple of 4, so that four neighbours lie in aligned 16 bytes.
            && counter.bits.is_multiple_of(u64::from(UNROLL_FACTOR))
            && !departs(body)
            && !waits(body)
            && !changes(body, counter.local)
            && is_small
            && self.may_join(body)
    }

    /// Whether an index of an array of the thread's own depends on a variable.
    fn indexes_array(&self, body: &[Stmt], local: LocalId) -> bool {
        any_place(body, |place| match &place.kind {
            PlaceKind::Index(base, index) => self.is_own_array(base) && loads(index, local),
            _ => false,
        })
    }

    /// Whether a place is part of a variable that the thread has to itself.
    fn is_own_array(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => self.sizes.is_own(*local),
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.is_own_array(base),
            PlaceKind::Deref(_) | PlaceKind::File(_) => false,
        }
    }

    /// Whether copies of the body may load neighbours: it reads shared memory.
    fn may_join(&self, body: &[Stmt]) -> bool {
        let locals = &self.sizes.function.locals;
        any_place(
            body,
            |place| matches!(place.kind, PlaceKind::Local(local) if locals[local].storage != Storage::Thread),
        )
    }
}

/// `k + 3 < n` for the condition `k < n`, or `k <= n`, if nothing in the loop changes `n`.
fn ahead(condition: &Expr, local: LocalId, body: &[Stmt], sizes: &Sizes) -> Option<Expr> {
    let ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), counter, limit) = &condition.kind
    else {
        return None;
    };
    // The counter may be compared as another type: `(unsigned)k < n`.
    let (inner, is_converted) = match &counter.kind {
        ExprKind::Convert(inner) => (inner, true),
        _ => (counter, false),
    };
    let is_int = matches!(inner.ty, Type::Scalar(Scalar::I32 | Scalar::U32));
    if !is_load_of(inner, local) || !is_int || !is_fixed(limit, local, body, sizes) {
        return None;
    }
    let expr = |kind: ExprKind, ty: &Type| Expr {
        kind,
        ty: ty.clone(),
        span: condition.span,
    };
    let more = ExprKind::Constant(u64::from(UNROLL_FACTOR - 1));
    let more = Box::new(expr(more, &inner.ty));
    let mut further = expr(
        ExprKind::Binary(BinaryOp::Add, inner.clone(), more),
        &inner.ty,
    );
    if is_converted {
        further = expr(ExprKind::Convert(Box::new(further)), &counter.ty);
    }
    let compared = ExprKind::Binary(*op, Box::new(further), limit.clone());
    Some(expr(compared, &condition.ty))
}

/// Whether a loop with this body and counter leaves the value of `limit` as it is.
fn is_fixed(limit: &Expr, counter: LocalId, body: &[Stmt], sizes: &Sizes) -> bool {
    let mut is_fixed = true;
    walk(limit, &mut |node| {
        is_fixed &= match node {
            Node::Place(place) => match place.kind {
                PlaceKind::Local(other) => {
                    sizes.is_own(other) && other != counter && !changes(body, other)
                }
                _ => false,
            },
            // A load is fixed if its place is, which is a node of its own.
            Node::Expr(expr) => {
                matches!(
                    expr.kind,
                    ExprKind::Constant(_)
                        | ExprKind::Coordinate(..)
                        | ExprKind::Load(_)
                        | ExprKind::Convert(_)
                        | ExprKind::Binary(..)
                        | ExprKind::AddressOf(_)
                ) || sizes.is_library_call(expr)
            }
        };
    });
    is_fixed
}

/// The body so many times, with the steps between: `{ b } ++k; { b }` for two.
fn repeat(body: &mut Vec<Stmt>, step: &Expr, times: u32) {
    let once = std::mem::take(body);
    for iteration in 0..times {
        let span = once.first().map_or(step.span, |stmt| stmt.span);
        body.push(Stmt {
            kind: StmtKind::Block(once.clone()),
            span,
        });
        if iteration + 1 < times {
            body.push(statement(step.clone()));
        }
    }
}

fn statement(expr: Expr) -> Stmt {
    let span = expr.span;
    Stmt {
        kind: StmtKind::Expr(expr),
        span,
    }
}

/// The largest power of two up to `most` that divides `count`.
fn largest_divisor(count: u32, most: u32) -> u32 {
    let powers = (0..8).map(|bits| 1 << bits);
    powers
        .filter(|times| *times <= most && count.is_multiple_of(*times))
        .max()
        .unwrap_or(1)
}
