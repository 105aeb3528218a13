//! How far two results of the same kernel are from each other.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::launch::BufferValues;

/// A buffer of the simulated GPU beside that of a real one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The buffer.
    pub name: String,
    /// Its elements.
    pub elements: u64,
    /// Those with the same bits on both sides, and those that are no number on both.
    pub equal: u64,
    /// The largest distance of two floats, in steps from one float of the type to the next; nothing for
    /// integers, and where one is no number and the other is.
    pub most_ulp: Option<u64>,
    /// The largest difference of two numbers.
    pub max_abs_difference: f64,
    /// The first element that differs.
    pub first_difference: Option<u64>,
}

/// Elements that are compared at once.
const CHUNK: usize = 1 << 16;

impl Agreement {
    /// Of two buffers of one name, type and length.
    pub fn of(simulated: &BufferValues, real: &BufferValues) -> Self {
        let chunk_bytes = CHUNK * simulated.element.size_bytes();
        let pairs = simulated.bytes.par_chunks(chunk_bytes);
        let pairs = pairs.zip(real.bytes.par_chunks(chunk_bytes)).enumerate();
        let chunks = pairs.map(|(chunk, (ours, theirs))| {
            let elements = chunk * CHUNK..simulated.len().min((chunk + 1) * CHUNK);
            let mut agreement = Agreement::none(simulated);
            match ours == theirs {
                true => agreement.equal = elements.len() as u64,
                false => elements.for_each(|i| agreement.add(i, simulated, real)),
            }
            agreement
        });
        chunks.reduce(|| Agreement::none(simulated), Agreement::and)
    }

    /// Of no element of `buffer`, yet.
    fn none(buffer: &BufferValues) -> Self {
        Agreement {
            name: buffer.name.clone(),
            elements: buffer.len() as u64,
            equal: 0,
            most_ulp: buffer.element.is_float().then_some(0),
            max_abs_difference: 0.0,
            first_difference: None,
        }
    }

    fn add(&mut self, i: usize, simulated: &BufferValues, real: &BufferValues) {
        let element = simulated.element;
        let (Some(ours), Some(theirs)) = (simulated.get(i), real.get(i)) else {
            return;
        };
        let (our_bits, their_bits) = (element.bits(ours), element.bits(theirs));
        let (ours, theirs) = (ours.as_f64(), theirs.as_f64());
        if our_bits == their_bits || ours.is_nan() && theirs.is_nan() {
            self.equal += 1;
            return;
        }
        let ulp = element.ulps_apart(our_bits, their_bits);
        self.most_ulp = self.most_ulp.zip(ulp).map(|(a, b)| a.max(b));
        let difference = (ours - theirs).abs();
        self.max_abs_difference = self.max_abs_difference.max(difference);
        self.first_difference.get_or_insert(i as u64);
    }

    /// Of these elements and of others behind them.
    fn and(self, behind: Self) -> Self {
        Agreement {
            equal: self.equal + behind.equal,
            most_ulp: self.most_ulp.zip(behind.most_ulp).map(|(a, b)| a.max(b)),
            max_abs_difference: self.max_abs_difference.max(behind.max_abs_difference),
            first_difference: self.first_difference.or(behind.first_difference),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;

    fn buffer(values: &[f32]) -> BufferValues {
        BufferValues {
            name: "y".to_owned(),
            element: ElementType::F32,
            bytes: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        }
    }

    #[test]
    fn floats_are_apart_by_the_floats_between_them() {
        let next = f32::from_bits(1.0_f32.to_bits() + 3);
        let ours = buffer(&[1.0, 2.0, f32::NAN, 0.0]);
        let theirs = buffer(&[next, 2.0, f32::NAN, -0.0]);
        let found = Agreement::of(&ours, &theirs);
        assert_eq!((found.elements, found.equal), (4, 2));
        assert_eq!((found.most_ulp, found.first_difference), (Some(3), Some(0)));
        assert_eq!(found.max_abs_difference, f64::from(next) - 1.0);
    }

    #[test]
    fn what_is_found_far_behind_is_counted_from_the_beginning() {
        let ours = vec![1.0_f32; 3 * CHUNK + 5];
        let mut theirs = ours.clone();
        theirs[CHUNK + 1] = f32::from_bits(1.0_f32.to_bits() + 2);
        theirs[3 * CHUNK + 4] = f32::from_bits(1.0_f32.to_bits() + 1);
        let found = Agreement::of(&buffer(&ours), &buffer(&theirs));
        assert_eq!(found.elements, ours.len() as u64);
        assert_eq!(found.equal, found.elements - 2);
        assert_eq!(
            (found.most_ulp, found.first_difference),
            (Some(2), Some(CHUNK as u64 + 1))
        );
    }

    #[test]
    fn a_number_beside_none_has_no_distance() {
        let found = Agreement::of(&buffer(&[1.0, 2.0]), &buffer(&[f32::NAN, 2.0]));
        assert_eq!((found.equal, found.most_ulp), (1, None));
        assert_eq!(found.first_difference, Some(0));
    }
}
