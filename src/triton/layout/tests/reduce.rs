//! Reductions: every element counts once, in as many additions and wavefronts as an H200 counted for Triton 3.6.

use super::places;
use crate::launch::AccessKind;
use crate::memory::SharedRequest;
use crate::triton::layout::{
    Layout, LinearLayout, Place, Reduction, WarpReduction, blocked_for, reduce,
};

/// What a reduction cost a block: additions of threads, wavefronts of stores and of loads.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cost {
    adds: u64,
    stores: u64,
    loads: u64,
}

/// A block that sums; values are by thread, and by lane within.
struct Block<'a> {
    layout: &'a LinearLayout,
    cost: Cost,
}

impl Block<'_> {
    fn threads(&self) -> u32 {
        32 * self.layout.warps()
    }

    /// One butterfly step of all threads.
    fn butterfly(&mut self, values: &mut [u64], distance: u32) {
        let before = values.to_vec();
        for (thread, value) in values.iter_mut().enumerate() {
            *value += before[thread ^ distance as usize];
            self.cost.adds += 1;
        }
    }

    /// An access of the threads for which `offset` says where, of 4 bytes each.
    fn access(&mut self, kind: AccessKind, offset: impl Fn(u32, u32) -> Option<u32>) {
        for warp in 0..self.layout.warps() {
            let offsets: [Option<u32>; 32] = std::array::from_fn(|lane| offset(lane as u32, warp));
            let active = (0..32)
                .filter(|&lane| offsets[lane].is_some())
                .fold(0, |mask, lane| mask | 1 << lane);
            let bytes = offsets.map(|offset| offset.unwrap_or(0) * 4);
            let wavefronts = SharedRequest::of(&bytes, active, 4, kind).wavefronts;
            match kind {
                AccessKind::Load => self.cost.loads += wavefronts,
                _ => self.cost.stores += wavefronts,
            }
        }
    }

    /// Each thread's values, one for each group, after the steps within warps.
    fn within_warps(&mut self, reduction: &Reduction, value: &dyn Fn(u32) -> u64) -> Vec<Vec<u64>> {
        let groups = reduction.groups.iter().map(|registers| {
            let thread_sum = |thread: u32| -> u64 {
                let at = |&register: &u32| Place {
                    warp: thread / 32,
                    lane: thread % 32,
                    register,
                };
                registers
                    .iter()
                    .map(|register| value(self.layout.element(at(register))))
                    .sum()
            };
            (0..self.threads()).map(thread_sum).collect::<Vec<u64>>()
        });
        let mut groups: Vec<Vec<u64>> = groups.collect();
        for (values, registers) in groups.iter_mut().zip(&reduction.groups) {
            self.cost.adds += u64::from(self.threads()) * (registers.len() as u64 - 1);
            for &distance in &reduction.shuffles {
                self.butterfly(values, distance);
            }
        }
        groups
    }

    /// Shared memory after the steps across warps.
    fn across_warps(&mut self, warps: &WarpReduction, groups: &[Vec<u64>]) -> Vec<u64> {
        let mut memory = vec![u64::MAX; warps.elements as usize];
        for (group, values) in groups.iter().enumerate() {
            let stores = |lane: u32, warp: u32| {
                let idle = lane & warps.idle_lanes != 0 || warp & warps.idle_warps != 0;
                (!idle).then(|| warps.stores.at(group, lane, warp))
            };
            self.access(AccessKind::Store, stores);
            for thread in 0..self.threads() {
                if let Some(offset) = stores(thread % 32, thread / 32) {
                    memory[offset as usize] = values[thread as usize];
                }
            }
        }
        assert!(
            memory.iter().all(|&value| value != u64::MAX),
            "all is stored"
        );
        for round in 0..warps.rounds {
            let first = round * self.threads();
            let at = |lane: u32, warp: u32| {
                Some(first + warp * 32 + lane).filter(|&at| at < warps.elements)
            };
            self.access(AccessKind::Load, at);
            let loaded = (first..first + self.threads())
                .map(|at| memory.get(at as usize).copied().unwrap_or(0));
            let mut values: Vec<u64> = loaded.collect();
            for &distance in &warps.shuffles {
                self.butterfly(&mut values, distance);
            }
            let stores =
                |lane: u32, warp: u32| at(lane, warp).filter(|_| lane.is_multiple_of(warps.parts));
            self.access(AccessKind::Store, stores);
            for thread in 0..self.threads() {
                if let Some(offset) = stores(thread % 32, thread / 32) {
                    memory[offset as usize] = values[thread as usize];
                }
            }
        }
        memory
    }
}

/// Sums a tile of distinct values along `axis`; every place of the result must have its sum.
fn check(layout: &Layout, shape: &[u32], axis: usize) -> Cost {
    let source = layout.linear(shape);
    let mut rest = shape.to_vec();
    rest.remove(axis);
    let result = layout.slice(axis).linear(&rest);
    let value = |element: u32| u64::from(element) * u64::from(element) + 1;
    let expected = |place: Place| -> u64 {
        let mut indices = result.apply(place);
        indices.insert(axis, 0);
        let each = (0..shape[axis]).map(|at| {
            indices[axis] = at;
            value(source.number(&indices))
        });
        each.sum()
    };
    let reduction = reduce(&source, axis);
    let mut block = Block {
        layout: &source,
        cost: Cost::default(),
    };
    let groups = block.within_warps(&reduction, &value);
    let memory = reduction
        .across_warps
        .as_ref()
        .map(|warps| (warps, block.across_warps(warps, &groups)));
    for place in places(&result) {
        let thread = (place.warp * 32 + place.lane) as usize;
        let got = match &memory {
            Some((warps, memory)) => {
                memory[warps
                    .loads
                    .at(place.register as usize, place.lane, place.warp)
                    as usize]
            }
            None => groups[reduction.results[place.register as usize] as usize][thread],
        };
        assert_eq!(got, expected(place), "{layout} along {axis} at {place:?}");
    }
    if let Some((warps, _)) = &memory {
        for register in 0..warps.loads.values.len() {
            block.access(AccessKind::Load, |lane, warp| {
                Some(warps.loads.at(register, lane, warp))
            });
        }
    }
    block.cost
}

fn blocked(shape: &[u32], order: &[usize], per_thread: u32, warps: u32) -> Layout {
    Layout::Blocked(blocked_for(shape, order.to_vec(), per_thread, warps))
}

#[test]
fn every_element_counts_once() {
    for shape in [[32, 32], [4, 128], [64, 8], [2, 2], [16, 64]] {
        for (order, per_thread) in [([0, 1], 1), ([1, 0], 4), ([0, 1], 4), ([1, 0], 8)] {
            for warps in [1, 2, 4, 8] {
                let layout = blocked(&shape, &order, per_thread, warps);
                check(&layout, &shape, 0);
                check(&layout, &shape, 1);
            }
        }
    }
    let deep = [4, 8, 16];
    let layout = blocked(&deep, &[2, 1, 0], 2, 4);
    for axis in 0..3 {
        check(&layout, &deep, axis);
    }
}

#[test]
fn sums_take_the_additions_and_wavefronts_that_an_h200_counted() {
    let row = |elements: u32, per_thread: u32, warps: u32| {
        let cost = check(
            &blocked(&[elements], &[0], per_thread, warps),
            &[elements],
            0,
        );
        [cost.adds, cost.stores, cost.loads]
    };
    // `softmax_row` has two reductions, of which one adds, and 64 programs; it takes as many differences as elements.
    for (elements, per_thread, warps, adds, stores, loads) in [
        (1024, 1, 1, 139_264, 0, 0),
        (1024, 1, 2, 151_552, 384, 384),
        (1024, 4, 4, 180_224, 640, 640),
        (1024, 4, 8, 245_760, 1152, 1152),
        (4096, 4, 8, 638_976, 1152, 1152),
        (128, 1, 4, 65_536, 640, 640),
    ] {
        let [own, stored, loaded] = row(elements, per_thread, warps);
        let counted = [(own + u64::from(elements)) * 64, stored * 128, loaded * 128];
        assert_eq!(
            counted,
            [adds, stores, loads],
            "{elements} elements, {warps} warps"
        );
    }
}

/// Sums of rows or columns: shape, elements per thread, warps, axis, iterations of the tile and programs.
#[test]
fn sums_of_tiles_take_the_additions_that_an_h200_counted() {
    // `row_sum_tiles` adds tiles first: as many additions as elements, and one reduction at the end.
    for (shape, per_thread, warps, tiles, programs, adds) in [
        ([16, 64], 4, 4, 8, 8, 79_872),
        ([16, 64], 1, 4, 8, 8, 107_520),
        ([4, 128], 4, 4, 4, 32, 98_304),
        ([32, 32], 4, 1, 16, 2, 35_840),
        ([64, 64], 4, 8, 8, 1, 39_936),
    ] {
        let cost = check(&blocked(&shape, &[1, 0], per_thread, warps), &shape, 1);
        let elements = u64::from(shape[0] * shape[1]).max(32 * u64::from(warps));
        assert_eq!((elements * tiles + cost.adds) * programs, adds, "{shape:?}");
    }
    // `column_sum` reduces every tile, and adds its row of sums in each thread's registers. At the end most change the
    // layout of the sums, which takes 16 and 4 wavefronts.
    for (shape, per_thread, tiles, programs, changed, counted) in [
        ([16, 64], 4, 8, 8, [0, 16, 4], [131_072, 8832, 8736]),
        ([32, 32], 1, 4, 16, [0, 0, 0], [81_920, 1280, 1280]),
        ([8, 128], 4, 13, 2, [0, 16, 4], [53_248, 7104, 7080]),
    ] {
        let layout = blocked(&shape, &[1, 0], per_thread, 4);
        let cost = check(&layout, &shape, 0);
        let sums = u64::from(layout.slice(0).linear(&shape[1..]).registers()) * 128;
        let each = [cost.adds + sums, cost.stores, cost.loads];
        let got: Vec<u64> = each
            .iter()
            .zip(changed)
            .map(|(each, last)| (each * tiles + last) * programs)
            .collect();
        assert_eq!(got, counted, "{shape:?}");
    }
}

#[test]
fn maxima_take_the_wavefronts_that_an_h200_counted() {
    // `row_argmax` of 32 rows: values and indices take every step but the last, in which one warp loads the index.
    let row = Layout::Blocked(blocked_for(&[1024], vec![0], 1, 4));
    let cost = check(&row, &[1024], 0);
    let last = 4;
    assert_eq!(
        [cost.stores * 2 * 32, ((cost.loads - last) * 2 + 1) * 32],
        [320, 96]
    );
    // `row_reduce` in 8 programs; changing the layout of its results takes 32 and 4 wavefronts.
    let shape = [8, 256];
    let cost = check(&blocked(&shape, &[1, 0], 1, 4), &shape, 1);
    assert_eq!([(cost.stores + 32) * 8, (cost.loads + 4) * 8], [520, 296]);
}
