//! TOML inside a lesson's file, read with the place of everything. Nothing here fails: what does not fit becomes
//! a diagnostic.

mod findings;

mod table;

pub use findings::{CHOSEN, CellKey};
pub(crate) use findings::{Findings, Placed, one_of};
pub(crate) use table::{Numbers, OneOrMore, Table, TomlText};
