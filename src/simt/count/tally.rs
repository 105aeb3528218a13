//! Counters of a launch: what one worker has counted since it last reported, and their sums as
//! [`Counts`] in total and by line.

use std::collections::BTreeMap;

use crate::ir::{AccessSite, Kernel, Op, Space};
use crate::launch::{
    AccessCounts, AtomicCounts, BufferFootprint, ConstantCounts, Counts, Fp32Counts, GlobalCounts,
    LineCounts, SharedCounts,
};
use crate::memory::{AccessKind, Footprint};

use crate::simt::global_memory::GlobalMemory;
use crate::simt::operations::Undefined;
use crate::simt::program::BasicBlocks;

/// How often an instruction ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executions {
    /// Once a warp.
    pub warps: u64,
    /// Once each active lane.
    pub lanes: u64,
    /// Times that lanes went both ways, for branches.
    pub divergent: u64,
}

impl Executions {
    /// Adds another's numbers.
    pub fn add(&mut self, other: Executions) {
        self.warps += other.warps;
        self.lanes += other.lanes;
        self.divergent += other.divergent;
    }

    /// Takes back what `add` has added.
    pub fn remove(&mut self, other: Executions) {
        self.warps -= other.warps;
        self.lanes -= other.lanes;
        self.divergent -= other.divergent;
    }
}

/// What an access site did, in whichever space its addresses lay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accesses {
    global: GlobalCounts,
    atomic: AtomicCounts,
    shared: SharedCounts,
    constant: ConstantCounts,
}

impl Accesses {
    /// Counts requests to global memory.
    pub fn add_global(&mut self, counts: GlobalCounts) {
        self.global += counts;
    }

    /// Counts requests to constant memory.
    pub fn add_constant(&mut self, requests: u64, distinct_addresses: u64) {
        self.constant += ConstantCounts {
            requests,
            distinct_addresses,
        };
    }

    /// Counts requests to shared memory.
    pub fn add_shared(&mut self, counts: SharedCounts) {
        self.shared += counts;
    }

    /// Takes back what `add_shared` has added.
    pub fn remove_shared(&mut self, counts: SharedCounts) {
        let SharedCounts {
            requests,
            wavefronts,
            bank_conflicts,
        } = counts;
        self.shared.requests -= requests;
        self.shared.wavefronts -= wavefronts;
        self.shared.bank_conflicts -= bank_conflicts;
    }

    /// Counts elements that the site's line touches for the first time.
    pub fn add_distinct(&mut self, elements: u64) {
        self.global.distinct_elements += elements;
    }

    /// Elements that the site's line has touched.
    #[cfg(test)]
    pub fn distinct(&self) -> u64 {
        self.global.distinct_elements
    }

    /// Counts an atomic request to global memory by so many lanes.
    pub fn add_atomic(&mut self, sectors: u64, lanes: u64) {
        self.atomic.requests += 1;
        self.atomic.elements += lanes;
        self.atomic.sectors += sectors;
    }

    /// Requests to any memory.
    fn requests(&self) -> u64 {
        let constant = self.constant.requests;
        self.global.requests + self.atomic.requests + self.shared.requests + constant
    }

    /// Adds what a site did to the counts of its line.
    fn add_to(&self, counts: &mut Counts, site: &AccessSite) {
        // A generic load may meet constant memory at run time, so this does not depend on the site's space.
        counts.constant_load += self.constant;
        if site.is_atomic {
            counts.global_atomic += self.atomic;
            counts.shared_atomic += self.shared;
            return;
        }
        let (global, shared) = match site.kind {
            AccessKind::Load => (&mut counts.global_load, &mut counts.shared_load),
            AccessKind::Store => (&mut counts.global_store, &mut counts.shared_store),
        };
        *global += self.global;
        *shared += self.shared;
    }
}

/// Counters of one worker, or their sum.
#[derive(Debug)]
pub struct WorkerCounters {
    /// By instruction, beyond the runs of whole basic blocks.
    pub instructions: Vec<Executions>,
    /// By basic block: runs from its first instruction to its last.
    pub basic_blocks: Vec<Executions>,
    /// By access site.
    pub sites: Vec<Accesses>,
    /// By buffer: elements loaded and stored for the first time in the launch.
    pub distinct: Vec<[u64; 2]>,
    /// By instruction: what exchanges did that CUDA leaves undefined. Lanes of any warp, so that it does not
    /// matter which thread ran which.
    pub undefined: BTreeMap<usize, Undefined>,
    /// Blocks that have ended.
    pub blocks: u64,
    saved: Saved,
}

/// Counters as they were.
#[derive(Debug, Default)]
struct Saved {
    instructions: Vec<Executions>,
    basic_blocks: Vec<Executions>,
    sites: Vec<Accesses>,
}

impl WorkerCounters {
    /// All zero, for code that is cut into so many basic blocks.
    pub fn new(kernel: &Kernel, basic_blocks: usize, memory: &GlobalMemory) -> Self {
        WorkerCounters {
            instructions: vec![Executions::default(); kernel.code.len()],
            basic_blocks: vec![Executions::default(); basic_blocks],
            sites: vec![Accesses::default(); kernel.sites.len()],
            distinct: vec![[0; 2]; memory.len()],
            undefined: BTreeMap::new(),
            blocks: 0,
            saved: Saved::default(),
        }
    }

    /// Keeps the counters as they are in mind.
    pub fn save(&mut self) {
        self.saved.instructions.clone_from(&self.instructions);
        self.saved.basic_blocks.clone_from(&self.basic_blocks);
        self.saved.sites.clone_from(&self.sites);
    }

    /// Puts them back to what they were, but for distinct elements: these are found once only.
    pub fn go_back(&mut self) {
        self.instructions.clone_from(&self.saved.instructions);
        self.basic_blocks.clone_from(&self.saved.basic_blocks);
        for (mine, saved) in self.sites.iter_mut().zip(&self.saved.sites) {
            // The footprints, shared by all threads, cannot be taken back: elements that were new
            // then are old when the blocks run again.
            let distinct = mine.global.distinct_elements;
            *mine = *saved;
            mine.global.distinct_elements = distinct;
        }
    }

    /// Adds the counters to `total` and puts them to zero.
    pub fn flush_into(&mut self, total: &mut WorkerCounters, basic_blocks: &BasicBlocks) {
        for (mine, sum) in self.instructions.iter_mut().zip(&mut total.instructions) {
            sum.add(*mine);
            *mine = Executions::default();
        }
        for (at, mine) in self.basic_blocks.iter_mut().enumerate() {
            // Only here, some hundred times a second, does the count of a block become that of its
            // instructions.
            for sum in &mut total.instructions[basic_blocks.range(at)] {
                sum.add(*mine);
            }
            *mine = Executions::default();
        }
        for (mine, sum) in self.sites.iter_mut().zip(&mut total.sites) {
            sum.global += mine.global;
            sum.atomic += mine.atomic;
            sum.shared += mine.shared;
            sum.constant += mine.constant;
            *mine = Accesses::default();
        }
        for (mine, sum) in self.distinct.iter_mut().zip(&mut total.distinct) {
            sum[0] += mine[0];
            sum[1] += mine[1];
            *mine = [0; 2];
        }
        for (pc, mine) in std::mem::take(&mut self.undefined) {
            total.undefined.entry(pc).or_default().add(mine);
        }
        total.blocks += std::mem::take(&mut self.blocks);
    }

    /// The counts in total and by line.
    pub fn counts(&self, kernel: &Kernel) -> (Counts, Vec<LineCounts>) {
        let mut by_line = BTreeMap::<u32, Counts>::new();
        let instructions = kernel.code.iter().zip(&kernel.source.lines).enumerate();
        for ((pc, (instruction, &line)), ran) in instructions.zip(&self.instructions) {
            if ran.warps > 0 {
                let counts = by_line.entry(line).or_default();
                add_instruction(counts, instruction.op, kernel.fp32_cost(pc), ran);
            }
        }
        for (site, accesses) in kernel.sites.iter().zip(&self.sites) {
            // A site that no lane reached would give its line a row of zeros in the table.
            if accesses.requests() > 0 && !site.is_silent() {
                accesses.add_to(by_line.entry(site.line).or_default(), site);
            }
        }
        let mut total = by_line
            .values()
            .fold(Counts::default(), |sum, &line| sum + line);
        let distinct = |kind: AccessKind| self.distinct.iter().map(|new| new[kind as usize]).sum();
        // Not the sum of the lines: what two lines load is distinct once.
        total.global_load.distinct_elements = distinct(AccessKind::Load);
        total.global_store.distinct_elements = distinct(AccessKind::Store);
        let lines = by_line.into_iter();
        let lines = lines.map(|(line, counts)| LineCounts { line, counts });
        (total, lines.collect())
    }

    /// The counts of each load and store of the source; where several sites stand for one (a
    /// function inlined twice, a vector in parts), their sum.
    pub fn accesses(&self, kernel: &Kernel) -> Vec<AccessCounts> {
        let mut by_place = BTreeMap::new();
        for (site, accesses) in kernel.sites.iter().zip(&self.sites) {
            let requests = accesses.global.requests + accesses.shared.requests;
            if requests > 0 && !site.is_atomic && !site.is_silent() {
                // The text of the source is what tells accesses apart: `a[i] + a[i]` has two.
                let place = (site.span.start, site.span.end, site.kind);
                let counts = by_place.entry(place).or_insert(AccessCounts {
                    span: site.span,
                    line: site.line,
                    kind: site.kind,
                    global: GlobalCounts::default(),
                    shared: SharedCounts::default(),
                });
                counts.global += accesses.global;
                counts.shared += accesses.shared;
                // Two sites of one line may touch the same elements: their numbers must not be
                // added.
                counts.global.distinct_elements = 0;
            }
        }
        by_place.into_values().collect()
    }

    /// Distinct elements of the buffers that were touched, which are those of `touched`.
    pub fn footprints(&self, touched: &Footprints) -> Vec<BufferFootprint> {
        let all = self.distinct.iter().enumerate();
        all.filter(|(_, new)| **new != [0; 2])
            .map(|(buffer, &[loaded, stored])| BufferFootprint {
                buffer,
                loaded,
                stored,
                end: touched.end(buffer),
            })
            .collect()
    }
}

fn add_instruction(counts: &mut Counts, op: Op, cost: Fp32Counts, ran: &Executions) {
    counts.warp_instructions += ran.warps;
    counts.thread_instructions += ran.lanes;
    counts.fp32 += Fp32Counts {
        add: cost.add * ran.lanes,
        mul: cost.mul * ran.lanes,
        fma: cost.fma * ran.lanes,
        special: cost.special * ran.lanes,
    };
    // Tensor cores work once a warp, not once a lane.
    if op.multiply_adds() > 0 {
        counts.tensor.mma += ran.warps;
        counts.tensor.multiply_adds += op.multiply_adds() * ran.warps;
    }
    // Loops leave by `LeaveUnless`: both stand for a conditional branch of the hardware.
    if matches!(op, Op::If | Op::LeaveUnless) {
        counts.branches.executed += ran.warps;
        counts.branches.divergent += ran.divergent;
    }
}

/// The footprints of a launch: of each buffer in each direction, and the same of each line.
#[derive(Debug)]
pub struct Footprints {
    buffers: Vec<[Footprint; 2]>,
    /// By line and direction, then by buffer.
    lines: Vec<Vec<Footprint>>,
    /// For each access site, its place in `lines`.
    line_of_site: Vec<usize>,
}

/// Bytes that the footprints of a launch take where every site touches every element, piece by piece: those of each
/// line and direction, and two of each buffer.
pub fn footprint_bytes(kernel: &Kernel, elements: u64) -> u64 {
    let sites = kernel.sites.iter();
    let (lines, _) = footprint_lines(sites.filter(|site| site.space == Space::Generic));
    // Saturating: the bound is compared with a limit, and an absurd launch must exceed it, not wrap below it.
    Footprint::most_bytes(elements).saturating_mul(lines as u64 + 2)
}

/// How many lines and directions have a footprint of their own, and the one of each access site.
fn footprint_lines<'a>(sites: impl Iterator<Item = &'a AccessSite>) -> (usize, Vec<usize>) {
    let mut keys = Vec::new();
    let place = |site: &AccessSite| {
        // Sites of one line and direction share a footprint, so that an unrolled loop counts
        // each element once.
        let key = (site.line, site.kind, site.is_silent());
        keys.iter()
            .position(|&known| known == key)
            .unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
    };
    let line_of_site = sites.map(place).collect();
    (keys.len(), line_of_site)
}

impl Footprints {
    /// Empty footprints.
    pub fn new(kernel: &Kernel, memory: &GlobalMemory) -> Self {
        let (lines, line_of_site) = footprint_lines(kernel.sites.iter());
        // Elements, not bytes: a `float4` touches four of them.
        let empty = |index| Footprint::new(memory.get(index).map_or(0, |buffer| buffer.elements()));
        let buffers = 0..memory.len();
        let row = |_| buffers.clone().map(empty).collect();
        Footprints {
            lines: (0..lines).map(row).collect(),
            buffers: buffers.clone().map(|at| [empty(at), empty(at)]).collect(),
            line_of_site,
        }
    }

    /// Lines, each direction for itself.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Buffers of the launch.
    pub fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// The line and direction of `site`, as a number below [`Self::lines`].
    pub fn line_of(&self, site: usize) -> usize {
        self.line_of_site[site]
    }

    /// The footprint of `buffer` in direction `kind`.
    #[inline(always)]
    pub fn of_buffer(&self, buffer: usize, kind: AccessKind) -> &Footprint {
        &self.buffers[buffer][kind as usize]
    }

    /// One past the last element of `buffer` that was loaded or stored.
    pub fn end(&self, buffer: usize) -> u64 {
        let both = self.buffers[buffer].iter().map(Footprint::end);
        both.max().unwrap_or(0)
    }

    /// The footprint of `buffer` by the line and direction of `site`.
    #[inline(always)]
    pub fn of_site(&self, site: usize, buffer: usize) -> &Footprint {
        &self.lines[self.line_of(site)][buffer]
    }
}
