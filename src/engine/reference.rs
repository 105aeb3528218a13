//! What kernels should compute: plain double-precision functions on the host.

/// A function that computes what an output buffer should hold.
pub struct Reference {
    /// Its name in lessons.
    pub name: &'static str,
    /// What it computes, for people.
    pub description: &'static str,
    /// How many buffers it reads.
    pub inputs: usize,
    /// How many sizes it takes.
    pub sizes: usize,
    /// Inputs and sizes to the output.
    pub compute: fn(&[Vec<f64>], &[usize]) -> Vec<f64>,
}

/// Every reference.
const REFERENCES: [Reference; 1] = [Reference {
    name: "softmax_rows",
    description: "softmax of each row, in double precision on the host",
    inputs: 1,
    sizes: 2,
    compute: softmax_rows,
}];

/// The reference called `name`.
pub fn reference(name: &str) -> Option<&'static Reference> {
    REFERENCES.iter().find(|reference| reference.name == name)
}

/// All names, for messages.
pub fn reference_names() -> impl Iterator<Item = &'static str> {
    REFERENCES.iter().map(|reference| reference.name)
}

/// Softmax of each of `sizes[0]` rows of `sizes[1]` columns: `exp(x - max) / sum(exp(x - max))`.
fn softmax_rows(inputs: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let mut output = Vec::with_capacity(inputs[0].len());
    for row in inputs[0].chunks(sizes[1].max(1)).take(sizes[0]) {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let exponentials: Vec<f64> = row.iter().map(|x| (x - max).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        output.extend(exponentials.iter().map(|exponential| exponential / sum));
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_softmax_sum_to_one_and_survive_large_values() {
        let softmax = softmax_rows(&[vec![0.0, 0.0, 1000.0, 1001.0]], &[2, 2]);
        assert_eq!(softmax[..2], [0.5, 0.5]);
        assert!((softmax[2] + softmax[3] - 1.0).abs() < 1e-15 && softmax[3] > softmax[2]);
    }
}
