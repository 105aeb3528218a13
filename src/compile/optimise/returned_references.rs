//! Returned references: functions that return what they were given by reference, as `operator+=` does so
//! that calls can be chained, return nothing where callers only read through the reference.
//!
//! ```text
//! b = (a += c);      →      a += c; b = a;       with a `+=` that returns nothing
//! ```
//!
//! Then the reference needs no address, and what it refers to can live in registers.

use crate::compile::analysis::{is_fixed, reference};
use crate::compile::tree::{any_stmt, bodies_mut, expressions_mut, rewrite, walk_expressions};
use crate::cuda::{Expr, ExprKind, Function, LocalId, Place, PlaceKind, Program};
use crate::cuda::{Stmt, StmtKind, Type};

/// The parameter that each function returns, if that is all that is done with its value.
type Returned = Vec<Option<LocalId>>;

/// Lets such functions return nothing.
pub(crate) fn run(program: &mut Program) {
    let mut returned: Returned = program.functions.iter().map(returned).collect();
    // Most programs have none: then nothing is walked.
    if returned.iter().all(Option::is_none) {
        return;
    }
    keep_those_that_are_read(program, &mut returned);
    for (function, returned) in program.functions.iter_mut().zip(&returned) {
        if let (Some(_), Some(last)) = (returned, function.body.last_mut()) {
            last.kind = StmtKind::Return(None);
            function.returns = Type::Void;
        }
    }
    for function in &mut program.functions {
        expressions_mut(&mut function.body, &mut |expr| {
            rewrite(expr, &mut |expr| read_directly(expr, &returned));
        });
        drop_values(&mut function.body, &returned);
    }
}

/// The parameter that a function refers to in its only `return`, its last statement.
fn returned(function: &Function) -> Option<LocalId> {
    let (last, before) = function.body.split_last()?;
    let StmtKind::Return(Some(value)) = &last.kind else {
        return None;
    };
    let ExprKind::AddressOf(Place {
        kind: PlaceKind::Deref(pointer),
        ..
    }) = &value.kind
    else {
        return None;
    };
    let local = reference(pointer)?;
    // Then what comes back depends on the path, and no single read can stand for it.
    let returns_early = any_stmt(before, |kind| matches!(kind, StmtKind::Return(_)));
    (function.locals[local].is_reference && !returns_early).then_some(local)
}

/// Leaves out functions of which a caller does something else with the reference.
fn keep_those_that_are_read(program: &Program, returned: &mut Returned) {
    // Every call counts one up, every read through its reference one down.
    let mut others = vec![0_i64; returned.len()];
    for function in &program.functions {
        walk_expressions(&function.body, &mut |expr| {
            if let ExprKind::Call(id, _) = expr.kind {
                others[id] += 1;
            }
            if let Some((id, _)) = read(expr, returned) {
                others[id] -= 1;
            }
        });
    }
    for (returned, others) in returned.iter_mut().zip(others) {
        if others != 0 {
            *returned = None;
        }
    }
}

/// The function whose value `expr` only reads through, and what it reads.
fn read<'a>(expr: &'a Expr, returned: &Returned) -> Option<(usize, &'a Place)> {
    let ExprKind::Load(Place {
        kind: PlaceKind::Deref(pointer),
        ..
    }) = &expr.kind
    else {
        return None;
    };
    let ExprKind::Call(id, arguments) = &pointer.kind else {
        return None;
    };
    match &arguments.get(returned[*id]?)?.kind {
        // The place stands there twice afterwards, as the argument and as what is read: `a[i++] += b` would step twice.
        ExprKind::AddressOf(place) if is_fixed(place) => Some((*id, place)),
        _ => None,
    }
}

/// Of a read through the reference that a call returns: the call, then a read of the variable.
fn read_directly(expr: &mut Expr, returned: &Returned) {
    let Some((_, place)) = read(expr, returned) else {
        return;
    };
    let load = Expr {
        kind: ExprKind::Load(place.clone()),
        ty: expr.ty.clone(),
        span: expr.span,
    };
    let ExprKind::Load(Place {
        kind: PlaceKind::Deref(call),
        ..
    }) = &expr.kind
    else {
        return;
    };
    // The call first: it changes what is read behind it.
    let mut call = call.clone();
    call.ty = Type::Void;
    expr.kind = ExprKind::Comma(call, Box::new(load));
}

/// Statements that are just the call do not read anything.
fn drop_values(stmts: &mut [Stmt], returned: &Returned) {
    for stmt in stmts {
        if let StmtKind::Expr(expr) = &mut stmt.kind
            && let ExprKind::Comma(call, _) = &expr.kind
            && let ExprKind::Call(id, _) = call.kind
            && returned[id].is_some()
        {
            // `a += b;` then is a call that gives nothing.
            *expr = (**call).clone();
        }
        for body in bodies_mut(stmt) {
            drop_values(body, returned);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::source::SourceFile;

    fn local_bytes(statement: &str) -> u32 {
        let text = format!(
            "struct V {{ float x, y; __device__ V& operator+=(const V& o) {{ x += o.x; y += o.y; return *this; }} }};
            __device__ V operator+(V a, const V& b) {{ a += b; return a; }}
            __global__ void k(V* v) {{ V a = v[0], b = v[1]; {statement} v[2] = a; }}"
        );
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        compiled.kernels[0].memory.local_bytes
    }

    #[test]
    fn what_a_call_changes_by_reference_stays_in_registers() {
        assert_eq!(local_bytes("a += b;"), 0);
        assert_eq!(local_bytes("a = a + (b + a);"), 0);
        assert_eq!(local_bytes("b = a += b;"), 0);
    }

    #[test]
    fn what_a_reference_is_kept_of_has_an_address() {
        assert!(local_bytes("V& c = a += b; c.x = 1.0f;") > 0);
    }
}
