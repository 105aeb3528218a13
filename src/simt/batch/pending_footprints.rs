//! Footprints, updated late. Most sites go on as they began: the same pattern again, moved by the same
//! step. Such a stride is put into the footprints as a whole, when it breaks or somebody asks: a warp
//! that goes through a row of 4096 elements inserts one range in place of 128. Where a line has
//! several sites that touch neighbours, as in an unrolled loop, their strides go together.
//!
//! Invariant: after [`PendingFootprints::settle`] the footprints hold what they would hold had every
//! access gone into them at once. The order of insertions does not matter: a set has none.

use super::pattern::{ByteRun, Pattern};
use crate::ir::Kernel;
use crate::simt::count::{Footprints, Touched, Toucher, WorkerCounters};
use crate::simt::global_memory::GlobalMemory;

/// What has been touched and the footprints do not have yet.
pub struct PendingFootprints<'a> {
    memory: &'a GlobalMemory,
    kernel: &'a Kernel,
    warps: usize,
    /// Patterns numbered so far.
    patterns: u64,
    /// By access site, in each by first warp of a batch.
    open: Vec<Stride>,
    /// By line and direction: strides that broke, of neighbours, as one.
    broken: Vec<Broken>,
}

/// Strides of a line that broke, as one.
#[derive(Debug, Default)]
struct Broken {
    /// Those of the last sites, each beside the one before: `a[4 * i]`, `a[4 * i + 1]`, ….
    stride: Stride,
    /// What lies beside that and has been put together before it, as the other half of a tile.
    whole: Stride,
    /// One of the sites.
    site: usize,
}

impl<'a> PendingFootprints<'a> {
    /// Nothing yet, for machines of so many warps.
    pub fn new(
        kernel: &'a Kernel,
        warps: usize,
        footprints: &'a Footprints,
        memory: &'a GlobalMemory,
    ) -> Self {
        let strides = 0..kernel.sites.len() * warps;
        let lines = 0..footprints.lines();
        PendingFootprints {
            memory,
            kernel,
            warps,
            patterns: 0,
            open: strides.map(|_| Stride::default()).collect(),
            broken: lines.map(|_| Broken::default()).collect(),
        }
    }

    /// Notes what the batch that begins with warp `first_warp` touches at `site` in buffer `buffer`,
    /// with its first active lane at byte `first`.
    #[inline(always)]
    pub fn touch(
        &mut self,
        site: usize,
        first_warp: usize,
        pattern: &mut Pattern,
        buffer: usize,
        first: u64,
        into: &mut Destination<'_, '_>,
    ) {
        let at = site * self.warps + first_warp;
        if !self.open[at].goes_on(pattern.number, buffer, first) {
            self.settle_stride(at, into);
            pattern.number.get_or_insert_with(|| {
                self.patterns += 1;
                self.patterns
            });
            self.open[at].begin(pattern, buffer, first);
        }
    }

    /// Brings the footprints up to date, but for what is left in [`Touched`].
    pub fn settle(&mut self, into: &mut Destination<'_, '_>) {
        (0..self.open.len()).for_each(|at| self.settle_stride(at, into));
        (0..self.broken.len()).for_each(|line| self.settle_broken(line, into));
    }

    /// Ends a stride.
    fn settle_stride(&mut self, at: usize, into: &mut Destination<'_, '_>) {
        let stride = &mut self.open[at];
        if stride.times == 0 {
            return;
        }
        let site = at / self.warps;
        let line = into.touched.footprints.line_of(site);
        let broken = &mut self.broken[line].stride;
        if broken.times > 0 && broken.joins(stride) {
            stride.times = 0;
            return;
        }
        self.close_broken(line, into);
        let (stride, broken) = (&mut self.open[at], &mut self.broken[line]);
        std::mem::swap(stride, &mut broken.stride);
        broken.site = site;
    }

    /// Nothing joins the last sites of a line any more: they join what lies beside them, or take its place.
    fn close_broken(&mut self, line: usize, into: &mut Destination<'_, '_>) {
        let Broken { stride, whole, .. } = &mut self.broken[line];
        if stride.times == 0 {
            return;
        }
        stride.close_runs();
        if whole.times > 0 && whole.joins(stride) {
            whole.close_runs();
            stride.times = 0;
            return;
        }
        self.insert_whole(line, into);
        let Broken { stride, whole, .. } = &mut self.broken[line];
        std::mem::swap(stride, whole);
    }

    /// Puts broken strides of a line into the footprints.
    fn settle_broken(&mut self, line: usize, into: &mut Destination<'_, '_>) {
        self.close_broken(line, into);
        self.insert_whole(line, into);
    }

    fn insert_whole(&mut self, line: usize, into: &mut Destination<'_, '_>) {
        let Broken { whole, site, .. } = &mut self.broken[line];
        if whole.times == 0 {
            return;
        }
        let buffer = self.memory.get(whole.buffer);
        let shift = buffer.map_or(0, |buffer| buffer.element_bytes().trailing_zeros());
        let who = Toucher {
            site: *site,
            kind: self.kernel.sites[*site].kind,
            buffer: whole.buffer,
        };
        whole.insert(who, shift, into);
        whole.times = 0;
    }
}

/// Where what is touched goes.
pub struct Destination<'t, 'a> {
    pub touched: &'t mut Touched<'a>,
    /// Counts what is new.
    pub tally: &'t mut WorkerCounters,
}

/// What a batch has touched at a site and the footprints do not have yet.
#[derive(Debug, Default)]
struct Stride {
    /// The buffer.
    buffer: usize,
    /// Number of the pattern.
    pattern: Option<u64>,
    /// Where in the buffer the first active lane was first, in bytes.
    first: u64,
    /// Where it was last.
    last: u64,
    /// Bytes from one time to the next, for the last time too.
    step: u64,
    /// How often; nothing is kept where this is 0.
    times: u64,
    /// What the pattern touches, as runs of bytes from the first active lane.
    runs: Vec<ByteRun>,
}

impl Stride {
    /// Begins with a pattern.
    fn begin(&mut self, pattern: &Pattern, buffer: usize, first: u64) {
        (self.pattern, self.buffer) = (pattern.number, buffer);
        (self.first, self.last, self.step, self.times) = (first, first, 0, 1);
        self.runs.clone_from(&pattern.touched);
    }

    /// Goes on, if this is the next step.
    #[inline(always)]
    fn goes_on(&mut self, pattern: Option<u64>, buffer: usize, first: u64) -> bool {
        if self.pattern != pattern || self.buffer != buffer || self.times == 0 {
            return false;
        }
        // Steps backwards wrap to large numbers, which compare as well.
        let step = first.wrapping_sub(self.last);
        // The second access says what the step is.
        if self.times == 1 {
            self.step = step;
        }
        let goes_on = self.step == step;
        self.times += u64::from(goes_on);
        self.last = if goes_on { first } else { self.last };
        goes_on
    }

    /// Takes in another stride, if that went along with this one and each of its runs begins where
    /// one of this ends.
    fn joins(&mut self, other: &Stride) -> bool {
        let alike = self.buffer == other.buffer
            && (self.times, self.step) == (other.times, other.step)
            && self.runs.len() == other.runs.len();
        // In `a[4 * i]`, `a[4 * i + 1]`, … each run of one site ends where the next site begins.
        let apart = other.first.wrapping_sub(self.first) as i64;
        let mut pairs = self.runs.iter().zip(&other.runs);
        if !alike
            || !pairs.all(|(mine, other)| mine.offset + mine.bytes as i64 == other.offset + apart)
        {
            return false;
        }
        for (mine, other) in self.runs.iter_mut().zip(&other.runs) {
            mine.bytes += other.bytes;
        }
        true
    }

    /// Makes one run of those that follow each other.
    fn close_runs(&mut self) {
        self.runs.dedup_by(|next, run| {
            let follows = run.offset + run.bytes as i64 == next.offset;
            run.bytes += if follows { next.bytes } else { 0 };
            follows
        });
    }

    /// Puts all of it into the footprints, with elements of `1 << shift` bytes.
    fn insert(&self, who: Toucher, shift: u32, into: &mut Destination<'_, '_>) {
        let least = self.runs.iter().map(|run| run.bytes).min().unwrap_or(0);
        let step = self.step as i64;
        // Steps no longer than the runs leave no gaps in between.
        let (times, start, longer) = if self.times > 1 && step.unsigned_abs() > least {
            (self.times, self.first, 0)
        } else {
            let longer = step.unsigned_abs() * (self.times - 1);
            (1, self.first.min(self.last), longer)
        };
        for time in 0..times {
            let moved = start.wrapping_add(self.step.wrapping_mul(time));
            for run in &self.runs {
                let at = moved.wrapping_add(run.offset as u64);
                let range = at >> shift..((at + run.bytes + longer - 1) >> shift) + 1;
                into.touched.add(who, range, into.tally);
            }
        }
    }
}
