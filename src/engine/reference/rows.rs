//! Matrices, row by row. Sizes are rows, columns.

use rayon::prelude::*;

/// The rows.
fn rows<'a>(
    inputs: &'a [Vec<f64>],
    sizes: &[usize],
) -> impl IndexedParallelIterator<Item = &'a [f64]> {
    inputs[0].par_chunks(sizes[1].max(1)).take(sizes[0])
}

fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Each row as `of` makes it, one behind the other.
fn each(inputs: &[Vec<f64>], sizes: &[usize], of: impl Fn(&mut [f64]) + Send + Sync) -> Vec<f64> {
    let columns = sizes[1].max(1);
    let mut output = inputs[0].clone();
    output.truncate(sizes[0] * columns);
    output.par_chunks_mut(columns).for_each(of);
    output
}

/// `exp(x - max) / sum(exp(x - max))`.
pub(super) fn softmax(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    each(inputs, sizes, |row| {
        let max = largest(row);
        row.iter_mut().for_each(|x| *x = (*x - max).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    })
}

/// `x - max - log(sum(exp(x - max)))`.
pub(super) fn log_softmax(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    each(inputs, sizes, |row| {
        let max = largest(row);
        let sum: f64 = row.iter().map(|x| (x - max).exp()).sum();
        row.iter_mut().for_each(|x| *x = *x - max - sum.ln());
    })
}

/// The sum of each row.
pub(super) fn sums(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    rows(inputs, sizes).map(|row| row.iter().sum()).collect()
}

/// The sum of each column.
pub(super) fn column_sums(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let (rows, columns) = (sizes[0], sizes[1]);
    let of_column = |column| (0..rows).map(move |row| inputs[0].get(row * columns + column));
    let sum = |column| {
        of_column(column)
            .map(|x| x.copied().unwrap_or(f64::NAN))
            .sum()
    };
    (0..columns).map(sum).collect()
}

/// The largest element of each row.
pub(super) fn maxima(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    rows(inputs, sizes).map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_softmax_sum_to_one_and_survive_large_values() {
        let rows = [vec![0.0, 0.0, 1000.0, 1001.0]];
        let softmax = softmax(&rows, &[2, 2]);
        assert_eq!(softmax[..2], [0.5, 0.5]);
        assert!((softmax[2] + softmax[3] - 1.0).abs() < 1e-15 && softmax[3] > softmax[2]);
        let logarithms = log_softmax(&rows, &[2, 2]);
        for (logarithm, softmax) in logarithms.iter().zip(softmax) {
            assert!((logarithm - softmax.ln()).abs() < 1e-13);
        }
        assert_eq!(sums(&rows, &[2, 2]), [0.0, 2001.0]);
        assert_eq!(maxima(&rows, &[2, 2]), [0.0, 1001.0]);
    }
}
