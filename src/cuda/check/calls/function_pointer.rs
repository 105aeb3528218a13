//! Pointers to functions: functions of the host as values, and calls through them.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, TemplateArgument};
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Operand, ParamType, RunsOn, Side, Signature, Symbol, constant,
    load, node, pointer,
};
use crate::cuda::typed::{
    Expr, ExprKind, Function, FunctionId, FunctionType, HostExpr, Local, Place, PlaceKind, Stmt,
    StmtKind, Storage, Struct, Type,
};

impl Checker {
    /// A function by its name, as a value.
    pub fn function_value(
        &mut self,
        candidates: &[Candidate],
        template: Option<&[TemplateArgument]>,
        span: Span,
    ) -> Option<Operand> {
        let index = match (candidates, template) {
            ([Candidate::Function(index)], None) => *index,
            ([Candidate::Host(at)], _) => {
                let why = self.functions.of_host[*at].clone();
                return self.is_for_host("this function", &why, span);
            }
            (_, Some(written)) => self.instance_by_arguments(candidates, written, span)?,
            _ => return self.unclear_function(span),
        };
        self.function_address(index, span).map(Operand::Value)
    }

    /// The function that the only template among these which takes the template arguments that are written makes of
    /// them ([over.over]).
    pub fn instance_by_arguments(
        &mut self,
        candidates: &[Candidate],
        written: &[TemplateArgument],
        span: Span,
    ) -> Option<usize> {
        let arguments = self.template_arguments(written)?;
        let (mut found, mut wrong) = (Vec::new(), None);
        for candidate in candidates {
            let Candidate::Template(template) = *candidate else {
                continue;
            };
            let of = &self.functions.templates[template];
            let (params, context) = (of.params.clone(), of.context.clone());
            let given = arguments.iter().cloned().map(Some).collect();
            match self.complete(&params, &context, given) {
                Ok(arguments) => found.push((template, arguments)),
                Err(why) => wrong = wrong.or(Some(why)),
            }
        }
        match (&found[..], wrong) {
            ([(template, arguments)], _) => self.instantiate(*template, arguments.clone()),
            ([], Some(why)) => self.error(span, why),
            ([], None) => None,
            _ => self.unclear_function(span),
        }
    }

    /// [over.over]: which overload is meant follows from the target's type, which is not known here.
    fn unclear_function<T>(&mut self, span: Span) -> Option<T> {
        let error = Diagnostic::error(span, "it is not clear which of these functions is meant");
        self.refuse(error.help("store it in a variable of its type first"))
    }

    /// The address of a function.
    fn function_address(&mut self, index: usize, span: Span) -> Option<Expr> {
        // Its definition may stand outside its struct, further down: without it, it looks undefined.
        self.define_out_of_line(index);
        let signature = self.functions.signatures[index].clone();
        let of = function_type(&signature)?;
        let id = match signature.is_prototype_of_library() {
            // The library's functions have no number of their own that an address could be made of.
            true => self.caller_of_library(&signature, &of),
            false => {
                if !signature.is_defined() {
                    self.refuse_call(&signature, span)?;
                }
                // A function of both sides has `__host__` as well.
                if signature.runs_on == RunsOn::Device
                    && signature.function.specifiers.host.is_none()
                {
                    self.refuse_call(&signature, span)?;
                }
                self.body_of(index)?
            }
        };
        Some(self.address_of_function(id, of, span))
    }

    fn address_of_function(&mut self, id: FunctionId, of: FunctionType, span: Span) -> Expr {
        self.frame.uses_host = true;
        let kind = ExprKind::Host(Box::new(HostExpr::FunctionAddress(id)));
        node(kind, pointer(Type::Function(Box::new(of)), false), span)
    }

    /// A function that does nothing but to call one of the library's.
    fn caller_of_library(&mut self, signature: &Signature, of: &FunctionType) -> FunctionId {
        let name = signature.function.name.name.to_string();
        self.made_function(&name, of, signature.span, |arguments| {
            ExprKind::Host(Box::new(HostExpr::Library(name.clone(), arguments)))
        })
    }

    /// A function of so many parameters that returns what `call` makes of them.
    pub(super) fn made_function(
        &mut self,
        name: &str,
        of: &FunctionType,
        span: Span,
        call: impl FnOnce(Vec<Expr>) -> ExprKind,
    ) -> FunctionId {
        let params = of.params.iter();
        let locals = params.map(|ty| Local::new("", ty.clone(), Storage::Thread, span));
        let locals: Vec<Local> = locals.collect();
        let values = locals.iter().enumerate().map(|(id, local)| {
            let (kind, ty) = (PlaceKind::Local(id), local.ty.clone());
            load(Operand::place(Place { kind, ty, span }, false))
        });
        let value = node(call(values.collect()), of.returns.clone(), span);
        let kind = match of.returns {
            Type::Void => StmtKind::Expr(value),
            _ => StmtKind::Return(Some(value)),
        };
        self.program.functions.push(Function {
            name: name.to_owned(),
            span,
            is_kernel: false,
            is_host: true,
            is_library: true,
            returns: of.returns.clone(),
            parameter_count: locals.len(),
            locals,
            body: vec![Stmt { kind, span }],
            max_threads: None,
            on_host: None,
        });
        self.program.functions.len() - 1
    }

    /// What an expression means as a pointer to a function of this type, if it names functions.
    pub fn function_of_type(&mut self, written: &ast::Expr, of: &FunctionType) -> Option<Expr> {
        let found = self.names.find_named(written).flatten();
        let candidates = match found.map(|entry| entry.symbol.clone()) {
            Some(Symbol::Functions(candidates)) => candidates,
            Some(_) => return None,
            None => return self.builtin_of_type(written, of),
        };
        let given = match named_arguments(written) {
            Some(written) => Some(self.template_arguments(written)?),
            None => None,
        };
        for candidate in candidates {
            let index = match candidate {
                Candidate::Function(index) if given.is_none() => Some(index),
                Candidate::Template(template) => {
                    let given = given.clone().unwrap_or_default();
                    self.instance_of_type(template, given, of)
                }
                Candidate::Function(_) | Candidate::Host(_) => None,
            };
            let Some(index) = index else {
                continue;
            };
            if function_type(&self.functions.signatures[index]).as_ref() == Some(of) {
                return self.function_address(index, written.span);
            }
        }
        None
    }

    /// [temp.deduct.funcaddr]: a template's function with these parameters, of arguments that are given first.
    pub fn instance_of_type(
        &mut self,
        template: usize,
        given: Vec<Argument>,
        of: &FunctionType,
    ) -> Option<usize> {
        let template_of = &self.functions.templates[template];
        let (params, context) = (template_of.params.clone(), template_of.context.clone());
        let function = template_of.function.clone();
        if function.params.len() != of.params.len() {
            return None;
        }
        if given.len() > params.len() {
            return None;
        }
        let mut found: Vec<Option<Argument>> = given.into_iter().map(Some).collect();
        found.resize(params.len(), None);
        for (param, ty) in function.params.iter().zip(&of.params) {
            let is_reference = matches!(
                param.ty.modifiers.last(),
                Some(ast::Modifier::Reference { .. })
            );
            // In a function's type references are pointers: deduction must see what they refer to.
            let (ty, is_const) = match ty {
                Type::Pointer { to, is_const } if is_reference => (&**to, *is_const),
                ty => (ty, false),
            };
            if !self
                .types
                .unify(&params, &param.ty, ty, is_const, true, &mut found)
            {
                return None;
            }
        }
        let arguments = self.complete(&params, &context, found).ok()?;
        self.instantiate(template, arguments)
    }

    /// Whether a struct is a lambda with so many parameters that may become a pointer.
    pub fn is_lambda_for(&self, of: &Struct, parameter_count: usize) -> bool {
        let has_count = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => self.functions.signatures[*at].takes(parameter_count),
            Candidate::Template(at) => {
                self.functions.templates[*at].function.params.len() == parameter_count
            }
            Candidate::Host(_) => false,
        };
        let methods = self.types.methods(of, "operator()").unwrap_or_default();
        // Only a lambda without captures converts: a pointer has no room for what it captured.
        let record = self.types.record_of(of);
        record.is_some_and(|record| record.is_closure && of.fields().is_empty())
            && methods.iter().any(has_count)
    }

    /// The type of the function that a lambda converts to a pointer to, if there is only one.
    pub fn function_of_lambda(&mut self, of: &Struct) -> Option<FunctionType> {
        let methods = self.types.methods(of, "operator()")?;
        let [Candidate::Function(index)] = methods[..] else {
            return None;
        };
        // What it returns may follow from its body alone.
        self.body_of(index)?;
        let called = function_type(&self.functions.signatures[index])?;
        self.is_lambda_for(of, called.params.len())
            .then_some(called)
    }

    /// A lambda that keeps nothing, as a pointer to a function ([expr.prim.lambda.closure]).
    pub fn lambda_as_pointer(&mut self, of: &Struct, to: &Type, span: Span) -> Option<Expr> {
        let Type::Pointer { to, .. } = to else {
            return None;
        };
        let Type::Function(wanted) = &**to else {
            return None;
        };
        if !self.is_lambda_for(of, wanted.params.len()) {
            return None;
        }
        let methods = self.types.methods(of, "operator()")?;
        let index = match methods[..] {
            [Candidate::Function(index)] => index,
            [Candidate::Template(template)] => {
                self.instance_of_type(template, Vec::new(), wanted)?
            }
            _ => return None,
        };
        let id = self.body_of(index)?;
        if function_type(&self.functions.signatures[index]).as_ref() != Some(&**wanted) {
            return None;
        }
        // Null will do: without captures the body reads nothing of its object.
        let this = constant(pointer(Type::Struct(of.clone()), false), 0, span);
        let made = self.made_function("lambda", wanted, span, |mut arguments| {
            arguments.insert(0, this);
            ExprKind::Call(id, arguments)
        });
        Some(self.address_of_function(made, (**wanted).clone(), span))
    }

    /// A call through a pointer to a function.
    pub fn call_pointer(
        &mut self,
        callee: Operand,
        of: &FunctionType,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Operand> {
        if arguments.len() != of.params.len() {
            let (wanted, given) = (of.params.len(), arguments.len());
            let message = format!("this function takes {wanted} arguments, not {given}");
            return self.error(span, message);
        }
        let params = of.params.iter().zip(&of.references);
        let pairs = arguments.into_iter().zip(params);
        let passed = pairs.map(|(argument, (ty, by))| self.passed_through(argument, ty, *by));
        // All of them, before the first refused one ends it: each wrong argument is told.
        let passed: Vec<Option<Expr>> = passed.collect();
        let passed = passed.into_iter().collect::<Option<Vec<_>>>()?;
        let call = if self.frame.side == Side::Gpu {
            self.call_device_pointer(callee, of, passed, span)?
        } else {
            self.frame.uses_host = true;
            let call = HostExpr::CallPointer(load(callee), passed);
            node(ExprKind::Host(Box::new(call)), of.returns.clone(), span)
        };
        Some(match &of.returns {
            Type::Pointer { to, is_const } if of.returns_reference => {
                let ty = (**to).clone();
                let kind = PlaceKind::Deref(Box::new(call));
                Operand::place(Place { kind, ty, span }, *is_const)
            }
            _ => Operand::Value(call),
        })
    }

    /// What is passed to a parameter of this type, which for a reference is a pointer.
    fn passed_through(
        &mut self,
        argument: Operand,
        ty: &Type,
        reference: Option<bool>,
    ) -> Option<Expr> {
        match (ty, reference) {
            (Type::Pointer { to, is_const }, Some(is_rvalue)) => {
                let param = ParamType {
                    ty: (**to).clone(),
                    is_const: *is_const,
                    is_reference: true,
                    is_rvalue,
                };
                self.passed(argument, &param)
            }
            _ => self.coerce(load(argument), ty),
        }
    }
}

/// The template arguments of `f<int>` and of `&f<int>`.
pub fn named_arguments(written: &ast::Expr) -> Option<&[TemplateArgument]> {
    match &written.kind {
        ast::ExprKind::Prefix(ast::PrefixOp::AddressOf, inner) => named_arguments(inner),
        ast::ExprKind::Path(path) => path.arguments(),
        _ => None,
    }
}

/// The type of a function: of references, pointers.
pub fn function_type(signature: &Signature) -> Option<FunctionType> {
    let passed = |param: &ParamType| match param.is_reference {
        true => pointer(param.ty.clone(), param.is_const),
        false => param.ty.clone(),
    };
    let returns = signature.returns.ty.clone()?;
    let params = signature.params.as_ref()?.iter();
    let reference = |param: &ParamType| param.is_reference.then_some(param.is_rvalue);
    Some(FunctionType {
        returns: match signature.returns.reference {
            Some(is_const) => pointer(returns, is_const),
            None => returns,
        },
        returns_reference: signature.returns.reference.is_some(),
        params: params.clone().map(passed).collect(),
        references: params.map(reference).collect(),
    })
}

/// The type of the function that a pointer, or a function itself, leads to.
pub fn pointed_function(ty: &Type) -> Option<&FunctionType> {
    match ty {
        Type::Function(of) => Some(of),
        Type::Pointer { to, .. } => match &**to {
            Type::Function(of) => Some(of),
            _ => None,
        },
        _ => None,
    }
}
