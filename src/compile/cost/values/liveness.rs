//! Liveness: what of a kernel somebody needs, from its stores backwards, branches and loops among it.
//!
//! A branch is needed if an instruction in it is, or a value that it chooses; a loop likewise:
//!
//! ```text
//! x = a[i];                nobody needs `x`, nor what is loaded for it
//! if (b[i] > 0)            nor the comparison, as nobody needs what the branch computes
//!     x = x * 2;
//! y[i] = 1;
//! ```
//!
//! Loops are taken to end, as C++ lets a compiler assume.

use super::value_flow::{Definition, Value, ValueFlow};
use crate::ir::{AccessRole, Instruction, Kernel, Op};

/// What is live.
#[derive(Debug, Default)]
pub(in crate::compile::cost) struct Liveness {
    pub values: Vec<bool>,
    pub instructions: Vec<bool>,
}

/// Index of a frame: the whole kernel is 0.
type FrameId = usize;

/// The frames of a kernel, and the instructions that decide which lanes go through what is in them.
#[derive(Debug, Default)]
struct Frames {
    parents: Vec<FrameId>,
    /// The frame around each instruction; that which closes ends its own.
    around: Vec<FrameId>,
    /// The branch that opens a frame, and whatever leaves it or goes on with its next iteration.
    deciding: Vec<Vec<usize>>,
}

/// What is live in `kernel`, whose values are `flow`.
pub(in crate::compile::cost) fn liveness(kernel: &Kernel, flow: &ValueFlow) -> Liveness {
    let mut search = Search {
        flow,
        frames: Frames::of(kernel),
        live: Liveness {
            values: vec![false; flow.definitions.len()],
            instructions: vec![false; kernel.code.len()],
        },
        decided: Vec::new(),
        work: Vec::new(),
    };
    search.decided = vec![false; search.frames.parents.len()];
    for (pc, &i) in kernel.code.iter().enumerate() {
        if has_effect(kernel, i) {
            search.needs(pc);
        }
    }
    search.run();
    search.live
}

/// Whether an instruction matters whoever reads its result.
fn has_effect(kernel: &Kernel, i: Instruction) -> bool {
    let role = |site: u32| kernel.sites[site as usize].role;
    match i.op {
        // What a generated text says not to count is a store all the same.
        Op::Store | Op::StoreShared => {
            kernel.source.is_generated || role(i.imm) != AccessRole::Silent
        }
        Op::Load | Op::LoadShared => role(i.imm) == AccessRole::Volatile,
        // Where lanes go matters for what they meet there.
        Op::If | Op::Else | Op::EndIf | Op::ScopeBegin | Op::ScopeEnd => false,
        Op::LeaveUnless | Op::Leave | Op::Continue | Op::Rejoin | Op::Jump => false,
        Op::Clock | Op::BarrierArrive | Op::BarrierOpened => true,
        op if op.is_shuffle() => false,
        op => op.is_atomic() || op.is_exchange() || kernel.writes(i).is_none(),
    }
}

struct Search<'a> {
    flow: &'a ValueFlow,
    frames: Frames,
    live: Liveness,
    /// Frames of which all that decides them is live.
    decided: Vec<bool>,
    /// Values whose definitions are still to be looked at.
    work: Vec<Value>,
}

impl Search<'_> {
    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            // Loops bring values back to themselves.
            if std::mem::replace(&mut self.live.values[value], true) {
                continue;
            }
            match self.flow.definitions[value] {
                Definition::Start => {}
                Definition::At(pc) => self.needs(pc),
                Definition::Phi(meeting) => {
                    self.work.extend(&self.flow.phis[&value]);
                    // Which of them it is, the frame decides whose ways meet there.
                    self.decide(self.frames.around[self.flow.meets_at[&meeting]]);
                }
            }
        }
    }

    fn needs(&mut self, pc: usize) {
        if std::mem::replace(&mut self.live.instructions[pc], true) {
            return;
        }
        self.work.extend(&self.flow.reads[pc].all);
        self.decide(self.frames.around[pc]);
    }

    /// Somebody needs what is in a frame.
    fn decide(&mut self, frame: FrameId) {
        if std::mem::replace(&mut self.decided[frame], true) {
            return;
        }
        for pc in std::mem::take(&mut self.frames.deciding[frame]) {
            self.needs(pc);
        }
        self.decide(self.frames.parents[frame]);
    }
}

impl Frames {
    fn of(kernel: &Kernel) -> Self {
        let mut frames = Frames::default();
        frames.open(0);
        let mut open: Vec<FrameId> = vec![0];
        for (pc, i) in kernel.code.iter().enumerate() {
            let innermost = open[open.len() - 1];
            frames.around.push(innermost);
            match i.op {
                Op::If | Op::ScopeBegin => {
                    let frame = frames.open(innermost);
                    frames.deciding[frame].push(pc);
                    open.push(frame);
                }
                Op::LeaveUnless => frames.deciding[innermost].push(pc),
                Op::Leave | Op::Continue => {
                    let left = open.len().saturating_sub(1 + usize::from(i.a));
                    frames.deciding[open[left]].push(pc);
                }
                // The kernel's own frame stays.
                Op::EndIf | Op::ScopeEnd if open.len() > 1 => {
                    open.pop();
                }
                _ => {}
            }
        }
        frames
    }

    fn open(&mut self, parent: FrameId) -> FrameId {
        self.parents.push(parent);
        self.deciding.push(Vec::new());
        self.parents.len() - 1
    }
}
