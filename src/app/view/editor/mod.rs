//! The text of a kernel, to be read or changed, with what its lines did; and the PTX made of it.

mod changes;
mod gutter;
pub(crate) mod ptx;
pub(crate) mod source;
mod text;
