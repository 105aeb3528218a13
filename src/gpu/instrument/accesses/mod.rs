//! Accesses counted on the device: `find` says where the text accesses memory, `reconvergence` where
//! lanes must meet again for the counts to be those of the text, and `counted` makes the text and the
//! plan that runs it, and decodes its counters.

mod find;
mod reconvergence;
mod counted;

pub use counted::{Counted, CountedSource};
