//! Calls of CUDA's own functions, to the nodes of the typed tree.

mod numbers;

mod warp;

mod half;

mod special;

mod print;
