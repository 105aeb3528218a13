//! What the passes over a kernel's costs share.

use std::collections::HashMap;

use super::short_branches::ShortBranch;
use super::values::{Liveness, RegionId, Value, ValueFlow, ValueNumbers, flow, is_move};
use crate::ir::{Kernel, Op, fp32_cost};
use crate::launch::Fp32Counts;

/// The costs of a kernel's instructions while they are put right.
pub(super) struct CostModel<'a> {
    pub kernel: &'a Kernel,
    pub flow: ValueFlow,
    /// What somebody needs.
    pub live: Liveness,
    pub numbers: ValueNumbers,
    /// What instructions are to `nvcc`.
    pub ops: Vec<Op>,
    /// Who reads each value: instructions, or nothing for a phi.
    pub uses: HashMap<Value, Vec<Option<usize>>>,
    pub costs: Vec<Fp32Counts>,
    /// Where instructions stand to those that look for multiply-adds.
    pub blocks: Vec<BasicBlock>,
    /// Where instructions went.
    pub moved: HashMap<usize, usize>,
}

/// Whether an instruction matters for nothing but the value that it computes.
pub(super) fn is_pure(op: Op) -> bool {
    let cost = fp32_cost(op);
    let counts = cost.add + cost.mul + cost.fma + cost.special > 0;
    counts
        || matches!(op, Op::NegF32 | Op::AbsF32 | Op::MaxF32 | Op::MinF32)
        || is_move(op)
        || matches!(op, Op::Select32 | Op::Const32 | Op::Const64)
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BasicBlock {
    /// The block that LLVM has it in.
    pub of_llvm: u32,
    /// The block in machine code, where quotients and roots have branches.
    pub of_machine: u32,
}

/// The basic block of each instruction, where short branches that only compute are none.
fn basic_blocks(kernel: &Kernel) -> Vec<BasicBlock> {
    let (mut of_llvm, mut of_machine) = (0, 0);
    let mut blocks = Vec::with_capacity(kernel.code.len());
    // Of each open frame, whether its ends are ends of blocks.
    let mut frames = Vec::new();
    for (pc, i) in kernel.code.iter().enumerate() {
        let ends = match i.op {
            Op::If => {
                let ends = ShortBranch::of(kernel, pc).is_none();
                frames.push(ends);
                ends
            }
            Op::ScopeBegin => {
                frames.push(true);
                true
            }
            Op::Else => frames.last() == Some(&true),
            Op::EndIf | Op::ScopeEnd => frames.pop() == Some(true),
            Op::LeaveUnless | Op::Leave | Op::Continue | Op::Jump => true,
            _ => false,
        };
        blocks.push(BasicBlock {
            of_llvm,
            of_machine,
        });
        let calls = matches!(i.op, Op::DivF32 | Op::SqrtF32 | Op::RcpF32);
        of_llvm += u32::from(ends);
        of_machine += u32::from(ends || calls);
    }
    blocks
}

impl<'a> CostModel<'a> {
    /// Every instruction costs what its operation does.
    pub fn new(kernel: &'a Kernel) -> Self {
        let flow = flow(kernel);
        CostModel {
            kernel,
            live: Liveness::default(),
            numbers: ValueNumbers::new(&flow),
            ops: kernel.code.iter().map(|i| i.op).collect(),
            uses: HashMap::new(),
            costs: kernel.code.iter().map(|i| fp32_cost(i.op)).collect(),
            blocks: basic_blocks(kernel),
            moved: HashMap::new(),
            flow,
        }
    }

    /// Whether somebody needs an instruction.
    pub fn is_live(&self, pc: usize) -> bool {
        self.live.instructions[pc]
    }

    /// The instructions that read what one computes; nothing if a phi does.
    pub fn users(&self, pc: usize) -> Option<Vec<usize>> {
        let value = self.flow.writes[pc]?;
        // One phi among the readers, which is no instruction, and there is no answer.
        self.uses.get(&value)?.iter().copied().collect()
    }

    /// The instructions that read what one computes, whether or not a phi does.
    pub fn readers(&self, pc: usize) -> impl Iterator<Item = usize> {
        let value = self.flow.writes[pc];
        let uses = value.and_then(|value| self.uses.get(&value));
        uses.into_iter().flatten().copied().flatten()
    }

    /// Whether an instruction stands in a short branch, whose results all lanes choose from.
    pub fn is_chosen(&self, pc: usize) -> bool {
        let mut code = self.kernel.code[..pc].iter();
        // Nothing that ends the search for a short branch stands between its beginning and what it computes.
        let begin = code.rposition(|i| i.op == Op::If);
        let branch = begin.and_then(|begin| ShortBranch::of(self.kernel, begin));
        branch.is_some_and(|branch| pc < branch.end)
    }

    /// The factor of a product that is known.
    pub fn known_factor(&self, pc: usize) -> Option<f32> {
        let [a, b, _] = self.numbers.single(&self.flow.reads[pc]);
        match self.kernel.code[pc].op {
            // `x / 0.5` has become a product in `ops`, but its operands are still those of a division.
            Op::DivF32 => b.map(f32::recip),
            _ => a.or(b),
        }
    }

    /// Where an instruction is, or has gone.
    pub fn region_of(&self, pc: usize) -> RegionId {
        let at = self.moved.get(&pc).copied().unwrap_or(pc);
        self.flow.region_of[at]
    }

    /// The instructions that do not cost what their operation does, with what they cost.
    pub fn changes(&self) -> Vec<(u32, Fp32Counts)> {
        // Kept as exceptions: of most instructions the operation says what they cost.
        let costs = self.costs.iter().zip(&self.kernel.code).enumerate();
        let changed = costs.filter(|(_, (cost, i))| **cost != fp32_cost(i.op));
        changed.map(|(pc, (cost, _))| (pc as u32, *cost)).collect()
    }
}
