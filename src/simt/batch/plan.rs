//! What is known of a launch before it runs, for batches: the code that a scalarised batch runs,
//! where warps may go in lockstep, and which registers guard each access's pattern.

use std::ops::Range;

use super::dependence::{Dependences, dependences, speculative_blocks};
use super::loops::{Loops, loops};
use super::pattern::has_patterns;
use crate::ir::{Kernel, Op};
use crate::simt::launch::Launch;
use crate::simt::program::{Action, Program, action};
use crate::simt::uniformity::{Guards, Prelaunch, ScalarProgram};

/// Most basic blocks times registers of a kernel that is looked through: more takes longer than it gains.
const MOST_LOOKED_AT: usize = 2_000_000;

/// A launch's plan for batches.
pub struct BatchPlan {
    /// The code as warps run it that have gone alike since the block began.
    pub scalar: ScalarProgram,
    pub dependences: Dependences,
    /// By access site: whether it is in a speculative block.
    pub is_speculative: Vec<bool>,
    /// By access site: which registers are compared, by warps that know nothing of each other.
    pub guards: Vec<Guards>,
    /// By access site: whether patterns of its addresses can be remembered.
    pub has_patterns: Vec<bool>,
    /// The fastest loops for the processor.
    pub loops: Loops,
}

impl BatchPlan {
    /// Plans a launch whose `program` is ready, and tells the program which registers blocks must find
    /// set; nothing where warps must go one after the other.
    pub fn new(launch: &Launch<'_>, program: &mut Program<'_>) -> Option<Self> {
        let kernel = program.kernel;
        // Where a body goes back to, its code does not say, and analyses follow code.
        let is_called = kernel.code.iter().any(|i| i.op == Op::Call);
        if is_called || kernel.code.iter().any(|i| is_ordered(i.op)) {
            return None;
        }
        // What lives where is a table of both.
        if program.basic_blocks.len() * usize::from(kernel.registers) > MOST_LOOKED_AT {
            return None;
        }
        let prelaunch = Prelaunch {
            kernel,
            code: &program.code,
            geometry: &program.geometry,
            image: &program.image,
        };
        // Constants go behind the registers of the kernel, where instructions find them by number.
        let speculative = speculative_blocks(kernel, &program.basic_blocks);
        let mut scalar = ScalarProgram::new(&prelaunch, &program.basic_blocks, &speculative)?;
        program.unset = scalar.unset(kernel);
        program.constants = std::mem::take(&mut scalar.constants);
        let are_read = scalar.are_read(kernel);
        Some(BatchPlan {
            dependences: dependences(launch, &scalar.live_ranges, &speculative, &are_read),
            scalar,
            is_speculative: speculative_sites(kernel, &speculative),
            guards: guards(kernel),
            has_patterns: kernel.sites.iter().map(has_patterns).collect(),
            loops: loops(),
        })
    }
}

/// By access site: whether it is in one of the `speculative` blocks.
fn speculative_sites(kernel: &Kernel, speculative: &[Range<usize>]) -> Vec<bool> {
    let mut is_speculative = vec![false; kernel.sites.len()];
    for i in speculative
        .iter()
        .flat_map(|block| &kernel.code[block.clone()])
    {
        if matches!(action(i.op), Action::Access) {
            is_speculative[i.imm as usize] = true;
        }
    }
    is_speculative
}

/// By access site: the registers of its address that instructions write.
fn guards(kernel: &Kernel) -> Vec<Guards> {
    let mut is_fixed = vec![true; usize::from(kernel.registers)];
    for written in kernel.code.iter().filter_map(|&i| kernel.writes(i)) {
        for register in written.each() {
            is_fixed[usize::from(register)] = false;
        }
    }
    let mut guards = vec![Guards::default(); kernel.sites.len()];
    for &i in &kernel.code {
        if matches!(action(i.op), Action::Access) {
            let site = &kernel.sites[i.imm as usize];
            guards[i.imm as usize] = Guards::of_varying(i, site, &is_fixed);
        }
    }
    guards
}

/// Whether somebody can see in which order warps run the operation, wherever it stands: by what is
/// printed, or by a clock. Of faults a batch reports the one that would have come first.
fn is_ordered(op: Op) -> bool {
    (matches!(action(op), Action::BlockWide) && !matches!(op, Op::Texture | Op::Fault))
        || matches!(op, Op::BarrierVote | Op::Yield | Op::GridBarrier)
}
