//! `switch`, and enumerations.

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::constant;
use super::convert::{convert, promoted};
use super::scope::Symbol;
use super::types::scalar;
use crate::cuda::ast;
use crate::cuda::ast::StmtKind as Written;
use crate::cuda::typed::{Scalar, Section, Stmt, StmtKind};

impl Checker {
    pub(super) fn switch(
        &mut self,
        value: &ast::Expr,
        body: &[ast::Stmt],
        span: Span,
    ) -> Option<StmtKind> {
        let checked = self.value(value);
        let of = match checked.as_ref().map(|value| value.ty.scalar()) {
            Some(Some(of)) if of.is_integer() => Some(promoted(of)),
            Some(_) => {
                self.report(Diagnostic::error(value.span, "`switch` needs an integer"));
                None
            }
            None => None,
        };
        self.frame.breakable += 1;
        let sections = self.scoped(|checker| checker.sections(body, of, span));
        self.frame.breakable -= 1;
        let value = convert(checked?, &scalar(of?));
        Some(StmtKind::Switch { value, sections })
    }

    fn sections(&mut self, body: &[ast::Stmt], of: Option<Scalar>, span: Span) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut in_labels = false;
        for statement in body {
            if let Written::Case(case) = &statement.kind {
                if !in_labels {
                    sections.push(Section {
                        cases: Vec::new(),
                        is_default: false,
                        body: Vec::new(),
                        span: statement.span,
                    });
                }
                in_labels = true;
                self.label(case.as_ref(), of, statement.span, span, &mut sections);
                continue;
            }
            in_labels = false;
            let mut out = Vec::new();
            self.statement(statement, &mut out);
            match sections.last_mut() {
                Some(section) => section.body.append(&mut out),
                None => {
                    let message = "this is never reached: it stands before the first `case`";
                    self.report(Diagnostic::error(statement.span, message));
                }
            }
        }
        sections
    }

    /// Adds a label to the last section.
    fn label(
        &mut self,
        case: Option<&ast::Expr>,
        of: Option<Scalar>,
        at: Span,
        switch: Span,
        sections: &mut [Section],
    ) {
        let bits = match case {
            None => None,
            Some(case) => match (self.constant_integer(case, "a case"), of) {
                (Some(value), Some(of)) => Some(constant::wrap(of, value)),
                _ => return,
            },
        };
        let twice = sections.iter().any(|section| match bits {
            Some(bits) => section.cases.contains(&bits),
            None => section.is_default,
        });
        if twice {
            let error = Diagnostic::error(at, "this label stands twice");
            return self.report(error.also(switch, "in this `switch`"));
        }
        let Some(last) = sections.last_mut() else {
            return;
        };
        match bits {
            Some(bits) => last.cases.push(bits),
            None => last.is_default = true,
        }
    }

    /// An enumeration: its constants, and its name for the type of them.
    pub(super) fn enumeration(&mut self, written: &ast::Enum) {
        let of = match &written.ty {
            Some(ty) => self.resolve(ty, None, None).and_then(|(ty, _)| ty.scalar()),
            None => Some(Scalar::I32),
        };
        let Some(of) = of.filter(|of| of.is_integer()) else {
            if let (Some(ty), Some(_)) = (&written.ty, of) {
                self.report(Diagnostic::error(
                    ty.span,
                    "an enumeration has an integer type",
                ));
            }
            let names = written.constants.iter().map(|(name, _)| name);
            for name in names.chain(&written.name) {
                self.declare(name, Symbol::Refused);
            }
            return;
        };
        if let Some(name) = &written.name {
            self.declare(name, Symbol::Type(scalar(of), false));
        }
        let mut next: i128 = 0;
        for (name, value) in &written.constants {
            let value = match value {
                Some(value) => self.constant_integer(value, "the value of a constant"),
                None => Some(next),
            };
            let symbol = match value {
                Some(value) if constant::integer(of, constant::wrap(of, value)) == value => {
                    next = value + 1;
                    Symbol::Constant(scalar(of), constant::wrap(of, value))
                }
                Some(value) => {
                    let message = format!("{value} is no `{}`", of.name());
                    self.report(Diagnostic::error(name.span, message));
                    Symbol::Refused
                }
                None => Symbol::Refused,
            };
            if let Some(of) = &written.name {
                let qualified = ast::Ident {
                    name: format!("{}::{}", of.name, name.name).into(),
                    span: name.span,
                };
                self.declare(&qualified, symbol.clone());
            }
            if !written.is_scoped {
                self.declare(name, symbol);
            }
        }
    }
}

/// Whether the end of a `switch` cannot be reached, where `returns` says it of statements.
pub fn always_leaves(sections: &[Section], returns: impl Fn(&[Stmt]) -> bool) -> bool {
    let has_default = sections.iter().any(|section| section.is_default);
    let last = sections
        .last()
        .is_some_and(|section| returns(&section.body));
    has_default && last && !sections.iter().any(|section| breaks(&section.body))
}

/// Whether a `break` leaves the `switch` that has this body.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(body) => breaks(body),
        StmtKind::If {
            then, otherwise, ..
        } => breaks(then) || breaks(otherwise),
        _ => false,
    })
}
