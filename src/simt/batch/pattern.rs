//! Address patterns: how the addresses of a batch's lanes lie to each other. That decides what an
//! access costs and how its values move, wherever the first of the addresses lies within its line.
//!
//! A pattern is known again by its guard: the differences between lanes of the registers that make
//! the address. Where none of these wraps, the addresses differ as they do. For `x[row * n + lane]`
//! the guard compares 32 differences of the index; `row` may be any.

use std::ops::Range;

use super::loops::{Agree, Movement};
use crate::ir::{AccessSite, IndexType, Instruction, NO_REGISTER, Op};
use crate::launch::{GlobalCounts, SharedCounts, WARP_LANES};
use crate::memory::{AccessLog, GlobalRequest, LINE_BYTES, LogTemplate, SharedRequest};
use crate::simt::machine::fill;
use crate::simt::uniformity::{AddressOperands, Guards};
use crate::simt::warp::{ALL, Lanes, Vector, set_bits};

/// Words in a line: positions within it where the first active lane may be.
const LINE_WORDS: usize = LINE_BYTES as usize / 4;
/// A multiple of a line's size: makes offsets positive without changing what they cost.
const FAR: i64 = 1 << 31;

/// How the lanes of a batch went at a site. All offsets are bytes from the address of the batch's
/// first active lane.
#[derive(Debug)]
pub struct Pattern {
    /// Tells it from others once it has touched a footprint.
    pub number: Option<u64>,
    guard: PatternGuard,
    /// By warp and lane.
    offsets: Vec<[i64; WARP_LANES]>,
    /// From the least of them to the greatest.
    pub offset_range: OffsetRange,
    /// The bytes between which each warp goes.
    warp_ranges: Vec<Range<i64>>,
    /// How its values move.
    pub movement: Movement,
    /// The bytes that they touch.
    pub touched: Vec<ByteRun>,
    costs: Costs,
    /// See [`Pattern::distance`]; found out where somebody asks.
    distance: Option<u64>,
    /// How its lanes went before that, with the same of them active.
    before: Option<Box<Pattern>>,
}

/// The least and the greatest offset of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct OffsetRange {
    pub least: i64,
    pub most: i64,
}

impl OffsetRange {
    /// That of the active lanes. The first of them is at offset 0 by definition.
    fn of(offsets: impl Iterator<Item = i64> + Clone) -> Self {
        OffsetRange {
            least: offsets.clone().min().unwrap_or(0).min(0),
            most: offsets.max().unwrap_or(0).max(0),
        }
    }

    /// Whether all lanes go to one place.
    pub fn is_uniform(self) -> bool {
        (self.least, self.most) == (0, 0)
    }
}

/// Bytes that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct ByteRun {
    /// Where they begin.
    pub offset: i64,
    /// How many they are.
    pub bytes: u64,
}

/// What must hold for an access to have the pattern again.
#[derive(Debug)]
struct PatternGuard {
    active: u32,
    warps: usize,
    base: Differences,
    index: Differences,
}

/// What requests of the pattern cost, found out once for each position of the first active lane
/// within its line.
#[derive(Debug, Default)]
struct Costs {
    global: ByPosition<GlobalCounts>,
    shared: ByPosition<SharedCounts>,
    logs: ByPosition<LogTemplate>,
}

/// Something for each position within a line, of which most patterns meet few: patterns must be small to stay in the
/// host's cache, where a kernel has hundreds of them.
#[derive(Debug)]
struct ByPosition<T> {
    /// By word of the line: where in `values`, from 1; 0 where nothing is known.
    places: [u8; LINE_WORDS],
    values: Vec<T>,
}

impl<T> Default for ByPosition<T> {
    fn default() -> Self {
        ByPosition {
            places: [0; LINE_WORDS],
            values: Vec::new(),
        }
    }
}

impl<T> ByPosition<T> {
    #[inline(always)]
    fn get(&self, word: usize) -> Option<&T> {
        let place = usize::from(self.places[word]);
        self.values.get(place.wrapping_sub(1))
    }

    fn insert(&mut self, word: usize, value: T) {
        self.values.push(value);
        self.places[word] = self.values.len() as u8;
    }
}

/// How the values of a register differ from that of the batch's first active lane.
#[derive(Debug, Default)]
struct Differences {
    lanes: Vec<Vector>,
    least: i64,
    most: i64,
}

impl Differences {
    fn new(values: &[Vector], active: u32, signed: bool) -> Self {
        // Of the first warp; all others are compared with it too.
        let first = wide(values[0][active.trailing_zeros() as usize], signed);
        let mut differences = Differences {
            lanes: vec![[0; WARP_LANES]; values.len()],
            ..Differences::default()
        };
        for (lanes, values) in differences.lanes.iter_mut().zip(values) {
            for lane in set_bits(active) {
                // Kept in 32 bits, which is what registers are compared in; whether the wide
                // numbers differ so is checked by range.
                let difference = wide(values[lane], signed) - first;
                lanes[lane] = difference as u32;
                differences.least = differences.least.min(difference);
                differences.most = differences.most.max(difference);
            }
        }
        differences
    }

    /// Whether `values` differ in the same way, also where they are read as wider numbers: with a
    /// difference of 4, `u32::MAX - 1` wraps to 2 in 32 bits, but its address lies far from it.
    #[inline(always)]
    fn hold(&self, values: &[Vector], active: u32, signed: bool, agree: Agree) -> bool {
        let first = values[0][active.trailing_zeros() as usize];
        let from = wide(first, signed);
        let range = if signed {
            i64::from(i32::MIN)..=i64::from(i32::MAX)
        } else {
            0..=i64::from(u32::MAX)
        };
        // The least and the most bound all lanes: if these do not wrap in 32 bits, none does.
        range.contains(&(from + self.least))
            && range.contains(&(from + self.most))
            && agree(values, &self.lanes, active, first)
    }
}

fn wide(value: u32, signed: bool) -> i64 {
    if signed {
        i64::from(value as i32)
    } else {
        i64::from(value)
    }
}

impl PatternGuard {
    /// The guard of an access, if it has one: the high words of its addresses must be the same in all
    /// lanes.
    fn new(operands: &AddressOperands<'_>, active: u32, warps: usize) -> Option<Self> {
        if let Some(high) = operands.high {
            let high = Differences::new(high, active, false);
            if (high.least, high.most) != (0, 0) {
                return None;
            }
        }
        let base = operands
            .base
            .map(|rows| Differences::new(rows, active, false));
        let index = operands
            .index
            .map(|(rows, signed)| Differences::new(rows, active, signed));
        Some(PatternGuard {
            active,
            warps,
            base: base.unwrap_or_default(),
            index: index.unwrap_or_default(),
        })
    }

    #[inline(always)]
    fn holds(&self, operands: &AddressOperands<'_>, active: u32, agree: Agree) -> bool {
        let is_same = |rows: &[Vector]| {
            let first = rows[0][active.trailing_zeros() as usize];
            rows.iter()
                .all(|row| agree(&[*row], &[[0; WARP_LANES]], active, first))
        };
        operands
            .index
            .is_none_or(|(rows, signed)| self.index.hold(rows, active, signed, agree))
            && operands
                .base
                .is_none_or(|rows| self.base.hold(rows, active, false, agree))
            && operands.high.is_none_or(is_same)
    }
}

/// Whether patterns of a site's accesses can be remembered: indices are compared in 32 bits.
pub fn has_patterns(site: &AccessSite) -> bool {
    site.index != IndexType::I64
}

/// The address of the batch's first active lane.
pub fn first_address(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
    batch: &Range<usize>,
) -> u64 {
    let lane = lanes.active().trailing_zeros() as usize;
    let value = |register| lanes.rows(register, batch)[0][lane];
    let mut address = i64::from(site.offset_bytes) as u64;
    if i.a != NO_REGISTER {
        address = address.wrapping_add(u64::from(value(i.a)));
        if matches!(i.op, Op::Load | Op::Store) {
            address = address.wrapping_add(u64::from(value(i.a + 1)) << 32);
        }
    }
    let index = match site.index {
        IndexType::I32 => value(i.b) as i32 as u64,
        IndexType::U32 => u64::from(value(i.b)),
        IndexType::None | IndexType::I64 => 0,
    };
    address.wrapping_add(index.wrapping_mul(u64::from(site.scale_bytes)))
}

impl Pattern {
    /// The pattern of an access, if there is one that can be known again.
    pub fn new(
        lanes: &mut Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        guards: Guards,
    ) -> Option<Self> {
        let active = lanes.active();
        let offsets = offsets(lanes, i, site, batch);
        let of_active = || {
            let rows = offsets.iter();
            rows.flat_map(|row| set_bits(active).map(|lane| row[lane]))
        };
        let offset_range = OffsetRange::of(of_active());
        let width = i64::from(site.width_bytes);
        let is_aligned = of_active().all(|offset| offset % width == 0);
        if !is_aligned || !is_of_use(i.op, &offsets, offset_range, active, width) {
            return None;
        }
        // Found out over all warps, even where later one warp tells: the differences must be known
        // for each.
        let operands = AddressOperands::new(lanes, i, site, batch, guards.in_all_warps());
        let guard = PatternGuard::new(&operands, active, batch.len())?;
        let warp_ranges = offsets.iter().map(|row| range_of(row, active, width));
        Some(Pattern {
            number: None,
            guard,
            movement: Movement::new(&offsets, active, offset_range.least, site.width_bytes),
            warp_ranges: warp_ranges.collect(),
            touched: runs_of(of_active().collect(), width as u64),
            offsets,
            offset_range,
            costs: Costs::default(),
            distance: None,
            before: None,
        })
    }

    /// Puts one of those before it that `holds` in its place, and it behind; whether there is one.
    pub fn find_before(self: &mut Box<Self>, holds: impl Fn(&Pattern) -> bool) -> bool {
        let mut last = &mut **self;
        while last.before.as_deref().is_some_and(|before| !holds(before)) {
            let Some(before) = &mut last.before else {
                return false;
            };
            last = before;
        }
        let Some(mut found) = last.before.take() else {
            return false;
        };
        last.before = found.before.take();
        std::mem::swap(self, &mut found);
        self.before = Some(found);
        true
    }

    /// Remembers `before` too, and what that does, but for `most` patterns in all.
    pub fn remember(&mut self, before: Option<Box<Pattern>>, most: usize) {
        self.before = before;
        let mut last = self;
        for _ in 1..most {
            match &mut last.before {
                Some(before) => last = before,
                None => return,
            }
        }
        last.before = None;
    }

    /// Whether an access by the batch has this pattern.
    #[inline(always)]
    pub fn holds(
        &self,
        lanes: &Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        guards: Guards,
        agree: Agree,
    ) -> bool {
        let active = lanes.active();
        if active != self.guard.active || batch.len() != self.guard.warps {
            return false;
        }
        let operands = AddressOperands::new(lanes, i, site, batch, guards);
        self.guard.holds(&operands, active, agree)
    }

    /// Whether a warp goes, as this pattern has it, to where a later one of the batch goes by
    /// pattern `other`: as far as the ranges tell in which each warp stays. The first active lanes
    /// are at `first` and `first_of_other`.
    pub fn precedes(&self, first: u64, other: &Pattern, first_of_other: u64) -> bool {
        let shift = first_of_other.wrapping_sub(first) as i64;
        self.warp_ranges.iter().enumerate().any(|(warp, mine)| {
            let mut later = other.warp_ranges.iter().skip(warp + 1);
            later.any(|range| range.start + shift < mine.end && mine.start < range.end + shift)
        })
    }

    /// Bytes from an address to the next one of another warp, at least.
    #[inline(always)]
    pub fn distance(&mut self) -> u64 {
        match self.distance {
            Some(distance) => distance,
            None => self.find_distance(),
        }
    }

    #[cold]
    fn find_distance(&mut self) -> u64 {
        let lanes = || set_bits(self.guard.active);
        let warps = self.offsets.iter().enumerate();
        // Places of all warps in one list: two lanes of one warp may go to one place, only warps must not meet.
        let mut places: Vec<(i64, usize)> = warps
            .flat_map(|(warp, row)| lanes().map(move |lane| (row[lane], warp)))
            .collect();
        // In order of addresses, the nearest two of different warps are neighbours.
        places.sort_unstable();
        let pairs = places.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        let distances = pairs.map(|pair| pair[0].0.abs_diff(pair[1].0));
        let distance = distances.min().unwrap_or(u64::MAX);
        self.distance = Some(distance);
        distance
    }

    /// Active lanes of the batch.
    pub fn lanes(&self) -> u64 {
        self.guard.warps as u64 * u64::from(self.guard.active.count_ones())
    }

    /// Words from the lowest that is touched to the highest.
    pub fn words(&self, site: &AccessSite) -> usize {
        let OffsetRange { least, most } = self.offset_range;
        ((most - least) as usize + site.width_bytes as usize) / 4
    }

    /// Addresses of one warp's lanes, with the batch's first active lane at `first`.
    fn addresses(&self, warp: usize, first: u64) -> [u64; WARP_LANES] {
        self.offsets[warp].map(|offset| first.wrapping_add(offset as u64))
    }

    /// What the batch's requests to global memory cost, with the first active lane at `first`.
    #[inline(always)]
    pub fn global_counts(&mut self, first: u64, site: &AccessSite) -> GlobalCounts {
        let word = word_in_line(first);
        match self.costs.global.get(word) {
            Some(&counts) => counts,
            None => self.count_global(word, site),
        }
    }

    #[cold]
    fn count_global(&mut self, word: usize, site: &AccessSite) -> GlobalCounts {
        // Only the place within its line matters: the batch is counted as if its line were that at `FAR`.
        let mut counts = GlobalCounts::default();
        for warp in 0..self.guard.warps {
            let addresses = self.addresses(warp, FAR as u64 + word as u64 * 4);
            let width = site.width_bytes.into();
            let request = GlobalRequest::of(&addresses, self.guard.active, width);
            // Elements are counted where the batch knows the buffer.
            counts += site.request(request, self.guard.active).counts(0);
        }
        self.costs.global.insert(word, counts);
        counts
    }

    /// Logs the requests to global memory of the batch that begins with warp `first_warp`, with the
    /// first active lane at address `first`.
    pub fn log(
        &mut self,
        log: &mut AccessLog,
        first_warp: usize,
        first: u64,
        imm: u32,
        site: &AccessSite,
    ) {
        let word = word_in_line(first);
        // A log of the batch at line 0, to be repeated with the distance to the actual line added.
        if self.costs.logs.get(word).is_none() {
            let mut once = log.alike();
            once.reset(self.guard.warps);
            let width = u64::from(site.width_bytes);
            for warp in 0..self.guard.warps {
                let addresses = self.addresses(warp, FAR as u64 + word as u64 * 4);
                once.scattered(warp, imm, site.kind, &addresses, self.guard.active, width);
            }
            self.costs.logs.insert(word, LogTemplate::new(once));
        }
        if let Some(once) = self.costs.logs.get(word) {
            let line = first - first % LINE_BYTES;
            log.repeat(first_warp, once, line.wrapping_sub(FAR as u64));
        }
    }

    /// What the batch's requests to shared memory cost, with the first active lane at `first`.
    #[inline(always)]
    pub fn shared_counts(&mut self, first: u64, site: &AccessSite) -> SharedCounts {
        // A line is as long as a row of banks, so that a position within it decides the banks too.
        let word = word_in_line(first);
        match self.costs.shared.get(word) {
            Some(&counts) => counts,
            None => self.count_shared(word, site),
        }
    }

    #[cold]
    fn count_shared(&mut self, word: usize, site: &AccessSite) -> SharedCounts {
        let mut counts = SharedCounts::default();
        for warp in 0..self.guard.warps {
            let addresses = self.addresses(warp, FAR as u64 + word as u64 * 4);
            let offsets = addresses.map(|address| address as u32);
            let (active, width) = (self.guard.active, site.width_bytes);
            counts += SharedRequest::of(&offsets, active, width, site.kind).counts();
        }
        self.costs.shared.insert(word, counts);
        counts
    }
}

/// The word of its line that an address lies in.
fn word_in_line(address: u64) -> usize {
    (address % LINE_BYTES / 4) as usize
}

/// By warp and lane of a batch: bytes from the address of its first active lane.
fn offsets(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
    batch: &Range<usize>,
) -> Vec<[i64; WARP_LANES]> {
    let first = first_address(lanes, i, site, batch);
    let mut offsets = Vec::new();
    for warp in batch.clone() {
        lanes.set_batch(&(warp..warp + 1));
        let mut addresses = [0; WARP_LANES];
        fill(lanes, i, site, &mut addresses);
        offsets.push(addresses.map(|address| address.wrapping_sub(first) as i64));
    }
    lanes.set_batch(batch);
    offsets
}

/// Whether values can be moved by a pattern of these offsets.
fn is_of_use(
    op: Op,
    offsets: &[[i64; WARP_LANES]],
    range: OffsetRange,
    active: u32,
    width: i64,
) -> bool {
    // Local memory moves in whole rows or lane by lane.
    let is_local = matches!(op, Op::LoadLocal | Op::StoreLocal);
    // `FAR` must keep all offsets positive; patterns that reach further are seldom the same twice.
    let is_near = range.most - range.least <= FAR / 2;
    // Bytes and halves of words move as whole words, or each lane for itself.
    let is_whole = width >= 4 || is_run(offsets, active, width);
    is_near && is_whole && (!is_local || range.is_uniform())
}

/// Whether all lanes of all warps go one behind the other.
fn is_run(offsets: &[[i64; WARP_LANES]], active: u32, width: i64) -> bool {
    let mut all = offsets.as_flattened().iter().zip(0..);
    active == ALL && all.all(|(&offset, at)| offset == at * width)
}

/// The bytes between which the active lanes of a warp go.
fn range_of(row: &[i64; WARP_LANES], active: u32, width: i64) -> Range<i64> {
    let lanes = || set_bits(active).map(|lane| row[lane]);
    let end = lanes().max().map_or(0, |most| most + width);
    lanes().min().unwrap_or(0)..end
}

/// Bytes touched by accesses of `width` bytes at `offsets`, as runs.
fn runs_of(mut offsets: Vec<i64>, width: u64) -> Vec<ByteRun> {
    offsets.sort_unstable();
    // Of lanes that go to one address the bytes are touched once.
    offsets.dedup();
    let mut runs: Vec<ByteRun> = Vec::new();
    for offset in offsets {
        match runs.last_mut() {
            Some(run) if run.offset + run.bytes as i64 == offset => run.bytes += width,
            _ => runs.push(ByteRun {
                offset,
                bytes: width,
            }),
        }
    }
    runs
}
