//! An output held against its reference.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use super::{Reference, RowsAlone};
use crate::launch::{BufferSpec, BufferValues, Init, InitError, ResultCache, Value};

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

impl Verified {
    /// Whether every element has to be equal.
    pub fn is_exact(&self) -> bool {
        self.tolerance == 0.0
    }
}

/// What a reference was computed from: its name, what its inputs hold, and its sizes.
type Asked = (&'static str, Vec<BufferSpec>, Vec<usize>);

/// Most elements of inputs for which results are kept: more than lessons take by default.
const MEMO_ELEMENTS: usize = 2 << 20;
/// What outputs should hold; an edited kernel is held against the same again and again.
static EXPECTED: ResultCache<Asked, Expected> = ResultCache::new(4);
/// Most multiplications for a reference: some seconds of a laptop.
const MOST_MULTIPLICATIONS: u64 = 1 << 34;
/// Rows that are computed of what takes more.
const SAMPLED_ROWS: usize = 64;

/// What an output should hold.
pub enum Expected {
    /// All of it.
    All(Vec<f64>),
    /// Some rows of what would take too long: which, and what stands in them.
    Rows(Vec<(usize, Vec<f64>)>),
}

impl Expected {
    /// How many elements it says something of.
    #[expect(clippy::len_without_is_empty, reason = "an output has elements")]
    pub fn len(&self) -> usize {
        match self {
            Expected::All(all) => all.len(),
            Expected::Rows(rows) => rows.iter().map(|(_, row)| row.len()).sum(),
        }
    }

    /// The `at`-th of them: its place in the output, and what should stand there.
    fn element(&self, at: usize) -> (usize, f64) {
        match self {
            Expected::All(all) => (at, all[at]),
            Expected::Rows(rows) => {
                let columns = rows[0].1.len();
                let (row, values) = &rows[at / columns];
                (row * columns + at % columns, values[at % columns])
            }
        }
    }
}

/// What `reference` computes from what `inputs` begin with, and `sizes`.
///
/// # Errors
/// If an input cannot be filled.
pub fn expected(
    reference: &'static Reference,
    inputs: &[BufferSpec],
    sizes: &[usize],
) -> Result<Arc<Expected>, InitError> {
    let make = || {
        let filled = inputs.iter().map(BufferSpec::fill);
        let filled = filled.map(|input| Ok(input?.floats()));
        let filled: Vec<Vec<f64>> = filled.collect::<Result<_, InitError>>()?;
        let is_long = |rows: &&RowsAlone| (rows.multiplications)(sizes) > MOST_MULTIPLICATIONS;
        Ok(match reference.rows.as_ref().filter(is_long) {
            Some(rows) => Expected::Rows(rows.some(&filled, sizes, SAMPLED_ROWS)),
            None => Expected::All((reference.compute)(&filled, sizes)),
        })
    };
    let elements: usize = inputs.iter().map(|input| input.length).sum();
    // A file may hold something else by now.
    let is_file = |input: &BufferSpec| matches!(input.init, Init::Npy(_));
    if elements > MEMO_ELEMENTS || inputs.iter().any(is_file) {
        return make().map(Arc::new);
    }
    // What fills a buffer stands for its values: the same specification gives the same ones.
    let asked = (reference.name, inputs.to_vec(), sizes.to_vec());
    EXPECTED.get(asked, make)
}

/// Holds `output` against what it should be, `expected`, which `reference` computed.
pub fn verify(
    output: &BufferValues,
    reference: &Reference,
    expected: &Expected,
    tolerance: f64,
) -> Verified {
    let error = |at: usize| {
        let (place, expected) = expected.element(at);
        let found = output.get(place).map_or(f64::NAN, Value::as_f64);
        distance(found, expected)
    };
    let mut verified = worst(expected.len(), error, tolerance);
    let against = match expected {
        Expected::All(all) => {
            // An output that is too short would otherwise agree as far as it goes.
            verified.ok &= output.len() == all.len();
            reference.description.to_owned()
        }
        Expected::Rows(rows) => {
            verified.worst_element = expected.element(verified.worst_element).0;
            format!("{} rows of {}", rows.len(), reference.description)
        }
    };
    Verified {
        buffer: output.name.clone(),
        against,
        ..verified
    }
}

/// An element that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WrongElement {
    /// Its index.
    pub index: usize,
    /// What it should be.
    pub expected: f64,
    /// What it is; nothing past the output's end.
    pub found: Option<f64>,
    /// How many elements are wrong.
    pub count: usize,
}

/// The first element of `output` that is further than `tolerance` from what it should be.
pub fn first_wrong(
    output: &BufferValues,
    expected: &Expected,
    tolerance: f64,
) -> Option<WrongElement> {
    let found = |place: usize| output.get(place).map(Value::as_f64);
    let is_wrong = |&(place, expected): &(usize, f64)| {
        distance(found(place).unwrap_or(f64::NAN), expected) > tolerance
    };
    let elements = (0..expected.len()).map(|at| expected.element(at));
    let wrong = elements.filter(is_wrong);
    let count = wrong.clone().count();
    wrong.clone().next().map(|(index, expected)| WrongElement {
        index,
        expected,
        found: found(index),
        count,
    })
}

/// Holds `output` against `expected`, which has the name of where it came from. Integers are compared as such: 2^53
/// and the one behind it are the same double.
pub fn compare_with(output: &BufferValues, expected: &BufferValues, tolerance: f64) -> Verified {
    let error = |i: usize| match (output.get(i), expected.get(i)) {
        (Some(Value::Integer(found)), Some(Value::Integer(expected))) => {
            // Not as floats: above 2^53 those would call two integers the same.
            found.abs_diff(expected) as f64
        }
        (Some(found), Some(expected)) => distance(found.as_f64(), expected.as_f64()),
        _ => f64::INFINITY,
    };
    let verified = worst(output.len().max(expected.len()), error, tolerance);
    Verified {
        buffer: output.name.clone(),
        against: expected.name.clone(),
        ..verified
    }
}

/// How far two numbers are from each other; two that are none are equal.
fn distance(found: f64, expected: f64) -> f64 {
    // The difference of two infinities, or of two NaNs, is no number.
    let is_same = found == expected || (found.is_nan() && expected.is_nan());
    match (found - expected).abs() {
        _ if is_same => 0.0,
        error if error.is_nan() => f64::INFINITY,
        error => error,
    }
}

/// The largest of the errors of so many elements, held against `tolerance`.
fn worst(elements: usize, error: impl Fn(usize) -> f64 + Sync, tolerance: f64) -> Verified {
    let errors = (0..elements).into_par_iter().map(|i| (i, error(i)));
    // Of equal differences the first, in whatever order threads find them.
    let worse = |a: (usize, f64), b: (usize, f64)| match b.1 > a.1 || b.1 == a.1 && b.0 < a.0 {
        true => b,
        false => a,
    };
    // The identity must lose against every element, also against one without an error.
    let (worst_element, max_abs_error) = errors.reduce(|| (usize::MAX, 0.0), worse);
    let worst_element = match worst_element {
        usize::MAX => 0,
        found => found,
    };
    Verified {
        buffer: String::new(),
        against: String::new(),
        max_abs_error,
        tolerance,
        worst_element,
        ok: max_abs_error <= tolerance,
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
        let input = BufferSpec {
            name: "x".to_owned(),
            element: ElementType::F32,
            length: 2,
            init: Init::One,
        };
        let expected = expected(softmax, &[input], &[1, 2]).expect("fills");
        let verified = |output| verify(&buffer(output), softmax, &expected, 1e-6);
        assert!(verified(&[0.5, 0.5]).ok);
        let wrong = verified(&[0.5, 0.75]);
        assert_eq!(
            (wrong.ok, wrong.worst_element, wrong.max_abs_error),
            (false, 1, 0.25)
        );
        assert!(!verified(&[f32::NAN, 0.5]).ok);
        assert!(!verified(&[0.5]).ok);
    }

    #[test]
    fn of_rows_alone_the_worst_element_is_that_of_the_whole_output() {
        let product = reference("matmul").expect("is in the table");
        let rows = Expected::Rows(vec![(0, vec![1.0, 2.0]), (2, vec![3.0, 4.0])]);
        let verified = |output| verify(&buffer(output), product, &rows, 1e-6);
        // Nobody looks at the row between.
        let right = verified(&[1.0, 2.0, 9.0, 9.0, 3.0, 4.0]);
        assert!(right.ok && right.against.starts_with("2 rows of the product"));
        let wrong = verified(&[1.0, 2.0, 9.0, 9.0, 3.0, 4.5]);
        assert_eq!((wrong.ok, wrong.worst_element), (false, 5));
        assert!(!verified(&[1.0, 2.0]).ok);
    }
}
