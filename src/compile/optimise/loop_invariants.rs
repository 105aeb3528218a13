//! What a loop changes, and what it can therefore load or compute once before it begins.

use super::common_subexpressions::Words;
use crate::compile::analysis::Region;
use crate::compile::emit::Emitter;
use crate::compile::lower::{Home, Lower};
use crate::compile::tree::words;
use crate::compile::tree::{Part, bodies, everything, inside};
use crate::cuda::{BinaryOp, Expr, ExprKind, FunctionId, Initializer, LocalId, Place, PlaceKind};
use crate::cuda::{Stmt, StmtKind};

/// What statements may change.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Registers of variables.
    pub registers: Vec<Words>,
    /// Memory.
    pub regions: Vec<Region>,
    /// Whether other threads may write meanwhile.
    pub synchronizes: bool,
}

/// The parts of a loop that run again and again.
#[derive(Clone, Copy)]
pub(crate) struct Repeated<'a> {
    pub condition: Option<&'a Expr>,
    pub step: Option<&'a Expr>,
    pub body: &'a [Stmt],
}

impl Lower<'_> {
    /// What a round of a loop may change.
    pub fn effects(&self, repeated: Repeated) -> Effects {
        let mut effects = Effects::default();
        let function = self.context.function;
        for expr in repeated.condition.into_iter().chain(repeated.step) {
            self.effects_of(function, expr, &mut effects);
        }
        self.effects_of_all(function, repeated.body, &mut effects);
        effects
    }

    pub fn effects_of_all(&self, function: FunctionId, stmts: &[Stmt], effects: &mut Effects) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare { local, .. } => self.changes_local(function, *local, effects),
                StmtKind::Barrier | StmtKind::SyncWarp(_) => effects.synchronizes = true,
                _ => {}
            }
            for expr in own_expressions(stmt) {
                self.effects_of(function, expr, effects);
            }
            for body in bodies(stmt) {
                self.effects_of_all(function, body, effects);
            }
        }
    }

    pub fn effects_of(&self, function: FunctionId, expr: &Expr, effects: &mut Effects) {
        everything(expr, &mut |part| {
            let Part::Expr(expr) = part else { return };
            match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => self.changes_place(function, place, effects),
                ExprKind::AddressOf(place) if self.region_is_local(function, place) => {
                    self.changes_place(function, place, effects);
                }
                ExprKind::Atomic { pointer, .. } => {
                    let region = self.regions.of_pointer(self.program, function, pointer);
                    effects.regions.push(region);
                }
                ExprKind::MathTo { outputs, .. } => {
                    for (_, pointer) in outputs {
                        let region = self.regions.of_pointer(self.program, function, pointer);
                        effects.regions.push(region);
                    }
                }
                ExprKind::Match { all: Some(all), .. } => {
                    let region = self.regions.of_pointer(self.program, function, all);
                    effects.regions.push(region);
                }
                ExprKind::BarrierVote(..) | ExprKind::Nothing(_) => effects.synchronizes = true,
                ExprKind::Call(callee, _) => {
                    let called = &self.program.functions[*callee];
                    for local in 0..called.locals.len() {
                        self.changes_local(*callee, local, effects);
                    }
                    self.effects_of_all(*callee, &called.body, effects);
                }
                _ => {}
            }
        });
    }

    /// Whether a place is a variable of the thread's own, which its address may change.
    fn region_is_local(&self, function: FunctionId, place: &Place) -> bool {
        self.regions.of_place(self.program, function, place) == Region::Local
    }

    fn changes_place(&self, function: FunctionId, place: &Place, effects: &mut Effects) {
        match &place.kind {
            PlaceKind::Local(local) => self.changes_local(function, *local, effects),
            PlaceKind::File(id) => {
                let memory = self.program.variables[*id].memory;
                effects.regions.push(Region::File(*id, memory));
            }
            PlaceKind::Deref(pointer) => {
                match self.alias_in(function, pointer) {
                    Some((caller, place)) => self.changes_place(caller, &place, effects),
                    None => {
                        effects
                            .regions
                            .push(self.regions.of_place(self.program, function, place))
                    }
                };
            }
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.changes_place(function, base, effects),
        }
    }

    fn changes_local(&self, function: FunctionId, local: LocalId, effects: &mut Effects) {
        let ty = &self.program.functions[function].locals[local].ty;
        match self.home_in(function, local) {
            Home::Register(home) => effects.registers.push((home, words(ty))),
            Home::Shared(_) => {
                effects.regions.push(Region::Shared(function, local));
                effects.regions.push(Region::Dynamic);
            }
            Home::Local(_) => effects.regions.push(Region::Local),
        }
    }

    /// What a loop with these effects would load or compute again in every round, though it stays
    /// the same: loads that each round is sure to make, and arithmetic.
    pub fn invariants<'a>(&self, body: &'a [Stmt], effects: &Effects) -> Vec<&'a Expr> {
        let mut found = Vec::new();
        let mut finder = Finder {
            lower: self,
            effects,
            found: &mut found,
        };
        if !self.as_written {
            finder.stmts(body, true);
        }
        found
    }

    /// Keeps in mind of a loop's counter that it is always a multiple of some number.
    pub fn count_rounds(&mut self, init: &[Stmt], repeated: Repeated) {
        let Some((local, start)) = init.last().and_then(starts) else {
            return;
        };
        let mut multiple = start.unsigned_abs();
        let mut total = 0_i64;
        let step = repeated.step.map(|step| change(step, local));
        for change in steps(repeated.body, local).into_iter().chain(step) {
            match change {
                Some(by) => total = total.wrapping_add(by),
                None => return,
            }
        }
        multiple |= total.unsigned_abs();
        let (Home::Register(home), 1..) = (self.home(local), multiple) else {
            return;
        };
        let depth = self.emitter.depth();
        let power = 1 << multiple.trailing_zeros().min(4);
        self.emitter.reuse.symbols.set_multiple(home, power, depth);
    }

    /// Whether something can be done once, behind the first test, instead of in every round: then
    /// the loop is turned round, as `nvcc` does, and tests at its end.
    pub fn is_worth_turning(
        &self,
        repeated: Repeated,
        invariants: &[&Expr],
        effects: &Effects,
    ) -> bool {
        let mut found = !invariants.is_empty();
        if let (Some(condition), false) = (repeated.condition, self.as_written) {
            everything(condition, &mut |part| {
                if let Part::Expr(expr) = part {
                    found |= self.is_invariant(expr, effects, true);
                }
            });
        }
        found
    }
}

impl Emitter<'_> {
    /// Forgets what rounds of a loop with these effects change.
    pub fn repeat(&mut self, effects: &Effects) {
        for &written in &effects.registers {
            self.reuse.wrote(written);
        }
        for &region in &effects.regions {
            self.reuse.wrote_memory(region);
        }
        if effects.synchronizes {
            self.reuse.synchronized();
        }
    }
}

/// The expressions that stand directly in a statement.
pub(crate) fn own_expressions(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Expr(expr) | StmtKind::SyncWarp(expr) | StmtKind::Return(Some(expr)) => {
            vec![expr]
        }
        StmtKind::Declare {
            init: Some(Initializer::Value(value)),
            ..
        } => vec![value],
        StmtKind::Declare {
            init: Some(Initializer::List(values)),
            ..
        } => values.iter().collect(),
        StmtKind::If { condition, .. } => vec![condition],
        StmtKind::Loop {
            condition, step, ..
        } => condition.iter().chain(step).collect(),
        StmtKind::Switch { value, .. } => vec![value],
        _ => Vec::new(),
    }
}

/// The variable that a loop begins with, and its value.
fn starts(init: &Stmt) -> Option<(LocalId, i64)> {
    match &init.kind {
        StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } => match value.kind {
            ExprKind::Constant(bits) if value.ty.scalar()?.is_integer() => {
                Some((*local, bits as i64))
            }
            _ => None,
        },
        _ => None,
    }
}

/// By how much each statement changes a variable; nothing of one that does in another way.
fn steps(stmts: &[Stmt], local: LocalId) -> Vec<Option<i64>> {
    let mut found = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Block(body) => found.extend(steps(body, local)),
            StmtKind::Expr(expr) => found.push(change(expr, local)),
            StmtKind::Declare {
                local: declared, ..
            } if *declared == local => found.push(None),
            _ => {
                let mut exprs = own_expressions(stmt);
                for body in bodies(stmt) {
                    crate::compile::tree::expressions(body, &mut |expr| exprs.push(expr));
                }
                let same = exprs.iter().all(|expr| change(expr, local) == Some(0));
                found.push(same.then_some(0));
            }
        }
    }
    found
}

/// By how much `expr` changes a variable.
fn change(expr: &Expr, local: LocalId) -> Option<i64> {
    let is_it = |place: &Place| place.kind == PlaceKind::Local(local);
    match &expr.kind {
        ExprKind::Step { place, up, .. } if is_it(place) => Some(if *up { 1 } else { -1 }),
        ExprKind::AssignOp {
            place, op, value, ..
        } if is_it(place) => match (op, &value.kind) {
            (BinaryOp::Add, ExprKind::Constant(bits)) => Some(*bits as i64),
            (BinaryOp::Sub, ExprKind::Constant(bits)) => Some((*bits as i64).wrapping_neg()),
            _ => None,
        },
        _ => {
            let mut same = true;
            everything(expr, &mut |part| {
                let Part::Expr(expr) = part else { return };
                same &= match &expr.kind {
                    ExprKind::Assign(place, _)
                    | ExprKind::AssignOp { place, .. }
                    | ExprKind::Step { place, .. } => !is_it(place),
                    ExprKind::AddressOf(place) => !is_it(place),
                    _ => true,
                };
            });
            same.then_some(0)
        }
    }
}

struct Finder<'a, 'b, 'c> {
    lower: &'b Lower<'c>,
    effects: &'b Effects,
    found: &'b mut Vec<&'a Expr>,
}

impl<'a> Finder<'a, '_, '_> {
    /// Looks through statements; `sure` if every round comes to them. Whether every round comes to
    /// what follows.
    fn stmts(&mut self, stmts: &'a [Stmt], sure: bool) -> bool {
        stmts.iter().fold(sure, |sure, stmt| self.stmt(stmt, sure))
    }

    fn stmt(&mut self, stmt: &'a Stmt, sure: bool) -> bool {
        match &stmt.kind {
            StmtKind::Loop { init, .. } => {
                let sure = self.stmts(init, sure);
                for expr in own_expressions(stmt) {
                    self.expr(expr, false);
                }
                let StmtKind::Loop { body, .. } = &stmt.kind else {
                    return false;
                };
                self.stmts(body, false);
                sure && !departs(body)
            }
            StmtKind::Block(body) => self.stmts(body, sure),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
            _ => {
                for expr in own_expressions(stmt) {
                    self.expr(expr, sure);
                }
                let inner = bodies(stmt);
                let departs = inner.iter().any(|body| departs(body));
                for body in inner {
                    self.stmts(body, false);
                }
                sure && !departs
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr, sure: bool) {
        if self.lower.is_invariant(expr, self.effects, sure) {
            self.found.push(expr);
            return;
        }
        let mut first = true;
        let guards = matches!(
            expr.kind,
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..)
        );
        inside(expr, &mut |part| {
            self.part(part, sure && (first || !guards));
            first = false;
        });
    }

    fn part(&mut self, part: Part<'a>, sure: bool) {
        match part {
            Part::Expr(expr) => self.expr(expr, sure),
            Part::Place(place) => {
                crate::compile::tree::inside_place(place, &mut |part| self.part(part, sure));
            }
        }
    }
}

/// Whether a way out of these statements stands in them.
pub(crate) fn departs(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)
        ) || bodies(stmt).into_iter().any(|body| departs(body))
    })
}
