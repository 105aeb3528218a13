//! How far two results of the same kernel are from each other.

use serde::Serialize;

use super::{BufferValues, ElementType, Value};

/// A buffer of the simulated GPU beside that of a real one.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
            if is_same(element, ours, theirs) {
                agreement.equal += 1;
                continue;
            }
            let ulp = ulp_distance(element, ours, theirs);
            agreement.most_ulp = agreement.most_ulp.zip(ulp).map(|(a, b)| a.max(b));
            let difference = (ours.as_f64() - theirs.as_f64()).abs();
            agreement.max_abs_difference = agreement.max_abs_difference.max(difference);
            agreement.first_difference.get_or_insert(i as u64);
        }
        agreement
    }
}

fn is_same(element: ElementType, a: Value, b: Value) -> bool {
    let is_nan = |value: Value| value.as_f64().is_nan();
    element.bits(a) == element.bits(b) || is_nan(a) && is_nan(b)
}

/// Floats of the type between two of them; nothing if one is no number, and for integers.
pub fn ulp_distance(element: ElementType, a: Value, b: Value) -> Option<u64> {
    if !element.is_float() || a.as_f64().is_nan() || b.as_f64().is_nan() {
        return None;
    }
    Some(ordered(element, a).abs_diff(ordered(element, b)))
}

/// The bits of a float as an integer that grows with it.
fn ordered(element: ElementType, value: Value) -> i64 {
    let bits = element.bits(value);
    let sign = 1_u64 << (8 * element.size_bytes() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    if bits & sign == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn across_zero_the_distance_is_that_of_both_to_zero() {
        let tiny = f64::from(f32::from_bits(2));
        let distance = |a, b| ulp_distance(ElementType::F32, Value::Float(a), Value::Float(b));
        assert_eq!(distance(tiny, -tiny), Some(4));
        assert_eq!(distance(f64::NAN, 1.0), None);
    }

    #[test]
    fn a_number_beside_none_has_no_distance() {
        let found = Agreement::of(&buffer(&[1.0, 2.0]), &buffer(&[f32::NAN, 2.0]));
        assert_eq!((found.equal, found.most_ulp), (1, None));
        assert_eq!(found.first_difference, Some(0));
    }
}
