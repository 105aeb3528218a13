//! Triton in: tiles, shapes and layouts of a tile program, and the thread program that Triton would make of it.
//!
//! 1. `python` finds the kernels of a file; `trace` reads one of them, as it is launched, into operations on tiles (`tile`).
//!    `uses` says what its parameters are used as, for who launches a kernel without knowing it.
//! 2. `analysis` says what is known of every value: runs of neighbours, divisors, constant stretches.
//! 3. `layout` says which thread holds which element, and how elements get from one thread to another; `placement`
//!    chooses a layout for each value, as the passes of Triton do.
//! 4. `lower` writes what one thread does, as CUDA C++ whose lines know the lines of the Python that they came from.
//!
//! Nothing here knows the bytecode or the machine.

mod tile;

mod python;

mod assigned;

mod tuned;

mod uses;

mod trace;

mod analysis;

pub mod layout;

mod placement;

mod lower;

mod program;

pub use lower::{PART_OF_ACCESS, PREDICATED, UNCOUNTED};
pub use program::{
    KernelParameter, Options, ThreadProgram, USUAL_STAGES, USUAL_WARPS, first_configuration,
    kernel_parameters, kernel_place, kernels, launched_kernels, signature, thread_program,
    whole_number,
};
pub use trace::{ArgumentFact, Launched};
pub use uses::ParameterUse;
