//! `tutor check`: proves that lessons hold, at the sizes that are awkward for them too.
//!
//! `files` says what is checked, `prose` looks at sentences that compare runs, `lesson` runs one lesson at each set of sizes
//! and collects what is wrong, `report` goes through all of them and prints what was found.

mod prose;
mod lesson;
mod files;
mod report;

pub(super) use report::{CheckArguments, check};
