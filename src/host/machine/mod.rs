//! The machine that runs code of the host: one thread, its memory, and the way out to libraries and the GPU.
//!
//! `stop` says why a run ends, `outside` is its input and output, `objects` what waits for its end, `state` is the machine, `fault` what is said where
//! it can go no further, `unwind` exceptions, `registers` the slots of the function that runs, `services`
//! what operations do beyond those, `repeat` runs many iterations of `hot_loops` at a time, and `execute` the loop over operations.

mod stop;

mod clock;

mod outside;

mod objects;

mod hot_loops;

mod state;

mod fault;

mod unwind;

mod launch;

mod registers;

mod services;

mod repeat;

mod execute;

mod run;

pub use clock::Clock;
pub use outside::Io;
pub use run::Exit;
pub use state::{Call, Function, Library, Machine, Native, NoLibrary, Program, Setup, Table};
pub use stop::Stop;
