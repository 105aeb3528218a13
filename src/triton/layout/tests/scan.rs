//! Scans: each place has what comes before it, in as many additions and wavefronts as an H200 counted for Triton 3.6.

use std::collections::HashMap;

use super::places;
use crate::launch::AccessKind;
use crate::memory::SharedRequest;
use crate::triton::layout::{
    Layout, LinearLayout, Place, Scan, ScanChunk, ScanExchange, blocked_for, scan,
};

/// Maps `x` to `a x + b`: composed in the wrong order, the result differs.
type Map = (u64, u64);

fn then(first: Map, second: Map) -> Map {
    let (a, b) = (
        first.0.wrapping_mul(second.0),
        first.1.wrapping_mul(second.0),
    );
    (a, b.wrapping_add(second.1))
}

/// A block that scans: the value of each register of each thread.
struct Block<'a> {
    layout: &'a LinearLayout,
    scan: &'a Scan,
    values: Vec<Vec<Map>>,
    adds: u64,
    stores: u64,
}

impl Block<'_> {
    fn lane_position(&self, thread: usize) -> u32 {
        self.scan.lanes.of_index(thread as u32 % 32)
    }

    fn warp_position(&self, thread: usize) -> u32 {
        self.scan.warps.of_index(thread as u32 / 32)
    }

    fn combine(&mut self, first: Map, second: Map) -> Map {
        self.adds += 1;
        then(first, second)
    }

    /// Steps 1 and 2.
    fn within_warps(&mut self) {
        for chunk in &self.scan.chunks {
            for thread in 0..self.values.len() {
                for pair in chunk.registers.windows(2) {
                    let [before, own] =
                        [pair[0], pair[1]].map(|at| self.values[thread][at as usize]);
                    self.values[thread][pair[1] as usize] = self.combine(before, own);
                }
            }
            let last = *chunk.registers.last().expect("a chunk has registers") as usize;
            for step in self.scan.lane_steps() {
                let before: Vec<Map> = self.values.iter().map(|values| values[last]).collect();
                for (thread, own) in before.iter().enumerate() {
                    if self.lane_position(thread) >= step {
                        let from = thread - (step * self.scan.lanes.stride) as usize;
                        self.values[thread][last] = self.combine(before[from], *own);
                    }
                }
            }
        }
    }

    /// Counts stores of 4 bytes by those threads of each warp that have an offset.
    fn count(&mut self, offset: &dyn Fn(u32, u32) -> Option<u32>) {
        for warp in 0..self.layout.warps() {
            let offsets: [Option<u32>; 32] = std::array::from_fn(|lane| offset(lane as u32, warp));
            let active = (0..32)
                .filter(|&lane| offsets[lane].is_some())
                .fold(0, |mask, lane| mask | 1 << lane);
            let bytes = offsets.map(|offset| offset.unwrap_or(0) * 4);
            self.stores += SharedRequest::of(&bytes, active, 4, AccessKind::Store).wavefronts;
        }
    }

    /// The stores of step 3: what lies in memory then.
    fn store(&mut self, exchange: &ScanExchange) -> HashMap<u32, Map> {
        let mut memory = HashMap::new();
        let (lanes, scan) = (self.scan.lanes, self.scan);
        for (number, chunk) in scan.chunks.iter().enumerate() {
            let last = *chunk.registers.last().expect("a chunk has registers") as usize;
            let offset = |lane: u32, warp: u32| {
                let idle = lane & exchange.idle_lanes != 0 || warp & exchange.idle_warps != 0;
                (!idle && lanes.of_index(lane) == lanes.count - 1)
                    .then(|| exchange.stores.at(number, lane, warp))
            };
            self.count(&offset);
            for (thread, values) in self.values.iter().enumerate() {
                if let Some(at) = offset(thread as u32 % 32, thread as u32 / 32) {
                    assert!(at < exchange.elements);
                    assert_eq!(memory.insert(at, values[last]), None);
                }
            }
        }
        assert_eq!(memory.len(), exchange.elements as usize);
        memory
    }

    /// What stands before a chunk for every thread, and the total behind it. Of the last block only what is used is
    /// computed, as by a compiler.
    fn parts(
        &mut self,
        exchange: &ScanExchange,
        number: usize,
        memory: &HashMap<u32, Map>,
        totals: &mut [Option<Map>],
    ) -> Vec<Map> {
        let chunk = &self.scan.chunks[number];
        let is_last = chunk.block + 1 == self.scan.blocks;
        let warps = self.scan.warps.count;
        let mut before: Vec<Option<Map>> = totals.to_vec();
        for part in 0..warps {
            let offset = |lane: u32, warp: u32| {
                exchange.loads.at(number, lane, warp) + part * exchange.part_stride
            };
            for thread in 0..self.values.len() {
                let loaded = memory[&offset(thread as u32 % 32, thread as u32 / 32)];
                let position = self.warp_position(thread);
                let is_used = !is_last || part + 2 < warps || part + 2 == warps && position > part;
                totals[thread] = match totals[thread] {
                    None => Some(loaded),
                    Some(total) if is_used => Some(self.combine(total, loaded)),
                    total => total,
                };
                if before[thread].is_none() || position > part {
                    before[thread] = totals[thread];
                }
            }
        }
        before
            .into_iter()
            .map(|before| before.expect("a part was loaded"))
            .collect()
    }

    /// Puts `before` in front of a chunk.
    fn prepend(&mut self, chunk: &ScanChunk, before: &[Option<Map>]) {
        let (&last, others) = chunk.registers.split_last().expect("a chunk has registers");
        for thread in 0..self.values.len() {
            let is_first = chunk.block == 0 && self.warp_position(thread) == 0;
            if let Some(before) = before[thread].filter(|_| !is_first) {
                let own = self.values[thread][last as usize];
                self.values[thread][last as usize] = self.combine(before, own);
            }
        }
        let lasts: Vec<Map> = self
            .values
            .iter()
            .map(|values| values[last as usize])
            .collect();
        for thread in 0..self.values.len() {
            let position = self.lane_position(thread);
            let is_first = chunk.block == 0 && self.warp_position(thread) == 0 && position == 0;
            let carried = match position {
                0 => before[thread].filter(|_| !is_first),
                _ => Some(lasts[thread - self.scan.lanes.stride as usize]),
            };
            for &register in others {
                if let Some(carried) = carried {
                    let own = self.values[thread][register as usize];
                    self.values[thread][register as usize] = self.combine(carried, own);
                }
            }
        }
    }

    fn run(&mut self) {
        self.within_warps();
        let scan = self.scan;
        let memory = scan
            .across_warps
            .as_ref()
            .map(|exchange| (exchange, self.store(exchange)));
        let mut totals: HashMap<u32, Vec<Option<Map>>> = HashMap::new();
        for (number, chunk) in scan.chunks.iter().enumerate() {
            let none = vec![None; self.values.len()];
            let mut total = totals.remove(&chunk.accumulator).unwrap_or(none);
            let before = match &memory {
                Some((exchange, memory)) => {
                    let before = self.parts(exchange, number, memory, &mut total);
                    before.into_iter().map(Some).collect()
                }
                None => total.clone(),
            };
            self.prepend(chunk, &before);
            if memory.is_none() {
                let (lanes, last) = (
                    scan.lanes,
                    *chunk.registers.last().expect("a chunk has registers"),
                );
                for (thread, total) in total.iter_mut().enumerate() {
                    let behind = lanes.count - 1 - lanes.of_index(thread as u32 % 32);
                    *total =
                        Some(self.values[thread + (behind * lanes.stride) as usize][last as usize]);
                }
            }
            totals.insert(chunk.accumulator, total);
        }
    }
}

/// Scans a tile along `axis`: additions, and wavefronts of stores.
fn check(layout: &Layout, shape: &[u32], axis: usize) -> [u64; 2] {
    let layout = layout.linear(shape);
    let value = |element: u32| (u64::from(element) * 2 + 3, u64::from(element) + 7);
    let scan = scan(&layout, axis);
    let values = (0..32 * layout.warps()).map(|thread| {
        let at = |register| {
            layout.element(Place {
                warp: thread / 32,
                lane: thread % 32,
                register,
            })
        };
        (0..layout.registers())
            .map(|register| value(at(register)))
            .collect()
    });
    let mut block = Block {
        layout: &layout,
        scan: &scan,
        values: values.collect(),
        adds: 0,
        stores: 0,
    };
    block.run();
    let repeated = layout.replicated().register;
    for place in places(&layout) {
        if place.register & repeated != 0 {
            continue;
        }
        let mut indices = layout.apply(place);
        let each: Vec<Map> = (0..=indices[axis])
            .map(|at| {
                indices[axis] = at;
                value(layout.number(&indices))
            })
            .collect();
        let expected = each.into_iter().reduce(then).expect("at least itself");
        let got = block.values[(place.warp * 32 + place.lane) as usize][place.register as usize];
        assert_eq!(got, expected, "{layout} along {axis} at {place:?}");
    }
    [block.adds, block.stores]
}

#[test]
fn each_place_has_all_before_it() {
    for shape in [[32, 32], [4, 128], [64, 8], [2, 2], [16, 64]] {
        for (order, per_thread) in [([0, 1], 1), ([1, 0], 4), ([0, 1], 4), ([1, 0], 1)] {
            for warps in [1, 2, 4] {
                let layout =
                    Layout::Blocked(blocked_for(&shape, order.to_vec(), per_thread, warps));
                check(&layout, &shape, 0);
                check(&layout, &shape, 1);
            }
        }
    }
}

#[test]
fn running_sums_take_the_additions_and_wavefronts_that_an_h200_counted() {
    for (per_thread, counted) in [(4, [27_688, 64, 128]), (1, [70_912, 256, 512])] {
        let layout = Layout::Blocked(blocked_for(&[1024], vec![0], per_thread, 4));
        let cost = check(&layout, &[1024], 0);
        // The parts of the four warps lie side by side: each chunk loads them at once.
        let chunks = 1024 / 128 / per_thread;
        let at_once = SharedRequest::of_uniform(u32::MAX, 16, AccessKind::Load).wavefronts;
        let got = [cost[0], cost[1], u64::from(chunks) * 4 * at_once].map(|count| count * 8);
        assert_eq!(got, counted, "{per_thread} elements per thread");
    }
}
