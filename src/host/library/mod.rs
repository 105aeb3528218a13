//! The C library, as glibc's behaves: each part has a table of its functions by their names.
//!
//! `format` is what the `printf` family writes, `scan` what the `scanf` family reads; the other files are headers of C.

mod format;

mod streams;

mod numbers;

mod scan;

mod output;

mod input;

mod blocks;

mod random;

mod sort;

mod text;

mod words;

mod characters;

mod time;

mod system;

use super::machine::{Native, Table};

const TABLES: [Table; 11] = [
    output::TABLE,
    input::TABLE,
    blocks::TABLE,
    random::TABLE,
    numbers::TABLE,
    sort::TABLE,
    text::TABLE,
    words::TABLE,
    characters::TABLE,
    time::TABLE,
    system::TABLE,
];

/// A function of the C library.
pub fn native(name: &str) -> Option<Native> {
    let mut all = TABLES.iter().flat_map(|table| table.iter());
    all.find(|(other, _)| *other == name)
        .map(|(_, native)| *native)
}
