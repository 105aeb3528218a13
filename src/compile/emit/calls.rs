//! Which inlined call each statement belongs to.

use crate::ir::Call;
use crate::source::Span;

/// The calls of a kernel as they are written.
#[derive(Debug)]
pub(crate) struct Calls {
    list: Vec<Call>,
    current: u32,
}

/// A statement in the middle of which a function is called.
pub(crate) struct Calling {
    call: u32,
    /// The statement.
    pub span: Span,
    /// Whether it has instructions before the call.
    pub has_begun: bool,
}

impl Calls {
    /// The kernel's own body.
    pub fn new() -> Self {
        Calls {
            list: vec![Call::default()],
            current: 0,
        }
    }

    /// The call whose statements are being written.
    pub fn current(&self) -> u32 {
        self.current
    }

    /// What follows is function `function` of the kernel's, called by the statement at `span`.
    pub fn enter(&mut self, function: u32, span: Span, has_begun: bool) -> Calling {
        let caller = self.current;
        self.list.push(Call {
            function,
            depth: self.list[caller as usize].depth + 1,
            caller,
            span,
        });
        self.current = self.list.len() as u32 - 1;
        Calling {
            call: caller,
            span,
            has_begun,
        }
    }

    /// The function is over.
    pub fn leave(&mut self, calling: &Calling) {
        self.current = calling.call;
    }

    /// All calls, in order of their code.
    pub fn into_list(self) -> Vec<Call> {
        self.list
    }
}
