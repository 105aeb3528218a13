//! A buffer in numbers.

use crate::launch::{BufferValues, Value};
use crate::session::Summary;

/// Least, most and mean of the numbers in `buffer`; what is no number is counted.
pub(super) fn summary(buffer: &BufferValues) -> Summary {
    let mut summary = Summary {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        mean: 0.0,
        nan: 0,
    };
    let mut sum = 0.0;
    for value in buffer.values().map(Value::as_f64) {
        if value.is_nan() {
            summary.nan += 1;
            continue;
        }
        summary.min = summary.min.min(value);
        summary.max = summary.max.max(value);
        sum += value;
    }
    let numbers = buffer.len() - summary.nan;
    if numbers == 0 {
        (summary.min, summary.max) = (f64::NAN, f64::NAN);
    }
    summary.mean = sum / numbers as f64;
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;

    fn summary_of(values: &[f32]) -> Summary {
        summary(&BufferValues {
            name: "x".to_owned(),
            element: ElementType::F32,
            bytes: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        })
    }

    #[test]
    fn a_summary_counts_nan_and_leaves_it_out() {
        let found = summary_of(&[1.0, f32::NAN, -3.0]);
        let wanted = Summary {
            min: -3.0,
            max: 1.0,
            mean: -1.0,
            nan: 1,
        };
        assert_eq!(found, wanted);
        assert!(summary_of(&[f32::NAN]).min.is_nan());
    }
}
