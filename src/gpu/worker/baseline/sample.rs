//! Elements of a baseline's result, computed on the host in double precision.

use crate::launch::{Baseline, BufferValues, ElementType, Operation, Value};

/// Elements that are computed, where there are as many.
const ELEMENTS: usize = 64;
/// Most multiplications that they may take together.
const MULTIPLICATIONS: usize = 1 << 28;

/// An element of the result.
struct ExpectedElement {
    at: usize,
    value: f64,
    /// How far from it rounding may lead.
    tolerance: f64,
}

/// Elements spread over a result, with what they should be.
pub(crate) struct Sample {
    elements: Vec<ExpectedElement>,
    columns: usize,
}

impl Sample {
    /// Of the result of `baseline` on `inputs`.
    pub fn of(baseline: &Baseline, inputs: &[BufferValues]) -> Self {
        let output = baseline.output();
        // Spread evenly from the first to the last: `0, 3, 6, 9` of ten.
        let places = |most: usize| {
            let (last, count) = (output.length() - 1, output.length().min(most.max(1)));
            (0..count).map(move |i| last * i / (count - 1).max(1))
        };
        let columns = output.columns;
        let elements = match baseline.operation {
            Operation::Softmax => softmax(&inputs[0], columns, places(ELEMENTS)),
            Operation::Sgemm | Operation::Bf16 => {
                let depth = baseline.inputs()[0].columns;
                // An element takes as many multiplications as a row is long.
                let most = ELEMENTS.min(MULTIPLICATIONS / depth);
                let expected = |at| {
                    let value = product(inputs, depth, columns, at);
                    ExpectedElement {
                        at,
                        value,
                        tolerance: tolerance(output.element, depth, value),
                    }
                };
                places(most).map(expected).collect()
            }
            // Python checks what it runs.
            _ => Vec::new(),
        };
        Sample { elements, columns }
    }

    /// The largest error in `output`; where rounding does not explain an element, what is wrong with it.
    pub fn largest_error(&self, output: &BufferValues) -> Result<f64, String> {
        let mut largest = 0.0_f64;
        for expected in &self.elements {
            let found = output.get(expected.at).map_or(f64::NAN, Value::as_f64);
            let error = (found - expected.value).abs();
            // What is no number is within nothing.
            if !matches!(error.partial_cmp(&expected.tolerance), Some(order) if order.is_le()) {
                let (row, column) = (expected.at / self.columns, expected.at % self.columns);
                return Err(format!(
                    "its result is wrong, so its time says nothing: {found:e} in row {row}, column {column}, where {:e} is right",
                    expected.value
                ));
            }
            largest = largest.max(error);
        }
        Ok(largest)
    }
}

/// Rounded to `f32` once for each of `depth` products, which add up like a random walk at best and in
/// one direction at worst; in between is what libraries reach, and well below what TF32 gives. The result
/// may be rounded to `bf16` behind that.
fn tolerance(element: ElementType, depth: usize, value: f64) -> f64 {
    let sums = 1e-5 + 1e-6 * depth as f64;
    match element {
        ElementType::Bf16 => sums + value.abs() / 256.0,
        _ => sums,
    }
}

/// Element `at` of the product of a matrix with `depth` columns and one with `columns`.
fn product(inputs: &[BufferValues], depth: usize, columns: usize, at: usize) -> f64 {
    let (row, column) = (at / columns, at % columns);
    let value = |input: usize, at: usize| inputs[input].get(at).map_or(f64::NAN, Value::as_f64);
    (0..depth)
        .map(|i| value(0, row * depth + i) * value(1, i * columns + column))
        .sum()
}

fn softmax(
    x: &BufferValues,
    columns: usize,
    places: impl Iterator<Item = usize>,
) -> Vec<ExpectedElement> {
    let value = |at: usize| x.get(at).map_or(f64::NAN, Value::as_f64);
    /// The sums of a row: they are computed once for all of its elements, since places come in order.
    struct Row {
        index: usize,
        maximum: f64,
        sum: f64,
    }
    let mut latest: Option<Row> = None;
    let mut elements = Vec::new();
    for at in places {
        let index = at / columns;
        let row = latest.take().filter(|row| row.index == index);
        let row = row.unwrap_or_else(|| {
            let values = || (index * columns..(index + 1) * columns).map(value);
            let maximum = values().fold(f64::NEG_INFINITY, f64::max);
            Row {
                index,
                maximum,
                sum: values().map(|x| (x - maximum).exp()).sum(),
            }
        });
        let expected = (value(at) - row.maximum).exp() / row.sum;
        elements.push(ExpectedElement {
            at,
            value: expected,
            tolerance: 1e-4 * expected + 1e-9,
        });
        latest = Some(row);
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> BufferValues {
        BufferValues {
            name: String::new(),
            element: ElementType::F32,
            bytes: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        }
    }

    #[test]
    fn a_product_is_right_only_row_by_row() {
        let baseline = Baseline::parse("sgemm:2x3x2").expect("parses");
        let inputs = [f32s(&[1., 2., 3., 4.]), f32s(&[1., 0., 2., 5., 1., 0.])];
        let sample = Sample::of(&baseline, &inputs);
        let right = [11.0, 2.0, 2.0, 23.0, 4.0, 6.0];
        assert_eq!(sample.largest_error(&f32s(&right)), Ok(0.0));
        let near = right.map(|value| value + 4e-6);
        assert!(
            sample
                .largest_error(&f32s(&near))
                .is_ok_and(|error| error > 1e-6)
        );
        let transposed = [11.0, 23.0, 2.0, 4.0, 2.0, 6.0];
        let error = sample
            .largest_error(&f32s(&transposed))
            .expect_err("is wrong");
        assert!(
            error.contains("2.3e1 in row 0, column 1, where 2e0 is right"),
            "{error}"
        );
        let unwritten = sample.largest_error(&f32s(&[f32::NAN; 6]));
        assert!(unwritten.is_err());
    }

    #[test]
    fn a_softmax_is_right_only_along_rows() {
        let baseline = Baseline::parse("softmax:2x2").expect("parses");
        let sample = Sample::of(&baseline, &[f32s(&[0.0, 0.0, 0.0, 3_f32.ln()])]);
        let right = f32s(&[0.5, 0.5, 0.25, 0.75]);
        assert!(sample.largest_error(&right).is_ok_and(|error| error < 1e-7));
        let down = f32s(&[0.5, 0.25, 0.5, 0.75]);
        assert!(sample.largest_error(&down).is_err());
    }

    #[test]
    fn a_sample_reaches_from_the_first_to_the_last_element() {
        let baseline = Baseline::parse("softmax:100x100").expect("parses");
        let sample = Sample::of(&baseline, &[f32s(&[0.0; 10_000])]);
        let at: Vec<usize> = sample.elements.iter().map(|element| element.at).collect();
        assert_eq!((at.len(), at[0], at[63]), (ELEMENTS, 0, 9_999));
        assert!((sample.elements[5].value - 0.01).abs() < 1e-15);
    }
}
