//! Where warps may run together without anybody seeing it.
//!
//! The machine's order is: each warp of a block in turn, until a barrier. A gang takes its warps
//! through the same instructions side by side instead, which comes to the same unless one loads
//! what another stores between the same two barriers: a race, which must not be hidden. So a kernel
//! runs in gangs only between barriers where nothing that is loaded may also be stored.

use super::Launch;
use super::program::{Action, action};
use crate::ir::{GLOBAL_STRIDE, Instruction, Kernel, LOCAL_BASE, Op, Operand, SHARED_BASE};
use crate::memory::AccessKind;

/// Memories, a bit each: a buffer's is that of the pointers to it.
type Memories = u128;

/// Shared memory.
const SHARED: Memories = 1 << 127;
/// Whatever a pointer that was loaded may point to.
const ANY: Memories = Memories::MAX;

/// For each instruction: whether a block whose warps all go on there, after a barrier or at the
/// beginning, may run them together until the next barrier.
pub fn together(launch: &Launch<'_>) -> Vec<bool> {
    let kernel = launch.kernel;
    let reach = reach(launch);
    let mut together = vec![false; kernel.code.len()];
    let barriers = kernel.code.iter().enumerate();
    let after = barriers
        .filter(|(_, i)| i.op == Op::Barrier)
        .map(|(at, _)| at + 1);
    for entry in std::iter::once(0).chain(after) {
        together[entry] = is_free(kernel, &reach, entry);
    }
    together
}

/// Whether no memory is both loaded from and stored to between `entry` and the next barriers.
fn is_free(kernel: &Kernel, reach: &[Memories], entry: usize) -> bool {
    let mut seen = vec![false; kernel.code.len()];
    let mut open = vec![entry];
    let (mut loaded, mut stored) = (0, 0);
    while let Some(pc) = open.pop() {
        if std::mem::replace(&mut seen[pc], true) {
            continue;
        }
        let i = &kernel.code[pc];
        if matches!(action(i.op), Action::Access) {
            let memories = target(i, reach);
            match kernel.sites[i.imm as usize].kind {
                AccessKind::Load => loaded |= memories,
                AccessKind::Store => stored |= memories,
            }
        }
        if i.op.operands().contains(&Operand::Target) {
            open.push(i.imm as usize);
        }
        if !matches!(i.op, Op::Barrier | Op::End | Op::Jump) {
            open.push(pc + 1);
        }
    }
    loaded & stored == 0
}

/// The memories that an access may go to; its own local memory is no other warp's.
fn target(i: &Instruction, reach: &[Memories]) -> Memories {
    match i.op {
        Op::LoadShared | Op::StoreShared => SHARED,
        Op::LoadLocal | Op::StoreLocal => 0,
        _ => reach
            .get(usize::from(i.a))
            .map_or(ANY, |&memories| memories),
    }
}

/// By register: the memories that an address made from it may lie in.
fn reach(launch: &Launch<'_>) -> Vec<Memories> {
    let kernel = launch.kernel;
    let mut reach = vec![0; usize::from(kernel.registers)];
    for (parameter, &bits) in kernel.parameters.iter().zip(&launch.arguments) {
        reach[usize::from(parameter.register)] |= memory_of(bits);
    }
    loop {
        let mut grew = false;
        for i in &kernel.code {
            let (words, from) = flow(kernel, i, &reach);
            for target in reach.iter_mut().skip(usize::from(i.dst)).take(words) {
                grew |= from & !*target != 0;
                *target |= from;
            }
        }
        if !grew {
            return reach;
        }
    }
}

/// Registers that an instruction writes, and the memories that what it reads may point to.
fn flow(kernel: &Kernel, i: &Instruction, reach: &[Memories]) -> (usize, Memories) {
    let (mut words, mut from) = (0, 0);
    let of = |register: u16| reach.get(usize::from(register)).copied().unwrap_or(0);
    for operand in i.op.operands() {
        match operand {
            Operand::Dst32 => words = 1,
            Operand::Dst64 => words = 2,
            Operand::DstSite => {
                words = kernel.sites[i.imm as usize].words() as usize;
                from |= if words > 1 { ANY } else { 0 };
            }
            Operand::A32 | Operand::A64 => from |= of(i.a),
            Operand::B32 | Operand::B64 => from |= of(i.b),
            Operand::C32 | Operand::C64 => from |= of(i.c),
            Operand::Constant => from |= memory_of(kernel.constants[i.imm as usize]),
            _ => {}
        }
    }
    (words, from)
}

/// The memory that a number would be an address in.
fn memory_of(bits: u64) -> Memories {
    match bits {
        bits if bits >= GLOBAL_STRIDE => match bits / GLOBAL_STRIDE {
            index if index < 127 => 1 << index,
            _ => ANY,
        },
        bits if bits >= LOCAL_BASE => 0,
        bits if bits >= SHARED_BASE => SHARED,
        _ => 0,
    }
}
