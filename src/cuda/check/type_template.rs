//! Templates of structs and of names for types.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::instance::{MOST_NESTED, argument_list, bound};
use super::partial::Partial;
use super::record::{TypeTemplate, TypeTemplateKind};
use super::scope::{Context, Symbol};
use super::space::is_library;
use super::template::{Argument, listed};
use crate::cuda::ast;
use crate::cuda::ast::{Path, Template};
use crate::cuda::token::Name;
use crate::cuda::typed::{Struct, Type};

impl Checker {
    /// Declares a template of types.
    pub(super) fn type_template(
        &mut self,
        ident: &ast::Ident,
        name: Name,
        params: &Template,
        kind: TypeTemplateKind,
        is_defined: bool,
        context: Rc<Context>,
    ) {
        let known = self.type_templates.iter().position(|t| t.name == name);
        let template = TypeTemplate {
            name,
            params: params.clone(),
            kind,
            context,
            instances: HashMap::new(),
            special: Vec::new(),
            partial: Vec::new(),
        };
        match known {
            Some(at) if is_defined => {
                // Specialisations may stand before the definition.
                let before = std::mem::replace(&mut self.type_templates[at], template);
                self.type_templates[at].special = before.special;
                self.type_templates[at].partial = before.partial;
            }
            Some(_) => {}
            None => {
                self.type_templates.push(template);
                let index = self.type_templates.len() - 1;
                self.declare(ident, Symbol::TypeTemplate(index));
            }
        }
    }

    pub(super) fn specialise_record(
        &mut self,
        record: &Rc<ast::Record>,
        name: &Name,
        written: &[ast::TemplateArgument],
        context: Rc<Context>,
    ) {
        let at = record.name.span;
        let Some(template) = self.type_templates.iter().position(|t| t.name == *name) else {
            let message = format!("there is no template `{name}` to specialise");
            return self.report(Diagnostic::error(at, message));
        };
        if record
            .template
            .as_ref()
            .is_some_and(|params| !params.is_empty())
            && let Some(params) = &record.template
        {
            let partial = Partial {
                params: params.clone(),
                patterns: written.to_vec(),
                record: record.clone(),
                context,
            };
            let template = &mut self.type_templates[template];
            return template.partial.push(Rc::new(partial));
        }
        let Some(arguments) = self.template_arguments(written) else {
            return;
        };
        let of = &self.type_templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        let given = arguments.into_iter().map(Some).collect();
        match self.complete(&params, &context, given) {
            Ok(arguments) => {
                let special = &mut self.type_templates[template].special;
                special.push((arguments, record.clone()));
            }
            Err(problem) => self.report(Diagnostic::error(at, problem)),
        }
    }

    /// The type that a template makes of arguments as written.
    pub(super) fn made_type(&mut self, template: usize, path: &Path) -> Option<Type> {
        let own = self.record.map(|record| &self.records[record]);
        if let (Some(own), None) = (own, path.arguments())
            && own.template == Some(template)
        {
            return Some(Type::Struct(own.ty.clone()));
        }
        let written = self.template_arguments(path.arguments().unwrap_or(&[]))?;
        let of = &self.type_templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        let given = written.into_iter().map(Some).collect();
        match self.complete(&params, &context, given) {
            Ok(arguments) => {
                let reported = self.diagnostics.len();
                let made = self.made(template, arguments, path.span);
                if is_library(&self.type_templates[template].name) {
                    self.bring_out(reported, path.span);
                    // What else is wrong with a type that does not exist follows from that.
                    self.diagnostics.truncate(reported + 1);
                }
                made
            }
            Err(problem) => {
                let name = path.joined();
                let error = Diagnostic::error(path.span, format!("`{name}`: {problem}"));
                self.report(error.help(format!("its parameters are <{}>", listed(&params))));
                None
            }
        }
    }

    #[allow(
        clippy::mutable_key_type,
        reason = "types compare and hash by the names of structs, which never change"
    )]
    pub(super) fn made(
        &mut self,
        template: usize,
        arguments: Vec<Argument>,
        at: Span,
    ) -> Option<Type> {
        let of = &self.type_templates[template];
        if let Some(known) = of.instances.get(&arguments) {
            return known.clone();
        }
        if self.nested >= MOST_NESTED {
            return self.error(at, "templates are made from each other too deeply");
        }
        let special = of.special.iter().find(|special| special.0 == arguments);
        let (mut kind, mut context) = (of.kind.clone(), bound(&of.params, &arguments, &of.context));
        if let Some((_, record)) = special {
            kind = TypeTemplateKind::Record(record.clone());
        } else if !of.partial.is_empty()
            && let Some((record, inner)) = self.chosen_partial(template, &arguments, at)
        {
            (kind, context) = (TypeTemplateKind::Record(record), inner);
        }
        context.item = context.item.max(self.item);
        let of = &self.type_templates[template];
        let name = format!("{}{}", of.name, argument_list(&arguments));
        self.nested += 1;
        let ty = match kind {
            TypeTemplateKind::Alias(ty) => {
                let resolved = self.within(&context, |checker| checker.resolve(&ty, None, None));
                resolved.map(|(ty, _)| ty)
            }
            TypeTemplateKind::Record(record) => {
                let ty = Struct::declared(name);
                let whole = Some(Type::Struct(ty.clone()));
                let instances = &mut self.type_templates[template].instances;
                instances.insert(arguments.clone(), whole.clone());
                if record.members.is_some() {
                    let (context, made) = (Rc::new(context), arguments.clone());
                    self.define_record(&record, ty, context, Some(template), made);
                }
                whole
            }
        };
        self.nested -= 1;
        let instances = &mut self.type_templates[template].instances;
        instances.insert(arguments, ty.clone());
        ty
    }
}
