//! What the text of a file tells of its launches, without being parsed: somebody wants a guess, of code that may not even
//! compile.
//!
//! `host_text` knows what names the text defines, `function_template` what calls give the template around a launch;
//! `host_expression` makes formulas of expressions of host code;
//! `written_launches` finds `kernel<<<grid, block>>>`; `body` reads the words of a kernel.

mod host_text;

mod function_template;

mod host_expression;

mod written_launches;

mod body;

pub use body::Body;
pub use host_expression::Known;
pub use host_expression::evaluated;
pub use written_launches::{WrittenLaunch, WrittenLaunches};
