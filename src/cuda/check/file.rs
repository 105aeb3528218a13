//! A file: what it declares, in order, then the bodies of its functions, callees first.

use std::collections::HashSet;

use crate::source::Diagnostic;

use super::super::ast::{self, Item, Specifiers, Unit};
use super::super::token::Name;
use super::super::typed::{Program, Type};
use super::order::callees_first;
use super::scope::{Signature, Symbol};
use super::types::{Qualified, pointer};
use super::{Checker, Frame, builtin};

impl Checker {
    pub(super) fn file(&mut self, unit: &Unit) -> Program {
        for space in &unit.spaces {
            let ends = space.match_indices("::").map(|(at, _)| &space[..at + 2]);
            self.all_spaces.extend(ends.map(str::to_string));
        }
        for (number, item) in unit.items.iter().enumerate() {
            self.item = number;
            self.frame = Frame::default();
            self.spaces.current = unit.spaces[number].to_string();
            match item {
                Item::Function(function) => self.signature(function, number),
                Item::Variables(declaration) => self.file_variables(declaration),
                Item::Alias(alias) => self.alias(alias),
                Item::Assert(assert) => self.static_assert(assert),
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
        let defined: Vec<usize> = (0..self.signatures.len())
            .filter(|&index| self.defines(unit, index).is_some())
            .collect();
        let order = self.order(unit, &defined);
        for (id, &index) in order.iter().enumerate() {
            self.signatures[index].id = Some(id);
        }
        let mut program = Program::default();
        for index in order {
            if let Some((number, function)) = self.defines(unit, index) {
                self.item = number;
                self.spaces.current = unit.spaces[number].to_string();
                program.functions.push(self.function(function, index));
            }
        }
        self.warn_of_host_code(unit);
        program
    }

    /// The definition of a function that runs on the GPU.
    fn defines<'a>(&self, unit: &'a Unit, index: usize) -> Option<(usize, &'a ast::Function)> {
        let number = self.signatures[index].item?;
        match unit.items.get(number)? {
            Item::Function(function) if function.body.is_some() => Some((number, function)),
            _ => None,
        }
    }

    /// Functions in the order of the program; recursion is reported.
    fn order(&mut self, unit: &Unit, defined: &[usize]) -> Vec<usize> {
        let calls: Vec<Vec<usize>> = defined
            .iter()
            .map(|&index| self.called(unit, index, defined))
            .collect();
        let (order, cycles) = callees_first(&calls);
        for cycle in cycles {
            let names: Vec<Name> = cycle
                .iter()
                .map(|&at| self.signatures[defined[at]].name.clone())
                .collect();
            let (first, rest) = (&names[0], &names[1..]);
            let last = rest.last().unwrap_or(first);
            let place = cycle.last().and_then(|&at| self.defines(unit, defined[at]));
            let call = place.and_then(|(_, f)| f.calls.iter().find(|call| call.name == *first));
            let Some(call) = call else {
                continue;
            };
            let message = match rest {
                [] => format!("`{first}` calls itself: recursion is not supported"),
                _ => {
                    format!("`{last}` calls `{first}`, which calls it: recursion is not supported")
                }
            };
            let declared = self.signatures[defined[cycle[0]]].span;
            let error = Diagnostic::error(call.span, message).also(declared, "defined here");
            self.report(error.help("write it as a loop"));
        }
        order.into_iter().map(|at| defined[at]).collect()
    }

    /// Which of the `defined` functions one calls, as positions in that list.
    fn called(&mut self, unit: &Unit, index: usize, defined: &[usize]) -> Vec<usize> {
        let Some((number, function)) = self.defines(unit, index) else {
            return Vec::new();
        };
        self.spaces.current = unit.spaces[number].to_string();
        let mut seen = HashSet::new();
        let mut called = Vec::new();
        for call in &function.calls {
            if let Some(Symbol::Function(callee)) = self.find(&call.name).map(|e| &e.symbol)
                && let Ok(at) = defined.binary_search(callee)
                && seen.insert(at)
            {
                called.push(at);
            }
        }
        called
    }

    /// Declares a function by its head.
    fn signature(&mut self, function: &ast::Function, number: usize) {
        let name = &function.name;
        let specifiers = &function.specifiers;
        self.refuse_head(function);
        let returns = self
            .resolve(&function.returns, None, None)
            .map(|(ty, _)| ty);
        let params: Option<Vec<Type>> = function
            .params
            .iter()
            .map(|param| self.parameter_type(&param.ty).map(|(ty, _)| ty))
            .collect::<Vec<_>>()
            .into_iter()
            .collect();
        let is_kernel = specifiers.global.is_some();
        if is_kernel && returns.as_ref().is_some_and(|ty| *ty != Type::Void) {
            let message = format!(
                "a kernel returns `void`, not `{}`",
                returns.unwrap_or(Type::Void)
            );
            let error = Diagnostic::error(function.returns.span, message);
            self.report(error.help("store results through a pointer"));
            self.declare_refused(function);
            return;
        }
        let has_body = function.body.is_some() || function.is_host;
        let new = Signature {
            name: name.name.clone(),
            span: name.span,
            is_kernel,
            is_host: !is_kernel && specifiers.device.is_none(),
            returns,
            params,
            item: has_body.then_some(number),
            id: None,
        };
        let before = self.find(&name.name).map(|entry| entry.symbol.clone());
        match before {
            Some(Symbol::Function(index)) => self.again(index, new),
            Some(_) => self.declare(name, Symbol::Refused),
            None => {
                self.signatures.push(new);
                let index = self.signatures.len() - 1;
                self.declare(name, Symbol::Function(index));
            }
        }
    }

    fn declare_refused(&mut self, function: &ast::Function) {
        if self.find(&function.name.name).is_none() {
            self.declare(&function.name, Symbol::Refused);
        }
    }

    /// A function that was declared before.
    fn again(&mut self, index: usize, new: Signature) {
        let old = self.signatures[index].clone();
        let name = &new.name;
        let problem = if old.params != new.params {
            Some(format!(
                "there are two functions `{name}`: overloads are not supported yet"
            ))
        } else if old.returns != new.returns || old.is_kernel != new.is_kernel {
            Some(format!("`{name}` was declared differently before"))
        } else if old.item.is_some() && new.item.is_some() {
            Some(format!("`{name}` is defined twice"))
        } else {
            None
        };
        if let Some(message) = problem {
            let error = Diagnostic::error(new.span, message).also(old.span, "first here");
            self.report(error.help("give one of them another name"));
            return;
        }
        if new.item.is_some() {
            self.signatures[index] = new;
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
    pub(super) fn parameter_type(&mut self, ty: &ast::TypeName) -> Option<Qualified> {
        let mut written = ty.clone();
        let is_array = matches!(written.modifiers.last(), Some(ast::Modifier::Array(..)));
        if is_array {
            written.modifiers.pop();
        }
        let (resolved, is_const) = self.resolve(&written, None, None)?;
        if is_array {
            return Some((pointer(resolved, is_const), false));
        }
        match resolved {
            Type::Void => self.error(ty.span, "a parameter cannot be `void`"),
            Type::Array(element, _) => Some((pointer(*element, is_const), false)),
            resolved => Some((resolved, is_const)),
        }
    }

    /// Says that code for the host is not run, unless a kernel tried to call it.
    fn warn_of_host_code(&mut self, unit: &Unit) {
        let called: HashSet<&Name> = unit
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => Some(&function.calls),
                _ => None,
            })
            .flatten()
            .map(|call| &call.name)
            .collect();
        for item in &unit.items {
            if let Item::Function(function) = item
                && function.is_host
                && !called.contains(&function.name.name)
                && !is_inlined_constant(&function.specifiers)
                && !matches!(function.returns.base, ast::Base::Refused)
            {
                let message = format!(
                    "`{}` runs on the host, so it is left out",
                    function.name.name
                );
                let warning = Diagnostic::warning(function.name.span, message);
                self.report(warning.help("only kernels and `__device__` functions run here"));
            }
        }
    }
}

/// `constexpr` functions are host functions that nobody need hear of.
fn is_inlined_constant(specifiers: &Specifiers) -> bool {
    specifiers.constexpr.is_some()
}
