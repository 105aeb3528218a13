//! What is known of the elements of a value along each side.

/// What is known of a value: one entry for each side, one for a number.
///
/// After `AxisInfo` of Triton's `include/triton/Analysis/AxisInfo.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many elements in a row each are one more than the one before.
    pub contiguity: Vec<i64>,
    /// A power of two that divides the first of each such row; of pointers, in bytes.
    pub divisibility: Vec<i64>,
    /// How many elements in a row are equal.
    pub constancy: Vec<i64>,
    /// What every element is.
    pub constant: Option<i128>,
}

/// A power of two that divides zero, and all others.
pub const MOST: i64 = 1 << 62;

/// The greatest common divisor; 0 stands for no bound.
pub fn gcd(a: i64, b: i64) -> i64 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        // All are powers of two, or lengths of rows.
        _ => {
            let (mut a, mut b) = (a, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        }
    }
}

/// A product of divisors, as far as it can be told.
pub fn product(a: i64, b: i64) -> i64 {
    a.checked_mul(b)
        .filter(|&product| product <= MOST)
        .unwrap_or(MOST)
}

/// The highest power of two that divides `value`.
pub fn power_of_two(value: i128) -> i64 {
    match value {
        0 => MOST,
        _ => 1 << value.trailing_zeros().min(62),
    }
}

impl Axis {
    /// Of which nothing is known.
    pub fn unknown(rank: usize) -> Self {
        let ones = vec![1; rank.max(1)];
        Axis {
            contiguity: ones.clone(),
            divisibility: ones.clone(),
            constancy: ones,
            constant: None,
        }
    }

    /// A known number in every element of a shape.
    pub fn of_constant(value: Option<i128>, shape: &[u32]) -> Self {
        let rank = shape.len().max(1);
        let sides = shape.iter().map(|&side| i64::from(side));
        Axis {
            contiguity: vec![1; rank],
            divisibility: vec![value.map_or(1, power_of_two); rank],
            constancy: if shape.is_empty() {
                vec![1]
            } else {
                sides.collect()
            },
            constant: value,
        }
    }

    /// Sides that are known of.
    pub fn rank(&self) -> usize {
        self.contiguity.len()
    }

    /// What is known of a value that is either of two.
    pub fn join(&self, other: &Axis) -> Axis {
        let sides = 0..self.rank().min(other.rank());
        let each = |a: &[i64], b: &[i64]| sides.clone().map(|d| gcd(a[d], b[d])).collect();
        Axis {
            contiguity: each(&self.contiguity, &other.contiguity),
            divisibility: sides
                .clone()
                .map(|d| self.joint_divisibility(other, d))
                .collect(),
            constancy: each(&self.constancy, &other.constancy),
            constant: self.constant.filter(|_| self.constant == other.constant),
        }
    }

    /// A row that is cut where that of another ends begins at less even places.
    pub fn joint_divisibility(&self, other: &Axis, d: usize) -> i64 {
        let divisor = gcd(self.divisibility[d], other.divisibility[d]);
        match self.contiguity[d] == other.contiguity[d] {
            true => divisor,
            false => gcd(divisor, gcd(self.contiguity[d], other.contiguity[d])),
        }
    }

    /// Whether a whole side is one row.
    pub fn is_contiguous(&self, shape: &[u32], d: usize) -> bool {
        shape
            .get(d)
            .is_some_and(|&side| self.contiguity[d] == i64::from(side))
    }

    /// Whether a whole side is constant.
    pub fn is_constant(&self, shape: &[u32], d: usize) -> bool {
        shape
            .get(d)
            .is_some_and(|&side| self.constancy[d] == i64::from(side))
    }

    /// The divisor of every element, not only of the first of a row.
    pub fn divisor_of_all(&self, d: usize) -> i64 {
        if self.contiguity[d] > 1 {
            1
        } else {
            self.divisibility[d]
        }
    }
}
