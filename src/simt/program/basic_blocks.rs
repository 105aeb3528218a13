//! BasicBlocks: instructions that run one after the other, with the same lanes, whatever happens.
//! How often a stretch ran says how often each of its instructions did.

use std::ops::Range;

use super::action::{Action, action};
use crate::ir::{Kernel, Operand};

/// Most instructions in a basic block: a machine looks for cancellation between two of them.
const MOST: usize = 64;

/// The code of a kernel, cut into basic blocks.
#[derive(Clone, Debug)]
pub struct BasicBlocks {
    ranges: Vec<Range<usize>>,
    /// By instruction: the basic block that it is in.
    of: Vec<u32>,
}

impl BasicBlocks {
    /// Cuts before every target and after every instruction of control flow.
    pub fn new(kernel: &Kernel) -> Self {
        let mut begins = vec![false; kernel.code.len() + 1];
        begins[0] = true;
        for (at, i) in kernel.code.iter().enumerate() {
            let jumps = i.op.operands().contains(&Operand::Target);
            if jumps {
                // Also targets that no lane ever takes: one block too many costs little.
                begins[i.imm as usize] = true;
            }
            if matches!(action(i.op), Action::Control) {
                begins[at + 1] = true;
            }
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut of = Vec::new();
        for (at, _) in kernel.code.iter().enumerate() {
            match ranges.last_mut() {
                // A long block is cut, though nothing enters there: it is counted as a whole, and
                // cancelled between blocks.
                Some(last) if !begins[at] && last.len() < MOST => last.end += 1,
                _ => ranges.push(at..at + 1),
            }
            of.push(ranges.len() as u32 - 1);
        }
        BasicBlocks { ranges, of }
    }

    /// Index of the basic block that holds instruction `pc`.
    #[inline(always)]
    pub fn at(&self, pc: usize) -> usize {
        self.of[pc] as usize
    }

    /// The instructions of basic block `index`.
    #[inline(always)]
    pub fn range(&self, index: usize) -> Range<usize> {
        self.ranges[index].clone()
    }

    /// Number of basic blocks.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }
}
