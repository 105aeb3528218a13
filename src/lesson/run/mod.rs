//! Run cells at chosen sizes: the plan that an engine takes, what came back held against what the cell says it
//! should be, what is recorded of it, and how two texts of a kernel differ in what they count.

mod result;

mod plan;

mod verdict;

mod recorded;

mod sample;

mod difference;

mod test_sizes;

pub use difference::{Difference, TextCounts, difference, small_sizes};
pub use plan::PlanError;
pub use result::{CLEAN, CellResult, FormulaResult, Verdict};
pub use sample::{Sample, SampledLaunch};
