//! Inside the worker process: compile, load, fill, launch, read back, time.
//!
//! `nvrtc` and `device` are NVIDIA's compiler and driver behind safe calls. `failures` puts errors into words,
//! `compile` makes a lesson's file a text that NVRTC takes, `load` brings a job's sources onto the
//! device, `timing` repeats launches between events, `tensor_map` makes what copies in bulk take, `execute` runs a whole job,
//! `program` does what a whole program asks for step by step, `baseline` times cuBLAS and cuDNN. `serve` is the process: it answers requests.

mod nvrtc;
mod device;
mod failures;
mod compile;
mod load;
mod timing;
mod tensor_map;
mod execute;
mod program;
mod baseline;
mod serve;

pub use serve::{serve, serve_file};
