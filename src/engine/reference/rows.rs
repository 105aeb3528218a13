//! Matrices, row by row. Sizes are rows, columns.

/// The rows, each with its largest element.
fn with_maxima<'a>(
    inputs: &'a [Vec<f64>],
    sizes: &[usize],
) -> impl Iterator<Item = (&'a [f64], f64)> {
    let rows = inputs[0].chunks(sizes[1].max(1)).take(sizes[0]);
    rows.map(|row| {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (row, max)
    })
}

/// `exp(x - max) / sum(exp(x - max))`.
pub(super) fn softmax(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let mut output = Vec::with_capacity(inputs[0].len());
    for (row, max) in with_maxima(inputs, sizes) {
        let exponentials: Vec<f64> = row.iter().map(|x| (x - max).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        output.extend(exponentials.iter().map(|exponential| exponential / sum));
    }
    output
}

/// `x - max - log(sum(exp(x - max)))`.
pub(super) fn log_softmax(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let mut output = Vec::with_capacity(inputs[0].len());
    for (row, max) in with_maxima(inputs, sizes) {
        let sum: f64 = row.iter().map(|x| (x - max).exp()).sum();
        output.extend(row.iter().map(|x| x - max - sum.ln()));
    }
    output
}

/// The sum of each row.
pub(super) fn sums(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let rows = inputs[0].chunks(sizes[1].max(1)).take(sizes[0]);
    rows.map(|row| row.iter().sum()).collect()
}

/// The largest element of each row.
pub(super) fn maxima(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    with_maxima(inputs, sizes).map(|(_, max)| max).collect()
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
