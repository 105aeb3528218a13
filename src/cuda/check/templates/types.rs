//! Templates of structs and of names for types.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, Path, Template, TemplateArgument};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, Checker, Context, MOST_NESTED, Packs, Partial, Symbol, TypeTemplate,
    TypeTemplateKind, argument_list, bound, flat, is_library, listed,
};
use crate::cuda::typed::{Struct, Type};

impl Checker {
    /// Declares a template of types.
    pub fn type_template(
        &mut self,
        ident: &ast::Ident,
        name: Name,
        params: &Template,
        kind: TypeTemplateKind,
        is_defined: bool,
        context: Rc<Context>,
    ) {
        let known = self.types.templates.iter().position(|t| t.name == name);
        let template = TypeTemplate {
            name,
            params: params.clone(),
            kind,
            context,
            instances: HashMap::new(),
            special: Vec::new(),
            partial: Vec::new(),
            lost: None,
        };
        match known {
            Some(at) if is_defined => {
                // Specialisations may stand before the definition.
                let before = std::mem::replace(&mut self.types.templates[at], template);
                self.types.templates[at].special = before.special;
                self.types.templates[at].partial = before.partial;
                self.types.templates[at].lost = before.lost;
                // What was named by the declaration alone stays the same type.
                self.types.templates[at].instances = before.instances;
                self.complete_instances(at, ident.span);
            }
            Some(_) => {}
            None => {
                self.types.templates.push(template);
                let index = self.types.templates.len() - 1;
                self.declare(ident, Symbol::TypeTemplate(index));
            }
        }
    }

    pub fn specialise_record(
        &mut self,
        record: &Rc<ast::Record>,
        name: &Name,
        written: &[ast::TemplateArgument],
        context: Rc<Context>,
    ) {
        let at = record.name.span;
        let Some(template) = self.types.templates.iter().position(|t| t.name == *name) else {
            let message = format!("there is no template `{name}` to specialise");
            return self.report(Diagnostic::error(at, message));
        };
        // `template <> struct A<int>` is for one type ([temp.expl.spec]), `template <typename T> struct A<T*>` for a form
        // ([temp.class.spec]).
        if let Some(params) = record.template.as_ref().filter(|params| !params.is_empty()) {
            let partial = Partial {
                params: params.clone(),
                patterns: written.to_vec(),
                record: record.clone(),
                context,
            };
            return self.specialise_form(template, Rc::new(partial));
        }
        let Some(arguments) = self.template_arguments(written) else {
            return;
        };
        let of = &self.types.templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        let given = arguments.into_iter().map(Some).collect();
        match self.complete(&params, &context, given) {
            Ok(arguments) => self.specialise_for(template, arguments, record),
            Err(problem) => self.report(Diagnostic::error(at, problem)),
        }
    }

    /// Adds a definition for just these arguments.
    fn specialise_for(
        &mut self,
        template: usize,
        arguments: Vec<Argument>,
        record: &Rc<ast::Record>,
    ) {
        let at = record.name.span;
        let of = &mut self.types.templates[template];
        let is_used = of.is_made_for(&arguments);
        let mut known = of.special.iter_mut();
        match known.find(|special| special.0 == arguments) {
            Some(_) if record.members.is_none() => {}
            Some(known) if known.1.members.is_none() && !is_used => known.1 = record.clone(),
            Some(_) => self.specialised_twice(&arguments, at),
            None if is_used => self.specialised_late(&arguments, at),
            None => of.special.push((arguments, record.clone())),
        }
        self.complete_instances(template, at);
    }

    /// Defines the types that were only named so far, as in `using vec3 = vector<float>;`, where a definition is there
    /// now ([temp.inst]).
    fn complete_instances(&mut self, template: usize, at: Span) {
        for (arguments, ty) in self.types.templates[template].named_only() {
            let (kind, mut context) = self.chosen_definition(template, &arguments, at);
            context.item = context.item.max(self.names.item);
            if let TypeTemplateKind::Record(record) = kind
                && record.members.is_some()
            {
                self.define_record(&record, ty, Rc::new(context), Some(template), arguments);
            }
        }
    }

    /// Adds a definition for arguments of some form.
    fn specialise_form(&mut self, template: usize, partial: Rc<Partial>) {
        let of = &self.types.templates[template];
        let made = of
            .instances
            .keys()
            .filter(|of_these| of.is_made_for(of_these));
        let made: Vec<_> = made.cloned().collect();
        let used = made
            .into_iter()
            .find(|arguments| self.fits(&partial, template, arguments).is_some());
        if let Some(arguments) = used {
            self.specialised_late(&arguments, partial.record.name.span);
        }
        let at = partial.record.name.span;
        self.types.templates[template].partial.push(partial);
        self.complete_instances(template, at);
    }

    /// The type that a template makes of arguments as written.
    pub fn made_type(&mut self, template: usize, path: &Path) -> Option<Type> {
        // [temp.local]: within the struct itself, `A` without arguments is the type that is being made.
        let own = self.names.record.map(|record| &self.types.records[record]);
        if let (Some(own), None) = (own, path.arguments())
            && own.template == Some(template)
        {
            return Some(Type::Struct(own.ty.clone()));
        }
        let written = self.template_arguments(path.arguments().unwrap_or(&[]))?;
        let of = &self.types.templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        let given = written.into_iter().map(Some).collect();
        match self.complete(&params, &context, given) {
            Ok(arguments) => {
                let before = self.reports.mark();
                let made = self.made(template, arguments, path.span);
                if is_library(&self.types.templates[template].name) {
                    self.move_out_of_headers(before, path.span);
                    // What else is wrong with a type that does not exist follows from that.
                    self.reports.keep_first_since(before);
                }
                made
            }
            Err(problem) => {
                let name = path.joined();
                let error = Diagnostic::error(path.span, format!("`{name}`: {problem}"));
                self.refuse(error.help(format!("its parameters are <{}>", listed(&params))))
            }
        }
    }

    #[allow(
        clippy::mutable_key_type,
        reason = "types compare and hash by the names of structs, which never change"
    )]
    pub fn made(&mut self, template: usize, arguments: Vec<Argument>, at: Span) -> Option<Type> {
        let of = &self.types.templates[template];
        if let Some(why) = of.lost.clone() {
            return self.is_for_host(&of.name.clone(), &why, at);
        }
        match of.instances.get(&arguments).cloned() {
            Some(Ok(known)) => return self.is_whole(&known).then_some(known),
            Some(Err(cause)) => {
                self.reports.repeat(&cause);
                return None;
            }
            None => {}
        }
        let before = self.reports.mark();
        self.another_instance(at)?;
        if self.functions.effort.nested >= MOST_NESTED {
            return self.error(at, "templates are made from each other too deeply");
        }
        self.functions.effort.nested += 1;
        let ty = self.instance(template, &arguments, at);
        self.functions.effort.nested -= 1;
        let made = match ty.filter(|_| !self.reports.any_since(before)) {
            Some(ty) => Ok(ty),
            None => Err(self.reports.reason_since(before, at)),
        };
        let of = &mut self.types.templates[template];
        of.instances.insert(arguments, made.clone());
        made.ok()
    }

    /// What a template makes of arguments that it has not been given before.
    fn instance(&mut self, template: usize, arguments: &[Argument], at: Span) -> Option<Type> {
        let (kind, mut context) = self.chosen_definition(template, arguments, at);
        context.item = context.item.max(self.names.item);
        match kind {
            TypeTemplateKind::Alias(ty) => {
                let resolved = self.within(&context, |checker| checker.resolve(&ty, None, None));
                resolved.map(|(ty, _)| ty)
            }
            TypeTemplateKind::Record(record) => {
                let name = &self.types.templates[template].name;
                let name = format!("{name}{}", argument_list(arguments));
                Some(self.made_record(template, &record, name, context, arguments))
            }
        }
    }

    /// The struct that a template of structs makes of arguments.
    fn made_record(
        &mut self,
        template: usize,
        record: &ast::Record,
        name: String,
        context: Context,
        arguments: &[Argument],
    ) -> Type {
        let ty = Struct::declared(name);
        // Entered before its members are read, as these may name it: `Node<T>* next`.
        let whole = Type::Struct(ty.clone());
        let of = &mut self.types.templates[template];
        of.instances.insert(arguments.to_vec(), Ok(whole.clone()));
        if record.members.is_some() {
            let context = Rc::new(context);
            self.define_record(record, ty, context, Some(template), arguments.to_vec());
        }
        whole
    }

    /// What a template is for these arguments, and where its names stand.
    fn chosen_definition(
        &mut self,
        template: usize,
        arguments: &[Argument],
        at: Span,
    ) -> (TypeTemplateKind, Context) {
        let of = &self.types.templates[template];
        // [temp.expl.spec]: a definition for just these arguments comes before those for a form.
        let special = of.special.iter().find(|special| special.0 == arguments);
        let context = bound(&of.params, arguments, &of.context);
        if let Some((_, record)) = special {
            return (TypeTemplateKind::Record(record.clone()), context);
        }
        let packs = Packs::of(&of.params, arguments);
        let kind = match (&of.kind, packs) {
            (TypeTemplateKind::Alias(ty), Some(packs)) => TypeTemplateKind::Alias(packs.ty(ty)),
            (TypeTemplateKind::Record(record), Some(packs)) => {
                TypeTemplateKind::Record(packs.record(record))
            }
            (kind, None) => kind.clone(),
        };
        if !of.partial.is_empty()
            && let Some((record, inner)) = self.chosen_partial(template, arguments, at)
        {
            return (TypeTemplateKind::Record(record), inner);
        }
        (kind, context)
    }

    /// The definition for arguments of the form that fits these best, and where its names stand.
    pub fn chosen_partial(
        &mut self,
        template: usize,
        arguments: &[Argument],
        at: Span,
    ) -> Option<(Rc<ast::Record>, Context)> {
        let all = self.types.templates[template].partial.clone();
        let mut fitting = Vec::new();
        for partial in all {
            if let Some(context) = self.fits(&partial, template, arguments) {
                fitting.push((partial, context));
            }
        }
        // [temp.class.order] asks which form is more special; fewer parameters and more that is
        // written decide the cases that kernels have.
        let order = |partial: &Partial| (usize::MAX - partial.params.len(), partial.detail());
        let best = fitting.iter().map(|(partial, _)| order(partial)).max()?;
        let mut chosen = fitting
            .into_iter()
            .filter(|(partial, _)| order(partial) == best);
        let (partial, context) = chosen.next()?;
        if let Some((other, _)) = chosen.next() {
            let name = &self.types.templates[template].name;
            let error = Diagnostic::error(at, format!("two specialisations of `{name}` fit"))
                .also(partial.record.name.span, "this one")
                .also(other.record.name.span, "and this one");
            self.report(error);
        }
        let (_, arguments) = self.deduced_form(&partial, arguments)?;
        let record = match Packs::of(&partial.params, &arguments) {
            Some(packs) => packs.record(&partial.record),
            None => partial.record.clone(),
        };
        Some((record, context))
    }

    /// The arguments of a definition for a form, as deduction finds them; and the form with its packs written out.
    fn deduced_form(
        &self,
        partial: &Partial,
        arguments: &[Argument],
    ) -> Option<(Vec<TemplateArgument>, Vec<Argument>)> {
        let mut found = vec![None; partial.params.len()];
        let all: Vec<Argument> = flat(arguments).cloned().collect();
        let params = &partial.params;
        if !self
            .types
            .unify_all(params, &partial.patterns, &all, &mut found)
        {
            return None;
        }
        for (param, found) in params.iter().zip(&mut found) {
            if param.is_pack {
                found.get_or_insert(Argument::Pack(Vec::new()));
            }
        }
        let found: Vec<Argument> = found.into_iter().collect::<Option<_>>()?;
        let patterns = match Packs::of(params, &found) {
            Some(packs) => packs.arguments(&partial.patterns),
            None => partial.patterns.clone(),
        };
        Some((patterns, found))
    }

    /// Where the names of a definition stand, if the arguments are of its form.
    fn fits(
        &mut self,
        partial: &Partial,
        template: usize,
        arguments: &[Argument],
    ) -> Option<Context> {
        let (patterns, found) = self.deduced_form(partial, arguments)?;
        let context = bound(&partial.params, &found, &partial.context);
        // Deduction overlooks what does not fit: the form with its names replaced must give the
        // arguments again.
        let before = self.reports.mark();
        let written = self.within(&context, |checker| checker.template_arguments(&patterns));
        let of = &self.types.templates[template];
        let (params, outer) = (of.params.clone(), of.context.clone());
        let given = written.map(|all| all.into_iter().map(Some).collect());
        let again = given.and_then(|given| self.complete(&params, &outer, given).ok());
        // What this front end does not know of the form may be just what fits.
        if !self.reports.is_final_since(before) {
            self.reports.take_back(before);
        }
        (again.as_deref() == Some(arguments)).then_some(context)
    }
}
