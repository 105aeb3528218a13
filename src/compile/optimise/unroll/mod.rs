//! Loops whose number of rounds is known, unrolled as `nvcc` does.
//!
//! In each copy of the body the loop's variable is a constant: arrays that only it indexes live in
//! registers, and addresses differ by constants, so that neighbouring loads can be joined. To who
//! steps through the kernel nothing changes but that the loop's test is no stop: each copy has the
//! statements of the body, and the variable takes its values where the loop stepped.
//!
//! The limits come from what nvcc 13.0 makes of loops with one to sixteen sums over 8 to 256 rounds:
//! it unrolls whole loops of up to 260 instructions (as `size` counts them), and of longer ones as
//! many rounds as take up to 90, a power of two that divides their number. A loop whose variable is
//! an index of the thread's own array may be longer, so that the array can be in registers: whole
//! were 128 rounds of an exponential and a sum, or 48 of a branch with an exponential and a
//! logarithm, and not 160 and 64. `#pragma unroll` asks for more, or less.

mod asked;
mod body;
mod fold;
mod passes;
mod size;
#[cfg(test)]
mod tests;

use crate::compile::tree::{Part, bodies_mut, everything, expressions};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, Initializer, LocalId, Place, PlaceKind, Program, Scalar, Stmt,
    StmtKind, Storage, Type,
};
use crate::source::SourceFile;
use asked::{Asked, asked, names_warp_size};
use body::{changes, departs, loads, statements, waits};
use fold::{Bound, is_load_of, known, stepped};
use passes::without_continue;
use size::Sizes;

/// Largest loop that is unrolled whole without being asked.
const MOST_WHOLE: u32 = 260;
/// The same of a loop whose variable is an index of the thread's own array.
const MOST_OVER_ARRAY: u32 = 1440;
/// Largest body of a loop that is unrolled in part.
const MOST_PARTIAL: u32 = 90;
/// Largest loop that is unrolled because the source asks for it.
const MOST_ASKED: u32 = 4096;
/// Most statements that a loop is unrolled to, however little they do: loops in loops multiply.
const MOST_STATEMENTS: u32 = 4096;
/// Rounds of a loop of unknown length that are done together.
const TOGETHER: u32 = 4;
/// Most rounds that are looked at.
const MOST_ROUNDS: usize = 4096;

/// `program` with loops unrolled; its text is `file`.
pub(crate) fn unrolled(program: &Program, file: &SourceFile) -> Program {
    let mut unrolled = program.clone();
    for (function, old) in unrolled.functions.iter_mut().zip(&program.functions) {
        let unroller = Unroller {
            sizes: Sizes {
                program,
                function: old,
                counter: None,
            },
            file,
        };
        unroller.stmts(&mut function.body);
    }
    unrolled
}

struct Unroller<'a> {
    sizes: Sizes<'a>,
    file: &'a SourceFile,
}

impl Unroller<'_> {
    /// Unrolls the loops in these statements, inner ones first.
    fn stmts(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            for body in bodies_mut(stmt) {
                self.stmts(body);
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&self, stmt: &mut Stmt) {
        let Some((bound, values)) = self.rounds(stmt) else {
            self.unknown_rounds(stmt);
            return;
        };
        let rounds = values.len() as u32;
        let span = stmt.span;
        let StmtKind::Loop {
            init, step, body, ..
        } = &mut stmt.kind
        else {
            return;
        };
        let size = self.sizes.of(body).max(1);
        let sizes = Sizes {
            counter: Some(bound.local),
            ..self.sizes
        };
        let total = sizes.of(body).max(1).saturating_mul(rounds);
        let asked = asked(self.file, span);
        let whole = match asked {
            Asked::Nothing if self.indexes_array(body, bound.local) => total <= MOST_OVER_ARRAY,
            Asked::Nothing => total <= MOST_WHOLE,
            Asked::Whole => total <= MOST_ASKED,
            Asked::Times(times) => times >= rounds && total <= MOST_ASKED,
        };
        let is_bounded = statements(body).saturating_mul(rounds) <= MOST_STATEMENTS;
        let Some(step) = step else { return };
        if whole && is_bounded {
            let mut copies = std::mem::take(init);
            if departs(body)
                && let Some(straight) = without_continue(body)
            {
                *body = straight;
            }
            for bits in values {
                let bound = Bound { bits, ..bound };
                let mut copy = body.clone();
                bound.fold_all(&mut copy);
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
            return;
        }
        let times = match asked {
            Asked::Nothing => largest_divisor(rounds, MOST_PARTIAL / size),
            Asked::Times(times) if rounds.is_multiple_of(times.max(1)) => times,
            _ => 1,
        };
        if times > 1 && !departs(body) && self.may_join(body) && times * size <= MOST_ASKED {
            repeat(body, step, times);
        }
    }

    /// The variable of a loop and its value in each round, where they are known.
    fn rounds(&self, stmt: &Stmt) -> Option<(Bound, Vec<u64>)> {
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
        let first = init.last()?;
        let parts = [first.span, condition.span, step.span];
        if parts
            .into_iter()
            .any(|span| names_warp_size(self.file, span))
        {
            return None;
        }
        let mut bound = starts(first)?;
        let local = &self.sizes.function.locals[bound.local];
        let is_own = local.storage == Storage::Thread && !local.is_reference;
        let is_counter = local.ty.scalar().is_some_and(|scalar| scalar.is_integer());
        if !is_own || !is_counter || changes(body, bound.local) {
            return None;
        }
        if departs(body) && without_continue(body).is_none() {
            return None;
        }
        let mut values = Vec::new();
        while known(condition, bound)? != 0 {
            values.push(bound.bits);
            bound.bits = stepped(step, bound)?;
            if values.len() > MOST_ROUNDS {
                return None;
            }
        }
        Some((bound, values))
    }

    /// A loop of unknown length over shared memory: four rounds at a time, then the rest one by one.
    fn unknown_rounds(&self, stmt: &mut Stmt) {
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
        let is_counted = stepped(step, Bound { bits: 0, ..bound }) == Some(1)
            && bound.bits.is_multiple_of(u64::from(TOGETHER))
            && !departs(body)
            && !waits(body)
            && !changes(body, bound.local);
        let is_small = self.sizes.of(body) * TOGETHER <= MOST_PARTIAL;
        let is_free = asked(self.file, stmt.span) == Asked::Nothing;
        if !(is_counted && is_small && is_free && self.may_join(body)) {
            return;
        }
        let Some(ahead) = ahead(condition, bound.local, body, &self.sizes) else {
            return;
        };
        let mut together = body.clone();
        repeat(&mut together, step, TOGETHER);
        let main = StmtKind::Loop {
            init: init.clone(),
            condition: Some(ahead),
            step: Some(step.clone()),
            body: together,
            test_first: true,
        };
        let rest = StmtKind::Loop {
            init: Vec::new(),
            condition: Some(condition.clone()),
            step: Some(step.clone()),
            body: body.clone(),
            test_first: true,
        };
        let span = stmt.span;
        let loops = [main, rest].map(|kind| Stmt { kind, span });
        stmt.kind = StmtKind::Block(loops.into());
    }

    /// Whether an index of an array of the thread's own depends on a variable.
    fn indexes_array(&self, body: &[Stmt], local: LocalId) -> bool {
        let mut found = false;
        expressions(body, &mut |expr| {
            everything(expr, &mut |part| {
                let Part::Place(place) = part else { return };
                if let PlaceKind::Index(base, index) = &place.kind {
                    found |= self.is_own_array(base) && loads(index, local);
                }
            });
        });
        found
    }

    /// Whether a place is part of a variable that the thread has to itself.
    fn is_own_array(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => {
                let declared = &self.sizes.function.locals[*local];
                declared.storage == Storage::Thread && !declared.is_reference
            }
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.is_own_array(base),
            PlaceKind::Deref(_) | PlaceKind::File(_) => false,
        }
    }

    /// Whether copies of the body may load neighbours: it reads shared memory.
    fn may_join(&self, body: &[Stmt]) -> bool {
        let locals = &self.sizes.function.locals;
        let mut found = false;
        expressions(body, &mut |expr| {
            everything(expr, &mut |part| {
                let Part::Place(place) = part else { return };
                if let PlaceKind::Local(local) = place.kind {
                    found |= locals[local].storage != Storage::Thread;
                }
            });
        });
        found
    }
}

/// `k + 3 < n` for the condition `k < n`, if nothing in the loop changes `n`.
fn ahead(condition: &Expr, local: LocalId, body: &[Stmt], sizes: &Sizes) -> Option<Expr> {
    let ExprKind::Binary(BinaryOp::Lt, counter, limit) = &condition.kind else {
        return None;
    };
    let mut is_fixed = true;
    everything(limit, &mut |part| {
        is_fixed &= match part {
            Part::Place(place) => match place.kind {
                PlaceKind::Local(other) => {
                    let declared = &sizes.function.locals[other];
                    let is_own = declared.storage == Storage::Thread && !declared.is_reference;
                    is_own && other != local && !changes(body, other)
                }
                _ => false,
            },
            Part::Expr(expr) => matches!(
                expr.kind,
                ExprKind::Constant(_)
                    | ExprKind::Coordinate(..)
                    | ExprKind::Load(_)
                    | ExprKind::Convert(_)
                    | ExprKind::Binary(..)
            ),
        };
    });
    let inner = match &counter.kind {
        ExprKind::Convert(inner) if is_load_of(inner, local) => inner,
        _ if is_load_of(counter, local) => counter,
        _ => return None,
    };
    if !is_fixed || inner.ty != Type::Scalar(Scalar::I32) {
        return None;
    }
    let more = Expr {
        kind: ExprKind::Constant(u64::from(TOGETHER - 1)),
        ty: inner.ty.clone(),
        span: condition.span,
    };
    let further = Expr {
        kind: ExprKind::Binary(BinaryOp::Add, inner.clone(), Box::new(more)),
        ty: inner.ty.clone(),
        span: condition.span,
    };
    let counter = match counter.kind {
        ExprKind::Convert(_) => Expr {
            kind: ExprKind::Convert(Box::new(further)),
            ty: counter.ty.clone(),
            span: condition.span,
        },
        _ => further,
    };
    let kind = ExprKind::Binary(BinaryOp::Lt, Box::new(counter), limit.clone());
    Some(Expr {
        kind,
        ty: condition.ty.clone(),
        span: condition.span,
    })
}

/// The body so many times, with the steps between.
fn repeat(body: &mut Vec<Stmt>, step: &Expr, times: u32) {
    let once = std::mem::take(body);
    for round in 0..times {
        let span = once.first().map_or(step.span, |stmt| stmt.span);
        body.push(Stmt {
            kind: StmtKind::Block(once.clone()),
            span,
        });
        if round + 1 < times {
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

/// The variable that a loop begins with, and its value.
fn starts(init: &Stmt) -> Option<Bound> {
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

/// The largest power of two up to `most` that divides `rounds`.
fn largest_divisor(rounds: u32, most: u32) -> u32 {
    let powers = (0..8).map(|bits| 1 << bits);
    powers
        .filter(|times| *times <= most && rounds.is_multiple_of(*times))
        .max()
        .unwrap_or(1)
}
