//! Loops that `nvcc` unrolls, and whose lanes access memory apart because some have fewer iterations than others.

use std::collections::BTreeMap;

use crate::device::grouped;
use crate::ir::{Kernel, Space, StagedLoop};
use crate::memory::AccessKind;
use crate::simt::machine::Moment;
use crate::simt::warp::set_bits;
use crate::source::Diagnostic;

/// Share of its iterations that a loop must be able to save before anything is said of it.
const WORTH_SAYING: f64 = 0.05;

/// What the loops of a launch did.
pub struct StagedLoops<'a> {
    kernel: &'a Kernel,
    iterations: Vec<Iterations>,
    /// By instruction: how often a warp accessed memory there.
    accesses: BTreeMap<usize, u64>,
}

/// How often warps go through the body of a loop.
#[derive(Clone, Copy, Default)]
struct Iterations {
    made: u64,
    /// If lanes waited for nobody: as many as the lane of each warp that has most.
    least: u64,
    /// If each lane did what it has left over of the loop's factor as if it were all of it.
    padded: u64,
}

impl Iterations {
    fn scaled(self, by: u64) -> Self {
        Iterations {
            made: self.made * by,
            least: self.least * by,
            padded: self.padded * by,
        }
    }

    fn plus(self, other: Self) -> Self {
        Iterations {
            made: self.made + other.made,
            least: self.least + other.least,
            padded: self.padded + other.padded,
        }
    }

    /// Whether as few as `fewer` are worth a word.
    fn exceed(self, fewer: u64) -> bool {
        (self.made.saturating_sub(fewer)) as f64 > WORTH_SAYING * self.made as f64
    }
}

impl<'a> StagedLoops<'a> {
    /// Of a launch of `kernel`.
    pub fn new(kernel: &'a Kernel) -> Self {
        StagedLoops {
            kernel,
            iterations: vec![Iterations::default(); kernel.tables.staged_loops.len()],
            accesses: BTreeMap::new(),
        }
    }

    /// Whether it looks at the instruction at `pc`, besides accesses in its loops.
    pub fn wants(&self, pc: usize) -> bool {
        let mut loops = self.kernel.tables.staged_loops.iter();
        loops.any(|staged| staged.code.start as usize == pc)
    }

    /// Whether the instruction at `pc` is in a loop.
    pub fn has(&self, pc: usize) -> bool {
        let mut loops = self.kernel.tables.staged_loops.iter();
        loops.any(|staged| staged.code.contains(&(pc as u32)))
    }

    /// An instruction is about to run with some active lane.
    pub fn step(&mut self, moment: &Moment<'_, '_>) {
        let loops = self.kernel.tables.staged_loops.iter();
        for (staged, counted) in loops.zip(&mut self.iterations) {
            if staged.code.start as usize == moment.pc {
                counted.enter(staged, moment);
            }
            if staged.code.contains(&(moment.pc as u32)) && counts(moment) {
                *self.accesses.entry(moment.pc).or_default() += 1;
            }
        }
    }

    /// What there is to say of the loops, in the order of the text.
    pub fn into_remarks(self) -> Vec<Diagnostic> {
        let mut by_place: BTreeMap<_, Accessing> = BTreeMap::new();
        let loops = self.kernel.tables.staged_loops.iter();
        for (staged, iterations) in loops.zip(&self.iterations) {
            if let Some(found) = self.accessing(staged, *iterations) {
                let place = (staged.span.start, staged.span.end);
                // A function that is inlined twice has its loop twice.
                let all = match by_place.remove(&place) {
                    Some(known) => found.and(known),
                    None => found,
                };
                by_place.insert(place, all);
            }
        }
        by_place
            .into_values()
            .filter_map(Accessing::remark)
            .collect()
    }

    /// What a loop accesses; nothing where that is no memory that warps share.
    fn accessing(&self, staged: &'a StagedLoop, iterations: Iterations) -> Option<Accessing<'a>> {
        let code = staged.code.start as usize..staged.code.end as usize;
        let accesses: Vec<_> = self.accesses.range(code).collect();
        let is_each = accesses.iter().all(|(_, times)| **times == iterations.made);
        let has = |kind: AccessKind| {
            let sites = accesses.iter().map(|(pc, _)| self.kernel.code[**pc].imm);
            let mut sites = sites.map(|site| &self.kernel.sites[site as usize]);
            sites.any(|site| site.kind == kind)
        };
        Some(Accessing {
            staged,
            // Of accesses that not every iteration makes, nobody knows how many there would be.
            counted: match is_each {
                true => iterations.scaled(accesses.len() as u64),
                false => iterations,
            },
            is_requests: is_each,
            verb: match (has(AccessKind::Load), has(AccessKind::Store)) {
                (true, false) => "load",
                (false, true) => "store",
                (true, true) => "load and store",
                (false, false) => return None,
            },
        })
    }
}

impl Iterations {
    /// The active lanes of a warp come to the loop.
    fn enter(&mut self, staged: &StagedLoop, moment: &Moment<'_, '_>) {
        let left = moment.lanes().get(staged.iterations);
        let mut left: Vec<u32> = set_bits(moment.active()).map(|lane| left[lane]).collect();
        self.made += staged.passes(&left);
        self.least += u64::from(left.iter().copied().max().unwrap_or(0));
        for left in &mut left {
            *left = left
                .checked_next_multiple_of(staged.factor)
                .unwrap_or(*left);
        }
        self.padded += staged.passes(&left);
    }
}

/// Whether the instruction is an access that counts as a request.
fn counts(moment: &Moment<'_, '_>) -> bool {
    let site = moment.site();
    site.is_some_and(|site| !site.is_silent() && site.space != Space::Local)
}

/// A loop, and what it accesses.
struct Accessing<'a> {
    staged: &'a StagedLoop,
    counted: Iterations,
    /// Whether that is in requests, not in iterations of warps.
    is_requests: bool,
    verb: &'static str,
}

impl Accessing<'_> {
    fn and(self, other: Self) -> Self {
        Accessing {
            counted: self.counted.plus(other.counted),
            is_requests: self.is_requests && other.is_requests,
            ..self
        }
    }

    fn remark(self) -> Option<Diagnostic> {
        let Iterations {
            made,
            least,
            padded,
        } = self.counted;
        if !self.counted.exceed(least) {
            return None;
        }
        let what = match self.is_requests {
            true => "requests",
            false => "iterations of warps",
        };
        let message = format!(
            "lanes {} apart: {} {what}, where {} would do",
            self.verb,
            grouped(made),
            grouped(least)
        );
        let mut help = format!(
            "put `#pragma unroll 1` before the loop ({})",
            grouped(least)
        );
        if self.counted.exceed(padded) {
            let (factor, padded) = (self.staged.factor, grouped(padded));
            help += &format!(", or pad what each lane does to a multiple of {factor} ({padded})");
        }
        let remark = Diagnostic::remark(self.staged.span, message);
        Some(remark.label(unrolled(self.staged)).help(help))
    }
}

/// How the loop is unrolled, and what follows for its lanes.
fn unrolled(staged: &StagedLoop) -> String {
    let factor = staged.factor;
    let bytes = staged.stages.to_le_bytes();
    let is_remainder_first = (bytes[0] as i8) < 0;
    let masks = bytes.iter().skip(usize::from(is_remainder_first));
    let together = masks.take_while(|mask| **mask > 0);
    let mut together: Vec<u32> = together.map(|mask| u32::from(*mask) + 1).collect();
    if is_remainder_first {
        together.push(factor);
    }
    let together: Vec<String> = together.iter().map(u32::to_string).collect();
    let together = format!("{} at a time", together.join(", "));
    let order = match is_remainder_first {
        true => format!("a remainder of {factor} one by one, then {together}"),
        false => format!("{together}, then the rest one by one"),
    };
    format!(
        "some lanes have more iterations, and nvcc unrolls the loop: {order}. Lanes at different stages share no request"
    )
}
