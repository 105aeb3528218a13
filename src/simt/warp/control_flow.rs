//! Control flow of a warp: frames of lanes that wait to rejoin.

use crate::ir::{Instruction, Op};

/// Lanes that wait in an open `If` or scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// For the end of the frame.
    pub leaving: u32,
    /// For the `Else` of an `If`, or the `Rejoin` of a scope.
    pub waiting: u32,
}

impl Frame {
    /// Whether no lane waits in it.
    pub fn is_empty(self) -> bool {
        self.leaving | self.waiting == 0
    }
}

/// Where a warp is.
#[derive(Debug, Default)]
pub struct Warp {
    /// The next instruction.
    pub pc: usize,
    /// Lanes that execute it.
    pub active: u32,
    /// Lanes whose threads have not ended.
    pub live: u32,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it waits at a barrier.
    pub waits: bool,
    frames: Vec<Frame>,
    /// Where it goes on behind the calls that it is in, the outermost first.
    calls: Vec<usize>,
}

impl Warp {
    /// Back to the first instruction, with these lanes.
    pub fn start(&mut self, lanes: u32) {
        self.frames.clear();
        self.calls.clear();
        (self.pc, self.active, self.live) = (0, lanes, lanes);
        (self.ended, self.waits) = (false, false);
    }

    /// Whether it goes on with the same instruction, lanes and frames as `other`.
    pub fn agrees(&self, other: &Warp) -> bool {
        // Frames are compared last: they lie on the heap, and most warps that differ differ in
        // `pc`.
        let where_it_is = |warp: &Warp| (warp.pc, warp.active, warp.live, warp.ended, warp.waits);
        where_it_is(self) == where_it_is(other)
            && self.frames == other.frames
            && self.has_calls_of(other)
    }

    /// Whether it is in the same calls as `other`: nearly always in none, which is seen without a call of `memcmp`.
    fn has_calls_of(&self, other: &Warp) -> bool {
        match (&self.calls[..], &other.calls[..]) {
            ([], []) => true,
            (mine, theirs) => mine == theirs,
        }
    }

    /// Makes it agree with `other`.
    pub fn follow(&mut self, other: &Warp) {
        (self.pc, self.active, self.live) = (other.pc, other.active, other.live);
        (self.ended, self.waits) = (other.ended, other.waits);
        // `clone_from` keeps the allocation: warps follow each other at every barrier.
        self.frames.clone_from(&other.frames);
        if !self.has_calls_of(other) {
            self.calls.clone_from(&other.calls);
        }
    }

    /// Makes it one that has not gone into the `if` in whose body `other` is, which ends at `end`.
    pub fn pass_by(&mut self, other: &Warp, end: usize) {
        self.follow(other);
        // The lanes that entered are the ones of `other`; in this warp the same lanes wait for the
        // end.
        self.top().waiting |= self.active;
        (self.active, self.pc) = (0, end);
    }

    /// Carries out a branch or a joining instruction. `taken` holds the lanes whose operand `a` is
    /// not 0, for those that have one. Returns whether active lanes went both ways.
    pub fn branch(&mut self, i: Instruction, taken: u32) -> bool {
        let before = self.active;
        self.update_masks(i, taken);
        self.pc = match i.op {
            Op::Call => {
                self.calls.push(self.pc + 1);
                i.imm as usize
            }
            // Code with a body that nothing calls is refused before it runs.
            Op::Return => self.calls.pop().unwrap_or(self.pc),
            Op::Jump => i.imm as usize,
            // With no lane left the code up to the join is skipped; a scope is entered even so,
            // because its end pops its frame.
            op if self.active == 0 && op != Op::ScopeBegin => i.imm as usize,
            _ => self.pc + 1,
        };
        // A branch that all lanes take, or none, diverges nowhere.
        self.active != 0 && self.active != before
    }

    /// The lanes that are active behind a branch or a joining instruction, and those that wait.
    #[inline(always)]
    fn update_masks(&mut self, i: Instruction, taken: u32) {
        // The masks follow the stack-based reconvergence of GPUs before Volta: a branch pushes the
        // lanes that wait, its end pops them.
        let before = self.active;
        match i.op {
            Op::If => {
                self.frames.push(Frame {
                    leaving: 0,
                    waiting: before & !taken,
                });
                self.active &= taken;
            }
            Op::LeaveUnless => {
                self.top().leaving |= before & !taken;
                self.active &= taken;
            }
            Op::Else => {
                let frame = self.top();
                frame.leaving |= before;
                self.active = std::mem::take(&mut frame.waiting);
            }
            Op::EndIf | Op::ScopeEnd => {
                let frame = self.frames.pop().unwrap_or_default();
                self.active |= frame.leaving | frame.waiting;
            }
            Op::ScopeBegin => self.frames.push(Frame::default()),
            Op::Rejoin => self.active |= std::mem::take(&mut self.top().waiting),
            // `break` inside an `if` inside a loop: operand `a` says how many frames lie between.
            Op::Leave => self.above(i.a).leaving |= before,
            Op::Continue => self.above(i.a).waiting |= before,
            // `return`: these lanes are in no frame any more and will not come back at an end.
            Op::Exit => self.live &= !before,
            _ => {}
        }
        if matches!(i.op, Op::Leave | Op::Continue | Op::Exit) {
            self.active = 0;
        }
    }

    /// Whether it is in a function that is called. Inlined ones do not count.
    pub fn is_in_call(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Ends the threads of `lanes`, which wait in its frames.
    pub fn end(&mut self, lanes: u32) {
        self.live &= !lanes;
        for frame in &mut self.frames {
            frame.leaving &= !lanes;
            frame.waiting &= !lanes;
        }
    }

    /// Its open frames, the outermost first.
    pub fn frames(&self) -> impl Iterator<Item = Frame> {
        self.frames.iter().copied()
    }

    fn top(&mut self) -> &mut Frame {
        self.above(0)
    }

    /// The frame so many above the innermost one.
    fn above(&mut self, depth: u16) -> &mut Frame {
        let at = self.frames.len() - 1 - usize::from(depth);
        &mut self.frames[at]
    }
}
