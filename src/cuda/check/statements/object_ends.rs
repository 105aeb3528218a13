//! The ends of objects in code for the GPU: calls of destructors, written out wherever a block is left.
//!
//! The host's machine keeps a list of the objects that exist, as an exception may end them from anywhere. In a kernel
//! nothing unwinds: which objects end at a `return`, `break` or `continue` can be read from the text.
//!
//! ```text
//! {                                  {
//!     Guard a(1);                        Guard a(1);
//!     if (done) return f(a);     →       if (done) { result = f(a); a.~Guard(); return result; }
//!     g(a);                              g(a);
//! }                                      a.~Guard();
//!                                    }
//! ```

use crate::source::Span;

use super::flow::always_returns;
use crate::cuda::resolve::{Checker, Facts, Frame, Operand, comma, constant, load, node, scalar};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, HostExpr, HostStmt, Initializer, NodeMut, Object, Place, PlaceKind,
    Scalar, Section, Stmt, StmtKind, Storage, Type, children_mut, place_children_mut,
};

impl Checker {
    /// The body of a function for the GPU, in which each object is ended by a call.
    pub fn with_ends(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        if !std::mem::take(&mut self.frame.objects.end) {
            return body;
        }
        let mut ends = Ends {
            frame: &mut self.frame,
            alive: Vec::new(),
            loops: Vec::new(),
            breakable: Vec::new(),
        };
        ends.statements(body)
    }
}

/// What exists at a statement.
struct Ends<'a> {
    frame: &'a mut Frame,
    /// The objects that are variables, in the order in which they began.
    alive: Vec<Object>,
    /// How many of them were there before the body of each loop around.
    loops: Vec<usize>,
    /// The same of each loop and `switch` around.
    breakable: Vec<usize>,
}

/// A temporary object of a full expression, and where it may be missing the variable that says whether it was made.
struct Temporary {
    object: Object,
    is_made: Option<Place>,
}

impl Ends<'_> {
    /// Statements with a scope of their own: what begins in it ends with it.
    fn statements(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let before = self.alive.len();
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            self.statement(stmt, &mut out);
        }
        let is_left = out.last().is_some_and(|last| {
            use StmtKind::*;
            matches!(last.kind, Return(_) | Break | Continue)
        });
        if !is_left && !always_returns(&out) {
            self.end_to(before, &mut out);
        }
        self.alive.truncate(before);
        out
    }

    fn statement(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let mut temporaries = Vec::new();
        let kind = match stmt.kind {
            StmtKind::Host(host) => {
                if let HostStmt::ObjectBegins(object) = *host {
                    self.alive.push(object);
                }
                return;
            }
            StmtKind::Expr(mut e) => {
                self.take(&mut e, false, &mut temporaries);
                StmtKind::Expr(e)
            }
            StmtKind::Declare { local, mut init } => {
                let values = init.as_mut().map_or(&mut [][..], values_of);
                values
                    .iter_mut()
                    .for_each(|e| self.take(e, false, &mut temporaries));
                StmtKind::Declare { local, init }
            }
            StmtKind::SyncWarp(mask) => StmtKind::SyncWarp(self.kept(mask, out)),
            StmtKind::Return(value) => {
                let value = value.map(|value| self.returned(value, out));
                self.end_to(0, out);
                StmtKind::Return(value)
            }
            StmtKind::Break => {
                self.end_to(self.breakable.last().copied().unwrap_or(0), out);
                StmtKind::Break
            }
            StmtKind::Continue => {
                self.end_to(self.loops.last().copied().unwrap_or(0), out);
                StmtKind::Continue
            }
            StmtKind::Barrier => StmtKind::Barrier,
            nested => self.nested(nested, span, out),
        };
        self.full(Stmt { kind, span }, temporaries, out);
    }

    /// A statement, behind which the temporaries of its expression end.
    fn full(&mut self, stmt: Stmt, temporaries: Vec<Temporary>, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let flags = temporaries.iter().filter_map(|of| of.is_made.as_ref());
        out.extend(flags.map(|flag| {
            let kind = StmtKind::Expr(assigned(flag, false, span));
            Stmt { kind, span }
        }));
        out.push(stmt);
        for temporary in temporaries.into_iter().rev() {
            self.end_temporary(temporary, out);
        }
    }

    /// A statement with others in it.
    fn nested(&mut self, kind: StmtKind, span: Span, out: &mut Vec<Stmt>) -> StmtKind {
        match kind {
            StmtKind::Block(body) => StmtKind::Block(self.statements(body)),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => StmtKind::If {
                condition: self.kept(condition, out),
                then: self.statements(then),
                otherwise: self.statements(otherwise),
            },
            StmtKind::Switch { value, sections } => {
                let value = self.kept(value, out);
                self.breakable.push(self.alive.len());
                let section = |section: Section| Section {
                    body: self.statements(section.body),
                    ..section
                };
                let sections = sections.into_iter().map(section).collect();
                self.breakable.pop();
                StmtKind::Switch { value, sections }
            }
            StmtKind::Loop { .. } => self.looped(kind, span),
            other => other,
        }
    }

    /// A loop, with what its first part makes around it.
    fn looped(&mut self, kind: StmtKind, span: Span) -> StmtKind {
        let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = kind
        else {
            return kind;
        };
        let before = self.alive.len();
        let mut first = Vec::new();
        init.into_iter()
            .for_each(|stmt| self.statement(stmt, &mut first));
        let is_around = self.alive.len() > before;
        let init = match is_around {
            true => Vec::new(),
            false => std::mem::take(&mut first),
        };
        let body = self.repeated(body);
        let kind = StmtKind::Loop {
            init,
            condition: condition.map(|e| self.whole(e)),
            step: step.map(|e| self.whole(e)),
            body,
            test_first,
        };
        if !is_around {
            return kind;
        }
        // What the first part of a `for` makes lives as long as the loop.
        first.push(Stmt { kind, span });
        self.end_to(before, &mut first);
        self.alive.truncate(before);
        StmtKind::Block(first)
    }

    /// The body of a loop.
    fn repeated(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        self.loops.push(self.alive.len());
        self.breakable.push(self.alive.len());
        let body = self.statements(body);
        self.loops.pop();
        self.breakable.pop();
        body
    }

    /// The value of a `return`, which is computed before anything ends.
    fn returned(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let is_last = self.alive.is_empty();
        self.kept_if(!is_last, value, out)
    }

    /// A value whose temporaries end before anything is done with it.
    fn kept(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        self.kept_if(false, value, out)
    }

    /// A value that is put to a variable if it has temporaries or that `is_asked` for.
    fn kept_if(&mut self, is_asked: bool, mut value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let mut temporaries = Vec::new();
        self.take(&mut value, false, &mut temporaries);
        if temporaries.is_empty() && !is_asked {
            return value;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let facts = Facts::default();
        let local = self.frame.local("", ty, Storage::Thread, span, facts);
        let init = Some(Initializer::Value(value));
        let kind = StmtKind::Declare { local, init };
        self.full(Stmt { kind, span }, temporaries, out);
        self.frame.load_local(local, span)
    }

    /// A full expression that no statement can stand before or behind: it ends its temporaries itself.
    fn whole(&mut self, mut value: Expr) -> Expr {
        let mut temporaries = Vec::new();
        self.take(&mut value, false, &mut temporaries);
        if temporaries.is_empty() {
            return value;
        }
        let (span, mut last) = (value.span, None);
        let flags = temporaries.iter().filter_map(|of| of.is_made.as_ref());
        let mut parts: Vec<Expr> = flags.map(|flag| assigned(flag, false, span)).collect();
        match value.ty {
            Type::Void => parts.push(value),
            _ => {
                let (place, store) = self.frame.stored(value);
                parts.push(store);
                last = Some(load(Operand::place(place, false)));
            }
        }
        parts.extend(temporaries.into_iter().rev().map(end_of_temporary));
        parts.extend(last);
        let all = parts.into_iter().reduce(comma);
        all.unwrap_or_else(|| node(ExprKind::Nothing(Vec::new()), Type::Void, span))
    }

    /// Takes the temporaries of an expression out of it, in the order in which they are made; `may_miss` says whether
    /// it may be that the expression is not evaluated.
    fn take(&mut self, e: &mut Expr, may_miss: bool, out: &mut Vec<Temporary>) {
        let span = e.span;
        match &mut e.kind {
            ExprKind::Host(host) => {
                let HostExpr::TemporaryBegins(object) = &**host else {
                    return;
                };
                let is_made = may_miss.then(|| self.frame.temporary(scalar(Scalar::Bool), span));
                let object = object.clone();
                let nothing = node(ExprKind::Nothing(Vec::new()), Type::Void, span);
                *e = match &is_made {
                    Some(flag) => comma(assigned(flag, true, span), nothing),
                    None => nothing,
                };
                out.push(Temporary { object, is_made });
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.take(a, may_miss, out);
                self.take(b, true, out);
            }
            ExprKind::Conditional(condition, a, b) => {
                self.take(condition, may_miss, out);
                self.take(a, true, out);
                self.take(b, true, out);
            }
            _ => children_mut(e, &mut |node| self.take_of(node, may_miss, out)),
        }
    }

    fn take_of(&mut self, node: NodeMut, may_miss: bool, out: &mut Vec<Temporary>) {
        match node {
            NodeMut::Expr(e) => self.take(e, may_miss, out),
            NodeMut::Place(place) => {
                place_children_mut(place, &mut |node| self.take_of(node, may_miss, out));
            }
        }
    }

    /// Ends the variables but for the first so many, the last one first.
    fn end_to(&mut self, first: usize, out: &mut Vec<Stmt>) {
        for at in (first..self.alive.len()).rev() {
            let object = self.alive[at].clone();
            self.end(object, out);
        }
    }

    fn end_temporary(&mut self, temporary: Temporary, out: &mut Vec<Stmt>) {
        let Some(flag) = temporary.is_made else {
            return self.end(temporary.object, out);
        };
        let span = flag.span;
        let mut then = Vec::new();
        self.end(temporary.object, &mut then);
        let kind = StmtKind::If {
            condition: load(Operand::place(flag, false)),
            then,
            otherwise: Vec::new(),
        };
        out.push(Stmt { kind, span });
    }

    /// Ends an object, or the elements of an array, the last one first.
    fn end(&mut self, object: Object, out: &mut Vec<Stmt>) {
        let span = object.pointer.span;
        if object.count == 1 {
            let kind = StmtKind::Expr(end_of(&object, object.pointer.clone()));
            return out.push(Stmt { kind, span });
        }
        let count = scalar(Scalar::U64);
        let left = self.frame.temporary(count.clone(), span);
        let PlaceKind::Local(local) = left.kind else {
            return;
        };
        let init = Some(Initializer::Value(constant(
            count.clone(),
            object.count,
            span,
        )));
        let kind = StmtKind::Declare { local, init };
        let first = Stmt { kind, span };
        let now = load(Operand::place(left.clone(), false));
        let zero = Box::new(constant(count.clone(), 0, span));
        let goes_on = ExprKind::Binary(BinaryOp::Ne, Box::new(now), zero);
        let step = ExprKind::Step {
            place: Box::new(left),
            up: false,
            prefix: true,
        };
        let at = node(step, count, span);
        let ty = object.pointer.ty.clone();
        let pointer = ExprKind::PointerOffset(Box::new(object.pointer.clone()), Box::new(at));
        let call = StmtKind::Expr(end_of(&object, node(pointer, ty, span)));
        let kind = StmtKind::Loop {
            init: vec![first],
            condition: Some(node(goes_on, scalar(Scalar::Bool), span)),
            step: None,
            body: vec![Stmt { kind: call, span }],
            test_first: true,
        };
        out.push(Stmt { kind, span });
    }
}

fn values_of(init: &mut Initializer) -> &mut [Expr] {
    match init {
        Initializer::Value(value) => std::slice::from_mut(value),
        Initializer::List(values) => values,
    }
}

/// The call that ends one object.
fn end_of(object: &Object, pointer: Expr) -> Expr {
    let span = pointer.span;
    let kind = ExprKind::Call(object.destructor, vec![pointer]);
    node(kind, Type::Void, span)
}

/// The same as an expression: of an array, one call for each element.
fn end_of_temporary(temporary: Temporary) -> Expr {
    let Temporary { object, is_made } = temporary;
    let span = object.pointer.span;
    let element = |at: u64| {
        let ty = object.pointer.ty.clone();
        let at = Box::new(constant(scalar(Scalar::U64), at, span));
        let pointer = ExprKind::PointerOffset(Box::new(object.pointer.clone()), at);
        end_of(&object, node(pointer, ty, span))
    };
    let calls = match object.count {
        1 => Some(end_of(&object, object.pointer.clone())),
        count => (0..count).rev().map(element).reduce(comma),
    };
    let calls = calls.unwrap_or_else(|| node(ExprKind::Nothing(Vec::new()), Type::Void, span));
    let Some(flag) = is_made else {
        return calls;
    };
    let truth = scalar(Scalar::Bool);
    let calls = comma(calls, constant(truth.clone(), 1, span));
    let flag = load(Operand::place(flag, false));
    node(ExprKind::And(Box::new(flag), Box::new(calls)), truth, span)
}

/// `flag = value`
fn assigned(flag: &Place, value: bool, span: Span) -> Expr {
    let truth = scalar(Scalar::Bool);
    let value = constant(truth.clone(), value.into(), span);
    let kind = ExprKind::Assign(Box::new(flag.clone()), Box::new(value));
    node(kind, truth, span)
}
