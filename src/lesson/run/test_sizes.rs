//! The sizes at which a lesson has to hold: its own, and awkward ones.

use crate::lesson::outline::Lesson;
use crate::lesson::sizes::{Size, Sizes};

/// Numbers that blocks, warps and tiles do not divide: below, at and beyond a warp, and primes.
const AWKWARD: [u64; 5] = [31, 33, 1, 101, 257];

impl Lesson {
    /// Sizes to try it at, none twice: the defaults, the least of each, and then as many as it takes for
    /// every awkward number to stand for every size once, and for every listed value to be chosen once.
    pub fn test_sizes(&self) -> Vec<Sizes> {
        let longest = self.sizes.iter().map(|size| size.values.len()).max();
        // In each round every size takes another value, so that two sizes need no more rounds than one.
        let rounds = longest.unwrap_or(0).max(AWKWARD.len());
        let of = |value: &dyn Fn(usize, &Size) -> u64| {
            let mut sizes = Sizes::new();
            for (at, size) in self.sizes.iter().enumerate() {
                size.set(&mut sizes, value(at, size));
            }
            sizes
        };
        let mut all = vec![of(&|_, size| size.default), of(&|_, size| size.min)];
        all.extend((0..rounds).map(|round| of(&|at, size| size.awkward(at, round))));
        let mut trials: Vec<Sizes> = Vec::new();
        for sizes in all {
            if !trials.contains(&sizes) {
                trials.push(sizes);
            }
        }
        trials
    }
}

impl Size {
    /// Its value in round `round`, being the size number `at`: no two sizes begin with the same number.
    fn awkward(&self, at: usize, round: usize) -> u64 {
        if !self.values.is_empty() {
            return self.values[round % self.values.len()];
        }
        let value = AWKWARD[(at + round) % AWKWARD.len()];
        let beyond = if value < self.min {
            self.min + value
        } else {
            value
        };
        beyond.min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load;

    #[test]
    fn every_listed_value_and_every_awkward_number_is_tried() {
        let mut lesson = load("softmax").expect("reads");
        lesson
            .sizes
            .retain(|size| ["M", "N"].contains(&size.name.as_str()));
        let values: Vec<u64> = (4..11).map(|power| 1 << power).collect();
        lesson.sizes.push(Size {
            name: "B".to_owned(),
            label: "threads".to_owned(),
            default: 64,
            min: 16,
            max: 1024,
            values: values.clone(),
        });
        let trials = lesson.test_sizes();
        let tried = |name: &str| -> Vec<u64> {
            let size = lesson.sizes.iter().find(|size| size.name == name);
            let size = size.expect("is there");
            trials.iter().map(|sizes| size.of(sizes)).collect()
        };
        assert!(values.iter().all(|value| tried("B").contains(value)));
        for size in ["M", "N"] {
            assert!(AWKWARD.iter().all(|value| tried(size).contains(value)));
        }
        let square = trials.iter().filter(|sizes| sizes["M"] == sizes["N"]);
        assert_eq!(square.count(), 1, "only the least: {trials:?}");
        assert_eq!(trials[0], lesson.sizes_with(&[]).expect("are in range"));
    }

    #[test]
    fn what_is_too_small_for_a_size_is_moved_into_its_range() {
        let size = Size {
            name: "K".to_owned(),
            label: "columns".to_owned(),
            default: 128,
            min: 64,
            max: 128,
            values: Vec::new(),
        };
        let tried: Vec<u64> = (0..5).map(|round| size.awkward(0, round)).collect();
        assert_eq!(tried, [95, 97, 65, 101, 128]);
    }
}
