//! What comes from the terminal: bytes (`reader`), cut into sequences (`sequences`), and what each of them means
//! (`keys`).
//!
//! Invariant: whatever the bytes are, and wherever they end, what comes after them is understood again within
//! `PATIENCE`, and ctrl-C at once.

mod keys;
mod sequences;
mod reader;
#[cfg(test)]
mod tests;

pub(crate) use reader::{InputGate, send_input, size};
pub use sequences::Sequences;
