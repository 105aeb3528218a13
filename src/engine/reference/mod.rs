//! What kernels should compute: plain double-precision functions on the host.
//!
//! Inputs are the values that the run's buffers begin with, rounded to their types; nothing else is rounded.

mod extent;

mod alone;

mod elements;

mod rows;

mod matrices;

mod rotary;

mod attention;

pub use alone::RowsAlone;

type Compute = fn(&[Vec<f64>], &[usize]) -> Vec<f64>;

/// A function that computes what an output buffer should hold; one element that is not a number where its
/// inputs are smaller than its sizes say.
pub struct Reference {
    /// Its name in lessons.
    pub name: &'static str,
    /// What it computes, for people.
    pub description: &'static str,
    /// How many buffers it reads.
    pub inputs: usize,
    /// How many sizes it takes.
    pub sizes: usize,
    /// Inputs and sizes to the output.
    pub compute: Compute,
    /// Its rows one by one, of what takes long.
    pub rows: Option<RowsAlone>,
}

const fn row(
    name: &'static str,
    description: &'static str,
    inputs: usize,
    sizes: usize,
    compute: Compute,
) -> Reference {
    Reference {
        name,
        description,
        inputs,
        sizes,
        compute,
        rows: None,
    }
}

/// The same of an output whose rows can be computed alone.
const fn by_rows(reference: Reference, rows: RowsAlone) -> Reference {
    Reference {
        rows: Some(rows),
        ..reference
    }
}

/// Every reference. The sizes that each takes stand at its function.
#[rustfmt::skip]
static REFERENCES: &[Reference] = &[
    row("add", "the sum of two vectors, in double precision on the host", 2, 1, elements::add),
    row("copy", "the input itself", 1, 1, elements::copy),
    row("copy_strided", "elements of the input at a stride", 1, 3, elements::copy_strided),
    row("gather", "elements of the input in the order of the indices", 2, 1, elements::gather),
    row("reverse_groups", "each group of the input from its end", 1, 2, elements::reverse_groups),
    row("relu", "the larger of each element and zero", 1, 1, elements::relu),
    row("gelu", "GeLU by the tanh formula, in double precision on the host", 1, 1, elements::gelu),
    row("softmax_rows", "softmax of each row, in double precision on the host", 1, 2, rows::softmax),
    row("log_softmax_rows", "logarithm of the softmax of each row, in double precision on the host", 1, 2, rows::log_softmax),
    row("row_sums", "the sum of each row, in double precision on the host", 1, 2, rows::sums),
    row("column_sums", "the sum of each column, in double precision on the host", 1, 2, rows::column_sums),
    row("row_maxima", "the largest of each row", 1, 2, rows::maxima),
    row("transpose", "the transpose of the input", 1, 2, matrices::transpose),
    by_rows(row("matmul", "the product of two matrices, in double precision on the host", 2, 3, matrices::matmul), matrices::ROWS),
    row("matmul_relu", "the product of two matrices, negative elements zero, in double precision on the host", 2, 3, matrices::matmul_relu),
    by_rows(row("attention", "attention of each head, in double precision on the host", 3, 4, attention::attention), attention::ROWS),
    row("rope_halves", "rotary embedding of the halves of each head, in double precision on the host", 3, 3, rotary::halves),
    row("rope_pairs", "rotary embedding of neighbouring pairs, in double precision on the host", 3, 3, rotary::pairs),
    row("rope_halves_backward", "the gradient of the rotary embedding of halves, in double precision on the host", 3, 3, rotary::halves_backward),
];

/// The reference called `name`.
pub fn reference(name: &str) -> Option<&'static Reference> {
    REFERENCES.iter().find(|reference| reference.name == name)
}

/// All names, for messages.
pub fn reference_names() -> impl Iterator<Item = &'static str> {
    REFERENCES.iter().map(|reference| reference.name)
}
