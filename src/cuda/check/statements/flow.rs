//! Whether the end of a list of statements can be reached.

use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::typed::{ExprKind, Section, Stmt, StmtKind};

/// Whether the end of a list of statements cannot be reached.
pub fn always_returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(body) => always_returns(body),
        StmtKind::If {
            then, otherwise, ..
        } => always_returns(then) && always_returns(otherwise),
        StmtKind::Switch { sections, .. } => always_leaves(sections, always_returns),
        StmtKind::Loop {
            condition, body, ..
        } => {
            // A loop that never ends by itself is left only by `break` or `return`.
            let for_ever = condition
                .as_ref()
                .is_none_or(|condition| matches!(condition.kind, ExprKind::Constant(1)));
            for_ever && !leaves(body)
        }
        _ => false,
    })
}

/// Whether a `break` leaves the loop or `switch` that has this body.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(body) => leaves(body),
        StmtKind::If {
            then, otherwise, ..
        } => leaves(then) || leaves(otherwise),
        // An inner loop's or `switch`'s `break` leaves only that, so they are not looked into.
        _ => false,
    })
}

/// Whether the end of a `switch` cannot be reached, where `returns` says it of statements.
pub fn always_leaves(sections: &[Section], returns: impl Fn(&[Stmt]) -> bool) -> bool {
    // Without `default` a value may match no label; each section runs on into the next, up to the last.
    let has_default = sections.iter().any(|section| section.is_default);
    let last = sections
        .last()
        .is_some_and(|section| returns(&section.body));
    has_default && last && !sections.iter().any(|section| leaves(&section.body))
}

/// The variable that every `return` of a body names, if it is one of the body's outermost block. That one is made where
/// the result is to be ([class.copy.elision]), by the rule of GCC before version 14, whose output is known.
pub fn returned_variable(body: &[ast::Stmt]) -> Option<Name> {
    let mut found = Returned::default();
    body.iter().for_each(|stmt| found.add(stmt));
    let name = found.only?;
    let declares = |stmt: &&ast::Stmt| match &stmt.kind {
        ast::StmtKind::Declare(declaration) => declaration.variables.iter().any(|variable| {
            variable.name.name == name && declaration.specifiers.storage.fixed.is_none()
        }),
        _ => false,
    };
    // A variable of that name further in would hide it.
    let is_alone = found
        .declared
        .iter()
        .filter(|known| **known == name)
        .count()
        == 1;
    let is_outermost = body.iter().find(declares).is_some();
    (is_alone && is_outermost && !found.is_other).then_some(name)
}

/// What `return` gives in a body, and the names that are declared there.
#[derive(Default)]
struct Returned {
    only: Option<Name>,
    /// Whether something else is returned, too.
    is_other: bool,
    declared: Vec<Name>,
}

impl Returned {
    fn add(&mut self, stmt: &ast::Stmt) {
        use ast::StmtKind::*;
        match &stmt.kind {
            Return(Some(ast::Expr {
                kind: ast::ExprKind::Name(name),
                ..
            })) => {
                self.is_other |= self.only.as_ref().is_some_and(|only| only != name);
                self.only = Some(name.clone());
            }
            Return(_) => self.is_other = true,
            Declare(of) => self
                .declared
                .extend(of.variables.iter().map(|v| v.name.name.clone())),
            Bind(binding) => self
                .declared
                .extend(binding.names.iter().map(|n| n.name.clone())),
            Block(body) | Switch(_, body) => self.all(body),
            RangeFor { element, body, .. } => {
                self.declared
                    .extend(element.variables.iter().map(|v| v.name.name.clone()));
                self.add(body);
            }
            If {
                then, otherwise, ..
            } => {
                self.add(then);
                otherwise.iter().for_each(|stmt| self.add(stmt));
            }
            Loop { init, body, .. } => {
                init.iter().for_each(|stmt| self.add(stmt));
                self.add(body);
            }
            Try(body, handlers) => {
                self.all(body);
                handlers.iter().for_each(|handler| self.all(&handler.body));
            }
            _ => {}
        }
    }

    fn all(&mut self, body: &[ast::Stmt]) {
        body.iter().for_each(|stmt| self.add(stmt));
    }
}
