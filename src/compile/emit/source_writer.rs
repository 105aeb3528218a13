//! Which statement, line and inlined call each instruction belongs to.
//!
//! Functions of CUDA's headers have no statements of their own: what they do belongs to the statement
//! that calls them.

use crate::ir::{Call, SourceMap, Statement};
use crate::source::{SourceFile, Span};

/// The source of the code that is being written.
pub(crate) struct SourceWriter<'a> {
    file: &'a SourceFile,
    pub map: SourceMap,
    line: u32,
    /// Whether what is written belongs to a header of CUDA's.
    in_library: bool,
    /// The call whose statements are being written.
    call: u32,
}

/// A statement in the middle of which a function is called.
pub(crate) struct Caller {
    call: u32,
    /// The statement.
    span: Span,
    /// Whether it has instructions before the call.
    has_begun: bool,
}

impl<'a> SourceWriter<'a> {
    /// At the beginning of the kernel's own body.
    pub fn new(file: &'a SourceFile) -> Self {
        SourceWriter {
            file,
            map: SourceMap {
                calls: vec![Call::default()],
                ..SourceMap::default()
            },
            line: 1,
            in_library: false,
            call: 0,
        }
    }

    /// An instruction is written.
    pub fn instruction(&mut self) {
        self.map.lines.push(self.line);
    }

    fn here(&self) -> u32 {
        self.map.lines.len() as u32
    }

    pub fn line_of(&self, span: Span) -> u32 {
        self.file.line(span.start)
    }

    /// The source between the ends of `span`.
    pub fn text_of(&self, span: Span) -> String {
        self.file.slice(span).to_owned()
    }

    /// Begins a statement: what follows belongs to it until the next begins.
    pub fn statement(&mut self, span: Span) {
        if !self.in_library {
            self.begin(span, false);
        }
    }

    /// What follows is the rest of the statement at `span`, behind others that are part of it.
    pub fn rest_of(&mut self, span: Span) {
        if !self.in_library {
            self.begin(span, true);
        }
    }

    fn begin(&mut self, span: Span, resumes: bool) {
        self.line = self.line_of(span);
        let first = self.here();
        // A statement without instructions is no stop.
        let last = self.map.statements.last();
        if last.is_some_and(|last| last.first == first) {
            self.map.statements.pop();
        }
        self.map.statements.push(Statement {
            first,
            span,
            line: self.line,
            call: self.call,
            resumes,
        });
    }

    /// Says whether what follows belongs to a header of CUDA's; whether it did so far.
    pub fn set_in_library(&mut self, in_library: bool) -> bool {
        std::mem::replace(&mut self.in_library, in_library)
    }

    /// Where something is in the source: in a function of a header, the statement that calls it.
    pub fn place_of(&self, span: Span) -> Span {
        match self.in_library {
            true => self.statement_span(),
            false => span,
        }
    }

    /// The statement that is being written.
    pub fn statement_span(&self) -> Span {
        let current = self.map.statements.last();
        current.map_or_else(Span::default, |statement| statement.span)
    }

    /// What follows is function `function` of the kernel's, until [`Self::resume`].
    pub fn enter(&mut self, function: u32) -> Caller {
        let here = self.here();
        let has_begun = self
            .map
            .statements
            .last()
            .is_some_and(|last| last.first < here);
        let caller = self.call;
        let span = self.statement_span();
        self.map.calls.push(Call {
            function,
            depth: self.map.calls[caller as usize].depth + 1,
            caller,
            span,
            is_shared: false,
        });
        self.call = self.map.calls.len() as u32 - 1;
        Caller {
            call: caller,
            span,
            has_begun,
        }
    }

    /// A function of the kernel's begins that is called from several places, `depth` calls deep.
    pub fn enter_body(&mut self, function: u32, depth: u32) {
        // Where it was called from, only a run can tell: no statement stands for all of them.
        self.map.calls.push(Call {
            function,
            depth,
            caller: 0,
            span: Span::default(),
            is_shared: true,
        });
        self.call = self.map.calls.len() as u32 - 1;
    }

    /// What follows is the rest of the current statement, behind a call.
    pub fn resume_statement(&mut self) {
        self.begin(self.statement_span(), true);
    }

    /// The function is over; what follows is the rest of the statement that called it.
    pub fn resume(&mut self, caller: &Caller) {
        // Where the call came first, the statement has not begun yet: stepping stops at it once.
        self.call = caller.call;
        self.begin(caller.span, caller.has_begun);
    }
}
