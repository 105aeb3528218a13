//! A file: what it declares, in order, then the bodies of its functions, callees first.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::Diagnostic;

use super::order::callees_first;
use super::scope::{Candidate, Context, ParamType, Signature, State, Symbol};
use super::types::pointer;
use super::{Checker, Frame, builtin};
use crate::cuda::ast;
use crate::cuda::ast::{Item, Unit};
use crate::cuda::token::Name;
use crate::cuda::typed::Type;

impl Checker {
    /// Drops the bodies of functions that only calls which were computed can call.
    pub(super) fn forget_constant_only(&mut self) {
        for &index in &self.constant_only {
            if let State::Done(id) = self.signatures[index].state {
                self.program.functions[id].body.clear();
            }
        }
    }

    pub(super) fn file(&mut self, unit: &Unit) {
        for space in &unit.spaces {
            let ends = space.match_indices("::").map(|(at, _)| &space[..at + 2]);
            self.all_spaces.extend(ends.map(str::to_string));
        }
        for (number, item) in unit.items.iter().enumerate() {
            self.item = number;
            self.frame = Frame::default();
            self.spaces.current = unit.spaces[number].to_string();
            let before = self.mark();
            self.declare_item(item);
            if unit.for_host[number] && self.reported_since(before) {
                self.leave_to_host(item, unit.places[number], before);
            }
        }
        let plain: Vec<usize> = (0..self.signatures.len())
            .filter(|&index| self.is_checked_unasked(index))
            .collect();
        for index in self.order(&plain) {
            self.body_of(index);
        }
        self.warn_of_host_code(unit);
    }

    fn declare_item(&mut self, item: &Item) {
        match item {
            Item::Nothing => {}
            Item::Function(function) => self.declare_function(function),
            Item::Record(record) => self.record(record),
            Item::Enum(written) => self.enumeration(written),
            Item::Variables(declaration) => self.file_variables(declaration),
            Item::Alias(alias) => self.alias(alias),
            Item::Assert(assert) => self.static_assert(assert),
            Item::VariableTemplate(params, declaration) => {
                self.variable_template(params, declaration);
            }
            Item::Host(name, why) => {
                if self.find(&name.name).is_none() {
                    self.declare(name, Symbol::Host(why.clone()));
                }
            }
            Item::UsingSpace(path) => self.using_space(path),
            Item::SpaceAlias(name, path) => self.space_alias(name, path),
            Item::UsingName(path) => self.using_name(path),
            Item::Refused(name) => {
                let span = Default::default();
                let ident = ast::Ident {
                    name: name.clone(),
                    span,
                };
                if self.find(name).is_none() {
                    self.declare(&ident, Symbol::Refused);
                }
            }
        }
    }

    /// Whether a function's body is checked even if nothing calls it.
    fn is_checked_unasked(&self, index: usize) -> bool {
        let signature = &self.signatures[index];
        signature.function.body.is_some() && !signature.is_host && !signature.is_library()
    }

    /// Functions in an order such that few are checked while others are.
    fn order(&mut self, plain: &[usize]) -> Vec<usize> {
        let calls: Vec<Vec<usize>> = plain
            .iter()
            .map(|&index| self.called(index, plain))
            .collect();
        let order = callees_first(&calls);
        order.into_iter().map(|at| plain[at]).collect()
    }

    /// Which of the `plain` functions one seems to call, as positions in that list.
    fn called(&mut self, index: usize, plain: &[usize]) -> Vec<usize> {
        let signature = self.signatures[index].clone();
        self.spaces.current = signature.context.space.clone();
        let mut seen = HashSet::new();
        let mut called = Vec::new();
        for call in &signature.function.calls {
            let Some(Symbol::Functions(candidates)) = self.find(&call.name).map(|e| &e.symbol)
            else {
                continue;
            };
            for candidate in candidates {
                if let Candidate::Function(callee) = candidate
                    && let Ok(at) = plain.binary_search(callee)
                    && seen.insert(at)
                {
                    called.push(at);
                }
            }
        }
        called
    }

    /// Declares a function or a template of functions.
    fn declare_function(&mut self, function: &Rc<ast::Function>) {
        if let Some(path) = &function.member_of {
            return self.late_definition(function, path);
        }
        self.refuse_head(function);
        let context = Rc::new(Context {
            space: self.spaces.current.clone(),
            item: self.item,
            ..Context::default()
        });
        let candidate = match function.template.is_some() {
            true => match self.template_of_functions(function, context) {
                Some(template) => Candidate::Template(template),
                None => return,
            },
            false => match self.plain_function(function, context) {
                Some(signature) => Candidate::Function(signature),
                None => return,
            },
        };
        self.add_candidate(&function.name, candidate);
    }

    fn add_candidate(&mut self, name: &ast::Ident, candidate: Candidate) {
        let whole: Name = format!("{}{}", self.spaces.current, name.name).into();
        let before = self.scopes[0]
            .get_mut(&whole)
            .map(|entry| &mut entry.symbol);
        match before {
            Some(Symbol::Functions(candidates)) => {
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
            Some(Symbol::Host(_)) => {
                self.scopes[0].remove(&whole);
                self.declare(name, Symbol::Functions(vec![candidate]));
            }
            Some(_) => self.declare(name, Symbol::Refused),
            None => self.declare(name, Symbol::Functions(vec![candidate])),
        }
    }

    /// The signature of a function that is no template; nothing if it was declared before.
    fn plain_function(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
    ) -> Option<usize> {
        let new = self.signature(function, context, None)?;
        let whole = new.name.clone();
        let same = match self.scopes[0].get(&whole).map(|entry| &entry.symbol) {
            Some(Symbol::Functions(candidates)) => candidates.iter().find_map(|candidate| {
                let Candidate::Function(index) = *candidate else {
                    return None;
                };
                (self.signatures[index].params == new.params).then_some(index)
            }),
            _ => None,
        };
        match same {
            Some(index) => {
                self.again(index, new);
                None
            }
            None => {
                self.signatures.push(new);
                Some(self.signatures.len() - 1)
            }
        }
    }

    /// A function by its head. `arguments` are those of the template that it is made from.
    pub(super) fn signature(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
        arguments: Option<&str>,
    ) -> Option<Signature> {
        let specifiers = &function.specifiers;
        let (returns, reference) = match self.function_type(&function.returns) {
            Some(found) => (found.0, found.1),
            None => (None, None),
        };
        let params: Option<Vec<ParamType>> = function
            .params
            .iter()
            .map(|param| self.parameter_type(&param.ty))
            .collect::<Vec<_>>()
            .into_iter()
            .collect();
        let is_kernel = specifiers.global.is_some();
        if is_kernel && let Some(returns) = returns.as_ref().filter(|ty| **ty != Type::Void) {
            let message = format!("a kernel returns `void`, not `{returns}`");
            let error = Diagnostic::error(function.returns.span, message);
            self.report(error.help("store results through a pointer"));
            if self.find(&function.name.name).is_none() {
                self.declare(&function.name, Symbol::Refused);
            }
            return None;
        }
        let scope = self.scope_name(&context);
        let name = format!("{scope}{}{}", function.name.name, arguments.unwrap_or(""));
        let needed = function.params.iter().rposition(|p| p.default.is_none());
        Some(Signature {
            name: name.into(),
            span: function.name.span,
            is_kernel,
            is_host: !is_kernel && specifiers.device.is_none(),
            returns,
            reference,
            params,
            least: needed.map_or(0, |at| at + 1),
            has_this: context.record.is_some()
                && specifiers.fixed.is_none()
                && specifiers.friend.is_none(),
            is_const: function.is_const,
            function: function.clone(),
            declaration: None,
            context,
            state: State::New,
        })
    }

    /// What stands before the names of functions that a struct or namespace declares.
    pub(super) fn scope_name(&self, context: &Context) -> String {
        match context.record {
            Some(record) => format!("{}::", self.records[record].ty.name()),
            None => context.space.clone(),
        }
    }

    /// What a function returns: nothing for `auto`; and of a reference, whether to `const`.
    fn function_type(&mut self, ty: &ast::TypeName) -> Option<(Option<Type>, Option<bool>)> {
        if matches!(ty.base, ast::Base::Auto) && ty.modifiers.is_empty() {
            return Some((None, None));
        }
        let (written, is_reference) = split_reference(ty);
        let (resolved, is_const) = self.resolve(&written, None, None)?;
        if let Type::Array(..) = resolved {
            return self.error(ty.span, "a function cannot return an array");
        }
        Some((Some(resolved), is_reference.then_some(is_const)))
    }

    /// A function that was declared before, with the same parameters.
    fn again(&mut self, index: usize, new: Signature) {
        let old = self.signatures[index].clone();
        let name = &new.name;
        let problem = if old.returns != new.returns || old.is_kernel != new.is_kernel {
            Some(format!("`{name}` was declared differently before"))
        } else if old.is_defined() && new.is_defined() {
            Some(format!("`{name}` is defined twice"))
        } else {
            None
        };
        if let Some(message) = problem {
            let error = Diagnostic::error(new.span, message).also(old.span, "first here");
            self.report(error.help("give one of them another name"));
            return;
        }
        if new.is_defined() {
            let least = old.least.min(new.least);
            self.signatures[index] = Signature { least, ..new };
        }
    }

    /// Reports what cannot stand before a function.
    fn refuse_head(&mut self, function: &ast::Function) {
        let specifiers = &function.specifiers;
        let name = &function.name;
        let mut refuse = |span, message: String, help: &str| {
            self.report(Diagnostic::error(span, message).help(help));
        };
        if let (Some(_), Some(span)) = (specifiers.global, specifiers.device.or(specifiers.host)) {
            let message = "a function is a kernel or a device function, not both";
            refuse(span, message.to_string(), "leave one of the words out");
        }
        if let Some(span) = specifiers.shared.or(specifiers.constant) {
            let message = "this word belongs before variables, not functions";
            refuse(span, message.to_string(), "leave it out");
        }
        if let (Some((span, _)), None) = (&specifiers.launch_bounds, specifiers.global) {
            let message = "`__launch_bounds__` belongs to kernels";
            refuse(*span, message.to_string(), "leave it out");
        }
        let known = builtin::is_function(&name.name) || builtin::constant(&name.name).is_some();
        if known && !function.is_host {
            let message = format!("`{}` is a name of CUDA's own", name.name);
            refuse(name.span, message, "give the function another name");
        }
    }

    /// The type of a parameter: arrays become pointers.
    pub(super) fn parameter_type(&mut self, ty: &ast::TypeName) -> Option<ParamType> {
        let (mut written, is_reference) = split_reference(ty);
        let is_array = matches!(written.modifiers.last(), Some(ast::Modifier::Array(..)));
        if is_array && !is_reference {
            written.modifiers.pop();
        }
        let (resolved, is_const) = self.resolve(&written, None, None)?;
        let param = |ty, is_const| ParamType {
            ty,
            is_const,
            is_reference,
        };
        if is_reference {
            return Some(param(resolved, is_const));
        }
        if is_array {
            return Some(param(pointer(resolved, is_const), false));
        }
        match resolved {
            Type::Void => self.error(ty.span, "a parameter cannot be `void`"),
            Type::Array(element, _) => Some(param(pointer(*element, is_const), false)),
            resolved => Some(param(resolved, is_const)),
        }
    }
}

/// A type without the `&` at its end, and whether there was one.
pub fn split_reference(ty: &ast::TypeName) -> (ast::TypeName, bool) {
    let mut written = ty.clone();
    let is_reference = matches!(written.modifiers.last(), Some(ast::Modifier::Reference));
    if is_reference {
        written.modifiers.pop();
    }
    (written, is_reference)
}
