//! The bodies of functions that are called and not inlined: `CallPlan` says which.
//!
//! They stand behind the kernel's own code. Arguments go into the function's variables, its value comes in
//! registers that it has for the whole kernel, and a reference is an address.

use std::collections::HashMap;

use super::registers::RegisterStack;
use crate::compile::analysis::Context;
use crate::compile::tree::words;
use crate::cuda::FunctionId;
use crate::ir::Register;

/// A body that calls go to.
#[derive(Debug)]
struct Body {
    /// Where its value is.
    result: Register,
    /// The calls that are written so far, by number.
    calls: Vec<usize>,
    /// Registers from here on hold nothing of those who call it.
    free: u32,
    /// The most calls around it, but for those of itself.
    depth: u32,
    /// Its first instruction, once that is written.
    first: Option<u32>,
}

/// A body that is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewBody {
    pub function: FunctionId,
    /// Where its value goes.
    pub result: Register,
    /// Registers from here on hold nothing of those who call it.
    pub free: u32,
    /// The most calls around it, but for those of itself.
    pub depth: u32,
}

/// The bodies of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    all: HashMap<FunctionId, Body>,
    /// Those that the code being written calls.
    called_here: Vec<FunctionId>,
    /// Calls around the code being written.
    depth: u32,
}

impl Bodies {
    /// Before anything is written: values of functions outlive all statements.
    pub fn new(context: &Context, registers: &mut RegisterStack) -> Self {
        let body = |&id: &FunctionId| {
            let body = Body {
                result: registers.take(words(&context.program.functions[id].returns)),
                calls: Vec::new(),
                free: 0,
                depth: 0,
                first: None,
            };
            (id, body)
        };
        Bodies {
            all: context.calls.called.iter().map(body).collect(),
            ..Bodies::default()
        }
    }

    /// A call of a body is written; where its value is.
    pub fn call(&mut self, id: FunctionId, call: usize) -> Option<Register> {
        let body = self.all.get_mut(&id)?;
        body.calls.push(call);
        self.called_here.push(id);
        Some(body.result)
    }

    /// The code being written is over, which used the registers below `peak`.
    pub fn end_code(&mut self, peak: u32) {
        for id in self.called_here.drain(..) {
            if let Some(body) = self.all.get_mut(&id) {
                // Above the registers of every caller: whoever waits for the body keeps its own.
                body.free = body.free.max(peak);
                body.depth = body.depth.max(self.depth + 1);
            }
        }
    }

    /// The next body that something calls, which begins with instruction `first`. `order` has callers before what they
    /// call, but for those that are called back.
    pub fn next(&mut self, order: &[FunctionId], first: u32) -> Option<NewBody> {
        let is_next = |body: &Body| body.first.is_none() && !body.calls.is_empty();
        let function = *order
            .iter()
            .find(|id| self.all.get(id).is_some_and(is_next))?;
        let body = self.all.get_mut(&function)?;
        body.first = Some(first);
        self.depth = body.depth;
        Some(NewBody {
            function,
            result: body.result,
            free: body.free,
            depth: body.depth,
        })
    }

    /// All calls, with the instruction that each goes to.
    pub fn targets(&self) -> impl Iterator<Item = (usize, u32)> {
        self.all.values().flat_map(|body| {
            let first = body.first.unwrap_or(0);
            body.calls.iter().map(move |&call| (call, first))
        })
    }
}
