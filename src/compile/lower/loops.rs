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
    InsertionPoint, Origin, Promoted, Promoter, Promotion, RuntimeUnrolling, Sizes, asked,
    changed_integers, invariants, is_worth_inverting, sizes_of_calls,
};
use crate::compile::tree::words;
use crate::cuda::{Expr, ExprKind, Stmt, StmtKind};
use crate::ir::{Op, Register, StagedLoop};
use crate::source::Span;

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
    stages: Option<Stages<'a>>,
}

impl LoopPlan<'_> {
    /// Nothing is done once, but for what waits.
    fn as_written(effects: Effects, test_first: bool, waits: bool) -> Self {
        LoopPlan {
            effects,
            invariants: Vec::new(),
            promotions: Vec::new(),
            is_inverted: test_first && waits,
            tests_last: !test_first || waits,
            stages: None,
        }
    }
}

/// A loop whose lanes go through their iterations in stages, and wait for each other behind each.
struct Stages<'a> {
    unrolling: RuntimeUnrolling<'a>,
    /// As [`RuntimeUnrolling::stages`] has them.
    masks: u32,
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
        let plan = self.plan_loop(iteration, *test_first, stmt.span);
        if let Some(stages) = &plan.stages {
            // It stays the same, and is known behind the loop.
            self.expr(stages.unrolling.limit, None);
        }
        let is_guarded = self.open_guard(&plan.promotions, condition.as_ref(), *test_first);
        self.emitter.open_scope(FrameKind::Loop);
        // A guard around the loop has tested already.
        if plan.is_inverted && !is_guarded {
            self.test(condition.as_ref());
        }
        let outer = self.promoted.len();
        self.iterations(init, iteration, &plan);
        self.emitter.close();
        self.store_promoted(outer, is_guarded);
    }

    /// All iterations, until a lane leaves.
    fn iterations(&mut self, init: &[Stmt], iteration: Iteration<'a>, plan: &LoopPlan<'a>) {
        if let Some(stages) = &plan.stages {
            let mut left = self.iterations_left(&stages.unrolling);
            if let Some(condition) = iteration.condition.filter(|_| !plan.is_inverted) {
                left = self.once_at_least(condition, left);
            }
            self.enter_loop(init, iteration, plan);
            return self.staged_loop(iteration, left, stages);
        }
        self.enter_loop(init, iteration, plan);
        let tests_last = plan.tests_last;
        let head = self.emitter.here();
        if !tests_last {
            self.test(iteration.condition);
        }
        self.iteration(iteration);
        if tests_last {
            self.test(iteration.condition);
        }
        self.emitter.jump(head);
    }

    /// How many iterations each lane makes, of those that make one.
    fn iterations_left(&mut self, unrolling: &RuntimeUnrolling) -> Register {
        let counter = self.expr(unrolling.counter, None);
        let limit = self.expr(unrolling.limit, None);
        let (high, low) = match unrolling.step > 0 {
            true => (limit, counter),
            false => (counter, limit),
        };
        let mut left = self.operation(Op::SubI32, 1, &[high, low], None);
        let one = self.emitter.registers.const32(1);
        if unrolling.step.unsigned_abs() > 1 {
            // As many steps as lie before the limit, rounded up.
            let step = unrolling.step.unsigned_abs();
            let step = self.emitter.registers.const32(step);
            left = self.operation(Op::SubI32, 1, &[left, one], None);
            left = self.operation(Op::DivU32, 1, &[left, step], None);
            left = self.operation(Op::AddI32, 1, &[left, one], None);
        } else if unrolling.reaches_limit {
            left = self.operation(Op::AddI32, 1, &[left, one], None);
        }
        let result = self.emitter.registers.take(1);
        self.copy_to(left, 1, Some(result))
    }

    /// One iteration is made before the first test.
    fn once_at_least(&mut self, condition: &Expr, left: Register) -> Register {
        let one = self.emitter.registers.const32(1);
        let holds = self.expr(condition, None);
        self.operation(Op::Select32, 1, &[holds, left, one], Some(left))
    }

    /// All iterations in stages, of which each lane makes as many as `left` says.
    fn staged_loop(&mut self, iteration: Iteration<'a>, left: Register, stages: &Stages) {
        let first = self.emitter.here();
        self.iterations_in_stages(iteration, left, stages.masks);
        let condition = iteration.condition;
        let staged = StagedLoop {
            code: first..self.emitter.here(),
            iterations: left,
            stages: stages.masks,
            factor: stages.unrolling.factor,
            span: condition.map_or_else(Span::default, |test| test.span),
        };
        self.emitter.tables.others.staged_loops.push(staged);
    }

    /// Each stage is a loop of its own until so many are left as it leaves.
    fn iterations_in_stages(&mut self, iteration: Iteration<'a>, left: Register, masks: u32) {
        let [zero, one, byte, above] = [0, 1, 8, 24].map(|n| self.emitter.registers.const32(n));
        let constant = self.emitter.registers.const32(masks);
        let masks = self.emitter.registers.take(1);
        self.copy_to(constant, 1, Some(masks));
        let test = iteration
            .condition
            .map_or_else(Span::default, |test| test.span);
        let stage = self.emitter.here();
        self.emitter.source.rest_of(test);
        let mask = self.operation(Op::Shl32, 1, &[masks, above], None);
        let mask = self.operation(Op::ShrI32, 1, &[mask, above], None);
        let end = self.emitter.registers.take(1);
        self.operation(Op::And32, 1, &[left, mask], Some(end));
        self.emitter.open_scope(FrameKind::Loop);
        let head = self.emitter.here();
        // The test is a stop as in other loops.
        self.observed.next_statement();
        self.emitter.source.statement(test);
        let goes_on = self.operation(Op::LtU32, 1, &[end, left], None);
        self.emitter.leave_unless(goes_on);
        self.iteration(iteration);
        self.operation(Op::SubI32, 1, &[left, one], Some(left));
        self.emitter.jump(head);
        self.emitter.close();
        self.emitter.source.rest_of(test);
        let has_more = self.operation(Op::LtU32, 1, &[zero, left], None);
        self.emitter.leave_unless(has_more);
        self.operation(Op::ShrU32, 1, &[masks, byte], Some(masks));
        self.emitter.jump(stage);
    }

    /// What is done once, before the first iteration.
    fn enter_loop(&mut self, init: &[Stmt], iteration: Iteration, plan: &LoopPlan<'a>) {
        self.recompute_all(InsertionPoint::Loop);
        // Only behind a test: for lanes without an iteration they would be loaded from where the source loads nothing.
        if plan.tests_last {
            for invariant in &plan.invariants {
                // Copies of one expression in an unrolled body begin at the same place of the source.
                self.observed.next_statement();
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

    fn plan_loop(
        &mut self,
        iteration: Iteration<'a>,
        test_first: bool,
        span: Span,
    ) -> LoopPlan<'a> {
        let effects = self.context.effects_of_iteration(iteration);
        let waits = self.sinking.has(InsertionPoint::Loop);
        if !self.optimises() {
            return LoopPlan::as_written(effects, test_first, waits);
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
        let stages = self.stages(iteration, &effects, span);
        // What a part of the condition loads for some lanes, the iteration knows behind a test at its head.
        let loads = self.loads_on_condition(iteration.condition) && invariants.is_empty();
        let is_worth = waits
            || stages.is_some()
            || !promotions.is_empty()
            || !loads && is_worth_inverting(&self.context, iteration, &invariants, &effects);
        LoopPlan {
            effects,
            invariants,
            promotions,
            is_inverted: test_first && is_worth,
            tests_last: !test_first || is_worth,
            stages,
        }
    }

    /// Whether a part of a condition is evaluated for some lanes.
    fn loads_on_condition(&self, condition: Option<&Expr>) -> bool {
        condition.is_some_and(|condition| match &condition.kind {
            ExprKind::And(_, b) => !self.context.is_speculatable(b),
            _ => false,
        })
    }

    /// The stages of a loop that `nvcc` unrolls without knowing how often it runs, if that may differ among lanes.
    fn stages(
        &mut self,
        iteration: Iteration<'a>,
        effects: &Effects,
        span: Span,
    ) -> Option<Stages<'a>> {
        let program = self.context.program;
        if self.context.is_generated {
            return None;
        }
        let sizes = Sizes {
            program,
            called: &sizes_of_calls(program, iteration.body),
            function: &program.functions[self.context.function],
            counter: None,
        };
        let asked = asked(self.file(), span);
        let unrolling = RuntimeUnrolling::of(iteration, asked, sizes)?;
        let sources = self.context.sources(unrolling.limit)?;
        if effects.change(&sources) {
            return None;
        }
        let facts = &mut self.emitter.facts;
        let mut evaluator = facts.evaluator(&self.context);
        let all = changed_integers(iteration).into_iter();
        let mut values = all.filter_map(|local| evaluator.variable(local));
        let begins_with_constant = values.any(|value| value.terms.is_empty());
        let start = evaluator.variable(unrolling.local);
        let limit = evaluator.integer(unrolling.limit);
        if let (Some(start), Some(limit)) = (start, limit)
            && facts.affine.is_uniform(&limit.plus(&start, -1))
        {
            return None;
        }
        Some(Stages {
            masks: unrolling.stages(begins_with_constant),
            unrolling,
        })
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
        let mut condition = self.condition(condition);
        self.emitter.leave_unless(condition.register);
        self.know_where(&mut condition, true);
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
            facts.remember_bytes(range, register, promoted.region, Origin::Other);
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
                let (register, region) = (promoted.register, promoted.region);
                facts.remember_bytes(promoted.range, register, region, Origin::Other);
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
