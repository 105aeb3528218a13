//! Sinking: a load whose value only one branch, one loop or what stands behind a way out needs is moved
//! there, so that warps that do not go there make no request.
//!
//! ```text
//! v = x[i];                        if (i < n) {
//! if (i < n)               →           v = x[i];
//!     y[i] = v;                        y[i] = v;
//!                                  }
//! ```
//!
//! The value is still computed where the source has it, so that it can be looked at, but those loads
//! count nothing; where it is needed it is computed again, and counts. Nothing in between may change
//! what it is computed from.

use super::accesses::is_loaded_first;
use super::speculation::is_speculated;
use crate::compile::analysis::{Context, Location, RegisterRange, Sources};
use crate::compile::tree::{any_expr, any_place, names, words};
use crate::cuda::{Expr, ExprKind, FunctionId, Initializer, LocalId, PlaceKind, Stmt, StmtKind};
use crate::ir::Register;
use crate::source::Span;

/// Most statements behind a value that are looked through for the one that needs it.
const MOST_BEHIND: usize = 1000;

/// A part of a statement where values can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InsertionPoint {
    /// Before the statements of an `if`.
    Then,
    /// Before those of its `else`.
    Else,
    /// Behind the first test of a loop.
    Loop,
    /// Behind the whole statement.
    Behind,
}

/// One of the statements that follow in the same list, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// How many statements stand before it.
    pub index: usize,
    pub point: InsertionPoint,
}

/// A value that is computed again where it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SunkValue<'a> {
    /// The variable, of the function that the target is in, and its register.
    pub local: LocalId,
    pub register: Register,
    /// The function that the value is written in.
    pub function: FunctionId,
    pub value: &'a Expr,
}

impl<'a> SunkValue<'a> {
    /// The registers that hold it.
    pub fn registers(&self) -> RegisterRange {
        RegisterRange::new(self.register, words(&self.value.ty))
    }

    /// The value that a statement gives to a variable, if it could be moved behind: the statements that
    /// follow it in its list are `rest`, those before it `before`.
    pub fn of(
        context: &Context<'a>,
        stmt: &'a Stmt,
        before: &[Stmt],
        rest: &[Stmt],
    ) -> Option<Self> {
        // A list of thousands of statements, from a macro, would be walked for each of them.
        let (local, value) = assigned(stmt).filter(|_| rest.len() <= MOST_BEHIND)?;
        let Location::Register(register) = context.location(local) else {
            return None;
        };
        let declares =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { local: id, .. } if id == local);
        // What is declared outside of the list may be needed behind it.
        if !rest.iter().any(guards) || !(declares(stmt) || before.iter().any(declares)) {
            return None;
        }
        let (function, value) = origin(context, value)?;
        Some(SunkValue {
            local,
            register,
            function,
            value,
        })
    }
}

/// Where a value is computed: where it stands, or at the end of the function that it calls.
fn origin<'a>(context: &Context<'a>, value: &'a Expr) -> Option<(FunctionId, &'a Expr)> {
    let ExprKind::Call(function, arguments) = &value.kind else {
        return Some((context.function, value));
    };
    // An argument may be given by the same statement of the same function.
    let is_call = |expr: &Expr| matches!(expr.kind, ExprKind::Call(..));
    // A function that is called as one, not inlined, has its `return` in a body that all its calls share.
    let is_called = context.calls.is_called(*function);
    if is_called || arguments.iter().any(|argument| any_expr(argument, is_call)) {
        return None;
    }
    match &context.program.functions[*function].body.last()?.kind {
        StmtKind::Return(Some(value)) => Some((*function, value)),
        _ => None,
    }
}

/// A variable that a statement gives a value, and the value.
fn assigned(stmt: &Stmt) -> Option<(LocalId, &Expr)> {
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

/// Which of the statements behind it needs a value, if it is one place that not all lanes come to, and
/// nothing before that place changes what the value is computed from.
pub(crate) fn target(
    context: &Context,
    value: &SunkValue,
    sources: &Sources,
    rest: &[Stmt],
) -> Option<Target> {
    let local = value.local;
    let mut behind = None;
    for (index, stmt) in rest.iter().enumerate() {
        if mentions(std::slice::from_ref(stmt), local) {
            // Needed there and further on, it is needed by all.
            let point = match mentions(&rest[index + 1..], local) {
                true => None,
                false => only_point(context, stmt, value, sources),
            };
            return point.map(|point| Target { index, point }).or(behind);
        }
        if context
            .effects_of_all(std::slice::from_ref(stmt))
            .change(sources)
        {
            break;
        }
        // Behind `if (i >= n) return;` only the lanes go on that need the value: that is as good as a branch.
        if always_departs(stmt) {
            let point = InsertionPoint::Behind;
            behind = Some(Target { index, point });
        }
    }
    None
}

/// The part of a statement that holds all that it says of a variable.
fn only_point(
    context: &Context,
    stmt: &Stmt,
    value: &SunkValue,
    sources: &Sources,
) -> Option<InsertionPoint> {
    let local = value.local;
    let loads = |branch: &[Stmt]| loads_the_same(context, value, branch);
    match &stmt.kind {
        StmtKind::If {
            condition,
            then,
            otherwise,
        } if !mentioned_in(condition, local) => {
            match (mentions(then, local), mentions(otherwise, local)) {
                // The condition runs between the old place and the new one.
                _ if context.effects_of(condition).change(sources) => None,
                _ if is_speculated(context, then, otherwise) => None,
                // In both branches it would be two loads for one.
                (true, false) if !loads(otherwise) => Some(InsertionPoint::Then),
                (false, true) if !loads(then) => Some(InsertionPoint::Else),
                _ => None,
            }
        }
        StmtKind::Loop {
            init,
            condition: Some(condition),
            test_first: true,
            ..
        } if !mentioned_in(condition, local) => {
            let changes = context.effects_of(condition).change(sources)
                || context.effects_of_all(init).change(sources);
            (!changes && !mentions(init, local)).then_some(InsertionPoint::Loop)
        }
        _ => None,
    }
}

/// Whether a branch loads a value from where it is loaded itself: what it finds there is the same.
fn loads_the_same(context: &Context, value: &SunkValue, branch: &[Stmt]) -> bool {
    match &value.value.kind {
        ExprKind::Load(place) => is_loaded_first(context, branch, place),
        _ => false,
    }
}

/// Whether a statement is one that not all lanes may go into, or past.
fn guards(stmt: &Stmt) -> bool {
    // `do` is no guard: all who come to it enter its body, so a load moved there saves no request.
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
fn always_departs(stmt: &Stmt) -> bool {
    let StmtKind::If {
        then, otherwise, ..
    } = &stmt.kind
    else {
        return false;
    };
    otherwise.is_empty() && ends(then)
}

/// Whether no lane comes to what follows these statements, as their last one shows.
pub(crate) fn ends(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(body) => ends(body),
        _ => false,
    })
}

fn mentions(stmts: &[Stmt], local: LocalId) -> bool {
    any_place(stmts, |place| place.kind == PlaceKind::Local(local))
}

fn mentioned_in(expr: &Expr, local: LocalId) -> bool {
    names(expr, |place| place.kind == PlaceKind::Local(local))
}

/// Where in the code being lowered something waits: in how manieth of the open statement lists, at
/// which of its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    depth: usize,
    target: Target,
}

/// A value whose loads count nothing where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SilencedValue {
    function: FunctionId,
    span: Span,
}

/// The values that wait for their targets while a kernel is lowered.
#[derive(Debug, Default)]
pub(crate) struct SinkQueue<'a> {
    waiting: Vec<(Position, SunkValue<'a>)>,
    /// The number of the current statement in each open list of statements, outermost first.
    statements: Vec<usize>,
    silenced: Option<SilencedValue>,
}

impl<'a> SinkQueue<'a> {
    /// A list of statements begins.
    pub fn enter(&mut self) {
        self.statements.push(0);
    }

    /// The list of statements is over.
    pub fn leave(&mut self) {
        let depth = self.statements.len();
        // What a branch that is never taken waits for comes never.
        self.waiting.retain(|(at, _)| at.depth < depth);
        self.statements.pop();
    }

    /// Statement `index` of the innermost list begins.
    pub fn at(&mut self, index: usize) {
        if let Some(current) = self.statements.last_mut() {
            *current = index;
        }
    }

    fn here(&self, point: InsertionPoint) -> Position {
        let index = self.statements.last().copied().unwrap_or(0);
        Position {
            depth: self.statements.len(),
            target: Target { index, point },
        }
    }

    /// Whether something waits in the current statement.
    pub fn has(&self, point: InsertionPoint) -> bool {
        let here = self.here(point);
        self.waiting.iter().any(|(at, _)| *at == here)
    }

    /// What waits in the current statement.
    pub fn take(&mut self, point: InsertionPoint) -> Vec<SunkValue<'a>> {
        let here = self.here(point);
        let taken = self.waiting.extract_if(.., |(at, _)| *at == here);
        taken.map(|(_, value)| value).collect()
    }

    /// A value waits at `target`, counted from the statement behind the current one.
    pub fn wait_behind(&mut self, target: Target, value: SunkValue<'a>) {
        let mut at = self.here(target.point);
        // Targets count from the statement behind the current one, positions from the list's first.
        at.target.index += 1 + target.index;
        self.waiting.push((at, value));
    }

    /// A value waits at `target`, in a list of statements that begins next.
    pub fn wait_inside(&mut self, target: Target, value: SunkValue<'a>) {
        let depth = self.statements.len() + 1;
        self.waiting.push((Position { depth, target }, value));
    }

    /// The loads of a value count nothing where it is evaluated next.
    pub fn silence(&mut self, value: &SunkValue) {
        self.silenced = Some(SilencedValue {
            function: value.function,
            span: value.value.span,
        });
    }

    /// Whether the loads of `expr`, of `function`, are to count nothing. A value that is moved has no
    /// effects, so no other value of a statement begins and ends where it does.
    pub fn is_silenced(&self, function: FunctionId, expr: &Expr) -> bool {
        let span = expr.span;
        self.silenced == Some(SilencedValue { function, span })
    }

    /// Whether there is a value that is still to be silenced; there is none from here on.
    pub fn take_silenced(&mut self) -> bool {
        self.silenced.take().is_some()
    }
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
        loads.map(|site| !site.is_silent()).collect()
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
            loads("float v = x[i]; if (i < n) y[i] = v; else y[i + n] = 2 * x[i];"),
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
