//! Libraries of numeric functions that programs call from the host: computed by the host, over the memory of the GPU.

mod elements;
pub(super) mod cublas;
pub(super) mod cublas_service;
pub(super) mod cufft;
