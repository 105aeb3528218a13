//! Values recorded on the device: `variables` splits a thread's variables into scalars, `assignments` says
//! which of them an expression assigns, `recorder` makes the calls that record them, `statements` puts the
//! calls behind statements, and `traced` makes the text and the plan that runs it, and decodes the records.

mod variables;
mod assignments;
mod recorder;
mod statements;
mod traced;

pub use traced::{BufferRange, TracedSource};
