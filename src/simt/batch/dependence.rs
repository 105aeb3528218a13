//! Where warps may run together without anybody seeing it.
//!
//! The machine's order is: each warp of a block in turn, until a barrier. A gang takes its warps
//! through the same instructions side by side instead, which comes to the same unless one loads
//! what another stores between the same two barriers: a race, which must not be hidden. So a kernel
//! runs in gangs only between barriers where nothing that is loaded may also be stored.
//!
//! Atomic operations of one kind on a memory that nothing else uses come to the same in any order
//! where they commute exactly and nobody looks at what they found. Others keep their order where each warp
//! does a single one: warps come in order to one instruction.
//!
//! Code that loads from shared memory and then stores there may run in gangs too, as long as no warp
//! is seen to load what another stores: see `window`.

use std::ops::Range;

use super::speculation::{is_before, uses_shared};
use crate::ir::{GLOBAL_STRIDE, Instruction, Kernel, LOCAL_BASE, Op, Operand, SHARED_BASE};
use crate::simt::launch::Launch;
use crate::simt::program::{Action, action};
use crate::simt::uniformity::{Web, Webs};

/// Memories, a bit each: a buffer's is that of the pointers to it.
type Memories = u128;

/// Shared memory.
const SHARED: Memories = 1 << 127;
/// Whatever a pointer that was loaded may point to.
const ANY: Memories = Memories::MAX;

/// Whether warps of a block may go on as gangs until the next barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They may not.
    InTurn,
    /// As long as they keep their order in windows.
    Watched,
    /// They may.
    Any,
}

/// For each instruction: whether a block whose warps all go on there, after a barrier or at the
/// beginning, may run them together until the next barrier. `are_read` says of each
/// instruction whether anybody reads what it writes; `windows` are those of the kernel.
pub fn together(
    launch: &Launch<'_>,
    webs: &Webs,
    windows: &[Range<usize>],
    are_read: &[bool],
) -> Vec<Order> {
    let kernel = launch.kernel;
    let reach = reach(launch, webs);
    let mut together = vec![Order::InTurn; kernel.code.len()];
    let barriers = kernel.code.iter().enumerate();
    let after = barriers
        .filter(|(_, i)| i.op == Op::Barrier)
        .map(|(at, _)| at + 1);
    for entry in std::iter::once(0).chain(after) {
        let code = reachable(kernel, vec![entry]);
        let free = |code: &[usize]| is_free(kernel, &reach, code, are_read);
        together[entry] = if free(&code) {
            Order::Any
        } else if keeps_apart(kernel, &reach, windows, &code).is_some_and(|others| free(&others)) {
            Order::Watched
        } else {
            Order::InTurn
        };
    }
    together
}

/// What of `code`, which runs between two barriers, is in no window; nothing if lanes may use shared
/// memory elsewhere before they come to a window.
fn keeps_apart(
    kernel: &Kernel,
    reach: &[Memories],
    windows: &[Range<usize>],
    code: &[usize],
) -> Option<Vec<usize>> {
    let is_inside = |pc: &usize| windows.iter().any(|window| window.contains(pc));
    let others: Vec<usize> = code.iter().copied().filter(|pc| !is_inside(pc)).collect();
    let shared = others
        .iter()
        .filter(|&&pc| uses_shared(kernel, pc) && reach[pc] & SHARED != 0);
    let mut clashes = shared.flat_map(|&pc| windows.iter().map(move |window| (pc, window)));
    let clash = clashes.any(|(pc, window)| is_before(kernel, pc, window.start));
    (!clash).then_some(others)
}

/// Whether nobody can see in which order warps go through `code`, which runs between two barriers.
fn is_free(kernel: &Kernel, reach: &[Memories], code: &[usize], are_read: &[bool]) -> bool {
    // Loaded, stored, changed in order.
    let mut used: [Memories; 3] = [0; 3];
    let mut changes: Vec<(Op, Memories)> = Vec::new();
    for &pc in code {
        let i = &kernel.code[pc];
        let memories = reach[pc];
        match action(i.op) {
            Action::Access => used[kernel.sites[i.imm as usize].kind as usize] |= memories,
            Action::Atomic if commutes(i.op) && !are_read[pc] => changes.push((i.op, memories)),
            Action::Atomic => {
                let again = reachable(kernel, next(kernel, pc)).contains(&pc);
                if again || used[2] & memories != 0 {
                    return false;
                }
                used[2] |= memories;
            }
            _ => {}
        }
    }
    let [loaded, stored, ordered] = used;
    let apart = |(op, memories): &(Op, Memories)| {
        let others = changes.iter().filter(|(other, _)| other != op);
        let others = others.fold(0, |all, (_, others)| all | others);
        memories & (loaded | stored | ordered | others) == 0
    };
    let are_apart = loaded & (stored | ordered) == 0 && stored & ordered == 0;
    are_apart && changes.iter().all(apart)
}

/// The instructions that may run from any of `open` on before a barrier.
pub fn reachable(kernel: &Kernel, mut open: Vec<usize>) -> Vec<usize> {
    let mut seen = vec![false; kernel.code.len()];
    let mut found = Vec::new();
    while let Some(pc) = open.pop() {
        if !std::mem::replace(&mut seen[pc], true) {
            found.push(pc);
            open.extend(next(kernel, pc));
        }
    }
    found
}

/// The instructions that may run after one, unless it is a barrier.
pub fn next(kernel: &Kernel, pc: usize) -> Vec<usize> {
    let i = &kernel.code[pc];
    let mut next = Vec::new();
    if i.op.operands().contains(&Operand::Target) {
        next.push(i.imm as usize);
    }
    if !matches!(i.op, Op::Barrier | Op::End | Op::Jump) {
        next.push(pc + 1);
    }
    next
}

/// Whether operations of this kind leave the same in whichever order they are done.
fn commutes(op: Op) -> bool {
    matches!(
        op,
        Op::AtomAddI32
            | Op::AtomMinI32
            | Op::AtomMinU32
            | Op::AtomMaxI32
            | Op::AtomMaxU32
            | Op::AtomAnd32
            | Op::AtomOr32
            | Op::AtomXor32
            | Op::AtomAddI64
            | Op::AtomMinI64
            | Op::AtomMinU64
            | Op::AtomMaxI64
            | Op::AtomMaxU64
            | Op::AtomAnd64
            | Op::AtomOr64
            | Op::AtomXor64
    )
}

/// By instruction: the memories that it may access.
fn reach(launch: &Launch<'_>, webs: &Webs) -> Vec<Memories> {
    let kernel = launch.kernel;
    let of_webs = reach_of_webs(launch, webs);
    let target = |(at, i): (usize, &Instruction)| match i.op {
        Op::LoadShared | Op::StoreShared => SHARED,
        // Each warp has its own.
        Op::LoadLocal | Op::StoreLocal => 0,
        _ => {
            let is_address = |operand: Operand| match operand {
                Operand::Base => true,
                Operand::A64 => i.op.is_atomic(),
                _ => false,
            };
            let mut operands = webs.operands(at);
            let base = operands.find(|(registers, _)| is_address(registers.operand));
            base.map_or(ANY, |(_, webs)| all_of(&of_webs, webs))
        }
    };
    kernel.code.iter().enumerate().map(target).collect()
}

fn all_of(of_webs: &[Memories], webs: &[Web]) -> Memories {
    let memories = webs.iter().map(|&web| of_webs[web as usize]);
    memories.fold(0, |all, memories| all | memories)
}

/// By web: the memories that an address made from it may lie in.
fn reach_of_webs(launch: &Launch<'_>, webs: &Webs) -> Vec<Memories> {
    let kernel = launch.kernel;
    let mut reach = vec![0; webs.count];
    for &(register, web) in &webs.initial {
        let parameters = kernel.parameters.iter().zip(&launch.arguments);
        let held = parameters.filter(|(parameter, _)| parameter.register == register);
        reach[web as usize] |= held.fold(0, |all, (_, &bits)| all | memory_of(bits));
    }
    loop {
        let mut grew = false;
        for (at, i) in kernel.code.iter().enumerate() {
            let (from, written) = flow(kernel, webs, at, i, &reach);
            for &web in written {
                grew |= from & !reach[web as usize] != 0;
                reach[web as usize] |= from;
            }
        }
        if !grew {
            return reach;
        }
    }
}

/// The memories that what an instruction reads may point to, and the webs that it writes.
fn flow<'a>(
    kernel: &Kernel,
    webs: &'a Webs,
    at: usize,
    i: &Instruction,
    reach: &[Memories],
) -> (Memories, &'a [Web]) {
    let (mut from, mut written): (Memories, &[Web]) = (0, &[]);
    if i.op.operands().contains(&Operand::Constant) {
        from |= memory_of(kernel.constants[i.imm as usize]);
    }
    for (registers, webs) in webs.operands(at) {
        match registers.operand {
            Operand::Dst32 | Operand::Dst64 | Operand::Dst128 => written = webs,
            Operand::DstSite => {
                written = webs;
                from |= if webs.len() > 1 { ANY } else { 0 };
            }
            Operand::A32 | Operand::A64 | Operand::B32 | Operand::B64 => {
                from |= all_of(reach, webs);
            }
            Operand::C32 | Operand::C64 => from |= all_of(reach, webs),
            _ => {}
        }
    }
    (from, written)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::simt::GlobalMemory;
    use crate::simt::program::Program;
    use crate::source::SourceFile;

    /// Whether the blocks of a kernel over `arguments` begin together.
    fn begins_together(text: &str, arguments: &[u64]) -> bool {
        let compiled = compile(&SourceFile::new("k.cu", text), &[]);
        let launch = Launch {
            kernel: compiled.kernels.first().expect("compiles"),
            grid: [4, 1, 1],
            block: [128, 1, 1],
            dynamic_shared_bytes: 0,
            arguments: arguments.to_vec(),
        };
        let mut program = Program::new(&launch, 1).expect("can be launched");
        program.plan_gangs(&launch);
        program.together[0] == Order::Any
    }

    #[test]
    fn rows_of_two_buffers_are_told_apart_and_rows_of_one_are_not() {
        let rows = "__global__ void rows(const float* x, float* y, int n) {
            const float* in = x + blockIdx.x * n;
            float* out = y + blockIdx.x * n;
            out[threadIdx.x] = in[threadIdx.x];
        }";
        let [x, y] = [0, 1].map(GlobalMemory::address);
        assert!(begins_together(rows, &[x, y, 128]));
        assert!(!begins_together(rows, &[x, x, 128]));
    }

    #[test]
    fn a_pointer_that_may_be_either_reaches_both() {
        let either = "__global__ void either(const float* x, float* y, int n) {
            const float* in = threadIdx.x < n ? x : y;
            y[threadIdx.x] = in[threadIdx.x];
        }";
        let [x, y] = [0, 1].map(GlobalMemory::address);
        assert!(!begins_together(either, &[x, y, 64]));
    }
}
