//! Who touched each granule of memory last: a granule is a word, or less where elements are.

use std::collections::HashMap;

use crate::launch::ElementType;

/// Granules of a page.
const PAGE: u64 = 1024;
/// Most memory that the shadow of a launch takes, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// Bytes that shadows of buffers take, given as element and length: a cell for each word, or for each element where
/// these are narrower.
pub fn shadow_bytes(buffers: impl Iterator<Item = (ElementType, u64)>) -> u64 {
    let granules = buffers.map(|(element, length)| {
        let words = (element.size_bytes() as u64).div_ceil(4);
        length.saturating_mul(words)
    });
    let cells = granules.fold(0, u64::saturating_add);
    let bytes = cells.saturating_mul(size_of::<ShadowCell>() as u64);
    bytes.min(MOST_BYTES as u64)
}

/// One access to one granule.
#[derive(Clone, Copy, Default)]
pub struct Touch {
    /// Block that made it, as its place in the grid.
    pub block: u32,
    /// When: 0 for never.
    pub clock: u32,
    /// Access site that made it.
    pub site: u16,
    who: u16,
}

impl Touch {
    /// A touch by one lane.
    pub fn new(block: u32, clock: u32, site: u16, warp: usize, lane: usize) -> Self {
        // Packed, because there is one for each word of memory: warp, last lane, first lane, five
        // bits each.
        let who = (warp as u16 & 31) << 11 | (lane as u16) << 6 | (lane as u16) << 1;
        Touch {
            block,
            clock,
            site,
            who,
        }
    }

    /// Whether there was one.
    pub fn happened(self) -> bool {
        self.clock != 0
    }

    /// The warp in its block.
    pub fn warp(self) -> usize {
        usize::from(self.who >> 11)
    }

    /// A lane that made it, other than `lane` if there was another.
    pub fn lane_besides(self, lane: usize) -> usize {
        let (last, first) = (self.who >> 6 & 31, self.who >> 1 & 31);
        usize::from(if usize::from(last) == lane {
            first
        } else {
            last
        })
    }

    /// The same touch, remembering that the lane of `before` has made it too.
    pub fn together_with(self, before: Touch) -> Self {
        let first = before.lane_besides(self.lane_besides(usize::MAX)) as u16;
        Touch {
            who: self.who & !(31 << 1) | first << 1,
            ..self
        }
    }

    /// Whether both were made by warps of one block that are the same.
    pub fn same_warp(self, other: Touch) -> bool {
        self.block == other.block && self.warp() == other.warp()
    }
}

/// The touches of one granule that a later one can conflict with.
#[derive(Clone, Copy, Default)]
pub struct ShadowCell {
    /// The last store.
    pub store: Touch,
    /// Loads since, of different warps or sites; those that happened come first.
    pub loads: [Touch; 3],
}

impl ShadowCell {
    /// Notes a load. Where there are too many, one of the same warp gives way, so that loads of two
    /// warps are not forgotten for those of one.
    pub fn note_load(&mut self, touch: Touch) {
        let same_place = |load: &Touch| load.site == touch.site && touch.same_warp(*load);
        let loads = &mut self.loads;
        if let Some(load) = loads
            .iter_mut()
            .find(|load| load.happened() && same_place(load))
        {
            *load = touch.together_with(*load);
            return;
        }
        // Three loads are kept: a store that follows is told with one it conflicts with, not with
        // all.
        let free = loads.iter().position(|load| !load.happened());
        let same_warp = loads.iter().position(|load| touch.same_warp(*load));
        loads[free.or(same_warp).unwrap_or(0)] = touch;
    }
}

/// Touches of all of a memory's granules, made as they are needed.
#[derive(Default)]
pub struct Shadow {
    pages: HashMap<u64, Box<[ShadowCell]>>,
    /// Whether some pages are missing because there would have been too many.
    pub is_partial: bool,
}

impl Shadow {
    /// The touches of a granule; none where the shadow has grown too large.
    pub fn cell(&mut self, granule: u64) -> Option<&mut ShadowCell> {
        let page = granule / PAGE;
        let page_bytes = PAGE as usize * size_of::<ShadowCell>();
        if !self.pages.contains_key(&page) {
            // Better a check of part of the memory than none: the report says so.
            if self.pages.len() >= MOST_BYTES / page_bytes {
                self.is_partial = true;
                return None;
            }
            let blank = vec![ShadowCell::default(); PAGE as usize];
            self.pages.insert(page, blank.into_boxed_slice());
        }
        let page = self.pages.get_mut(&page)?;
        page.get_mut((granule % PAGE) as usize)
    }
}
