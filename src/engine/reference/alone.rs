//! Outputs whose rows can be computed one by one: of those that take long, some are enough to find a kernel wrong.

use rayon::prelude::*;

/// Inputs, sizes, and which row: what stands in it.
type RowOf = fn(&[Vec<f64>], &[usize], usize) -> Vec<f64>;

/// How to compute rows of an output alone.
#[derive(Clone, Copy)]
pub struct RowsAlone {
    /// How many there are, by the sizes.
    pub count: fn(&[usize]) -> usize,
    /// One of them.
    pub compute: RowOf,
    /// Multiplications that all of them take.
    pub multiplications: fn(&[usize]) -> u64,
}

/// The product of some numbers, at most the largest there is.
pub(super) fn product(of: &[usize]) -> u64 {
    of.iter()
        .fold(1, |all: u64, &number| all.saturating_mul(number as u64))
}

impl RowsAlone {
    /// All rows, one behind the other.
    pub fn all(&self, inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
        let rows = (0..(self.count)(sizes)).into_par_iter();
        let rows: Vec<Vec<f64>> = rows.map(|row| (self.compute)(inputs, sizes, row)).collect();
        rows.concat()
    }

    /// So many rows, spread from the first to the last: which, and what stands in them.
    pub fn some(
        &self,
        inputs: &[Vec<f64>],
        sizes: &[usize],
        most: usize,
    ) -> Vec<(usize, Vec<f64>)> {
        let all = (self.count)(sizes);
        let count = all.min(most);
        let places = (0..count).into_par_iter();
        places
            .map(|at| at * (all - 1) / (count - 1).max(1))
            .map(|row| (row, (self.compute)(inputs, sizes, row)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_spread_from_the_first_to_the_last() {
        let rows = RowsAlone {
            count: |sizes| sizes[0],
            compute: |_, _, row| vec![row as f64],
            multiplications: |_| 0,
        };
        let places = |count, most| -> Vec<usize> {
            let some = rows.some(&[], &[count], most);
            some.into_iter().map(|(row, _)| row).collect()
        };
        assert_eq!(places(10, 4), [0, 3, 6, 9]);
        assert_eq!(places(2, 4), [0, 1]);
        assert_eq!(places(1, 4), [0]);
        assert_eq!(rows.all(&[], &[3]), [0.0, 1.0, 2.0]);
    }
}
