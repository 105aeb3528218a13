//! The compiler and the simulated GPU, from outside: kernels that must be read or refused, what they compute,
//! count and print, and what is shown of them step by step.

mod checks;
mod corpora;
mod counters;
mod differential;
mod execution;
mod frontend;
mod headers;
mod invariants;
mod levels;
mod stepping;
mod symbols;
mod tensor_cores;
mod traces;
