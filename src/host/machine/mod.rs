//! The machine that runs code of the host: one thread, its memory, and the way out to libraries and the GPU.
//!
//! `stop` says why a run ends, `outside` what it reaches beyond itself, `state` is the machine, `fault` what is said where
//! it can go no further, `numbers` the functions of numbers, `unwind` exceptions, and `execute` the loop over operations.

mod stop;

mod clock;

mod outside;

mod state;

mod fault;

mod numbers;

mod objects;

mod unwind;

mod launch;

mod execute;

mod run;

pub use clock::Clock;
pub use outside::{Io, Library, Native, NoLibrary, Setup};
pub use run::Exit;
pub use state::{Call, Function, Machine, Program};
pub use stop::Stop;
