//! All that one block did, to be walked through in both directions.
//!
//! [`record`] runs one block of a launch alone, from the memory that the launch begins with: as if
//! it were the first block to run, which is a legal order. It keeps, for each statement that the
//! chosen warp executes, the active lanes, the variables that change, and the accesses to memory
//! with all their addresses; of the block's other warps, what they write and where they meet
//! barriers. Memory is as it was when `record` returns.
//!
//! A [`Cursor`] stands on an executed statement ("step"); what it shows is what holds after that
//! step. Nothing is replayed: each variable and each word of memory has the list of its changes, so
//! that any moment is found by bisection, however far away. A history keeps to a limit of bytes;
//! what comes after the limit is missing, and [`History::is_truncated`] says so.

mod packed;
mod steps;
mod accessed;
mod values;
mod moves;
mod recorder;
mod record;

pub use accessed::{Accessed, MemoryKind};
pub use moves::{Breakpoint, ComparisonOperator, Condition, Direction, Move};
pub use record::{Recording, record};
pub use steps::{Cursor, History};
pub use values::Written;
