//! CUDA's runtime and cuBLAS, as code of the host calls them.
//!
//! `facts` is what CUDA says of errors and GPUs, `work` knows in which order things may happen, `state` is what is kept between calls, `carry_out` does what streams
//! are asked for; then a file for each part of the API, and `table` names all functions. `library` is the face towards
//! the machine, and `report` says in the end what the program did not look at.
//!
//! What each call answers is what an H200 with CUDA 13.0 answers.

mod facts;

mod work;

mod state;

mod carry_out;

mod memory;

mod copies;

mod launches;

mod devices;

mod timeline;

mod graphs;

mod numeric_libraries;

mod table;

mod texts;

mod library;

mod report;

pub use library::SharedRuntime;
pub use state::{Runtime, RuntimeOptions};
