//! `tutor check`: proves that lessons hold, at the sizes that are awkward for them too.
//!
//! `files` says what is checked, `prose` looks at sentences that compare runs, `exercise` has starting points fail and
//! solutions pass, `lesson` runs one lesson at each set of sizes and collects in `checked` what is wrong, `workers` check
//! several at once, and `report` prints what was found.

mod checked;
mod prose;
mod exercise;
mod lesson;
mod files;
mod workers;
mod report;

pub(super) use report::{CheckArguments, check};
