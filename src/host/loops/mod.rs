//! Loops of the host, many iterations at a time: each operation runs over a column of them before the next one begins.
//!
//! ```text
//! for (…) sum += x[i] * y[i];    →    64 elements of x, 64 of y, 64 products, then 64 sums, one after the other
//! ```
//!
//! An operation is chosen once for 64 iterations, and most columns are computed with vector instructions. `step` says what
//! a loop is made of, `path` goes through an iteration and through the functions that it calls, with `words` for what it
//! loads and stores and `nest` for loops within it; `plan` finds out whether the loop can run so, `columns` computes,
//! `access` moves columns from and to memory, and `run` carries out iterations.
//!
//! Invariant: slots and memory are as if the iterations had run one by one. Where that cannot be told (an address that
//! another iteration changes, a branch that goes another way, a fault) iterations are left to the interpreter.

mod step;

mod pure;

mod path;

mod words;

mod plan;

mod columns;

mod access;

mod run;

mod promotion;

mod nest;

pub use columns::Columns;
pub use path::{Loop, Prediction};
pub use plan::LoopPlan;
pub use run::{Iterations, Surroundings};
