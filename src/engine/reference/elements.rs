//! Vectors, element by element.

use rayon::prelude::*;

/// `a[i] + b[i]`. Sizes: elements.
pub(super) fn add(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let pairs = inputs[0].par_iter().zip(&inputs[1]);
    pairs.map(|(a, b)| a + b).take(sizes[0]).collect()
}

/// `x[i]`. Sizes: elements.
pub(super) fn copy(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    inputs[0].iter().copied().take(sizes[0]).collect()
}

/// `x[offset + i * stride]`, nothing past its end. Sizes: elements, stride, offset.
pub(super) fn copy_strided(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let from = inputs[0].iter().copied().skip(sizes[2]);
    from.step_by(sizes[1].max(1)).take(sizes[0]).collect()
}

/// `x[index[i]]`; not a number where there is no such element. Sizes: elements.
pub(super) fn gather(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let at = |&index: &f64| {
        let is_one = index >= 0.0;
        let element = is_one.then(|| inputs[0].get(index as usize)).flatten();
        element.copied().unwrap_or(f64::NAN)
    };
    inputs[1].par_iter().take(sizes[0]).map(at).collect()
}

/// Groups of neighbours, each from its end; the last may be shorter. Sizes: elements, elements of a group.
pub(super) fn reverse_groups(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let all = &inputs[0][..sizes[0].min(inputs[0].len())];
    let groups = all.chunks(sizes[1].max(1));
    groups
        .flat_map(|group| group.iter().rev().copied())
        .collect()
}

/// `max(x[i], 0)`. Sizes: elements.
pub(super) fn relu(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let elements = inputs[0].par_iter().take(sizes[0]);
    elements.map(|x| x.max(0.0)).collect()
}

/// `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`, as Hendrycks and Gimpel approximate it. Sizes: elements.
pub(super) fn gelu(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let scale = std::f64::consts::FRAC_2_PI.sqrt();
    let gelu = |x: &f64| 0.5 * x * (1.0 + (scale * (x + 0.044_715 * x * x * x)).tanh());
    inputs[0].par_iter().take(sizes[0]).map(gelu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_from_where_they_should() {
        let x = vec![0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(add(&[x.clone(), x.clone()], &[3]), [0.0, 2.0, 4.0]);
        assert_eq!(
            copy_strided(std::slice::from_ref(&x), &[2, 3, 1]),
            [1.0, 4.0]
        );
        assert_eq!(gather(&[x.clone(), vec![4.0, 0.0]], &[2]), [4.0, 0.0]);
        assert!(gather(&[x.clone(), vec![5.0]], &[1])[0].is_nan());
        assert_eq!(
            reverse_groups(std::slice::from_ref(&x), &[5, 3]),
            [2.0, 1.0, 0.0, 4.0, 3.0]
        );
        assert_eq!(copy(&[x], &[1]), [0.0]);
    }

    #[test]
    fn gelu_is_zero_at_zero_and_the_identity_far_to_the_right() {
        let y = gelu(&[vec![0.0, 10.0, -10.0, 1.0]], &[4]);
        assert_eq!((y[0], y[1], y[2]), (0.0, 10.0, 0.0));
        // What PyTorch's gelu gives with approximate="tanh".
        assert!((y[3] - 0.841_191_990_608_276).abs() < 1e-12, "{}", y[3]);
        assert_eq!(relu(&[vec![-1.0, 2.0]], &[2]), [0.0, 2.0]);
    }
}
