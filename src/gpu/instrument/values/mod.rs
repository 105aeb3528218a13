//! Values recorded on the device: `variables` splits a thread's variables into scalars, `assigned` says
//! which of them an expression sets, `statements` and `calls` what is put behind the statements that do,
//! and `traced` makes the text and the plan that runs it, and decodes the records.

mod variables;
mod assigned;
mod statements;
mod calls;
mod traced;

pub use traced::{BufferRange, TracedSource};
