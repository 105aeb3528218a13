//! Where lanes that parted come together again. Hardware since compute capability 7.0 may leave them apart
//! behind a branch or a loop until something makes them wait (CUDA C++ Programming Guide, "Independent
//! Thread Scheduling"), and would then make two accesses of what is written as one: behind each statement
//! at which lanes may part, those that came to it wait for each other.

use std::collections::HashSet;

use crate::compile::{bodies, own_expressions};
use crate::cuda::{Expr, ExprKind, Function, FunctionId, Program, Stmt, StmtKind};
use crate::gpu::instrument::rewrite::{Original, Refused};
use crate::gpu::instrument::walk::{is_memory, with_operands};
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::Span;

/// What is put around the statements at which lanes may part and that all of them leave at the end;
/// `others` are what else is put into the text. `if (c) f();` becomes
/// `{ const unsigned lanes_0 = __activemask(); if (c) f(); meet(lanes_0); }`, and `float v = c ? x[i] : 0.0f;`
/// `const unsigned lanes_1 = __activemask(); float v = c ? x[i] : 0.0f; meet(lanes_1);`.
pub(super) fn reconvergence(original: &Original, others: &[Wrap], refused: &Refused) -> Vec<Wrap> {
    let mut finder = Finder {
        program: &original.program,
        parting: parting_functions(original),
        found: Vec::new(),
    };
    for &id in &original.functions {
        let function = &original.program.functions[id];
        finder.statements(function, &function.body);
    }
    let mut placed: Vec<Insertion> = finder
        .found
        .iter()
        .filter_map(|found| found.place(original))
        .collect();
    placed.sort_by_key(|placed| (placed.span.start, placed.span.end));
    placed.dedup_by_key(|placed| placed.span);
    // Only now: what was wrapped before must stay whole.
    placed.retain(|placed| {
        let crosses = others.iter().any(|wrap| cross(wrap.span, placed.span));
        original.insertion.fits(placed.span) && !crosses && !refused.contains(placed.span)
    });
    let wrap = |(number, placed): (usize, Insertion)| {
        let (open, close) = if placed.in_braces {
            ("{ ", " }")
        } else {
            ("", "")
        };
        Wrap {
            span: placed.span,
            // Lanes that are here now, which are those that go into the statement.
            before: format!("{open}const unsigned @lanes_{number} = __activemask(); "),
            behind: format!(" @meet(@lanes_{number});{close}"),
        }
    };
    placed.into_iter().enumerate().map(wrap).collect()
}

/// A statement at which lanes may part.
enum DivergencePoint {
    /// An `if` or a loop.
    Branch(Span),
    Expression(Span),
    Declaration(Span),
}

/// Where text goes around it.
struct Insertion {
    span: Span,
    /// A declaration must stay visible to what follows it.
    in_braces: bool,
}

impl DivergencePoint {
    fn place(&self, original: &Original) -> Option<Insertion> {
        let insertion = &original.insertion;
        // The semicolon belongs to the statement: what comes behind must stand behind it.
        let whole = |span: Span| {
            let end = insertion.semicolon(span)?;
            Some(Span { end, ..span })
        };
        let (span, in_braces) = match *self {
            DivergencePoint::Branch(span) => (insertion.statement(span)?, true),
            DivergencePoint::Expression(span) => (whole(span)?, true),
            DivergencePoint::Declaration(span) => {
                // `else int x = f();` would need braces, in which nobody behind it could see `x`.
                let is_listed = matches!(insertion.before(span.start), ";" | "{" | "}");
                (is_listed.then(|| whole(span))??, false)
            }
        };
        // `#pragma unroll` is about the loop that follows it: what comes before the loop comes before both.
        let start = insertion.before_pragmas(span.start)?;
        Some(Insertion {
            span: Span { start, ..span },
            in_braces,
        })
    }
}

struct Finder<'a> {
    program: &'a Program,
    /// Functions in which lanes may part.
    parting: HashSet<FunctionId>,
    found: Vec<DivergencePoint>,
}

impl Finder<'_> {
    /// The statements, in each other too, that are to be wrapped.
    fn statements(&mut self, function: &Function, list: &[Stmt]) {
        let within = Within {
            program: self.program,
            function,
            parting: &self.parting,
        };
        // `Best<4> best;` is two statements of one text: a declaration, and a call of the constructor.
        let declared = list
            .iter()
            .filter(|stmt| matches!(stmt.kind, StmtKind::Declare { .. }));
        let declared: HashSet<Span> = declared.map(|stmt| stmt.span).collect();
        for stmt in list {
            let parts = own_expressions(stmt)
                .into_iter()
                .any(|expr| within.expression_parts(expr));
            match &stmt.kind {
                // Where a lane may leave, those that stay cannot wait for it.
                StmtKind::If { .. } | StmtKind::Loop { .. } if !may_leave(stmt, false) => {
                    self.found.push(DivergencePoint::Branch(stmt.span));
                }
                StmtKind::Expr(_) | StmtKind::Declare { .. } if parts => {
                    self.found.push(match declared.contains(&stmt.span) {
                        true => DivergencePoint::Declaration(stmt.span),
                        false => DivergencePoint::Expression(stmt.span),
                    });
                }
                _ => {}
            }
        }
        for body in list.iter().flat_map(bodies) {
            self.statements(function, body);
        }
    }
}

/// The functions in which lanes may part, themselves or in what they call.
fn parting_functions(original: &Original) -> HashSet<FunctionId> {
    let program = &original.program;
    let mut parting = HashSet::new();
    // Until nothing is added: a function that calls one that parts lanes parts them itself.
    loop {
        let parts = |id: &&FunctionId| {
            let function = &program.functions[**id];
            let within = Within {
                program,
                function,
                parting: &parting,
            };
            !parting.contains(*id) && within.any_parts(&function.body)
        };
        let more: Vec<FunctionId> = original.functions.iter().filter(parts).copied().collect();
        if more.is_empty() {
            return parting;
        }
        parting.extend(more);
    }
}

/// What lanes may part at inside a function.
struct Within<'a> {
    program: &'a Program,
    function: &'a Function,
    /// Functions that are known to part them.
    parting: &'a HashSet<FunctionId>,
}

impl Within<'_> {
    fn any_parts(&self, list: &[Stmt]) -> bool {
        list.iter().any(|stmt| {
            let is_branch = matches!(
                stmt.kind,
                StmtKind::If { .. } | StmtKind::Loop { .. } | StmtKind::Switch { .. }
            );
            let mut own = own_expressions(stmt).into_iter();
            let mut inside = bodies(stmt).into_iter();
            is_branch
                || own.any(|expr| self.expression_parts(expr))
                || inside.any(|body| self.any_parts(body))
        })
    }

    /// Whether lanes may part within an expression: where only some of them access memory, or call what
    /// parts them.
    fn expression_parts(&self, expr: &Expr) -> bool {
        let mut parts = false;
        with_operands(expr, &mut |expr| {
            parts |= match &expr.kind {
                ExprKind::And(_, guarded) | ExprKind::Or(_, guarded) => self.acts(guarded),
                ExprKind::Conditional(_, then, otherwise) => {
                    self.acts(then) || self.acts(otherwise)
                }
                ExprKind::Call(callee, _) => self.parting.contains(callee),
                _ => false,
            };
        });
        parts
    }

    /// Whether an expression accesses memory or calls: then it is not computed for all lanes, chosen from
    /// afterwards.
    fn acts(&self, expr: &Expr) -> bool {
        let mut acts = false;
        with_operands(expr, &mut |expr| {
            acts |= match &expr.kind {
                ExprKind::Load(place) => is_memory(self.program, self.function, place),
                ExprKind::Call(..)
                | ExprKind::Assign(..)
                | ExprKind::AssignOp { .. }
                | ExprKind::Atomic { .. } => true,
                _ => false,
            };
        });
        acts
    }
}

/// Whether a lane may leave a statement other than at its end; inside a loop, `break` and `continue`
/// stay in it.
fn may_leave(stmt: &Stmt, in_loop: bool) -> bool {
    let in_loop = match &stmt.kind {
        StmtKind::Return(_) => return true,
        StmtKind::Break | StmtKind::Continue => return !in_loop,
        // A `break` in it ends it, but a `continue` does not: neither is looked into.
        StmtKind::Switch { .. } => return true,
        // A `break` in a loop inside leaves only that.
        StmtKind::Loop { .. } => true,
        _ => in_loop,
    };
    let mut inside = bodies(stmt).into_iter().flatten();
    inside.any(|stmt| may_leave(stmt, in_loop))
}
