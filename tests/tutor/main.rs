//! What a user relies on, held from outside: the binary, the notebook, and the walls of the source.

mod cli;
mod counters;
mod differential;
mod execution;
mod frontend;
mod invariants;
mod lessons;
mod program;
mod terminal;
mod tidy;
mod traces;
