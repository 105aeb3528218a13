//! A cache of whole tiles, by their numbers: what L2 holds of a product of matrices whose blocks take tile after
//! tile. The tile not used for longest goes first.

use std::collections::VecDeque;

/// A cache of whole tiles.
#[derive(Clone, Debug)]
pub struct TileCache {
    tiles: Vec<Tile>,
    /// Uses in order of time; those that a later use of the same tile outdates are passed over.
    uses: VecDeque<(usize, u64)>,
    clock: u64,
    free_bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tile {
    /// When it was used last; 0 if it is not in the cache.
    used: u64,
    bytes: u64,
}

impl TileCache {
    /// An empty cache of `bytes` bytes, for tiles numbered below `tiles`.
    pub fn new(tiles: u64, bytes: u64) -> Self {
        TileCache {
            tiles: vec![Tile::default(); tiles as usize],
            uses: VecDeque::new(),
            clock: 0,
            free_bytes: bytes,
        }
    }

    /// Whether it holds a tile.
    pub fn holds(&self, tile: u64) -> bool {
        self.tiles[tile as usize].used > 0
    }

    /// Makes a tile of `bytes` bytes, read or written, the one used last; whether it was there.
    pub fn touch(&mut self, tile: u64, bytes: u64) -> bool {
        let tile = tile as usize;
        self.clock += 1;
        let was_there = self.tiles[tile].used > 0;
        if !was_there {
            self.make_room(bytes);
            // A tile larger than the whole cache takes all of it.
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
            if oldest.used == used {
                self.free_bytes += oldest.bytes;
                oldest.used = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tile_not_used_for_longest_goes_first() {
        let mut cache = TileCache::new(4, 30);
        let touched = [0, 1, 2, 0, 3, 0, 1].map(|tile| cache.touch(tile, 10));
        assert_eq!(touched, [false, false, false, true, false, true, false]);
        let resident = [0, 1, 2, 3].map(|tile| cache.holds(tile));
        assert_eq!(resident, [true, true, false, true]);
    }
}
