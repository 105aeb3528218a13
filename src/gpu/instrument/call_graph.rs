//! The functions that kernels run, and what stands in their text.

use crate::compile::{self, Part, expressions};
use crate::cuda::{
    Expr, ExprKind, FileMemory, Function, FunctionId, Place, PlaceKind, Program, Storage,
};

/// The functions that run when `kernels` do, with a text of their own.
pub(crate) fn reached(program: &Program, kernels: &[FunctionId]) -> Vec<FunctionId> {
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

/// Shows `visit` an expression and all that stand inside it.
pub(crate) fn everything<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    compile::everything(expr, &mut |part| {
        if let Part::Expr(expr) = part {
            visit(expr);
        }
    });
}

/// Whether what a place holds may lie in global or shared memory.
pub(crate) fn is_memory(program: &Program, function: &Function, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(local) => function.locals[*local].storage != Storage::Thread,
        PlaceKind::File(variable) => program.variables[*variable].memory != FileMemory::Constant,
        PlaceKind::Deref(_) => true,
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            is_memory(program, function, base)
        }
    }
}
