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
pub(crate) struct Body {
    /// Where its value is.
    pub result: Register,
    /// The calls that are written so far, by number.
    pub calls: Vec<usize>,
    /// Registers from here on hold nothing of those who call it.
    pub free: u32,
    /// The most calls around it.
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

    /// A body begins that something calls; nothing of others. Its callers have been written.
    pub fn begin(&mut self, id: FunctionId) -> Option<Body> {
        let body = self.all.remove(&id)?;
        self.depth = body.depth;
        (!body.calls.is_empty()).then_some(body)
    }
}
