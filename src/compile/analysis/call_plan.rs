//! Which functions are inlined, and which keep a body that calls go to.
//!
//! A kernel's functions are inlined, as `nvcc` does where it pays, as long as the kernel stays of a size
//! that can be looked through:
//!
//! ```text
//! f1(a) { f0(a); f0(a); }          20 of these, and the kernel would hold `f0` a million times:
//! f2(a) { f1(a); f1(a); }    →     each of them is written once, and called twice
//! ```
//!
//! Where copies would take more than that, the largest functions that are called more than once are
//! written once, then smaller ones, until the rest fits. So is a function below which too many others
//! lie within each other: lowering follows them by recursion. And so is every function that calls itself, by way of
//! others or not: its copies would have no end.

use std::collections::{HashMap, HashSet};

use super::call_cycles::call_cycles;
use crate::compile::tree::{bodies, own_expressions};
use crate::cuda::{ExprKind, FunctionId, Node, Program, Stmt, children, place_children};

/// Statements and expressions that a kernel may have with all that is inlined, if its text has fewer.
const MOST_INLINED: u64 = 100_000;

/// How often its text a kernel may be with all that is inlined, if that is more.
const MOST_GROWTH: u64 = 2;

/// The sizes from which on functions are called where a kernel would be too large: as few as possible.
const SHARED_FROM: &[u64] = &[u64::MAX, 10_000, 3_000, 1_000, 300, 100, 30];

/// Highest tree of statements and expressions with all that is inlined.
const MOST_HEIGHT: u32 = 600;

/// Which functions of a kernel are called.
#[derive(Debug, Default)]
pub(crate) struct CallPlan {
    /// Those with a body of their own, callers before what they call.
    pub called: Vec<FunctionId>,
    known: HashSet<FunctionId>,
    /// The cycle of calls that each function lies on which may be called again before it returns.
    cycles: HashMap<FunctionId, usize>,
}

/// A function as it is written.
#[derive(Debug, Default)]
struct Text {
    size: u64,
    height: u32,
    calls: Vec<FunctionId>,
}

/// A function with all that is inlined in it.
#[derive(Clone, Copy, Debug, Default)]
struct Inlined {
    size: u64,
    height: u32,
}

impl CallPlan {
    /// The plan for `kernel`.
    pub fn new(program: &Program, kernel: FunctionId) -> Self {
        let texts = texts(program, kernel);
        let order = callees_first(kernel, &texts);
        let mut sites: HashMap<FunctionId, u32> = HashMap::new();
        for callee in texts.values().flat_map(|text| &text.calls) {
            *sites.entry(*callee).or_default() += 1;
        }
        let own: u64 = texts.values().map(|text| text.size).sum();
        let most = MOST_INLINED.max(own.saturating_mul(MOST_GROWTH));
        let mut plan = CallPlan {
            cycles: call_cycles(&order, |id| &texts[&id].calls),
            ..CallPlan::default()
        };
        for &from in SHARED_FROM {
            let (known, total) = shared(program, &order, &texts, &|id, inlined: Inlined| {
                let is_large =
                    inlined.size >= from && sites.get(&id).is_some_and(|&sites| sites > 1);
                // What a header's helper does belongs to the statement that calls it.
                let may_be_shared = !program.functions[id].is_library;
                let is_shared = may_be_shared && (is_large || inlined.height > MOST_HEIGHT);
                is_shared || plan.is_recursive(id)
            });
            plan.known = known;
            if total <= most {
                break;
            }
        }
        let called = order.into_iter().rev();
        plan.called = called.filter(|id| plan.known.contains(id)).collect();
        plan
    }

    /// Whether calls go to the function's body.
    pub fn is_called(&self, id: FunctionId) -> bool {
        self.known.contains(&id)
    }

    /// Whether any function may be called again before it returns.
    pub fn recurses(&self) -> bool {
        !self.cycles.is_empty()
    }

    /// Whether a function may be called again before it returns.
    pub fn is_recursive(&self, id: FunctionId) -> bool {
        self.cycles.contains_key(&id)
    }

    /// Whether a call of `callee` may come back to `caller` before it returns.
    pub fn may_call_back(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let cycle = self.cycles.get(&caller);
        cycle.is_some() && cycle == self.cycles.get(&callee)
    }
}

/// The functions that are called if `is_shared` says so of the ones that may be, and the size of all
/// that is then written.
fn shared(
    program: &Program,
    order: &[FunctionId],
    texts: &HashMap<FunctionId, Text>,
    is_shared: &dyn Fn(FunctionId, Inlined) -> bool,
) -> (HashSet<FunctionId>, u64) {
    let (mut known, mut total) = (HashSet::new(), 0_u64);
    let mut all: HashMap<FunctionId, Inlined> = HashMap::new();
    for id in order {
        let text = &texts[id];
        // What has a body of its own adds only a call to who calls it.
        let inlined = text.calls.iter().filter(|callee| !known.contains(*callee));
        let mut sum = Inlined {
            size: text.size,
            height: text.height,
        };
        let mut below = 0;
        for callee in inlined.filter_map(|callee| all.get(callee)) {
            sum.size = sum.size.saturating_add(callee.size);
            below = below.max(callee.height);
        }
        sum.height += below;
        let function = &program.functions[*id];
        if !function.is_kernel && is_shared(*id, sum) {
            known.insert(*id);
        }
        if function.is_kernel || known.contains(id) {
            total = total.saturating_add(sum.size);
        }
        all.insert(*id, sum);
    }
    (known, total)
}

/// The functions that `kernel` reaches, as they are written.
fn texts(program: &Program, kernel: FunctionId) -> HashMap<FunctionId, Text> {
    let mut texts = HashMap::new();
    let mut open = vec![kernel];
    while let Some(id) = open.pop() {
        if texts.contains_key(&id) {
            continue;
        }
        let mut text = Text::default();
        text.height = text.add(&program.functions[id].body);
        open.extend(&text.calls);
        texts.insert(id, text);
    }
    texts
}

impl Text {
    /// Adds these statements; their height.
    fn add(&mut self, stmts: &[Stmt]) -> u32 {
        let mut highest = 0;
        for stmt in stmts {
            self.size += 1;
            let of_exprs = own_expressions(stmt).into_iter();
            let of_exprs = of_exprs.map(|expr| self.add_node(Node::Expr(expr))).max();
            let of_bodies = bodies(stmt).into_iter().map(|body| self.add(body)).max();
            highest = highest.max(of_exprs.max(of_bodies).unwrap_or(0));
        }
        highest + 1
    }

    /// Adds an expression or place; its height.
    fn add_node(&mut self, node: Node) -> u32 {
        self.size += 1;
        let mut highest = 0;
        let mut inside = |node| highest = self.add_node(node).max(highest);
        match node {
            Node::Expr(expr) => {
                children(expr, &mut inside);
                if let ExprKind::Call(id, _) = expr.kind {
                    self.calls.push(id);
                }
            }
            Node::Place(place) => place_children(place, &mut inside),
        }
        highest + 1
    }
}

/// The functions that `kernel` reaches, each behind all that it calls.
fn callees_first(kernel: FunctionId, texts: &HashMap<FunctionId, Text>) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut seen = HashSet::from([kernel]);
    // A stack of our own: chains of calls may be longer than the thread's stack allows.
    let mut open = vec![(kernel, texts[&kernel].calls.iter())];
    while let Some((id, calls)) = open.last_mut() {
        match calls.next() {
            Some(&callee) if seen.insert(callee) => {
                open.push((callee, texts[&callee].calls.iter()))
            }
            Some(_) => {}
            None => {
                order.push(*id);
                open.pop();
            }
        }
    }
    order
}
