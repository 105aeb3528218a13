//! The notebook in a terminal of its own.

mod editing;
mod present;
mod signals;
mod terminal;
