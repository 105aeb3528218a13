//! Who touched each granule of memory last: a granule is a word, or less where elements are.
//!
//! Of each granule the last store and up to three loads since are kept, 8 bytes each, and none of them before there is
//! one: memory that is only read or only written takes as much again as it has, twice.

use crate::launch::ElementType;

/// Granules of a page.
const PAGE: usize = 1024;
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

    /// A lane that made it, other than `lane` if there was another.
    pub fn lane_besides(self, lane: usize) -> usize {
        let (last, first) = (self.0 >> 6 & 31, self.0 >> 1 & 31);
        (if last as usize == lane { first } else { last }) as usize
    }

    /// The same touch, by another lane too, and by no third.
    pub fn with(self, first: usize) -> Self {
        Touch(self.0 & !(31 << 1) | (first as u64) << 1)
    }

    /// The same touch, remembering that the lane of `before` has made it too, if no other is known to.
    fn together_with(self, before: Touch) -> Self {
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
    #[inline(always)]
    fn place_load(&self, touch: Touch, begun: u32) -> (usize, Touch) {
        let same_place = |load: &Touch| load.happened() && touch.same_place(*load, begun);
        if let Some(at) = self.loads.iter().position(same_place) {
            return (at, touch.together_with(self.loads[at]));
        }
        let same_warp = |load: &Touch| load.clock() >= begun && load.warp() == touch.warp();
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
        if touches.is_none() {
            self.begin(touches);
        }
        touches.as_mut().map(|touches| &mut touches[at])
    }

    #[cold]
    fn begin(&mut self, touches: &mut Touches) {
        let bytes = size_of::<[Touch; PAGE]>() as u64;
        // Better a check of part of the memory than none: the report says so.
        match self.bytes.checked_sub(bytes) {
            Some(rest) => {
                self.bytes = rest;
                *touches = Some(Box::new([Touch::default(); PAGE]));
            }
            None => self.is_partial = true,
        }
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
        let stores = page.and_then(|page| page.stores.as_ref());
        stores.map_or(Touch::default(), |stores| stores[granule % PAGE])
    }

    /// Notes a load of a granule by a warp of the block that has begun at `begun`; the touches before it.
    #[inline(always)]
    pub fn load(
        &mut self,
        granule: usize,
        touch: Touch,
        begun: u32,
        room: &mut ShadowRoom,
    ) -> ShadowCell {
        let page = self.page(granule / PAGE);
        let before = page.cell(granule % PAGE);
        let (at, touch) = before.place_load(touch, begun);
        if let Some(kept) = room.touch(&mut page.loads[at], granule % PAGE) {
            *kept = touch;
        }
        before
    }

    /// Notes a store to a granule, after which loads before it matter no more; the touches before it.
    #[inline(always)]
    pub fn store(&mut self, granule: usize, touch: Touch, room: &mut ShadowRoom) -> ShadowCell {
        let page = self.page(granule / PAGE);
        let before = page.cell(granule % PAGE);
        if let Some(kept) = room.touch(&mut page.stores, granule % PAGE) {
            *kept = touch;
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
    fn cell(&self, at: usize) -> ShadowCell {
        let touch = |touches: &Touches| {
            touches
                .as_ref()
                .map_or(Touch::default(), |touches| touches[at])
        };
        ShadowCell {
            store: touch(&self.stores),
            loads: self.loads.each_ref().map(touch),
        }
    }
}
