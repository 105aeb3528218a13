//! Products and transposes of matrices, stored row by row.

use rayon::prelude::*;

use super::alone::{RowsAlone, product};
use super::extent::elements_of;

/// Most elements of a product.
const MOST: usize = 1 << 31;

/// Columns become rows. Sizes: rows, columns of the input.
pub(super) fn transpose(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let (rows, columns) = (sizes[0], sizes[1]);
    let Some(elements) = elements_of(sizes, inputs[0].len()) else {
        return vec![f64::NAN];
    };
    let at = |i: usize| {
        let (column, row) = (i / rows, i % rows);
        inputs[0][row * columns + column]
    };
    (0..elements).into_par_iter().map(at).collect()
}

/// `c[m][n] = sum over k of a[m][k] * b[k][n]`. Sizes: M, N, K.
pub(super) fn matmul(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let (rows, columns, depth) = (sizes[0], sizes[1], sizes[2]);
    if columns == 0 {
        return Vec::new();
    }
    let inputs_hold = elements_of(&[rows, depth], inputs[0].len()).is_some()
        && elements_of(&[depth, columns], inputs[1].len()).is_some();
    if elements_of(&[rows, columns], MOST).is_none() || !inputs_hold {
        return vec![f64::NAN];
    }
    ROWS.all(inputs, sizes)
}

/// The rows of a product.
pub(super) const ROWS: RowsAlone = RowsAlone {
    count: |sizes| sizes[0],
    compute: row_of_product,
    multiplications: product,
};

fn row_of_product(inputs: &[Vec<f64>], sizes: &[usize], m: usize) -> Vec<f64> {
    let (columns, depth) = (sizes[1], sizes[2]);
    let mut row = vec![0.0; columns];
    // Row by row of b: its elements lie one after the other, so that the host's caches and vectors help.
    for k in 0..depth {
        let a = inputs[0][m * depth + k];
        for (sum, b) in row.iter_mut().zip(&inputs[1][k * columns..]) {
            *sum += a * b;
        }
    }
    row
}

/// The same, negative elements zero. Sizes: M, N, K.
pub(super) fn matmul_relu(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let product = matmul(inputs, sizes).into_iter();
    product.map(|element| element.max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_a_matrix() {
        let a = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let b = vec![1.0, -1.0, 0.0, 1.0, 2.0, -3.0];
        let product = matmul(&[a.clone(), b.clone()], &[2, 2, 3]);
        assert_eq!(product, [7.0, -8.0, 16.0, -17.0]);
        assert_eq!(
            matmul_relu(&[a.clone(), b], &[2, 2, 3]),
            [7.0, 0.0, 16.0, 0.0]
        );
        assert_eq!(transpose(&[a], &[2, 3]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert!(matmul(&[vec![], vec![]], &[2, 0, 3]).is_empty());
    }
}
