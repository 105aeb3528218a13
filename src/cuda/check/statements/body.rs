//! Bodies of functions: statements.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::flow::{always_returns, returned_variable};
use crate::cuda::ast::{self, ExprKind as Written, StmtKind as WrittenStmt};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    About, Checker, Facts, Frame, Mark, ParamType, RunsOn, Side, Signature, Symbol, constant,
    pointer, scalar,
};
use crate::cuda::typed::{
    Expr, ExprKind, Function, HostStmt, Scalar, Stmt, StmtKind, Storage, Type,
};

impl Checker {
    /// The function that a signature's body makes.
    pub fn function(&mut self, index: usize) -> Function {
        let signature = self.functions.signatures[index].clone();
        let function = self.checked_function(index, &signature);
        let Some(body) = signature.function.source.host_body.clone() else {
            return function;
        };
        let mut written = (*signature.function).clone();
        written.body = Some((*body).clone());
        written.source.host_body = None;
        let on_host = Signature {
            function: Rc::new(written),
            runs_on: RunsOn::Host,
            ..signature
        };
        Function {
            on_host: Some(Box::new(self.checked_function(index, &on_host))),
            ..function
        }
    }

    fn checked_function(&mut self, index: usize, signature: &Signature) -> Function {
        let written = signature.function.clone();
        self.begin_frame(signature);
        let before = self.reports.mark();
        if let Some(why) = &written.source.broken {
            self.report((**why).clone());
        }
        let max_threads = self.max_threads(&written.specifiers);
        let body = self.scoped(|checker| checker.whole_body(signature));
        if let Some(function) = self.again_for_object(index, signature, before) {
            return function;
        }
        let returns = self.returned(index, signature);
        if !self.reports.any_since(before) {
            self.warn_of_no_return(signature, &returns, &body);
        }
        let body = self.with_ends(body);
        let frame = std::mem::take(&mut self.frame);
        let reference = frame.returns.reference;
        Function {
            name: frame.function.name,
            span: written.name.span,
            is_kernel: frame.function.is_kernel,
            is_host: signature.runs_on == RunsOn::Host || frame.uses_host,
            is_library: signature.is_library(),
            returns: match reference {
                Some(is_const) => pointer(returns, is_const),
                None if frame.objects.result.is_some() => Type::Void,
                None => returns,
            },
            parameter_count: signature.params.as_ref().map_or(0, Vec::len)
                + usize::from(frame.objects.result.is_some())
                + usize::from(signature.has_this)
                + signature.context.captures.places.len(),
            locals: frame.locals,
            body: [frame.hoisted, body].concat(),
            max_threads,
            on_host: None,
        }
    }

    /// A function whose `return` says that it makes an object is checked again with a place for that.
    fn again_for_object(
        &mut self,
        index: usize,
        signature: &Signature,
        before: Mark,
    ) -> Option<Function> {
        let ty = self.frame.returns.ty.clone()?;
        let is_found = self.frame.returns.is_deduced && signature.returns.is_deduced;
        if !is_found || signature.returns.reference.is_some() || !self.types.is_by_address(&ty) {
            return None;
        }
        // The second pass tells all of it again.
        self.reports.take_back(before);
        let returns = &mut self.functions.signatures[index].returns;
        (returns.ty, returns.is_deduced) = (Some(ty), false);
        Some(self.function(index))
    }

    fn begin_frame(&mut self, signature: &Signature) {
        let written = &signature.function;
        self.frame = Frame {
            returns: signature.returns.clone(),
            function: About {
                name: signature.name.to_string(),
                is_kernel: signature.runs_on == RunsOn::Kernel,
                number: self.functions.effort.begun,
                written: Some(written.clone()),
                lambda: None,
            },
            side: self.side(signature),
            ..Frame::default()
        };
        // A number of its own for each pass: names made in the body must differ.
        self.functions.effort.begun += 1;
    }

    /// Whom a function is checked for.
    pub fn side(&self, signature: &Signature) -> Side {
        match (self.host.is_program, signature.runs_on) {
            (true, RunsOn::Host) => Side::Host,
            (true, RunsOn::Device) if signature.function.specifiers.host.is_some() => Side::Both,
            _ => Side::Gpu,
        }
    }

    fn warn_of_no_return(&mut self, signature: &Signature, returns: &Type, body: &[Stmt]) {
        // [basic.start.main]: `main` returns 0 at its end.
        let is_main = self.frame.side == Side::Host && &*signature.name == "main";
        if *returns == Type::Void || always_returns(body) || is_main {
            return;
        }
        let (name, written) = (&signature.name, &signature.function);
        let message = format!("`{name}` may end without returning a `{returns}`");
        let warning = Diagnostic::warning(written.summary.end, message);
        self.report(warning.also(written.name.span, "declared here"));
    }

    /// Parameters, what a constructor begins with, and the body.
    fn whole_body(&mut self, signature: &Signature) -> Vec<Stmt> {
        let written = &signature.function;
        if signature.has_this {
            self.declare_this(signature);
        }
        // The order of these calls is that of the parameters in a call.
        self.declare_result(signature);
        self.implied_parameters(signature);
        for param in &written.params {
            self.parameter(param);
        }
        if signature.has_this {
            self.declare_captures(&signature.context.captures, signature.span);
        }
        if let Some(body) = self.memberwise(signature) {
            return body;
        }
        let mut body = match &written.constructs {
            Some(initializers) => self.construct_members(initializers, written.name.span),
            None => self.parts_end(signature),
        };
        let statements = written.body.as_deref().unwrap_or(&[]);
        if self.frame.objects.result.is_some() {
            // [class.copy.elision]: a variable that every `return` names is made where the result goes.
            self.frame.objects.elided = returned_variable(statements).map(|name| (name, None));
        }
        body.extend(self.statements(statements));
        body
    }

    fn max_threads(&mut self, specifiers: &ast::Specifiers) -> Option<u32> {
        let (span, arguments) = specifiers.launch_bounds.as_ref()?;
        if !(1..=3).contains(&arguments.len()) {
            let message =
                "`__launch_bounds__` takes the most threads of a block, and blocks of an SM";
            return self.error(*span, message);
        }
        let most = self.constant_integer(&arguments[0], "the most threads of a block")?;
        for argument in &arguments[1..] {
            self.constant_integer(argument, "the least blocks of an SM")?;
        }
        match u32::try_from(most) {
            Ok(most @ 1..=1024) => Some(most),
            _ => {
                let message = format!("a block has 1 to 1024 threads, not {most}");
                self.error(arguments[0].span, message)
            }
        }
    }

    /// What the function returns, which `auto` leaves to the body: then its signature says so from now on.
    fn returned(&mut self, index: usize, signature: &Signature) -> Type {
        if !self.frame.returns.is_deduced {
            return signature.returns.ty.clone().unwrap_or(Type::Void);
        }
        let returns = self.frame.returns.ty.clone().unwrap_or(Type::Void);
        let known = &mut self.functions.signatures[index].returns;
        (known.ty, known.reference) = (Some(returns.clone()), self.frame.returns.reference);
        returns
    }

    /// Declares a parameter in the function being checked.
    pub fn parameter(&mut self, param: &ast::Param) {
        let before = self.reports.mark();
        let resolved = self.parameter_type(&param.ty);
        let (name, span) = match &param.name {
            Some(name) => (&*name.name, name.span),
            None => ("", param.span),
        };
        let refused = match resolved {
            Some(_) => None,
            None => Some(self.refused_since(before, param.span)),
        };
        let last = param.ty.modifiers.last();
        let is_written_reference = matches!(last, Some(ast::Modifier::Reference { .. }));
        let local = match resolved {
            Some(of) if self.is_passed_by_address(&of) => {
                let ty = pointer(of.ty, of.is_const);
                let local = self.frame.reference(name, ty, span);
                self.frame.facts[local].is_own = !is_written_reference;
                local
            }
            // Of a type that is refused, the body is still looked at: a number raises the fewest further errors.
            resolved => {
                let (ty, is_const) = resolved.map_or((scalar(Scalar::I32), false), |param| {
                    (param.ty, param.is_const)
                });
                let facts = Facts {
                    is_const,
                    ..Facts::default()
                };
                self.frame.local(name, ty, Storage::Thread, span, facts)
            }
        };
        self.frame.locals[local].is_restrict = last.is_some_and(ast::Modifier::is_restrict);
        self.frame.locals[local].is_volatile = param.ty.is_volatile;
        if let Some(name) = &param.name {
            self.declare(name, refused.unwrap_or(Symbol::Local(local)));
        }
    }

    /// Whether the function gets an address: of references, and of objects that are more than their bytes.
    fn is_passed_by_address(&self, param: &ParamType) -> bool {
        let is_kernel = self.frame.function.is_kernel;
        param.is_reference || self.types.is_by_address(&param.ty) && !is_kernel
    }

    pub fn statements(&mut self, written: &[ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(written.len());
        for statement in written {
            self.statement(statement, &mut out);
        }
        out
    }

    /// A statement with a scope of its own, as a list.
    pub fn body(&mut self, written: &ast::Stmt) -> Vec<Stmt> {
        self.scoped(|checker| match &written.kind {
            WrittenStmt::Block(body) => checker.statements(body),
            _ => {
                let mut out = Vec::new();
                checker.statement(written, &mut out);
                out
            }
        })
    }

    pub fn statement(&mut self, written: &ast::Stmt, out: &mut Vec<Stmt>) {
        let span = written.span;
        let before = self.reports.mark();
        match &written.kind {
            WrittenStmt::Empty => {}
            WrittenStmt::Declare(declaration) => self.declaration(declaration, out),
            WrittenStmt::Alias(alias) => self.alias(alias),
            WrittenStmt::UsingNamespace(path) => self.using_namespace(path),
            WrittenStmt::NamespaceAlias(name, path) => self.namespace_alias(name, path),
            WrittenStmt::UsingName(path) => self.using_name(path),
            WrittenStmt::Assert(assert) => self.static_assert(assert),
            WrittenStmt::Enum(written) => self.enumeration(written),
            WrittenStmt::Record(record) => self.record(record),
            WrittenStmt::Refused(name) => {
                self.reports.repeat_parser(name.span);
                let refused = self.refused_since(before, name.span);
                self.declare(name, refused);
            }
            WrittenStmt::Bind(binding) => {
                self.binding(binding, span, out);
            }
            // [stmt.if]: of `if constexpr` only one branch is looked at, or none where there is no `else`.
            WrittenStmt::If {
                is_constant: true,
                condition,
                then,
                otherwise,
            } => match self.constant_if(condition, then, otherwise.as_deref()) {
                Some(chosen) => out.extend(chosen.map(|chosen| {
                    let kind = StmtKind::Block(self.body(chosen));
                    Stmt { kind, span }
                })),
                None => self.reports.require(before, span),
            },
            _ => match self.executed(written, before) {
                Some(kind) => out.push(Stmt { kind, span }),
                None => self.reports.require(before, span),
            },
        }
    }

    /// A statement that is no declaration; `before` is what was reported before it.
    fn executed(&mut self, written: &ast::Stmt, before: Mark) -> Option<StmtKind> {
        let span = written.span;
        match &written.kind {
            WrittenStmt::Expr(expr) => self.expression_statement(expr),
            WrittenStmt::Block(_) => Some(StmtKind::Block(self.body(written))),
            WrittenStmt::RangeFor {
                element,
                range,
                body,
            } => self.scoped(|checker| checker.range_for(element, range, body)),
            WrittenStmt::Case(_) => {
                let message = "this label is not directly in a `switch`";
                self.error(span, message)
            }
            WrittenStmt::Switch(value, body) => self.switch(value, body, span),
            WrittenStmt::If {
                condition,
                then,
                otherwise,
                ..
            } => self.if_statement(condition, then, otherwise.as_deref()),
            WrittenStmt::Loop { .. } => self.scoped(|checker| checker.loop_statement(written)),
            WrittenStmt::Label(name) => self.jump(HostStmt::Label, name, span),
            WrittenStmt::Goto(name) => self.jump(HostStmt::Goto, name, span),
            WrittenStmt::Try(body, handlers) => self.try_statement(body, handlers, span),
            WrittenStmt::Break => self.leave(StmtKind::Break, "break", span),
            WrittenStmt::Continue => self.leave(StmtKind::Continue, "continue", span),
            // A wrong one still leaves: what follows it is not blamed for its fault.
            WrittenStmt::Return(value) => {
                self.return_statement(value.as_ref(), span).or_else(|| {
                    self.reports.require(before, span);
                    Some(StmtKind::Return(None))
                })
            }
            // Declarations, which execute nothing.
            _ => None,
        }
    }

    /// A label, or `goto`.
    fn jump(&mut self, kind: fn(u32) -> HostStmt, name: &Name, span: Span) -> Option<StmtKind> {
        if self.frame.side != Side::Host {
            let error = Diagnostic::error(span, "`goto` is not supported yet");
            return self.refuse(error.help("use loops, `break` and `continue`"));
        }
        let label = self.frame.label(name);
        Some(StmtKind::Host(Box::new(kind(label))))
    }

    fn if_statement(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Stmt,
        otherwise: Option<&ast::Stmt>,
    ) -> Option<StmtKind> {
        let condition = self.condition(condition);
        let then = self.body(then);
        let otherwise = otherwise.map(|other| self.body(other));
        Some(StmtKind::If {
            condition: condition?,
            then,
            otherwise: otherwise.unwrap_or_default(),
        })
    }

    /// The branch that `if constexpr` chooses: only that one is checked.
    fn constant_if<'a>(
        &mut self,
        condition: &ast::Expr,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
    ) -> Option<Option<&'a ast::Stmt>> {
        match self.condition(condition)?.kind {
            ExprKind::Constant(0) => Some(otherwise),
            ExprKind::Constant(_) => Some(Some(then)),
            _ => {
                let message = "the condition of `if constexpr` must be a constant";
                let error = Diagnostic::error(condition.span, message);
                self.refuse(error.help("write `if`"))
            }
        }
    }

    fn loop_statement(&mut self, written: &ast::Stmt) -> Option<StmtKind> {
        let WrittenStmt::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = &written.kind
        else {
            return None;
        };
        let mut before = Vec::new();
        if let Some(init) = init {
            self.statement(init, &mut before);
        }
        let checked = condition
            .as_ref()
            .map(|condition| self.condition(condition));
        let next = step.as_ref().map(|step| self.discarded(step));
        let body = self.in_loop(|checker| checker.body(body));
        let condition = match checked {
            Some(condition) => Some(condition?),
            None => None,
        };
        let step = match next {
            Some(step) => Some(step?),
            None => None,
        };
        Some(StmtKind::Loop {
            init: before,
            condition,
            step,
            body,
            test_first: *test_first,
        })
    }

    /// Checks the body of a loop, which `break` and `continue` may stand in.
    pub fn in_loop<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.frame.nesting.loops += 1;
        self.frame.nesting.breakable += 1;
        let checked = check(self);
        self.frame.nesting.loops -= 1;
        self.frame.nesting.breakable -= 1;
        checked
    }

    fn leave(&mut self, kind: StmtKind, word: &str, span: Span) -> Option<StmtKind> {
        let around = match kind {
            StmtKind::Break => self.frame.nesting.breakable,
            _ => self.frame.nesting.loops,
        };
        match around {
            0 => self.error(span, format!("`{word}` is outside of any loop")),
            _ => Some(kind),
        }
    }

    fn expression_statement(&mut self, written: &ast::Expr) -> Option<StmtKind> {
        if let Written::Conditional(condition, a, b) = &written.kind
            && (is_barrier(a) || is_barrier(b))
        {
            return self.chosen_barrier(condition, a, b);
        }
        // Only CUDA's own: the file may declare a function of that name.
        if let Written::Call(callee, arguments) = &written.kind
            && let Written::Name(name) = &callee.kind
            && self.names.find(name).is_none()
        {
            match &**name {
                "__syncthreads" => {
                    self.fixed(name, &[], self.no_values(arguments), written.span)?;
                    return Some(StmtKind::Barrier);
                }
                "__syncwarp" => return self.sync_warp(arguments, written.span),
                _ => {}
            }
        }
        let expr = self.discarded(written)?;
        // Calls, assignments and `++` have an effect; these have none.
        let is_unused = match &written.kind {
            // An operator of a class, as in `stream << x`, is a call.
            Written::Binary(..) => {
                matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Constant(_))
            }
            Written::Name(_) | Written::Literal(_) | Written::Index(..) => true,
            _ => false,
        };
        if is_unused {
            self.warn_of_unused(written);
        }
        Some(StmtKind::Expr(expr))
    }

    fn warn_of_unused(&mut self, written: &ast::Expr) {
        let warning = Diagnostic::warning(written.span, "this value is not used");
        self.report(match &written.kind {
            Written::Binary(crate::cuda::typed::BinaryOp::Eq, ..) => {
                warning.help("to assign, write `=`")
            }
            _ => warning,
        });
    }

    /// `wide ? __syncthreads() : __syncwarp();`
    fn chosen_barrier(
        &mut self,
        condition: &ast::Expr,
        a: &ast::Expr,
        b: &ast::Expr,
    ) -> Option<StmtKind> {
        let condition = self.condition(condition);
        let [then, otherwise] = [a, b].map(|branch| {
            let (kind, span) = (self.expression_statement(branch)?, branch.span);
            Some(vec![Stmt { kind, span }])
        });
        Some(StmtKind::If {
            condition: condition?,
            then: then?,
            otherwise: otherwise?,
        })
    }

    /// Stand-ins, as many as there are arguments, to be counted.
    fn no_values(&self, arguments: &[ast::Expr]) -> Vec<Expr> {
        let zero = |argument: &ast::Expr| constant(scalar(Scalar::I32), 0, argument.span);
        arguments.iter().map(zero).collect()
    }

    fn sync_warp(&mut self, arguments: &[ast::Expr], span: Span) -> Option<StmtKind> {
        let u32 = scalar(Scalar::U32);
        let mask = match arguments {
            // CUDA C++ Programming Guide, "Synchronization Functions": without a mask, all lanes.
            [] => constant(u32, 0xffff_ffff, span),
            [mask] => {
                let mask = self.value(mask)?;
                self.coerce(mask, &u32)?
            }
            _ => return self.error(span, "`__syncwarp` takes a mask of lanes, or nothing"),
        };
        Some(StmtKind::SyncWarp(mask))
    }
}

/// Whether an expression is one of the barriers that stand as statements of their own.
fn is_barrier(written: &ast::Expr) -> bool {
    let Written::Call(callee, _) = &written.kind else {
        return false;
    };
    matches!(&callee.kind, Written::Name(name) if matches!(&**name, "__syncthreads" | "__syncwarp"))
}
