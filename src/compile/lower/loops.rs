//! Loops, with what is done once around them.
//!
//! ```text
//! for (init; condition; step) body          init
//!                                           if (condition) {            only if something is stored behind
//!                                       →       values that iterations share
//!                                               do { body step } while (condition)
//!                                               values that wait for the end
//!                                           }
//! ```
//!
//! A loop of which nothing is done once keeps its test at its head.

use super::lowering::Lower;
use crate::compile::analysis::{Effects, Iteration, Location, counter};
use crate::compile::emit::FrameKind;
use crate::compile::optimise::{
    InsertionPoint, Promoted, Promoter, Promotion, invariants, is_worth_inverting,
};
use crate::compile::tree::words;
use crate::cuda::{Expr, Stmt, StmtKind};

/// What is done once around a loop.
struct LoopPlan<'a> {
    effects: Effects,
    /// Values that no iteration changes.
    invariants: Vec<&'a Expr>,
    /// Places that the loop keeps in registers.
    promotions: Vec<Promotion<'a>>,
    /// Whether it tests once before the first iteration, so that something can be done in between, and
    /// then at the end of each.
    is_inverted: bool,
    /// Whether the test of an iteration stands at its end.
    tests_last: bool,
}

impl<'a> Lower<'a> {
    pub(super) fn loop_statement(&mut self, stmt: &'a Stmt) {
        let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = &stmt.kind
        else {
            unreachable!("callers looked")
        };
        // The loop's test follows its body.
        self.inlining.ends_kernel = false;
        self.statements(init);
        let iteration = Iteration {
            condition: condition.as_ref(),
            step: step.as_ref(),
            body,
        };
        let plan = self.plan_loop(iteration, *test_first);
        let is_guarded = self.open_guard(&plan.promotions, condition.as_ref(), *test_first);
        self.emitter.open_scope(FrameKind::Loop);
        // A guard around the loop has tested already.
        if plan.is_inverted && !is_guarded {
            self.test(condition.as_ref());
        }
        let outer = self.promoted.len();
        self.enter_loop(init, iteration, &plan);
        let head = self.emitter.here();
        if !plan.tests_last {
            self.test(condition.as_ref());
        }
        self.iteration(iteration);
        if plan.tests_last {
            self.test(condition.as_ref());
        }
        self.emitter.jump(head);
        self.emitter.close();
        self.store_promoted(outer, is_guarded);
    }

    /// What is done once, before the first iteration.
    fn enter_loop(&mut self, init: &[Stmt], iteration: Iteration, plan: &LoopPlan<'a>) {
        self.recompute_all(InsertionPoint::Loop);
        // Only behind a test: for lanes without an iteration they would be loaded from where the source loads nothing.
        if plan.tests_last {
            for invariant in &plan.invariants {
                self.expr(invariant, None);
            }
        }
        let outer = self.promoted.len();
        self.promote(&plan.promotions);
        // From here on only what holds in every iteration is known.
        self.emitter.facts.forget(&plan.effects);
        // Only now, as forgetting what the loop stores takes promoted places along.
        self.know_promoted(outer);
        self.know_counter(init, iteration);
    }

    fn plan_loop(&mut self, iteration: Iteration<'a>, test_first: bool) -> LoopPlan<'a> {
        let effects = self.context.effects_of_iteration(iteration);
        let waits = self.sinking.has(InsertionPoint::Loop);
        if !self.optimises() {
            return LoopPlan {
                effects,
                invariants: Vec::new(),
                promotions: Vec::new(),
                is_inverted: test_first && waits,
                tests_last: !test_first || waits,
            };
        }
        // Asked before anything of the loop is written: `effects` are those of all iterations.
        let invariants = invariants(&self.context, iteration.body, &effects);
        let promoter = Promoter {
            context: &self.context,
            facts: &mut self.emitter.facts,
            iteration,
            effects: &effects,
        };
        let promotions = promoter.run();
        let is_worth = waits
            || !promotions.is_empty()
            || is_worth_inverting(&self.context, iteration, &invariants, &effects);
        LoopPlan {
            effects,
            invariants,
            promotions,
            is_inverted: test_first && is_worth,
            tests_last: !test_first || is_worth,
        }
    }

    /// The body and the step.
    fn iteration(&mut self, iteration: Iteration<'a>) {
        self.statements(iteration.body);
        // Lanes that wait at a `continue` come back for the step and the test.
        if continues(iteration.body) {
            self.emitter.rejoin();
        }
        if let Some(step) = iteration.step {
            let mark = self.emitter.registers.mark();
            self.emitter.source.statement(step.span);
            self.observed.next_statement();
            self.effect(step);
            self.emitter.release(mark);
        }
    }

    fn test(&mut self, condition: Option<&Expr>) {
        let Some(condition) = condition else { return };
        self.observed.next_statement();
        let mark = self.emitter.registers.mark();
        self.emitter.source.statement(condition.span);
        let condition = self.expr(condition, None);
        self.emitter.leave_unless(condition);
        self.emitter.release(mark);
    }

    /// Remembers of a loop's counter that it is always a multiple of some number.
    fn know_counter(&mut self, init: &[Stmt], iteration: Iteration) {
        if let Some(counter) = counter(init, iteration)
            && let Location::Register(variable) = self.context.location(counter.local)
        {
            let facts = &mut self.emitter.facts;
            facts
                .affine
                .set_multiple(variable, counter.multiple, facts.depth);
        }
    }
}

/// Places that loops keep in registers.
impl Lower<'_> {
    /// Opens a branch for the lanes that come into a loop, if something is to be stored behind it.
    fn open_guard(
        &mut self,
        promotions: &[Promotion],
        condition: Option<&Expr>,
        test_first: bool,
    ) -> bool {
        let stores_behind = promotions.iter().any(|promotion| promotion.stores_once);
        // Lanes without an iteration store nothing: `for (k = 0; k < n; ++k) y[i] += k;` may not touch `y` where `n` is
        // 0.
        let Some(condition) = condition.filter(|_| stores_behind && test_first) else {
            return false;
        };
        self.observed.next_statement();
        self.emitter.source.statement(condition.span);
        let condition = self.expr(condition, None);
        self.emitter.open_if(condition);
        true
    }

    /// Loads what a loop keeps in registers.
    fn promote(&mut self, promotions: &[Promotion]) {
        for promotion in promotions {
            let place = promotion.place;
            let Some(range) = self.byte_range(place) else {
                continue;
            };
            let size = words(&place.ty);
            let register = self.emitter.registers.take(size);
            if promotion.is_loaded {
                let value = self.load_of(place);
                self.copy_to(value, size, Some(register));
            }
            self.promoted.push(Promoted {
                place: place.clone(),
                range,
                register,
                region: self.context.region_of(place),
                is_loaded: promotion.is_loaded,
                stores_once: promotion.stores_once,
            });
        }
    }

    /// An iteration begins: what has been promoted since there were `outer` is known.
    fn know_promoted(&mut self, outer: usize) {
        for promoted in self.promoted[outer..]
            .iter()
            .filter(|place| place.is_loaded)
        {
            let (range, register) = (promoted.range.clone(), promoted.register);
            let facts = &mut self.emitter.facts;
            facts.remember_bytes(range, register, promoted.region);
        }
    }

    /// The loop is over: stores what waited for its end, and closes the branch that guards it.
    fn store_promoted(&mut self, outer: usize, is_guarded: bool) {
        self.emitter.facts.merged.meet();
        // Inner loops have stored theirs already: promotions are a stack.
        for promoted in self.promoted.split_off(outer) {
            if promoted.stores_once {
                let at = self.locate(&promoted.place);
                self.emitter.facts.stores.writing = Some(promoted.range.clone());
                let (ty, span) = (&promoted.place.ty, promoted.place.span);
                self.store(at, ty, promoted.register, span);
            }
            // Lanes without an iteration have loaded it before the loop.
            if promoted.is_loaded {
                let facts = &mut self.emitter.facts;
                facts.remember_bytes(promoted.range, promoted.register, promoted.region);
            }
        }
        if is_guarded {
            self.emitter.close();
        }
    }
}

/// Whether a `continue` of the loop with this body stands in it.
fn continues(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::Block(body) => continues(body),
        StmtKind::If {
            then, otherwise, ..
        } => continues(then) || continues(otherwise),
        StmtKind::Switch { sections, .. } => {
            sections.iter().any(|section| continues(&section.body))
        }
        // A `continue` in an inner loop is that loop's.
        _ => false,
    })
}
