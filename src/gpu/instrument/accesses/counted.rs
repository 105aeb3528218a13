//! Accesses counted on the device: the text, the plan that runs it, and what its counters say.

use std::collections::BTreeMap;

use super::find::{AccessAction, CounterSite, find_accesses};
use super::reconvergence::reconvergence;
use crate::gpu::instrument::rewrite::{InstrumentError, Original};
use crate::gpu::instrument::side_buffer::{
    Attachment, COUNTERS, InstrumentedPlan, RANGE_WORDS, SetupLaunch, integer, word,
};
use crate::launch::{
    AccessCounts, AccessKind, Argument, AtomicCounts, BufferFootprint, BufferSpec, Counts,
    Evidence, GlobalCounts, KernelSource, LineCounts, Plan, SharedCounts,
};
use crate::source::Diagnostic;

/// A text that counts its accesses.
///
/// Its side buffer is [`Self::side_words`] 64-bit words, zero before the launch:
/// word 0, how many buffers are described; from word 1 on, eight counters for each site; behind them,
/// for each buffer of the plan its address, its size in bytes, the size of its elements and the word at
/// which its bits begin; behind these, for each buffer one bit for each element that was loaded,
/// filled up to whole words, and as many for those stored.
#[derive(Clone, Debug)]
pub struct CountedSource {
    /// The text.
    pub source: KernelSource,
    /// Lines put before the first of the original.
    pub lines_before: u32,
    /// Accesses of the original that are not counted, with their places there, and why.
    pub skipped: Vec<Diagnostic>,
    sites: Vec<CounterSite>,
    prefix: String,
}

/// What was counted of one launch. Wavefronts and bank conflicts of shared memory are not counted on
/// the device and stay 0; so do distinct elements of lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Where the numbers come from.
    pub evidence: Evidence,
    /// In total; distinct elements are summed over the plan's buffers.
    pub counts: Counts,
    /// By line, in order; lines that did nothing are left out.
    pub lines: Vec<LineCounts>,
    /// Of each load and store that the source writes, in order of its text; those that did nothing
    /// are left out.
    pub accesses: Vec<AccessCounts>,
    /// Distinct elements of the plan's buffers that were touched.
    pub footprints: Vec<BufferFootprint>,
}

impl CountedSource {
    pub(crate) fn new(source: &KernelSource, kernels: &[&str]) -> Result<Self, InstrumentError> {
        let original = Original::new(source, kernels)?;
        let changed = original.change(kernels, |refused| {
            let mut found = find_accesses(&original, refused);
            // Accesses are wrapped first: what makes lanes meet goes around whole statements, and must not cut through
            // one.
            let joins = reconvergence(&original, &found.wraps, refused);
            found.wraps.extend(joins);
            found
        })?;
        Ok(CountedSource {
            source: changed.source,
            lines_before: changed.lines_before,
            skipped: changed.found.skipped,
            sites: changed.found.sites,
            prefix: changed.prefix,
        })
    }

    /// Size of the side buffer for a plan with these buffers, in 64-bit words.
    pub fn side_words(&self, buffers: &[BufferSpec]) -> usize {
        self.bits_of(buffers, buffers.len())
    }

    /// The word at which the bits of buffer `at` begin.
    fn bits_of(&self, buffers: &[BufferSpec], at: usize) -> usize {
        // Two bits for each element: loaded, and stored.
        let bits = buffers[..at].iter().map(|buffer| 2 * bit_words(buffer));
        1 + COUNTERS * self.sites.len() + RANGE_WORDS * buffers.len() + bits.sum::<usize>()
    }

    /// `plan` with its launch `launch` counted. The source must be that of the launch.
    pub fn plan(&self, plan: &Plan, launch: usize) -> InstrumentedPlan {
        let ranges = plan.buffers.iter().enumerate();
        let ranges = ranges.map(|(at, buffer)| SetupLaunch {
            kernel: "range",
            arguments: vec![
                integer(at as u64),
                Argument::Buffer(at),
                integer(buffer.size_bytes() as u64),
                integer(buffer.element.size_bytes() as u64),
                integer(self.bits_of(&plan.buffers, at) as u64),
            ],
        });
        let attachment = Attachment {
            source: &self.source,
            prefix: &self.prefix,
            side_words: self.side_words(&plan.buffers),
            attach: Vec::new(),
            setup: ranges.collect(),
        };
        attachment.apply(plan, launch)
    }

    /// What the bytes of a side buffer say; `buffers` are those of the plan without it.
    pub fn decode(&self, side: &[u8], buffers: &[BufferSpec]) -> Counted {
        let mut lines = BTreeMap::<u32, Counts>::new();
        // By place in the text: a macro or an instance of a template may have several sites at one.
        let mut accesses = BTreeMap::new();
        for (at, site) in self.sites.iter().enumerate() {
            let counters = std::array::from_fn(|counter| word(side, 1 + COUNTERS * at + counter));
            let (global, shared) = counts_of(site, counters);
            if global.requests + shared.requests == 0 {
                continue;
            }
            add(lines.entry(site.line).or_default(), site, global, shared);
            let kind = match site.action {
                AccessAction::Load => AccessKind::Load,
                AccessAction::Store => AccessKind::Store,
                AccessAction::Atomic => continue,
            };
            let place = (site.span.start, site.span.end, kind);
            let access = accesses.entry(place).or_insert(AccessCounts {
                span: site.span,
                line: site.line,
                kind,
                global: GlobalCounts::default(),
                shared: SharedCounts::default(),
            });
            access.global += global;
            access.shared += shared;
        }
        let footprints = self.footprints(side, buffers);
        let lines: Vec<LineCounts> = lines
            .into_iter()
            .map(|(line, counts)| LineCounts { line, counts })
            .collect();
        Counted {
            evidence: Evidence::Counted,
            counts: total(&lines, &footprints),
            lines,
            accesses: accesses.into_values().collect(),
            footprints,
        }
    }

    fn footprints(&self, side: &[u8], buffers: &[BufferSpec]) -> Vec<BufferFootprint> {
        let all = buffers.iter().enumerate().map(|(at, buffer)| {
            // One bit for each element: those loaded first, then those stored.
            let (from, words) = (self.bits_of(buffers, at), bit_words(buffer));
            let ones = |from: usize| -> u64 {
                let all = (from..from + words).map(|at| u64::from(word(side, at).count_ones()));
                all.sum()
            };
            // The highest element that was touched: how far into the buffer a launch goes.
            let last = (0..words).rev().find_map(|at| {
                let both = word(side, from + at) | word(side, from + words + at);
                let bits = u64::from(64 - both.leading_zeros());
                (both != 0).then(|| 64 * at as u64 + bits)
            });
            BufferFootprint {
                buffer: at,
                loaded: ones(from),
                stored: ones(from + words),
                end: last.unwrap_or(0),
            }
        });
        all.filter(|found| found.loaded + found.stored > 0)
            .collect()
    }
}

fn bit_words(buffer: &BufferSpec) -> usize {
    // Bits are set by 64-bit atomics on the device, so each buffer's begin at a word.
    buffer.length.div_ceil(64)
}

/// What is counted of all lines; elements that several of them touch are told by the footprints.
fn total(lines: &[LineCounts], footprints: &[BufferFootprint]) -> Counts {
    let lines = lines.iter().map(|line| line.counts);
    let mut counts = lines.fold(Counts::default(), |sum, counts| sum + counts);
    counts.global_load.distinct_elements = footprints.iter().map(|f| f.loaded).sum();
    counts.global_store.distinct_elements = footprints.iter().map(|f| f.stored).sum();
    counts
}

/// What the counters of a site say, which stand in the order of [`COUNTERS`].
fn counts_of(site: &CounterSite, counters: [u64; COUNTERS]) -> (GlobalCounts, SharedCounts) {
    let [
        requests,
        elements,
        bytes,
        used_bytes,
        sectors,
        lines,
        outside_bytes,
        shared_requests,
    ] = counters;
    let global = GlobalCounts {
        requests,
        // Outside of all buffers, as in a variable at file scope, nobody knows elements but the text.
        // The device counts elements by looking up the buffer that an address lies in.
        elements: elements + outside_bytes / u64::from(site.scalar_bytes),
        distinct_elements: 0,
        bytes,
        used_bytes,
        sectors,
        lines,
    };
    let shared = SharedCounts {
        requests: shared_requests,
        ..SharedCounts::default()
    };
    (global, shared)
}

fn add(counts: &mut Counts, site: &CounterSite, global: GlobalCounts, shared: SharedCounts) {
    match site.action {
        AccessAction::Load => {
            counts.global_load += global;
            counts.shared_load += shared;
        }
        AccessAction::Store => {
            counts.global_store += global;
            counts.shared_store += shared;
        }
        AccessAction::Atomic => {
            counts.global_atomic += AtomicCounts {
                requests: global.requests,
                // A request of atomics counts lanes, and each lane moves so many bytes.
                elements: global.bytes / u64::from(site.width_bytes.max(1)),
                sectors: global.sectors,
            };
            counts.shared_atomic += shared;
        }
    }
}
