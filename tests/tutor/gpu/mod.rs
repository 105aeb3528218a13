//! The real GPU, with stand-ins for NVIDIA's libraries where there is none: what is found and what fails, what
//! runs beside the simulated GPU, and what is recorded and shipped.

mod baselines;
mod both_engines;
mod profiler;
mod programs;
mod hardware_only;
mod python;
mod recordings;
mod shipped;
pub mod stub;
mod uncompiled;
