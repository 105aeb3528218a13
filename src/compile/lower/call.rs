//! Calls: device functions inlined, but for those that would make the kernel too large (`bodies`).
//!
//! Every call that is inlined writes the function's code anew, into the same variables. A reference parameter that is
//! given a variable of the caller, or always the same part of one, stands for that place: no address is
//! taken, and the variable stays in registers.
//!
//! Functions that call themselves have a stack in local memory (`variables`):
//!
//! ```text
//! frame of a call:   its variables that need an address | its registers, around each call that may come back to it
//! ```

use super::lowering::{Inlining, Lower};
use super::place::{Address, Located};
use super::variables::FRAME_ALIGN_BYTES;
use crate::compile::analysis::{
    Affine, Binding, Effects, Location, Region, RegisterRange, is_fixed,
};
use crate::compile::emit::FrameKind;
use crate::compile::tree::{VariableId, any_stmt, words};
use crate::cuda::{Expr, ExprKind, FunctionId, Place, Scalar, Stmt, StmtKind, Type};
use crate::ir::{Op, Register, Space};
use crate::memory::AccessKind;
use crate::source::Span;

/// An argument of an inlined function.
enum Argument {
    /// A value, and what it is as an affine expression.
    Value(Register, Option<Affine>),
    /// What the reference stands for.
    Reference(Place),
}

/// The frame of a call that another is made from: what is saved there, from so many bytes behind its beginning on.
struct PushedFrame {
    saved: Vec<RegisterRange>,
    begins: u32,
    size_bytes: u32,
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
        let mark = self.emitter.registers.mark();
        let saved = self.saved_around(id, mark);
        let arguments = arguments.iter();
        // All of them first: an argument may call the same function.
        let values: Vec<Register> = arguments
            .map(|argument| match &saved {
                Some(_) => self.own_value(argument),
                None => self.expr(argument, None),
            })
            .collect();
        let frame = saved.map(|saved| self.push_frame(saved));
        for (local, value) in values.into_iter().enumerate() {
            self.store_local(id, local, value);
        }
        let effects = self.context.effects_of_call(id);
        let call = self.emitter.call();
        // What a body stores is known as a whole only, for all of its calls.
        self.emitter.facts.forget(&effects);
        if let Some(frame) = &frame {
            self.pop_frame(frame);
            // Calls of the same function have used what it takes behind the mark, too.
            self.emitter.overwrote_from(mark);
        }
        let value = self.result(words, into);
        if let Some(result) = self.bodies.call(id, call) {
            // The next call leaves its value in the same registers.
            self.copy_to(result, words, Some(value));
        }
        value
    }

    /// Writes the bodies that are called, callers before what they call.
    pub fn called_bodies(&mut self) {
        let order = self.context.calls.called.clone();
        while let Some(body) = self.bodies.next(&order, self.emitter.here()) {
            self.emitter.begin_body(body.free);
            let number = self.layout.function_number(body.function);
            self.emitter.source.enter_body(number, body.depth);
            self.body = Some(body);
            self.inline(body.function, body.result);
            self.emitter.end_code(Op::Return);
            self.bodies.end_code(self.emitter.registers.peak());
        }
        for (call, first) in self.bodies.targets() {
            self.emitter.connect(call, first);
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

    /// The registers that a call of `id` may overwrite though the body being written still needs them, by calling that
    /// again: those of its variables and of what it has computed, which end at `mark`. Nothing for calls from elsewhere
    /// than from functions that call themselves.
    fn saved_around(&self, id: FunctionId, mark: u32) -> Option<Vec<RegisterRange>> {
        let body = self.body?;
        let calls = &self.context.calls;
        if !calls.may_call_back(body.function, id) {
            // What is called may begin another such call, whose frame lies behind the one of this.
            return calls.is_recursive(body.function).then(Vec::new);
        }
        let locals = &self.context.program.functions[body.function].locals;
        let variables = locals.iter().enumerate().filter_map(|(local, declared)| {
            match self.context.location_in(body.function, local) {
                Location::Register(first) => Some(RegisterRange::new(first, words(&declared.ty))),
                _ => None,
            }
        });
        let computed = RegisterRange::new(body.free as Register, mark - body.free);
        // The frame's own, so that there is no frame without bytes: a stack without an end ends at its limit.
        let frame = self.layout.frame.map(|frame| RegisterRange::new(frame, 1));
        let mut saved = Effects {
            registers: variables.chain([computed]).chain(frame).collect(),
            ..Effects::default()
        };
        saved.sort();
        Some(saved.registers)
    }

    /// A value in registers of its own: that of a variable is about to change.
    fn own_value(&mut self, value: &Expr) -> Register {
        let own = self.emitter.registers.take(words(&value.ty));
        let register = self.expr(value, None);
        self.copy_to(register, words(&value.ty), Some(own))
    }

    /// Stores registers in the frame of the call being written, and begins the frame of another behind it.
    fn push_frame(&mut self, saved: Vec<RegisterRange>) -> PushedFrame {
        let begins = self
            .body
            .map_or(0, |body| self.layout.frame_bytes(body.function));
        let mut frame = PushedFrame {
            saved,
            begins,
            size_bytes: begins,
        };
        frame.size_bytes = self.move_saved(AccessKind::Store, &frame);
        self.move_frame(frame.size_bytes as i32);
        frame
    }

    /// Ends the innermost frame, and loads the registers from the one of the call being written.
    fn pop_frame(&mut self, frame: &PushedFrame) {
        self.move_frame(-(frame.size_bytes as i32));
        self.move_saved(AccessKind::Load, frame);
    }

    fn move_frame(&mut self, bytes: i32) {
        if let Some(frame) = self.layout.frame {
            let bytes = self.emitter.registers.const32(bytes as u32);
            self.emitter.op(Op::AddI32, frame, &[frame, bytes], 0);
        }
    }

    /// Moves the saved registers to the frame or from there; where they end in it.
    fn move_saved(&mut self, kind: AccessKind, frame: &PushedFrame) -> u32 {
        let span = self.emitter.source.statement_span();
        let mut end = frame.begins;
        for range in &frame.saved {
            let registers = range.first..range.first + range.words as Register;
            for first in registers.clone().step_by(4) {
                let is_whole = registers.end - first >= 4;
                let (ty, count) = match is_whole {
                    true => (Type::Vector(Scalar::U32, 4), 1),
                    false => (Type::Scalar(Scalar::U32), registers.end - first),
                };
                for register in first..first + count {
                    let offset = end + 4 * u32::from(register - first);
                    self.move_value(kind, offset, &ty, register, span);
                }
                end += FRAME_ALIGN_BYTES;
            }
        }
        end
    }

    /// Moves a value between registers and the frame of the call being written.
    fn move_value(
        &mut self,
        kind: AccessKind,
        offset: u32,
        ty: &Type,
        register: Register,
        span: Span,
    ) {
        let Some(frame) = self.layout.frame else {
            return;
        };
        let at = self.layout.memory.local_bytes + offset;
        let at = Located::Memory(Address::new(Space::Local, Region::Local, frame, at.into()));
        match kind {
            AccessKind::Store => self.store(at, ty, register, span),
            AccessKind::Load => drop(self.load(at, ty, span, Some(register))),
        }
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
