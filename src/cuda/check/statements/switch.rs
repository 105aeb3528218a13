//! `switch`.

use std::collections::HashSet;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, StmtKind as Written};
use crate::cuda::resolve::{Checker, convert, promoted, scalar};
use crate::cuda::typed::{Scalar, Section, StmtKind, arithmetic};

impl Checker {
    pub fn switch(
        &mut self,
        value: &ast::Expr,
        body: &[ast::Stmt],
        span: Span,
    ) -> Option<StmtKind> {
        let checked = self.value(value);
        let of = match checked.as_ref().map(|value| value.ty.scalar()) {
            // [stmt.switch]: the value is promoted, and labels convert to that type.
            Some(Some(of)) if of.is_integer() => Some(promoted(of)),
            Some(_) => self.refuse(Diagnostic::error(value.span, "`switch` needs an integer")),
            None => None,
        };
        // `break` leaves a `switch`, but `continue` is still that of a loop around it.
        self.frame.nesting.breakable += 1;
        let sections = self.scoped(|checker| checker.sections(body, of, span));
        self.frame.nesting.breakable -= 1;
        let value = convert(checked?, &scalar(of?));
        Some(StmtKind::Switch { value, sections })
    }

    fn sections(&mut self, body: &[ast::Stmt], of: Option<Scalar>, span: Span) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut labels = HashSet::new();
        let mut in_labels = false;
        for statement in body {
            if let Written::Case(case) = &statement.kind {
                // Labels in a row, `case 1: case 2:`, share one section.
                if !in_labels {
                    sections.push(Section {
                        cases: Vec::new(),
                        is_default: false,
                        body: Vec::new(),
                        span: statement.span,
                    });
                }
                in_labels = true;
                let label = self.label(case.as_ref(), of);
                // `default` is among them, as `None`.
                if label.is_some_and(|label| !labels.insert(label)) {
                    let error = Diagnostic::error(statement.span, "this label occurs twice");
                    self.report(error.also(span, "in this `switch`"));
                } else if let (Some(label), Some(last)) = (label, sections.last_mut()) {
                    last.cases.extend(label);
                    last.is_default |= label.is_none();
                }
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

    /// The bits of a case, or nothing of `default`; nothing at all of a case without a value.
    fn label(&mut self, case: Option<&ast::Expr>, of: Option<Scalar>) -> Option<Option<u64>> {
        let Some(case) = case else {
            return Some(None);
        };
        let value = self.constant_integer(case, "a case");
        Some(Some(arithmetic::wrap(of?, value?)))
    }
}
