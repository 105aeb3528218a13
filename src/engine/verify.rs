//! An output held against its reference.

use serde::Serialize;

use super::Reference;
use crate::launch::{BufferValues, Value};

/// How far an output is from its reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// Name of the buffer.
    pub buffer: String,
    /// What it was held against, for people.
    pub against: String,
    /// Largest difference of any element; infinite if a NaN stands where a number should.
    pub max_abs_error: f64,
    /// Largest difference that passes.
    pub tolerance: f64,
    /// Index of the element with the largest difference.
    pub worst_element: usize,
    /// Whether it passes.
    pub ok: bool,
}

/// Holds `output` against what `reference` computes from `inputs` and `sizes`.
pub fn verify(
    output: &BufferValues,
    reference: &Reference,
    inputs: &[&BufferValues],
    sizes: &[usize],
    tolerance: f64,
) -> Verified {
    let inputs: Vec<Vec<f64>> = inputs
        .iter()
        .map(|input| input.values().map(Value::as_f64).collect())
        .collect();
    let expected = (reference.compute)(&inputs, sizes);
    let errors = expected.iter().enumerate().map(|(i, &expected)| {
        let found = output.get(i).map_or(f64::NAN, Value::as_f64);
        let same = found == expected || (found.is_nan() && expected.is_nan());
        let error = (found - expected).abs();
        (
            i,
            if same {
                0.0
            } else if error.is_nan() {
                f64::INFINITY
            } else {
                error
            },
        )
    });
    let (worst_element, max_abs_error) =
        errors.fold(
            (0, 0.0),
            |worst, error| if error.1 > worst.1 { error } else { worst },
        );
    Verified {
        buffer: output.name.clone(),
        against: reference.description.to_owned(),
        max_abs_error,
        tolerance,
        worst_element,
        ok: max_abs_error <= tolerance && output.len() == expected.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reference;
    use crate::launch::ElementType;

    fn buffer(values: &[f32]) -> BufferValues {
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        BufferValues {
            name: "y".to_owned(),
            element: ElementType::F32,
            bytes,
        }
    }

    #[test]
    fn the_worst_element_decides_and_nan_never_passes() {
        let softmax = reference("softmax_rows").expect("is in the table");
        let input = buffer(&[1.0, 1.0]);
        let verified = |output| verify(&buffer(output), softmax, &[&input], &[1, 2], 1e-6);
        assert!(verified(&[0.5, 0.5]).ok);
        let wrong = verified(&[0.5, 0.75]);
        assert_eq!(
            (wrong.ok, wrong.worst_element, wrong.max_abs_error),
            (false, 1, 0.25)
        );
        assert!(!verified(&[f32::NAN, 0.5]).ok);
        assert!(!verified(&[0.5]).ok);
    }
}
