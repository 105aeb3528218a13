//! The text of a kernel, to be read or changed, with what its lines did; and the PTX made of it.

mod gutter;
mod title;
mod changes;
mod text;
pub(crate) mod source;
pub(crate) mod ptx;

pub(crate) use title::run_tabs;
