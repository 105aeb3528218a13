//! Accesses counted on the device: the text, the plan that runs it, and what its counters say.

use std::collections::BTreeMap;

use super::find::{Does, Site, accesses};
use super::reconvergence::convergence;
use crate::gpu::instrument::rewrite::{Changed, InstrumentError, Original};
use crate::gpu::instrument::side_buffer::{
    COUNTERS, RANGE_WORDS, Setup, Sided, integer, sided, word,
};
use crate::launch::{
    AccessCounts, AccessKind, Argument, AtomicCounts, BufferFootprint, BufferSpec, Counts,
    Evidence, GlobalCounts, KernelSource, LineCounts, Plan, SharedCounts,
};
use crate::source::Diagnostic;

/// What is put before the text.
const HEAD: &str = include_str!("accesses.cuh");

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
    sites: Vec<Site>,
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
        let texts = (&source.file, &original.lexical);
        let find = |refused: &dyn Fn(_) -> bool| {
            let (program, functions) = (&original.program, &original.functions);
            let mut all = accesses(program, functions, texts, refused);
            let joins = convergence(program, functions, texts, &all.wraps, refused);
            all.wraps.extend(joins);
            (all.wraps, (all.sites, all.skipped))
        };
        let head = |(sites, _): &(Vec<Site>, Vec<Diagnostic>)| {
            format!("constexpr int tutor_counters = {};\n{HEAD}", sites.len())
        };
        let Changed {
            source,
            lines_before,
            prefix,
            found: (sites, skipped),
        } = original.change(kernels, find, head)?;
        Ok(CountedSource {
            source,
            lines_before,
            skipped,
            sites,
            prefix,
        })
    }

    /// Size of the side buffer for a plan with these buffers, in 64-bit words.
    pub fn side_words(&self, buffers: &[BufferSpec]) -> usize {
        self.bits_of(buffers, buffers.len())
    }

    /// The word at which the bits of buffer `at` begin.
    fn bits_of(&self, buffers: &[BufferSpec], at: usize) -> usize {
        let bits = buffers[..at].iter().map(|buffer| 2 * bit_words(buffer));
        1 + COUNTERS * self.sites.len() + RANGE_WORDS * buffers.len() + bits.sum::<usize>()
    }

    /// `plan` with its launch `launch` counted: the plan, which launch that is in it, and which of its
    /// buffers is the side buffer. The source must be that of the launch.
    pub fn plan(&self, plan: &Plan, launch: usize) -> (Plan, usize, usize) {
        let side = plan.buffers.len();
        let name = |name: &str| format!("{}{name}", self.prefix);
        let attach = |argument| Setup {
            kernel: name("attach"),
            arguments: vec![argument],
        };
        let mut setup = vec![attach(Argument::Buffer(side))];
        for (at, buffer) in plan.buffers.iter().enumerate() {
            setup.push(Setup {
                kernel: name("range"),
                arguments: vec![
                    integer(at as u64),
                    Argument::Buffer(at),
                    integer(buffer.size_bytes() as u64),
                    integer(buffer.element.size_bytes() as u64),
                    integer(self.bits_of(&plan.buffers, at) as u64),
                ],
            });
        }
        let words = self.side_words(&plan.buffers);
        let setup = (setup, attach(integer(0)));
        let Sided {
            plan,
            launch,
            buffer,
        } = sided(plan, launch, &self.source, &name("side"), words, setup);
        (plan, launch, buffer)
    }

    /// What the bytes of a side buffer say; `buffers` are those of the plan without it.
    pub fn decode(&self, side: &[u8], buffers: &[BufferSpec]) -> Counted {
        let mut lines = BTreeMap::<u32, Counts>::new();
        let mut by_place = BTreeMap::new();
        for (at, site) in self.sites.iter().enumerate() {
            let counters = |counter| word(side, 1 + COUNTERS * at + counter);
            let (global, shared) = counts_of(site, counters);
            if global.requests + shared.requests == 0 {
                continue;
            }
            add(lines.entry(site.line).or_default(), site, global, shared);
            let kind = match site.does {
                Does::Load => AccessKind::Load,
                Does::Store => AccessKind::Store,
                Does::Atomic => continue,
            };
            let place = (site.span.start, site.span.end, kind);
            let access = by_place.entry(place).or_insert(AccessCounts {
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
        let mut counts = lines
            .values()
            .fold(Counts::default(), |sum, &line| sum + line);
        counts.global_load.distinct_elements = footprints.iter().map(|f| f.loaded).sum();
        counts.global_store.distinct_elements = footprints.iter().map(|f| f.stored).sum();
        let lines = lines.into_iter();
        Counted {
            evidence: Evidence::Counted,
            counts,
            lines: lines
                .map(|(line, counts)| LineCounts { line, counts })
                .collect(),
            accesses: by_place.into_values().collect(),
            footprints,
        }
    }

    fn footprints(&self, side: &[u8], buffers: &[BufferSpec]) -> Vec<BufferFootprint> {
        let all = buffers.iter().enumerate().map(|(at, buffer)| {
            let (from, words) = (self.bits_of(buffers, at), bit_words(buffer));
            let ones = |from: usize| -> u64 {
                let all = (from..from + words).map(|at| u64::from(word(side, at).count_ones()));
                all.sum()
            };
            BufferFootprint {
                buffer: at,
                loaded: ones(from),
                stored: ones(from + words),
            }
        });
        all.filter(|found| found.loaded + found.stored > 0)
            .collect()
    }
}

fn bit_words(buffer: &BufferSpec) -> usize {
    buffer.length.div_ceil(64)
}

fn counts_of(site: &Site, counter: impl Fn(usize) -> u64) -> (GlobalCounts, SharedCounts) {
    let global = GlobalCounts {
        requests: counter(0),
        elements: counter(1) + counter(6) / u64::from(site.scalar_bytes),
        distinct_elements: 0,
        bytes: counter(2),
        used_bytes: counter(3),
        sectors: counter(4),
        lines: counter(5),
    };
    let shared = SharedCounts {
        requests: counter(7),
        ..SharedCounts::default()
    };
    (global, shared)
}

fn add(counts: &mut Counts, site: &Site, global: GlobalCounts, shared: SharedCounts) {
    match site.does {
        Does::Load => {
            counts.global_load += global;
            counts.shared_load += shared;
        }
        Does::Store => {
            counts.global_store += global;
            counts.shared_store += shared;
        }
        Does::Atomic => {
            counts.global_atomic += AtomicCounts {
                requests: global.requests,
                elements: global.bytes / u64::from(site.width_bytes.max(1)),
                sectors: global.sectors,
            };
            counts.shared_atomic += shared;
        }
    }
}
