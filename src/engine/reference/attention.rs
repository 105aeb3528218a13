//! Attention of several heads: softmax of scaled scores, and the mean of the values with these weights.

use super::alone::{RowsAlone, product};
use super::extent::elements_of;

/// `out[h][i] = sum over j of weight[j] * v[h][j]`, where the weights are the softmax over j of `q[h][i] . k[h][j] /
/// sqrt(depth)`. Sizes: heads, tokens, elements of a head, and 1 where a token sees none behind it.
pub(super) fn attention(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let (heads, tokens, depth) = (sizes[0], sizes[1], sizes[2]);
    let hold = |input: &Vec<f64>| elements_of(&[heads, tokens, depth], input.len()).is_some();
    if !inputs.iter().all(hold) {
        return vec![f64::NAN];
    }
    ROWS.all(inputs, sizes)
}

/// The rows of the result: one for each token of each head.
pub(super) const ROWS: RowsAlone = RowsAlone {
    count: |sizes| sizes[0] * sizes[1],
    compute: row_of_attention,
    // A product for the scores, and one with the values.
    multiplications: |sizes| product(&[2, sizes[0], sizes[1], sizes[1], sizes[2]]),
};

fn row_of_attention(inputs: &[Vec<f64>], sizes: &[usize], at: usize) -> Vec<f64> {
    let (tokens, depth, causal) = (sizes[1], sizes[2], sizes[3]);
    let (q, k, v) = (&inputs[0], &inputs[1], &inputs[2]);
    let (head, query) = (at / tokens * tokens, at % tokens);
    let seen = if causal == 1 { query + 1 } else { tokens };
    let row = |token: usize| (head + token) * depth..(head + token + 1) * depth;
    let asked = &q[row(query)];
    let score = |key: usize| {
        let pairs = asked.iter().zip(&k[row(key)]);
        pairs.map(|(q, k)| q * k).sum::<f64>() / (depth as f64).sqrt()
    };
    let scores: Vec<f64> = (0..seen).map(score).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut out = vec![0.0; depth];
    for (key, weight) in weights.iter().enumerate() {
        for (out, v) in out.iter_mut().zip(&v[row(key)]) {
            *out += weight / sum * v;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_mean_of_those_that_it_sees() {
        // One head, two tokens of one element. Equal keys: equal weights.
        let inputs = [vec![1.0, 2.0], vec![0.0, 0.0], vec![3.0, 5.0]];
        assert_eq!(attention(&inputs, &[1, 2, 1, 0]), [4.0, 4.0]);
        assert_eq!(attention(&inputs, &[1, 2, 1, 1]), [3.0, 4.0]);
        // Two heads of one token see only themselves.
        assert_eq!(attention(&inputs, &[2, 1, 1, 0]), [3.0, 5.0]);
        assert!(attention(&inputs, &[2, 2, 1, 0])[0].is_nan());
    }
}
