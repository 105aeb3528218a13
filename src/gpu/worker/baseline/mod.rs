//! Baselines: an operation of cuBLAS or cuDNN, checked against a sample computed on the host, and timed
//! as launches are.

mod operations;
mod sample;
mod measure;

pub(crate) use measure::{Bench, Libraries};
