//! Who touched each granule of memory last: a granule is a word, or less where elements are.
//!
//! Of each granule the last store and up to three loads since are kept, 8 bytes each, and none of them before there is
//! one: memory that is only read or only written takes as much again as it has, twice.

use crate::launch::{AccessKind, ElementType, WARP_LANES, set_bits};

/// Granules of a page.
pub const PAGE: usize = 1024;
/// Most memory that the shadow of a launch takes, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Loads of a granule that are kept: a store that follows is told with one it conflicts with, not with all.
const LOADS: usize = 3;

/// Bytes that shadows of buffers take, given as element and length: of each word, or of each element where these are
/// narrower, a store and the loads since.
pub fn shadow_bytes(buffers: impl Iterator<Item = (ElementType, u64)>) -> u64 {
    let granules = buffers.map(|(element, length)| {
        let words = (element.size_bytes() as u64).div_ceil(4);
        length.saturating_mul(words)
    });
    let granules = granules.fold(0, u64::saturating_add);
    let bytes = granules.saturating_mul(((1 + LOADS) * size_of::<Touch>()) as u64);
    bytes.min(MOST_BYTES)
}

/// One access to one granule: when, and by which access site, warp and lanes. 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch(u64);

impl Touch {
    /// The bits of the access site and the warp.
    const PLACE: u64 = 0xffff_f800;

    /// A touch at `clock`, which is not 0, by one lane.
    pub fn new(clock: u32, site: u16, warp: usize, lane: usize) -> Self {
        // From the low bits on: first lane, last lane, warp, five bits each; site and clock.
        let who = (warp as u64 & 31) << 11 | (lane as u64) << 6 | (lane as u64) << 1;
        Touch(u64::from(clock) << 32 | u64::from(site) << 16 | who)
    }

    /// Whether there was one.
    pub fn happened(self) -> bool {
        self.0 != 0
    }

    /// When.
    pub fn clock(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Access site that made it.
    pub fn site(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// The warp in its block.
    pub fn warp(self) -> usize {
        (self.0 >> 11 & 31) as usize
    }

    /// The same touch, by this lane alone.
    fn by(self, lane: usize) -> Self {
        let lanes = (lane as u64) << 6 | (lane as u64) << 1;
        Touch(self.0 & !(0x3ff << 1) | lanes)
    }

    /// A lane that made it, other than `lane` if there was another.
    pub fn lane_besides(self, lane: usize) -> usize {
        // Two lanes are remembered, the first and the last: for any lane one of them is another, if there is one.
        let (last, first) = (self.0 >> 6 & 31, self.0 >> 1 & 31);
        (if last as usize == lane { first } else { last }) as usize
    }

    /// The same touch, by another lane too, and by no third.
    pub fn with(self, first: usize) -> Self {
        Touch(self.0 & !(31 << 1) | (first as u64) << 1)
    }

    /// The same touch, remembering that the lane of `before` has made it too, if no other is known to.
    fn together_with(self, before: Touch) -> Self {
        // As `usize::MAX` is no lane, this is the last one.
        let last = self.lane_besides(usize::MAX);
        match self.lane_besides(last) {
            first if first == last => self.with(before.lane_besides(last)),
            _ => self,
        }
    }

    /// Whether both were made at one access site by one warp of one block, which has begun at `begun`.
    fn same_place(self, other: Touch, begun: u32) -> bool {
        (self.0 ^ other.0) & Self::PLACE == 0 && other.clock() >= begun
    }
}

/// The touches of one granule that a later one can conflict with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowCell {
    /// The last store.
    pub store: Touch,
    /// Loads since, of different warps or sites; those that happened come first.
    pub loads: [Touch; LOADS],
}

impl ShadowCell {
    /// Where a load by a warp of the block that has begun at `begun` is kept, and as what. Where there are too many, one
    /// of the same warp gives way, so that loads of two warps are not forgotten for those of one.
    fn place_load(&self, touch: Touch, begun: u32) -> (usize, Touch) {
        let same_place = |load: &Touch| load.happened() && touch.same_place(*load, begun);
        if let Some(at) = self.loads.iter().position(same_place) {
            return (at, touch.together_with(self.loads[at]));
        }
        let same_warp = |load: &Touch| load.clock() >= begun && load.warp() == touch.warp();
        // A free place before one of the same warp: nothing is forgotten without need.
        let free = self.loads.iter().position(|load| !load.happened());
        let same_warp = || self.loads.iter().position(same_warp);
        (free.or_else(same_warp).unwrap_or(0), touch)
    }
}

/// Touches of one kind in a page.
type Touches = Option<Box<[Touch; PAGE]>>;

/// Neighbouring granules.
#[derive(Default)]
struct Page {
    stores: Touches,
    loads: [Touches; LOADS],
}

/// Memory that shadows may still take.
pub struct ShadowRoom {
    bytes: u64,
    /// Whether something could not be kept because there would have been too much.
    pub is_partial: bool,
}

impl Default for ShadowRoom {
    fn default() -> Self {
        ShadowRoom {
            bytes: MOST_BYTES,
            is_partial: false,
        }
    }
}

impl ShadowRoom {
    /// The touch of a granule of a page, to be changed; none where there is no room for more.
    #[inline(always)]
    fn touch<'t>(&mut self, touches: &'t mut Touches, at: usize) -> Option<&'t mut Touch> {
        self.page(touches).map(|touches| &mut touches[at])
    }

    /// Those of a page.
    #[inline(always)]
    fn page<'t>(&mut self, touches: &'t mut Touches) -> Option<&'t mut [Touch; PAGE]> {
        if touches.is_none() {
            self.begin(touches);
        }
        touches.as_deref_mut()
    }

    #[cold]
    fn begin(&mut self, touches: &mut Touches) {
        let bytes = size_of::<[Touch; PAGE]>() as u64;
        // Better a check of part of the memory than none: the report says so.
        match self.bytes.checked_sub(bytes) {
            Some(rest) => {
                self.bytes = rest;
                // Not an array that is copied there: zeroed memory costs nothing until it is touched.
                *touches = vec![Touch::default(); PAGE].try_into().ok();
            }
            None => self.is_partial = true,
        }
    }
}

/// An access of some lanes to one granule each.
pub struct PageAccess {
    pub kind: AccessKind,
    /// By whichever lane.
    pub touch: Touch,
    /// When the block has begun.
    pub begun: u32,
    pub lanes: u32,
    /// Where in the page each of them goes.
    pub places: [u16; WARP_LANES],
}

impl PageAccess {
    /// Each lane with its place and its touch.
    #[inline(always)]
    fn each(&self) -> impl Iterator<Item = (usize, usize, Touch)> {
        // Modulo the page, which the places are below anyway: the compiler then leaves out the test of the index.
        let place = |lane: usize| usize::from(self.places[lane]) % PAGE;
        set_bits(self.lanes).map(move |lane| (lane, place(lane), self.touch.by(lane)))
    }
}

/// Touches of all of a memory's granules, made as they are needed.
#[derive(Default)]
pub struct Shadow {
    pages: Vec<Page>,
}

impl Shadow {
    /// The last store to a granule.
    #[inline(always)]
    pub fn last_store(&self, granule: usize) -> Touch {
        let page = self.pages.get(granule / PAGE);
        page.map_or(Touch::default(), |page| {
            touch_at(&page.stores, granule % PAGE)
        })
    }

    /// Notes an access to a page by the lanes that conflict with nothing: whatever was at their granules before
    /// `is_quiet`. The other lanes, to be looked at one by one.
    #[inline(always)]
    pub fn touch_page(
        &mut self,
        page: usize,
        access: &PageAccess,
        room: &mut ShadowRoom,
        is_quiet: impl Fn(Touch) -> bool,
    ) -> u32 {
        let page = self.page(page);
        match access.kind {
            AccessKind::Load => page.load(access, room, is_quiet),
            AccessKind::Store => page.store(access, room, is_quiet),
        }
    }

    /// Notes a load of a granule by a warp of the block that has begun at `begun`; the last store before it.
    #[inline(always)]
    pub fn load(
        &mut self,
        granule: usize,
        touch: Touch,
        begun: u32,
        room: &mut ShadowRoom,
    ) -> Touch {
        let (page, at) = (self.page(granule / PAGE), granule % PAGE);
        page.keep_load(at, touch, begun, room);
        touch_at(&page.stores, at)
    }

    /// Notes a store to a granule, after which loads before it matter no more; the touches before it.
    #[inline(always)]
    pub fn store(&mut self, granule: usize, touch: Touch, room: &mut ShadowRoom) -> ShadowCell {
        let page = self.page(granule / PAGE);
        let before = page.cell(granule % PAGE);
        if let Some(kept) = room.touch(&mut page.stores, granule % PAGE) {
            *kept = touch;
            // Loads that came before are ordered by this store, or have been told to conflict with it.
            for loads in page.loads.iter_mut().flatten() {
                loads[granule % PAGE] = Touch::default();
            }
        }
        before
    }

    /// Notes a store that matters to what comes, and leaves loads before it as they are.
    pub fn arrive(&mut self, granule: usize, touch: Touch, room: &mut ShadowRoom) {
        let page = self.page(granule / PAGE);
        if let Some(kept) = room.touch(&mut page.stores, granule % PAGE) {
            *kept = touch;
        }
    }

    #[inline(always)]
    fn page(&mut self, page: usize) -> &mut Page {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        &mut self.pages[page]
    }
}

impl Page {
    #[inline(always)]
    fn load(
        &mut self,
        access: &PageAccess,
        room: &mut ShadowRoom,
        is_quiet: impl Fn(Touch) -> bool,
    ) -> u32 {
        let mut left = 0;
        // Lane by lane, as several lanes may load one granule: the second finds the touch of the first.
        for (lane, at, touch) in access.each() {
            match is_quiet(touch_at(&self.stores, at)) {
                true => self.keep_load(at, touch, access.begun, room),
                false => left |= 1 << lane,
            }
        }
        left
    }

    /// Keeps a load in mind.
    #[inline(always)]
    fn keep_load(&mut self, at: usize, touch: Touch, begun: u32, room: &mut ShadowRoom) {
        let first = touch_at(&self.loads[0], at);
        // Mostly nobody has loaded it since the last store, or only the warp itself.
        let (place, touch) = if !first.happened() {
            (0, touch)
        } else if touch.same_place(first, begun) {
            (0, touch.together_with(first))
        } else {
            self.cell(at).place_load(touch, begun)
        };
        if let Some(kept) = room.touch(&mut self.loads[place], at) {
            *kept = touch;
        }
    }

    #[inline(always)]
    fn store(
        &mut self,
        access: &PageAccess,
        room: &mut ShadowRoom,
        is_quiet: impl Fn(Touch) -> bool,
    ) -> u32 {
        // No room for the page: every lane is looked at for itself.
        let Some(stores) = room.page(&mut self.stores) else {
            return access.lanes;
        };
        let mut left = 0;
        for (lane, at, touch) in access.each() {
            let mut loads = self.loads.iter().flatten().map(|loads| loads[at]);
            if !is_quiet(stores[at]) || !loads.all(&is_quiet) {
                left |= 1 << lane;
                continue;
            }
            stores[at] = touch;
            let loads = self.loads.iter_mut().flatten();
            loads.for_each(|loads| loads[at] = Touch::default());
        }
        left
    }

    #[inline(always)]
    fn cell(&self, at: usize) -> ShadowCell {
        ShadowCell {
            store: touch_at(&self.stores, at),
            loads: self.loads.each_ref().map(|loads| touch_at(loads, at)),
        }
    }
}

#[inline(always)]
fn touch_at(touches: &Touches, at: usize) -> Touch {
    let touches = touches.as_ref();
    touches.map_or(Touch::default(), |touches| touches[at])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Places of the page that are used: few, so that lanes meet.
    const PLACES: u16 = 40;

    /// Accesses one lane after the other; those that conflict.
    fn one_by_one(
        (shadow, room): &mut (Shadow, ShadowRoom),
        access: &PageAccess,
        is_quiet: impl Fn(Touch) -> bool,
    ) -> u32 {
        let mut conflicts = 0;
        for (lane, place, touch) in access.each() {
            let before = match access.kind {
                AccessKind::Store => shadow.store(place, touch, room),
                AccessKind::Load => ShadowCell {
                    store: shadow.load(place, touch, access.begun, room),
                    ..ShadowCell::default()
                },
            };
            let mut all = [before.store].into_iter().chain(before.loads);
            conflicts |= u32::from(!all.all(&is_quiet)) << lane;
        }
        conflicts
    }

    proptest! {
        #[test]
        fn lanes_at_once_leave_what_one_after_the_other_does(
            accesses in prop::collection::vec(
                (any::<bool>(), 0_usize..3, 0_u16..2, any::<u32>(), prop::array::uniform32(0..PLACES), any::<bool>()),
                1..30,
            ),
        ) {
            let [mut fast, mut plain] = [(); 2].map(|()| <(Shadow, ShadowRoom)>::default());
            let mut barrier = 1;
            for ((is_store, warp, site, lanes, places, opens), clock) in accesses.into_iter().zip(2..) {
                barrier = if opens { clock } else { barrier };
                let is_quiet = |touch: Touch| touch.clock() < barrier;
                let mut access = PageAccess {
                    kind: if is_store { AccessKind::Store } else { AccessKind::Load },
                    touch: Touch::new(clock, site, warp, 0),
                    begun: 1,
                    lanes,
                    places,
                };
                let expected = one_by_one(&mut plain, &access, is_quiet);
                access.lanes = fast.0.touch_page(0, &access, &mut fast.1, is_quiet);
                prop_assert_eq!(one_by_one(&mut fast, &access, is_quiet), expected);
                for place in 0..usize::from(PLACES) {
                    prop_assert_eq!(fast.0.page(0).cell(place), plain.0.page(0).cell(place));
                }
            }
        }
    }
}
