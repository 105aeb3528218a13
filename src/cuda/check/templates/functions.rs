//! Functions and structs made from templates, and bodies checked when something needs them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, TemplateArgument};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, BodyState, Candidate, Checker, Context, FunctionTemplate, MOST_NESTED, Mark, RunsOn,
    Side, Symbol, argument_list, bound, is_library, pointer, scalar,
};
use crate::cuda::typed::{Function, FunctionId, Local, Scalar, Storage, Type};

/// Most functions and types that a file makes from templates: 2 of each level are 2^48 in the end.
const MOST_MADE: usize = 20_000;

impl Checker {
    /// The function that a signature's body makes; nothing if it is just being made.
    pub fn body_of(&mut self, index: usize) -> Option<FunctionId> {
        let signature = &self.functions.signatures[index];
        match signature.state {
            BodyState::Done(id) => {
                if let Some(cause) = self.functions.wrong.get(&index).cloned() {
                    self.reports.repeat(&cause);
                }
                for cause in self.functions.causes.get(&index).into_iter().flatten() {
                    self.reports.repeat(cause);
                }
                return Some(id);
            }
            BodyState::Open => return None,
            BodyState::Reserved(id) => return Some(id),
            BodyState::New if self.is_checked_later(signature) => return Some(self.reserve(index)),
            BodyState::New => {}
        }
        if self.functions.effort.nested >= MOST_NESTED {
            let error = Diagnostic::error(signature.span, "functions call each other too deeply")
                .note(format!(
                    "the limit is {MOST_NESTED} functions within each other"
                ));
            return self.refuse(error);
        }
        // Open while it is checked: a call of itself finds it so, and does not begin again.
        self.functions.signatures[index].state = BodyState::Open;
        let function = self.checked_body(index);
        let id = match self.functions.numbered.remove(&index) {
            Some(id) => {
                self.program.functions[id] = function;
                id
            }
            None => self.add_function(function),
        };
        self.functions.signatures[index].state = BodyState::Done(id);
        Some(id)
    }

    /// The number of a function that is just being checked, which it will have: so functions may call themselves and
    /// each other.
    pub fn number_of_open(&mut self, index: usize) -> FunctionId {
        // Whether it does what only the host can will be known at its end: kernels get a body of their own.
        let is_host = self.frame.side != Side::Gpu;
        self.frame.uses_host |= is_host;
        if let Some(&id) = self.functions.numbered.get(&index) {
            return id;
        }
        let id = self.blank_function(index, is_host);
        self.functions.numbered.insert(index, id);
        id
    }

    /// A function with a number, whose body is known later.
    pub fn blank_function(&mut self, index: usize, is_host: bool) -> FunctionId {
        let signature = &self.functions.signatures[index];
        let span = signature.span;
        let record = signature.context.record.filter(|_| signature.has_this);
        let this = record.map(|record| {
            let of = Type::Struct(self.types.records[record].ty.clone());
            Local::new("this", pointer(of, false), Storage::Thread, span)
        });
        self.add_function(Function {
            name: signature.name.to_string(),
            span,
            is_kernel: false,
            is_host,
            is_library: signature.is_library(),
            // Not `Void`: where a call of it is to be computed before it is known, nothing comes of it.
            returns: scalar(Scalar::I32),
            parameter_count: 0,
            locals: this.into_iter().collect(),
            body: Vec::new(),
            max_threads: None,
            on_host: None,
        })
    }

    fn add_function(&mut self, function: Function) -> FunctionId {
        self.program.functions.push(function);
        self.program.functions.len() - 1
    }

    /// What the body of a function makes.
    pub fn checked_body(&mut self, index: usize) -> Function {
        let context = self.functions.signatures[index].context.clone();
        self.functions.effort.nested += 1;
        let before = self.reports.mark();
        // A body is checked in the middle of the one that calls it, whose state waits here.
        let frame = std::mem::take(&mut self.frame);
        let defining = self.types.defining.take();
        let of_parser = self.repeat_unread(index);
        let mut function = self.within(&context, |checker| checker.function(index));
        self.reports.set_of_parser(of_parser);
        self.frame = frame;
        self.types.defining = defining;
        self.functions.effort.nested -= 1;
        self.remember_wrong(index, before);
        if self.aside.is_used {
            let causes = self.reports.told_since(before);
            self.functions.causes.insert(index, causes);
            if self.reports.any_since(before) {
                function.body.clear();
                function.is_kernel = false;
            }
        }
        function
    }

    /// Declares a template of functions, or a definition of one for some arguments; its index if it
    /// is new.
    pub fn template_of_functions(
        &mut self,
        function: &Rc<ast::Function>,
        context: Rc<Context>,
    ) -> Option<usize> {
        let params = function.template.clone()?;
        if let Some(written) = &function.specialises {
            self.specialise(function, written);
            return None;
        }
        let scope = self.types.scope_name(&context);
        let name: Name = format!("{scope}{}", function.name.name).into();
        Some(self.functions.add_template(FunctionTemplate {
            name,
            span: function.name.span,
            params,
            function: function.clone(),
            context,
            instances: HashMap::new(),
            special: Vec::new(),
            failed: None,
            lost: None,
        }))
    }

    fn specialise(&mut self, function: &Rc<ast::Function>, written: &[TemplateArgument]) {
        let span = function.name.span;
        let name: Name = self.names.namespaces.qualify(&function.name.name);
        let mut templates = self.functions.templates.iter();
        let Some(template) = templates.rposition(|template| template.name == name) else {
            let name = &function.name.name;
            let message = format!("there is no template `{name}` to specialise");
            return self.report(Diagnostic::error(span, message));
        };
        let params = self.functions.templates[template].params.clone();
        let context = self.functions.templates[template].context.clone();
        let Some(written) = self.template_arguments(written) else {
            return;
        };
        let mut given = self.deduced_by_types(template, function);
        given.splice(
            ..written.len().min(given.len()),
            written.into_iter().map(Some),
        );
        match self.complete(&params, &context, given) {
            Ok(arguments) => {
                let of = &mut self.functions.templates[template];
                let is_used = of.instances.contains_key(&arguments);
                let special = of.special.iter_mut();
                let mut known = special.filter(|special| special.0 == arguments);
                match known.next() {
                    // [temp.expl.spec]: it may be declared before it is defined.
                    Some(known) if known.1.body.is_none() && !is_used => known.1 = function.clone(),
                    Some(_) if function.body.is_none() && !function.source.is_host => {}
                    Some(_) => self.specialised_twice(&arguments, span),
                    None if is_used => self.specialised_late(&arguments, span),
                    None => of.special.push((arguments, function.clone())),
                }
            }
            Err(problem) => self.report(Diagnostic::error(span, problem)),
        }
    }

    /// The arguments of a template that the types of a specialisation say ([temp.deduct.decl]): of its parameters, as in
    /// `template <> void f(float* x)`, and of what it returns, as in `template <> float zero()`.
    fn deduced_by_types(
        &mut self,
        template: usize,
        function: &ast::Function,
    ) -> Vec<Option<Argument>> {
        let params = self.functions.templates[template].params.clone();
        let of_template = self.functions.templates[template].function.clone();
        let mut found = vec![None; params.len()];
        if let Some((ty, is_const)) = self.resolve(&function.returns, None, None) {
            let pattern = &of_template.returns;
            self.types
                .unify(&params, pattern, &ty, is_const, true, &mut found);
        }
        for (pattern, param) in of_template.params.iter().zip(&function.params) {
            let Some(of) = self.parameter_type(&param.ty) else {
                continue;
            };
            // Not as if a variable were passed, of which `T&&` would make `T` a reference.
            let is_rvalue = true;
            self.types.unify(
                &params,
                &pattern.ty,
                &of.ty,
                of.is_const,
                is_rvalue,
                &mut found,
            );
        }
        found
    }

    /// Reports a second definition for the same arguments. Different ones in C++ may be the same here, as
    /// `long` and `long long`, or `int` and an enumeration: which is meant is not known.
    pub fn specialised_twice(&mut self, arguments: &[Argument], span: Span) {
        let list = argument_list(arguments);
        let message =
            format!("there are two definitions for {list}, or for types that are one here");
        self.report(Diagnostic::error(span, message));
    }

    /// Reports a definition for arguments that were used before it ([temp.expl.spec]).
    pub fn specialised_late(&mut self, arguments: &[Argument], span: Span) {
        let list = argument_list(arguments);
        let message = format!("the template was used with {list} before this definition");
        let error = Diagnostic::error(span, message);
        self.report(error.help("move the definition up, before the first use"));
    }

    /// The signature of a template's function for these arguments, all of them.
    pub fn instantiate(&mut self, template: usize, arguments: Vec<Argument>) -> Option<usize> {
        // [temp.inst]: one function for each list of arguments, however often it is called.
        if let Some(why) = self.functions.templates[template].lost.clone() {
            let of = &self.functions.templates[template];
            let (name, span) = (of.name.clone(), of.span);
            return self.is_for_host(&name, &why, span);
        }
        let of = &self.functions.templates[template];
        match of.instances.get(&arguments).cloned() {
            Some(Ok(known)) => return Some(known),
            Some(Err(cause)) => {
                self.reports.repeat(&cause);
                return None;
            }
            None => {}
        }
        let before = self.reports.mark();
        let span = self.functions.templates[template].span;
        self.another_instance(span)?;
        let of = &self.functions.templates[template];
        let function = of.definition_for(&arguments);
        let mut context = bound(&of.params, &arguments, &of.context);
        // What is declared up to the call is known in the instance ([temp.point]).
        context.item = context.item.max(self.names.item);
        let context = Rc::new(context);
        let list = argument_list(&arguments);
        let instance = self.within(&context.clone(), |checker| {
            checker.signature(&function, context, Some(&list))
        });
        let made = match instance {
            Some(signature) => Ok(self.add_signature(signature, before)),
            None => Err(self.reports.reason_since(before, function.name.span)),
        };
        let index = made.as_ref().ok().copied();
        self.functions.templates[template]
            .instances
            .insert(arguments, made);
        index
    }

    /// Counts what is made from templates; nothing once that is too much.
    pub fn another_instance(&mut self, span: Span) -> Option<()> {
        self.functions.effort.made += 1;
        if self.functions.effort.made <= MOST_MADE {
            return Some(());
        }
        let message = format!("{MOST_MADE} functions and types were made from templates");
        let error = Diagnostic::error(span, message).label("this one asks for more");
        self.refuse(error.help("end the recursion of templates earlier"))
    }

    /// The function that a call means. What is wrong inside a function of CUDA's headers is wrong
    /// with the call.
    pub fn body_for_call(
        &mut self,
        index: usize,
        template: Option<usize>,
        span: Span,
    ) -> Option<FunctionId> {
        let before = self.reports.mark();
        let id = match template {
            Some(template) => self.instance_body(index, template),
            None => self.body_of(index),
        };
        self.move_out_of_headers(before, span);
        id
    }

    /// What was reported since `before`, and stands in a header of CUDA's, is wrong with what stands
    /// at `span`, unless that is in a header too.
    pub fn move_out_of_headers(&mut self, before: Mark, span: Span) {
        if is_library(&self.names.namespaces.current) {
            return;
        }
        for diagnostic in self.reports.since(before) {
            if self.functions.is_in_header(diagnostic.span()) {
                let error = Diagnostic::error(span, std::mem::take(&mut diagnostic.message));
                let help = diagnostic.help.take();
                *diagnostic = Diagnostic { help, ..error };
            }
        }
    }

    /// [`Checker::body_of`] for an instance: errors say with which arguments.
    pub fn instance_body(&mut self, index: usize, template: usize) -> Option<FunctionId> {
        let before = self.reports.mark();
        let id = self.body_of(index);
        if !self.reports.any_since(before) {
            return id;
        }
        let name = &self.functions.signatures[index].name;
        for error in self.reports.since(before) {
            if error.notes.is_empty() {
                error
                    .notes
                    .push(format!("in `{name}`, made from a template"));
            }
        }
        // One instance's errors are enough: the same mistake is in all of them.
        match self.functions.templates[template].failed.clone() {
            Some(first) => {
                self.reports.take_back(before);
                self.reports.repeat(&first);
            }
            None => self.functions.templates[template].failed = self.reports.cause_since(before),
        }
        id
    }

    pub fn plain_request(
        &mut self,
        candidates: &[Candidate],
        path: &ast::Path,
    ) -> Result<FunctionId, Diagnostic> {
        let name = path.joined();
        let error = |message: String| Diagnostic::error(Span::default(), message);
        if path.arguments().is_some() {
            return Err(error(format!(
                "`{name}` is not a template: leave `<…>` out"
            )));
        }
        let kernel = candidates.iter().find_map(|candidate| match candidate {
            Candidate::Function(index)
                if self.functions.signatures[*index].runs_on == RunsOn::Kernel =>
            {
                Some(*index)
            }
            _ => None,
        });
        let id = kernel.and_then(|index| self.body_of(index));
        id.ok_or_else(|| error(format!("`{name}` is not a kernel")))
    }

    /// The functions that a launch names.
    fn requested(&mut self, path: &ast::Path, name: &str) -> Result<Vec<Candidate>, Diagnostic> {
        let error = |message: String| Diagnostic::error(Span::default(), message);
        let found = self.names.find_path(path).map(|entry| entry.symbol.clone());
        let candidates = match found {
            Some(Symbol::Functions(candidates)) => candidates,
            Some(Symbol::Host(why)) => {
                self.report_unread(&why);
                return Err(error(format!("`{name}` could not be read")));
            }
            _ => return Err(error(format!("no kernel is called `{name}`"))),
        };
        for candidate in &candidates {
            if let Candidate::Host(at) = candidate {
                let why = self.functions.of_host[*at].clone();
                self.report_unread(&why);
            }
        }
        Ok(candidates)
    }

    /// The kernel that a launch names, as in `softmax<float, 4>`; or what is wrong with the name.
    pub fn request(&mut self, path: &ast::Path) -> Result<FunctionId, Diagnostic> {
        let error = |message: String| Diagnostic::error(Span::default(), message);
        let name = path.joined();
        let candidates = self.requested(path, &name)?;
        let template = candidates.iter().find_map(|candidate| match candidate {
            Candidate::Template(template) => Some(*template),
            Candidate::Function(_) | Candidate::Host(_) => None,
        });
        let Some(template) = template else {
            return self.plain_request(&candidates, path);
        };
        let of = &self.functions.templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        if of.function.specifiers.global.is_none() {
            return Err(error(format!("`{name}` is not a kernel")));
        }
        let before = self.reports.mark();
        let written = self.template_arguments(path.arguments().unwrap_or(&[]));
        let Some(written) = written else {
            let wrong = self.reports.take_back(before);
            let why = wrong.map_or(String::new(), |cause| cause.diagnostic().message.clone());
            return Err(error(format!("`{name}`: {why}")));
        };
        let given = written.into_iter().map(Some).collect();
        let arguments = self
            .complete(&params, &context, given)
            .map_err(|why| error(format!("`{name}`: {why}")))?;
        let instance = self.instantiate(template, arguments);
        let id = instance.and_then(|index| self.instance_body(index, template));
        id.ok_or_else(|| error(format!("`{name}` cannot be made from its template")))
    }
}
