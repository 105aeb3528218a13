//! What the kernels compute, as loops that a Rust programmer would write without further thought.

/// `c = a * b`, row by row of `b`, so that the inner loop goes over neighbours.
pub fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    c.fill(0.0);
    for (row, sums) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        for (&left, right) in row.iter().zip(b.chunks_exact(n)) {
            for (sum, &right) in sums.iter_mut().zip(right) {
                *sum += left * right;
            }
        }
    }
}

/// Softmax of each row of `columns` elements.
pub fn softmax(x: &[f32], y: &mut [f32], columns: usize) {
    for (x, y) in x.chunks_exact(columns).zip(y.chunks_exact_mut(columns)) {
        let maximum = x.iter().copied().fold(f32::MIN, f32::max);
        let mut sum = 0.0;
        for (y, &x) in y.iter_mut().zip(x) {
            *y = (x - maximum).exp();
            sum += *y;
        }
        for y in y {
            *y /= sum;
        }
    }
}

/// `c = a + b`.
pub fn add(a: &[f32], b: &[f32], c: &mut [f32]) {
    for ((c, &a), &b) in c.iter_mut().zip(a).zip(b) {
        *c = a + b;
    }
}

/// How many values, from 0 to 1, fall into each bin.
pub fn histogram(x: &[f32], bins: &mut [u32; 256]) {
    for &x in x {
        bins[(x * 256.0) as usize % 256] += 1;
    }
}
