//! What statements assign, and whether they return: what a loop or a condition carries.

use ruff_python_ast::{Expr, Stmt};

/// Names that statements assign, in order and once each.
pub fn assigned(body: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    for statement in body {
        assigned_by(statement, &mut names);
    }
    names
}

fn assigned_by(statement: &Stmt, names: &mut Vec<String>) {
    match statement {
        Stmt::Assign(assign) => assign.targets.iter().for_each(|to| target(to, names)),
        Stmt::AugAssign(assign) => target(&assign.target, names),
        Stmt::AnnAssign(assign) => target(&assign.target, names),
        Stmt::For(each) => {
            target(&each.target, names);
            each.body.iter().for_each(|inner| assigned_by(inner, names));
        }
        Stmt::While(each) => each.body.iter().for_each(|inner| assigned_by(inner, names)),
        Stmt::If(condition) => {
            let clauses = condition.elif_else_clauses.iter();
            let others = clauses.flat_map(|clause| clause.body.iter());
            for inner in condition.body.iter().chain(others) {
                assigned_by(inner, names);
            }
        }
        _ => {}
    }
}

fn target(expression: &Expr, names: &mut Vec<String>) {
    match expression {
        Expr::Name(name) if !names.iter().any(|known| known == name.id.as_str()) => {
            names.push(name.id.to_string());
        }
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|part| target(part, names)),
        _ => {}
    }
}

/// Whether statements return from their function.
pub fn returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Return(_) => true,
        Stmt::If(condition) => {
            let mut clauses = condition.elif_else_clauses.iter();
            returns(&condition.body) || clauses.any(|clause| returns(&clause.body))
        }
        _ => false,
    })
}
