//! Which accesses may conflict with those of other threads, by what is known of a launch before it runs.
//!
//! Most cannot: what is only loaded, as the matrices of a product are; what each thread loads and stores in a place of its
//! own, as in `c[i] = a[i] + b[i]`; and shared memory where it is only loaded from one barrier to the next.

use super::dependence::{Memories, SHARED, entries, reach, reachable};
use super::plan::BatchPlan;
use crate::ir::{AccessSite, GLOBAL_STRIDE, Kernel};
use crate::memory::AccessKind;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::Launch;
use crate::simt::program::{Action, Conflicts, Interval, action};
use crate::simt::uniformity::ThreadSums;

/// The conflicts of a launch over `memory`, which has this plan.
pub fn conflicts(launch: &Launch<'_>, plan: &BatchPlan, memory: &GlobalMemory) -> Conflicts {
    let kernel = launch.kernel;
    let ranges = &plan.scalar.live_ranges;
    let accesses = Accesses {
        kernel,
        memory,
        reach: reach(launch, ranges),
    };
    let intervals: Vec<Interval> = entries(kernel)
        .map(|entry| Interval {
            entry,
            code: reachable(kernel, vec![entry]),
        })
        .collect();
    let sums = ThreadSums::new(launch, ranges);
    let contested = accesses.contested(&sums);
    let mut may_conflict: Vec<bool> = (0..kernel.code.len())
        .map(|pc| accesses.goes_to(pc, contested) || accesses.is_atomic(pc))
        .collect();
    // An asynchronous copy arrives where it is waited for, which may be behind the next barrier.
    let has_copies = kernel.sites.iter().any(AccessSite::is_copy);
    let is_changed_there = |interval: &&Interval| {
        let mut code = interval.code.iter();
        has_copies || code.any(|&pc| accesses.changes(pc) && accesses.goes_to(pc, SHARED))
    };
    for interval in intervals.iter().filter(is_changed_there) {
        for &pc in &interval.code {
            may_conflict[pc] |= accesses.goes_to(pc, SHARED);
        }
    }
    Conflicts {
        may_conflict,
        intervals,
    }
}

/// The accesses of a kernel, and the memories that each may go to.
struct Accesses<'a> {
    kernel: &'a Kernel,
    memory: &'a GlobalMemory,
    reach: Vec<Memories>,
}

impl Accesses<'_> {
    fn is_plain(&self, pc: usize) -> bool {
        matches!(action(self.kernel.code[pc].op), Action::Access)
    }

    fn is_atomic(&self, pc: usize) -> bool {
        matches!(action(self.kernel.code[pc].op), Action::Atomic)
    }

    /// Whether it is an access that may go to one of some memories.
    fn goes_to(&self, pc: usize, memories: Memories) -> bool {
        (self.is_plain(pc) || self.is_atomic(pc)) && self.reach[pc] & memories != 0
    }

    /// Whether it changes what it goes to.
    fn changes(&self, pc: usize) -> bool {
        self.is_atomic(pc) || (self.is_plain(pc) && self.site(pc).kind == AccessKind::Store)
    }

    /// The site of an access.
    fn site(&self, pc: usize) -> &AccessSite {
        &self.kernel.sites[self.kernel.code[pc].imm as usize]
    }

    /// The memories of the grid in which a thread may change what another one accesses.
    fn contested(&self, sums: &ThreadSums<'_>) -> Memories {
        let all = 0..self.kernel.code.len();
        let changed = all.filter(|&pc| self.changes(pc));
        let mut rest = changed.fold(0, |all, pc| all | self.reach[pc]) & !SHARED;
        let mut contested = 0;
        while rest != 0 {
            let memory = rest & rest.wrapping_neg();
            rest &= !memory;
            if !self.are_apart(memory, sums) {
                contested |= memory;
            }
        }
        contested
    }

    /// Whether each thread has a place of its own in a memory, and goes there only.
    fn are_apart(&self, memory: Memories, sums: &ThreadSums<'_>) -> bool {
        let first_address = u64::from(memory.trailing_zeros()) * GLOBAL_STRIDE;
        let Some((_, buffer)) = self.memory.buffer_at(first_address) else {
            return false;
        };
        // The checks tell elements apart, and words of wider ones.
        let narrowest = buffer.element_bytes().min(4);
        let (mut begin, mut end) = (i64::MAX, i64::MIN);
        let mut place = None;
        for pc in (0..self.kernel.code.len()).filter(|&pc| self.goes_to(pc, memory)) {
            let site = self.site(pc);
            let is_narrow = u64::from(site.width_bytes) < narrowest;
            if !self.is_plain(pc) || self.reach[pc] != memory || is_narrow {
                return false;
            }
            let Some(sum) = sums.address(pc) else {
                return false;
            };
            if *place.get_or_insert(sum) != sum {
                return false;
            }
            let offset = i64::from(site.offset_bytes);
            begin = begin.min(offset);
            end = end.max(offset + i64::from(site.width_bytes));
        }
        place.is_none_or(|sum| sums.are_apart(sum, end.abs_diff(begin)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::launch::{BufferValues, ElementType};
    use crate::simt::program::Program;
    use crate::source::SourceFile;

    /// How many loads, stores and atomic operations of a kernel may conflict, which runs over `x`, `y` and the length 512
    /// by 4 blocks of 128 threads; `x` and `y` are one buffer if they `are_one`.
    fn conflicting(body: &str, are_one: bool) -> usize {
        let text = format!("__global__ void k(float* x, float* y, int n) {{ {body} }}");
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        let buffer = || BufferValues {
            name: String::new(),
            element: ElementType::F32,
            bytes: vec![0; 4096],
        };
        let memory = GlobalMemory::new(vec![buffer(), buffer()]);
        let y = GlobalMemory::address(usize::from(!are_one));
        let launch = Launch {
            kernel: compiled.kernels.first().expect("compiles"),
            grid: [4, 1, 1],
            block: [128, 1, 1],
            dynamic_shared_bytes: 0,
            arguments: vec![GlobalMemory::address(0), y, 512],
        };
        let mut program = Program::new(&launch, 1).expect("can be launched");
        let plan = BatchPlan::new(&launch, &mut program).expect("runs in batches");
        let conflicts = conflicts(&launch, &plan, &memory);
        conflicts.may_conflict.iter().filter(|may| **may).count()
    }

    const INDEX: &str = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

    #[test]
    fn what_nobody_changes_and_places_of_threads_alone_cannot_conflict() {
        let of = |body: &str, are_one| conflicting(&format!("{INDEX} {body}"), are_one);
        assert_eq!(of("if (i < n) y[i] = x[i] + x[n - 1];", false), 0);
        assert_eq!(of("y[i] += x[i];", true), 0);
        assert_eq!(of("y[i] = x[i + 1];", true), 2);
        assert_eq!(of("y[i / 2] = x[i];", false), 1);
        assert_eq!(of("y[threadIdx.x] = x[i];", false), 1);
        assert_eq!(of("for (; i < n; i += 128) y[i] = x[i];", false), 1);
    }

    #[test]
    fn places_that_overlap_may_conflict() {
        let store = "*(float2*)(y + STEP * (128 * blockIdx.x + threadIdx.x)) = make_float2(0, 1);";
        assert_eq!(conflicting(&store.replace("STEP", "2"), false), 0);
        assert_eq!(conflicting(&store.replace("STEP", "1"), false), 1);
        // The last thread of a block and the first of the next.
        let blocks = "y[127 * blockIdx.x + threadIdx.x] = 1;";
        assert_eq!(conflicting(blocks, false), 1);
    }

    #[test]
    fn shared_memory_may_conflict_between_barriers_with_a_store() {
        let tile = "__shared__ float tile[128]; tile[threadIdx.x] = x[threadIdx.x]; BARRIER
            float value = tile[127 - threadIdx.x]; y[128 * blockIdx.x + threadIdx.x] = value;";
        let with = |barrier: &str| conflicting(&tile.replace("BARRIER", barrier), false);
        assert_eq!(with("__syncthreads();"), 1);
        assert_eq!(with(""), 2);
    }
}
