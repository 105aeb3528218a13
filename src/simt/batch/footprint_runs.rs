//! Footprints, kept back. Most sites go on as they began: the same pattern again, moved by the same
//! step. Such a stride is put into the footprints as a whole, when it breaks or somebody asks; where
//! a line has several sites that touch neighbours, as in an unrolled loop, their strides go together.

use std::ops::Range;

use super::pattern::Pattern;
use crate::ir::Kernel;
use crate::memory::AccessKind;
use crate::simt::count::Footprints;
use crate::simt::machine::Machine;

/// What has been touched and the footprints do not have yet.
#[derive(Debug)]
pub struct Strides {
    /// By access site, in each by first warp of a gang.
    open: Vec<Stride>,
    /// By line and direction: strides that broke, of neighbours, as one.
    broken: Vec<Broken>,
}

/// Strides of a line that broke, as one.
#[derive(Debug, Default)]
struct Broken {
    stride: Stride,
    /// One of the sites.
    site: usize,
}

impl Strides {
    /// Nothing yet.
    pub fn new(kernel: &Kernel, warps: usize, footprints: &Footprints) -> Self {
        let sites = kernel.sites.len();
        Strides {
            open: (0..sites * warps).map(|_| Stride::default()).collect(),
            broken: (0..footprints.lines()).map(|_| Broken::default()).collect(),
        }
    }
}

/// What a gang has touched at a site and the footprints do not have yet.
#[derive(Debug, Default)]
pub struct Stride {
    /// The buffer.
    buffer: usize,
    /// Number of the pattern.
    pattern: u64,
    /// Where in the buffer the first active lane was first, in bytes.
    first: u64,
    /// Where it was last.
    last: u64,
    /// Bytes from one time to the next, for the last time too.
    step: u64,
    /// How often; nothing is kept where this is 0.
    times: u64,
    /// What the pattern touches, as runs of bytes from the first active lane.
    runs: Vec<(i64, u64)>,
}

impl Stride {
    /// Goes on, if this is the next step.
    #[inline(always)]
    fn goes_on(&mut self, pattern: u64, buffer: usize, first: u64) -> bool {
        if self.pattern != pattern || self.buffer != buffer || self.times == 0 {
            return false;
        }
        let step = first.wrapping_sub(self.last);
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
        let apart = other.first.wrapping_sub(self.first) as i64;
        let mut pairs = self.runs.iter().zip(&other.runs);
        if !alike || !pairs.all(|(mine, other)| mine.0 + mine.1 as i64 == other.0 + apart) {
            return false;
        }
        for (mine, other) in self.runs.iter_mut().zip(&other.runs) {
            mine.1 += other.1;
        }
        true
    }

    /// Makes one run of those that follow each other.
    fn close_runs(&mut self) {
        self.runs.dedup_by(|next, run| {
            let follows = run.0 + run.1 as i64 == next.0;
            run.1 += if follows { next.1 } else { 0 };
            follows
        });
    }

    /// Puts all of it into the footprints of `site`, with elements of `1 << shift` bytes; how many
    /// were new to the site's line and to the buffer.
    fn insert(
        &self,
        footprints: &Footprints,
        site: usize,
        kind: AccessKind,
        shift: u32,
    ) -> [u64; 2] {
        let least = self.runs.iter().map(|run| run.1).min().unwrap_or(0);
        let step = self.step as i64;
        // Steps no longer than the runs leave no gaps in between.
        let (times, start, longer) = if self.times > 1 && step.unsigned_abs() > least {
            (self.times, self.first, 0)
        } else {
            let longer = step.unsigned_abs() * (self.times - 1);
            (1, self.first.min(self.last), longer)
        };
        let range = |time: u64, &(offset, bytes): &(i64, u64)| -> Range<u64> {
            let moved = start.wrapping_add(self.step.wrapping_mul(time));
            let at = moved.wrapping_add(offset as u64);
            at >> shift..((at + bytes + longer - 1) >> shift) + 1
        };
        let ranges =
            || (0..times).flat_map(|time| self.runs.iter().map(move |run| range(time, run)));
        let of_line = footprints
            .of_site(site, self.buffer)
            .insert_ranges(ranges());
        // What the site's line has touched, the buffer has been touched by.
        let of_buffer = match of_line {
            0 => 0,
            _ => footprints
                .of_buffer(self.buffer, kind)
                .insert_ranges(ranges()),
        };
        [of_line, of_buffer]
    }
}

impl Machine<'_> {
    /// Keeps what the gang of stride `at` touches in buffer `buffer`, with its first active lane at
    /// byte `first`.
    #[inline(always)]
    pub(crate) fn keep_footprint(
        &mut self,
        at: usize,
        pattern: &mut Pattern,
        buffer: usize,
        first: u64,
    ) {
        if !self.strides.open[at].goes_on(pattern.number, buffer, first) {
            self.begin_stride(at, pattern, buffer, first);
        }
    }

    fn begin_stride(&mut self, at: usize, pattern: &mut Pattern, buffer: usize, first: u64) {
        self.settle_stride(at);
        if pattern.number == 0 {
            self.patterns += 1;
            pattern.number = self.patterns;
        }
        let stride = &mut self.strides.open[at];
        (stride.pattern, stride.buffer) = (pattern.number, buffer);
        (stride.first, stride.last, stride.step, stride.times) = (first, first, 0, 1);
        stride.runs.clone_from(&pattern.touched);
    }

    /// Brings the footprints up to date.
    pub(crate) fn settle_strides(&mut self) {
        (0..self.strides.open.len()).for_each(|at| self.settle_stride(at));
        (0..self.strides.broken.len()).for_each(|line| self.settle_broken(line));
    }

    /// Ends a stride.
    fn settle_stride(&mut self, at: usize) {
        let stride = &mut self.strides.open[at];
        if stride.times == 0 {
            return;
        }
        let site = at / self.program.geometry.warps();
        let line = self.footprints.line_of(site);
        let broken = &mut self.strides.broken[line].stride;
        if broken.times > 0 && broken.joins(stride) {
            stride.times = 0;
            return;
        }
        self.settle_broken(line);
        let (stride, broken) = (&mut self.strides.open[at], &mut self.strides.broken[line]);
        std::mem::swap(stride, &mut broken.stride);
        broken.site = site;
    }

    /// Puts broken strides of a line into the footprints.
    fn settle_broken(&mut self, line: usize) {
        let Broken { stride, site } = &mut self.strides.broken[line];
        if stride.times == 0 {
            return;
        }
        let kind = self.program.kernel.sites[*site].kind;
        let buffer = self.memory.get(stride.buffer);
        let shift = buffer.map_or(0, |buffer| buffer.element_bytes().trailing_zeros());
        stride.close_runs();
        let [of_line, of_buffer] = stride.insert(self.footprints, *site, kind, shift);
        self.tally.sites[*site].add_distinct(of_line);
        self.tally.distinct[stride.buffer][kind as usize] += of_buffer;
        stride.times = 0;
    }
}
