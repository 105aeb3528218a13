//! Which statement, line and inlined call each instruction belongs to.

use super::variables::Declaration;
use crate::source::Span;

/// A call that is inlined, a body that several calls go to, or the kernel itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The function called: an index into [`SourceMap::functions`].
    pub function: u32,
    /// Calls around it: 0 for the kernel.
    pub depth: u32,
    /// The call that it stands in: an index into [`SourceMap::calls`].
    pub caller: u32,
    /// The statement that calls.
    pub span: Span,
    /// Whether several calls go there: which of them, only a run tells.
    pub is_shared: bool,
}

/// A statement: the unit in which a warp is stepped and traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first instruction; it ends where the next statement begins.
    pub first: u32,
    /// Its place in the source.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The call that it belongs to: an index into [`SourceMap::calls`].
    pub call: u32,
    /// Whether it is the rest of a statement that has called a function.
    pub resumes: bool,
}

/// The source of a kernel's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// Line of each instruction, from 1.
    pub lines: Vec<u32>,
    /// Statements in order of their first instruction.
    pub statements: Vec<Statement>,
    /// Names of the functions that run, the kernel's first.
    pub functions: Vec<String>,
    /// Calls of them in order of their code, the kernel's own body first.
    pub calls: Vec<Call>,
    /// Whether a compiler wrote the text, as for Triton: what is in shared memory is that compiler's choice.
    pub is_generated: bool,
}

impl SourceMap {
    /// Tells it of another text, in which neighbours on one line are one statement.
    pub(super) fn relocate(&mut self, line: &dyn Fn(u32) -> u32, place: &dyn Fn(Span) -> Span) {
        self.lines.iter_mut().for_each(|at| *at = line(*at));
        for statement in &mut self.statements {
            (statement.span, statement.line) = (place(statement.span), line(statement.line));
        }
        let is_same = |next: &mut Statement, one: &mut Statement| {
            (next.line, next.call) == (one.line, one.call)
        };
        self.statements.dedup_by(is_same);
        let calls = self.calls.iter_mut();
        calls.for_each(|call| call.span = place(call.span));
    }

    /// Whether a variable can be named in a statement, and is declared before or in it.
    pub fn is_in_scope(&self, declaration: &Declaration, statement: &Statement) -> bool {
        let call = &self.calls[statement.call as usize];
        declaration.holds(call.function, statement.span)
    }

    /// Whether a variable exists while a statement runs: it can be named there, or where one of the
    /// calls that lead there was made.
    pub fn is_alive(&self, declaration: &Declaration, statement: &Statement) -> bool {
        // From the call outwards: a caller's variables live on while its callee runs.
        let (mut at, mut place) = (statement.call as usize, statement.span);
        loop {
            let call = &self.calls[at];
            if declaration.holds(call.function, place) {
                return true;
            }
            if call.is_shared {
                // One of those who may have called may have it.
                return declaration.function != call.function;
            }
            if call.depth == 0 {
                return false;
            }
            (at, place) = (call.caller as usize, call.span);
        }
    }

    /// The statement that an instruction belongs to; none in the prologue.
    pub fn statement_at(&self, pc: usize) -> Option<usize> {
        let after = |statement: &Statement| statement.first as usize <= pc;
        // Statements are in order of code, unrolled copies too: each has its own entry.
        self.statements.partition_point(after).checked_sub(1)
    }

    /// The statement's place in the text; of code that stands nowhere in it, that of the call which led there.
    pub fn span_at(&self, pc: usize) -> Span {
        let Some(statement) = self.statement_at(pc).map(|at| &self.statements[at]) else {
            return Span::default();
        };
        let (mut span, mut call) = (statement.span, &self.calls[statement.call as usize]);
        while span == Span::default() && call.depth > 0 {
            span = call.span;
            call = &self.calls[call.caller as usize];
        }
        span
    }
}
