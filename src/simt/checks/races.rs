//! Races: two accesses to one place, at least one of them a store, that nothing puts in order.
//!
//! Accesses of one thread are in order. Those of two threads of a warp are put in order by
//! `__syncwarp`, a shuffle or a vote of both, those of two warps of a block by a barrier, and those
//! of two blocks only by atomics: a thread that updates a word after another one has seen what that
//! one's block had done before. That last rule is generous (fences are not asked for): what is
//! reported is a race, but not every race is.

use std::collections::HashMap;

use super::checked_access::{CheckedAccess, name_of};
use super::reports::Reports;
use super::shadow::{PAGE, PageAccess, Shadow, ShadowCell, ShadowRoom, Touch};
use crate::ir::{AccessSite, Op, Operand, Register, SHARED_BASE, Space};
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;
use crate::simt::fault::{RACE, WarpPlace};
use crate::simt::global_memory::GlobalMemory;
use crate::simt::machine::Moment;
use crate::simt::machine::{AddressSpace, Addresses, address_space};
use crate::simt::program::Program;
use crate::simt::warp::Geometry;
use crate::simt::warp::set_bits;
use crate::source::{Diagnostic, Span};

/// How near to each other two threads are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    /// Lanes of one warp, in one instruction.
    LanesAtOnce,
    /// Lanes of one warp.
    Lanes,
    /// Warps of one block.
    Warps,
    /// Blocks.
    Blocks,
}

/// Looks for races in one launch.
pub struct Races {
    /// Of shared memory, and then of each buffer.
    shadows: Vec<Shadow>,
    room: ShadowRoom,
    /// Bytes of a granule of shared memory, as a power of two.
    shared_granule_log2: u32,
    /// The access sites.
    sites: Vec<WatchedSite>,
    kernel: Span,
    /// Counts accesses, barriers and the like.
    clock: u32,
    /// When the block has begun.
    begun: u32,
    /// When each block so far has, by its place in the grid.
    blocks: Vec<(u32, u64)>,
    /// When the block's last barrier opened.
    barrier: u32,
    /// By warp and lane: when it last came together with others of its warp.
    synced: Vec<[u32; WARP_LANES]>,
    /// What other blocks did before this is known to the block.
    acquired: u32,
    /// When addresses were last updated by atomic operations.
    released: Releases,
}

/// When addresses were last updated by atomic operations; 0 is never.
#[derive(Default)]
struct Releases {
    by_address: HashMap<u64, u32>,
    /// When one of the addresses was that [`MOST_RELEASED`] leaves out.
    elsewhere: u32,
}

impl Releases {
    /// An atomic operation on the word at `address` at time `clock`; when one was there before.
    fn update(&mut self, address: u64, clock: u32) -> u32 {
        let is_full = self.by_address.len() >= MOST_RELEASED;
        match self.by_address.get_mut(&address) {
            Some(before) => std::mem::replace(before, clock),
            None if is_full => std::mem::replace(&mut self.elsewhere, clock),
            None => self.by_address.insert(address, clock).unwrap_or_default(),
        }
    }
}

/// Addresses of atomic operations that are told apart. All others count as one, so that a race may go unseen and
/// none is made up.
const MOST_RELEASED: usize = 1 << 20;

/// What is known of an access site.
#[derive(Clone, Copy)]
struct WatchedSite {
    span: Span,
    kind: AccessKind,
    is_atomic: bool,
}

/// A memory that is watched for races.
#[derive(Clone, Copy)]
struct Watched {
    /// Its place among the shadows.
    shadow: usize,
    /// The address of its first byte, and that behind its last.
    first: u64,
    end: u64,
    /// Bytes of a granule, as a power of two: a division for each lane would take half of the check's time.
    granule_log2: u32,
}

/// The touches that are in order with whatever comes now: most are, and it is quickly seen.
#[derive(Clone, Copy)]
struct Known {
    begun: u32,
    barrier: u32,
    acquired: u32,
    /// Whether they are of shared memory: each block has its own.
    is_shared: bool,
}

impl Known {
    /// Whether this is one of them.
    #[inline(always)]
    fn has(self, touch: Touch) -> bool {
        let clock = touch.clock();
        let is_of_block = clock >= self.begun;
        // What was before the last barrier of the block, or is known by what it acquired.
        (is_of_block && clock < self.barrier)
            || clock < self.acquired
            || (self.is_shared && !is_of_block)
            || clock == 0
    }
}

impl Watched {
    /// Place among the shadows of shared memory.
    const SHARED: usize = 0;
}

/// One lane's access to one granule.
struct GranuleAccess<'s, 'l, 'm, 'a> {
    access: &'s CheckedAccess<'l, 'm, 'a>,
    lane: usize,
    /// Where the granule begins.
    address: u64,
}

impl Races {
    /// Nothing touched yet.
    pub fn new(program: &Program<'_>) -> Self {
        let kernel = program.kernel;
        let site = |site: &AccessSite| WatchedSite {
            span: site.span,
            kind: site.kind,
            is_atomic: false,
        };
        let mut sites: Vec<WatchedSite> = kernel.sites.iter().map(site).collect();
        for i in &kernel.code {
            if i.op.operands().contains(&Operand::Site) {
                sites[i.imm as usize].is_atomic = !is_plain(i.op);
            }
        }
        // Generic accesses may go there, too.
        let in_shared = kernel
            .sites
            .iter()
            .filter(|site| site.space != Space::Local);
        let narrowest = in_shared.map(|site| u64::from(site.width_bytes)).min();
        Races {
            shadows: Vec::new(),
            room: ShadowRoom::default(),
            shared_granule_log2: narrowest.unwrap_or(4).min(4).ilog2(),
            sites,
            kernel: kernel.span,
            clock: 0,
            begun: 0,
            blocks: Vec::new(),
            barrier: 0,
            synced: vec![[0; WARP_LANES]; program.geometry.warps()],
            acquired: 0,
            released: Releases::default(),
        }
    }

    /// Time goes on by one instruction.
    pub fn tick(&mut self) -> u32 {
        // 0 stands for never, so that the clock begins with 1.
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    /// A block begins.
    pub fn begin(&mut self, block: &Moment<'_, '_>) {
        self.begun = self.tick();
        self.blocks.push((self.begun, block.block_index()));
        self.acquired = 0;
        self.barrier();
    }

    /// A barrier opens.
    pub fn barrier(&mut self) {
        self.barrier = self.tick();
        self.synced.fill([self.barrier; WARP_LANES]);
    }

    /// The active lanes come together with those of the mask that each has in a register.
    pub fn sync(&mut self, moment: &Moment<'_, '_>, mask: Register) {
        let now = self.tick();
        let masks = moment.lanes().get(mask);
        let active = moment.active();
        let all = set_bits(active).fold(0, |all, lane| all | masks[lane]);
        for lane in set_bits(all & active) {
            self.synced[moment.warp()][lane] = now;
        }
    }

    /// What `lane` has copied asynchronously to a word of shared memory is there as of now.
    pub fn arrived(&mut self, moment: &Moment<'_, '_>, lane: usize, address: u64, site: u32) {
        let site = u16::try_from(site).unwrap_or(u16::MAX);
        let store = Touch::new(self.clock, site, moment.warp(), lane);
        let granules = granules_of(address - SHARED_BASE, 4, self.shared_granule_log2);
        for at in granules {
            let (shadow, room) = self.shadow(Watched::SHARED);
            shadow.arrive(at as usize, store, room);
        }
    }

    /// One access of one warp.
    pub fn access(&mut self, access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
        self.tick();
        let active = access.moment.active();
        let is_atomic = self.is_atomic(access.index as usize);
        let mut watched: Option<Watched> = None;
        let mut rest = active;
        // Of lanes that load one place which is in order the last speaks, and remembers the one before it.
        let mut first = None;
        let last = 1 << (31 - active.leading_zeros());
        if active != last && self.is_quiet_load(access) {
            first = Some(31 - (active & !last).leading_zeros() as usize);
            rest = last;
        } else if !is_atomic {
            rest = self.touch_at_once(access).unwrap_or(active);
        }
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let begin = access.addresses[lane];
            let end = begin + access.width();
            // An access that will fault is told by the machine.
            if !watched.is_some_and(|watched| watched.first <= begin && end <= watched.end) {
                watched = self
                    .watched_at(access, begin)
                    .filter(|watched| end <= watched.end);
            }
            let Some(watched) = watched else {
                continue;
            };
            if is_atomic {
                // An atomic on a word that another block updated before has seen that block's
                // earlier accesses: as the last block of a reduction does by its ticket.
                let before = self.released.update(begin, self.clock);
                self.acquired = self.acquired.max(before);
            }
            self.touch_granules(access, lane, watched, first, reports);
        }
    }

    /// Notes the access of the lanes that conflict with nothing; the others. None where lanes do not go to a granule
    /// each of one memory.
    fn touch_at_once(&mut self, access: &CheckedAccess<'_, '_, '_>) -> Option<u32> {
        let active = access.moment.active();
        let begin = access.addresses[active.trailing_zeros() as usize];
        let watched = self.watched_at(access, begin)?;
        let (log2, size) = (watched.granule_log2, watched.end - watched.first);
        let last = size.checked_sub(access.width())?;
        if access.width() != 1 << log2 {
            return None;
        }
        // Most warps stay in the page where their first lane is.
        let page = (begin - watched.first) >> log2 >> PAGE.ilog2();
        let (mut places, mut inside) = ([0; WARP_LANES], 0);
        for (lane, place) in places.iter_mut().enumerate() {
            let offset = access.addresses[lane].wrapping_sub(watched.first);
            let granule = offset >> log2;
            let is_inside = granule << log2 == offset && offset <= last;
            let is_inside = is_inside && granule >> PAGE.ilog2() == page;
            inside |= u32::from(is_inside) << lane;
            *place = (granule % PAGE as u64) as u16;
        }
        let is_shared = watched.shadow == Watched::SHARED;
        let at_once = PageAccess {
            kind: access.site.kind,
            touch: self.touch_of(access, 0),
            begun: self.begun,
            lanes: inside & active,
            places,
        };
        let known = self.known(is_shared);
        let (shadow, room) = self.shadow(watched.shadow);
        let left = shadow.touch_page(page as usize, &at_once, room, |touch| known.has(touch));
        Some(left | active & !inside)
    }

    /// The touch of one lane in an access.
    fn touch_of(&self, access: &CheckedAccess<'_, '_, '_>, lane: usize) -> Touch {
        let site = u16::try_from(access.index).unwrap_or(u16::MAX);
        Touch::new(self.clock, site, access.moment.warp(), lane)
    }

    /// The shadow of a memory, and the room that it may take.
    #[inline(always)]
    fn shadow(&mut self, at: usize) -> (&mut Shadow, &mut ShadowRoom) {
        if at >= self.shadows.len() {
            self.shadows.resize_with(at + 1, Shadow::default);
        }
        (&mut self.shadows[at], &mut self.room)
    }

    /// One lane's access to all granules that it reaches.
    #[inline(always)]
    fn touch_granules(
        &mut self,
        access: &CheckedAccess<'_, '_, '_>,
        lane: usize,
        watched: Watched,
        first: Option<usize>,
        reports: &mut Reports,
    ) {
        // An access narrower than a granule touches all of it: two halves of one word are told as one place.
        let begin = access.addresses[lane];
        for granule in granules_of(begin, access.width(), watched.granule_log2) {
            let current = GranuleAccess {
                access,
                lane,
                address: granule << watched.granule_log2,
            };
            self.touch(&current, watched, first, reports);
        }
    }

    /// Whether all lanes load one place, and whoever stored there did so in order.
    fn is_quiet_load(&self, access: &CheckedAccess<'_, '_, '_>) -> bool {
        let active = access.moment.active();
        let begin = access.addresses[active.trailing_zeros() as usize];
        if access.site.kind == AccessKind::Store || !is_uniform(&access.addresses, active) {
            return false;
        }
        self.watched_at(access, begin).is_some_and(|watched| {
            let offset = begin - watched.first;
            let mut granules = granules_of(offset, access.width(), watched.granule_log2);
            granules.all(|granule| {
                let shadow = self.shadows.get(watched.shadow);
                let store = shadow.map(|shadow| shadow.last_store(granule as usize));
                let known = self.known(watched.shadow == Watched::SHARED);
                store.is_none_or(|store| known.has(store))
            })
        })
    }

    /// The memory that an address lies in, where there can be races.
    fn watched_at(&self, access: &CheckedAccess<'_, '_, '_>, address: u64) -> Option<Watched> {
        match address_space(address) {
            AddressSpace::Shared => Some(Watched {
                shadow: Watched::SHARED,
                first: SHARED_BASE,
                end: SHARED_BASE + u64::from(access.moment.program().shared_bytes),
                granule_log2: self.shared_granule_log2,
            }),
            AddressSpace::Global => {
                let (index, buffer) = access.moment.memory().buffer_at(address)?;
                let first = GlobalMemory::address(index);
                Some(Watched {
                    shadow: index + 1,
                    first,
                    end: first + buffer.size_bytes,
                    granule_log2: buffer.element_bytes().min(4).ilog2(),
                })
            }
            AddressSpace::Local | AddressSpace::Unmapped => None,
        }
    }

    /// One lane's access to one granule of a memory; `first` is another lane for which it speaks, if it does.
    #[inline(always)]
    fn touch(
        &mut self,
        current: &GranuleAccess<'_, '_, '_, '_>,
        watched: Watched,
        first: Option<usize>,
        reports: &mut Reports,
    ) {
        let access = current.access;
        let touch = self.touch_of(access, current.lane);
        let touch = first.map_or(touch, |first| touch.with(first));
        let at = ((current.address - watched.first) >> watched.granule_log2) as usize;
        let begun = self.begun;
        let (shadow, room) = self.shadow(watched.shadow);
        let before = match access.site.kind {
            AccessKind::Store => shadow.store(at, touch, room),
            // Loads before it are no conflict.
            AccessKind::Load => ShadowCell {
                store: shadow.load(at, touch, begun, room),
                ..ShadowCell::default()
            },
        };
        let is_shared = watched.shadow == Watched::SHARED;
        let known = self.known(is_shared);
        if known.has(before.store) && before.loads.iter().all(|&load| known.has(load)) {
            return;
        }
        for &other in [before.store].iter().chain(&before.loads) {
            if let Some(between) = self.unordered(other, current, is_shared)
                && !self.is_replica(other, current, is_shared)
            {
                self.report(between, other, current, reports);
                return;
            }
        }
    }

    /// Which earlier touches are in order with whatever comes now.
    #[inline(always)]
    fn known(&self, is_shared: bool) -> Known {
        Known {
            begun: self.begun,
            barrier: self.barrier,
            acquired: self.acquired,
            is_shared,
        }
    }

    /// Whether nothing puts an earlier touch before this current.
    fn unordered(
        &self,
        other: Touch,
        current: &GranuleAccess<'_, '_, '_, '_>,
        is_shared: bool,
    ) -> Option<Between> {
        let warp = current.access.moment.warp();
        // Atomic operations never race with each other, whatever their order.
        let both_atomic = self.is_atomic(usize::from(other.site()))
            && self.is_atomic(current.access.index as usize);
        if !other.happened() || both_atomic {
            return None;
        }
        // What this block acquired after the other's access puts the two in order.
        if other.clock() < self.begun {
            return (!is_shared && other.clock() >= self.acquired).then_some(Between::Blocks);
        }
        if other.warp() != warp {
            // Everything before the last barrier is in order for all warps of the block.
            let known = self.barrier.max(self.acquired);
            return (other.clock() >= known).then_some(Between::Warps);
        }
        let lane = other.lane_besides(current.lane);
        if lane == current.lane {
            return None;
        }
        // One clock tick is one instruction of one warp.
        if other.clock() == self.clock {
            return self.differ(current, lane).then_some(Between::LanesAtOnce);
        }
        let synced = &self.synced[warp];
        // Both must have come together since.
        let known = synced[lane].min(synced[current.lane]).max(self.acquired);
        (other.clock() >= known).then_some(Between::Lanes)
    }

    fn is_atomic(&self, site: usize) -> bool {
        self.sites.get(site).is_some_and(|site| site.is_atomic)
    }

    /// Whether two lanes of one store give the granule different values.
    fn differ(&self, current: &GranuleAccess<'_, '_, '_, '_>, other: usize) -> bool {
        // Of a wide store, the word that lies in this granule.
        let part = |lane: usize| (current.address - current.access.addresses[lane]) / 4;
        current.access.stored(current.lane, part(current.lane))
            != current.access.stored(other, part(other))
    }

    /// Whether a store leaves the granule as it is.
    fn changes_nothing(&self, current: &GranuleAccess<'_, '_, '_, '_>) -> bool {
        let access = current.access;
        if access.site.kind == AccessKind::Load || self.is_atomic(access.index as usize) {
            return false;
        }
        // A granule may begin before a narrow access does, and in the middle of a word of a wide one.
        let offset = current.address - access.addresses[current.lane].min(current.address);
        let (part, within) = (offset / 4, 8 * (offset % 4));
        let bits = u32::MAX >> (32 - 8 * access.width().min(4)) >> within;
        // Two threads that store the same flag are a race that no run can show.
        let word = access.moment.word_at(current.address, current.lane);
        let word = word.unwrap_or(0) >> (8 * (current.address % 4));
        word & bits == access.stored(current.lane, part) >> within & bits
    }

    /// Whether both store one value to shared memory because a compiler lets each thread that holds an element store it,
    /// as Triton does where it changes layouts.
    fn is_replica(
        &self,
        other: Touch,
        current: &GranuleAccess<'_, '_, '_, '_>,
        is_shared: bool,
    ) -> bool {
        let is_generated = current.access.moment.program().kernel.source.is_generated;
        is_generated && is_shared && self.is_benign(other, current)
    }

    /// Whether two stores leave the same in memory, whichever is last.
    fn is_benign(&self, other: Touch, current: &GranuleAccess<'_, '_, '_, '_>) -> bool {
        let other = self.sites.get(usize::from(other.site()));
        other.is_some_and(|site| site.kind == AccessKind::Store) && self.changes_nothing(current)
    }

    #[cold]
    fn report(
        &self,
        between: Between,
        other: Touch,
        current: &GranuleAccess<'_, '_, '_, '_>,
        reports: &mut Reports,
    ) {
        let Some(other_site) = self.sites.get(usize::from(other.site())) else {
            return;
        };
        let geometry = &current.access.moment.program().geometry;
        let atomics = [current.access.index as usize, usize::from(other.site())];
        // Only for the first of a kind: words take longer than the access.
        let report = || Report {
            between,
            current,
            other: (other_site.span, other_site.kind),
            who: self.who(other, current.lane, geometry),
            is_benign: self.is_benign(other, current),
            has_atomic: atomics.iter().any(|&site| self.is_atomic(site)),
        };
        let kind = match between {
            Between::LanesAtOnce | Between::Lanes => "lanes",
            Between::Warps => "warps",
            Between::Blocks => "blocks",
        };
        reports.add(current.access.site.span, other_site.span, kind, || {
            report().describe()
        });
    }

    /// The thread of an earlier touch, in words.
    fn who(&self, touch: Touch, lane: usize, geometry: &Geometry) -> String {
        let before = self
            .blocks
            .partition_point(|(begun, _)| *begun <= touch.clock());
        let (_, block) = self.blocks[before.saturating_sub(1)];
        let place = WarpPlace {
            geometry,
            block: geometry.block_at(block),
            warp: touch.warp(),
        };
        place.lane(touch.lane_besides(lane))
    }

    /// Says so where memory was too large to be watched whole.
    pub fn left_out(&self) -> Option<Diagnostic> {
        self.room.is_partial.then(|| {
            Diagnostic::warning(self.kernel, "not all of memory was checked for races")
                .note("the check keeps up to 1 GiB about who accessed what")
                .help("run it on smaller buffers")
        })
    }
}

/// The granules, of `1 << log2` bytes, that `width` bytes from `begin` on lie in.
#[inline(always)]
fn granules_of(begin: u64, width: u64, log2: u32) -> impl Iterator<Item = u64> {
    begin >> log2..((begin + width - 1) >> log2) + 1
}

/// Whether the active lanes go to one address.
fn is_uniform(addresses: &Addresses, active: u32) -> bool {
    let first = addresses[active.trailing_zeros() as usize];
    let mut differences = 0;
    for (lane, address) in addresses.iter().enumerate() {
        differences |= (address ^ first) & 0_u64.wrapping_sub(u64::from(active >> lane & 1));
    }
    differences == 0
}

fn is_plain(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Load | Store | LoadShared | StoreShared | LoadLocal | StoreLocal
    )
}

/// A race to be told.
struct Report<'r, 's, 'l, 'm, 'a> {
    between: Between,
    current: &'r GranuleAccess<'s, 'l, 'm, 'a>,
    other: (Span, AccessKind),
    /// Who made the other access.
    who: String,
    /// Whether the order does not matter for what memory holds.
    is_benign: bool,
    has_atomic: bool,
}

impl Report<'_, '_, '_, '_, '_> {
    fn describe(&self) -> Diagnostic {
        let access = self.current.access;
        let name = name_of(access.moment, self.current.address);
        let memory = match address_space(self.current.address) {
            AddressSpace::Shared => "shared",
            _ => "global",
        };
        let (parties, mut help) = self.between.parties_and_help();
        // `x[0] += 1` of two threads: with a barrier somewhere else both still load before either stores.
        let is_update = self.other.0 == access.site.span && self.other.1 != access.site.kind;
        if is_update && self.between != Between::LanesAtOnce {
            help = "an update is a load and a store: make it one atomic operation, or let one thread make it";
        }
        let message = format!("race on {memory} memory: {parties}");
        let span = access.site.span;
        let diagnostic = if self.is_mild() {
            Diagnostic::warning(span, message)
        } else {
            Diagnostic::error(span, message)
        };
        let verb = |kind| match kind {
            AccessKind::Load => "loaded",
            AccessKind::Store => "stored",
        };
        let by = access.moment.place().lane(self.current.lane);
        let mine = format!("{name} is {} by {by}", verb(access.site.kind));
        let others = format!("and {} by {}", verb(self.other.1), self.who);
        let mut diagnostic = diagnostic
            .label(mine)
            .also(self.other.0, others)
            .note(format!("at address {:#x}", self.current.address));
        // Of the mild ones, lanes of a warp may go out of step on the next GPU: that is a mistake all the same.
        if !self.is_benign && !self.has_atomic {
            diagnostic = diagnostic.code(RACE);
        }
        if self.is_benign {
            diagnostic = diagnostic.note("the value stored is the one that is there already");
        }
        diagnostic.help(help)
    }

    /// Whether hardware of today mostly gives the right result all the same: lanes of a warp mostly go
    /// in step, and an atomic operation never tears.
    fn is_mild(&self) -> bool {
        let within_warp = matches!(self.between, Between::Lanes | Between::LanesAtOnce);
        self.is_benign || self.has_atomic || within_warp
    }
}

impl Between {
    /// Who is not in order, and what would bring them into one.
    fn parties_and_help(self) -> (&'static str, &'static str) {
        match self {
            Between::LanesAtOnce => (
                "lanes of a warp store different values at once",
                "choose one lane to store, as in `if (threadIdx.x % 32 == 0)`",
            ),
            Between::Lanes => (
                "lanes of a warp access it without `__syncwarp()` between",
                "put `__syncwarp()` between the two: lanes need not go in step",
            ),
            Between::Warps => (
                "warps access it without a barrier between",
                "put `__syncthreads()` between the two, where all threads reach it",
            ),
            Between::Blocks => (
                "blocks access it in no order",
                "let each block write elements of its own, use an atomic operation, or launch a \
                 second kernel",
            ),
        }
    }
}
