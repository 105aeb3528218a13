//! What a kernel reaches, and which variables must live in memory.

use std::collections::{BTreeSet, HashSet};

use crate::compile::tree::{Part, inside};
use crate::compile::tree::{holds_union, words};
use crate::cuda::{
    Expr, ExprKind, FileVariableId, FunctionId, Initializer, LocalId, Place, PlaceKind, Program,
    Stmt, StmtKind, Storage, Type,
};

/// Most registers that an array may take; larger ones live in memory.
const MOST_ARRAY_WORDS: u32 = 64;

/// What [`analyse`] finds.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    /// Functions that run, the kernel first.
    pub reached: Vec<FunctionId>,
    /// Variables of threads that need an address: large arrays, those with indices that are only
    /// known when the kernel runs, and those whose address is taken. References among them need the
    /// address of what they refer to.
    pub in_memory: HashSet<(FunctionId, LocalId)>,
    /// Variables at file scope.
    pub file_variables: BTreeSet<FileVariableId>,
    /// Variables passed by reference: callee and parameter, caller and variable.
    passed: Vec<((FunctionId, LocalId), (FunctionId, LocalId))>,
}

/// Follows calls from `kernel` and looks at every place whose address is taken.
pub(crate) fn analyse(program: &Program, kernel: FunctionId) -> Analysis {
    let mut analysis = Analysis {
        reached: vec![kernel],
        ..Analysis::default()
    };
    let mut next = 0;
    while let Some(&id) = analysis.reached.get(next) {
        next += 1;
        for (local, declared) in program.functions[id].locals.iter().enumerate() {
            let is_large = words(&declared.ty) > MOST_ARRAY_WORDS;
            let needs_memory = is_large || holds_union(&declared.ty);
            if declared.storage == Storage::Thread && needs_memory {
                analysis.in_memory.insert((id, local));
            }
        }
        Walker {
            program,
            analysis: &mut analysis,
            id,
        }
        .stmts(&program.functions[id].body);
    }
    analysis.follow_references();
    analysis
}

impl Analysis {
    /// What is passed by reference lives in memory if the reference needs an address.
    fn follow_references(&mut self) {
        loop {
            let before = self.in_memory.len();
            for (parameter, variable) in &self.passed {
                if self.in_memory.contains(parameter) {
                    self.in_memory.insert(*variable);
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
    analysis: &'a mut Analysis,
    id: FunctionId,
}

impl Walker<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::SyncWarp(expr) => self.expr(expr),
            StmtKind::Declare {
                init: Some(Initializer::Value(value)),
                ..
            } => self.expr(value),
            StmtKind::Declare {
                init: Some(Initializer::List(values)),
                ..
            } => {
                values.iter().for_each(|value| self.expr(value));
            }
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.stmts(then);
                self.stmts(otherwise);
            }
            StmtKind::Loop {
                init,
                condition,
                step,
                body,
                ..
            } => {
                self.stmts(init);
                condition
                    .iter()
                    .chain(step)
                    .for_each(|expr| self.expr(expr));
                self.stmts(body);
            }
            StmtKind::Switch { value, sections } => {
                self.expr(value);
                sections
                    .iter()
                    .for_each(|section| self.stmts(&section.body));
            }
            StmtKind::Return(Some(value)) => self.expr(value),
            StmtKind::Declare { init: None, .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Barrier => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        use ExprKind::*;
        match &expr.kind {
            Load(place) => {
                // The pointer that a reference is, and not what it refers to.
                if let Some(local) = self.reference(expr) {
                    self.analysis.in_memory.insert((self.id, local));
                }
                self.place(place);
            }
            AddressOf(place) => {
                self.needs_address(place);
                self.place(place);
            }
            Call(function, arguments) => {
                if !self.analysis.reached.contains(function) {
                    self.analysis.reached.push(*function);
                }
                let locals = &self.program.functions[*function].locals;
                for (at, (argument, local)) in arguments.iter().zip(locals).enumerate() {
                    self.argument((*function, at), argument, local.is_reference);
                }
            }
            _ => inside(expr, &mut |part| match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Place(place) => self.place(place),
            }),
        }
    }

    fn argument(&mut self, parameter: (FunctionId, LocalId), argument: &Expr, is_reference: bool) {
        match &argument.kind {
            ExprKind::AddressOf(place) if is_reference && is_fixed(place) => {
                if let Some(local) = self.root(place) {
                    self.analysis.passed.push((parameter, (self.id, local)));
                }
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
                self.analysis.file_variables.insert(*id);
            }
            PlaceKind::Deref(pointer) if self.reference(pointer).is_some() => {}
            PlaceKind::Deref(pointer) => self.expr(pointer),
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
            self.analysis.in_memory.insert((self.id, local));
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
        let is_reference = self.program.functions[self.id].locals[local].is_reference;
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
