//! Facts about NVIDIA's GPUs: a table of devices, the limits of each compute capability, and what
//! follows from them alone.
//!
//! All figures stand in `assets/gpus.toml`, each with its source; nothing here states one of its
//! own. Nothing here knows kernels or launches: threads, registers and bytes go in.

mod figures;
mod occupancy;
mod published;
mod table;

/// The GPU that is simulated unless another is asked for: an id of the table.
pub const DEFAULT_GPU: &str = "h200";

pub use figures::{FIGURES, Figure, FigureValue, cited, grouped, percent};
pub use occupancy::{Limit, Occupancy, occupancy, occupancy_text};
pub use published::{Published, PublishedCell, Verdict, published, published_in};
pub use table::{
    ComputeCapability, Gpu, UnknownGpu, compute_capabilities, compute_capability, described_gpu,
    gpu, gpu_ids, gpu_or_usual,
};
