//! Calls: device functions inlined, but for those that would make the kernel too large (`bodies`).
//!
//! Every call that is inlined writes the function's code anew, into the same variables. A reference parameter that is
//! given a variable of the caller, or always the same part of one, stands for that place: no address is
//! taken, and the variable stays in registers.

use super::lowering::{Inlining, Lower};
use crate::compile::analysis::{Affine, Binding, Location, is_fixed};
use crate::compile::emit::FrameKind;
use crate::compile::tree::{VariableId, any_stmt, words};
use crate::cuda::{Expr, ExprKind, FunctionId, Place, Stmt, StmtKind};
use crate::ir::{Op, Register};

/// An argument of an inlined function.
enum Argument {
    /// A value, and what it is as an affine expression.
    Value(Register, Option<Affine>),
    /// What the reference stands for.
    Reference(Place),
}

impl Lower<'_> {
    /// A device function's value, if it has one, in `into` or fresh registers.
    pub fn call(&mut self, id: FunctionId, arguments: &[Expr], into: Option<Register>) -> Register {
        if self.context.calls.is_called(id) {
            return self.call_body(id, arguments, into);
        }
        let program = self.context.program;
        let function = &program.functions[id];
        // Parameters are the first of a function's locals.
        let arguments: Vec<Argument> = arguments
            .iter()
            .zip(&function.locals)
            .map(|(argument, local)| self.argument(argument, local.is_reference))
            .collect();
        // Not `into`: it may be the register of a variable that an argument still reads.
        let result = self.emitter.registers.take(words(&function.returns));
        for (local, argument) in arguments.into_iter().enumerate() {
            // After all are evaluated: an argument may call the same function, whose variables these are.
            self.bind(VariableId::new(id, local), argument);
        }
        let number = self.layout.function_number(id);
        let caller = match function.is_library {
            true => None,
            false => Some(self.emitter.source.enter(number)),
        };
        // A header's own helpers are no stops for who steps.
        let in_library = self.emitter.source.set_in_library(function.is_library);
        self.inline(id, result);
        self.emitter.source.set_in_library(in_library);
        if let Some(caller) = caller {
            self.emitter.source.resume(&caller);
        }
        self.copy_to(result, words(&function.returns), into)
    }

    /// A call of a body, which has its arguments where the function's parameters are.
    fn call_body(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        into: Option<Register>,
    ) -> Register {
        let words = words(&self.context.program.functions[id].returns);
        let arguments = arguments.iter();
        // All of them first: an argument may call the same function.
        let values: Vec<Register> = arguments
            .map(|argument| self.expr(argument, None))
            .collect();
        for (local, value) in values.into_iter().enumerate() {
            self.store_local(id, local, value);
        }
        let effects = self.context.effects_of_call(id);
        let call = self.emitter.call();
        // What a body stores is known as a whole only, for all of its calls.
        self.emitter.facts.forget(&effects);
        let value = self.result(words, into);
        if let Some(result) = self.bodies.call(id, call) {
            // The next call leaves its value in the same registers.
            self.copy_to(result, words, Some(value));
        }
        value
    }

    /// Writes the bodies that are called, callers before what they call.
    pub fn called_bodies(&mut self) {
        for id in self.context.calls.called.clone() {
            let Some(body) = self.bodies.begin(id) else {
                continue;
            };
            self.emitter.begin_body(&body.calls, body.free);
            let number = self.layout.function_number(id);
            self.emitter.source.enter_body(number, body.depth);
            self.inline(id, body.result);
            self.emitter.end_code(Op::Return);
            self.bodies.end_code(self.emitter.registers.peak());
        }
    }

    /// Writes the code of a function whose value goes to `result`.
    fn inline(&mut self, id: FunctionId, result: Register) {
        let body = &self.context.program.functions[id].body;
        // A `return` at the end goes nowhere: most functions need no frame.
        let has_frame = returns_early(body);
        let inlining = Inlining {
            result,
            has_frame,
            ends_kernel: false,
        };
        let caller = std::mem::replace(&mut self.inlining, inlining);
        if has_frame {
            self.emitter.open_scope(FrameKind::Function);
        }
        self.in_function(id, |lower| lower.statements(body));
        if has_frame {
            self.emitter.close();
        }
        self.inlining = caller;
    }

    /// An argument: as the place itself where a reference to one of the caller's variables is meant.
    fn argument(&mut self, argument: &Expr, is_reference: bool) -> Argument {
        match &argument.kind {
            ExprKind::AddressOf(place) if is_reference && is_fixed(place) => {
                Argument::Reference(place.clone())
            }
            // A value, put into a variable without a name for the reference to refer to.
            ExprKind::Comma(first, second) if is_reference => {
                self.effect(first);
                self.argument(second, is_reference)
            }
            _ => {
                // Before it is evaluated: of `i++`, what it is now.
                let affine = self.affine(argument);
                Argument::Value(self.expr(argument, None), affine)
            }
        }
    }

    /// Gives a parameter its argument.
    fn bind(&mut self, parameter: VariableId, argument: Argument) {
        let VariableId { function, local } = parameter;
        match argument {
            Argument::Reference(place) => {
                // The place names variables of the caller, and is looked up as such.
                let function = self.context.function;
                let binding = Binding { function, place };
                self.context.bindings.insert(parameter, binding);
            }
            Argument::Value(value, affine) => {
                // An earlier call may have bound it.
                self.context.bindings.remove(&parameter);
                self.store_local(function, local, value);
                if let Location::Register(variable) = self.context.location_in(function, local) {
                    let ty = &self.context.program.functions[function].locals[local].ty;
                    self.holds(variable, words(ty), affine);
                }
            }
        }
    }
}

/// Whether a `return` stands anywhere but at the end of `body`.
fn returns_early(body: &[Stmt]) -> bool {
    let Some((last, before)) = body.split_last() else {
        return false;
    };
    let returns = |stmts: &[Stmt]| any_stmt(stmts, |kind| matches!(kind, StmtKind::Return(_)));
    let ends = matches!(last.kind, StmtKind::Return(_));
    // `if (c) return a; else return b;` at the end returns early, too: lanes come from two places.
    returns(before) || (!ends && returns(std::slice::from_ref(last)))
}
