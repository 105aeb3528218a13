//! Launches of kernels by the host.

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use super::function_pointer::pointed_function;
use super::overload::Viable;
use super::refuse::DEFINE_IT;
use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::resolve::{
    Candidate, Checker, Operand, RunsOn, Side, Symbol, constant, convert, load, node, scalar,
};
use crate::cuda::typed::{Expr, ExprKind, HostExpr, Launch, Scalar, Type};

/// What a launch names.
pub struct Launched {
    pub candidates: Vec<Candidate>,
    /// Template arguments that are written.
    pub template: Option<Vec<ast::TemplateArgument>>,
}

impl Checker {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    pub fn launch(
        &mut self,
        kernel: &ast::Expr,
        config: &[ast::Expr],
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        if self.frame.side == Side::Gpu {
            return self.child_launch(kernel, config, arguments, span);
        }
        self.frame.uses_host = true;
        // A name that is a function's is found among candidates; anything else has a value that points to one.
        if self.names_variable(kernel) {
            let operands = self.operands(arguments);
            let config = self.configuration(config, span);
            let pointer = self.value(kernel)?;
            let (operands, config) = (operands?, config?);
            return self.launch_pointer(pointer, config, operands, span);
        }
        let launched = self.launched(kernel);
        let candidates = launched.as_ref().map_or(&[][..], |of| &of.candidates);
        // All are checked before one ends it, so that errors of all are told.
        let template = launched.as_ref().and_then(|of| of.template.as_deref());
        let operands = self.operands_for(candidates, template, arguments);
        let config = self.configuration(config, span);
        let (launched, operands, config) = (launched?, operands?, config?.map(Box::new));
        let (chosen, arguments) = self.meant_kernel(kernel, &launched, operands, span)?;
        let kernel = self.body_for_call(chosen.signature, chosen.template, span)?;
        let [grid, block, shared, stream] = config;
        let launch = Launch {
            kernel,
            grid,
            block,
            shared,
            stream,
            arguments,
        };
        Some(self.host(HostExpr::Launch(launch), Type::Void, span))
    }

    /// The kernel that a launch with these arguments means, and what it is passed.
    pub fn meant_kernel(
        &mut self,
        kernel: &ast::Expr,
        launched: &Launched,
        operands: Vec<Operand>,
        span: Span,
    ) -> Option<(Viable, Vec<Expr>)> {
        let name = self.name_of_launched(kernel);
        let callee = Callee {
            name: &name,
            candidates: &launched.candidates,
            template: launched.template.as_deref(),
            this: None,
            at: kernel.span,
        };
        let chosen = self.meant(&callee, &operands, span)?;
        self.refuse_launch(chosen.signature, &name, kernel.span)?;
        let arguments = self.passed_to(chosen.signature, operands, span)?;
        Some((chosen, arguments))
    }

    /// Reports what cannot be launched.
    fn refuse_launch(&mut self, index: usize, name: &str, at: Span) -> Option<()> {
        let signature = &self.functions.signatures[index];
        let (message, help) = if signature.runs_on != RunsOn::Kernel {
            (
                format!("`{name}` is not a kernel"),
                "put `__global__` before it, or call it without `<<<…>>>`",
            )
        } else if !signature.is_defined() {
            (
                format!("the kernel `{name}` is declared but defined nowhere"),
                DEFINE_IT,
            )
        } else {
            return Some(());
        };
        let error = Diagnostic::error(at, message).also(signature.span, "declared here");
        self.refuse(error.help(help))
    }

    /// Whether what is launched is no function by its name.
    fn names_variable(&self, kernel: &ast::Expr) -> bool {
        let found = match &kernel.kind {
            Written::Name(name) => self.names.find(name),
            Written::Path(path) => self.names.find_path(path),
            _ => return true,
        };
        found.is_some_and(|entry| entry.symbol.is_object())
    }

    /// A launch through a pointer, which may point to a function of the host: as `nvcc` has it, the configuration is
    /// pushed, the function is called, and what stands for a kernel on the host takes the configuration.
    fn launch_pointer(
        &mut self,
        kernel: Expr,
        configuration: [Expr; 4],
        operands: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        let Some(of) = pointed_function(&kernel.ty).cloned() else {
            let message = format!("a `{}` is not a kernel", kernel.ty);
            return self.error(kernel.span, message);
        };
        let name = "__cudaPushCallConfiguration".to_owned();
        let push = HostExpr::Library(name, configuration.into());
        let push = node(ExprKind::Host(Box::new(push)), scalar(Scalar::I32), span);
        let call = self.call_pointer(Operand::Value(kernel), &of, operands, span)?;
        // A launch has no value: what goes wrong is found by `cudaGetLastError`.
        let kind = ExprKind::Nothing(vec![push, load(call)]);
        Some(node(kind, Type::Void, span))
    }

    fn name_of_launched(&self, kernel: &ast::Expr) -> String {
        match &kernel.kind {
            Written::Name(name) => name.to_string(),
            Written::Path(path) => path.joined(),
            _ => "this".to_owned(),
        }
    }

    /// The functions that a launch may mean, and template arguments that are written.
    pub fn launched(&mut self, kernel: &ast::Expr) -> Option<Launched> {
        let (found, template) = match &kernel.kind {
            Written::Name(name) => (self.names.find(name).cloned(), None),
            Written::Path(path) => {
                let template = path.arguments().map(<[_]>::to_vec);
                (self.names.find_path(path).cloned(), template)
            }
            _ => (None, None),
        };
        let name = self.name_of_launched(kernel);
        match self.known(&name, found, kernel.span)? {
            Some(entry) => match entry.symbol {
                Symbol::Functions(candidates) => Some(Launched {
                    candidates,
                    template,
                }),
                _ => self.error(kernel.span, format!("`{name}` is not a kernel")),
            },
            None => {
                self.unknown(&name.as_str().into(), kernel.span, true);
                None
            }
        }
    }

    /// Grid, block, bytes of shared memory and stream.
    fn configuration(&mut self, written: &[ast::Expr], span: Span) -> Option<[Expr; 4]> {
        self.has_grid_and_block(written, span)?;
        let grid = self.dimensions(&written[0]);
        let block = self.dimensions(&written[1]);
        let number = scalar(Scalar::U64);
        let zero = |at: &ast::Expr| constant(number.clone(), 0, at.span);
        let shared = match written.get(2) {
            Some(written) => self.value_of_type(written, &number),
            None => Some(zero(&written[1])),
        };
        let stream = match written.get(3) {
            Some(written) => self.stream(written).map(|stream| convert(stream, &number)),
            None => Some(zero(&written[1])),
        };
        Some([grid?, block?, shared?, stream?])
    }

    /// The stream of a launch: an object of a class that holds one converts to it.
    fn stream(&mut self, written: &ast::Expr) -> Option<Expr> {
        let operand = self.operand(written)?;
        let declared = self.names.scopes[0].get("cudaStream_t");
        match (operand.ty(), declared.map(|entry| entry.symbol.clone())) {
            (Type::Struct(_), Some(Symbol::Type(ty, _))) => self.coerce(load(operand), &ty),
            _ => Some(load(operand)),
        }
    }

    /// An error unless as many values are written as a launch takes.
    pub fn has_grid_and_block(&mut self, written: &[ast::Expr], span: Span) -> Option<()> {
        if (2..=4).contains(&written.len()) {
            return Some(());
        }
        let error = Diagnostic::error(span, "a launch needs a grid and a block");
        self.refuse(error.help("write `kernel<<<grid, block>>>(…)`"))
    }

    /// A number, or a `dim3`, as a `dim3`.
    pub fn dimensions(&mut self, written: &ast::Expr) -> Option<Expr> {
        // The outermost scope: a program may call something of its own `dim3`.
        let dim3 = self.names.scopes[0].get("dim3")?.symbol.clone();
        let Symbol::Type(ty, _) = dim3 else {
            return None;
        };
        if let Written::Braces(values) = &written.kind {
            return self.construct(&ty, values, true, written.span);
        }
        let operand = self.operand(written)?;
        if *operand.ty() == ty {
            return Some(load(operand));
        }
        let Type::Struct(of) = &ty else {
            return None;
        };
        let value = Operand::Value(load(operand));
        self.constructed(&of.clone(), vec![value], written.span)
    }
}
