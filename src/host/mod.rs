//! Code of the host: whole CUDA programs, run as one more thread beside the simulated GPU.
//!
//! `device` is the GPU as such code knows it.

mod device;

pub use device::{Device, DeviceFault, KernelFacts, KernelLaunch, LaunchEnd};
