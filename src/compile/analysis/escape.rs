//! Escape analysis: what a kernel reaches, and which variables must live in memory.
//!
//! A thread's variable lives in registers unless something needs its address: `a[i]` with an `i` that
//! is only known when the kernel runs, `&x` given to a pointer, a union.

use std::collections::{BTreeSet, HashSet};

use super::call_plan::CallPlan;
use crate::compile::tree::{VariableId, bodies, holds_union, own_expressions, words};
use crate::cuda::{
    Expr, ExprKind, FileVariableId, FunctionId, LocalId, Node, Place, PlaceKind, Program, Stmt,
    StmtKind, Storage, Type, children,
};

/// Most registers that an array may take; larger ones live in memory.
const MOST_ARRAY_WORDS: u32 = 64;

/// What [`analyse`] finds.
#[derive(Debug, Default)]
pub(crate) struct Reachable {
    /// Functions that run, the kernel first.
    pub functions: Vec<FunctionId>,
    known: HashSet<FunctionId>,
    /// Variables of threads that need an address: large arrays, those with indices that are only
    /// known when the kernel runs, and those whose address is taken. References among them need the
    /// address of what they refer to.
    pub in_memory: HashSet<VariableId>,
    /// Variables at file scope.
    pub file_variables: BTreeSet<FileVariableId>,
    passed: Vec<Passed>,
}

/// A variable of the caller that a call passes by reference.
#[derive(Debug)]
struct Passed {
    parameter: VariableId,
    variable: VariableId,
}

/// Follows calls from `kernel` and looks at every place whose address is taken.
pub(crate) fn analyse(program: &Program, kernel: FunctionId, calls: &CallPlan) -> Reachable {
    let mut found = Reachable {
        functions: vec![kernel],
        known: HashSet::from([kernel]),
        ..Reachable::default()
    };
    let mut next = 0;
    while let Some(&id) = found.functions.get(next) {
        next += 1;
        for (local, declared) in program.functions[id].locals.iter().enumerate() {
            let is_large = words(&declared.ty) > MOST_ARRAY_WORDS;
            let needs_memory = is_large || holds_union(&declared.ty);
            if declared.storage == Storage::Thread && needs_memory {
                found.in_memory.insert(VariableId::new(id, local));
            }
        }
        let mut walker = Walker {
            program,
            calls,
            found: &mut found,
            function: id,
        };
        walker.stmts(&program.functions[id].body);
    }
    found.follow_references();
    found
}

impl Reachable {
    /// What is passed by reference lives in memory if the reference needs an address.
    fn follow_references(&mut self) {
        // A reference that is passed on, as in `f(int& a) { g(a); }`, takes more than one turn.
        loop {
            let before = self.in_memory.len();
            // Backwards: callees come behind their callers, and decide about them.
            for passed in self.passed.iter().rev() {
                if self.in_memory.contains(&passed.parameter) {
                    self.in_memory.insert(passed.variable);
                }
            }
            if self.in_memory.len() == before {
                return;
            }
        }
    }
}

struct Walker<'a> {
    program: &'a Program,
    calls: &'a CallPlan,
    found: &'a mut Reachable,
    function: FunctionId,
}

impl Walker<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let mut bodies = bodies(stmt);
            // What a loop's head declares is evaluated first: functions are numbered in this order.
            if matches!(stmt.kind, StmtKind::Loop { .. }) {
                self.stmts(bodies.remove(0));
            }
            own_expressions(stmt)
                .into_iter()
                .for_each(|expr| self.expr(expr));
            bodies.into_iter().for_each(|body| self.stmts(body));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        use ExprKind::*;
        match &expr.kind {
            Load(place) => {
                // The pointer that a reference is, and not what it refers to.
                if let Some(local) = self.reference(expr) {
                    self.found
                        .in_memory
                        .insert(VariableId::new(self.function, local));
                }
                self.place(place);
            }
            AddressOf(place) => {
                self.needs_address(place);
                self.place(place);
            }
            Call(function, arguments) => {
                // Their order numbers them.
                if self.found.known.insert(*function) {
                    self.found.functions.push(*function);
                }
                let is_called = self.calls.is_called(*function);
                let locals = &self.program.functions[*function].locals;
                for (at, (argument, local)) in arguments.iter().zip(locals).enumerate() {
                    // To a body that many calls go to, a reference is an address.
                    let is_reference = local.is_reference && !is_called;
                    self.argument(VariableId::new(*function, at), argument, is_reference);
                }
            }
            _ => children(expr, &mut |node| match node {
                Node::Expr(expr) => self.expr(expr),
                Node::Place(place) => self.place(place),
            }),
        }
    }

    fn argument(&mut self, parameter: VariableId, argument: &Expr, is_reference: bool) {
        match &argument.kind {
            ExprKind::AddressOf(place) if is_reference && is_fixed(place) => {
                if let Some(local) = self.root(place) {
                    let variable = VariableId::new(self.function, local);
                    self.found.passed.push(Passed {
                        parameter,
                        variable,
                    });
                }
                // Not an address: the parameter stands for the variable itself, which can stay in registers.
                self.place(place);
            }
            ExprKind::Comma(first, second) if is_reference => {
                self.expr(first);
                self.argument(parameter, second, is_reference);
            }
            _ => self.expr(argument),
        }
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(_) => {}
            PlaceKind::File(id) => {
                self.found.file_variables.insert(*id);
            }
            // What a reference refers to is the caller's: no address is taken of the reference itself.
            PlaceKind::Deref(pointer) if self.reference(pointer).is_some() => {}
            PlaceKind::Deref(pointer) => self.expr(pointer),
            // Registers have no addresses: an index that varies needs memory.
            PlaceKind::Index(base, index) => {
                if !is_inside(base, index) {
                    self.needs_address(base);
                }
                self.place(base);
                self.expr(index);
            }
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => self.place(base),
        }
    }

    fn needs_address(&mut self, place: &Place) {
        if let Some(local) = self.root(place) {
            self.found
                .in_memory
                .insert(VariableId::new(self.function, local));
        }
    }

    /// The variable or reference that a place is part of, unless it lies behind a pointer.
    fn root(&self, place: &Place) -> Option<LocalId> {
        match &place.kind {
            PlaceKind::Local(local) => Some(*local),
            PlaceKind::File(_) => None,
            PlaceKind::Deref(pointer) => self.reference(pointer),
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.root(base),
        }
    }

    fn reference(&self, pointer: &Expr) -> Option<LocalId> {
        let local = reference(pointer)?;
        let is_reference = self.program.functions[self.function].locals[local].is_reference;
        is_reference.then_some(local)
    }
}

/// The variable that `pointer` is loaded from.
pub(crate) fn reference(pointer: &Expr) -> Option<LocalId> {
    match &pointer.kind {
        ExprKind::Load(Place {
            kind: PlaceKind::Local(local),
            ..
        }) => Some(*local),
        _ => None,
    }
}

/// Whether an index is a constant within the array.
fn is_inside(array: &Place, index: &Expr) -> bool {
    match (&array.ty, &index.kind) {
        (Type::Array(_, length), ExprKind::Constant(at)) => *at < u64::from(*length),
        _ => false,
    }
}

/// Whether a place is a variable, or always the same part of one, or of what a reference refers to.
pub(crate) fn is_fixed(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::File(_) => true,
        PlaceKind::Deref(pointer) => reference(pointer).is_some(),
        PlaceKind::Index(base, index) => is_inside(base, index) && is_fixed(base),
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => is_fixed(base),
    }
}
