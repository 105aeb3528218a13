//! Rotary position embeddings (RoPE, Su et al. 2021).
//!
//! Inputs: x as tokens × heads × D, and tables of cosines and sines as tokens × D/2. Sizes: tokens, heads, D.

use rayon::prelude::*;

use super::extent::elements_of;

/// Which two elements of a head turn together.
#[derive(Clone, Copy)]
enum Layout {
    /// `j` and `j + D/2`.
    Halves,
    /// `2j` and `2j + 1`.
    Pairs,
}

/// Element `j` of the first half turns with element `j` of the second.
pub(super) fn halves(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    rotate(inputs, sizes, Layout::Halves, 1.0)
}

/// Neighbours turn together.
pub(super) fn pairs(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    rotate(inputs, sizes, Layout::Pairs, 1.0)
}

/// The gradient of [`halves`] for x: it turns back.
pub(super) fn halves_backward(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    rotate(inputs, sizes, Layout::Halves, -1.0)
}

fn rotate(inputs: &[Vec<f64>], sizes: &[usize], layout: Layout, direction: f64) -> Vec<f64> {
    let (heads, depth) = (sizes[1], sizes[2]);
    let half = depth / 2;
    let Some(elements) = elements_of(sizes, inputs[0].len()) else {
        return vec![f64::NAN];
    };
    let mut output = inputs[0][..elements].to_vec();
    let turn = |(token, x): (usize, &mut [f64])| {
        let at = |table: usize, j: usize| {
            let value = inputs[table].get(token * half + j);
            value.copied().unwrap_or(f64::NAN)
        };
        for head in x.chunks_exact_mut(depth.max(1)) {
            for j in 0..half {
                let (a, b) = match layout {
                    Layout::Halves => (j, j + half),
                    Layout::Pairs => (2 * j, 2 * j + 1),
                };
                let (cosine, sine) = (at(1, j), direction * at(2, j));
                let (x, y) = (head[a], head[b]);
                head[a] = x * cosine - y * sine;
                head[b] = y * cosine + x * sine;
            }
        }
    };
    let of_a_token = (heads * depth).max(1);
    output.par_chunks_mut(of_a_token).enumerate().for_each(turn);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_keeps_lengths_and_turning_back_gives_x_again() {
        let x: Vec<f64> = (0..2 * 3 * 4).map(|i| f64::from(i) - 7.0).collect();
        let angles = [0.0_f64, 0.3, 1.0, 2.0];
        let cosines = angles.map(f64::cos).to_vec();
        let sines = angles.map(f64::sin).to_vec();
        let sizes = [2, 3, 4];
        let turned = halves(&[x.clone(), cosines.clone(), sines.clone()], &sizes);
        assert_eq!(turned[0], x[0], "an angle of zero turns nothing");
        let length = |x: &[f64], a: usize, b: usize| x[a].hypot(x[b]);
        assert!((length(&turned, 13, 15) - length(&x, 13, 15)).abs() < 1e-12);
        let back = halves_backward(&[turned, cosines.clone(), sines.clone()], &sizes);
        assert!(
            back.iter()
                .zip(&x)
                .all(|(back, x)| (back - x).abs() < 1e-12)
        );
        let neighbours = pairs(&[x.clone(), cosines, sines], &sizes);
        assert!((length(&neighbours, 12, 13) - length(&x, 12, 13)).abs() < 1e-12);
        assert!((neighbours[12] - x[12]).abs() > 0.1);
    }
}
