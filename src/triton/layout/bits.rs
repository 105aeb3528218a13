//! The bits of a tile's indices, handed out to registers, lanes and warps from the lowest of each dimension on.

/// Hands out the bits of a tile's indices, the lowest of each dimension first.
pub struct Bits {
    /// The lowest bit of each dimension in an element's number.
    first: Vec<u32>,
    /// Bits of each dimension.
    count: Vec<u32>,
    /// Bits of each dimension that are gone.
    taken: Vec<u32>,
}

impl Bits {
    /// All bits of a tile of that shape.
    pub fn new(shape: &[u32]) -> Self {
        let count: Vec<u32> = shape.iter().map(|size| size.ilog2()).collect();
        let before = |dim: usize| count[..dim].iter().sum();
        Bits {
            first: (0..shape.len()).map(before).collect(),
            taken: vec![0; shape.len()],
            count,
        }
    }

    /// Bases for `sizes[dim]` places along each dimension, the fastest first. Beyond the tile they are 0: a repetition.
    pub fn over(&mut self, sizes: &[u32], order: &[usize]) -> Vec<u32> {
        let mut bases = Vec::new();
        for &dim in order {
            for _ in 0..sizes[dim].ilog2() {
                bases.push(self.next(dim));
            }
        }
        bases
    }

    /// Bases for all that is left of the tile.
    pub fn rest(&mut self, order: &[usize]) -> Vec<u32> {
        let mut bases = Vec::new();
        for &dim in order {
            while self.taken[dim] < self.count[dim] {
                bases.push(self.next(dim));
            }
        }
        bases
    }

    /// The basis of the next bit of `dim`.
    fn next(&mut self, dim: usize) -> u32 {
        let bit = self.taken[dim];
        // Counted beyond the end, too: a layout larger than its tile repeats it, and a basis of 0 is how that is
        // said.
        self.taken[dim] += 1;
        if bit < self.count[dim] {
            1 << (self.first[dim] + bit)
        } else {
            0
        }
    }

    /// As [`Bits::over`], but places along `dim` all hold the same.
    pub fn over_but(&mut self, sizes: &[u32], order: &[usize], dim: usize) -> Vec<u32> {
        let mut bases = Vec::new();
        for &other in order {
            let one = [other];
            if other == dim {
                bases.extend((0..sizes[dim].ilog2()).map(|_| 0));
            } else {
                bases.extend(self.over(sizes, &one));
            }
        }
        bases
    }

    /// Bases for `size` places along `dim`.
    pub fn along(&mut self, dim: usize, size: u32) -> Vec<u32> {
        (0..size.ilog2()).map(|_| self.next(dim)).collect()
    }
}
