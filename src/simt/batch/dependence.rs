//! Memory dependences between the warps of a block: where warps may go in lockstep without anybody
//! seeing it.
//!
//! The machine's order is: each warp of a block in turn, until a barrier. A batch takes its warps
//! through the same instructions side by side instead, which comes to the same unless one loads
//! what another stores between the same two barriers: a race, which must not be hidden. So a kernel
//! runs in lockstep only between barriers where nothing that is loaded may also be stored. For
//! `y[i] = x[i]` with two buffers it may; with `x` and `y` the same buffer it may not.
//!
//! Atomic operations of one kind on a memory that nothing else uses come to the same in any order
//! where they commute exactly and nobody looks at what they found. Others keep their order where each
//! warp does a single one: warps come in order to one instruction.
//!
//! Memories that are loaded and stored, but by each lane only in its own place, leave lockstep possible too: see
//! `own_places`.
//!
//! Code that loads from shared memory and then stores there, as each round of a reduction does, may
//! run in lockstep speculatively: see `speculation`.

use std::ops::Range;

use super::own_places::Values;
use crate::ir::{
    GLOBAL_STRIDE, Instruction, Kernel, LOCAL_BASE, Op, Operand, Register, SHARED_BASE,
};
use crate::memory::AccessKind;
use crate::simt::launch::Launch;
use crate::simt::program::{Action, BasicBlocks, action};
use crate::simt::uniformity::{LiveRange, LiveRanges};

/// Memories, a bit each: a buffer's is that of the pointers to it.
pub type Memories = u128;

/// Shared memory.
pub const SHARED: Memories = 1 << 127;
/// Whatever a pointer that was loaded may point to.
const ANY: Memories = Memories::MAX;

/// Whether warps of a block may go in lockstep until the next barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lockstep {
    /// They may not.
    Forbidden,
    /// As long as the machine finds no dependence between warps in speculative blocks.
    Speculative,
    /// Up to an access that does not keep its distance.
    Apart,
    /// They may.
    Allowed,
}

/// Where warps may go in lockstep.
pub struct Dependences {
    /// For each instruction: whether a block whose warps all go on there, after a barrier or at the beginning, may
    /// run them in lockstep until the next barrier.
    pub lockstep: Vec<Lockstep>,
    /// By access site: how many bytes the addresses of different warps must lie apart, if they must.
    pub distances: Vec<Option<u64>>,
}

/// Finds the dependences of a launch. `are_read` says of each instruction whether anybody reads what it writes;
/// `speculative` are the kernel's blocks of that kind.
pub fn dependences(
    launch: &Launch<'_>,
    ranges: &LiveRanges,
    speculative: &[Range<usize>],
    are_read: &[bool],
) -> Dependences {
    let kernel = launch.kernel;
    let reach = reach(launch, ranges);
    let mut lockstep = vec![Lockstep::Forbidden; kernel.code.len()];
    let mut distances = vec![None; kernel.sites.len()];
    let mut values = None;
    // Only there do batches of warps that wait for each other begin.
    // Forbidden is what stands for all other instructions: no batch begins there.
    for entry in entries(kernel) {
        let code = reachable(kernel, vec![entry]);
        let free = |code: &[usize]| is_free(kernel, &reach, code, are_read);
        lockstep[entry] = if free(&code) {
            Lockstep::Allowed
        } else if outside_of_speculation(kernel, &reach, speculative, &code)
            .is_some_and(|others| free(&others))
        {
            Lockstep::Speculative
        } else if let Some(contest) = contest(kernel, &reach, &code)
            && free(&contest.others)
            && let values = values.get_or_insert_with(|| Values::new(kernel, ranges))
            && let Some(found) = contest.distances(values)
        {
            found.into_iter().for_each(|(site, distance)| {
                distances[site] = distances[site].max(Some(distance));
            });
            Lockstep::Apart
        } else {
            Lockstep::Forbidden
        };
    }
    Dependences {
        lockstep,
        distances,
    }
}

/// Where warps begin, and where they go on behind barriers.
pub fn entries(kernel: &Kernel) -> impl Iterator<Item = usize> {
    let barriers = kernel.code.iter().enumerate();
    let barriers = barriers.filter(|(_, i)| i.op == Op::Barrier);
    std::iter::once(0).chain(barriers.map(|(at, _)| at + 1))
}

/// Code between two barriers with memories that are both loaded and stored there.
struct Contest<'a> {
    reach: &'a [Memories],
    /// What goes to such memories.
    accesses: Vec<usize>,
    /// All other instructions.
    others: Vec<usize>,
}

/// What `code`, which runs between two barriers, loads and stores in the same memories; nothing where that cannot
/// keep apart: in shared memory, or in one that is also changed atomically.
fn contest<'a>(kernel: &Kernel, reach: &'a [Memories], code: &[usize]) -> Option<Contest<'a>> {
    let is_access = |pc: usize| matches!(action(kernel.code[pc].op), Action::Access);
    let used = |kind: AccessKind| {
        let of_kind = |pc: usize| kernel.sites[kernel.code[pc].imm as usize].kind == kind;
        let uses = code.iter().filter(|&&pc| is_access(pc) && of_kind(pc));
        uses.fold(0, |all, &pc| all | reach[pc])
    };
    // `x[i] = y[j]` of two buffers contests nothing; only a memory with both kinds of accesses does.
    let contested = used(AccessKind::Load) & used(AccessKind::Store);
    let (accesses, others): (Vec<usize>, Vec<usize>) = code
        .iter()
        .partition(|&&pc| is_access(pc) && reach[pc] & contested != 0);
    let is_changed = |&pc: &usize| kernel.code[pc].op.is_atomic() && reach[pc] & contested != 0;
    let keeps_apart = contested & SHARED == 0 && !others.iter().any(is_changed);
    keeps_apart.then_some(Contest {
        reach,
        accesses,
        others,
    })
}

impl Contest<'_> {
    /// By access site: how far apart different warps must go; nothing if lanes may go to several places of a memory.
    fn distances(self, values: &mut Values<'_>) -> Option<Vec<(usize, u64)>> {
        let reach = self.reach;
        let mut distances = Vec::new();
        let mut rest = self.accesses;
        while let Some(&first) = rest.first() {
            let mut memories = reach[first];
            // What one access may go to belongs together, and so does what its neighbours there may go to.
            let mut reaches = rest
                // As often as there are accesses: an access to A or B joins a group of A, and with it those to B that
                // came by before.
                .iter()
                .map(|&pc| reach[pc])
                .cycle()
                .take(rest.len() * rest.len());
            for other in &mut reaches {
                memories |= if other & memories != 0 { other } else { 0 };
            }
            let (group, others): (Vec<usize>, Vec<usize>) =
                rest.iter().partition(|&&pc| reach[pc] & memories != 0);
            let distance = values.least_distance(&group)?;
            distances.extend(group.iter().map(|&pc| (values.site_at(pc), distance)));
            rest = others;
        }
        Some(distances)
    }
}

/// What of `code`, which runs between two barriers, is in no speculative block; nothing if lanes may
/// use shared memory elsewhere before they come to one.
fn outside_of_speculation(
    kernel: &Kernel,
    reach: &[Memories],
    speculative: &[Range<usize>],
    code: &[usize],
) -> Option<Vec<usize>> {
    let is_inside = |pc: &usize| speculative.iter().any(|block| block.contains(pc));
    let others: Vec<usize> = code.iter().copied().filter(|pc| !is_inside(pc)).collect();
    let shared = others
        .iter()
        .filter(|&&pc| uses_shared(kernel, pc) && reach[pc] & SHARED != 0);
    let mut clashes = shared.flat_map(|&pc| speculative.iter().map(move |block| (pc, block)));
    let clash = clashes.any(|(pc, block)| is_before(kernel, pc, block.start));
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
                // In a loop a later warp may come to it before an earlier one comes for the second
                // time.
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
    // A change that commutes may meet others of its kind, and nothing else: a load would see some done and others not.
    let apart = |(op, memories): &(Op, Memories)| {
        // Additions commute with each other, and not with a maximum.
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
fn next(kernel: &Kernel, pc: usize) -> Vec<usize> {
    let i = &kernel.code[pc];
    let mut next = Vec::new();
    if i.op.operands().contains(&Operand::Target) {
        next.push(i.imm as usize);
    }
    // Also past an `if` that nobody enters: more paths than lanes can take only forbid more.
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
pub fn reach(launch: &Launch<'_>, ranges: &LiveRanges) -> Vec<Memories> {
    let kernel = launch.kernel;
    let of_ranges = reach_of_ranges(launch, ranges);
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
            let mut operands = ranges.operands(at);
            let base = operands.find(|(registers, _)| is_address(registers.operand));
            base.map_or(ANY, |(_, ranges)| all_of(&of_ranges, ranges))
        }
    };
    kernel.code.iter().enumerate().map(target).collect()
}

fn all_of(of_ranges: &[Memories], ranges: &[LiveRange]) -> Memories {
    let memories = ranges.iter().map(|&range| of_ranges[range as usize]);
    memories.fold(0, |all, memories| all | memories)
}

/// By range: the memories that an address made from it may lie in.
// An operation on two pointers may give an address in either one's memory: memories are only ever added.
fn reach_of_ranges(launch: &Launch<'_>, ranges: &LiveRanges) -> Vec<Memories> {
    let kernel = launch.kernel;
    let mut reach = vec![0; ranges.count];
    for live in &ranges.initial {
        let parameters = kernel.parameters.iter().zip(&launch.arguments);
        let parameters_there =
            parameters.filter(|(parameter, _)| parameter.register == live.register);
        reach[live.range as usize] |=
            parameters_there.fold(0, |all, (_, &bits)| all | memory_of(bits));
    }
    loop {
        // To a fixed point: a pointer may come around a loop, changed by what is found later.
        let mut grew = false;
        for (at, i) in kernel.code.iter().enumerate() {
            let (from, written) = flow(kernel, ranges, at, i, &reach);
            for &range in written {
                grew |= from & !reach[range as usize] != 0;
                reach[range as usize] |= from;
            }
        }
        if !grew {
            return reach;
        }
    }
}

/// The memories that what an instruction reads may point to, and the ranges that it writes.
fn flow<'a>(
    kernel: &Kernel,
    ranges: &'a LiveRanges,
    at: usize,
    i: &Instruction,
    reach: &[Memories],
) -> (Memories, &'a [LiveRange]) {
    let (mut from, mut written): (Memories, &[LiveRange]) = (0, &[]);
    if i.op.operands().contains(&Operand::Constant) {
        from |= memory_of(kernel.tables.constants[i.imm as usize]);
    }
    for (registers, ranges) in ranges.operands(at) {
        match registers.operand {
            Operand::Dst32 | Operand::Dst64 | Operand::Dst128 => written = ranges,
            Operand::DstSite => {
                written = ranges;
                // Two words that were loaded may be a pointer, to anything; one word cannot.
                from |= if ranges.len() > 1 { ANY } else { 0 };
            }
            Operand::A32 | Operand::A64 | Operand::B32 | Operand::B64 => {
                from |= all_of(reach, ranges);
            }
            Operand::C32 | Operand::C64 => from |= all_of(reach, ranges),
            _ => {}
        }
    }
    (from, written)
}

/// The memory that a number would be an address in.
fn memory_of(bits: u64) -> Memories {
    match bits {
        bits if bits >= GLOBAL_STRIDE => match bits / GLOBAL_STRIDE {
            // One bit is that of shared memory; a plan of more buffers is treated as if all were
            // one.
            index if index < 127 => 1 << index,
            _ => ANY,
        },
        // No other warp can see it.
        bits if bits >= LOCAL_BASE => 0,
        bits if bits >= SHARED_BASE => SHARED,
        _ => 0,
    }
}

/// The basic blocks of a kernel that may run speculatively, wherever lanes come from: they load from
/// shared memory and then store there, and no shared access can follow before a barrier.
pub fn speculative_blocks(kernel: &Kernel, basic_blocks: &BasicBlocks) -> Vec<Range<usize>> {
    let all = (0..basic_blocks.len()).map(|at| basic_blocks.range(at));
    let candidates = all.filter(|range| may_run_twice(kernel, range.clone()));
    candidates
        .filter(|range| {
            let last = range.end - 1;
            let is_control = matches!(action(kernel.code[last].op), Action::Control);
            let after = after(kernel, if is_control { last } else { range.end });
            !after.iter().any(|&pc| uses_shared(kernel, pc))
        })
        .collect()
}

/// Whether an instruction may use shared memory.
fn uses_shared(kernel: &Kernel, pc: usize) -> bool {
    let op = kernel.code[pc].op;
    match action(op) {
        Action::Access => !matches!(op, Op::LoadLocal | Op::StoreLocal),
        Action::Atomic => true,
        _ => false,
    }
}

/// Whether lanes may come from `pc` to instruction `later` before a barrier.
fn is_before(kernel: &Kernel, pc: usize, later: usize) -> bool {
    reachable(kernel, next(kernel, pc)).contains(&later)
}

/// Whether a basic block loads from shared memory, stores there once at the end, and may begin again before
/// that store.
fn may_run_twice(kernel: &Kernel, range: Range<usize>) -> bool {
    let mut read: Vec<Register> = Vec::new();
    let (mut loads, mut stores) = (0, 0);
    for at in range {
        let i = kernel.code[at];
        match (action(i.op), i.op) {
            (Action::Lanes(_) | Action::Control, _) => {}
            (_, Op::LoadShared) if stores == 0 => loads += 1,
            (_, Op::StoreShared) if stores == 0 => stores += 1,
            _ => return false,
        }
        // After the store nothing is run twice: what it and later instructions write need not be
        // restored.
        if stores == 0 {
            read.extend(kernel.reads(i).flat_map(|read| read.each()));
            let mut written = kernel.writes(i).into_iter().flat_map(|write| write.each());
            if written.any(|register| read.contains(&register)) {
                return false;
            }
        }
    }
    loads > 0 && stores > 0
}

/// The instructions that lanes may run after those before `pc`, until a barrier. Lanes that
/// come to the end of an `if` or scope go on behind it: only where none comes is it jumped.
fn after(kernel: &Kernel, pc: usize) -> Vec<usize> {
    // By instruction: come to with active lanes, and without.
    let mut seen = vec![[false; 2]; kernel.code.len()];
    let mut found = Vec::new();
    let mut open = vec![(pc, true)];
    while let Some((pc, active)) = open.pop() {
        if std::mem::replace(&mut seen[pc][usize::from(active)], true) {
            continue;
        }
        found.push(pc);
        let i = &kernel.code[pc];
        let target = i.imm as usize;
        match i.op {
            Op::Barrier | Op::BarrierVote | Op::End => {}
            Op::Jump => open.push((target, active)),
            Op::Leave | Op::Continue | Op::Exit => open.push((target, false)),
            Op::EndIf | Op::ScopeEnd | Op::Rejoin if active => open.push((pc + 1, true)),
            // An `if` is entered where some lane goes in, and jumped where none does.
            op if op.operands().contains(&Operand::Target) => {
                open.push((pc + 1, true));
                open.push((target, false));
            }
            _ => open.push((pc + 1, active)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::simt::GlobalMemory;
    use crate::simt::program::Program;
    use crate::source::SourceFile;

    /// Whether the blocks of a kernel over `arguments` begin lockstep.
    fn begins_lockstep(text: &str, arguments: &[u64]) -> bool {
        let compiled = compile(&SourceFile::new("k.cu", text), &[]);
        let launch = Launch {
            kernel: compiled.kernels.first().expect("compiles"),
            grid: [4, 1, 1],
            block: [128, 1, 1],
            dynamic_shared_bytes: 0,
            arguments: arguments.to_vec(),
        };
        let program = Program::new(&launch, 1).expect("can be launched");
        let blocks: Vec<_> = (0..program.basic_blocks.len())
            .map(|at| program.basic_blocks.range(at).start)
            .collect();
        let ranges = LiveRanges::new(launch.kernel, &blocks);
        let are_read = vec![true; launch.kernel.code.len()];
        dependences(&launch, &ranges, &[], &are_read).lockstep[0] == Lockstep::Allowed
    }

    #[test]
    fn rows_of_two_buffers_are_told_apart_and_rows_of_one_are_not() {
        let rows = "__global__ void rows(const float* x, float* y, int n) {
            const float* in = x + blockIdx.x * n;
            float* out = y + blockIdx.x * n;
            out[threadIdx.x] = in[threadIdx.x];
        }";
        let [x, y] = [0, 1].map(GlobalMemory::address);
        assert!(begins_lockstep(rows, &[x, y, 128]));
        assert!(!begins_lockstep(rows, &[x, x, 128]));
    }

    /// How the first warps of a kernel over `x`, `y` and a length may go.
    fn begins(body: &str) -> Lockstep {
        let text = format!("__global__ void k(const float* x, float* y, int n) {{ {body} }}");
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        let launch = Launch {
            kernel: compiled.kernels.first().expect("compiles"),
            grid: [4, 1, 1],
            block: [16, 16, 1],
            dynamic_shared_bytes: 0,
            arguments: vec![GlobalMemory::address(0), GlobalMemory::address(1), 64],
        };
        let program = Program::new(&launch, 1).expect("can be launched");
        let blocks = (0..program.basic_blocks.len()).map(|at| program.basic_blocks.range(at).start);
        let ranges = LiveRanges::new(launch.kernel, &blocks.collect::<Vec<_>>());
        let are_read = vec![true; launch.kernel.code.len()];
        dependences(&launch, &ranges, &[], &are_read).lockstep[0]
    }

    #[test]
    fn what_is_loaded_and_stored_at_one_place_a_lane_leaves_lockstep_possible() {
        let product = "int row = blockIdx.y * blockDim.y + threadIdx.y, col = threadIdx.x;
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += x[row * n + k] * x[k * n + col];
            y[row * n + col] = 2.0f * sum + y[row * n + col];";
        assert_eq!(begins(product), Lockstep::Apart);
        let in_loop = "int i = threadIdx.x; for (int k = 0; k < n; ++k) y[i * n] += x[k];";
        assert_eq!(begins(in_loop), Lockstep::Apart);
        let moving = "for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] += x[i];";
        assert_eq!(begins(moving), Lockstep::Forbidden);
        let neighbours = "int i = threadIdx.x; y[i] = x[i] + y[(i + 1) % n];";
        assert_eq!(begins(neighbours), Lockstep::Forbidden);
    }

    #[test]
    fn a_pointer_that_may_be_either_reaches_both() {
        let either = "__global__ void either(const float* x, float* y, int n) {
            const float* in = threadIdx.x < n ? x : y;
            y[threadIdx.x] = in[threadIdx.x];
        }";
        let [x, y] = [0, 1].map(GlobalMemory::address);
        assert!(!begins_lockstep(either, &[x, y, 64]));
    }
}
