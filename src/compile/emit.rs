//! Instructions as they are written: registers, constants, and targets that are not known yet.
//!
//! Pinned registers (constants and coordinates, numbered from [`PINNED`]) are placed behind all
//! others when the kernel is finished, and the prologue that fills them goes before the code.

use std::collections::HashMap;

use super::inlined::{Calling, Calls};
use super::tables::Tables;
use crate::ir::{Call, Instruction, Op, Operand, Register, Statement};
use crate::source::{SourceFile, Span};

/// Number of the first pinned register.
const PINNED: Register = 0x8000;

/// What opened a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// `if`, `?:`, `&&`, `||`.
    If,
    /// A loop.
    Loop,
    /// An inlined function.
    Function,
}

/// An open frame, and the instructions whose targets lie at its next joining instruction, or at
/// its end.
#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    to_join: Vec<usize>,
    to_end: Vec<usize>,
}

/// What fills a pinned register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pinned {
    Const32(u32),
    Const64(u64),
    Coordinate(Op),
}

/// The code of one kernel as it is written.
pub(super) struct Emitter<'a> {
    pub(super) file: &'a SourceFile,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    line: u32,
    statements: Vec<Statement>,
    calls: Calls,
    pub(super) tables: Tables,
    frames: Vec<Frame>,
    to_end: Vec<usize>,
    next: u32,
    highest: u32,
    pinned: HashMap<Pinned, Register>,
    pinned_order: Vec<Pinned>,
    pinned_words: u32,
}

/// A kernel's code, finished.
pub(super) struct Code {
    pub calls: Vec<Call>,
    pub code: Vec<Instruction>,
    pub lines: Vec<u32>,
    pub statements: Vec<Statement>,
    pub constants: Vec<u64>,
    pub tables: Tables,
    pub registers: u16,
}

impl<'a> Emitter<'a> {
    pub fn new(file: &'a SourceFile) -> Self {
        Emitter {
            file,
            code: Vec::new(),
            lines: Vec::new(),
            line: 1,
            statements: Vec::new(),
            calls: Calls::new(),
            tables: Tables::default(),
            frames: Vec::new(),
            to_end: Vec::new(),
            next: 0,
            highest: 0,
            pinned: HashMap::new(),
            pinned_order: Vec::new(),
            pinned_words: 0,
        }
    }

    /// Begins a statement: what follows belongs to it until the next begins.
    pub fn statement(&mut self, span: Span) {
        self.begin(span, false);
    }

    fn begin(&mut self, span: Span, resumes: bool) {
        self.line = self.line_of(span);
        let first = self.code.len() as u32;
        if self
            .statements
            .last()
            .is_some_and(|last| last.first == first)
        {
            self.statements.pop();
        }
        self.statements.push(Statement {
            first,
            span,
            line: self.line,
            call: self.calls.current(),
            resumes,
        });
    }

    /// What follows is function `function` of the kernel's, until [`Self::resume`].
    pub fn enter(&mut self, function: u32) -> Calling {
        let here = self.code.len() as u32;
        let has_begun = self.statements.last().is_some_and(|last| last.first < here);
        self.calls.enter(function, self.statement_span(), has_begun)
    }

    /// The function is over; what follows is the rest of the statement that called it.
    pub fn resume(&mut self, calling: &Calling) {
        self.calls.leave(calling);
        self.begin(calling.span, calling.has_begun);
    }

    /// The place of the statement being written.
    fn statement_span(&self) -> Span {
        self.statements
            .last()
            .map_or_else(Span::default, |statement| statement.span)
    }

    pub fn line_of(&self, span: Span) -> u32 {
        self.file.line(span.start)
    }

    /// `words` consecutive registers that hold nothing else until `release`.
    pub fn registers(&mut self, words: u32) -> Register {
        let first = self.next;
        self.next += words;
        self.highest = self.highest.max(self.next);
        // Past the limit the kernel is refused when `fits` is asked; until then numbers wrap.
        (first % u32::from(PINNED)) as Register
    }

    /// The mark that `release` goes back to.
    pub fn mark(&self) -> u32 {
        self.next
    }

    /// Frees the registers taken since `mark`.
    pub fn release(&mut self, mark: u32) {
        self.next = mark;
    }

    /// Whether all registers can be numbered.
    pub fn fits(&self) -> bool {
        self.highest + self.pinned_words < u32::from(PINNED)
    }

    /// Writes an instruction with up to three operands.
    pub fn op(&mut self, op: Op, dst: Register, operands: &[Register], imm: u32) {
        let operand = |i: usize| operands.get(i).copied().unwrap_or(0);
        let (a, b, c) = (operand(0), operand(1), operand(2));
        self.code.push(Instruction {
            op,
            dst,
            a,
            b,
            c,
            imm,
        });
        self.lines.push(self.line);
    }

    /// A register that always holds `value`.
    pub fn const32(&mut self, value: u32) -> Register {
        self.pin(Pinned::Const32(value), 1)
    }

    /// A register pair that always holds `value`.
    pub fn const64(&mut self, value: u64) -> Register {
        self.pin(Pinned::Const64(value), 2)
    }

    /// A register that always holds what `op` reads.
    pub fn coordinate(&mut self, op: Op) -> Register {
        self.pin(Pinned::Coordinate(op), 1)
    }

    fn pin(&mut self, what: Pinned, words: u32) -> Register {
        if let Some(&register) = self.pinned.get(&what) {
            return register;
        }
        let register = PINNED + (self.pinned_words % u32::from(PINNED - 1)) as Register;
        self.pinned_words += words;
        self.pinned.insert(what, register);
        self.pinned_order.push(what);
        register
    }

    /// Opens the frame of an `if` on `condition`.
    pub fn open_if(&mut self, condition: Register) {
        self.open(FrameKind::If);
        self.op_to_join(Op::If, &[condition]);
    }

    /// Between the two sides of an `if`.
    pub fn otherwise(&mut self) {
        self.join();
        self.op_to_join(Op::Else, &[]);
    }

    /// Opens the frame of a loop or an inlined function.
    pub fn open_scope(&mut self, kind: FrameKind) {
        self.open(kind);
        self.op(Op::ScopeBegin, 0, &[], 0);
    }

    fn open(&mut self, kind: FrameKind) {
        self.frames.push(Frame {
            kind,
            to_join: Vec::new(),
            to_end: Vec::new(),
        });
    }

    /// Closes the innermost frame.
    pub fn close(&mut self) {
        self.join();
        let here = self.code.len() as u32;
        let Some(frame) = self.frames.pop() else {
            return;
        };
        for at in frame.to_end {
            self.code[at].imm = here;
        }
        let op = if frame.kind == FrameKind::If {
            Op::EndIf
        } else {
            Op::ScopeEnd
        };
        self.op_to_join(op, &[]);
    }

    /// Lanes where `condition` is false leave the loop that is the innermost frame.
    pub fn leave_unless(&mut self, condition: Register) {
        let at = self.code.len();
        self.op(Op::LeaveUnless, 0, &[condition], 0);
        if let Some(frame) = self.frames.last_mut() {
            frame.to_end.push(at);
        }
    }

    /// Where lanes that continue the innermost loop come back.
    pub fn rejoin(&mut self) {
        self.join();
        let at = self.code.len();
        self.op(Op::Rejoin, 0, &[], 0);
        if let Some(frame) = self.frames.last_mut() {
            frame.to_end.push(at);
        }
    }

    /// `Leave` or `Continue` for the innermost frame of `kind`.
    pub fn depart(&mut self, op: Op, kind: FrameKind) {
        let depth = self
            .frames
            .iter()
            .rev()
            .position(|frame| frame.kind == kind);
        self.op_to_join(op, &[depth.unwrap_or(0) as Register]);
    }

    /// The active threads end.
    pub fn exit(&mut self) {
        self.op_to_join(Op::Exit, &[]);
    }

    /// Where the next instruction goes.
    pub fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// Back to `head`.
    pub fn jump(&mut self, head: u32) {
        self.op(Op::Jump, 0, &[], head);
    }

    /// An instruction that goes to the next joining instruction when no lane is left.
    fn op_to_join(&mut self, op: Op, operands: &[Register]) {
        let at = self.code.len();
        self.op(op, 0, operands, 0);
        match self.frames.last_mut() {
            Some(frame) => frame.to_join.push(at),
            None => self.to_end.push(at),
        }
    }

    /// The next instruction is the joining one that those of the innermost frame wait for.
    fn join(&mut self) {
        let here = self.code.len() as u32;
        let waiting = self
            .frames
            .last_mut()
            .map(|frame| std::mem::take(&mut frame.to_join));
        for at in waiting.unwrap_or_default() {
            self.code[at].imm = here;
        }
    }

    /// Ends the code, places the pinned registers and puts the prologue before it.
    pub fn finish(mut self, kernel: Span) -> Code {
        let kernel_line = self.line_of(kernel);
        let end = self.here();
        for at in std::mem::take(&mut self.to_end) {
            self.code[at].imm = end;
        }
        self.op(Op::End, 0, &[], 0);
        let base = self.highest as Register;
        let (mut prologue, constants) = self.prologue();
        let shift = prologue.len() as u32;
        for instruction in &mut self.code {
            if instruction.op.operands().contains(&Operand::Target) {
                instruction.imm += shift;
            }
        }
        for statement in &mut self.statements {
            statement.first += shift;
        }
        prologue.append(&mut self.code);
        for instruction in &mut prologue {
            place_pinned(instruction, base);
        }
        let mut lines = vec![kernel_line; shift as usize];
        lines.append(&mut self.lines);
        Code {
            code: prologue,
            lines,
            statements: self.statements,
            calls: self.calls.into_list(),
            constants,
            tables: self.tables,
            registers: base + self.pinned_words as u16,
        }
    }

    fn prologue(&self) -> (Vec<Instruction>, Vec<u64>) {
        let mut constants = Vec::new();
        let instructions = self.pinned_order.iter().map(|what| {
            let dst = self.pinned[what];
            let (op, imm) = match *what {
                Pinned::Const32(value) => (Op::Const32, value),
                Pinned::Const64(value) => {
                    constants.push(value);
                    (Op::Const64, constants.len() as u32 - 1)
                }
                Pinned::Coordinate(op) => (op, 0),
            };
            Instruction {
                op,
                dst,
                a: 0,
                b: 0,
                c: 0,
                imm,
            }
        });
        (instructions.collect(), constants)
    }
}

fn place_pinned(instruction: &mut Instruction, base: Register) {
    let Instruction { dst, a, b, c, .. } = instruction;
    for register in [dst, a, b, c] {
        if (PINNED..Register::MAX).contains(register) {
            *register = *register - PINNED + base;
        }
    }
}
