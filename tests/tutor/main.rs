//! What a user relies on, held from outside: the binary, the notebook, and the walls of the source.

mod cli;
mod documents;
mod driver;
mod files;
mod gpu;
mod hostile;
mod lessons;
mod notebook;
mod program;
mod strangers;
mod syntax;
mod tidy;
mod variables;
mod walls;
