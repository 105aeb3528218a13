//! Definitions of a template of structs for arguments of some form: `struct Foo<T*, N>`.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::instance::bound;
use super::scope::Context;
use super::template::Argument;
use crate::cuda::ast;
use crate::cuda::ast::{ExprKind, Template, TemplateArgument};

/// Such a definition.
pub struct Partial {
    pub params: Template,
    /// What stands in `<…>` behind its name.
    pub patterns: Vec<TemplateArgument>,
    pub record: Rc<ast::Record>,
    pub context: Rc<Context>,
}

impl Partial {
    /// The more, the more is written down in its arguments.
    fn detail(&self) -> usize {
        let of = |pattern: &TemplateArgument| match pattern {
            TemplateArgument::Type(ty) => {
                let nested = match &ty.base {
                    ast::Base::Named(path) => usize::from(path.arguments().is_some()),
                    _ => 1,
                };
                ty.modifiers.len() + usize::from(ty.is_const) + nested
            }
            TemplateArgument::Value(value) => usize::from(!matches!(value.kind, ExprKind::Name(_))),
        };
        self.patterns.iter().map(of).sum()
    }
}

impl Checker {
    /// The definition for arguments of the form that fits these best, and where its names stand.
    pub(super) fn chosen_partial(
        &mut self,
        template: usize,
        arguments: &[Argument],
        at: Span,
    ) -> Option<(Rc<ast::Record>, Context)> {
        let all = self.type_templates[template].partial.clone();
        let mut fitting = Vec::new();
        for partial in all {
            if let Some(context) = self.fits(&partial, template, arguments) {
                fitting.push((partial, context));
            }
        }
        let order = |partial: &Partial| (usize::MAX - partial.params.len(), partial.detail());
        let best = fitting.iter().map(|(partial, _)| order(partial)).max()?;
        let mut chosen = fitting
            .into_iter()
            .filter(|(partial, _)| order(partial) == best);
        let (partial, context) = chosen.next()?;
        if let Some((other, _)) = chosen.next() {
            let name = &self.type_templates[template].name;
            let error = Diagnostic::error(at, format!("two specialisations of `{name}` fit"))
                .also(partial.record.name.span, "this one")
                .also(other.record.name.span, "and this one");
            self.report(error);
        }
        Some((partial.record.clone(), context))
    }

    /// Where the names of a definition stand, if the arguments are of its form.
    fn fits(
        &mut self,
        partial: &Partial,
        template: usize,
        arguments: &[Argument],
    ) -> Option<Context> {
        let mut found = vec![None; partial.params.len()];
        for (pattern, argument) in partial.patterns.iter().zip(arguments) {
            if !self.unify_argument(&partial.params, pattern, argument, &mut found) {
                return None;
            }
        }
        let found: Option<Vec<Argument>> = found.into_iter().collect();
        let context = bound(&partial.params, &found?, &partial.context);
        // Deduction overlooks what does not fit: the form with its names replaced must give the
        // arguments again.
        let before = self.mark();
        let written = self.within(&context, |checker| {
            checker.template_arguments(&partial.patterns)
        });
        let of = &self.type_templates[template];
        let (params, outer) = (of.params.clone(), of.context.clone());
        let given = written.map(|all| all.into_iter().map(Some).collect());
        let again = given.and_then(|given| self.complete(&params, &outer, given).ok());
        self.take_back(before);
        (again.as_deref() == Some(arguments)).then_some(context)
    }
}
