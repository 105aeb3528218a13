//! The functions that kernels run, and what stands in their text.

use crate::compile::{self, expressions};
use crate::cuda::{
    Expr, ExprKind, FileMemory, Function, FunctionId, Local, Node, Place, PlaceKind, Program, Stmt,
    Storage, Type,
};

/// The functions that run when `kernels` do, with a text of their own.
pub(super) fn called_functions(program: &Program, kernels: &[FunctionId]) -> Vec<FunctionId> {
    let mut found: Vec<FunctionId> = Vec::new();
    let mut open = kernels.to_vec();
    while let Some(id) = open.pop() {
        if found.contains(&id) {
            continue;
        }
        found.push(id);
        every_expression(&program.functions[id].body, &mut |expr| {
            if let ExprKind::Call(callee, _) = expr.kind {
                open.push(callee);
            }
        });
    }
    // The text of functions of our standard library is not the user's to change.
    found.retain(|&id| !program.functions[id].is_library);
    found.sort_unstable();
    found
}

/// Shows `visit` every expression in these statements, in others too.
pub(super) fn every_expression<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    expressions(stmts, &mut |expr| with_operands(expr, visit));
}

/// Shows `visit` an expression and all that stand inside it.
pub(super) fn with_operands<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    compile::walk(expr, &mut |node| {
        if let Node::Expr(expr) = node {
            visit(expr);
        }
    });
}

/// What a place is a part of in the end: `s` of `s.rows[i].x`, `*p` of `p->x`.
pub(super) fn outermost(place: &Place) -> &Place {
    match &place.kind {
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            outermost(base)
        }
        PlaceKind::Local(_) | PlaceKind::File(_) | PlaceKind::Deref(_) => place,
    }
}

/// Whether what a place holds may lie in global or shared memory.
pub(super) fn is_memory(program: &Program, function: &Function, place: &Place) -> bool {
    match &outermost(place).kind {
        PlaceKind::Local(local) => function.locals[*local].storage != Storage::Thread,
        PlaceKind::File(variable) => program.variables[*variable].memory != FileMemory::Constant,
        _ => true,
    }
}

/// The variable behind whose value a place lies: `p` of `p->x`; none where that is computed, or the place a variable's own.
pub(super) fn pointer_to<'a>(function: &'a Function, place: &Place) -> Option<&'a Local> {
    let PlaceKind::Deref(pointer) = &outermost(place).kind else {
        return None;
    };
    match &pointer.kind {
        ExprKind::Load(Place {
            kind: PlaceKind::Local(local),
            ..
        }) => Some(&function.locals[*local]),
        _ => None,
    }
}

/// Whether a place is what a lambda keeps, by value or by reference. The text writes no access to that: it has the name of
/// the variable that is kept.
pub(super) fn is_kept_by_lambda(function: &Function, place: &Place) -> bool {
    pointer_to(function, place).is_some_and(|pointer| match &pointer.ty {
        Type::Pointer { to, .. } if pointer.name == "this" => {
            matches!(&**to, Type::Struct(of) if is_lambda(of.name()))
        }
        _ => false,
    })
}

/// Whether a struct of this name is a lambda's.
pub(super) fn is_lambda(name: &str) -> bool {
    let own = name.rsplit("::").next().unwrap_or(name);
    own.split('#').next() == Some("lambda")
}
