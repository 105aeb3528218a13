//! What is known of every value before it runs: how many elements in a row follow each other, what divides the first of
//! them, how many are equal. It decides how wide memory is accessed.
//!
//! After `lib/Analysis/AxisInfo.cpp` of <https://github.com/triton-lang/triton>.

mod axis;

mod rules;

mod flow;

mod pipeline;

pub use flow::Axes;
pub use pipeline::Ahead;
