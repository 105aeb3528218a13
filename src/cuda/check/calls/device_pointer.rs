//! Pointers to functions in code of the GPU. The machine has no calls through registers: a call through a pointer asks
//! which of the file's functions of that type it is, so that lanes with different functions take turns, as on a GPU.

use crate::source::{Diagnostic, Span};

use super::function_pointer::function_type;
use crate::cuda::resolve::{
    BodyState, Candidate, Checker, Dispatcher, FUNCTION_OBJECT, Operand, RunsOn, constant, load,
    node, pointer, scalar,
};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, Function, FunctionId, FunctionType, Local, Place, PlaceKind, Scalar,
    Stmt, StmtKind, Storage, Struct, Type,
};

/// The address of a function of the GPU, which nothing else has: buffers lie far above.
fn address_of_function(id: FunctionId) -> u64 {
    8 * (id as u64 + 1)
}

impl Checker {
    /// The address of a function that an object of its own type stands for, as a pointer to functions of type `to`.
    pub fn device_function(&mut self, object: &Struct, to: &Type, span: Span) -> Option<Expr> {
        let Type::Pointer { to: pointee, .. } = to else {
            return None;
        };
        let Type::Function(of) = &**pointee else {
            return None;
        };
        let candidates = self.types.methods(object, "operator()")?;
        let indices = candidates
            .into_iter()
            .filter_map(|candidate| match candidate {
                Candidate::Function(index) => Some(index),
                Candidate::Template(template) => self.instance_of_type(template, Vec::new(), of),
                Candidate::Host(_) => None,
            });
        let indices: Vec<usize> = indices.collect();
        let mut signatures = indices.into_iter();
        let index = signatures.find(|&index| {
            let signature = &self.functions.signatures[index];
            signature.runs_on == RunsOn::Device && function_type(signature).as_ref() == Some(&**of)
        })?;
        let id = self.body_of(index)?;
        let addressed = &mut self.functions.pointers.addressed;
        if !addressed.iter().any(|(_, known)| *known == id) {
            addressed.push(((**of).clone(), id));
        }
        Some(constant(to.clone(), address_of_function(id), span))
    }

    /// Lets calls through pointers find the functions that were made from templates behind them.
    pub fn finish_dispatchers(&mut self) {
        let pointers = &self.functions.pointers;
        for Dispatcher { of, targets, id } in &pointers.dispatchers {
            let later = pointers
                .addressed
                .iter()
                .filter(|(ty, target)| ty == of && !targets.contains(target));
            let function = &mut self.program.functions[*id];
            let cases = later.map(|(_, target)| case_of(of, *target, function.span).statement());
            let cases: Vec<Stmt> = cases.collect();
            // Before the end for pointers to anything else.
            function.body.splice(0..0, cases);
        }
    }

    /// A value, which of a function in a kernel is its address if only one has its name.
    pub fn decayed(&mut self, value: Expr) -> Expr {
        let Type::Struct(object) = &value.ty else {
            return value;
        };
        let object = object.clone();
        let candidates = match object.name().ends_with(FUNCTION_OBJECT) {
            true => self.types.methods(&object, "operator()"),
            false => None,
        };
        let Some([Candidate::Function(index)]) = candidates.as_deref() else {
            return value;
        };
        let Some(of) = function_type(&self.functions.signatures[*index]) else {
            return value;
        };
        let to = pointer(Type::Function(Box::new(of)), false);
        self.device_function(&object, &to, value.span)
            .unwrap_or(value)
    }

    /// A call through a pointer in code of the GPU.
    pub fn call_device_pointer(
        &mut self,
        callee: Operand,
        of: &FunctionType,
        passed: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let mut all = of.params.iter().chain([&of.returns]);
        // The caller would have to end copies whose number depends on which function is called.
        if all.any(|ty| self.types.is_by_address(ty)) {
            let message = "a call through a pointer passes no objects with constructors";
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help("pass a pointer to it"));
        }
        let targets = self.targets(of);
        if targets.is_empty() {
            let error =
                Diagnostic::error(span, "this file has no `__device__` function of this type");
            return self.refuse(error);
        }
        let id = self.dispatcher_of(of, targets, span);
        let mut values = vec![load(callee)];
        values.extend(passed);
        Some(node(ExprKind::Call(id, values), of.returns.clone(), span))
    }

    /// The function that a call through a pointer of this type calls.
    fn dispatcher_of(
        &mut self,
        of: &FunctionType,
        targets: Vec<FunctionId>,
        span: Span,
    ) -> FunctionId {
        let known = self.functions.pointers.dispatchers.iter();
        // Also by targets: further functions may have been declared since.
        let mut known = known.filter(|known| known.of == *of && known.targets == targets);
        if let Some(known) = known.next() {
            return known.id;
        }
        let each = targets.iter();
        let cases = each.map(|&target| case_of(of, target, span)).collect();
        let params = [pointer_to(of)]
            .into_iter()
            .chain(of.params.iter().cloned());
        let whole = FunctionType::of_values(params.collect(), of.returns.clone());
        let id = self.dispatcher(&whole, cases, span);
        let of = of.clone();
        let made = Dispatcher { of, targets, id };
        self.functions.pointers.dispatchers.push(made);
        id
    }

    /// The functions that a pointer may lead to.
    fn targets(&mut self, of: &FunctionType) -> Vec<FunctionId> {
        let all = 0..self.functions.signatures.len();
        let of_type: Vec<usize> = all
            .filter(|&index| {
                let signature = &self.functions.signatures[index];
                signature.runs_on == RunsOn::Device
                    && signature.function.body.is_some()
                    && !signature.has_this
                    && !signature.is_library()
                    // Taken for no target, or every function that calls through a pointer of its own type would
                    // count as one that calls itself.
                    && signature.state != BodyState::Open
                    && function_type(signature).as_ref() == Some(of)
            })
            .collect();
        let targets = of_type.into_iter();
        targets.filter_map(|index| self.body_of(index)).collect()
    }

    /// Makes a function of this type that does the first call whose condition holds. Both name its parameters by their
    /// numbers.
    pub(super) fn dispatcher(
        &mut self,
        of: &FunctionType,
        cases: Vec<Case>,
        span: Span,
    ) -> FunctionId {
        let local = |ty| Local::new("", ty, Storage::Thread, span);
        let mut locals: Vec<Local> = of.params.iter().cloned().map(local).collect();
        let parameter_count = locals.len();
        let mut body: Vec<Stmt> = cases.into_iter().map(Case::statement).collect();
        // A pointer to anything else ends the launch.
        let trap = node(ExprKind::Trap(None), Type::Void, span);
        let mut end = vec![StmtKind::Expr(trap)];
        if of.returns != Type::Void {
            locals.push(local(of.returns.clone()));
            // Never reached, but every path of a function with a result has to return one.
            let nothing = value_of_local(parameter_count, &of.returns, span);
            end.push(StmtKind::Return(Some(nothing)));
        }
        body.extend(end.into_iter().map(|kind| Stmt { kind, span }));
        self.program.functions.push(Function {
            name: "call through a pointer".to_owned(),
            span,
            is_kernel: false,
            is_host: false,
            is_library: true,
            returns: of.returns.clone(),
            parameter_count,
            locals,
            body,
            max_threads: None,
            on_host: None,
        });
        self.program.functions.len() - 1
    }
}

/// One of several calls, and when it is done.
pub(super) struct Case {
    pub condition: Expr,
    pub call: Expr,
}

impl Case {
    fn statement(self) -> Stmt {
        let (call, span) = (self.call, self.condition.span);
        let then = match call.ty {
            Type::Void => vec![StmtKind::Expr(call), StmtKind::Return(None)],
            _ => vec![StmtKind::Return(Some(call))],
        };
        let kind = StmtKind::If {
            condition: self.condition,
            then: then.into_iter().map(|kind| Stmt { kind, span }).collect(),
            otherwise: Vec::new(),
        };
        Stmt { kind, span }
    }
}

fn pointer_to(of: &FunctionType) -> Type {
    pointer(Type::Function(Box::new(of.clone())), false)
}

pub(super) fn value_of_local(id: usize, ty: &Type, span: Span) -> Expr {
    let (kind, ty) = (PlaceKind::Local(id), ty.clone());
    load(Operand::place(Place { kind, ty, span }, false))
}

/// If the first parameter is a function's address, its call with the others.
fn case_of(of: &FunctionType, target: FunctionId, span: Span) -> Case {
    let to = pointer_to(of);
    let address = constant(to.clone(), address_of_function(target), span);
    let [is, this] = [value_of_local(0, &to, span), address].map(Box::new);
    let condition = ExprKind::Binary(BinaryOp::Eq, is, this);
    let arguments = of.params.iter().enumerate();
    let arguments = arguments.map(|(at, ty)| value_of_local(at + 1, ty, span));
    let call = ExprKind::Call(target, arguments.collect());
    Case {
        condition: node(condition, scalar(Scalar::Bool), span),
        call: node(call, of.returns.clone(), span),
    }
}
