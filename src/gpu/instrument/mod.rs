//! A kernel's text with calls put in that count its accesses, or keep the values of its variables.
//!
//! Our front end says where the text loads, stores and sets what. Text is only put around whole
//! expressions and behind whole statements, so lines stay where they are behind the lines that come
//! first. The result is CUDA C++17 that needs no header and computes what the original does, and our
//! front end reads it too: the same plan runs on both engines, and what its side buffer holds in the
//! end is read by the same functions. What cannot be instrumented is left as it is, and listed.
//!
//! An instrumented kernel needs more registers, and keeps arrays in local memory whose elements are
//! looked at: it is never what is timed, and large blocks may need a limit of registers. A compiler may
//! also join other products and sums in it, so that values can differ from the plain kernel's by
//! rounding.
//!
//! Accesses are those that the text writes, before a compiler joins, moves or drops any:
//! the simulated GPU counts the same with `Fidelity::AsWritten`.

mod walk;
mod wraps;
mod insertion;
mod rewrite;
mod side_buffer;
mod accesses;
mod values;

pub use self::accesses::{Counted, CountedSource};
pub use self::values::{BufferRange, TracedSource};
pub use rewrite::InstrumentError;
pub use side_buffer::InstrumentedPlan;

use crate::launch::KernelSource;

/// `source` with its accesses counted in the kernels called `kernels`, as launches call them.
pub fn instrument_accesses(
    source: &KernelSource,
    kernels: &[&str],
) -> Result<CountedSource, InstrumentError> {
    CountedSource::new(source, kernels)
}

/// `source` with the values kept that the kernels called `kernels` give to variables of threads.
pub fn instrument_values(
    source: &KernelSource,
    kernels: &[&str],
) -> Result<TracedSource, InstrumentError> {
    TracedSource::new(source, kernels)
}
