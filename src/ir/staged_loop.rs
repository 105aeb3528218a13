//! Loops whose lanes go through their iterations in stages, as `nvcc` unrolls loops of which it does not know how often
//! they run.

use std::ops::Range;

use super::instruction::Register;
use crate::source::Span;

/// A loop in stages: so many iterations at a time, then fewer. Lanes wait for each other behind each stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedLoop {
    /// Its code. At its first instruction, which runs once, each lane knows how many iterations it has.
    pub code: Range<u32>,
    /// The register that says how many.
    pub iterations: Register,
    /// The stages as bytes, the first the lowest: which of the bits of the iterations that are left stay, with the
    /// sign for all above. Behind the last, none are left.
    pub stages: u32,
    /// Iterations that are done together at least.
    pub factor: u32,
    /// Its place in the source: the test.
    pub span: Span,
}

impl StagedLoop {
    /// How often a warp goes through the body whose lanes have so many iterations.
    pub fn passes(&self, iterations: &[u32]) -> u64 {
        let mut left = iterations.to_vec();
        let mut stages = self.stages;
        let mut passes = 0;
        while left.iter().any(|&left| left > 0) {
            let mask = stages as u8 as i8 as u32;
            let longest = left.iter().map(|left| left - (left & mask)).max();
            passes += u64::from(longest.unwrap_or(0));
            left.iter_mut().for_each(|left| *left &= mask);
            stages >>= 8;
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A remainder of 4 one by one, then 16, 8 and 4 at a time.
    fn by_sixteen() -> StagedLoop {
        StagedLoop {
            code: 0..1,
            iterations: 0,
            stages: 0x07_0f_fc,
            factor: 4,
            span: Span::default(),
        }
    }

    #[test]
    fn lanes_at_different_stages_go_apart() {
        let of = |lanes: &[u32]| by_sixteen().passes(lanes);
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[0, 0]), 0);
        assert_eq!(of(&[31, 31]), 31);
        // 3 + 8 + 4 of one lane, 16 of the other.
        assert_eq!(of(&[15, 16]), 31);
        assert_eq!(of(&[12, 16]), 28);
        // Both do one, then both four.
        assert_eq!(of(&[5, 5, 1]), 5);
        assert_eq!(of(&[u32::MAX]), u64::from(u32::MAX));
    }
}
