//! Layouts against what Triton 3.6 wrote for kernels of ours.

mod blocked;

mod linear;
