//! Instructions as they are written: registers, constants, and targets that are not known yet.
//!
//! Pinned registers (constants and coordinates, numbered from [`PINNED`]) are placed behind all
//! others when the kernel is finished, and the prologue that fills them goes before the code.

mod finish;
mod frames;
mod calls;
mod tables;

use std::collections::HashMap;

use super::analysis::Region;
use super::optimise::Reuse;
use crate::ir::{AccessSite, Call, Instruction, Op, Operand, Register, Statement};
use crate::source::{SourceFile, Span};
use calls::{Calling, Calls};
use tables::Tables;

/// Number of the first pinned register.
pub(in crate::compile) const PINNED: Register = 0x8000;

/// What opened a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compile) enum FrameKind {
    /// `if`, `?:`, `&&`, `||`.
    If,
    /// A loop.
    Loop,
    /// A `switch`.
    Switch,
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
pub(in crate::compile) struct Emitter<'a> {
    pub(in crate::compile) file: &'a SourceFile,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    line: u32,
    /// Whether what is written belongs to a header of CUDA's, and so to the statement that calls it.
    in_library: bool,
    statements: Vec<Statement>,
    calls: Calls,
    pub(in crate::compile) tables: Tables,
    frames: Vec<Frame>,
    to_end: Vec<usize>,
    next: u32,
    highest: u32,
    pinned: HashMap<Pinned, Register>,
    pinned_order: Vec<Pinned>,
    pinned_words: u32,
    /// Values that need not be computed again.
    pub reuse: Reuse,
}

/// A kernel's code, finished.
pub(in crate::compile) struct Code {
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
            in_library: false,
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
            reuse: Reuse::default(),
        }
    }

    /// Begins a statement: what follows belongs to it until the next begins. Functions of headers
    /// have no statements of their own.
    pub fn statement(&mut self, span: Span) {
        if !self.in_library {
            self.begin(span, false);
        }
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

    /// What follows is the rest of the statement at `span`, behind others that are part of it.
    pub fn rest_of(&mut self, span: Span) {
        self.begin(span, true);
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

    /// Frees the registers taken since `mark`, but for those that hold known values.
    pub fn release(&mut self, mark: u32) {
        self.next = mark.max(self.reuse.end().min(self.next));
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
        self.note_effects(op, dst, imm);
    }

    /// Known values that an instruction changes are known no longer.
    fn note_effects(&mut self, op: Op, dst: Register, imm: u32) {
        let site_words = |imm: u32| {
            self.tables
                .sites
                .get(imm as usize)
                .map_or(1, AccessSite::words)
        };
        for operand in op.operands() {
            match operand {
                Operand::Dst32 => self.reuse.wrote((dst, 1)),
                Operand::Dst64 => self.reuse.wrote((dst, 2)),
                Operand::Dst128 => self.reuse.wrote((dst, 4)),
                Operand::DstSite => self.reuse.wrote((dst, site_words(imm))),
                _ => {}
            }
        }
        let loads = matches!(op, Op::Load | Op::LoadShared | Op::LoadLocal);
        if op.operands().contains(&Operand::Site) {
            let region = self.tables.regions.get(imm as usize).copied();
            let region = region.unwrap_or(Region::Unknown);
            match loads {
                true => self.reuse.read_memory(region),
                false => self.reuse.wrote_memory(region),
            }
        }
        if op == Op::Print {
            self.reuse.open_stores.clear();
        }
        if matches!(op, Op::Barrier | Op::BarrierVote | Op::SyncWarp | Op::Nop) {
            self.reuse.synchronized();
        }
    }

    /// Open frames.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// A register that always holds `value`.
    pub fn const32(&mut self, value: u32) -> Register {
        self.pin(Pinned::Const32(value), 1)
    }

    /// What `register` always holds, if that is known.
    pub fn known32(&self, register: Register) -> Option<u32> {
        let of = |(what, &home): (&Pinned, &Register)| match what {
            Pinned::Const32(value) if home == register => Some(*value),
            _ => None,
        };
        self.pinned.iter().find_map(of)
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
}
