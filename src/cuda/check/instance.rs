//! Functions and structs made from templates, and bodies checked when something needs them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::scope::{Context, Entry, Signature, State, Symbol};
use super::space::is_library;
use super::template::{Argument, listed};
use super::types::scalar;
use super::{Checker, constant};
use crate::cuda::ast;
use crate::cuda::ast::{Template, TemplateArgument, TemplateParam, TemplateParamKind};
use crate::cuda::token::Name;
use crate::cuda::typed::FunctionId;

/// Most functions that are checked within each other.
pub const MOST_NESTED: u32 = 48;

/// Most letters of template arguments, written out.
const MOST_WRITTEN: usize = 2000;

/// A template of functions.
pub struct FunctionTemplate {
    pub name: Name,
    pub span: Span,
    pub params: Template,
    pub function: Rc<ast::Function>,
    pub context: Rc<Context>,
    /// Signatures made so far, by their arguments; nothing where one was refused.
    pub instances: HashMap<Vec<Argument>, Option<usize>>,
    /// Definitions for some arguments.
    pub special: Vec<(Vec<Argument>, Rc<ast::Function>)>,
    /// Whether an instance had errors, so that those of others need not be told.
    pub failed: bool,
}

impl FunctionTemplate {
    /// The same template, of which nothing has been made.
    pub fn for_another(&self) -> Self {
        FunctionTemplate {
            name: self.name.clone(),
            span: self.span,
            params: self.params.clone(),
            function: self.function.clone(),
            context: self.context.clone(),
            instances: HashMap::new(),
            special: self.special.clone(),
            failed: false,
        }
    }
}

impl Checker {
    /// Checks something that stands where `context` says.
    pub(super) fn within<T>(&mut self, context: &Context, check: impl FnOnce(&mut Self) -> T) -> T {
        let inner = self.scopes.split_off(1);
        self.scopes.extend(context.scopes.iter().cloned());
        let space = std::mem::replace(&mut self.spaces.current, context.space.clone());
        let item = std::mem::replace(&mut self.item, context.item);
        let record = std::mem::replace(&mut self.record, context.record);
        let result = check(self);
        self.scopes.truncate(1);
        self.scopes.extend(inner);
        self.spaces.current = space;
        self.item = item;
        self.record = record;
        result
    }

    /// The function that a signature's body makes; nothing if it is just being made.
    pub(super) fn body_of(&mut self, index: usize) -> Option<FunctionId> {
        let signature = &self.signatures[index];
        match signature.state {
            State::Done(id) => return Some(id),
            State::Open => return None,
            State::New => {}
        }
        if self.nested >= MOST_NESTED {
            let error = Diagnostic::error(signature.span, "functions call each other too deeply")
                .note(format!(
                    "the limit is {MOST_NESTED} functions within each other"
                ));
            self.report(error);
            return None;
        }
        let context = signature.context.clone();
        self.signatures[index].state = State::Open;
        self.nested += 1;
        let frame = std::mem::take(&mut self.frame);
        let defining = self.defining.take();
        let function = self.within(&context, |checker| checker.function(index));
        self.frame = frame;
        self.defining = defining;
        self.nested -= 1;
        self.program.functions.push(function);
        let id = self.program.functions.len() - 1;
        self.signatures[index].state = State::Done(id);
        Some(id)
    }

    /// Declares a template of functions, or a definition of one for some arguments; its index if it
    /// is new.
    pub(super) fn template_of_functions(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
    ) -> Option<usize> {
        let params = function.template.clone()?;
        if let Some(written) = &function.specialises {
            self.specialise(function, written);
            return None;
        }
        let scope = self.scope_name(&context);
        let name: Name = format!("{scope}{}", function.name.name).into();
        self.templates.push(FunctionTemplate {
            name,
            span: function.name.span,
            params,
            function: function.clone(),
            context,
            instances: HashMap::new(),
            special: Vec::new(),
            failed: false,
        });
        Some(self.templates.len() - 1)
    }

    fn specialise(&mut self, function: &Rc<ast::Function>, written: &[TemplateArgument]) {
        let name: Name = format!("{}{}", self.spaces.current, function.name.name).into();
        let template = self.templates.iter().rposition(|t| t.name == name);
        let Some(template) = template else {
            let message = format!(
                "there is no template `{}` to specialise",
                function.name.name
            );
            self.report(Diagnostic::error(function.name.span, message));
            return;
        };
        let params = self.templates[template].params.clone();
        let context = self.templates[template].context.clone();
        let Some(written) = self.template_arguments(written) else {
            return;
        };
        let given: Vec<Option<Argument>> = written.into_iter().map(Some).collect();
        match self.complete(&params, &context, given) {
            Ok(arguments) => self.templates[template]
                .special
                .push((arguments, function.clone())),
            Err(problem) => {
                self.report(Diagnostic::error(function.name.span, problem));
            }
        }
    }

    /// The arguments of a template, those that were not given by default; or what is wrong.
    pub(super) fn complete(
        &mut self,
        params: &[TemplateParam],
        context: &Context,
        mut given: Vec<Option<Argument>>,
    ) -> Result<Vec<Argument>, String> {
        if given.len() > params.len() {
            return Err(format!(
                "{} template arguments are given, but there are {} parameters: <{}>",
                given.len(),
                params.len(),
                listed(params)
            ));
        }
        given.resize(params.len(), None);
        let mut arguments: Vec<Argument> = Vec::with_capacity(params.len());
        for (at, param) in params.iter().enumerate() {
            let inner = bound(params, &arguments, context);
            let found = match given[at].take() {
                Some(argument) => Some(argument),
                None => self.within(&inner, |checker| checker.default_argument(param)),
            };
            let name = param.name.as_ref().map_or("", |name| &name.name);
            let Some(found) = found else {
                return Err(format!(
                    "the template argument `{name}` is neither given nor deduced: the parameters are <{}>",
                    listed(params)
                ));
            };
            let fitted = self.within(&inner, |checker| checker.fit(param, found.clone()));
            match fitted {
                Some(argument) => arguments.push(argument),
                None => {
                    return Err(format!(
                        "`{found}` does not fit the template parameter `{}`",
                        param_text(param)
                    ));
                }
            }
        }
        if argument_list(&arguments).len() > MOST_WRITTEN {
            return Err(format!(
                "the template arguments, written out, have more than {MOST_WRITTEN} letters"
            ));
        }
        Ok(arguments)
    }

    fn default_argument(&mut self, param: &TemplateParam) -> Option<Argument> {
        let written = match &param.kind {
            TemplateParamKind::Type(default) => TemplateArgument::Type(default.clone()?),
            TemplateParamKind::Value(_, default) => TemplateArgument::Value(default.clone()?),
            TemplateParamKind::Template(default) => {
                let path = default.clone()?;
                let span = path.span;
                TemplateArgument::Type(ast::TypeName {
                    base: ast::Base::Named(Box::new(path)),
                    is_const: false,
                    is_volatile: false,
                    modifiers: Vec::new(),
                    span,
                })
            }
        };
        let mut all = self.template_arguments(std::slice::from_ref(&written))?;
        all.pop()
    }

    /// An argument as its parameter's type has it.
    fn fit(&mut self, param: &TemplateParam, argument: Argument) -> Option<Argument> {
        match (&param.kind, argument) {
            (TemplateParamKind::Type(_), argument @ Argument::Type(..)) => Some(argument),
            (TemplateParamKind::Template(_), argument @ Argument::Template(..)) => Some(argument),
            (TemplateParamKind::Value(ty, _), Argument::Value(from, bits)) => {
                let to = match ty.base {
                    ast::Base::Auto => from,
                    _ => self.resolve(ty, None, None)?.0.scalar()?,
                };
                let fitted = constant::convert(from, to, bits)?;
                let kept = constant::integer(to, fitted) == constant::integer(from, bits);
                kept.then_some(Argument::Value(to, fitted))
            }
            _ => None,
        }
    }

    /// The signature of a template's function for these arguments, all of them.
    pub(super) fn instantiate(
        &mut self,
        template: usize,
        arguments: Vec<Argument>,
    ) -> Option<usize> {
        if let Some(&known) = self.templates[template].instances.get(&arguments) {
            return known;
        }
        let of = &self.templates[template];
        let special = of.special.iter().find(|special| special.0 == arguments);
        let function = special.map_or(&of.function, |special| &special.1).clone();
        let params = of.params.clone();
        let outer = of.context.clone();
        let mut context = bound(&params, &arguments, &outer);
        context.item = context.item.max(self.item);
        let context = Rc::new(context);
        let list = argument_list(&arguments);
        let instance = self.within(&context.clone(), |checker| {
            checker.signature(&function, context, Some(&list))
        });
        let index = instance.map(|signature: Signature| {
            self.signatures.push(signature);
            self.signatures.len() - 1
        });
        self.templates[template].instances.insert(arguments, index);
        index
    }

    /// Forgets a signature that cannot be made, so that it is not chosen again.
    pub(super) fn unmake(&mut self, template: usize, signature: usize) {
        let instances = self.templates[template].instances.values_mut();
        for made in instances.filter(|made| **made == Some(signature)) {
            *made = None;
        }
    }

    /// The function that a call means. What is wrong inside a function of CUDA's headers is wrong
    /// with the call.
    pub(super) fn body_for_call(
        &mut self,
        index: usize,
        template: Option<usize>,
        span: Span,
    ) -> Option<FunctionId> {
        let reported = self.diagnostics.len();
        let id = match template {
            Some(template) => self.instance_body(index, template),
            None => self.body_of(index),
        };
        self.bring_out(reported, span);
        id
    }

    /// What was reported since there were `reported` diagnostics, and stands in a header of CUDA's, is
    /// wrong with what stands at `span`, unless that is in a header too.
    pub(super) fn bring_out(&mut self, reported: usize, span: Span) {
        if self.diagnostics.len() == reported || is_library(&self.spaces.current) {
            return;
        }
        for at in reported..self.diagnostics.len() {
            if self.is_in_header(self.diagnostics[at].span()) {
                let diagnostic = &mut self.diagnostics[at];
                let error = Diagnostic::error(span, std::mem::take(&mut diagnostic.message));
                let help = diagnostic.help.take();
                *diagnostic = Diagnostic { help, ..error };
            }
        }
    }

    /// [`Checker::body_of`] for an instance: errors say with which arguments.
    pub(super) fn instance_body(&mut self, index: usize, template: usize) -> Option<FunctionId> {
        let reported = self.diagnostics.len();
        let id = self.body_of(index);
        let is_error = |d: &Diagnostic| d.severity == crate::source::Severity::Error;
        let name = self.signatures[index].name.clone();
        if !self.diagnostics[reported..].iter().any(is_error) {
            return id;
        }
        if self.templates[template].failed {
            self.diagnostics.truncate(reported);
        }
        self.templates[template].failed = true;
        for diagnostic in self.diagnostics[reported..]
            .iter_mut()
            .filter(|d| is_error(d))
        {
            if diagnostic.notes.is_empty() {
                let note = format!("in `{name}`, made from a template");
                *diagnostic = diagnostic.clone().note(note);
            }
        }
        id
    }
}

/// `<float, 4>`
pub fn argument_list(arguments: &[Argument]) -> String {
    let texts: Vec<String> = arguments.iter().map(Argument::to_string).collect();
    format!("<{}>", texts.join(", "))
}

/// A parameter as it is written.
pub fn param_text(param: &TemplateParam) -> String {
    listed(std::slice::from_ref(param))
}

/// The context of a template's definition for the arguments known so far.
pub fn bound(params: &[TemplateParam], arguments: &[Argument], context: &Context) -> Context {
    let mut scope = HashMap::new();
    for (param, argument) in params.iter().zip(arguments) {
        let Some(name) = &param.name else {
            continue;
        };
        let symbol = match argument {
            Argument::Type(ty, is_const) => Symbol::Type(ty.clone(), *is_const),
            Argument::Value(of, bits) => Symbol::Constant(scalar(*of), *bits),
            Argument::Template(template, _) => Symbol::TypeTemplate(*template),
        };
        let entry = Entry {
            symbol,
            span: name.span,
            item: 0,
        };
        scope.insert(name.name.clone(), entry);
    }
    let mut context = context.clone();
    context.scopes.push(scope);
    context
}
