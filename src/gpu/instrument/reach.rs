//! The functions that kernels run, and what stands in their text.

use crate::compile::{Part, inside, inside_place};
use crate::cuda::{
    Expr, ExprKind, FileMemory, Function, FunctionId, Initializer, Place, PlaceKind, Program, Stmt,
    StmtKind, Storage,
};

/// The functions that run when `kernels` do, with a text of their own.
pub(super) fn reached(program: &Program, kernels: &[FunctionId]) -> Vec<FunctionId> {
    let mut found: Vec<FunctionId> = Vec::new();
    let mut open = kernels.to_vec();
    while let Some(id) = open.pop() {
        if found.contains(&id) {
            continue;
        }
        found.push(id);
        let mut calls = |expr: &Expr| {
            if let ExprKind::Call(callee, _) = expr.kind {
                open.push(callee);
            }
        };
        expressions(&program.functions[id].body, &mut |expr| {
            everything(expr, &mut calls);
        });
    }
    found.retain(|&id| !program.functions[id].is_library);
    found.sort_unstable();
    found
}

/// Shows `visit` every expression that stands directly in a statement.
pub(super) fn expressions<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::SyncWarp(expr) | StmtKind::Return(Some(expr)) => {
                visit(expr);
            }
            StmtKind::Declare { init, .. } => match init {
                Some(Initializer::Value(value)) => visit(value),
                Some(Initializer::List(values)) => values.iter().for_each(&mut *visit),
                None => {}
            },
            StmtKind::Block(body) => expressions(body, visit),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                visit(condition);
                expressions(then, visit);
                expressions(otherwise, visit);
            }
            StmtKind::Loop {
                init,
                condition,
                step,
                body,
                ..
            } => {
                expressions(init, visit);
                condition.iter().chain(step).for_each(&mut *visit);
                expressions(body, visit);
            }
            StmtKind::Switch { value, sections } => {
                visit(value);
                for section in sections {
                    expressions(&section.body, visit);
                }
            }
            _ => {}
        }
    }
}

/// Shows `visit` an expression and all that stand inside it.
pub(super) fn everything<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    inside(expr, &mut |part| part_of(part, visit));
}

fn part_of<'a>(part: Part<'a>, visit: &mut dyn FnMut(&'a Expr)) {
    match part {
        Part::Expr(expr) => everything(expr, visit),
        Part::Place(place) => inside_place(place, &mut |part| part_of(part, visit)),
    }
}

/// Whether what a place holds may lie in global or shared memory.
pub(super) fn is_memory(program: &Program, function: &Function, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(local) => function.locals[*local].storage != Storage::Thread,
        PlaceKind::File(variable) => program.variables[*variable].memory != FileMemory::Constant,
        PlaceKind::Deref(_) => true,
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            is_memory(program, function, base)
        }
    }
}
