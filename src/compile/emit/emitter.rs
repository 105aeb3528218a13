//! Instructions as they are written: registers, frames, and targets that are not known yet.
//!
//! Every instruction reports what it changes to the facts known at this point, so that whoever writes
//! code cannot forget to.

use super::registers::{PINNED, RegisterStack};
use super::source_writer::SourceWriter;
use super::tables::Tables;
use crate::compile::analysis::Region;
use crate::compile::analysis::RegisterRange;
use crate::compile::optimise::Facts;
use crate::ir::{AccessSite, Instruction, KernelTables, Op, Operand, Register, SourceMap};
use crate::source::{SourceFile, Span};

/// What opened a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
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

/// The code of one kernel as it is written.
pub(crate) struct Emitter<'a> {
    code: Vec<Instruction>,
    pub source: SourceWriter<'a>,
    pub tables: Tables,
    frames: Vec<Frame>,
    /// Instructions whose targets lie at the end of the kernel's own code, or of the body being written.
    to_end: Vec<usize>,
    pub registers: RegisterStack,
    /// What is known at this point.
    pub facts: Facts,
}

/// A kernel's code, finished.
pub(crate) struct Code {
    pub code: Vec<Instruction>,
    pub source: SourceMap,
    pub sites: Vec<AccessSite>,
    pub tables: KernelTables,
    /// Registers of one lane.
    pub registers: u16,
}

impl<'a> Emitter<'a> {
    pub fn new(file: &'a SourceFile) -> Self {
        Emitter {
            code: Vec::new(),
            source: SourceWriter::new(file),
            tables: Tables::default(),
            frames: Vec::new(),
            to_end: Vec::new(),
            registers: RegisterStack::default(),
            facts: Facts::default(),
        }
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
        self.source.instruction();
        self.report_effects(op, dst, imm);
        if has_branches(op) && !self.is_product(op, b) {
            self.facts.end_machine_block();
        }
    }

    /// Whether a quotient is a product: by a power of two.
    fn is_product(&self, op: Op, divisor: Register) -> bool {
        let divisor = self.registers.known32(divisor).map(f32::from_bits);
        // Of a power of two the bits of the fraction are 0.
        op == Op::DivF32 && divisor.is_some_and(|divisor| divisor.to_bits() << 9 == 0)
    }

    /// What an instruction changes is known no longer.
    fn report_effects(&mut self, op: Op, dst: Register, imm: u32) {
        // What an operation writes stands in its row of the table, so no writer is forgotten.
        for operand in op.operands() {
            let words = match operand {
                Operand::Dst32 => 1,
                Operand::Dst64 => 2,
                Operand::Dst128 => 4,
                Operand::DstSite => self.tables.site_words(imm),
                _ => continue,
            };
            self.facts.wrote(RegisterRange::new(dst, words));
        }
        if op.operands().contains(&Operand::Site) {
            let region = self.tables.region(imm);
            match op {
                Op::Load | Op::LoadShared | Op::LoadLocal => self.facts.read_memory(region),
                _ => self.facts.wrote_memory(region),
            }
        }
        match op {
            Op::Print | Op::Launch => self.facts.stores.clear(),
            Op::Barrier | Op::BarrierVote | Op::SyncWarp | Op::Nop => self.facts.synchronized(),
            Op::BarrierArrive | Op::BarrierOpened => self.facts.synchronized(),
            Op::CopyCommit | Op::CopyWait | Op::Yield | Op::GridBarrier => {
                self.facts.synchronized()
            }
            _ => {}
        }
    }

    /// Frees the registers taken since `mark`, but for those that hold known values.
    pub fn release(&mut self, mark: u32) {
        let mut known = self.facts.end(PINNED);
        if self.registers.has_many(known) {
            // Nobody has so many; the next statement would take even more.
            self.overwrote_from(mark);
            known = self.facts.end(PINNED);
        }
        self.registers.release(mark, known);
    }

    /// Registers from `mark` on, but for pinned ones, were written by code that is not looked at here.
    pub fn overwrote_from(&mut self, mark: u32) {
        let words = u32::from(PINNED).saturating_sub(mark);
        self.facts
            .wrote(RegisterRange::new(mark as Register, words));
    }

    /// Index of an access site in `region`, to put into an instruction.
    pub fn site(&mut self, site: AccessSite, region: Region) -> u32 {
        let span = self.source.place_of(site.span);
        let line = self.source.line_of(span);
        self.tables.site(AccessSite { span, line, ..site }, region)
    }
}

/// Whether the GPU takes another path for some operands: nvcc 13.0 joins no loads across these of 45 functions.
fn has_branches(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SinF32
            | CosF32
            | TanF32
            | Atan2F32
            | HypotF32
            | FmodF32
            | SqrtF32
            | RcpF32
            | DivF32
            | SinF64
            | CosF64
            | TanF64
            | PowF64
            | SqrtF64
            | DivF64
            | DivI64
            | DivU64
            | RemI64
            | RemU64
    )
}

/// Frames: branches, loops, and where lanes go when none is left.
impl Emitter<'_> {
    /// Opens the frame of an `if` on `condition`.
    pub fn open_if(&mut self, condition: Register) {
        self.facts.expressions.begin_branches(self.frames.len());
        self.open(FrameKind::If);
        self.op_to_join(Op::If, &[condition]);
    }

    /// Between the two sides of an `if`.
    pub fn otherwise(&mut self) {
        // The other side does not know what this one has computed.
        self.facts.leave(self.frames.len() - 1);
        self.facts.expressions.other_branch();
        self.join();
        self.op_to_join(Op::Else, &[]);
    }

    /// Opens the frame of a loop or an inlined function.
    pub fn open_scope(&mut self, kind: FrameKind) {
        self.open(kind);
        self.op(Op::ScopeBegin, 0, &[], 0);
    }

    fn open(&mut self, kind: FrameKind) {
        // Stores are joined only where the same lanes make them.
        self.facts.stores.clear();
        self.frames.push(Frame {
            kind,
            to_join: Vec::new(),
            to_end: Vec::new(),
        });
        self.facts.depth = self.frames.len();
    }

    /// Closes the innermost frame.
    pub fn close(&mut self) {
        self.join();
        let here = self.code.len() as u32;
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.facts.depth = self.frames.len();
        self.facts.leave(self.facts.depth);
        if frame.kind == FrameKind::If {
            self.facts.expressions.end_branches();
        }
        for at in frame.to_end {
            self.code[at].imm = here;
        }
        let op = if frame.kind == FrameKind::If {
            Op::EndIf
        } else {
            Op::ScopeEnd
        };
        // If no lane goes on behind the end, this goes to where those of the frame around it wait.
        self.op_to_join(op, &[]);
    }

    /// Lanes where `condition` is false leave the loop that is the innermost frame.
    pub fn leave_unless(&mut self, condition: Register) {
        let at = self.code.len();
        self.op(Op::LeaveUnless, 0, &[condition], 0);
        self.facts.stores.clear();
        if let Some(frame) = self.frames.last_mut() {
            frame.to_end.push(at);
        }
    }

    /// Where lanes that continue the innermost loop come back.
    pub fn rejoin(&mut self) {
        self.facts.leave(self.frames.len() - 1);
        self.facts.stores.clear();
        self.join();
        let at = self.code.len();
        self.op(Op::Rejoin, 0, &[], 0);
        if let Some(frame) = self.frames.last_mut() {
            frame.to_end.push(at);
        }
    }

    /// `Leave` or `Continue` for the innermost frame that is one of `kinds`.
    pub fn depart(&mut self, op: Op, kinds: &[FrameKind]) {
        let depth = self
            .frames
            .iter()
            .rev()
            // `break` in a `switch` in a loop leaves the `switch`; `continue` goes to the loop.
            .position(|frame| kinds.contains(&frame.kind));
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
        self.facts.stores.clear();
        match self.frames.last_mut() {
            Some(frame) => frame.to_join.push(at),
            // Outside of all frames lanes wait for nobody: the kernel's end is where they go.
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
}

/// Bodies of functions that are called.
impl Emitter<'_> {
    /// A call of a body, which goes where [`Self::connect`] says later; the call's number.
    pub fn call(&mut self) -> usize {
        // What the body stores lies between stores here and behind.
        self.facts.stores.clear();
        self.op(Op::Call, 0, &[], 0);
        self.source.resume_statement();
        self.code.len() - 1
    }

    /// What follows is a body that calls go to; it may take registers from `free` on.
    pub fn begin_body(&mut self, free: u32) {
        self.registers.begin(free);
        // Who calls knows something of its own; here only what holds for all of them is known.
        self.facts.begin_body();
    }

    /// A call goes to the body that begins with instruction `first`.
    pub fn connect(&mut self, call: usize, first: u32) {
        self.code[call].imm = first;
    }

    /// The kernel's own code is over, or a body: lanes that wait outside of all frames go on here.
    pub fn end_code(&mut self, op: Op) {
        let end = self.here();
        for at in std::mem::take(&mut self.to_end) {
            self.code[at].imm = end;
        }
        self.op(op, 0, &[], 0);
    }
}

/// The end.
impl Emitter<'_> {
    /// Places the pinned registers and puts the prologue before the code.
    pub fn finish(mut self, kernel: Span) -> Code {
        let kernel_line = self.source.line_of(kernel);
        let mut tables = self.tables.others;
        let mut code = self.registers.prologue(&mut tables.constants);
        let shift = code.len() as u32;
        for instruction in &mut self.code {
            // Targets were numbered before the prologue was known.
            if instruction.op.operands().contains(&Operand::Target) {
                instruction.imm += shift;
            }
        }
        let mut source = self.source.map;
        for statement in &mut source.statements {
            statement.first += shift;
        }
        for staged in &mut tables.staged_loops {
            staged.code = staged.code.start + shift..staged.code.end + shift;
        }
        code.append(&mut self.code);
        // The prologue, too: what it fills are pinned registers.
        for instruction in &mut code {
            self.registers.place_pinned(instruction);
        }
        let prologue_lines = std::iter::repeat_n(kernel_line, shift as usize);
        source.lines.splice(0..0, prologue_lines);
        Code {
            code,
            source,
            sites: self.tables.sites,
            tables,
            registers: self.registers.count(),
        }
    }
}
