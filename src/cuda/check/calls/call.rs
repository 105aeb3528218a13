//! Calls by name: of the file's functions, and of CUDA's.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use super::function_pointer::pointed_function;
use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::builtin;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Entry, Operand, RunsOn, Side, Symbol, bound,
};
use crate::cuda::typed::Type;

/// Functions of the C library that kernels call too: these are others than the host's.
const IN_KERNELS_TOO: [&str; 7] = [
    "printf", "memcpy", "memset", "malloc", "free", "nan", "nanf",
];

impl Checker {
    /// What a name stands for that is called. Some functions of CUDA's runtime are others in kernels.
    fn called_name(&self, name: &Name) -> (Name, Option<Entry>) {
        if self.frame.side == Side::Gpu && name.starts_with("cuda") {
            // In kernels they are those of CUDA's device runtime, which has fewer of them.
            let of_gpu: Name = format!("__gpu_{name}").as_str().into();
            if let Some(found) = self.names.find(&of_gpu) {
                return (of_gpu, Some(found.clone()));
            }
        }
        (name.clone(), self.names.find(name).cloned())
    }

    /// A call; a place where it gives a reference.
    pub fn call(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let mut template = None;
        let (name, found): (Name, _) = match &callee.kind {
            Written::Name(name) => self.called_name(name),
            Written::Path(path) => {
                template = path.arguments();
                self.called_path(path)?
            }
            _ => return self.call_member(callee, arguments, span),
        };
        let Some(found) = self.known(&name, found, callee.span) else {
            self.operands(arguments);
            return None;
        };
        match found.map(|entry| (entry.symbol, entry.span)) {
            Some((Symbol::Functions(candidates), _))
                if !self.means_built_in(&name, &candidates) =>
            {
                self.call_overloads(&name, &candidates, callee, template, arguments, span)
            }
            Some((symbol, _)) if symbol.is_object() => self.call_object(callee, arguments, span),
            Some((Symbol::Functions(_), _)) => {
                self.call_library(name, callee, template, arguments, span)
            }
            Some((_, declared)) => self.refuse(no_function(&name, callee.span, declared)),
            None if self.is_found_by_arguments(&name, callee) => {
                self.call_functions(&name, &[], callee, template, arguments, span)
            }
            None => self.call_library(name, callee, template, arguments, span),
        }
    }

    /// A call of a function of an object, or of an object.
    fn call_member(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        match &callee.kind {
            Written::Member(base, member, template) => {
                self.call_method(base, member, template.as_deref(), arguments, span)
            }
            Written::MemberOf(base, path) => self.call_method_of(base, path, arguments, span),
            _ => self.call_object(callee, arguments, span),
        }
    }

    /// A call of the file's functions, or else of CUDA's own of the same name, whose overloads they may be.
    fn call_overloads(
        &mut self,
        name: &Name,
        candidates: &[Candidate],
        callee: &ast::Expr,
        template: Option<&[ast::TemplateArgument]>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let before = self.reports.mark();
        let called = self.call_functions(name, candidates, callee, template, arguments, span);
        let is_told = !self.reports.any_since(before) || self.reports.is_final_since(before);
        let plain = name.strip_prefix("std::").unwrap_or(name);
        if called.is_some() || is_told || !builtin::is_function(plain) {
            return called;
        }
        // CUDA's function of that name fits: that the file's do not is no error.
        self.reports.take_back(before);
        self.call_library(name.clone(), callee, template, arguments, span)
    }

    /// Whether only the types of the arguments can tell what the host calls by this name.
    fn is_found_by_arguments(&self, name: &str, callee: &ast::Expr) -> bool {
        // Names are gone through last: kernels call little but CUDA's own functions.
        matches!(callee.kind, Written::Name(_))
            && !builtin::is_function(name)
            && !matches!(name, "printf" | "__assert")
            && (self.frame.side == Side::Host || self.is_associated_name(name))
    }

    /// Whether a struct has a friend of this name, or a namespace a function.
    fn is_associated_name(&self, name: &str) -> bool {
        let mut friends = self.types.records.iter().flat_map(|of| &of.friends);
        let whole = format!("::{name}");
        let mut known = self.names.scopes[0].keys();
        friends.any(|(friend, _)| **friend == *name) || known.any(|known| known.ends_with(&whole))
    }

    /// Whether a kernel's call of a name that code of the host declares means CUDA's own function of that name.
    fn means_built_in(&self, name: &str, candidates: &[Candidate]) -> bool {
        let is_host = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => self.functions.signatures[*at].runs_on == RunsOn::Host,
            Candidate::Template(at) => {
                let function = &self.functions.templates[*at].function;
                let constexpr = function
                    .specifiers
                    .constexpr
                    .filter(|_| !function.source.is_library);
                function.specifiers.device.or(constexpr).is_none()
            }
            Candidate::Host(_) => true,
        };
        let name = name.strip_prefix("std::").unwrap_or(name);
        // A file of kernels alone leaves host functions out, so their names never hide CUDA's.
        self.host.is_program
            && self.frame.side != Side::Host
            && (builtin::is_function(name) || IN_KERNELS_TOO.contains(&name))
            && candidates.iter().all(is_host)
    }

    /// A call of a function that the file does not declare: one of CUDA's, also as `std::` or `cuda::std::` has it.
    fn call_library(
        &mut self,
        name: Name,
        callee: &ast::Expr,
        template: Option<&[ast::TemplateArgument]>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let plain = name.strip_prefix("std::").unwrap_or(&name);
        if IN_KERNELS_TOO.contains(&plain) {
            let name = format!("__device_{plain}");
            let found = self.names.find(&name).map(|entry| entry.symbol.clone());
            if let Some(Symbol::Functions(candidates)) = found {
                return self.call_functions(&name, &candidates, callee, None, arguments, span);
            }
        }
        let name = match &callee.kind {
            Written::Path(path) if &*path.segments[0].name.name == "cuda" => {
                name.strip_prefix("std::").unwrap_or(&name).into()
            }
            _ => self.without_std(name, callee.span)?,
        };
        // `std::pow<long, long>(2, 20)`: what is named there are the types of the arguments.
        let template = match &callee.kind {
            Written::Path(path) if &*path.segments[0].name.name == "std" => None,
            _ => template,
        };
        let before = self.reports.mark();
        let called = self.call_builtin(&name, template, callee.span, arguments, span);
        // Numbers have CUDA's own function: objects may have one of their namespace, as `exp(z)` of a complex number.
        if called.is_none()
            && matches!(callee.kind, Written::Name(_))
            && self.is_associated_name(&name)
        {
            self.reports.take_back(before);
            return self.call_functions(&name, &[], callee, template, arguments, span);
        }
        called.map(Operand::Value)
    }

    /// What a call by a path names: a function of a struct, or one of a namespace.
    fn called_path(&mut self, path: &ast::Path) -> Option<(Name, Option<Entry>)> {
        if let Some(entry) = self.static_member(path)? {
            return Some((path.joined().into(), Some(entry)));
        }
        let name = self.names.namespaces.canonical(path).into();
        Some((name, self.names.find_path(path).cloned()))
    }

    fn call_functions(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        callee: &ast::Expr,
        template: Option<&[ast::TemplateArgument]>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let arguments = self.operands_for(candidates, template, arguments)?;
        let mut candidates = candidates.to_vec();
        if matches!(callee.kind, Written::Name(_)) {
            self.add_found_by_arguments(name, &arguments, &mut candidates);
            if candidates.is_empty() {
                self.unknown(&name.into(), callee.span, true);
                return None;
            }
        }
        let callee = Callee {
            name,
            candidates: &candidates,
            template,
            this: self.frame.this_place(callee.span),
            at: callee.span,
        };
        self.call_candidates(&callee, arguments, span)
    }

    /// Adds the functions of the namespaces and structs that the arguments' types belong to ([basic.lookup.argdep]).
    fn add_found_by_arguments(
        &self,
        name: &str,
        arguments: &[Operand],
        candidates: &mut Vec<Candidate>,
    ) {
        let is_member = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => self.functions.signatures[*at].context.record.is_some(),
            Candidate::Template(at) => self.functions.templates[*at].context.record.is_some(),
            Candidate::Host(_) => false,
        };
        // [basic.lookup.argdep]: where the name is a member's, nobody looks at the types of arguments.
        if candidates.iter().any(is_member) {
            return;
        }
        for argument in arguments {
            let of = match argument.ty() {
                Type::Pointer { to, .. } => to,
                of => of,
            };
            if let Type::Struct(of) = of {
                self.add_associated(of, name, candidates);
            }
        }
        // A function may be found by its name and by more than one argument.
        let mut seen = std::collections::HashSet::new();
        candidates.retain(|candidate| seen.insert(*candidate));
    }

    /// What arguments give, all of them looked at.
    pub fn operands(&mut self, arguments: &[ast::Expr]) -> Option<Vec<Operand>> {
        let all: Vec<Option<Operand>> = arguments.iter().map(|a| self.operand(a)).collect();
        all.into_iter().collect()
    }

    /// What the arguments of a call of one of these functions, with template arguments that are written, give; all of
    /// them looked at.
    pub fn operands_for(
        &mut self,
        candidates: &[Candidate],
        template: Option<&[ast::TemplateArgument]>,
        arguments: &[ast::Expr],
    ) -> Option<Vec<Operand>> {
        let each = arguments.iter().enumerate();
        let count = arguments.len();
        let all: Vec<Option<Operand>> = each
            .map(|(at, argument)| match argument.kind {
                Written::Braces(_) => self.braced(candidates, template, (count, at), argument),
                _ if self.frame.side != Side::Gpu && self.names_overloads(argument) => {
                    let meant = self.overload_meant(candidates, template, (count, at), argument);
                    meant.or_else(|| self.operand(argument))
                }
                _ => self.operand(argument),
            })
            .collect();
        all.into_iter().collect()
    }

    /// Of several functions of one name that are passed, the one that a parameter has the type of ([over.over]).
    fn overload_meant(
        &mut self,
        candidates: &[Candidate],
        template: Option<&[ast::TemplateArgument]>,
        (count, at): (usize, usize),
        argument: &ast::Expr,
    ) -> Option<Operand> {
        for &candidate in candidates {
            let ty = self.type_for_list(candidate, template, (count, at), argument);
            if let Some(of) = ty.as_ref().and_then(pointed_function)
                && let Some(value) = self.function_of_type(argument, of)
            {
                return Some(Operand::Value(value));
            }
        }
        None
    }

    /// A list in braces as an argument: of the first type among those of the functions' parameters that it makes.
    // [over.ics.list] ranks what the list is converted to; kernels have one function for it.
    fn braced(
        &mut self,
        candidates: &[Candidate],
        template: Option<&[ast::TemplateArgument]>,
        (count, at): (usize, usize),
        list: &ast::Expr,
    ) -> Option<Operand> {
        let mut types = Vec::new();
        for &candidate in candidates {
            let ty = self.type_for_list(candidate, template, (count, at), list);
            types.extend(ty.filter(|ty| !types.contains(ty)));
        }
        let Some(last) = types.pop() else {
            let message = "no function of this name takes values in braces here";
            return self.error(list.span, message);
        };
        // Which of them the list makes is only known by trying: what is said of those that fail is taken back.
        for ty in types {
            let before = self.reports.mark();
            if let Some(value) = self.value_of_type(list, &ty) {
                return Some(Operand::Value(value));
            }
            self.reports.take_back(before);
        }
        self.value_of_type(list, &last).map(Operand::Value)
    }

    /// The type that a list in braces would have to make to be this argument of a function, of so many.
    fn type_for_list(
        &mut self,
        candidate: Candidate,
        written: Option<&[ast::TemplateArgument]>,
        (count, at): (usize, usize),
        list: &ast::Expr,
    ) -> Option<Type> {
        let template = match candidate {
            Candidate::Function(index) => {
                let signature = &self.functions.signatures[index];
                let param = signature.params.as_ref()?.get(at)?;
                return signature.takes(count).then(|| param.ty.clone());
            }
            Candidate::Template(template) => &self.functions.templates[template],
            Candidate::Host(_) => return None,
        };
        let (params, context) = (template.params.clone(), template.context.clone());
        let param = template.function.params.get(at)?.ty.clone();
        let before = self.reports.mark();
        let given = written.and_then(|written| self.template_arguments(written));
        let context = match given {
            Some(given) => Rc::new(bound(&params, &given, &context)),
            None => context,
        };
        let written = param;
        let (written, _) = self.within(&context, |checker| checker.referred(&written));
        let found = match self.list_for(&written, list) {
            Some(found) => Some(found),
            None => {
                let found = self.within(&context, |c| c.resolve(&written, None, None));
                found.map(|(ty, _)| ty)
            }
        };
        self.reports.take_back(before);
        found
    }

    /// [temp.deduct.call]: of a parameter `std::initializer_list<T>`, the first value says what `T` is.
    fn list_for(&mut self, written: &ast::TypeName, list: &ast::Expr) -> Option<Type> {
        let (ast::Base::Named(path), Written::Braces(values)) = (&written.base, &list.kind) else {
            return None;
        };
        let last = &path.segments.last()?.name.name;
        if &**last != "initializer_list" {
            return None;
        }
        let first = self.value(values.first()?)?;
        let template = self.types.template_called("std::initializer_list")?;
        self.made(template, vec![Argument::Type(first.ty, false)], list.span)
    }

    /// `std::sqrt` is CUDA's `sqrt`; `std::swap` and its kin run on the host only.
    fn without_std(&mut self, name: Name, at: Span) -> Option<Name> {
        let Some(rest) = name.strip_prefix("std::") else {
            return Some(name);
        };
        // Many programs are built with nvcc's option `--expt-relaxed-constexpr`.
        if matches!(rest, "min" | "max") && !self.host.is_program {
            let message = format!("`{name}` is for the host");
            let warning = Diagnostic::warning(at, message)
                .note("nvcc takes it in a kernel only with `--expt-relaxed-constexpr`")
                .help("leave `std::` out: CUDA has the function without it");
            self.report(warning);
        }
        if self.frame.side != Side::Gpu && !builtin::is_function(rest) {
            self.unknown(&name, at, true);
            return None;
        }
        if !matches!(rest, "swap" | "clamp") {
            return Some(rest.into());
        }
        let error = Diagnostic::error(at, format!("`{name}` runs on the host"));
        self.refuse(error.help("write it out"))
    }
}

fn no_function(name: &str, span: Span, declared: Span) -> Diagnostic {
    let error = Diagnostic::error(span, format!("`{name}` is not a function"));
    error.also(declared, "declared here")
}
