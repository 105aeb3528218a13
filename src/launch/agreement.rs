//! How far two results of the same kernel are from each other.

use serde::{Deserialize, Serialize};

use super::BufferValues;

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

impl Agreement {
    /// Of two buffers of one name, type and length.
    pub fn of(simulated: &BufferValues, real: &BufferValues) -> Self {
        let element = simulated.element;
        let mut agreement = Agreement {
            name: simulated.name.clone(),
            elements: simulated.len() as u64,
            equal: 0,
            most_ulp: element.is_float().then_some(0),
            max_abs_difference: 0.0,
            first_difference: None,
        };
        for (i, (ours, theirs)) in simulated.values().zip(real.values()).enumerate() {
            let (our_bits, their_bits) = (element.bits(ours), element.bits(theirs));
            let (ours, theirs) = (ours.as_f64(), theirs.as_f64());
            if our_bits == their_bits || ours.is_nan() && theirs.is_nan() {
                agreement.equal += 1;
                continue;
            }
            let ulp = element.ulps_apart(our_bits, their_bits);
            agreement.most_ulp = agreement.most_ulp.zip(ulp).map(|(a, b)| a.max(b));
            let difference = (ours - theirs).abs();
            agreement.max_abs_difference = agreement.max_abs_difference.max(difference);
            agreement.first_difference.get_or_insert(i as u64);
        }
        agreement
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
    fn a_number_beside_none_has_no_distance() {
        let found = Agreement::of(&buffer(&[1.0, 2.0]), &buffer(&[f32::NAN, 2.0]));
        assert_eq!((found.equal, found.most_ulp), (1, None));
        assert_eq!(found.first_difference, Some(0));
    }
}
