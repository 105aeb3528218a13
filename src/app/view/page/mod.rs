//! A page of a lesson on screen: its heading with the sizes, and its text, code and picture in their regions.

mod regions;
mod contents;
mod text;
mod draw;

pub(crate) use draw::draw;
