//! Loads whose value only one branch, one loop or what stands behind a way out needs: `nvcc` moves
//! them there, so that warps that do not go there make no request.
//!
//! The value is still computed where the source has it, so that it can be looked at, but those loads
//! count nothing; where it is needed it is computed again, and counts. Nothing in between may change
//! what it is computed from.

use std::collections::HashMap;

use super::common_subexpressions::Sources;
use super::loop_invariants::{Effects, own_expressions};
use crate::compile::lower::{Home, Lower, words};
use crate::compile::tree::{Part, bodies, everything};
use crate::cuda::{Expr, ExprKind, FunctionId, Initializer, LocalId, PlaceKind, Stmt, StmtKind};
use crate::ir::Register;
use crate::memory::AccessKind;

/// A part of a statement where values can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Door {
    /// Before the statements of an `if`.
    Then,
    /// Before those of its `else`.
    Else,
    /// Behind the first test of a loop.
    Loop,
    /// Behind the whole statement.
    Behind,
}

/// Where something is moved to: a statement, by its place in the program, and a part of it.
type Target = (*const Stmt, Door);

/// A value that is computed again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sunk<'a> {
    /// The variable, of the function that the target is in, and its register.
    local: LocalId,
    home: Register,
    /// The function that the value is written in.
    function: FunctionId,
    value: &'a Expr,
}

/// The values that wait for their targets.
#[derive(Debug, Default)]
pub(crate) struct Sinks<'a> {
    waiting: HashMap<Target, Vec<Sunk<'a>>>,
}

impl Sinks<'_> {
    /// Whether something waits there.
    pub fn has(&self, stmt: &Stmt, door: Door) -> bool {
        let target: Target = (stmt, door);
        !self.waiting.is_empty() && self.waiting.contains_key(&target)
    }
}

/// A variable that a statement gives a value, and the value.
fn given(stmt: &Stmt) -> Option<(LocalId, &Expr)> {
    match &stmt.kind {
        StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } => Some((*local, value)),
        StmtKind::Expr(Expr {
            kind: ExprKind::Assign(place, value),
            ..
        }) => match place.kind {
            PlaceKind::Local(local) => Some((local, value)),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Lower<'a> {
    /// A statement whose value is needed at one place further on only, if it is: the statements
    /// behind it in its list are `rest`, those before it `before`.
    pub fn sink(&mut self, stmt: &'a Stmt, before: &[Stmt], rest: &'a [Stmt]) -> bool {
        if self.as_written {
            return false;
        }
        let Some((local, value)) = given(stmt) else {
            return false;
        };
        let Home::Register(home) = self.home(local) else {
            return false;
        };
        let declares =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { local: id, .. } if id == local);
        if !rest.iter().any(guards) || !(declares(stmt) || before.iter().any(declares)) {
            return false;
        }
        let Some((function, value)) = self.loaded_value(value) else {
            return false;
        };
        let mut sources = Sources::default();
        let is_pure = self.within(function, |lower| lower.sources(value, &mut sources));
        let size = words(&value.ty);
        if !is_pure || sources.memory.is_empty() || size > 4 || sources.include((home, size)) {
            return false;
        }
        let Some(target) = self.target(local, &sources, rest) else {
            return false;
        };
        let sunk = Sunk {
            local,
            home,
            function,
            value,
        };
        self.lower_silently(stmt, target, sunk);
        true
    }

    /// What a value is loaded by: itself, or what the function ends with that gives it.
    fn loaded_value(&self, value: &'a Expr) -> Option<(FunctionId, &'a Expr)> {
        let ExprKind::Call(function, arguments) = &value.kind else {
            return Some((self.context.function, value));
        };
        let function = *function;
        // An argument may be given by the same statement of the same function.
        if arguments.iter().any(calls) {
            return None;
        }
        match &self.program.functions[function].body.last()?.kind {
            StmtKind::Return(Some(value)) => Some((function, value)),
            _ => None,
        }
    }

    /// Lowers a statement so that the loads of its value count nothing, and keeps in mind where
    /// they count; where they are known they stay as they are.
    fn lower_silently(&mut self, stmt: &'a Stmt, target: Target, sunk: Sunk<'a>) {
        self.silenced = Some(sunk.value);
        self.one_statement(stmt);
        if self.silenced.take().is_none() {
            let size = words(&sunk.value.ty);
            self.emitter.reuse.wrote((sunk.home, size));
            self.sinks.waiting.entry(target).or_default().push(sunk);
        }
    }

    /// Evaluates an expression; if it is the one to be silenced, its loads count nothing, and it is
    /// not to be silenced again.
    pub fn expr_maybe_silent(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        let is_it = self
            .silenced
            .is_some_and(|silenced| std::ptr::eq(silenced, expr));
        if !is_it || self.emitter.reuse.is_silent {
            return self.expr(expr, into);
        }
        let from = self.emitter.tables.sites.len();
        self.emitter.reuse.is_silent = true;
        let register = self.expr(expr, into);
        self.emitter.reuse.is_silent = false;
        if self.silence(from, AccessKind::Load) {
            self.silenced = None;
        }
        register
    }

    /// Computes what waits at a part of a statement, unless it goes further into `rest`, the
    /// statements there.
    pub fn surface(&mut self, stmt: &'a Stmt, door: Door, rest: &'a [Stmt]) {
        if self.sinks.waiting.is_empty() {
            return;
        }
        let target: Target = (stmt, door);
        for sunk in self.sinks.waiting.remove(&target).unwrap_or_default() {
            let mut sources = Sources::default();
            self.within(sunk.function, |lower| {
                lower.sources(sunk.value, &mut sources)
            });
            if let Some(further) = self.target(sunk.local, &sources, rest) {
                self.sinks.waiting.entry(further).or_default().push(sunk);
                continue;
            }
            let size = words(&sunk.value.ty);
            let register = self.within(sunk.function, |lower| lower.expr(sunk.value, None));
            self.settle(register, size, Some(sunk.home));
            if sunk.function == self.context.function {
                self.remember(sunk.value, sunk.home);
                self.remember_load(sunk.value, sunk.home);
            }
        }
    }

    /// Where in the statements behind it a value is needed, if that is one place that not all lanes
    /// come to, and nothing before that place changes what it is computed from.
    fn target(&self, local: LocalId, sources: &Sources, rest: &'a [Stmt]) -> Option<Target> {
        let mut behind = None;
        for (at, stmt) in rest.iter().enumerate() {
            if mentions(stmt, local) {
                let mut later = rest[at + 1..].iter();
                let door = self.door(stmt, local, sources);
                let door = door.filter(|_| !later.any(|stmt| mentions(stmt, local)));
                return door.map(|door| (std::ptr::from_ref(stmt), door)).or(behind);
            }
            if self.changes(std::slice::from_ref(stmt), sources) {
                break;
            }
            if departs_always(stmt) {
                behind = Some((std::ptr::from_ref(stmt), Door::Behind));
            }
        }
        None
    }

    /// The part of a statement that holds all that it says of a variable.
    fn door(&self, stmt: &Stmt, local: LocalId, sources: &Sources) -> Option<Door> {
        match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } if !mentions_in(condition, local) => {
                let mut effects = Effects::default();
                self.effects_of(self.context.function, condition, &mut effects);
                let in_then = then.iter().any(|stmt| mentions(stmt, local));
                let in_else = otherwise.iter().any(|stmt| mentions(stmt, local));
                match (in_then, in_else) {
                    _ if self.meet(&effects, sources) => None,
                    (true, false) => Some(Door::Then),
                    (false, true) => Some(Door::Else),
                    _ => None,
                }
            }
            StmtKind::Loop {
                init,
                condition: Some(condition),
                test_first: true,
                ..
            } if !mentions_in(condition, local) => {
                let mut effects = Effects::default();
                self.effects_of(self.context.function, condition, &mut effects);
                let in_init = init.iter().any(|stmt| mentions(stmt, local));
                let meets = self.meet(&effects, sources) || self.changes(init, sources);
                (!in_init && !meets).then_some(Door::Loop)
            }
            _ => None,
        }
    }

    /// Whether statements may change what a value is computed from.
    fn changes(&self, stmts: &[Stmt], sources: &Sources) -> bool {
        let mut effects = Effects::default();
        self.effects_of_all(self.context.function, stmts, &mut effects);
        self.meet(&effects, sources)
    }

    /// Whether these effects may change what a value is computed from.
    pub fn meet(&self, effects: &Effects, sources: &Sources) -> bool {
        let mut written = effects.registers.iter();
        written.any(|&written| sources.include(written))
            || sources.memory.iter().any(|source| {
                let mut regions = effects.regions.iter();
                (effects.synchronizes && source.changes_at_barriers())
                    || regions.any(|&region| source.changes_with(region))
            })
    }
}

fn calls(expr: &Expr) -> bool {
    let mut found = false;
    everything(expr, &mut |part| {
        found |= matches!(part, Part::Expr(expr) if matches!(expr.kind, ExprKind::Call(..)));
    });
    found
}

/// Whether a statement is one that not all lanes may go into, or past.
fn guards(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::If { .. }
            | StmtKind::Loop {
                test_first: true,
                ..
            }
    )
}

/// Whether a statement is an `if` whose lanes do not come to what follows.
fn departs_always(stmt: &Stmt) -> bool {
    let StmtKind::If {
        then, otherwise, ..
    } = &stmt.kind
    else {
        return false;
    };
    otherwise.is_empty() && ends(then)
}

fn ends(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(body) => ends(body),
        _ => false,
    })
}

fn mentions(stmt: &Stmt, local: LocalId) -> bool {
    own_expressions(stmt)
        .into_iter()
        .any(|expr| mentions_in(expr, local))
        || bodies(stmt)
            .into_iter()
            .any(|body| body.iter().any(|stmt| mentions(stmt, local)))
}

fn mentions_in(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    everything(expr, &mut |part| {
        if let Part::Place(place) = part {
            found |= place.kind == PlaceKind::Local(local);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::source::SourceFile;

    /// Loads of a kernel with this body, in order: whether they count.
    fn loads(body: &str) -> Vec<bool> {
        let text = format!(
            "__global__ void k(const float* x, float* y, int n) {{ int i = threadIdx.x;\n{body}\n}}"
        );
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        let sites = compiled.kernels[0].sites.iter();
        let loads = sites.filter(|site| site.kind == crate::memory::AccessKind::Load);
        loads.map(|site| !site.is_silent).collect()
    }

    #[test]
    fn what_one_branch_or_loop_needs_counts_there() {
        assert_eq!(loads("float v = x[i]; if (i < n) y[i] = v;"), [false, true]);
        assert_eq!(
            loads("float v = x[i]; if (i < n) { if (i > 3) y[i] = v; }"),
            [false, true]
        );
        assert_eq!(
            loads("float v = x[i]; if (i >= n) return; y[i] = v;"),
            [false, true]
        );
        assert_eq!(
            loads("float v = x[0]; for (int j = i; j < n; j += 32) y[j] = v;"),
            [false, true]
        );
    }

    #[test]
    fn what_is_needed_twice_or_could_change_stays() {
        assert_eq!(
            loads("float v = x[i]; if (i < n) y[i] = v; else y[i + n] = v;"),
            [true]
        );
        assert_eq!(
            loads("float v = x[i]; if (i < n) y[i] = v; y[n] = v;"),
            [true]
        );
        assert_eq!(
            loads("float v = x[i]; y[n] = 1; if (i < n) y[i] = v;"),
            [true]
        );
        assert_eq!(
            loads("float v = x[i]; __syncthreads(); if (i < n) y[i] = v;"),
            [true]
        );
    }
}
