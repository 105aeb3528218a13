//! L2 traffic of a tiled matrix product too large to be executed: tiles in place of sectors.
//!
//! `C[m][n] = A[m][k] * B[k][n]`, a block for each tile of C. As many blocks as fit the GPU run at
//! once and in step: each reads its next tile of A and of B from L2, then all the next ones; at the
//! end each writes its tile of C. L2 holds whole tiles, the one not used for longest goes first;
//! what is left in the end is not written to memory. L1 is left out: such kernels stage
//! their tiles in shared memory, and blocks that share a tile are mostly on different SMs.
//!
//! Beside the model of every access, where both can run: within 10 %; up to 15 % where a matrix just
//! fills L2, whose sets fill unevenly.

use std::collections::VecDeque;
use std::ops::Range;

/// A matrix product and its tiles, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledProduct {
    /// Rows of C, columns of C, and what is summed over; each at least 1.
    pub shape: [u64; 3],
    /// The same of a tile; each at least 1.
    pub tile: [u64; 3],
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Which tile of C each block in order computes.
    pub order: BlockOrder,
}

/// Which tile of C comes after which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOrder {
    /// Along the rows.
    RowMajor,
    /// Along the columns.
    ColumnMajor,
    /// Down the columns of a group of so many rows of tiles, then the next group.
    Grouped(u64),
}

/// What went between L2 and its neighbours, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileTraffic {
    /// Read from L2.
    pub l2_read_bytes: u64,
    /// Written to L2.
    pub l2_write_bytes: u64,
    /// Read from device memory.
    pub dram_read_bytes: u64,
    /// Written to device memory.
    pub dram_write_bytes: u64,
}

impl TiledProduct {
    /// Tiles in each direction.
    fn tiles(&self) -> [u64; 3] {
        std::array::from_fn(|axis| self.shape[axis].div_ceil(self.tile[axis].max(1)))
    }

    /// The row and column of the tile that block `block` computes.
    fn tile_of(&self, block: u64) -> (u64, u64) {
        let [rows, columns, _] = self.tiles();
        match self.order {
            BlockOrder::RowMajor => (block / columns, block % columns),
            BlockOrder::ColumnMajor => (block % rows, block / rows),
            BlockOrder::Grouped(group) => {
                // As in the swizzle of Triton's matrix product tutorial: the last group may have
                // fewer rows.
                let group = group.clamp(1, rows);
                let first = block / (group * columns) * group;
                let height = group.min(rows - first);
                let within = block - first * columns;
                (first + within % height, within / height)
            }
        }
    }

    /// Extent of a tile, which is cut at the matrix's edge.
    fn extent(&self, axis: usize, index: u64) -> u64 {
        let first = index * self.tile[axis];
        self.tile[axis].min(self.shape[axis] - first)
    }

    /// Bytes of a tile of A, whose extents are along M and K.
    fn bytes_of_a(&self, row: u64, step: u64) -> u64 {
        self.extent(0, row) * self.extent(2, step) * self.element_bytes
    }

    /// The same of B, along K and N.
    fn bytes_of_b(&self, step: u64, column: u64) -> u64 {
        self.extent(2, step) * self.extent(1, column) * self.element_bytes
    }

    /// The same of C, along M and N.
    fn bytes_of_c(&self, row: u64, column: u64) -> u64 {
        self.extent(0, row) * self.extent(1, column) * self.element_bytes
    }

    /// The traffic of the product where `at_once` blocks (at least one) run at once over an empty
    /// L2 of `l2_bytes`.
    pub fn traffic(&self, at_once: u64, l2_bytes: u64) -> TileTraffic {
        let [rows, columns, steps] = self.tiles();
        let (of_b, of_c) = (rows * steps, rows * steps + steps * columns);
        // Tiles of A, B and C are numbered one behind the other.
        let mut l2 = TileCache::new(of_c + rows * columns, l2_bytes);
        for wave in waves(rows * columns, at_once.max(1)) {
            for step in 0..steps {
                for (row, column) in wave.clone().map(|block| self.tile_of(block)) {
                    let (a, b) = (row * steps + step, of_b + step * columns + column);
                    l2.read(a, self.bytes_of_a(row, step));
                    l2.read(b, self.bytes_of_b(step, column));
                }
            }
            for (row, column) in wave.map(|block| self.tile_of(block)) {
                l2.write(of_c + row * columns + column, self.bytes_of_c(row, column));
            }
        }
        l2.traffic
    }
}

/// The blocks that run at once, one group of them after the other.
fn waves(blocks: u64, at_once: u64) -> impl Iterator<Item = Range<u64>> {
    let firsts = (0..blocks.div_ceil(at_once)).map(move |wave| wave * at_once);
    firsts.map(move |first| first..blocks.min(first + at_once))
}

/// A cache of whole tiles, by their numbers: the one not used for longest goes first.
#[derive(Clone, Debug)]
pub struct TileCache {
    tiles: Vec<Tile>,
    /// Uses in order of time; those that a later use of the same tile outdates are passed over.
    uses: VecDeque<(usize, u64)>,
    clock: u64,
    free_bytes: u64,
    traffic: TileTraffic,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tile {
    /// When it was used last; 0 if it is not in the cache.
    used: u64,
    bytes: u64,
    dirty: bool,
}

impl TileCache {
    /// An empty cache of `bytes` bytes, for tiles numbered below `tiles`.
    pub fn new(tiles: u64, bytes: u64) -> Self {
        TileCache {
            tiles: vec![Tile::default(); tiles as usize],
            uses: VecDeque::new(),
            clock: 0,
            free_bytes: bytes,
            traffic: TileTraffic::default(),
        }
    }

    /// Whether it holds a tile.
    pub fn holds(&self, tile: u64) -> bool {
        self.tiles[tile as usize].used > 0
    }

    /// What went in and out so far.
    pub fn traffic(&self) -> TileTraffic {
        self.traffic
    }

    /// Reads a tile of `bytes` bytes; whether it was there.
    pub fn read(&mut self, tile: u64, bytes: u64) -> bool {
        self.traffic.l2_read_bytes += bytes;
        let was_there = self.touch(tile as usize, bytes);
        if !was_there {
            self.traffic.dram_read_bytes += bytes;
        }
        was_there
    }

    /// Writes a tile of `bytes` bytes.
    pub fn write(&mut self, tile: u64, bytes: u64) {
        self.traffic.l2_write_bytes += bytes;
        self.touch(tile as usize, bytes);
        self.tiles[tile as usize].dirty = true;
    }

    /// Makes a tile the one used last; whether it was there.
    fn touch(&mut self, tile: usize, bytes: u64) -> bool {
        self.clock += 1;
        let was_there = self.tiles[tile].used > 0;
        if !was_there {
            self.make_room(bytes);
            self.free_bytes = self.free_bytes.saturating_sub(bytes);
            self.tiles[tile].bytes = bytes;
        }
        self.tiles[tile].used = self.clock;
        self.uses.push_back((tile, self.clock));
        was_there
    }

    fn make_room(&mut self, bytes: u64) {
        while self.free_bytes < bytes {
            let Some((tile, used)) = self.uses.pop_front() else {
                return;
            };
            let oldest = &mut self.tiles[tile];
            if oldest.used != used {
                continue;
            }
            self.free_bytes += oldest.bytes;
            if std::mem::take(&mut oldest.dirty) {
                self.traffic.dram_write_bytes += oldest.bytes;
            }
            oldest.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::memory::{AccessKind, CacheShape, L2, LogQueue, model_launch};

    const ORDERS: [BlockOrder; 3] = [
        BlockOrder::RowMajor,
        BlockOrder::ColumnMajor,
        BlockOrder::Grouped(4),
    ];

    /// Logs the lines that block `block` reads and writes, row by row of its tiles.
    fn run_block(product: &TiledProduct, queue: &LogQueue, block: u64) {
        let [_, n, k] = product.shape;
        let [tile_m, tile_n, tile_k] = product.tile;
        let (row, column) = product.tile_of(block);
        let mut log = queue.blank(1);
        let mut rows = |buffer: u64, kind, rows: Range<u64>, width: u64, from: u64, count: u64| {
            for row in rows {
                let first = (buffer << 40) + 4 * (row * width + from);
                log.run(0, 0, kind, first, 4 * count);
            }
        };
        let tile_rows = row * tile_m..(row + 1) * tile_m;
        for step in 0..k / tile_k {
            let inner = step * tile_k..(step + 1) * tile_k;
            rows(
                1,
                AccessKind::Load,
                tile_rows.clone(),
                k,
                inner.start,
                tile_k,
            );
            rows(2, AccessKind::Load, inner, n, column * tile_n, tile_n);
        }
        rows(3, AccessKind::Store, tile_rows, n, column * tile_n, tile_n);
        queue.deliver(block, log);
    }

    /// The same launch, access by access.
    fn executed(product: &TiledProduct, sms: usize, l2_bytes: u64) -> TileTraffic {
        let queue = LogQueue::default();
        let [rows, columns, _] = product.tiles();
        let shape = CacheShape {
            sms,
            l1_bytes: 2048,
            resident_blocks: 1,
        };
        let never = AtomicBool::new(false);
        let modelled = std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..rows * columns).for_each(|block| run_block(product, &queue, block));
                queue.close();
            });
            model_launch(&mut L2::new(l2_bytes), shape, 1, &queue, &never)
        });
        let total = modelled.expect("is not cancelled").total();
        TileTraffic {
            l2_read_bytes: 32 * total.l2.read_sectors,
            l2_write_bytes: 32 * total.l2.write_sectors,
            dram_read_bytes: total.dram.read_bytes,
            dram_write_bytes: total.dram.write_bytes,
        }
    }

    #[test]
    fn tiles_say_what_the_model_of_every_access_says() {
        for order in ORDERS {
            for l2_bytes in [256 << 10, 768 << 10, 1536 << 10, 4 << 20] {
                let product = TiledProduct {
                    shape: [512, 512, 512],
                    tile: [32, 32, 32],
                    element_bytes: 4,
                    order,
                };
                let (tiles, all) = (
                    product.traffic(12, l2_bytes),
                    executed(&product, 12, l2_bytes),
                );
                let near = |a: u64, b: u64| a.abs_diff(b) * 10 <= a.max(b);
                let pairs = [
                    (tiles.l2_read_bytes, all.l2_read_bytes),
                    (tiles.l2_write_bytes, all.l2_write_bytes),
                    (tiles.dram_read_bytes, all.dram_read_bytes),
                    (tiles.dram_write_bytes, all.dram_write_bytes),
                ];
                let all_near = pairs.iter().all(|&(tiles, all)| near(tiles, all));
                assert!(
                    all_near,
                    "{order:?}, L2 of {l2_bytes}: {tiles:?} for {all:?}"
                );
            }
        }
    }

    #[test]
    fn every_order_computes_each_tile_once() {
        for order in [ORDERS, [BlockOrder::Grouped(3); 3]].concat() {
            let product = TiledProduct {
                shape: [1000, 700, 64],
                tile: [128, 64, 32],
                element_bytes: 2,
                order,
            };
            let [rows, columns, _] = product.tiles();
            let mut tiles: Vec<_> = (0..rows * columns).map(|at| product.tile_of(at)).collect();
            tiles.sort_unstable();
            tiles.dedup();
            assert_eq!(tiles.len() as u64, rows * columns, "{order:?}");
            assert_eq!(tiles.last(), Some(&(rows - 1, columns - 1)), "{order:?}");
            // Each row of A is read once for each column of tiles, and the other way round.
            let read = 2 * 64 * (1000 * columns + 700 * rows);
            assert_eq!(product.traffic(8, 1 << 30).l2_read_bytes, read);
        }
    }

    #[test]
    fn grouping_the_blocks_of_a_large_product_saves_memory_traffic() {
        let read = |order| {
            let product = TiledProduct {
                shape: [8192; 3],
                tile: [128, 128, 64],
                element_bytes: 2,
                order,
            };
            product.traffic(132, 30 << 20).dram_read_bytes
        };
        assert!(read(BlockOrder::Grouped(8)) * 3 < read(BlockOrder::RowMajor) * 2);
    }
}
