//! Directives and macros: tokens in, tokens out.
//!
//! Tokens that come from a macro's definition carry the span of the macro's use; a macro's
//! arguments keep their own. Nothing is read from disk here: headers are known by
//! name, or came with the file.

mod headers;

mod host_headers;

mod ptx;

mod pack;

mod preprocessor;

mod expand;

mod sides;

mod conditional;

mod directives;

mod prelude;

pub use directives::{Preprocessed, preprocess};
pub use headers::{empty as empty_headers, is_known as is_known_header, of_cub_in_kernels};
pub use host_headers::{RUNTIME_ERRORS, is_for_host as is_host_header};
pub use prelude::{STANDARD_LIBRARY, before as with_prelude};
pub use ptx::{HARDWARE_ONLY, without_ptx};
