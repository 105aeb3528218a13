//! `switch`.

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
                (Some(value), Some(of)) => Some(arithmetic::wrap(of, value)),
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
}
