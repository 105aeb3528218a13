//! Code of the host: whole CUDA programs, run as one more thread beside the simulated GPU.
//!
//! A typed program is lowered to a bytecode of the host's own (`lower`, `code`), for functions that `main` reaches. A
//! `machine` runs it over its `memory`, many iterations of a loop at a time where it can (`loops`); functions that the program's headers only declare are those of the C `library`,
//! or of what the machine is given beside it. `device` is the GPU as such code knows it,
//! and `runtime` is CUDA's API over it.

mod device;

mod memory;

mod code;

mod lower;

mod loops;

mod machine;

mod library;

mod load;

mod runtime;

pub use device::{Device, DeviceFault, KernelFacts, KernelLaunch, LaunchEnd};
pub use load::load;
pub use machine::{Call, Clock, Exit, Io, Library, Machine, NoLibrary, Program, Setup, Stop};
pub use memory::{Memory, Unmapped, function_address, function_at};
pub use runtime::{Runtime, RuntimeOptions, SharedRuntime};

#[cfg(test)]
mod tests;
