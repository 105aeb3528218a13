//! Frames: branches, loops, and where lanes go when none is left.

use super::{Emitter, Frame, FrameKind};
use crate::ir::{Op, Register};

impl Emitter<'_> {
    /// Opens the frame of an `if` on `condition`.
    pub fn open_if(&mut self, condition: Register) {
        self.open(FrameKind::If);
        self.op_to_join(Op::If, &[condition]);
    }

    /// Between the two sides of an `if`.
    pub fn otherwise(&mut self) {
        self.reuse.leave(self.depth() - 1);
        self.join();
        self.op_to_join(Op::Else, &[]);
    }

    /// Opens the frame of a loop or an inlined function.
    pub fn open_scope(&mut self, kind: FrameKind) {
        self.open(kind);
        self.op(Op::ScopeBegin, 0, &[], 0);
    }

    fn open(&mut self, kind: FrameKind) {
        self.reuse.open_stores.clear();
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
        self.reuse.leave(self.depth());
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
        self.reuse.open_stores.clear();
        if let Some(frame) = self.frames.last_mut() {
            frame.to_end.push(at);
        }
    }

    /// Where lanes that continue the innermost loop come back.
    pub fn rejoin(&mut self) {
        self.reuse.leave(self.depth() - 1);
        self.reuse.open_stores.clear();
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
        self.reuse.open_stores.clear();
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
}
