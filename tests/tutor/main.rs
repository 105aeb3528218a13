//! What a user relies on, held from outside: the binary, the notebook, and the walls of the source.

mod case;
mod checks;
mod cli;
mod corpora;
mod counters;
mod differential;
mod execution;
mod frontend;
mod gpu;
mod headers;
mod instrument;
mod instrumented_texts;
mod invariants;
mod lessons;
mod levels;
mod profiler;
mod program;
mod shipped;
mod stepping;
mod symbols;
mod targets;
mod terminal;
mod tidy;
mod traces;
mod uncompiled;
