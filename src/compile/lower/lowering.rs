//! A kernel on its way to bytecode: what lowering carries along, and how it begins and ends.

use std::collections::HashMap;

use super::variables::Layout;
use crate::compile::analysis::{Affine, CallPlan, Context, PointsTo, RegisterRange, analyse};
use crate::compile::compiled::Fidelity;
use crate::compile::emit::{Bodies, Emitter, NewBody};
use crate::compile::optimise::{AccessPlan, ObservedAccesses, Origin, Promoted, SinkQueue};
use crate::compile::tree::words;
use crate::cuda::{Expr, ExprKind, Function, FunctionId, Program};
use crate::ir::{self, Kernel, Op, Parameter, Register, SourceMap};
use crate::source::{Diagnostic, SourceFile, Span, Stop, Work};

/// The call of the function whose statements are being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlining {
    /// Where its value goes.
    pub result: Register,
    /// Whether it has a frame that `return` leaves; otherwise its only return is its end.
    pub has_frame: bool,
    /// Whether the kernel ends behind the statement being lowered.
    pub ends_kernel: bool,
}

/// A kernel being lowered.
pub(super) struct Lower<'a> {
    pub context: Context<'a>,
    pub emitter: Emitter<'a>,
    pub inlining: Inlining,
    request: &'a Request<'a>,
    /// Which accesses are joined to others.
    pub plan: AccessPlan,
    pub observed: ObservedAccesses,
    pub sinking: SinkQueue<'a>,
    /// Places in memory that registers hold through the loops around.
    pub promoted: Vec<Promoted>,
    pub layout: Layout,
    pub bodies: Bodies,
    /// The one being written, behind the kernel's own code.
    pub body: Option<NewBody>,
    error: Option<Diagnostic>,
}

/// How kernels are to be lowered.
pub(crate) struct Request<'a> {
    /// The text of the program.
    pub file: &'a SourceFile,
    pub fidelity: Fidelity,
    /// Whether the text was made of a kernel in Triton, whose accesses stand where they take place.
    pub is_generated: bool,
    pub work: &'a Work<'a>,
}

/// Lowers one kernel of `program`.
pub(crate) fn lower(
    program: &Program,
    id: FunctionId,
    request: &Request,
) -> Result<Kernel, Box<Diagnostic>> {
    let first = Lower::new(program, id, request, AccessPlan::default()).run();
    // Nothing is joined then, so there is nothing to plan.
    if request.fidelity == Fidelity::AsWritten {
        return first.kernel;
    }
    // Which accesses follow, only having come to them tells.
    match first.plan {
        Some(plan) => Lower::new(program, id, request, plan).run().kernel,
        None => first.kernel,
    }
}

/// A kernel, and which accesses could be joined beyond those that are.
struct Lowered {
    kernel: Result<Kernel, Box<Diagnostic>>,
    plan: Option<AccessPlan>,
}

impl<'a> Lower<'a> {
    fn new(
        program: &'a Program,
        id: FunctionId,
        request: &'a Request<'a>,
        plan: AccessPlan,
    ) -> Self {
        let calls = CallPlan::new(program, id);
        let reachable = analyse(program, id, &calls);
        let points_to = PointsTo::new(program, id, &reachable.functions);
        let mut context = Context::new(program, id, points_to, calls);
        context.is_generated = request.is_generated;
        let mut emitter = Emitter::new(request.file);
        let layout = Layout::new(&mut context, &mut emitter, &reachable);
        let bodies = Bodies::new(&context, &mut emitter.registers);
        let mut lower = Lower {
            context,
            emitter,
            inlining: Inlining {
                result: 0,
                has_frame: false,
                ends_kernel: true,
            },
            request,
            plan,
            observed: ObservedAccesses::default(),
            sinking: SinkQueue::default(),
            promoted: Vec::new(),
            layout,
            bodies,
            body: None,
            error: None,
        };
        let joined = lower.plan.stores.words();
        // Taken before any statement: they outlive all of them.
        lower.plan.stores.registers = lower.emitter.registers.take(joined);
        lower
    }

    fn run(mut self) -> Lowered {
        let function = &self.context.program.functions[self.context.function];
        // Registers below are those of variables: temporaries come and go above them.
        let variables = self.emitter.registers.mark();
        self.emitter.registers.begin(variables);
        let (parameters, firsts) = self.parameters(function);
        for (local, &register) in function.locals.iter().zip(&firsts) {
            if words(&local.ty) <= 2 {
                self.emitter.facts.affine.set_uniform(register);
            }
        }
        self.save_parameters(&firsts);
        if let Some(frame) = self.layout.frame {
            let first = self.emitter.registers.const32(0);
            self.emitter.op(Op::Mov32, frame, &[first], 0);
        }
        self.statements(&function.body);
        self.emitter.end_code(Op::End);
        self.bodies.end_code(self.emitter.registers.peak());
        // After the kernel's own code: what is called more than once is written once, behind it.
        self.called_bodies();
        Lowered {
            plan: self.observed.plan(),
            kernel: self.finish(function, parameters),
        }
    }

    fn finish(
        self,
        function: &Function,
        parameters: Vec<Parameter>,
    ) -> Result<Kernel, Box<Diagnostic>> {
        if let Some(error) = self.error {
            return Err(Box::new(error));
        }
        // Numbers have 16 bits; a kernel with so many values would not fit a GPU either.
        if !self.emitter.registers.fits() {
            let name = &function.name;
            let message = format!("`{name}` needs more registers than can be numbered");
            let error = Diagnostic::error(function.span, message);
            return Err(Box::new(error.note(self.emitter.registers.need())));
        }
        let code = self.emitter.finish(function.span);
        let names = self.layout.functions.iter();
        let names = names.map(|&id| self.context.program.functions[id].name.clone());
        let kernel = Kernel {
            name: function.name.clone(),
            span: function.span,
            code: code.code,
            source: SourceMap {
                functions: names.collect(),
                ..code.source
            },
            sites: code.sites,
            tables: code.tables,
            registers: code.registers,
            parameters,
            variables: self.layout.variables,
            memory: self.layout.memory,
            max_threads: function.max_threads,
            recosted: Vec::new(),
        };
        debug_assert_eq!(ir::verify(&kernel), Ok(()), "{}", ir::disassemble(&kernel));
        Ok(kernel)
    }
}

/// What all of lowering uses.
impl<'a> Lower<'a> {
    /// Whether accesses and operations are those of `nvcc`'s code, or those that the source writes.
    pub fn optimises(&self) -> bool {
        self.request.fidelity == Fidelity::AsCompiled
    }

    /// The text of the program.
    pub fn file(&self) -> &'a SourceFile {
        self.request.file
    }

    /// Whether accesses are moved to where their values are needed, or left out.
    pub fn moves_accesses(&self) -> bool {
        self.optimises() && !self.request.is_generated
    }

    /// Lowers something that belongs to another function.
    pub fn in_function<T>(
        &mut self,
        function: FunctionId,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let own = std::mem::replace(&mut self.context.function, function);
        let result = lower(self);
        self.context.function = own;
        result
    }

    /// Says that something cannot be lowered; only the first such thing is reported.
    pub fn refuse(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let error = || Diagnostic::error(span, message).help(help);
        // The first one: what follows may only follow from it.
        self.error.get_or_insert_with(error);
    }

    /// Takes a step; whether there is one to take: an error, and the end of the work, end it all.
    pub fn goes_on(&mut self) -> bool {
        if self.error.is_some() {
            return false;
        }
        // Templates and inlining may make any number of statements of a short text.
        let taken = self.request.work.take(1);
        if let Err(stop) = taken {
            self.error = Some(self.stopped(stop));
        }
        taken.is_ok()
    }

    /// Why the kernel is not compiled to its end.
    fn stopped(&self, stop: Stop) -> Diagnostic {
        let kernel = &self.context.program.functions[self.layout.functions[0]];
        let name = &kernel.name;
        let message = match stop {
            Stop::Cancelled => format!("the compilation of `{name}` was cancelled"),
            Stop::Late => format!("the compilation of `{name}` takes longer than the time limit"),
            Stop::Spent => {
                let statements = self.request.work.steps();
                format!("`{name}` is too large: {statements} statements were compiled of it")
            }
        };
        let error = Diagnostic::error(kernel.span, message);
        let mut copies: HashMap<u32, usize> = HashMap::new();
        // The first is the kernel itself.
        for call in &self.emitter.source.map.calls[1..] {
            *copies.entry(call.function).or_default() += 1;
        }
        match copies.into_iter().max_by_key(|&(_, count)| count) {
            Some((function, count)) if stop == Stop::Spent && count > 1 => {
                let id = self.layout.functions[function as usize];
                let function = &self.context.program.functions[id];
                let note = format!("`{}` was written {count} times in it", function.name);
                error.note(note).also(function.span, "this function")
            }
            _ => error,
        }
    }

    /// `into`, or fresh registers.
    pub fn result(&mut self, words: u32, into: Option<Register>) -> Register {
        into.unwrap_or_else(|| self.emitter.registers.take(words))
    }

    /// `register`, or its value copied to `into`.
    pub fn copy_to(&mut self, register: Register, words: u32, into: Option<Register>) -> Register {
        let Some(target) = into.filter(|&target| target != register) else {
            return register;
        };
        // One instruction for a pair, as the machine has one.
        if words == 2 {
            self.emitter.op(Op::Mov64, target, &[register], 0);
        } else {
            for word in 0..words as Register {
                let (to, from) = (target + word, register + word);
                self.emitter.op(Op::Mov32, to, &[from], 0);
            }
        }
        target
    }

    /// One instruction with a result of `words` registers.
    pub fn operation(
        &mut self,
        op: Op,
        words: u32,
        operands: &[Register],
        into: Option<Register>,
    ) -> Register {
        let result = self.result(words, into);
        self.emitter.op(op, result, operands, 0);
        result
    }

    pub fn constant(&mut self, bits: u64, words: u32) -> Register {
        if words == 2 {
            self.emitter.registers.const64(bits)
        } else {
            self.emitter.registers.const32(bits as u32)
        }
    }

    /// Remembers that `register` holds the value of `expr`, computed or loaded.
    pub fn remember(&mut self, expr: &Expr, register: Register) {
        let Lower {
            context, emitter, ..
        } = self;
        emitter.facts.remember(context, expr, register);
        if let ExprKind::Load(place) = &expr.kind {
            emitter
                .facts
                .remember_place(context, place, register, Origin::Load);
        }
    }

    /// A value that a variable takes, as an affine expression.
    pub fn affine(&mut self, value: &Expr) -> Option<Affine> {
        self.emitter.facts.evaluator(&self.context).value(value)
    }

    /// A variable in these registers has taken `value`.
    pub fn holds(&mut self, register: Register, words: u32, value: Option<Affine>) {
        if let Some(value) = value {
            let facts = &mut self.emitter.facts;
            let registers = RegisterRange::new(register, words);
            facts.affine.set(registers, value, facts.depth);
        }
    }
}
