//! Functions of structs that are defined outside of them ([class.mfct]).

use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast::{self, Member, Path};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, BodyState, Checker, Context, OutOfLine, Packs, Record, Signature, Symbol,
    TypeTemplate, TypeTemplateKind, bound,
};
use crate::cuda::typed::Type;

impl Checker {
    /// Keeps a definition until a call needs it.
    pub fn out_of_line_definition(&mut self, function: &Rc<ast::Function>, path: &Path) {
        let found = self.names.find_path(path).cloned();
        let name = path.joined();
        let Some(Some(entry)) = self.known(&name, found, path.span) else {
            return;
        };
        let is_constructor = function.constructs.is_some();
        let (key, is_declared): (Name, bool) = match entry.symbol {
            Symbol::TypeTemplate(template) => {
                let of = &self.types.templates[template];
                (of.name.clone(), declares(of, &function.name.name))
            }
            Symbol::Type(Type::Struct(of), _) => {
                let record = self.types.record_of(&of);
                let has = |r: &Record| match is_constructor {
                    true => !r.constructors.is_empty(),
                    false => r.members.contains_key(&function.name.name),
                };
                (of.name().into(), record.is_some_and(has))
            }
            Symbol::Refused(_) => return,
            _ => {
                let message = format!("`{name}` is not a struct");
                return self.report(Diagnostic::error(path.span, message));
            }
        };
        if !is_declared {
            let message = format!("`{name}` declares no function `{}`", function.name.name);
            let error = Diagnostic::error(function.name.span, message);
            return self.report(error.help("declare it in the struct"));
        }
        self.types
            .out_of_line
            .entry(key)
            .or_default()
            .push(OutOfLine {
                function: function.clone(),
                item: self.names.item,
            });
    }

    /// Whether the definition of a member, for some arguments of its struct's template, is for these.
    fn is_for(
        &mut self,
        definition: &ast::Function,
        template: Option<usize>,
        arguments: &[Argument],
    ) -> bool {
        let (Some(template), Some(path)) = (template, &definition.member_of) else {
            return false;
        };
        let of = &self.types.templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        self.within(&context.clone(), |checker| {
            let written = checker.template_arguments(path.arguments().unwrap_or(&[]));
            let given = written.map(|all| all.into_iter().map(Some).collect());
            let complete = given.and_then(|given| checker.complete(&params, &context, given).ok());
            complete.as_deref() == Some(arguments)
        })
    }

    /// Gives a function that is only declared in its struct the definition outside of it.
    pub fn define_out_of_line(&mut self, index: usize) {
        let signature = self.functions.signatures[index].clone();
        let Some(record) = signature.context.record else {
            return;
        };
        if self.types.out_of_line.is_empty() || signature.state != BodyState::New {
            return;
        }
        let of = &self.types.records[record];
        let key: Name = match of.template {
            Some(template) => self.types.templates[template].name.clone(),
            None => of.ty.name().into(),
        };
        let (arguments, template) = (of.arguments.clone(), of.template);
        let all = self.types.out_of_line.get(&key).cloned();
        let (special, general): (Vec<_>, Vec<_>) =
            all.unwrap_or_default().into_iter().partition(is_special);
        // [temp.expl.spec]: one for just these arguments comes before the one for all, wherever that stands.
        let special = special
            .into_iter()
            .filter(|of| self.is_for(&of.function, template, &arguments));
        let special: Vec<_> = special.collect();
        let general = general.into_iter().filter(|_| !signature.is_defined());
        for definition in special.into_iter().chain(general) {
            if self.defines(index, &signature, &definition, &arguments) {
                return;
            }
        }
    }

    /// Gives a function a definition that stands outside, if it is its own.
    fn defines(
        &mut self,
        index: usize,
        signature: &Signature,
        found: &OutOfLine,
        arguments: &[Argument],
    ) -> bool {
        let definition = &found.function;
        // The definition may call the arguments of the template otherwise.
        let params = definition
            .template
            .clone()
            .filter(|params| !params.is_empty());
        let packs = params
            .as_ref()
            .and_then(|params| Packs::of(params, arguments));
        let definition = packs.map_or(definition.clone(), |packs| packs.function(definition));
        if !is_alike(&definition, signature) {
            return false;
        }
        let context = match params {
            Some(params) => bound(&params, arguments, &signature.context),
            None => (*signature.context).clone(),
        };
        let context = Rc::new(found.within(context));
        let before = self.reports.mark();
        let made = self.within(&context.clone(), |checker| {
            checker.signature(&definition, context, None)
        });
        self.reports.take_back(before);
        let Some(made) = made.filter(|made| made.params == signature.params) else {
            return false;
        };
        let of = &mut self.functions.signatures[index];
        of.declaration = Some(std::mem::replace(&mut of.function, definition));
        of.context = made.context;
        of.runs_on = made.runs_on;
        of.span = made.span;
        true
    }
}

impl OutOfLine {
    /// The context of the struct's functions, in which what stands between the struct and the definition is known, too.
    fn within(&self, mut context: Context) -> Context {
        context.item = context.item.max(self.item);
        context.definition = context.definition.max(self.item);
        context
    }
}

/// Whether a definition may be that of a function, as far as its head tells without types.
fn is_alike(definition: &ast::Function, signature: &Signature) -> bool {
    let declared = &signature.function;
    definition.name.name == declared.name.name
        && definition.params.len() == declared.params.len()
        && definition.traits.is_const == signature.is_const
        && definition.traits.is_volatile == declared.traits.is_volatile
}

/// Whether a template of structs, or a definition of it for some arguments, declares a function of this name.
fn declares(of: &TypeTemplate, name: &Name) -> bool {
    let is_it = |member: &Member| matches!(member, Member::Function(of) if of.name.name == *name);
    let in_record = |record: &ast::Record| record.members.iter().flatten().any(is_it);
    let in_whole = match &of.kind {
        TypeTemplateKind::Record(record) => in_record(record),
        TypeTemplateKind::Alias(_) => false,
    };
    in_whole
        || of.partial.iter().any(|partial| in_record(&partial.record))
        || of.special.iter().any(|(_, record)| in_record(record))
}

/// Whether a member's definition is for some arguments of its struct's template: `template <> int A<float>::f()`.
fn is_special(definition: &OutOfLine) -> bool {
    definition
        .function
        .template
        .as_ref()
        .is_some_and(|params| params.is_empty())
}
