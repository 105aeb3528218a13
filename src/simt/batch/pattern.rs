//! Address patterns, remembered. How the addresses of a gang's lanes lie to each other decides what
//! an access costs, and how its values move, wherever the first of them lies within its line. Most
//! sites see the same pattern over and over: each keeps the last one of each gang.
//!
//! A pattern is found again by the differences between lanes of the registers that make the
//! address; where none of these wraps, so do the addresses differ.

use std::ops::Range;

use super::movement::Route;
use crate::ir::{AccessSite, IndexType, Instruction, NO_REGISTER, Op};
use crate::launch::{GlobalCounts, SharedCounts, WARP_LANES};
use crate::memory::{AccessLog, GlobalRequest, LINE_BYTES, SharedRequest};
use crate::simt::machine::fill;
use crate::simt::operations::Agreement;
use crate::simt::uniformity::{Looks, Operands};
use crate::simt::warp::{Lanes, Vector};

/// Words in a line: places within it where the first active lane may be.
const PLACES: usize = LINE_BYTES as usize / 4;
/// A multiple of a line's size: makes offsets positive without changing what they cost.
const FAR: i64 = 1 << 31;

/// How the lanes of a gang went at a site.
#[derive(Debug)]
pub struct Pattern {
    /// Tells it from others once a machine has numbered it; 0 before.
    pub number: u64,
    active: u32,
    warps: usize,
    base: Differences,
    index: Differences,
    /// By warp and lane: bytes from the first active lane of the gang.
    offsets: Vec<[i64; WARP_LANES]>,
    /// The least of them.
    pub least: i64,
    /// The greatest of them.
    pub most: i64,
    /// The bytes between which each warp goes, from the first active lane.
    spans: Vec<Range<i64>>,
    /// How its values move.
    pub route: Route,
    /// The bytes that they touch, as runs that begin so far from the first active lane.
    pub touched: Vec<(i64, u64)>,
    global: [Option<GlobalCounts>; PLACES],
    shared: [Option<SharedCounts>; PLACES],
    logs: [Option<Box<AccessLog>>; PLACES],
}

/// How the values of a register differ from that of the gang's first active lane.
#[derive(Debug, Default)]
struct Differences {
    lanes: Vec<Vector>,
    least: i64,
    most: i64,
}

impl Differences {
    fn new(values: &[Vector], active: u32, signed: bool) -> Self {
        let first = wide(values[0][active.trailing_zeros() as usize], signed);
        let mut differences = Differences {
            lanes: vec![[0; WARP_LANES]; values.len()],
            ..Differences::default()
        };
        for (lanes, values) in differences.lanes.iter_mut().zip(values) {
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                let difference = wide(values[lane], signed) - first;
                lanes[lane] = difference as u32;
                differences.least = differences.least.min(difference);
                differences.most = differences.most.max(difference);
            }
        }
        differences
    }

    /// Whether `values` differ in the same way, also where they are read as wider numbers.
    #[inline(always)]
    fn hold(&self, values: &[Vector], active: u32, signed: bool, agreement: Agreement) -> bool {
        let first = values[0][active.trailing_zeros() as usize];
        let from = wide(first, signed);
        let range = if signed {
            i64::from(i32::MIN)..=i64::from(i32::MAX)
        } else {
            0..=i64::from(u32::MAX)
        };
        range.contains(&(from + self.least))
            && range.contains(&(from + self.most))
            && agreement(values, &self.lanes, active, first)
    }
}

fn wide(value: u32, signed: bool) -> i64 {
    if signed {
        i64::from(value as i32)
    } else {
        i64::from(value)
    }
}

/// Whether patterns of a site's accesses can be remembered.
pub fn is_regular(site: &AccessSite) -> bool {
    let width = site.width_bytes;
    let aligned = site.index == IndexType::None || site.scale_bytes.is_multiple_of(width);
    width >= 4 && aligned && site.index != IndexType::I64
}

/// The address of the gang's first active lane.
pub fn first_address(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
    gang: &Range<usize>,
) -> u64 {
    let lane = lanes.active().trailing_zeros() as usize;
    let value = |register| lanes.rows(register, gang)[0][lane];
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
    /// The pattern of an access, if there is one that can be found again.
    pub fn new(
        lanes: &mut Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        looks: Looks,
    ) -> Option<Self> {
        let active = lanes.active();
        let first = first_address(lanes, i, site, gang);
        let mut offsets = Vec::new();
        for warp in gang.clone() {
            lanes.set_gang(&(warp..warp + 1));
            let mut addresses = [0; WARP_LANES];
            fill(lanes, i, site, &mut addresses);
            offsets.push(addresses.map(|address| address.wrapping_sub(first) as i64));
        }
        lanes.set_gang(gang);
        let operands = Operands::new(lanes, i, site, gang, looks.whole());
        if let Some(high) = operands.high {
            let high = Differences::new(high, active, false);
            if (high.least, high.most) != (0, 0) {
                return None;
            }
        }
        let differences = |column: Option<(&[Vector], bool)>| {
            let new = |(rows, signed)| Differences::new(rows, active, signed);
            column.map_or_else(Differences::default, new)
        };
        let base = differences(operands.base.map(|rows| (rows, false)));
        let index = differences(operands.index);
        let is_active = |lane: &usize| active >> lane & 1 == 1;
        let of_active = offsets
            .iter()
            .flat_map(|row| (0..WARP_LANES).filter(is_active).map(|lane| row[lane]));
        let (least, most) = of_active
            .clone()
            .fold((0, 0), |(least, most): (i64, i64), offset| {
                (least.min(offset), most.max(offset))
            });
        let width = i64::from(site.width_bytes);
        if of_active.clone().any(|offset| offset % width != 0) || most - least > FAR / 2 {
            return None;
        }
        let span = |row: &[i64; WARP_LANES]| {
            let lanes = || (0..WARP_LANES).filter(is_active).map(|lane| row[lane]);
            let end = lanes().max().map_or(0, |most| most + width);
            lanes().min().unwrap_or(0)..end
        };
        let spans = offsets.iter().map(span).collect();
        let touched = touched(of_active.collect(), width as u64);
        Some(Pattern {
            number: 0,
            active,
            warps: gang.len(),
            base,
            index,
            route: Route::new(&offsets, active, least, site.width_bytes),
            offsets,
            least,
            most,
            spans,
            touched,
            global: [None; PLACES],
            shared: [None; PLACES],
            logs: std::array::from_fn(|_| None),
        })
    }

    /// Whether an access by the gang has this pattern.
    #[inline(always)]
    pub fn holds(
        &self,
        lanes: &Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        looks: Looks,
        agreement: Agreement,
    ) -> bool {
        let active = lanes.active();
        if active != self.active || gang.len() != self.warps {
            return false;
        }
        let operands = Operands::new(lanes, i, site, gang, looks);
        let same = |rows: &[Vector]| {
            let first = rows[0][active.trailing_zeros() as usize];
            rows.iter()
                .all(|row| agreement(&[*row], &[[0; WARP_LANES]], active, first))
        };
        operands
            .index
            .is_none_or(|(rows, signed)| self.index.hold(rows, active, signed, agreement))
            && operands
                .base
                .is_none_or(|rows| self.base.hold(rows, active, false, agreement))
            && operands.high.is_none_or(same)
    }

    /// Whether a warp goes, as this pattern has it, to where a later one of the gang goes by
    /// pattern `other`: as far as the ranges tell in which each warp stays. The first active lanes
    /// are at `first` and `first_of_other`.
    pub fn precedes(&self, first: u64, other: &Pattern, first_of_other: u64) -> bool {
        let shift = first_of_other.wrapping_sub(first) as i64;
        self.spans.iter().enumerate().any(|(warp, mine)| {
            let mut later = other.spans.iter().skip(warp + 1);
            later.any(|span| span.start + shift < mine.end && mine.start < span.end + shift)
        })
    }

    /// Active lanes of the gang.
    pub fn lanes(&self) -> u64 {
        self.warps as u64 * u64::from(self.active.count_ones())
    }

    /// Words from the lowest that is touched to the highest.
    pub fn words(&self, site: &AccessSite) -> usize {
        ((self.most - self.least) as usize + site.width_bytes as usize) / 4
    }

    /// Addresses of one warp's lanes, with the gang's first active lane at `first`.
    pub fn addresses(&self, warp: usize, first: u64) -> [u64; WARP_LANES] {
        self.offsets[warp].map(|offset| first.wrapping_add(offset as u64))
    }

    /// What the gang's requests to global memory cost, with the first active lane at `first`.
    #[inline(always)]
    pub fn global_counts(&mut self, first: u64, site: &AccessSite) -> GlobalCounts {
        let place = (first % LINE_BYTES / 4) as usize;
        match self.global[place] {
            Some(counts) => counts,
            None => self.count_global(place, site),
        }
    }

    #[cold]
    fn count_global(&mut self, place: usize, site: &AccessSite) -> GlobalCounts {
        let mut counts = GlobalCounts::default();
        let first = FAR as u64 + place as u64 * 4;
        for warp in 0..self.warps {
            let addresses = self.addresses(warp, first);
            let request = GlobalRequest::of(&addresses, self.active, site.width_bytes.into());
            counts.requests += 1;
            counts.bytes += request.bytes;
            counts.used_bytes += request.used_bytes;
            counts.sectors += request.sectors;
            counts.lines += request.lines;
        }
        self.global[place] = Some(counts);
        counts
    }

    /// Logs the gang's requests to global memory, with the first active lane at address `first`.
    pub fn log(
        &mut self,
        log: &mut AccessLog,
        gang: usize,
        first: u64,
        imm: u32,
        site: &AccessSite,
    ) {
        let place = (first % LINE_BYTES / 4) as usize;
        if self.logs[place].is_none() {
            let mut once = log.alike();
            once.reset(self.warps);
            let width = u64::from(site.width_bytes);
            for warp in 0..self.warps {
                let addresses = self.addresses(warp, FAR as u64 + place as u64 * 4);
                once.scattered(warp, imm, site.kind, &addresses, self.active, width);
            }
            self.logs[place] = Some(Box::new(once));
        }
        if let Some(once) = &self.logs[place] {
            log.repeat(
                gang,
                once,
                (first - first % LINE_BYTES).wrapping_sub(FAR as u64),
            );
        }
    }

    /// What the gang's requests to shared memory cost, with the first active lane at `first`.
    #[inline(always)]
    pub fn shared_counts(&mut self, first: u64, site: &AccessSite) -> SharedCounts {
        let place = (first % LINE_BYTES / 4) as usize;
        match self.shared[place] {
            Some(counts) => counts,
            None => self.count_shared(place, site),
        }
    }

    #[cold]
    fn count_shared(&mut self, place: usize, site: &AccessSite) -> SharedCounts {
        let mut counts = SharedCounts::default();
        let first = FAR as u64 + place as u64 * 4;
        for warp in 0..self.warps {
            let offsets = self.addresses(warp, first).map(|address| address as u32);
            let request = SharedRequest::of(&offsets, self.active, site.width_bytes, site.kind);
            counts.requests += 1;
            counts.wavefronts += request.wavefronts;
            counts.bank_conflicts += request.bank_conflicts();
        }
        self.shared[place] = Some(counts);
        counts
    }
}

/// Bytes touched by accesses at `offsets`, as runs.
fn touched(mut offsets: Vec<i64>, width: u64) -> Vec<(i64, u64)> {
    offsets.sort_unstable();
    offsets.dedup();
    let mut runs: Vec<(i64, u64)> = Vec::new();
    for offset in offsets {
        match runs.last_mut() {
            Some((start, bytes)) if *start + *bytes as i64 == offset => *bytes += width,
            _ => runs.push((offset, width)),
        }
    }
    runs
}
