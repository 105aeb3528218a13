//! Facts about NVIDIA's GPUs: a table of devices, the limits of each compute capability, and what
//! follows from them alone.
//!
//! All figures stand in `assets/gpus.toml`, each with its source; nothing here states one of its
//! own. Nothing here knows kernels or launches: threads, registers and bytes go in.

mod table;

mod figures;

mod occupancy;

mod published;

pub use figures::{FIGURES, Figure, FigureValue, cited, counted, grouped, percent};
pub use occupancy::{Limit, Occupancy, occupancy, occupancy_text};
pub use published::{PublishedCell, published, published_in};
pub use table::{
    ComputeCapability, DEFAULT_GPU, Gpu, Published, UnknownGpu, Verdict, compute_capabilities,
    compute_capability, described_gpu, gpu, gpu_ids, gpu_or_usual, gpu_title,
};
