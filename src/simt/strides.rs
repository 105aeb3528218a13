//! Footprints, kept back. Most sites go on as they began: the same pattern again, moved by the same
//! step. Such a stride is put into the footprints as a whole, when it breaks or somebody asks.

use std::ops::Range;

use super::machine::Machine;
use super::pattern::Pattern;
use super::tally::Footprints;
use crate::memory::AccessKind;

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
    pub(super) fn keep_footprint(
        &mut self,
        at: usize,
        pattern: &mut Pattern,
        buffer: usize,
        first: u64,
    ) {
        if !self.strides[at].goes_on(pattern.number, buffer, first) {
            self.begin_stride(at, pattern, buffer, first);
        }
    }

    fn begin_stride(&mut self, at: usize, pattern: &mut Pattern, buffer: usize, first: u64) {
        self.settle_stride(at);
        if pattern.number == 0 {
            self.patterns += 1;
            pattern.number = self.patterns;
        }
        let stride = &mut self.strides[at];
        (stride.pattern, stride.buffer) = (pattern.number, buffer);
        (stride.first, stride.last, stride.step, stride.times) = (first, first, 0, 1);
        stride.runs.clone_from(&pattern.touched);
    }

    /// Brings the footprints up to date.
    pub(super) fn settle_strides(&mut self) {
        (0..self.strides.len()).for_each(|at| self.settle_stride(at));
    }

    fn settle_stride(&mut self, at: usize) {
        let stride = &mut self.strides[at];
        if stride.times == 0 {
            return;
        }
        let site = at / self.program.geometry.warps();
        let kind = self.program.kernel.sites[site].kind;
        let buffer = self.memory.get(stride.buffer);
        let shift = buffer.map_or(0, |buffer| buffer.element_bytes().trailing_zeros());
        let [of_line, of_buffer] = stride.insert(self.footprints, site, kind, shift);
        self.tally.sites[site].add_distinct(of_line);
        self.tally.distinct[stride.buffer][kind as usize] += of_buffer;
        stride.times = 0;
    }
}
