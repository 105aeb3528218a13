//! Vectors of bits, added by exclusive or: what is spanned by others, and what is missing.

/// Vectors of which none is a sum of others, each with the sum of the given vectors that it is.
#[derive(Clone, Debug, Default)]
pub struct Span {
    /// A vector, and which of the given vectors it is the sum of (bit `i` is the `i`-th).
    rows: Vec<(u32, u64)>,
}

impl Span {
    /// What `vectors` span, in their order.
    pub fn of(vectors: impl IntoIterator<Item = u32>) -> Self {
        let mut span = Span::default();
        for (index, vector) in vectors.into_iter().enumerate() {
            span.insert(vector, index);
        }
        span
    }

    /// Adds the `index`-th vector; whether it was no sum of those before.
    pub fn insert(&mut self, vector: u32, index: usize) -> bool {
        let (rest, sum) = self.reduce(vector);
        if rest != 0 {
            // What is left after the rows before it shares no lowest bit with them, so `reduce` goes through the rows
            // once.
            self.rows.push((rest, sum ^ 1 << index));
        }
        rest != 0
    }

    /// What is left of `vector`, and the vectors that were taken away.
    fn reduce(&self, mut vector: u32) -> (u32, u64) {
        let mut sum = 0;
        for &(row, of) in &self.rows {
            // The lowest bit of a row stands in no row behind it.
            if vector & (row & row.wrapping_neg()) != 0 {
                vector ^= row;
                sum ^= of;
            }
        }
        (vector, sum)
    }

    /// Whether no row begins (at its lowest bit) where the unit vector `basis` does.
    pub fn is_free(&self, basis: u32) -> bool {
        self.rows
            .iter()
            .all(|(row, _)| row & row.wrapping_neg() != basis)
    }

    /// Which of the given vectors `vector` is the sum of.
    pub fn solve(&self, vector: u32) -> Option<u64> {
        let (rest, sum) = self.reduce(vector);
        (rest == 0).then_some(sum)
    }
}

/// The exclusive or of those `bases` whose bit in `index` is set.
pub fn sum(bases: &[u32], index: u32) -> u32 {
    let set = bases
        .iter()
        .enumerate()
        .filter(|(bit, _)| index >> bit & 1 == 1);
    set.fold(0, |total, (_, basis)| total ^ basis)
}
