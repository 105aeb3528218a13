//! What NVIDIA's own libraries do as fast as they can, to be timed beside a plan.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::launch::{Agreement, ElementType, Timing, Work};
use crate::source::nearest;

/// Most elements of one of a baseline's buffers, as of a lesson's.
const MAX_ELEMENTS: u64 = 1 << 30;

/// Operations with their names, their sizes, and what reports call them.
macro_rules! operations {
    ($($(#[$doc:meta])* $Operation:ident = $name:literal $sizes:expr, $title:literal;)*) => {
        /// An operation of one of NVIDIA's libraries or of PyTorch, or what Triton itself makes of a plan's kernels.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Operation {
            $($(#[$doc])* #[serde(rename = $name)] $Operation,)*
        }

        /// Every operation, in the order of its declaration.
        const OPERATIONS: &[Entry] = &[$((Operation::$Operation, $name, $sizes, $title),)*];
    };
}

/// An operation's name, its sizes, and what reports call it.
type Entry = (
    Operation,
    &'static str,
    &'static [&'static str],
    &'static str,
);

const ROWS: &[&str] = &["ROWS", "COLUMNS"];
const PRODUCT: &[&str] = &["M", "N", "K"];
const HEADS: &[&str] = &["HEADS", "TOKENS", "DEPTH"];

operations! {
    /// cuDNN's softmax of each row of a matrix of `f32`. Sizes: rows, columns.
    Softmax = "softmax" ROWS, "cuDNN softmax";
    /// cuBLAS' product of an M × K and a K × N matrix of `f32`, in full single precision. Sizes: M, N, K.
    Sgemm = "sgemm" PRODUCT, "cuBLAS sgemm";
    /// The same of `bf16` matrices with sums in `f32`; the result is `bf16`. Sizes: M, N, K.
    Bf16 = "bf16" PRODUCT, "cuBLAS bf16, fp32 sums";
    /// PyTorch's softmax of each row of a matrix of `f32`. Sizes: rows, columns.
    TorchSoftmax = "torch-softmax" ROWS, "torch.softmax";
    /// The logarithm of it.
    TorchLogSoftmax = "torch-log-softmax" ROWS, "torch.log_softmax";
    /// PyTorch's sum of each row of a matrix of `f32`. Sizes: rows, columns.
    TorchSum = "torch-sum" ROWS, "torch.sum";
    /// PyTorch's sum of two vectors of `f32`. Size: elements.
    TorchAdd = "torch-add" &["ELEMENTS"], "torch.add";
    /// PyTorch's GeLU, by its tanh formula, of a vector of `f32`. Size: elements.
    TorchGelu = "torch-gelu" &["ELEMENTS"], "torch gelu";
    /// PyTorch's `scaled_dot_product_attention` in `bf16`. Sizes: heads, tokens, elements of a head.
    TorchAttention = "torch-attention" HEADS, "torch attention";
    /// The same, where no token sees a later one.
    TorchCausalAttention = "torch-causal-attention" HEADS, "torch causal attention";
    /// The plan's own Triton kernels, compiled by Triton. No sizes: they are the plan's.
    Triton = "triton" &[], "Triton";
}

impl Operation {
    /// The operation called `name` in lessons and on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        let entry = OPERATIONS.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }

    /// All names, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        OPERATIONS.iter().map(|entry| entry.1)
    }

    /// Its name in lessons and on the command line.
    pub fn name(self) -> &'static str {
        OPERATIONS[self as usize].1
    }

    /// What its sizes are, in order.
    pub fn size_names(self) -> &'static [&'static str] {
        OPERATIONS[self as usize].2
    }

    /// Library and function, as in `cuDNN softmax`.
    pub fn title(self) -> &'static str {
        OPERATIONS[self as usize].3
    }

    /// What a figure calls it beside the run cell `cell`: a library does the same for every cell, Triton what the cell's
    /// own kernels say.
    pub fn beside(self, cell: &str) -> String {
        match self {
            Operation::Triton => format!("{cell} by {}", self.title()),
            _ => self.title().to_owned(),
        }
    }

    /// Whether a Python that has PyTorch and Triton runs it, and not a library that is loaded.
    pub fn runs_in_python(self) -> bool {
        !matches!(
            self,
            Operation::Softmax | Operation::Sgemm | Operation::Bf16
        )
    }
}

/// An operation with its sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The operation.
    pub operation: Operation,
    /// As many as [`Operation::size_names`] has; none is zero.
    sizes: Vec<u64>,
}

/// Why something is no baseline.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BaselineError {
    /// It is not written as one.
    #[error("expected OPERATION:SIZExSIZE…, such as softmax:4096x781; {}", forms())]
    Form,
    /// There is no such operation.
    #[error("`{name}` is not a baseline{}; {}", guess(.name), forms())]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// It has another number of sizes.
    #[error("`{}` takes {}, not {found} size{}", .operation.name(), takes(*.operation), if *.found == 1 { "" } else { "s" })]
    Count {
        /// The operation.
        operation: Operation,
        /// Sizes that were given.
        found: usize,
    },
    /// A size is zero.
    #[error("the sizes of `{}` are whole numbers above 0", .0.name())]
    Zero(Operation),
    /// A matrix is too large.
    #[error("a matrix of `{}` would have more than {MAX_ELEMENTS} elements", .0.name())]
    TooLarge(Operation),
}

fn forms() -> String {
    let forms = OPERATIONS.iter().map(|entry| match entry.2 {
        [] => entry.1.to_owned(),
        sizes => format!("{}:{}", entry.1, sizes.join("x")),
    });
    format!("there are {}", forms.collect::<Vec<_>>().join(" "))
}

fn takes(operation: Operation) -> String {
    match operation.size_names() {
        [] => "none".to_owned(),
        names => names.join(" x "),
    }
}

fn guess(name: &str) -> String {
    let guesses = nearest(name, Operation::names());
    let guess = guesses.first();
    guess.map_or_else(String::new, |guess| format!(", perhaps `{guess}`"))
}

/// A matrix that an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Type of its elements.
    pub element: ElementType,
    /// Its rows.
    pub rows: usize,
    /// Elements in a row, which lie one after the other.
    pub columns: usize,
}

impl Matrix {
    /// Its elements.
    pub fn length(&self) -> usize {
        self.rows * self.columns
    }

    /// Its size.
    pub fn size_bytes(&self) -> usize {
        self.length() * self.element.size_bytes()
    }
}

impl Baseline {
    /// `operation` at `sizes`.
    pub fn new(operation: Operation, sizes: &[u64]) -> Result<Self, BaselineError> {
        if sizes.len() != operation.size_names().len() {
            let found = sizes.len();
            return Err(BaselineError::Count { operation, found });
        }
        if sizes.contains(&0) {
            return Err(BaselineError::Zero(operation));
        }
        // Every pair: each matrix of a product has two of the three sizes.
        for (i, a) in sizes.iter().enumerate() {
            let products = sizes[..i].iter().map(|b| a.saturating_mul(*b));
            if products.into_iter().any(|elements| elements > MAX_ELEMENTS) || *a > MAX_ELEMENTS {
                return Err(BaselineError::TooLarge(operation));
            }
        }
        Ok(Baseline {
            operation,
            sizes: sizes.to_vec(),
        })
    }

    /// Reads `softmax:4096x781`.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let (name, sizes) = text.split_once(':').unwrap_or((text, ""));
        let operation = Operation::from_name(name).ok_or_else(|| BaselineError::Unknown {
            name: name.to_owned(),
        })?;
        // Of what has no sizes nothing stands behind the name.
        if text == name && operation.size_names().is_empty() {
            return Self::new(operation, &[]);
        }
        // As people write matrices: `4096x781`.
        let sizes = sizes.split('x').map(|size| size.trim().parse::<u64>());
        let sizes: Result<Vec<u64>, _> = sizes.collect();
        Self::new(operation, &sizes.map_err(|_| BaselineError::Form)?)
    }

    /// Its sizes, in order of [`Operation::size_names`].
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// What a library's operation reads.
    pub fn inputs(&self) -> Vec<Matrix> {
        match self.operation {
            // Of M, N and K: M by K times K by N.
            Operation::Sgemm | Operation::Bf16 => {
                vec![self.matrix(0, 2), self.matrix(2, 1)]
            }
            Operation::Softmax => vec![self.output()],
            // Python makes its own.
            _ => Vec::new(),
        }
    }

    /// What a library's operation writes.
    pub fn output(&self) -> Matrix {
        self.matrix(0, 1)
    }

    /// The matrix whose extents are two of the sizes.
    fn matrix(&self, rows: usize, columns: usize) -> Matrix {
        let element = match self.operation {
            Operation::Bf16 => ElementType::Bf16,
            _ => ElementType::F32,
        };
        let extent = |at: usize| self.sizes.get(at).map_or(0, |&size| size as usize);
        Matrix {
            element,
            rows: extent(rows),
            columns: extent(columns),
        }
    }

    /// What it cannot do without: each element read or written once, and the products' multiplications
    /// and additions, where they are what counts. How many operations a softmax takes, cuDNN does not say.
    fn work(&self) -> Work {
        let product = |sizes: &[u64]| {
            sizes
                .iter()
                .fold(1, |all: u64, &size| all.saturating_mul(size))
        };
        let all = product(&self.sizes);
        let first = self.sizes.first().copied().unwrap_or_default();
        let bytes_and_operations = match self.operation {
            Operation::Sgemm | Operation::Bf16 => {
                let matrices = self.inputs().into_iter().chain([self.output()]);
                let bytes: usize = matrices.map(|matrix| matrix.size_bytes()).sum();
                // A multiplication and an addition for each triple.
                (bytes as u64, all.saturating_mul(2))
            }
            Operation::Softmax | Operation::TorchSoftmax | Operation::TorchLogSoftmax => {
                (8 * all, 0)
            }
            Operation::TorchSum => (4 * (all + first), 0),
            Operation::TorchAdd => (12 * all, 0),
            Operation::TorchGelu => (8 * all, 0),
            // Queries, keys, values and results; a product for the scores and one for the results.
            Operation::TorchAttention => (8 * all, all.saturating_mul(4 * self.sizes[1])),
            // Token t sees t + 1 tokens.
            Operation::TorchCausalAttention => {
                (8 * all, all.saturating_mul(2 * (self.sizes[1] + 1)))
            }
            Operation::Triton => (0, 0),
        };
        Work {
            distinct_bytes: bytes_and_operations.0,
            operations: bytes_and_operations.1,
        }
    }

    /// Times of runs that took `ms`; nothing of none.
    pub fn timing(&self, ms: &[f32], yardsticks: &crate::launch::Yardsticks) -> Option<Timing> {
        let work = self.work();
        let knows_operations = work.operations > 0;
        let mut timing = Timing::measured(ms, work, yardsticks)?;
        // 0 TFLOP/s would read as measured.
        timing.tflop_s = timing.tflop_s.filter(|_| knows_operations);
        Some(timing)
    }
}

/// What came of a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineOutcome {
    /// Library and function, as in `cuDNN softmax`.
    pub name: String,
    /// What was asked for.
    #[serde(flatten)]
    pub baseline: Baseline,
    /// The library's file; a bare name where the loader found it, nothing where it was not found.
    pub library: Option<String>,
    /// The library's version.
    pub version: Option<String>,
    /// Its times, if it ran.
    pub timing: Option<Timing>,
    /// Why there are none.
    pub reason: Option<String>,
    /// The largest error of the elements of its result that were computed on the host as well, in double
    /// precision.
    pub max_abs_error: Option<f64>,
    /// Of Triton, what its kernels left in the plan's buffers beside what ours left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<Agreement>,
}

impl BaselineOutcome {
    /// How many times as long as this `ours` takes, by the medians.
    pub fn slower_by(&self, ours: Option<&Timing>) -> Option<f64> {
        Some(ours?.median_ms / self.timing.as_ref()?.median_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Yardsticks;

    fn yardsticks() -> Yardsticks {
        Yardsticks {
            device: "NVIDIA H200".to_owned(),
            l2: "flushed".to_owned(),
            peak_gb_s: Some(4800.0),
            copy_gb_s: None,
        }
    }

    #[test]
    fn what_is_written_becomes_matrices() {
        let product = Baseline::parse("bf16:2x3x5").expect("parses");
        let extents = |matrix: &Matrix| (matrix.rows, matrix.columns);
        let inputs: Vec<_> = product.inputs().iter().map(extents).collect();
        assert_eq!(inputs, [(2, 5), (5, 3)]);
        let output = product.output();
        assert_eq!(extents(&output), (2, 3));
        assert_eq!(
            (output.element, output.size_bytes()),
            (ElementType::Bf16, 12)
        );
        let softmax = Baseline::parse("softmax:4096x781").expect("parses");
        assert_eq!(softmax.inputs(), [softmax.output()]);
        assert_eq!(softmax.output().length(), 4096 * 781);
    }

    #[test]
    fn what_is_no_baseline_says_what_is_expected() {
        for (text, says) in [
            ("softmax", "expected OPERATION:SIZExSIZE"),
            ("softmax:4096*781", "such as softmax:4096x781"),
            ("sofmax:1x2", "perhaps `softmax`"),
            ("sgemm:1x2", "takes M x N x K, not 2 sizes"),
            ("gemm:1x2x3", "there are softmax:ROWSxCOLUMNS sgemm:MxNxK"),
            ("softmax:0x3", "above 0"),
            ("sgemm:1000000x4096x4096", "more than 1073741824 elements"),
            ("softmax:99999999999x1", "more than 1073741824 elements"),
        ] {
            let message = Baseline::parse(text).expect_err("is refused").to_string();
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    #[test]
    fn rates_are_of_what_cannot_be_avoided() {
        let product = Baseline::parse("sgemm:1000x1000x1000").expect("parses");
        let timing = product.timing(&[1.0], &yardsticks()).expect("one run");
        assert_eq!((timing.tflop_s, timing.gb_s), (Some(2.0), Some(12.0)));
        let softmax = Baseline::parse("softmax:1000x1000").expect("parses");
        let timing = softmax.timing(&[1.0], &yardsticks()).expect("one run");
        assert_eq!((timing.tflop_s, timing.gb_s), (None, Some(8.0)));
        assert_eq!(product.timing(&[], &yardsticks()), None);
    }

    #[test]
    fn what_comes_back_is_what_was_sent() {
        let baseline = Baseline::parse("softmax:4x5").expect("parses");
        let timing = baseline.timing(&[2.0], &yardsticks());
        let outcome = BaselineOutcome {
            name: baseline.operation.title().to_owned(),
            baseline,
            library: None,
            version: Some("9.1.0".to_owned()),
            timing,
            reason: None,
            max_abs_error: Some(1e-9),
            agreement: Vec::new(),
        };
        let text = serde_json::to_string(&outcome).expect("is data");
        assert!(
            text.contains(r#""operation":"softmax","sizes":[4,5]"#),
            "{text}"
        );
        let back: BaselineOutcome = serde_json::from_str(&text).expect("reads");
        assert_eq!(back, outcome);
        let mut ours = outcome.timing.clone();
        ours.iter_mut().for_each(|timing| timing.median_ms = 3.0);
        assert_eq!(outcome.slower_by(ours.as_ref()), Some(1.5));
        assert_eq!(outcome.slower_by(None), None);
    }
}
