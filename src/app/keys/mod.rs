//! The one table of keys. Bindings, the hints of the status bar and the help screen come from it.
//!
//! Its rows stand in five files by place; the first row that fits holds, and hints appear in this order.

mod binding;
mod cells;
mod editor;
mod inspector;
mod pages;
mod windows;
mod overview;
mod lookup;

pub(crate) use lookup::{action, bindings, commands, hints, key_of, keys_by_place, keys_here};
