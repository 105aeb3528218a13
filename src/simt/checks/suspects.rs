//! Which instructions may meet a register that was never set, found out before a launch runs: definite assignment, along
//! the paths that single lanes can take. All others need not be followed while it runs, which are most: of a kernel
//! without local memory and without a forgotten value, all of them.
//!
//! Paths are those of the code's structure, whichever way conditions turn out: more than lanes can take only means that
//! more is followed.

use crate::ir::{AccessSite, Instruction, Kernel, Op, Operand, Register, Registers, Space};
use crate::simt::program::parameter_words;

/// What has to be followed.
pub struct Suspects {
    /// By register: whether an instruction may read it before it has a value.
    pub registers: Vec<bool>,
    /// By instruction: whether it may read such a register, may write one, or uses memory of the block or lane.
    pub instructions: Vec<bool>,
    /// By instruction: whether it accesses shared memory, and reads and writes no such register.
    pub only_shared: Vec<bool>,
}

/// Registers that may have no value, a bit each.
type Missing = Vec<u64>;

impl Suspects {
    /// Those of a kernel whose blocks have so much shared memory.
    pub fn new(kernel: &Kernel, shared_bytes: u32) -> Self {
        let mut suspects = Suspects {
            registers: vec![false; usize::from(kernel.registers)],
            instructions: vec![false; kernel.code.len()],
            only_shared: vec![false; kernel.code.len()],
        };
        // Where a body goes back to, its code does not say: everything is followed.
        if kernel.code.iter().any(|i| i.op == Op::Call) {
            suspects.registers.fill(true);
            suspects.instructions.fill(true);
            return suspects;
        }
        let missing = missing_at(kernel);
        for (&i, missing) in kernel.code.iter().zip(&missing) {
            let read = kernel.reads(i).flat_map(Registers::each);
            for register in read.filter(|&register| has(missing, register)) {
                suspects.registers[usize::from(register)] = true;
            }
        }
        for (at, &i) in kernel.code.iter().enumerate() {
            let read = kernel.reads(i).flat_map(Registers::each);
            let written = kernel.writes(i).into_iter().flat_map(Registers::each);
            let is_suspect = |register: Register| suspects.registers[usize::from(register)];
            let has_suspects = read.chain(written).any(is_suspect);
            suspects.instructions[at] = has_suspects || may_be_own(kernel, i, shared_bytes);
            let is_shared = site(kernel, i).is_some_and(|site| site.space == Space::Shared);
            suspects.only_shared[at] = is_shared && !has_suspects;
        }
        suspects
    }
}

/// The access site of a load, store or atomic operation.
pub fn site(kernel: &Kernel, i: Instruction) -> Option<&AccessSite> {
    let accesses = i.op.operands().contains(&Operand::Site);
    accesses.then(|| &kernel.sites[i.imm as usize])
}

/// Whether an instruction may access shared or local memory, where bytes may have no value.
fn may_be_own(kernel: &Kernel, i: Instruction, shared_bytes: u32) -> bool {
    site(kernel, i).is_some_and(|site| match site.space {
        Space::Shared | Space::Local => true,
        Space::Generic => shared_bytes > 0 || kernel.memory.local_bytes > 0,
    })
}

/// Before each instruction: the registers that may have no value in a lane that comes to it.
fn missing_at(kernel: &Kernel) -> Vec<Missing> {
    let words = usize::from(kernel.registers).div_ceil(64);
    let mut missing = vec![vec![0; words]; kernel.code.len()];
    let mut reached = vec![false; kernel.code.len()];
    let next = paths(kernel);
    let mut open = vec![0];
    if let Some(first) = missing.first_mut() {
        *first = vec![u64::MAX; words];
        for parameter in &kernel.parameters {
            let first_register = parameter.register;
            let count = parameter_words(parameter.parameter_type) as Register;
            (first_register..first_register + count)
                .for_each(|register| set(first, register, false));
        }
        reached[0] = true;
    }
    while let Some(at) = open.pop() {
        let mut after = missing[at].clone();
        follow(kernel, kernel.code[at], &mut after);
        for &next in &next[at] {
            // Only ever more may be missing: it ends.
            let grew = add_all(&mut missing[next], &after);
            // A first visit counts even if nothing is missing there.
            if grew || !std::mem::replace(&mut reached[next], true) {
                open.push(next);
            }
        }
    }
    missing
}

/// What an instruction makes of registers that may have no value.
fn follow(kernel: &Kernel, i: Instruction, missing: &mut Missing) {
    let site = site(kernel, i);
    // The checks do not look at it.
    if site.is_some_and(AccessSite::is_extra) {
        return;
    }
    let Some(written) = kernel.writes(i) else {
        return;
    };
    // What shared memory lacks is told where it is loaded.
    let may_load_nothing =
        site.is_some_and(|site| site.space != Space::Shared && kernel.memory.local_bytes > 0);
    // An address without a value is told, and so is what all lanes of a warp depend on: what comes of them has one.
    let is_told = site.is_some() || (i.op.is_exchange() && !i.op.is_shuffle());
    let mut read = kernel.reads(i).flat_map(Registers::each);
    let lacks = may_load_nothing || (!is_told && read.any(|register| has(missing, register)));
    written
        .each()
        .for_each(|register| set(missing, register, lacks));
}

/// By instruction: where a lane that has executed it may go on.
fn paths(kernel: &Kernel) -> Vec<Vec<usize>> {
    let frames = frames(kernel);
    let path = |(at, i): (usize, &Instruction)| {
        let target = i.imm as usize;
        let frame = |depth: Register| {
            let open: &[Frame] = &frames[at];
            open.len()
                .checked_sub(1 + usize::from(depth))
                .map(|at| &open[at])
        };
        match i.op {
            Op::End | Op::Exit => vec![],
            Op::Jump | Op::Else => vec![target],
            // Lanes that do not go in wait for the `Else`, and go on behind it.
            Op::If if kernel.code[target].op == Op::Else => vec![at + 1, target + 1],
            Op::If | Op::LeaveUnless => vec![at + 1, target],
            Op::Leave => frame(i.a).map_or(vec![], |frame| vec![frame.end]),
            Op::Continue => frame(i.a).map_or(vec![], |frame| vec![frame.rejoin]),
            _ => vec![at + 1],
        }
    };
    kernel.code.iter().enumerate().map(path).collect()
}

/// An `If` or scope.
#[derive(Clone, Copy)]
struct Frame {
    /// Where lanes that `Continue` go on.
    rejoin: usize,
    /// Where those that leave it do.
    end: usize,
}

/// By instruction: the frames that are open there, the outermost first.
fn frames(kernel: &Kernel) -> Vec<Vec<Frame>> {
    // From the end, where the innermost frame that is open is the last that was closed.
    let mut open: Vec<Frame> = Vec::new();
    let mut all = vec![Vec::new(); kernel.code.len()];
    for (at, i) in kernel.code.iter().enumerate().rev() {
        match i.op {
            Op::EndIf | Op::ScopeEnd => open.push(Frame {
                rejoin: at,
                end: at,
            }),
            Op::Rejoin => open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|frame| frame.rejoin = at),
            Op::If | Op::ScopeBegin => {
                open.pop();
            }
            _ => {}
        }
        all[at].clone_from(&open);
    }
    all
}

fn has(missing: &Missing, register: Register) -> bool {
    missing[usize::from(register) / 64] >> (register % 64) & 1 == 1
}

fn set(missing: &mut Missing, register: Register, value: bool) {
    let bit = 1 << (register % 64);
    let word = &mut missing[usize::from(register) / 64];
    *word = if value { *word | bit } else { *word & !bit };
}

/// Adds another's registers; whether there are more now.
fn add_all(missing: &mut Missing, other: &Missing) -> bool {
    let mut grew = false;
    for (mine, other) in missing.iter_mut().zip(other) {
        grew |= other & !*mine != 0;
        *mine |= other;
    }
    grew
}
