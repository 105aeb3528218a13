//! Steps through what a block did.

mod jump;

pub(crate) use jump::{Jump, jump, run_to_line};
