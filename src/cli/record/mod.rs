//! `tutor record`: lessons run on the GPU of the machine, and what it measured written down.
//!
//! `provenance` says of which machine and day, `recorder` runs a lesson's cells, `lessons` writes what it keeps. `ptx`
//! needs no GPU: it compiles the lessons' kernels for machines without NVRTC.

mod provenance;
mod recorder;
mod lessons;
mod ptx;

pub(super) use lessons::{RecordArguments, record};
pub(super) use ptx::record_ptx;
