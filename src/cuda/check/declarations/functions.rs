//! Functions as a file declares them: their heads.

use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    BodyState, Candidate, Checker, Context, Frame, Mark, ParamType, Returns, RunsOn, Signature,
    Symbol, hidden_tag, pointer,
};
use crate::cuda::typed::Type;
use crate::cuda::{ast, builtin};

/// Whether a function with the name of one of CUDA's may stand beside it: none of CUDA's own takes structs or
/// vectors, and of the atomics only `atomicAdd` and `atomicExch` take floats.
fn is_overload_of_built_in(function: &ast::Function) -> bool {
    let of_scalar = |param: &ast::Param, floats: bool| match param.ty.base {
        ast::Base::Scalar(of) => !floats || of.is_float(),
        _ => false,
    };
    let all_scalar = function.params.iter().all(|param| of_scalar(param, false));
    let name = &*function.name.name;
    let takes_floats = matches!(name, "atomicAdd" | "atomicExch");
    let is_atomic_of_floats = name.starts_with("atomic")
        && !takes_floats
        && function
            .params
            .first()
            .is_some_and(|param| of_scalar(param, true));
    name.starts_with("make_") || !all_scalar || is_atomic_of_floats
}

impl Checker {
    /// Declares a function or a template of functions.
    pub fn declare_function(&mut self, function: &Rc<ast::Function>) {
        if let Some(path) = &function.member_of {
            return self.out_of_line_definition(function, path);
        }
        self.refuse_head(function);
        let context = self.names.file_context();
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

    pub fn add_candidate(&mut self, name: &ast::Ident, candidate: Candidate) {
        let before = self.reports.mark();
        let whole: Name = self.names.namespaces.qualify(&name.name);
        let is_of_host = self.is_of_host(&candidate);
        let known = self.names.scopes[0].get_mut(&whole);
        match known.map(|entry| &mut entry.symbol) {
            Some(Symbol::Functions(candidates)) => {
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
            // A function may have the name of a type of the host.
            Some(Symbol::Host(why)) => {
                let why = why.clone();
                self.names.scopes[0].remove(&whole);
                let host = self.functions.add_host(why);
                self.declare(name, Symbol::Functions(vec![host, candidate]));
            }
            // None of the host hides it from kernels.
            Some(Symbol::Type(..)) if is_of_host && !self.host.is_program => {}
            // [basic.scope.hiding]: it hides a struct or enumeration of its name, which `struct NAME` still means.
            Some(Symbol::Type(..)) => {
                let tag = self.names.scopes[0].remove(&whole);
                let hidden = hidden_tag(&whole);
                self.names.scopes[0].extend(tag.map(|tag| (hidden, tag)));
                self.declare(name, Symbol::Functions(vec![candidate]));
            }
            Some(Symbol::Refused(_)) if is_of_host => {
                self.names.scopes[0].remove(&whole);
                self.declare(name, Symbol::Functions(vec![candidate]));
            }
            // Reported as a second declaration.
            Some(_) => {
                self.declare(name, Symbol::Functions(vec![candidate]));
                let refused = self.refused_since(before, name.span);
                self.declare(name, refused);
            }
            None => self.declare(name, Symbol::Functions(vec![candidate])),
        }
    }

    /// Whether no kernel can call it.
    fn is_of_host(&self, candidate: &Candidate) -> bool {
        let function = match candidate {
            Candidate::Host(_) => return true,
            Candidate::Function(index) => &self.functions.signatures[*index].function,
            Candidate::Template(index) => &self.functions.templates[*index].function,
        };
        runs_on(&function.specifiers) == RunsOn::Host
    }

    /// The signature of a function that is no template; nothing if it was declared before.
    fn plain_function(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
    ) -> Option<usize> {
        let before = self.reports.mark();
        let new = self.signature(function, context, None)?;
        let whole = new.name.clone();
        let same = match self.names.scopes[0].get(&whole).map(|entry| &entry.symbol) {
            Some(Symbol::Functions(candidates)) => candidates.iter().find_map(|candidate| {
                let Candidate::Function(index) = *candidate else {
                    return None;
                };
                // [over.dcl]: with the same parameters it is the same function, declared again; else another
                // overload.
                let known = &self.functions.signatures[index];
                // What `...` takes stands behind a pointer, which is no parameter of the program's.
                let ends_alike =
                    known.function.traits.is_variadic == new.function.traits.is_variadic;
                (ends_alike && known.params == new.params).then_some(index)
            }),
            _ => None,
        };
        match same {
            Some(index) => {
                self.again(index, new);
                self.remember_wrong(index, before);
                None
            }
            None => Some(self.add_signature(new, before)),
        }
    }

    /// Adds a function; what was reported since `before` is wrong with it. Its index.
    pub fn add_signature(&mut self, signature: Signature, before: Mark) -> usize {
        let index = self.functions.add(signature);
        self.remember_wrong(index, before);
        index
    }

    /// What was reported since `before` is wrong with a function: its calls report it again.
    pub fn remember_wrong(&mut self, index: usize, before: Mark) {
        if let Some(cause) = self.reports.cause_since(before) {
            self.functions.wrong.entry(index).or_insert(cause);
        }
    }

    /// A function by its head. `arguments` are those of the template that it is made from.
    pub fn signature(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
        arguments: Option<&str>,
    ) -> Option<Signature> {
        let before = self.reports.mark();
        let specifiers = &function.specifiers;
        let params = self.parameter_types(&function.params);
        let scope = self.types.scope_name(&context);
        let name = format!("{scope}{}{}", function.name.name, arguments.unwrap_or(""));
        // [dcl.fct.default]: behind a default all parameters have one, so the last without it counts.
        let needed = function.params.iter().rposition(|p| p.default.is_none());
        let mut signature = Signature {
            name: name.into(),
            span: function.name.span,
            runs_on: runs_on(specifiers),
            returns: Returns::default(),
            params,
            least: needed.map_or(0, |at| at + 1),
            // [class.static.mfct], [class.friend]: `static` functions and friends have no object.
            has_this: context.record.is_some()
                && specifiers.storage.fixed.or(specifiers.friend).is_none(),
            is_const: function.traits.is_const,
            function: function.clone(),
            declaration: None,
            context,
            state: BodyState::New,
        };
        signature.returns = self.returns_of(&signature).unwrap_or_default();
        let returns = signature.returns.ty.as_ref();
        if specifiers.global.is_some()
            && let Some(ty) = returns.filter(|ty| **ty != Type::Void)
        {
            self.refuse_kernel(function, ty, before);
            return None;
        }
        Some(signature)
    }

    /// What a function returns. Behind its parameters their names are known, and its object ([basic.scope.block]).
    fn returns_of(&mut self, signature: &Signature) -> Option<Returns> {
        let function = &signature.function;
        if !function.traits.has_trailing_return || signature.params.is_none() {
            return self.function_type(&function.returns);
        }
        let frame = Frame {
            side: self.side(signature),
            ..Frame::default()
        };
        let before = std::mem::replace(&mut self.frame, frame);
        let returns = self.scoped(|checker| {
            if signature.has_this {
                checker.declare_this(signature);
            }
            for param in &function.params {
                checker.parameter(param);
            }
            checker.function_type(&function.returns)
        });
        self.frame = before;
        returns
    }

    /// All of them looked at, so that each wrong one is reported.
    fn parameter_types(&mut self, params: &[ast::Param]) -> Option<Vec<ParamType>> {
        let types = params.iter().map(|param| self.parameter_type(&param.ty));
        let types: Vec<Option<ParamType>> = types.collect();
        types.into_iter().collect()
    }

    /// CUDA C++ Programming Guide, "__global__": a kernel must return `void`.
    fn refuse_kernel(&mut self, function: &ast::Function, returns: &Type, before: Mark) {
        let message = format!("a kernel returns `void`, not `{returns}`");
        let error = Diagnostic::error(function.returns.span, message);
        self.report(error.help("store results through a pointer"));
        if self.names.find(&function.name.name).is_none() {
            let refused = self.refused_since(before, function.name.span);
            self.declare(&function.name, refused);
        }
    }

    /// What a function returns: nothing for `auto`; and of a reference, whether to `const`.
    fn function_type(&mut self, ty: &ast::TypeName) -> Option<Returns> {
        let (written, reference) = self.referred(ty);
        if matches!(ty.base, ast::Base::Auto) {
            return Some(Returns {
                reference: reference.map(|_| ty.is_const),
                is_deduced: true,
                ..Returns::default()
            });
        }
        let (resolved, is_const) = self.resolve(&written, None, None)?;
        if let (Type::Array(..), None) = (&resolved, reference) {
            return self.error(ty.span, "a function cannot return an array");
        }
        Some(Returns {
            ty: Some(resolved),
            reference: reference.map(|_| is_const),
            is_rvalue: reference == Some(true),
            is_deduced: false,
        })
    }

    /// A function that was declared before, with the same parameters.
    fn again(&mut self, index: usize, new: Signature) {
        let old = self.functions.signatures[index].clone();
        let name = &new.name;
        let problem = if old.returns.ty != new.returns.ty
            || (old.runs_on == RunsOn::Kernel) != (new.runs_on == RunsOn::Kernel)
        {
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
        // The definition takes the place of its declaration, whose defaults stay ([dcl.fct.default]).
        let (mut stays, goes) = match new.is_defined() {
            true => (new, old),
            false => (old, new),
        };
        stays.least = stays.least.min(goes.least);
        for (at, param) in goes.function.params.iter().enumerate() {
            let own = stays.function.params.get(at);
            if param.default.is_some() && own.is_some_and(|own| own.default.is_none()) {
                Rc::make_mut(&mut stays.function).params[at].default = param.default.clone();
            }
        }
        self.functions.signatures[index] = stays;
    }

    /// Reports what cannot stand before a function.
    fn refuse_head(&mut self, function: &ast::Function) {
        let specifiers = &function.specifiers;
        let name = &function.name;
        let is_host = self.host.is_program && specifiers.device.or(specifiers.global).is_none();
        // In a namespace of the file's own, every name is free.
        let is_own = self.names.namespaces.is_inside();
        let mut refuse = |span, message: String, help: &str| {
            self.report(Diagnostic::error(span, message).help(help));
        };
        // CUDA C++ Programming Guide, "__global__": not together with `__host__` or `__device__`.
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
        let is_overload = is_own || is_overload_of_built_in(function);
        if known && !is_overload && !function.source.is_host && !is_host {
            let message = format!("`{}` is a name of CUDA's own", name.name);
            refuse(name.span, message, "give the function another name");
        }
    }

    /// The type of a parameter: arrays become pointers.
    pub fn parameter_type(&mut self, ty: &ast::TypeName) -> Option<ParamType> {
        let (mut written, reference) = self.referred(ty);
        let is_reference = reference.is_some();
        // [dcl.fct]: the parameter `int a[3]` is `int* a`; a reference to an array stays one.
        let is_array = matches!(written.modifiers.last(), Some(ast::Modifier::Array(..)));
        if is_array && !is_reference {
            written.modifiers.pop();
        }
        let (resolved, is_const) = self.resolve(&written, None, None)?;
        let param = |ty, is_const| ParamType {
            ty,
            is_const,
            is_reference,
            is_rvalue: reference == Some(true),
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
            function @ Type::Function(_) => Some(param(pointer(function, false), false)),
            resolved => Some(param(resolved, is_const)),
        }
    }
}

fn runs_on(specifiers: &ast::Specifiers) -> RunsOn {
    match (specifiers.global, specifiers.device) {
        (Some(_), _) => RunsOn::Kernel,
        (None, Some(_)) => RunsOn::Device,
        (None, None) => RunsOn::Host,
    }
}
